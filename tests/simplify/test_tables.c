/* SPDX-License-Identifier: Apache-2.0 */
/* What simplification is for, as tables: {in, out}, proofs, ranges,
 * divisibility, statements. Expected values are worked out by hand. */
#include <string.h>

#include "base/pool.h"
#include "ir/stmt.h"
#include "simplify/simplify.h"
#include "tests/base/fail_alloc.h"
#include "tests/simplify/suites.h"

/* i in [0, 15], j in [0, 7], k in {0, 16, 32, 48}, n in [1, 100]; x y z any
 * s32; l any s64; u u32, b u8; p q bool; v s32x16; f f32. */
enum { N_NAMES = 13 };
static const char *const names[N_NAMES] = {"i", "j", "k", "n", "x", "y", "z",
                                           "l", "u", "b", "p", "v", "f"};
static const struct xk_type types[N_NAMES] = {
    {XK_DT_S32, 0, 1}, {XK_DT_S32, 0, 1},  {XK_DT_S32, 0, 1},
    {XK_DT_S32, 0, 1}, {XK_DT_S32, 0, 1},  {XK_DT_S32, 0, 1},
    {XK_DT_S32, 0, 1}, {XK_DT_S64, 0, 1},  {XK_DT_U32, 0, 1},
    {XK_DT_U8, 0, 1},  {XK_DT_BOOL, 0, 1}, {XK_DT_S32, 0, 16},
    {XK_DT_F32, 0, 1}};

struct world {
    xk_ctx *c;
    xk_facts *f;
    const xk_expr *vars[N_NAMES];
};

static void world_init(struct world *w)
{
    w->c = xk_ctx_create(NULL);
    w->f = xk_facts_create(w->c);
    for (unsigned i = 0; i < N_NAMES; i++)
        w->vars[i] = xk_var(w->c, types[i], names[i]);
    xk_facts_set(w->f, w->vars[0], 0, 15, 1, 0);
    xk_facts_set(w->f, w->vars[1], 0, 7, 1, 0);
    xk_facts_set(w->f, w->vars[2], 0, 48, 16, 0);
    xk_facts_set(w->f, w->vars[3], 1, 100, 1, 0);
}

static void world_fini(struct world *w)
{
    xk_facts_unref(w->f);
    ck_assert_uint_eq(xk_ctx_destroy(w->c), 0);
}

static const xk_expr *parse(struct world *w, const char *text)
{
    const xk_expr *const e = xk_parse_expr(w->c, text, N_NAMES, names, w->vars);
    ck_assert_msg(e != NULL, "%s: %s", text, w->c->error.message);
    return e;
}

static void check_text(const xk_expr *e, const char *in, const char *want)
{
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_print(e, &s);
    ck_assert_msg(!strcmp(xk_str_get(&s), want), "%s gives %s, not %s", in,
                  xk_str_get(&s), want);
    xk_str_fini(&s);
}

