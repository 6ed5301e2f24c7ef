/* SPDX-License-Identifier: Apache-2.0 */
/* The reduction launch: parts are added up in their order, and sums are rounded
 * as IEEE 754 does it. Sums of integers whose lanes go along K. Expected values
 * are computed here in plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launches_lab.h"
#include "tests/tap.h"

static const struct xk_reduce sums[] = {
    {1, 1, 1, XK_DT_F32},       {512, 512, 2, XK_DT_F32},
    {513, 520, 3, XK_DT_F32},   {100, 100, 4, XK_DT_F16},
    {4096, 4096, 5, XK_DT_F16}, {77, 80, 17, XK_DT_F32},
    {515, 515, 6, XK_DT_S8},    {1030, 1030, 7, XK_DT_U8},
    {16, 64, 40, XK_DT_F32},    {3000, 3001, 9, XK_DT_U8},
    {100, 100, 4, XK_DT_BF16},  {4099, 4100, 5, XK_DT_BF16},
    {515, 516, 6, XK_DT_S32}};

/* Not exact on purpose, so that the order shows: 2^24 and small numbers. */
static float part_value(uint32_t j, int64_t i, enum xk_dtype dst)
{
    const int v = (int)((j * 7919u + (uint32_t)i * 104729u) % 2001u) - 1000;
    if (dst != XK_DT_F32)
        return (float)v / 16;
    return j % 3 == 1 ? 16777216.0f + (float)(v * 2) : (float)v + 0.5f;
}

/* A float type: digits with the hidden one, the smallest normal exponent, the
 * first power of two that is none of its numbers. */
struct float_kind {
    int digits, least, top;
};
static const struct float_kind halves = {11, -14, 16}, bf16s = {8, -126, 128};

/* To nearest even: nearbyint does that in the default mode. */
static double rounded(double v, const struct float_kind *k)
{
    if (v == 0 || !isfinite(v))
        return v;
    const int e = ilogb(v) < k->least ? k->least : ilogb(v);
    const double unit = ldexp(1, e - k->digits + 1);
    const double r = nearbyint(v / unit) * unit;
    return fabs(r) < ldexp(1, k->top) ? r : copysign(INFINITY, v);
}

static double converted(float sum, enum xk_dtype dst)
{
    const double r = nearbyint((double)sum);
    if (dst == XK_DT_F16)
        return rounded((double)sum, &halves);
    if (dst == XK_DT_BF16)
        return rounded((double)sum, &bf16s);
    if (dst == XK_DT_S32) /* no integer is a NaN */
        return isnan(r) ? 0 : fmin(fmax(r, INT32_MIN), INT32_MAX);
    if (dst == XK_DT_S8)
        return fmin(fmax(r, -128), 127);
    if (dst == XK_DT_U8)
        return fmin(fmax(r, 0), 255);
    return (double)sum;
}

/* A half's value, by its fields. */
static double of_half(uint16_t h)
{
    const int e = h >> 10 & 31, m = h & 1023;
    const double v = e == 31 ? (m ? (double)NAN : (double)INFINITY)
                     : e     ? ldexp(1024 + m, e - 25)
                             : ldexp(m, -24);
    return h >> 15 ? -v : v;
}

static double element(const uint8_t *p, int64_t i, enum xk_dtype dt)
{
    const uint8_t *const at = p + i * xk_dtype_b(dt);
    uint32_t bits = 0;
    float f;
    if (dt == XK_DT_S8)
        return *(const int8_t *)at;
    if (dt == XK_DT_U8)
        return *at;
    memcpy(&bits, at, xk_dtype_b(dt));
    if (dt == XK_DT_S32)
        return (int32_t)bits;
    if (dt == XK_DT_F16)
        return of_half((uint16_t)bits);
    bits <<= dt == XK_DT_BF16 ? 16 : 0;
    memcpy(&f, &bits, 4);
    return (double)f;
}

static void check_sums(const struct xk_reduce *r, const float *part,
                       const uint8_t *dst)
{
    for (int64_t i = 0; i < r->n; i++) {
        float sum = 0;
        for (uint32_t j = 0; j < r->parts; j++)
            sum += part[j * r->stride_e + i];
        const double got = element(dst, i, r->dst);
        const double want = converted(sum, r->dst);
        if (got != want && !(isnan(got) && isnan(want)))
            ck_abort_msg("element %lld, %a, is %a, not %a", (long long)i,
                         (double)sum, got, want);
    }
}

