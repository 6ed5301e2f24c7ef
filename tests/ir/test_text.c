/* SPDX-License-Identifier: Apache-2.0 */
/* Text: print -> parse -> print, and what the parser refuses. */
#include "ir/stmt.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "ir/func_table.h"
#include "tests/base/fail_alloc.h"
#include "tests/ir/random_expr.h"
#include "tests/ir/suites.h"

#define HEAD                                                                   \
    "kernel k simd 16 (src: ptr.global, dst: ptr.global, n: s32 < 100, "       \
    "w: s64, g: group_x < 12, h: group_y, d: group_z, t: thread < 4) {\n"

/* Bodies as the printer writes them: lines of 4 spaces and more. */
static const char *const bodies[] = {
    "",
    "    alloc b: grf[4096] align 32 bank 1\n"
    "    alloc s: slm[65536]\n"
    "    store &b[0] = 1.5\n",
    "    alloc b: grf[64]\n"
    "    let x: s32 = (g + 1) * 2 - (t - n) - 3\n"
    "    load v: f32x16 = &b[x % 4 * 64]\n"
    "    store &b[0] = v * bcast.16(0.1)\n",
    "    alloc b: grf[64]\n"
    "    for i in 0..n step 1 {\n"
    "        for j in i..10 step 2 {\n"
    "            store &b[i + j] = 0\n"
    "        }\n"
    "    }\n"
    "    for i in 0..3 step 1 {\n"
    "        for i.1 in 0..i step 1 {\n"
    "            store &b[i.1] = i\n"
    "        }\n"
    "    }\n",
    "    alloc b: grf[2048]\n"
    "    pipe i in 0..16 slots 2 stages 2 {\n"
    "        stage 0 {\n"
    "            send.load.global.a64.d32x4.s16(&src[0], ramp.16(0, 16), "
    "&b[i % 2 * 1024], true)\n"
    "        }\n"
    "        stage 1 {\n"
    "            mad.f32.s16.b110(&b[0], &b[0], &b[64], &b[128])\n"
    "        }\n"
    "    }\n",
    "    if (g < 3 & t == 0 | n >= 5) {\n"
    "        barrier_signal()\n"
    "    } else {\n"
    "        barrier_wait()\n"
    "    }\n"
    "    if (!(g != 1)) {\n"
    "    }\n",
    "    scope {\n"
    "        let x: bool = true\n"
    "        if (x) {\n"
    "        }\n"
    "    }\n"
    "    let x: u16x4 = shuffle[0, 3, 2, 1](bcast.4(5:u16))\n"
    "    fence.slm()\n"
    "    fence.global()\n",
    "    alloc b: grf[2048]\n"
    "    dpas.f32_f32_f16_f16.e8.d8.r8(&b[0], &b[0], &b[512], &b[1024])\n"
    "    dpas.s32_s32_u8_s8.e16.d8.r4.wide(&b[0], &b[0], &b[512], &b[1024])\n"
    "    mad.f32_f32_bf16_bf16.s8.b101(&b[0], &b[0], &b[64], &b[128])\n"
    "    dp4a.s32_s32_s32_u32.s16.b110(&b[0], &b[0], &b[64], &b[128])\n"
    "    reorder.f16_f32[8:1:1, 4:16:8](&b[0], &b[64])\n"
    "    reorder.f32[](&b[0], &b[64])\n"
    "    sendh.store.slm.a32.d8x1.block.c3(&b[0], &b[64], true)\n"
    "    sendh.atomic_add.global.a64.d32x1.s8(&b[0], &b[64], true)\n"
    "    send.prefetch.global.surface0.d64x8.s32(&src[0], 0, &b[0], true)\n"
    "    send.load.global.surface0.d32x1.s8.c4.z(&src[0], 0, &b[0], true)\n",
    "    let p: u64 = cast.u64(src) + cast.u64(n)\n"
    "    let x: s64 = w - -9223372036854775808:s64 + cast.s64(n)\n"
    "    let y: u64 = 18446744073709551615:u64\n"
    "    let z: f64 = 0.1:f64 + -1e+300:f64 + 3.0:f64\n"
    "    let f: f16 = 0.1:f16 + 6.55e+04:f16\n"
    "    let q: f32 = fbits(0x7ff0000000000000):f32 + -0.0 + 1e-45\n"
    "    let m: s32 = min(max(n, 1), neg(g)) + mad(n, g, t) + add3(n, g, t)\n"
    "    let r: s32x8 = select(ramp.8(g, 1) < bcast.8(n), ramp.8(0, -1), "
    "bcast.8(7))\n"
    "    let b: s32 = (n << 2 | 1) & 7 ^ n >> 1\n"
    "    let s: s32 = n - (g - t) - (n + g)\n",
};

