/* SPDX-License-Identifier: Apache-2.0 */
/* Contractions that come from no convolution: made, run on the simulator with
 * its checkers, and compared with a plain loop over their text's meaning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "gen/contraction_problem.h"
#include "launches_lab.h"
#include "tests/tap.h"
#include "views/access.h"
#include "views/formula.h"

static xk_ctx *c;
static struct xk_arena arena;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    xk_arena_init(&arena, c);
}

static void teardown(void)
{
    xk_arena_fini(&arena);
    xk_ctx_destroy(c);
}

static void put(enum xk_dtype t, void *data, int64_t e, double v)
{
    switch (t) {
    case XK_DT_F32:
        ((float *)data)[e] = (float)v;
        break;
    case XK_DT_F16:
        ((uint16_t *)data)[e] = xk_half_from_float((float)v);
        break;
    case XK_DT_S32:
        ((int32_t *)data)[e] = (int32_t)v;
        break;
    default:
        ((uint8_t *)data)[e] = (uint8_t)(int)v;
        break;
    }
}

static double get(enum xk_dtype t, const void *data, int64_t e)
{
    switch (t) {
    case XK_DT_F32:
        return (double)((const float *)data)[e];
    case XK_DT_F16:
        return (double)xk_half_to_float(((const uint16_t *)data)[e]);
    case XK_DT_S32:
        return ((const int32_t *)data)[e];
    case XK_DT_S8:
        return ((const int8_t *)data)[e];
    default:
        return ((const uint8_t *)data)[e];
    }
}

/* Small integers in all elements, zeros in padding. */
static void *fill(const struct xk_access *a, unsigned *seed)
{
    const struct xk_layout *const l = &a->layout;
    void *const data = calloc(1, (size_t)xk_layout_size_b(l));
    const bool is_signed = xk_dtype_is_signed(l->dt);
    int64_t at[XK_LAYOUT_MAX_DIMS] = {0}, n = 1;
    for (unsigned d = 0; d < l->n_dims; d++)
        n *= l->dim[d];
    for (; n; n--) {
        put(l->dt, data, xk_layout_offset_e(l, at),
            rand_r(seed) % 4 - (is_signed ? 2 : 0));
        for (unsigned d = l->n_dims; d-- > 0;) {
            if (++at[d] < l->dim[d])
                break;
            at[d] = 0;
        }
    }
    return data;
}

static bool next(const struct xk_contraction *p, int64_t *at)
{
    for (unsigned i = p->n_index; i-- > 0;) {
        if (++at[i] < p->index[i].extent)
            return true;
        at[i] = 0;
    }
    return false;
}

/* One number for each element of C's memory. */
static double *plain_loop(const struct xk_contraction *p, const void *a,
                          const void *b)
{
    const int64_t size_e =
        xk_layout_size_b(&p->c.layout) / xk_dtype_b(p->c.layout.dt);
    double *const sum = calloc((size_t)size_e, sizeof(*sum));
    int64_t at[XK_MAX_INDEX] = {0}, to, x, y;
    do
        if (xk_access_element(p, &p->c, at, &to) &&
            xk_access_element(p, &p->a, at, &x) &&
            xk_access_element(p, &p->b, at, &y))
            sum[to] += get(p->a.layout.dt, a, x) * get(p->b.layout.dt, b, y);
    while (next(p, at));
    return sum;
}

static xk_program *make(const struct xk_contraction_problem *q)
{
    const struct xk_contraction *const p = &q->nest.of;
    const struct xk_access *const all[] = {&p->a, &p->b, &p->c};
    struct xk_program_arg_info args[3];
    memset(args, 0, sizeof(args));
    for (unsigned i = 0; i < 3; i++) {
        snprintf(args[i].name, sizeof(args[i].name), "%s", all[i]->name);
        args[i].number = i;
        args[i].size_b = (uint64_t)xk_layout_size_b(&all[i]->layout);
        args[i].written = i == 2;
    }
    const struct xk_launch l = {
        .kind = XK_LAUNCH_CONTRACT,
        .name = "formula",
        .u.contract = {.nest = &q->nest,
                       .candidate = q->candidate,
                       .n_candidates = q->n_candidates}};
    const struct xk_launches list = {
        .n_args = 3, .args = args, .n = 1, .at = &l};
    return lab_must_make_in(c, &list);
}