/* dst = the sum of parts. */
static void run_sum(const struct xk_reduce *r, float *part, uint8_t *dst,
                    bool addresses)
{
    const size_t part_b = (size_t)(r->parts * r->stride_e) * 4;
    const size_t dst_b = (size_t)r->n * xk_dtype_b(r->dst);
    const struct xk_bind bind[] = {{"part", XK_BIND_TENSOR, 0, 0},
                                   {"dst", XK_BIND_TENSOR, 1, 0}};
    const struct xk_launch l = {.kind = XK_LAUNCH_REDUCE,
                                .name = "sum",
                                .u.reduce = *r,
                                .n_binds = 2,
                                .bind = bind};
    const struct xk_program_arg_info a[] = {
        {.name = "part", .number = 0, .size_b = part_b},
        {.name = "dst", .number = 1, .size_b = dst_b, .written = 1}};
    const struct xk_launches all = {
        .n_args = 2, .args = a, .n = 1, .at = &l, .addresses = addresses};
    const struct lab_arg arg[] = {{part, part_b}, {dst, dst_b}};
    xk_program *const p = lab_must_make(&all);
    memset(dst, 0x33, dst_b);
    lab_run(p, arg);
    xk_program_unref(p);
}

START_TEST(parts_are_added_up_in_their_order)
{
    const struct xk_reduce *const r = &sums[_i];
    float *const part = malloc((size_t)(r->parts * r->stride_e) * 4);
    uint8_t *const dst = malloc((size_t)r->n * xk_dtype_b(r->dst));
    for (uint32_t j = 0; j < r->parts; j++)
        for (int64_t i = 0; i < r->stride_e; i++)
            part[j * r->stride_e + i] = part_value(j, i, r->dst);
    for (int k = 0; k < 2; k++) {
        run_sum(r, part, dst, k);
        check_sums(r, part, dst);
    }
    free(part);
    free(dst);
}
END_TEST

/* Around every place where rounding changes its mind: upper halves of floats
 * with the bits behind them that decide, of halves and of bf16. */
static const uint16_t tails[] = {0,      1,      0x0fff, 0x1000,
                                 0x1001, 0x2fff, 0x3000, 0x3001,
                                 0x7fff, 0x8000, 0x8001, 0xffff};

START_TEST(sums_are_rounded_to_nearest_even)
{
    static const enum xk_dtype types[] = {XK_DT_F16, XK_DT_BF16, XK_DT_S32};
    enum { N = 65536 / 3 * XK_COUNTOF(tails) };
    const struct xk_reduce r = {N, N, 1, types[_i]};
    float *const part = malloc((size_t)N * 4);
    uint8_t *const dst = malloc((size_t)N * 4);
    for (unsigned i = 0; i < N; i++) {
        const uint32_t bits = i / (unsigned)XK_COUNTOF(tails) * 3u << 16 |
                              tails[i % XK_COUNTOF(tails)];
        memcpy(&part[i], &bits, 4);
    }
    run_sum(&r, part, dst, false);
    check_sums(&r, part, dst);
    free(part);
    free(dst);
}
END_TEST

/* dst[n] = the sum over k of (a[n, k] - less) * times. */
struct row_case {
    int n, k;
    enum xk_dtype dt;
    int32_t times, less;
    const char *refused; /* NULL: it is made */
};
static const struct row_case row_cases[] = {
    {1, 64, XK_DT_S8, 3, 0, NULL},
    {5, 128, XK_DT_U8, -94446, 0, NULL},
    {8, 1024, XK_DT_S8, INT32_MIN, 7, NULL},
    {300, 192, XK_DT_U8, 12345, -300, NULL},
    {17, 64, XK_DT_S8, 1, 1, NULL},
    {5, 96, XK_DT_S8, 3, 0, "no whole steps of 64 places of K"},
};