static const struct {
    const char *in, *out;
} cases[] = {
    /* sums and products */
    {"x + 0", "x"},
    {"5 - 3", "2"},
    {"2 * (x + y) - x", "x + y * 2"},
    {"y + x", "x + y"},
    {"x - y - x", "neg(y)"},
    {"5 - x", "5 - x"},
    {"x * 3 * 4", "x * 12"},
    {"x * y * 2 + y * x", "x * y * 3"},
    {"x * y - y * x", "0"},
    {"(x * 4) * (y * 2)", "x * y * 8"},
    {"neg(neg(x))", "x"},
    {"x << 3", "x * 8"},
    {"(x + 3) * 4 - 12", "x * 4"},
    {"x * 0 + 3", "3"},
    {"l + 1 - l", "1:s64"},
    {"2147483647 + i", "i + 2147483647"}, /* no wrap: not folded further */
    {"1 + 2147483647", "1 + 2147483647"}, /* undefined: stays */
    /* types that wrap */
    {"u - u + 3", "3:u32"},
    {"u * 3 - u", "u * 2:u32"},
    {"b * 16 * 16", "0:u8"},
    {"b + 255 + 1", "b"},
    {"(u + 5) == 7", "u == 2:u32"},
    {"b / 256:u16 == 0:u16", NULL}, /* does not parse: u8 and u16 */
    {"u / 2 * 2", "u / 2:u32 * 2:u32"},
    {"u + 1 < 1", "u + 1:u32 < 1:u32"}, /* may wrap */
    {"b < 0", "false"},
    {"b >= 0", "true"},
    /* division and modulo */
    {"(x * 16 + i) / 16", "x"},
    {"(x * 16 + i) % 16", "i"},
    {"(x * 16 + i + 16) / 16", "x + 1"},
    {"(x * 16 + 5) / 16", "x"},
    {"(x * 16 - 1) / 16", "x - 1"},
    {"(x * 16 - 1) % 16", "15"},
    {"(x * 16 + y) / 16", "x + y / 16"},
    {"(x * 6 + 4) / 4", "x * 3 / 2 + 1"},
    {"(x * 6 + 3) / 4", "(x * 3 + 1) / 2"},
    {"(k + i) / 16", "k / 16"},
    {"(k + i) / 16 * 16 + (k + i) % 16", "i + k"},
    {"(k + x) % 16", "x % 16"},
    {"(i * 16 + j) / 8", "i * 2"},
    {"i / 16", "0"},
    {"(i - 16) / 16", "-1"},
    {"k / 16 * 16", "k"},
    {"k / 16 * 16 + j", "j + k"},
    {"k % 16", "0"},
    {"(k + 3) % 16", "3"},
    {"x / 4 * 4 + x % 4", "x"},
    {"x / 4 * 8 + x % 4 * 2", "x * 2"},
    {"x - x / 8 * 8", "x % 8"},
    {"x % 32 % 8", "x % 8"},
    {"x / 4 / 8", "x / 32"},
    {"(17 * x) % 16", "x % 16"},
    {"-7 / 2", "-4"},
    {"-7 % 2", "1"},
    {"7 % -2", "-1"},
    {"x / 0", "0"},
    {"(n - 1) / 100", "0"},
    {"n / n", "1"},
    {"x / x", "x / x"}, /* x may be 0 */
    {"(x + 17) / 16", "(x + 17) / 16"},
    /* minimum, maximum, select */
    {"min(i, 15)", "i"},
    {"min(i, 14)", "min(i, 14)"},
    {"min(x, x + 1)", "x"},
    {"max(x + 1, x)", "x + 1"},
    {"max(i + j, 22)", "22"},
    {"min(max(x, 3), 2)", "2"},
    {"min(x + 3, x + 5)", "x + 3"},
    {"min(x, y) + max(y, x)", "x + y"},
    {"select(i < 16, x, y)", "x"},
    {"select(p, x, x)", "x"},
    {"select(p, f, f)", "f"},
    {"select(not(p), f, 1.0)", "select(p, 1.0, f)"},
    {"select(x < y, x, y)", "min(x, y)"},
    {"select(p, x + y, x + z)", "x + select(p, y, z)"},
    /* compares and bools */
    {"i < 16 && j >= 0", "true"},
    {"i >= 16 || x < y", "x < y"},
    {"x + y < x + z", "y < z"},
    {"x - 3 < 5", "x < 8"},
    {"3 < x", "x > 3"},
    {"4 * x < 18", "x < 5"},
    {"4 * x == 18", "false"},
    {"4 * x + 4 * y <= 18", "x + y <= 4"},
    {"x > y", "y < x"},
    {"not(x < 3)", "x >= 3"},
    {"not(p) | not(p)", "not(p)"},
    {"p & not(p)", "false"},
    {"x < 5 & x < 3", "x < 3"},
    {"i * 64 + (j * 4 + 3) < 15 * 64 + 32", "true"},
    {"k == 8", "false"},
    {"f < f", "f < f"}, /* NaN */
    /* vectors */
    {"bcast.16(x) + bcast.16(y)", "bcast.16(x + y)"},
    {"bcast.16(4) * ramp.16(x, 2) + bcast.16(y)", "ramp.16(x * 4 + y, 8)"},
    {"ramp.16(x, 2) - ramp.16(x, 2)", "bcast.16(0)"},
    {"ramp.16(x, 2) + v", "v + ramp.16(x, 2)"},
    {"v - bcast.16(x)", "v - bcast.16(x)"},
    {"v + bcast.16(neg(x) - y * 3)", "v - bcast.16(x + y * 3)"},
    {"v - bcast.16(x - y)", "v + bcast.16(y - x)"},
    {"v - bcast.16(x + 1)", "v + bcast.16(-1 - x)"},
    {"ramp.16(i * 16, 1) / 16", "bcast.16(i)"},
    {"ramp.16(i * 16, 1) % 16", "ramp.16(0, 1)"},
    {"ramp.16(i, 1) < 31", "bcast.16(true)"},
    {"ramp.16(i, 1) < 30", "ramp.16(i, 1) < bcast.16(30)"},
    {"ramp.16(x, 1) < ramp.16(y, 1)", "bcast.16(x < y)"},
    {"bcast.16(x) < bcast.16(4)", "bcast.16(x < 4)"},
    {"shuffle[0, 2, 4](ramp.16(x, 3))", "ramp.3(x, 6)"},
    {"shuffle[3](ramp.16(x, 3))", "x + 9"},
    {"shuffle[5, 5](bcast.16(x))", "bcast.2(x)"},
    {"shuffle[2, 1](shuffle[3, 2, 1](v))", "shuffle[1, 2](v)"},
    /* casts, three operands */
    {"cast.s64(5)", "5:s64"},
    {"cast.u8(300)", "44:u8"},
    {"cast.f32(3)", "3.0"},
    {"cast.s32(2.5)", "2"},
    {"cast.bool(7)", "true"},
    {"cast.f16(65504.0)", "6.55e+04:f16"},
    {"cast.s64(ramp.16(x, 1))", "ramp.16(cast.s64(x), 1:s64)"},
    {"cast.s32(cast.s64(x))", "x"},
    {"cast.s32(cast.u8(i))", "i"},
    {"cast.s32(cast.u8(x))", "cast.s32(cast.u8(x))"},
    {"cast.u8(cast.s16(x))", "cast.u8(x)"},
    {"mad(x, 3, 4)", "x + 12"},
    {"mad(x, y, 1)", "x + y"},
    {"mad(x, y, z)", "mad(x, y, z)"},
    {"add3(x, 1, 2)", "x + 3"},
    {"f * 1.0", "f * 1.0"}, /* floats are left alone */
};