static void run(const char *text, const struct xk_contraction_problem *q,
                unsigned *seed)
{
    const struct xk_contraction *const p = &q->nest.of;
    const enum xk_dtype dt = p->c.layout.dt;
    void *const a = fill(&p->a, seed), *const b = fill(&p->b, seed);
    const size_t size_b = (size_t)xk_layout_size_b(&p->c.layout);
    void *const got = calloc(1, size_b);
    double *const want = plain_loop(p, a, b);
    xk_program *const program = make(q);
    const struct lab_arg args[] = {{a, (size_t)xk_layout_size_b(&p->a.layout)},
                                   {b, (size_t)xk_layout_size_b(&p->b.layout)},
                                   {got, size_b}};
    lab_run(program, args);
    for (size_t i = 0; i < size_b / xk_dtype_b(dt); i++)
        ck_assert_msg(get(dt, got, (int64_t)i) == want[i],
                      "%s: element %zu is %g, not %g", text, i,
                      get(dt, got, (int64_t)i), want[i]);
    xk_program_unref(program);
    free(a);
    free(b);
    free(got);
    free(want);
}

static void make_problem(const char *text, struct xk_contraction_problem *q)
{
    struct xk_contraction p;
    ck_assert_msg(xk_formula_parse(c, &arena, text, &p) == XK_OK, "%s: %s",
                  text, c->error.message);
    ck_assert_msg(xk_contraction_problem_make(
                      c, xk_platform_get(XK_PLATFORM_XEHPG), &p, q) == XK_OK,
                  "%s: %s", text, c->error.message);
}

static const char *const good[] = {
    /* Matmul in each orientation. */
    "A: f16[37,48]; B: f16[48,40]; C[m,n] += A[m,k] * B[k,n]",
    "A: f16[48,37]; B: f16[48,40]; C[m,n] += A[k,m] * B[k,n]",
    "A: f16[37,48]; B: f16[40,48]; C[m,n] += A[m,k] * B[n,k]",
    "A: f16[48,37]; B: f16[40,48]; C[m,n] += A[k,m] * B[n,k]",
    "A: f16[48,40]; B: f16[48,16]; C[n,m] += A[k,m] * B[k,n]",
    "A: f32[37,19]; B: f32[19,40]; C[m,n] += A[m,k] * B[k,n]",
    "A: f32[19,37]; B: f32[40,19]; C[m,n] += A[k,m] * B[n,k]",
    "A: s8[37,64]; B: s8[64,40]; C: s32; C[m,n] += A[m,k] * B[k,n]",
    "A: u8[64,37]; B: s8[40,64]; C: s32; C[m,n] += A[k,m] * B[n,k]",
    /* A sum over two indices, two rows, two columns. */
    "A: f16[16,5,24]; B: f16[5,24,32]; C[m,n] += A[m,j,k] * B[j,k,n]",
    "A: f16[7,9,32]; B: f16[32,16]; C[l,m,n] += A[l,m,k] * B[k,n]",
    "A: f16[24,32]; B: f16[32,3,16]; C[m,o,n] += A[m,k] * B[k,o,n]",
    "A: f16[24,32]; B: f16[3,32,16]; C[o,m,n] += A[m,k] * B[o,k,n]",
    "A: f32[24,9]; B: f32[9,3,16]; C[n,m,o] += A[m,k] * B[k,o,n]",
    /* Sliding, forwards and backwards. */
    "x=30; A: f32[34]; W: f32[5,16]; O[x,n] += A[x+k] * W[k,n]",
    "x=30; A: f32[34]; W: f32[5,16]; O[x,n] += A[x-k+4] * W[k,n]",
    "x=30; A: f16[31,16]; W: f16[5,16,16]; O[x,n] += A[x-k+2,c] * W[k,c,n]",
    "x=16; A: f16[31,32]; W: f16[3,32,16]; O[x,n] += A[2*x+k-1,c] * W[k,c,n]",
    "x=9; y=9; A: f16[9,9,16]; W: f16[16,3,3,16]; "
    "O[y,x,n] += A[y-r+1,x-s+1,c] * W[c,r,s,n]",
    /* Operands that some indices do not move. */
    "n=16; A: f32[20,8]; B: f32[8]; C[m,n] += A[m,k] * B[k]",
    "A: f32[20]; B: f32[16]; C[m,n] += A[m] * B[n]",
    "A: f32[20,8]; B: f32[8]; C[m] += A[m,k] * B[k]",
    "A: f32[8,5]; B: f32[16]; C[m,n] += A[m,k] * B[n]",
    "A: f16[16,32]; B: f16[16]; C[m,n] += A[m,k] * B[n]",
    "A: f16[16]; B: f16[32,16]; C[m,n] += A[m] * B[k,n]",
    "A: f32[8]; B: f32[8,16]; C[n] += A[k] * B[k,n]",
    "x=30; A: f16[34]; W: f16[5,16]; O: f32; O[x,n] += A[x+k] * W[k,n]",
    "x=30; A: s8[34]; W: s8[5,16]; O: s32; O[x,n] += A[2*x-k] * W[k,n]",
    "x = 7; y = 21; n = 3; o = 3; c = 15; k = 3; l = 1; A: f16; B: f16; "
    "C: f32; C[y,x,n,o] += A[x+2*k+3,c,y+l+1] * B[l,n,k,c,o]",
    /* An interval and a condition of A. */
    "x=20; A: f32[24]; W: f32[3,16]; O[x,n] += A[x+k in 3..17] * W[k,n]",
    "A: f16[40,32]; B: f16[32,16]; C[m,n] += A[m,k | m-k in 0..9] * B[k,n]",
};