static void kernel_text(const char *body, char *out, size_t cap)
{
    snprintf(out, cap, "%s%s}\n", HEAD, body);
    /* "!(x)" is accepted but printed as not(x). */
    char *const bang = strstr(out, "!(g");
    if (bang) {
        memmove(bang + 3, bang + 1, strlen(bang + 1) + 1);
        memcpy(bang, "not", 3);
    }
}

START_TEST(kernels_print_as_they_were_written)
{
    char want[4096], text[4096];
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel k;
    struct xk_str out;
    snprintf(text, sizeof(text), "%s%s}\n", HEAD, bodies[_i]);
    kernel_text(bodies[_i], want, sizeof(want));
    ck_assert_msg(xk_kernel_parse(c, text, &k) == XK_OK, "%s",
                  c->error.message);
    xk_str_init(&out, NULL);
    xk_kernel_print(&k, &out);
    ck_assert_str_eq(xk_str_get(&out), want);
    ck_assert_uint_eq(k.n_params, 8);
    ck_assert_int_eq(k.extent[2], 100);
    ck_assert_int_eq(k.extent[3], 0);
    xk_str_fini(&out);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

/* Accepted spellings that print otherwise. */
static const struct {
    const char *in, *out;
} spellings[] = {
    {"x+1*y", "x + 1 * y"},
    {"(x + y) + x", "x + y + x"},
    {"x + (y + x)", "x + (y + x)"},
    {"(x * y) / 2 % 3", "x * y / 2 % 3"},
    {"x * (y / 2)", "x * (y / 2)"},
    {"-x", "neg(x)"},
    {"- 5", "-5"},
    {"x - -5", "x - -5"},
    {"!(x < y)", "not(x < y)"},
    {"x < y && y < 3 || x == 1", "x < y & y < 3 | x == 1"},
    {"(x | 1) == 3", "(x | 1) == 3"},
    {"0x10 + x", "16 + x"},
    {"u + 1", "u + 1:u16"},
    {"1 << u", "1:u16 << u"},
    {"f + 1", "f + 1.0"},
    {"select(x < 1, f, 2)", "select(x < 1, f, 2.0)"},
    {"v + x", "v + bcast.4(x)"},
    {"4294967296", "4294967296:s64"},
    {"min(x, 3) ; a comment\n + 1", "min(x, 3) + 1"},
    {"2.50", "2.5"},
    {"5:f32", "5.0"},
};

static const xk_expr *parse(xk_ctx *c, const char *text)
{
    static const char *const names[] = {"x", "y", "u", "f", "v", "p"};
    static const struct xk_type types[] = {
        {XK_DT_S32, 0, 1}, {XK_DT_S32, 0, 1}, {XK_DT_U16, 0, 1},
        {XK_DT_F32, 0, 1}, {XK_DT_S32, 0, 4}, {0, XK_SPACE_GRF, 1}};
    const xk_expr *vars[6];
    for (unsigned i = 0; i < 6; i++)
        vars[i] = xk_var(c, types[i], names[i]);
    return xk_parse_expr(c, text, 6, names, vars);
}

START_TEST(expressions_have_one_printed_form)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_str out;
    const xk_expr *const e = parse(c, spellings[_i].in);
    ck_assert_msg(e != NULL, "%s: %s", spellings[_i].in, c->error.message);
    xk_str_init(&out, NULL);
    xk_print(e, &out);
    ck_assert_str_eq(xk_str_get(&out), spellings[_i].out);
    xk_str_fini(&out);
    xk_ctx_destroy(c);
}
END_TEST