START_TEST(simplifies)
{
    struct world w;
    world_init(&w);
    if (!cases[_i].out) {
        ck_assert_ptr_null(
            xk_parse_expr(w.c, cases[_i].in, N_NAMES, names, w.vars));
    } else {
        const xk_expr *const e = parse(&w, cases[_i].in);
        const xk_expr *const r = xk_simplify(w.c, e, w.f);
        ck_assert_msg(r != NULL, "%s", w.c->error.message);
        ck_assert(xk_type_eq(xk_type_of(r), xk_type_of(e)));
        check_text(r, cases[_i].in, cases[_i].out);
        ck_assert_msg(xk_simplify(w.c, r, w.f) == r, "%s: not final",
                      cases[_i].out);
        ck_assert_int_eq(xk_ctx_status(w.c), XK_OK);
    }
    world_fini(&w);
}
END_TEST

static const struct {
    const char *cond;
    bool proven;
} proofs[] = {
    {"i < 16", true},
    {"i < 15", false},
    {"i * 8 + j < 128", true},
    {"i * 8 + j < 127", false},
    {"(i * 8 + j) % 8 == j", true},
    {"(i * 8 + j) / 8 == i", true},
    {"k % 16 == 0 && k <= 48", true},
    {"k % 32 == 0", false},
    {"k != 8", true},
    {"x < x + 1", true},
    {"min(x, i) <= i", true},
    {"min(x, i) < 16", true},
    {"max(x, i) >= 0", true},
    {"max(x, i) < 16", false},
    {"x % 8 < 8 && x % 8 >= 0", true},
    {"x / 8 * 8 <= x", true},
    {"x / 8 * 8 + 7 >= x", true},
    {"i / n <= 15", true},
    {"select(p, i, j) < 16", true},
    {"select(p, i, j) < 8", false},
    {"ramp.16(i * 16, 1) < 256", true},
    {"ramp.16(i * 16, 1) < 255", false},
    {"cast.s64(i) * 4 < 64:s64", true},
    {"cast.s32(cast.u8(x)) <= 255", true},
    {"(i & 7) < 8", true},
    {"(x & 7) < 8 && (x & 7) >= 0", true},
    {"(i | 16) >= 16", true},
    {"(i ^ j) < 16", true},
    {"i >> 2 < 4", true},
    {"n * n >= 1", true},
    {"x * x >= 0", false}, /* not known to ranges */
    {"b < 256:u8", false}, /* 256 is 0 there */
    {"p", false},
    {"x", false}, /* no bool */
};