START_TEST(by_hand)
{
    struct xk_contraction_problem q;
    unsigned seed = 1000u + (unsigned)_i;
    make_problem(good[_i], &q);
    run(good[_i], &q, &seed);
}
END_TEST

static const struct {
    const char *text, *message;
} bad[] = {
    {"A: f32[2,8,8]; B: f32[2,8,8]; C[b,m,n] += A[b,m,k] * B[b,k,n]",
     "batch index b"},
    {"x=9; A: f32[8]; W: f32[3,16]; O[x,n] += A[x] * W[k-1,n]", "W: coord"},
    {"x=9; O: f32[8]; A: f32[9]; W: f32[4]; O[x] += A[x] * W[k]", "O: coord"},
    {"x=9; A: f32[8] fill 2; W: f32[4]; O[x] += A[x] * W[k]", "fill 2"},
    {"A: f64[8]; W: f64[4]; O[x] += A[x] * W[k]", "multiplies f64"},
    {"A: f16[8]; W: f16[4]; O: s8; O[x] += A[x] * W[k]", "into s8"},
    {"A: f32[8]; B: f32[8]; C[0] += A[k] * B[k]", "a single element of C"},
    {"A: f32[40000,40000]; B: f32[40000]; C[m] += A[m,k] * B[k]",
     "A with what lies beside"},
};

START_TEST(refused)
{
    struct xk_contraction p;
    struct xk_contraction_problem q;
    ck_assert_msg(xk_formula_parse(c, &arena, bad[_i].text, &p) == XK_OK,
                  "%s: %s", bad[_i].text, c->error.message);
    ck_assert_int_eq(xk_contraction_problem_make(
                         c, xk_platform_get(XK_PLATFORM_XEHPG), &p, &q),
                     XK_EUNSUPPORTED);
    ck_assert_msg(strstr(c->error.message, bad[_i].message), "%s: %s",
                  bad[_i].text, c->error.message);
}
END_TEST

static int below(unsigned *seed, int n)
{
    return rand_r(seed) % n;
}

/* Coordinates of so many of the indices named in `of`, in any order; of one
 * row and one K sometimes a sum, which may leave the tensor. */