static void tensor_of(struct xk_access *a, const char *name, enum xk_dtype dt,
                      unsigned n_dims, const int64_t *dims)
{
    snprintf(a->name, sizeof(a->name), "%s", name);
    a->layout.dt = dt;
    a->layout.n_dims = (uint8_t)n_dims;
    memcpy(a->layout.dim, dims, n_dims * sizeof(*dims));
    ck_assert_ptr_null(xk_layout_make_dense(&a->layout));
}

static void set_rows(const struct row_case *x, struct xk_contraction *p,
                     struct xk_access *less)
{
    const int64_t a[] = {x->n, x->k}, one = 1;
    xk_contraction_clear(p);
    p->acc_dt = XK_DT_S32;
    const int n = (int)xk_contraction_add(p, "n", x->n, XK_ROLE_N);
    const int k = (int)xk_contraction_add(p, "k", x->k, XK_ROLE_K);
    tensor_of(&p->a, "a", x->dt, 2, a);
    xk_access_add(&p->a, n, x->n);
    xk_access_add(&p->a, k, x->k);
    tensor_of(&p->b, "times", XK_DT_S32, 1, &one);
    xk_access_add(&p->b, -1, 1);
    tensor_of(&p->c, "dst", XK_DT_S32, 1, a);
    xk_access_add(&p->c, n, x->n);
    memset(less, 0, sizeof(*less));
    tensor_of(less, "less", XK_DT_S32, 1, &one);
    xk_access_add(less, -1, 1);
}

static uint32_t row_sum(const struct row_case *x, const uint8_t *a, int n)
{
    uint32_t sum = 0;
    for (int k = 0; k < x->k; k++) {
        const uint8_t v = a[n * x->k + k];
        sum +=
            (uint32_t)(x->dt == XK_DT_S8 ? (int8_t)v : v) - (uint32_t)x->less;
    }
    return sum * (uint32_t)x->times;
}

START_TEST(lanes_along_k_are_added_up)
{
    enum { MOST_N = 300, MOST_B = 8192 * 8 };
    static const char *const names[] = {"a", "times", "less", "dst"};
    static struct xk_contraction con;
    static uint8_t a[MOST_B];
    static uint32_t dst[MOST_N];
    struct row_case x = row_cases[_i];
    struct xk_access less;
    struct xk_error err;
    struct xk_program_arg_info info[4] = {{.name = "a"}};
    struct xk_bind bind[4] = {{.number = 0}};
    const struct lab_arg arg[] = {{a, (size_t)(x.n * x.k)},
                                  {&x.times, 4},
                                  {&x.less, 4},
                                  {dst, (size_t)x.n * 4}};
    set_rows(&x, &con, &less);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(bind[i].name, sizeof(bind[i].name), "%s", names[i]);
        snprintf(info[i].name, sizeof(info[i].name), "%s", names[i]);
        bind[i].binding = XK_BIND_TENSOR;
        bind[i].number = (uint8_t)i;
        info[i].number = i;
        info[i].size_b = arg[i].size_b;
        info[i].written = i == 3;
    }
    for (unsigned i = 0; i < MOST_B; i++)
        a[i] = (uint8_t)(i * 2654435761u >> 21);
    const struct xk_launch l = {
        .kind = XK_LAUNCH_SUMS,
        .name = "rows",
        .u.sums = {.con = &con, .along_k = true, .less = &less},
        .n_binds = 4,
        .bind = bind};
    const struct xk_launches all = {
        .n_args = 4, .args = info, .n = 1, .at = &l};
    xk_program *const p = lab_make(&all, &err);
    ck_assert_msg((p == NULL) == (x.refused != NULL), "%s", err.message);
    if (x.refused) {
        ck_assert_msg(strstr(err.message, x.refused) != NULL, "%s",
                      err.message);
        return;
    }
    lab_run(p, arg);
    for (int n = 0; n < x.n; n++)
        ck_assert_uint_eq(dst[n], row_sum(&x, a, n));
    xk_program_unref(p);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("sums");
    TCase *const t = tcase_create("sums");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, parts_are_added_up_in_their_order, 0,
                        XK_COUNTOF(sums));
    tcase_add_loop_test(t, sums_are_rounded_to_nearest_even, 0, 3);
    tcase_add_loop_test(t, lanes_along_k_are_added_up, 0,
                        XK_COUNTOF(row_cases));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