START_TEST(proves)
{
    struct world w;
    world_init(&w);
    if (!strcmp(proofs[_i].cond, "b < 256:u8")) {
        ck_assert_ptr_null(
            xk_parse_expr(w.c, proofs[_i].cond, N_NAMES, names, w.vars));
    } else {
        ck_assert_msg(xk_prove(w.c, parse(&w, proofs[_i].cond), w.f) ==
                          proofs[_i].proven,
                      "%s", proofs[_i].cond);
    }
    world_fini(&w);
}
END_TEST

static const struct {
    const char *e;
    int64_t lo, hi, mod, rem; /* mod 0: constant */
} ranges[] = {
    {"i", 0, 15, 1, 0},
    {"i + j", 0, 22, 1, 0},
    {"i - j", -7, 15, 1, 0},
    {"i * 4 + 3", 3, 63, 4, 3},
    {"k", 0, 48, 16, 0},
    {"k * 3 + 5", 5, 149, 48, 5},
    {"k / 4", 0, 12, 4, 0},
    {"k / 3", 0, 16, 1, 0},
    {"k % 12", 0, 8, 4, 0}, /* 0, 4, 8 */
    {"(k + 5) % 8", 5, 5, 0, 5},
    {"neg(k) - 1", -49, -1, 16, 15},
    {"(i - 8) / 4", -2, 1, 1, 0},
    {"(i - 8) % 4", 0, 3, 1, 0},
    {"x % -4", -3, 0, 1, 0},
    {"min(i, j + 10)", 0, 15, 1, 0},
    {"max(k, 20)", 20, 48, 4, 0},
    {"select(p, k, 8)", 0, 48, 8, 0},
    {"select(i < 20, k, 8)", 0, 48, 16, 0},
    {"ramp.16(k, 4)", 0, 108, 4, 0},
    {"bcast.4(k)", 0, 48, 16, 0},
    {"shuffle[1, 2](ramp.16(k, 4))", 0, 108, 4, 0},
    {"mad(i, j, 2)", 0, 29, 1, 0},
    {"add3(k, k, 1)", 1, 97, 16, 1},
    {"i << 2", 0, 60, 4, 0},
    {"k >> 3", 0, 6, 2, 0},
    {"cast.s64(k)", 0, 48, 16, 0},
    {"cast.s8(k)", 0, 48, 16, 0},
    {"cast.s8(n + 100)", -128, 127, 1, 0}, /* wraps */
    {"cast.u8(n + 100)", 101, 200, 1, 0},
    {"cast.s32(i < 3)", 0, 1, 1, 0},
    {"cast.s32(i < 30)", 1, 1, 0, 1},
    {"b + 1", 0, 255, 1, 0}, /* wraps */
    {"x", INT32_MIN, INT32_MAX, 1, 0},
    {"x * 2", -4294967296, 4294967294, 2, 0},
    {"l", INT64_MIN, INT64_MAX, 1, 0},
    {"not(i)", -16, -1, 1, 0},
    {"i / (n - 50)", -15, 15, 1, 0}, /* the divisor may be 0 */
};