static const struct {
    const char *in, *message;
} bad_exprs[] = {
    {"", "line 1, column 1: expected an expression"},
    {"x +", "column 4: expected an expression"},
    {"x + z", "column 5: unknown name at 'z'"},
    {"x\n  + zz", "line 2, column 5: unknown name at 'zz'"},
    {"(x", "expected ')'"},
    {"x y", "text after the expression at 'y'"},
    {"foo(x)", "unknown function"},
    {"min(x)", "expected ','"},
    {"x + f", "column 3: ir: +: operand types differ (operands s32, f32)"},
    {"f % f", "%: not for this type"},
    {"300:u8", "number does not fit its type"},
    {"-1:u8", "number does not fit its type"},
    {"18446744073709551616", "integer above 64 bits"},
    {"0x", "digits missing"},
    {"5x", "letters after a number"},
    {"x $ y", "unexpected character"},
    {"bcast.0(x)", "expected a number of lanes"},
    {"bcast.4(v)", "bcast: needs a scalar value"},
    {"ramp.99999(x, 1)", "expected a number of lanes"},
    {"cast.f33(x)", "cast: no such type"},
    {"shuffle[4](v)", "shuffle: lane index too large"},
    {"shuffle[](v)", "expected a number"},
    {"&q[0]", "unknown buffer"},
    {"&x[0]", "ptr: needs a buffer variable"},
    {"1:s33", "expected a type"},
    {"cast.u64(p)", "a pointer only becomes u64 or u32"},
    {"1:s32x4", "expected an element type"},
    {"select(x, x, x)", "select: condition must be bool"},
};

START_TEST(bad_expressions_say_where_and_why)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_ptr_null(parse(c, bad_exprs[_i].in));
    ck_assert_int_eq(xk_ctx_status(c), XK_EPARSE);
    ck_assert_msg(strstr(c->error.message, bad_exprs[_i].message) != NULL,
                  "\"%s\" is not in \"%s\"", bad_exprs[_i].message,
                  c->error.message);
    xk_ctx_destroy(c);
}
END_TEST

static const struct {
    const char *in, *message;
} bad_kernels[] = {
    {"", "expected 'kernel'"},
    {"kernel k simd 16 (", "expected a name"},
    {"kernel k simd 16 (a: s33) { }", "expected a type"},
    {"kernel k simd 16 (a: s32) {", "expected a statement"},
    {"kernel k simd 16 (a: s32) { } x", "text after the kernel at 'x'"},
    {"kernel k simd 999 () { }", "number too large"},
    {"kernel k simd 16 () { frob(1) }", "unknown statement or function"},
    {"kernel k simd 16 () { alloc b: tcm[4] }", "expected grf or slm"},
    {"kernel k simd 16 () { alloc b: grf[0] }", "alloc b: size 0"},
    {"kernel k simd 16 () { store 1 = 2 }", "store: needs the address"},
    {"kernel k simd 16 () { let x: s32 = 1.5 }", "another type"},
    {"kernel k simd 16 () { for i in 0..3 step 0 { } }", "step 0"},
    {"kernel k simd 16 () { for i in 0 { } }", "expected '..'"},
    {"kernel k simd 16 () { pipe i in 1..3 slots 1 stages 1 { } }",
     "number too large"},
    {"kernel k simd 16 () { pipe i in 0..3 slots 1 stages 1 { stage 3 { } } }",
     "body must be stages"},
    {"kernel k simd 16 () { send.load.global.a64.d32x4() }",
     "expected s<lanes> or block"},
    {"kernel k simd 16 () { send.frob.global.a64.d32x4.s16() }",
     "expected load, store"},
    {"kernel k simd 16 () { send.load.global.a64.d31x4.s16() }",
     "expected d<bits>x<count>"},
    {"kernel k simd 16 () { send.load.global.surface0.d32x4.s16.y() }",
     "expected c<cache> or z"},
    {"kernel k simd 16 () { send.load.global.surface0.d32x4.s16.z.z() }",
     "text after"},
    {"kernel k simd 16 () { mad.f32.s16.b11() }", "three strides"},
    {"kernel k simd 16 () { mad.f99.s16.b110() }", "expected one type"},
    {"kernel k simd 16 () { dpas.f32.e8.d8.r8.narrow() }", "expected wide"},
    {"kernel k simd 16 () { fence.moon() }", "expected global or slm"},
    {"kernel k simd 16 () { barrier_wait(1) }", "1 arguments, needs 0"},
    {"kernel k simd 16 () { barrier_wait.x() }", "after the function"},
    {"kernel k simd 16 () { if (1) { } }", "condition must be bool"},
    {"kernel k simd 16 () { reorder.f32[1:2](1, 2) }", "expected ':'"},
};