static void any_access(unsigned *seed, const char *name, const char *of,
                       bool slides, char *out)
{
    char left[8], *at = out + sprintf(out, "%s[", name);
    size_t n = strlen(of);
    memcpy(left, of, n);
    if (!n)
        at += sprintf(at, "0");
    while (n) {
        const size_t i = (size_t)below(seed, (int)n);
        const char one = left[i];
        left[i] = left[--n];
        at += sprintf(at, "%s%c", at[-1] == '[' ? "" : ",", one);
        if (slides && (one == 'x' || one == 'y') && below(seed, 2))
            at += sprintf(at, "%s%d*%c%+d", below(seed, 4) ? "+" : "-",
                          1 + below(seed, 2), one == 'x' ? 'k' : 'l',
                          below(seed, 5) - 1);
    }
    sprintf(at, "]");
}

/* The letters that are there: each with one chance in two, the first always if
 * `least`. */
static void any_letters(unsigned *seed, const char *of, bool least, char *out)
{
    for (; *of; of++, least = false)
        if (least || below(seed, 2))
            *out++ = *of;
    *out = 0;
}

/* Rows x y, columns n o, K k l c. Dims are what is reached, or, of A where it
 * slides, some places fewer. */
static void any_formula(unsigned *seed, char *out)
{
    static const char *const types[] = {"f32", "f16", "s8"};
    static const char *const results[] = {"f32", "f32", "s32"};
    char m[4], n[4], k[4], in_a[8], in_b[8], in_c[8], a[80], b[80], c_[80];
    const int type = below(seed, 3);
    any_letters(seed, "xy", below(seed, 4), m);
    any_letters(seed, "no", !m[0] || below(seed, 4), n);
    any_letters(seed, "ckl", true, k);
    sprintf(in_a, "%s%c", m, k[0]);
    sprintf(in_b, "%s%s", k, n);
    sprintf(in_c, "%s%s", m, n);
    for (const char *p = m; *p; p++)
        out += sprintf(out, "%c = %d; ", *p, 1 + below(seed, 24));
    for (const char *p = n; *p; p++)
        out += sprintf(out, "%c = %d; ", *p, 1 + below(seed, 14));
    for (const char *p = k; *p; p++)
        out +=
            sprintf(out, "%c = %d; ", *p, 1 + below(seed, *p == 'c' ? 40 : 4));
    any_access(seed, "A", in_a, strchr(k, 'k') && strchr(k, 'l'), a);
    any_access(seed, "B", in_b, false, b);
    any_access(seed, "C", in_c, false, c_);
    sprintf(out, "A: %s; B: %s; C: %s; %s += %s * %s", types[type], types[type],
            results[type], c_, a, b);
}

START_TEST(random_formulas)
{
    unsigned seed = 5000u + (unsigned)_i, made = 0;
    for (unsigned i = 0; i < 25; i++) {
        static struct xk_contraction_problem q;
        struct xk_contraction p;
        char text[400];
        any_formula(&seed, text);
        xk_ctx_clear(c);
        const enum xk_status parsed = xk_formula_parse(c, &arena, text, &p);
        if (parsed == XK_EINVAL &&
            strstr(c->error.message, "is never an element"))
            continue;
        ck_assert_msg(parsed == XK_OK, "seed %d: %s: %s", 5000 + _i, text,
                      c->error.message);
        const enum xk_status st = xk_contraction_problem_make(
            c, xk_platform_get(XK_PLATFORM_XEHPG), &p, &q);
        if (st == XK_EUNSUPPORTED &&
            strstr(c->error.message, "a single element"))
            continue;
        ck_assert_msg(st == XK_OK, "seed %d: %s: %s", 5000 + _i, text,
                      c->error.message);

        run(text, &q, &seed);
        made++;
    }
    ck_assert_uint_gt(made, 20);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("formulas");
    TCase *const t = tcase_create("formulas");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, by_hand, 0, XK_COUNTOF(good));
    tcase_add_loop_test(t, refused, 0, XK_COUNTOF(bad));
    tcase_add_loop_test(t, random_formulas, 0, 40);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