START_TEST(knows_ranges_and_divisibility)
{
    struct world w;
    int64_t lo = INT64_MIN, hi = INT64_MAX, mod, rem;
    world_init(&w);
    const xk_expr *const e = parse(&w, ranges[_i].e);
    const bool known = xk_facts_range(w.f, e, &lo, &hi);
    ck_assert_int_eq(known, ranges[_i].lo != INT64_MIN);
    ck_assert_msg(lo == ranges[_i].lo && hi == ranges[_i].hi,
                  "%s is in [%lld, %lld]", ranges[_i].e, (long long)lo,
                  (long long)hi);
    xk_facts_divisibility(w.f, e, &mod, &rem);
    ck_assert_msg(mod == ranges[_i].mod && rem == ranges[_i].rem,
                  "%s is %lld mod %lld", ranges[_i].e, (long long)rem,
                  (long long)mod);
    world_fini(&w);
}
END_TEST

START_TEST(a_new_fact_replaces_what_was_derived)
{
    struct world w;
    int64_t lo, hi;
    world_init(&w);
    const xk_expr *const e = parse(&w, "x * 2 + 1");
    ck_assert(xk_facts_range(w.f, e, &lo, &hi));
    ck_assert_int_eq(xk_facts_set(w.f, w.vars[4], 3, 4, 1, 0), XK_OK);
    ck_assert(xk_facts_range(w.f, e, &lo, &hi));
    ck_assert_int_eq(lo, 7);
    ck_assert_int_eq(hi, 9);
    ck_assert_int_eq(xk_facts_set(w.f, w.vars[4], 5, 4, 1, 0), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(w.c->error.message, "5..4"));
    world_fini(&w);
}
END_TEST

/* What cannot be simplified is remembered, until a fact changes. */
START_TEST(a_new_fact_makes_simple_what_was_not)
{
    struct world w;
    int64_t known;
    world_init(&w);
    const xk_expr *const e = parse(&w, "x < 8");
    const xk_expr *const sum = parse(&w, "x / 8 + 1");
    ck_assert_ptr_eq(xk_simplify(w.c, e, w.f), e);
    ck_assert_ptr_eq(xk_simplify(w.c, e, w.f), e);
    ck_assert_ptr_eq(xk_simplify(w.c, sum, w.f), sum);
    ck_assert_int_eq(xk_facts_set(w.f, w.vars[4], 0, 7, 1, 0), XK_OK);
    ck_assert(xk_is_const(xk_simplify(w.c, e, w.f), &known) && known == 1);
    ck_assert(xk_is_const(xk_simplify(w.c, sum, w.f), &known) && known == 1);
    ck_assert_int_eq(xk_facts_set(w.f, w.vars[4], 0, 8, 1, 0), XK_OK);
    ck_assert_ptr_eq(xk_simplify(w.c, e, w.f), e);
    ck_assert_ptr_eq(xk_simplify(w.c, sum, w.f), sum);
    world_fini(&w);
}
END_TEST

static const struct {
    const char *in, *out; /* bodies */
} stmts[] = {
    {"for i in 0..4 step 1 { store &a[i / 4 * 64 + i % 4] = i + 0 }",
     "    for i in 0..4 step 1 {\n        store &a[i] = i\n    }\n"},
    {"for i in 0..8 step 4 { store &a[i % 4] = (i + 3) / 4 * 4 }",
     "    for i in 0..8 step 4 {\n        store &a[0] = i\n    }\n"},
    {"pipe i in 0..2 slots 1 stages 1 { stage 0 { store &a[i % 2] = 1 } }",
     "    pipe i in 0..2 slots 1 stages 1 {\n        stage 0 {\n"
     "            store &a[i] = 1\n        }\n    }\n"},
    {"let x: s32 = t * 2 store &a[x % 8] = x % 2",
     "    let x: s32 = t * 2\n    store &a[x] = 0\n"},
    {"if (t < 4) { store &a[0] = 1 } else { store &a[0] = 2 }",
     "    store &a[0] = 1\n"},
    {"if (t >= 4) { store &a[0] = 1 }", ""},
    {"for i in 3..3 { store &a[0] = 1 }", ""},
    {"for i in 0..t { store &a[0] = 1 }",
     "    for i in 0..t step 1 {\n        store &a[0] = 1\n    }\n"},
    {"load v: s32 = &a[t * 0] store &a[0] = v - v",
     "    load v: s32 = &a[0]\n    store &a[0] = 0\n"},
    {"for i in 0..1 { store &a[i] = i }",
     "    for i in 0..1 step 1 {\n        store &a[0] = 0\n    }\n"},
};