START_TEST(bad_kernels_say_where_and_why)
{
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(xk_kernel_parse(c, bad_kernels[_i].in, &k), XK_EPARSE);
    ck_assert_msg(strstr(c->error.message, bad_kernels[_i].message) != NULL,
                  "\"%s\" is not in \"%s\"", bad_kernels[_i].message,
                  c->error.message);
    ck_assert_ptr_null(k.body);
    xk_ctx_destroy(c);
}
END_TEST

static void repeat(struct xk_str *s, const char *text, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        xk_str_puts(s, text);
}

START_TEST(deep_text_is_an_error_not_a_crash)
{
    static const char *const units[] = {"(", "-", "!", "x+(", "min(x,", "x+"};
    for (unsigned i = 0; i < XK_COUNTOF(units); i++) {
        xk_ctx *const c = xk_ctx_create(NULL);
        struct xk_str s;
        xk_str_init(&s, NULL);
        repeat(&s, units[i], 100000);
        xk_str_puts(&s, "x");
        ck_assert_ptr_null(parse(c, xk_str_get(&s)));
        ck_assert_int_eq(xk_ctx_status(c), XK_EPARSE);
        xk_str_fini(&s);
        xk_ctx_destroy(c);
    }
}
END_TEST

START_TEST(many_binders_are_an_error_not_a_crash)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel k;
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_str_puts(&s, "kernel k simd 16 () {");
    repeat(&s, "let x: s32 = 1\n", 100000);
    xk_str_puts(&s, "}");
    ck_assert_int_eq(xk_kernel_parse(c, xk_str_get(&s), &k), XK_EPARSE);
    xk_str_fini(&s);
    xk_ctx_destroy(c);
}
END_TEST

/* Every prefix and every one-byte change of a kernel parses or says why. */
START_TEST(damaged_text_never_crashes)
{
    char text[4096];
    uint64_t rng = 12345;
    snprintf(text, sizeof(text), "%s%s%s}\n", HEAD, bodies[7], bodies[4]);
    const size_t n = strlen(text);
    for (size_t i = 0; i < 2 * n; i++) {
        xk_ctx *const c = xk_ctx_create(NULL);
        struct xk_kernel k;
        const size_t at = i % n;
        const char old = text[at];
        text[at] = i < n ? 0 : (char)(32 + random_below(&rng, 95));
        const enum xk_status st = xk_kernel_parse(c, text, &k);
        ck_assert(st == XK_OK || (st == XK_EPARSE && c->error.message[0]));
        text[at] = old;
        xk_ctx_destroy(c);
    }
}
END_TEST

static void round_trip(uint64_t seed)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    static const enum xk_dtype dts[] = {XK_DT_S32, XK_DT_F32,  XK_DT_U8,
                                        XK_DT_S64, XK_DT_BOOL, XK_DT_F16};
    const char *names[12];
    const xk_expr *vars[12];
    for (unsigned i = 0; i < 12; i++) {
        vars[i] = xk_var(c, xk_type_vec(dts[i / 2], i % 2 ? 4 : 1), "v");
        static const char *const text[] = {"v",   "v.1", "v.2",  "v.3",
                                           "v.4", "v.5", "v.6",  "v.7",
                                           "v.8", "v.9", "v.10", "v.11"};
        names[i] = text[i];
    }
    struct random_expr r = {c, seed, vars, 12, false};
    const struct xk_type t = xk_type_vec(dts[seed % 6], seed & 8 ? 4 : 1);
    const xk_expr *const e = random_expr(&r, t, 6);
    ck_assert_msg(e != NULL, "seed %llu: %s", (unsigned long long)seed,
                  c->error.message);
    struct xk_str a;
    xk_str_init(&a, NULL);
    /* Names by first appearance: print first all of them in order. */
    const xk_expr *all = xk_imm(c, XK_DT_BOOL, 1);
    for (unsigned i = 0; i < 12; i++)
        all = xk_and(c, all, xk_eq(c, vars[i], vars[i]));
    all = xk_and(c, all, xk_eq(c, e, e));
    const xk_scope s = xk_scope_begin(c);
    xk_print(all, &a);
    const xk_expr *const back =
        xk_parse_expr(c, xk_str_get(&a), 12, names, vars);
    ck_assert_msg(back == all, "seed %llu: %s\n%s", (unsigned long long)seed,
                  xk_str_get(&a), c->error.message);
    xk_scope_end(c, s, NULL);
    xk_str_fini(&a);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