START_TEST(simplifies_statements_with_what_their_scopes_say)
{
    static const char head[] = "kernel k simd 16 (t: thread < 4) {";
    char text[1024] = "", want[1024] = "";
    struct xk_kernel k;
    struct xk_str s;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_facts *const f = xk_facts_create(c);
    strcat(strcat(strcat(text, head), " alloc a: grf[4096] "), stmts[_i].in);
    strcat(text, " }");
    ck_assert_msg(xk_kernel_parse(c, text, &k) == XK_OK, "%s",
                  c->error.message);
    ck_assert_int_eq(xk_facts_set_kernel(f, &k), XK_OK);
    k.body = xk_simplify_stmt(c, k.body, f);
    ck_assert_msg(k.body != NULL, "%s", c->error.message);
    xk_str_init(&s, NULL);
    xk_kernel_print(&k, &s);
    strcat(strcat(strcat(want, head), "\n    alloc a: grf[4096]\n"),
           stmts[_i].out);
    strcat(want, "}\n");
    ck_assert_str_eq(xk_str_get(&s), want);
    xk_str_fini(&s);
    ck_assert_ptr_eq(xk_simplify_stmt(c, k.body, f), k.body);
    ck_assert_int_eq(xk_kernel_check(c, &k), XK_OK);
    xk_facts_unref(f);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(the_check_rejects_an_index_that_may_overflow)
{
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    const char *const text =
        "kernel k simd 16 (s: ptr.global, x: group_x < 100000) {"
        " alloc a: grf[64]"
        " for i in 0..100000 { let y: s32 = x * 8"
        " send.load.global.a64.d32x1.s16(&s[0], y * i, &a[0], true) } }";
    ck_assert_int_eq(xk_kernel_parse(c, text, &k), XK_OK);
    ck_assert_int_eq(xk_kernel_check(c, &k), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(c->error.message, "not proven to fit"));
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(linear_forms_are_sums_of_distinct_terms)
{
    struct world w;
    struct xk_linear l;
    world_init(&w);
    const xk_expr *const e =
        parse(&w, "(x + y * 2 - 3) * 4 + x * 5 - y * 8 + z * 3");
    ck_assert(xk_linear_from(w.c, e, &l));
    ck_assert_uint_eq(l.n, 2);
    ck_assert_ptr_eq(l.term[0], w.vars[4]);
    ck_assert_int_eq(l.coef[0], 9);
    ck_assert_ptr_eq(l.term[1], w.vars[6]);
    ck_assert_int_eq(l.coef[1], 3);
    ck_assert_int_eq(l.constant, -12);
    check_text(xk_linear_to(w.c, XK_DT_S32, 1, &l), "linear",
               "x * 9 + z * 3 - 12");
    const xk_expr *const r = parse(&w, "ramp.16(x, 2) * 3 + bcast.16(y + 1)");
    ck_assert(xk_linear_from(w.c, r, &l));
    check_text(xk_linear_to(w.c, XK_DT_S32, 16, &l), "linear",
               "ramp.16(x * 3 + y + 1, 6)");
    ck_assert(!xk_linear_from(w.c, parse(&w, "f + 1.0"), &l));
    world_fini(&w);
}
END_TEST

START_TEST(sums_with_too_many_terms_are_left_in_parts)
{
    struct world w;
    struct xk_linear l;
    world_init(&w);
    const xk_expr *e = w.vars[4];
    for (int i = 0; i < 40; i++)
        e = xk_add(w.c, e, xk_var(w.c, types[4], "t"));
    ck_assert(!xk_linear_from(w.c, e, &l));
    const xk_expr *const r =
        xk_simplify(w.c, xk_add(w.c, e, xk_s32(w.c, 0)), w.f);
    ck_assert_ptr_nonnull(r);
    ck_assert(xk_depends_on(r, w.vars[4]));
    /* Shared sums: 2^100 paths must not be walked. */
    for (int i = 0; i < 100; i++)
        e = xk_add(w.c, xk_mod(w.c, e, xk_s32(w.c, 7)), e);
    ck_assert_ptr_nonnull(xk_simplify(w.c, e, w.f));
    world_fini(&w);
}
END_TEST

static bool run_all(xk_ctx *c)
{
    static const char text[] =
        "kernel k simd 16 (t: thread < 4) { alloc a: grf[4096]"
        " for i in 0..4 { let x: s32 = (i * 4 + t) / 4 + i % 4"
        " store &a[x] = ramp.16(x, 1) + bcast.16(t) } }";
    struct xk_kernel k;
    if (xk_kernel_parse(c, text, &k) < 0)
        return false;
    xk_facts *const f = xk_facts_create(c);
    const bool ok = f && xk_facts_set_kernel(f, &k) == XK_OK &&
                    xk_simplify_stmt(c, k.body, f) != NULL;
    xk_facts_unref(f);
    return ok;
}

START_TEST(out_of_memory_is_a_status)
{
    for (long n = 0;; n++) {
        struct fail_alloc f;
        const struct xk_alloc a = fail_alloc_make(&f, n);
        xk_ctx *const c = xk_ctx_create(&a);
        const bool ok = c && run_all(c);
        if (c && !ok)
            ck_assert_int_eq(xk_ctx_status(c), XK_ENOMEM);
        const bool quiet = c && xk_ctx_status(c) == XK_OK;
        xk_ctx_destroy(c);
        ck_assert_int_eq(f.live, 0);
        if (ok && quiet)
            return;
    }
}
END_TEST

/* The second time no node is made, although a scope has freed all those that
 * the first time needed on its way. */
START_TEST(what_was_simplified_is_not_simplified_again)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_facts *const f = xk_facts_create(c);
    const xk_expr *const m = xk_var(c, xk_type_vec(XK_DT_S32, 1), "m");
    ck_assert_int_eq(xk_facts_set(f, m, 0, 41, 21, 0), XK_OK);
    const xk_expr *const row = xk_bin_imm(c, XK_OP_ADD, m, 5);
    const xk_expr *const e =
        xk_bin_imm(c, XK_OP_MOD, xk_bin_imm(c, XK_OP_DIV, row, 21), 4);
    const xk_scope s = xk_scope_begin(c);
    const uint32_t first = xk_pool_next_serial(c);
    ck_assert(xk_simplify(c, e, f) != e);
    ck_assert_uint_gt(xk_pool_next_serial(c), first);
    xk_scope_end(c, s, NULL);
    const uint32_t next = xk_pool_next_serial(c);
    const xk_expr *const again = xk_simplify(c, e, f);
    ck_assert_uint_eq(xk_pool_next_serial(c), next);
    ck_assert(again == xk_simplify(c, again, f));
    xk_facts_unref(f);
    xk_ctx_destroy(c);
}
END_TEST

TCase *simplify_table_cases(void)
{
    TCase *const t = tcase_create("tables");
    tcase_set_timeout(t, 120);
    /* First: the rules are not compiled yet, so this fails there too. */
    tcase_add_test(t, out_of_memory_is_a_status);
    tcase_add_loop_test(t, simplifies, 0, XK_COUNTOF(cases));
    tcase_add_loop_test(t, proves, 0, XK_COUNTOF(proofs));
    tcase_add_loop_test(t, knows_ranges_and_divisibility, 0,
                        XK_COUNTOF(ranges));
    tcase_add_test(t, a_new_fact_replaces_what_was_derived);
    tcase_add_test(t, a_new_fact_makes_simple_what_was_not);
    tcase_add_test(t, what_was_simplified_is_not_simplified_again);
    tcase_add_loop_test(t, simplifies_statements_with_what_their_scopes_say, 0,
                        XK_COUNTOF(stmts));
    tcase_add_test(t, the_check_rejects_an_index_that_may_overflow);
    tcase_add_test(t, linear_forms_are_sums_of_distinct_terms);
    tcase_add_test(t, sums_with_too_many_terms_are_left_in_parts);
    return t;
}