START_TEST(random_expressions_read_back_as_the_same_node)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
        round_trip(seed * 0x9e3779b97f4a7c15u);
}
END_TEST

START_TEST(numbers_do_not_depend_on_the_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        return; /* not installed: nothing to see */
    round_trip(7);
    setlocale(LC_ALL, "C");
}
END_TEST

static bool read_and_print(xk_ctx *c, const char *text)
{
    struct xk_kernel k;
    struct xk_str out;
    xk_str_init(&out, &c->alloc);
    const bool ok = xk_kernel_parse(c, text, &k) == XK_OK;
    if (ok)
        xk_kernel_print(&k, &out);
    const bool whole = ok && !out.failed;
    xk_str_fini(&out);
    return whole;
}

START_TEST(out_of_memory_in_text_is_a_status)
{
    char text[4096];
    snprintf(text, sizeof(text), "%s%s%s}\n", HEAD, bodies[4], bodies[2]);
    for (long n = 0;; n++) {
        struct fail_alloc f;
        const struct xk_alloc a = fail_alloc_make(&f, n);
        xk_ctx *const c = xk_ctx_create(&a);
        const bool ok = c && read_and_print(c, text);
        if (c && !ok)
            ck_assert(xk_ctx_status(c) == XK_ENOMEM ||
                      xk_ctx_status(c) == XK_OK); /* the printer's */
        xk_ctx_destroy(c);
        ck_assert_int_eq(f.live, 0);
        if (ok)
            return;
    }
}
END_TEST

START_TEST(the_text_of_a_function_comes_back)
{
    static const char *const text[] = {
        "send.load.global.a64.d32x4.s16",
        "send.load.global.a64.d32x4.s8",
        "sendh.load.global.a64.d32x4.s16",
        "mad.f32.s16.b110",
        "mad.f32.s16.b111",
        "mad.s32.s16.b110",
        "dp4a.s32.s16.b110",
        "dp4a.s32_s32_u32_s32.s16.b110",
        "send.load.global.surface0.d32x4.s16",
        "send.load.global.surface1.d32x4.s16",
        "send.load.global.surface1.d32x4.s16.z",
        "send.load.global.surface1.d32x4.s16.c4.z",
        "dpas.f32.e8.d8.r8",
        "dpas.f32.e8.d8.r8.wide",
        "fence.slm",
        "fence.global",
        "barrier_wait",
        "barrier_signal"};
    for (unsigned i = 0; i < XK_COUNTOF(text); i++) {
        struct xk_func f;
        struct xk_str out;
        xk_str_init(&out, NULL);
        ck_assert_ptr_null(xk_func_parse(text[i], strlen(text[i]), &f));
        xk_func_print(&f, &out);
        ck_assert_str_eq(xk_str_get(&out), text[i]);
        xk_str_fini(&out);
    }
}
END_TEST

TCase *ir_text_cases(void)
{
    TCase *const t = tcase_create("text");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, kernels_print_as_they_were_written, 0,
                        XK_COUNTOF(bodies));
    tcase_add_loop_test(t, expressions_have_one_printed_form, 0,
                        XK_COUNTOF(spellings));
    tcase_add_loop_test(t, bad_expressions_say_where_and_why, 0,
                        XK_COUNTOF(bad_exprs));
    tcase_add_loop_test(t, bad_kernels_say_where_and_why, 0,
                        XK_COUNTOF(bad_kernels));
    tcase_add_test(t, deep_text_is_an_error_not_a_crash);
    tcase_add_test(t, many_binders_are_an_error_not_a_crash);
    tcase_add_test(t, damaged_text_never_crashes);
    tcase_add_test(t, random_expressions_read_back_as_the_same_node);
    tcase_add_test(t, numbers_do_not_depend_on_the_locale);
    tcase_add_test(t, out_of_memory_in_text_is_a_status);
    tcase_add_test(t, the_text_of_a_function_comes_back);
    return t;
}
