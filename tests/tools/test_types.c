/* SPDX-License-Identifier: Apache-2.0 */
/* Data types, attributes and data of xkbench. Expected values are worked out by
 * hand from IEEE 754 and oneDNN's definitions. */
#include <math.h>
#include <stdlib.h>

#include "tests/tools/tcases.h"
#include "tools/xkbench/bench.h"

static const struct {
    uint32_t type;
    double value, rounded;
    uint32_t bits;
} roundings[] = {
    {XK_F16, 1, 1, 0x3c00},
    {XK_F16, -2, -2, 0xc000},
    {XK_F16, 2049, 2048, 0x6800}, /* a tie: to even */
    {XK_F16, 2051, 2052, 0x6802}, /* a tie: to even */
    {XK_F16, 2049.01, 2050, 0x6801},
    {XK_F16, 65504, 65504, 0x7bff}, /* the largest */
    {XK_F16, 65519.9, 65504, 0x7bff},
    {XK_F16, 65520, INFINITY, 0x7c00},
    {XK_F16, -1e9, -INFINITY, 0xfc00},
    {XK_F16, 0x1p-14, 0x1p-14, 0x0400}, /* the smallest normal */
    {XK_F16, 0x1p-24, 0x1p-24, 0x0001}, /* the smallest */
    {XK_F16, 0x1p-25, 0, 0x0000},       /* a tie: to even */
    {XK_F16, 0x1.8p-24, 0x1p-23, 0x0002},
    {XK_F16, 0x1.ff8p-15, 0x1.ff8p-15, 0x03ff}, /* the largest denormal */
    {XK_F16, 0x1.ffcp-15, 0x1p-14, 0x0400},     /* a tie: to even */
    {XK_BF16, 1, 1, 0x3f80},
    {XK_BF16, -257, -256, 0xc380},             /* a tie: to even */
    {XK_BF16, 259, 260, 0x4382},               /* a tie: to even */
    {XK_BF16, 0x1.fep127, 0x1.fep127, 0x7f7f}, /* the largest */
    {XK_BF16, -0x1.ffp127, -INFINITY, 0xff80}, /* half a step above */
    {XK_BF16, 0x1p-133, 0x1p-133, 0x0001},     /* the smallest */
    {XK_BF16, 0x1.8p-134, 0x1p-133, 0x0001},
    {XK_S8, -128.5, -128, 0x80},
    {XK_S8, 126.5, 126, 0x7e},
    {XK_S8, 127.5, 127, 0x7f},
    {XK_S8, -1.5, -2, 0xfe},
    {XK_U8, -0.5, 0, 0x00},
    {XK_U8, -3, 0, 0x00},
    {XK_U8, 254.5, 254, 0xfe},
    {XK_U8, 255.5, 255, 0xff},
    {XK_U8, 1e30, 255, 0xff},
    {XK_F4_E2M1, 0.25, 0, 0x0}, /* ties: to the even code */
    {XK_F4_E2M1, 0.75, 1, 0x2},
    {XK_F4_E2M1, 1.75, 2, 0x4},
    {XK_F4_E2M1, -2.5, -2, 0xc},
    {XK_F4_E2M1, 3.5, 4, 0x6},
    {XK_F4_E2M1, 5, 4, 0x6},
    {XK_F4_E2M1, 5.01, 6, 0x7},
    {XK_F4_E2M1, -7, -6, 0xf}, /* saturates */
    {XK_F4_E2M1, INFINITY, 6, 0x7},
    {XK_E8M0, 1, 1, 127},
    {XK_E8M0, 0.249, 0.125, 124}, /* towards zero */
    {XK_E8M0, 0x1p127, 0x1p127, 254},
    {XK_E8M0, 0x1p-130, 0x1p-127, 0},
    {XK_S4, 7.5, 7, 0x7},
    {XK_S4, -9, -8, 0x8},
    {XK_S4, -1.5, -2, 0xe},
    {XK_U4, 14.5, 14, 0xe},
    {XK_U4, -1, 0, 0x0},
    {XK_U4, 99, 15, 0xf},
    {XK_S32, 2.5, 2, 2},
    {XK_S32, -3e9, -2147483648.0, 0x80000000},
    {XK_S32, 3e9, 2147483647.0, 0x7fffffff},
    {XK_F32, 16777217, 16777216, 0x4b800000},
    {XK_F32, -0.5, -0.5, 0xbf000000},
};

START_TEST(values_are_rounded_to_nearest_even_and_saturated)
{
    const uint32_t type = roundings[_i].type;
    const double r = xk_bench_round(type, roundings[_i].value);
    const uint32_t bits = xk_bench_encode(type, roundings[_i].value);
    ck_assert_double_eq(r, roundings[_i].rounded);
    ck_assert_uint_eq(bits, roundings[_i].bits);
    ck_assert_double_eq(xk_bench_decode(type, bits), roundings[_i].rounded);
}
END_TEST

START_TEST(every_half_is_itself)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const double v = xk_bench_decode(XK_F16, bits);
        if (isnan(v))
            ck_assert((bits & 0x7c00) == 0x7c00 && bits & 0x3ff);
        else
            ck_assert_uint_eq(xk_bench_encode(XK_F16, v), bits);
    }
}
END_TEST

/* kh * kw * ic terms into oc channels of 12 x 12. */
static struct xk_conv_desc make(int64_t ic, int64_t k, uint32_t src,
                                uint32_t wei, uint32_t dst)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.prop = XK_FWD_B;
    d.src_type = src, d.wei_type = wei, d.dst_type = dst;
    d.ic = ic, d.oc = 16;
    d.oh = d.ow = 12;
    d.kh = d.kw = k;
    d.ih = d.iw = 12 + k - 1;
    return d;
}

static const struct {
    float scale;
    const char *ops;
    uint32_t dst;
    double v, old, lo, hi;
} finishes[] = {
    {0, "", XK_F32, -7, 99, -7, -7},
    {0, "relu", XK_F32, -7, 99, 0, 0},
    {0.5f, "", XK_U8, 5, 99, 2, 2}, /* 2.5: to even */
    {0, "sum:0.5+relu", XK_F16, -7, 8, 0, 0},
    {0, "relu+sum:0.5", XK_F16, -7, 8, 4, 4},
    {2, "sum:-3", XK_S8, 50, -10, 127, 127},
    {2, "sum", XK_S32, 50, -10, 90, 90},
    {0, "sum:2:3", XK_S32, 50, -10, 24, 24},
    {-1, "relu", XK_F32, -7, 0, 7, 7},
    {0, "relu:0.25", XK_F32, -8, 0, -2, -2},
    {0, "linear:2:-3+clip:0:4", XK_F32, 3, 0, 3, 3},
    {0, "hardswish:0.25:0.5", XK_F32, 1, 0, 0.75, 0.75},
    {0, "abs+square", XK_F32, -3, 0, 9, 9},
    /* 0.3 in f32 is 10066330 * 2^-25; seven times that 8808038.75 * 2^-22,
     * between two floats. */
    {0.3f, "", XK_F32, 7, 0, 8808038 * 0x1p-22, 8808039 * 0x1p-22},
    {0.3f, "", XK_F16, 7, 0, 1075 * 0x1p-9, 1075 * 0x1p-9},
};

START_TEST(scale_and_post_ops_follow_in_order)
{
    struct xk_conv_desc d = make(1, 1, XK_F32, XK_F32, finishes[_i].dst);
    struct xk_bench_chain c;
    d.scale = finishes[_i].scale;
    ck_assert_int_eq(
        xk_post_ops_parse(finishes[_i].ops, d.post_ops, &d.n_post_ops, NULL),
        XK_OK);
    ck_assert(xk_bench_chain_init(&c, &d));
    const struct xk_bench_span s =
        xk_bench_finish(&c, finishes[_i].v, finishes[_i].old, NULL);
    ck_assert_double_eq_tol(s.lo, finishes[_i].lo, 1e-300);
    ck_assert_double_eq_tol(s.hi, finishes[_i].hi, 1e-300);
}
END_TEST

/* 2e8 + 1 is no f32: f32 gives 0 in the end, and exact arithmetic 1. */
START_TEST(what_is_lost_on_the_way_widens_the_interval)
{
    struct xk_conv_desc d = make(1, 1, XK_F32, XK_F32, XK_F32);
    struct xk_bench_chain c;
    ck_assert_int_eq(xk_post_ops_parse("linear:1:200000000+linear:1:-200000000",
                                       d.post_ops, &d.n_post_ops, NULL),
                     XK_OK);
    ck_assert(xk_bench_chain_init(&c, &d));
    const struct xk_bench_span s = xk_bench_finish(&c, 1, 0, NULL);
    ck_assert(s.lo <= 0 && s.lo > -32 && s.hi >= 1 && s.hi < 32);
    ck_assert(!xk_bench_is_exact(&c, 1, 0, NULL));
    ck_assert(xk_bench_is_exact(&c, 16, 0, NULL));
}
END_TEST

/* What may be either side of 0 has a square that may be 0. */
START_TEST(an_even_power_of_both_signs_has_zero)
{
    struct xk_conv_desc d = make(1, 1, XK_F32, XK_F32, XK_F32);
    struct xk_bench_chain c;
    ck_assert_int_eq(
        xk_post_ops_parse("linear:1:200000000+linear:1:-200000000+pow:1:2",
                          d.post_ops, &d.n_post_ops, NULL),
        XK_OK);
    ck_assert(xk_bench_chain_init(&c, &d));
    const struct xk_bench_span s = xk_bench_finish(&c, 1, 0, NULL);
    ck_assert(s.lo <= 0 && s.hi >= 1);
}
END_TEST

/* 1e20 squared is beyond f32, and a part of that stays infinite. */
START_TEST(what_f32_cannot_hold_stays_infinite)
{
    struct xk_conv_desc d = make(1, 1, XK_F32, XK_F32, XK_F32);
    struct xk_bench_chain c;
    ck_assert_int_eq(xk_post_ops_parse("square+linear:0.001:0", d.post_ops,
                                       &d.n_post_ops, NULL),
                     XK_OK);
    ck_assert(xk_bench_chain_init(&c, &d));
    const struct xk_bench_span s = xk_bench_finish(&c, 1e20, 0, NULL);
    ck_assert(isinf(s.lo) && isinf(s.hi) && s.lo > 0);
}
END_TEST

/* 0.5 * x * (1 + erf(x / sqrt(2))) is -inf * 0 there, and 1 + erf may be off by
 * a little; min and comparisons give numbers again. gelu_erf of -40 may be
 * negative. A number that an interval ends with is its lower end. */
static const struct {
    const char *text;
    double sum, number; /* what else it may be */
    bool nan;
} infinities[] = {
    {"exp+linear:-1:0+gelu_erf", 100, -INFINITY, true},
    {"exp+linear:-1:0+gelu_erf+clip:-2:3", 100, -2, false},
    {"exp+linear:-1:0", 100, -INFINITY, false},
    {"exp+linear:-1:0+swish:-1", 100, -INFINITY, false},
    {"exp+linear:-1:0+linear:0:0", 100, NAN, true},
    {"gelu_erf+pow:1:0.5", -40, NAN, true},
    {"gelu_erf+pow:1:2", -40, NAN, false},
    /* What may be below 0 may have no root, and clips turn that to a number. */
    {"gelu_erf+sqrt", -40, NAN, true},
    {"gelu_erf+log", -40, NAN, true},
    {"gelu_erf+sqrt+hardsigmoid:0.25:0.5", -40, 0, false},
    /* relu without a slope loses a NaN, with one it keeps it. */
    {"sqrt+relu", -4, 0, false},
    {"sqrt+relu_dst", -4, 0, false},
};

START_TEST(infinities_that_make_nans_are_known)
{
    struct xk_conv_desc d = make(1, 1, XK_F32, XK_F32, XK_F32);
    struct xk_bench_chain c;
    ck_assert_int_eq(
        xk_post_ops_parse(infinities[_i].text, d.post_ops, &d.n_post_ops, NULL),
        XK_OK);
    ck_assert(xk_bench_chain_init(&c, &d));
    const struct xk_bench_span s =
        xk_bench_finish(&c, infinities[_i].sum, 0, NULL);
    ck_assert(s.nan == infinities[_i].nan);
    ck_assert(isnan(infinities[_i].number) || s.lo == infinities[_i].number);
}
END_TEST

/* One problem's data and the exact results. */
struct data {
    struct xk_conv_desc d;
    float *src, *wei, *bia, *sum;
    int64_t n_src, n_wei, n_dst;
};

static void data_init(struct data *t, const struct xk_conv_desc *d)
{
    struct xk_error err = {0};
    const struct xk_bench_ranges r = xk_bench_choose_ranges(d);
    t->d = *d;
    t->n_src = d->ic * d->ih * d->iw;
    t->n_wei = d->oc * d->ic * d->kh * d->kw;
    t->n_dst = d->oc * d->oh * d->ow;
    t->src = malloc((size_t)t->n_src * sizeof *t->src);
    t->wei = malloc((size_t)t->n_wei * sizeof *t->wei);
    t->bia = malloc((size_t)d->oc * sizeof *t->bia);
    t->sum = malloc((size_t)t->n_dst * sizeof *t->sum);
    ck_assert(t->src && t->wei && t->bia && t->sum);
    xk_bench_fill_tensor(d, XK_ARG_SRC, &r, t->src, (uint64_t)t->n_src, 1);
    xk_bench_fill_tensor(d, XK_ARG_WEI, &r, t->wei, (uint64_t)t->n_wei, 1);
    xk_bench_fill_tensor(d, XK_ARG_BIA, &r, t->bia, (uint64_t)d->oc, 1);
    float *const tensor[] = {t->src, t->wei, t->bia, t->sum};
    if (xk_bench_reference(d, tensor, NULL, &err) != XK_OK)
        t->n_dst = 0; /* built without libdnnl; mode C says SKIPPED */
}

static void data_fini(struct data *t)
{
    free(t->src);
    free(t->wei);
    free(t->bia);
    free(t->sum);
}

/* Convolution of one output, every partial sum rounded to a type. */
static double accumulate(const struct data *t, int64_t i, uint32_t type,
                         double *largest)
{
    const struct xk_conv_desc *const d = &t->d;
    const int64_t x = i % d->ow, y = i / d->ow % d->oh, c = i / d->ow / d->oh;
    double v = (double)t->bia[c];
    for (int64_t ic = 0; ic < d->ic; ic++)
        for (int64_t k = 0; k < d->kh * d->kw; k++) {
            const int64_t row = y + k / d->kw, column = x + k % d->kw;
            v += (double)t->src[(ic * d->ih + row) * d->iw + column] *
                 (double)t->wei[(c * d->ic + ic) * d->kh * d->kw + k];
            v = xk_bench_round(type, v);
            *largest = fmax(*largest, fabs(v));
        }
    return v;
}

static const struct {
    int64_t ic, k;
} sizes[] = {{1, 1}, {3, 7}, {17, 2}, {64, 3}, {512, 1}, {512, 3}};

/* f16 to f32: the reference agrees with double, and an accumulator in f16
 * does not. */
START_TEST(sums_of_f16_show_an_f16_accumulator)
{
    const struct xk_conv_desc d =
        make(sizes[_i].ic, sizes[_i].k, XK_F16, XK_F16, XK_F32);
    struct data t;
    int64_t odd = 0, differ = 0;
    data_init(&t, &d);
    for (int64_t i = 0; i < t.n_dst; i += 7) {
        double largest = 0, ignored = 0;
        const double exact = accumulate(&t, i, XK_TYPE_DEFAULT, &largest);
        ck_assert_double_eq(exact, (double)t.sum[i]);
        ck_assert_double_lt(largest, 0x1p24);
        odd += fabs(exact) > 2048 && fmod(exact, 2) != 0;
        differ += accumulate(&t, i, XK_F16, &ignored) != exact;
    }
    for (int64_t i = 0; i < t.n_src; i++)
        ck_assert_double_eq((double)t.src[i],
                            xk_bench_round(XK_F16, (double)t.src[i]));
    if (t.n_dst) {
        ck_assert_int_ge(odd, t.n_dst / 7 / 8);
        ck_assert_int_ge(differ, t.n_dst / 7 / 3);
    }
    data_fini(&t);
}
END_TEST

START_TEST(results_of_f16_are_f16_values)
{
    const struct xk_conv_desc d =
        make(sizes[_i].ic, sizes[_i].k, XK_F16, XK_F16, XK_F16);
    struct xk_bench_chain c;
    struct data t;
    ck_assert(xk_bench_chain_init(&c, &d));
    data_init(&t, &d);
    for (int64_t i = 0; i < t.n_dst; i++) {
        ck_assert_float_le(fabsf(t.sum[i]), 2048);
        ck_assert(xk_bench_is_exact(&c, (double)t.sum[i], 0, NULL));
    }
    data_fini(&t);
}
END_TEST

/* An 8-bit destination saturates at both ends in some outputs and in most of
 * them not at all; ties occur. u8s8's extremes occur where sums allow it. */
START_TEST(small_integers_saturate_at_both_ends)
{
    static const uint32_t dst[] = {XK_U8, XK_S8};
    static const double least[] = {0, -128}, most[] = {255, 127};
    const int which = _i % 2, size = _i / 2;
    const struct xk_conv_desc d =
        make(sizes[size].ic, sizes[size].k, XK_U8, XK_S8, dst[which]);
    struct data t;
    int64_t low = 0, high = 0, ties = 0;
    data_init(&t, &d);
    for (int64_t i = 0; i < t.n_dst; i++) {
        const double v = (double)t.sum[i];
        low += v < least[which];
        high += v > most[which];
        ties += fabs(fmod(v, 1)) == 0.5;
    }
    if (t.n_dst) {
        ck_assert_int_gt(low, t.n_dst / 50);
        ck_assert_int_gt(high, t.n_dst / 50);
        ck_assert_int_gt(t.n_dst - low - high, t.n_dst / 5);
        ck_assert_int_gt(ties, t.n_dst / 10);
    }
    data_fini(&t);
}
END_TEST

/* u8u8 has no negative terms: still, most outputs do not saturate, and they
 * differ. */
START_TEST(sums_without_signs_stay_in_range)
{
    static const uint32_t dst[] = {XK_U8, XK_S8};
    const struct xk_conv_desc d =
        make(sizes[_i / 2].ic, sizes[_i / 2].k, XK_U8, XK_U8, dst[_i % 2]);
    struct data t;
    int64_t high = 0, zero = 0;
    data_init(&t, &d);
    for (int64_t i = 0; i < t.n_src; i++)
        ck_assert(t.src[i] >= 0 && t.src[i] <= 255);
    for (int64_t i = 0; i < t.n_dst; i++) {
        high += (double)t.sum[i] > (_i % 2 ? 127 : 255);
        zero += t.sum[i] <= 0;
    }
    ck_assert_int_le(high, t.n_dst * 4 / 5);
    ck_assert_int_le(zero, t.n_dst / 2);
    data_fini(&t);
}
END_TEST

START_TEST(integers_use_all_their_bits_in_small_sums)
{
    const struct xk_conv_desc d = make(16, 3, XK_U8, XK_S8, XK_S32);
    struct data t;
    float src = 0, least = 0, most = 0;
    data_init(&t, &d);
    for (int64_t i = 0; i < t.n_src; i++)
        src = fmaxf(src, t.src[i]);
    for (int64_t i = 0; i < t.n_wei; i++) {
        least = fminf(least, t.wei[i]);
        most = fmaxf(most, t.wei[i]);
    }
    ck_assert_float_eq(src, 255);
    ck_assert_float_eq(least, -128);
    ck_assert_float_eq(most, 127);
    data_fini(&t);
}
END_TEST

TCase *xk_tcase_types(void)
{
    TCase *const t = tcase_create("types");
    tcase_add_loop_test(t, values_are_rounded_to_nearest_even_and_saturated, 0,
                        XK_COUNTOF(roundings));
    tcase_add_test(t, every_half_is_itself);
    tcase_add_test(t, what_is_lost_on_the_way_widens_the_interval);
    tcase_add_test(t, an_even_power_of_both_signs_has_zero);
    tcase_add_loop_test(t, infinities_that_make_nans_are_known, 0,
                        XK_COUNTOF(infinities));
    tcase_add_test(t, what_f32_cannot_hold_stays_infinite);
    tcase_add_loop_test(t, scale_and_post_ops_follow_in_order, 0,
                        XK_COUNTOF(finishes));
    tcase_add_loop_test(t, sums_of_f16_show_an_f16_accumulator, 0,
                        XK_COUNTOF(sizes));
    tcase_add_loop_test(t, results_of_f16_are_f16_values, 0, XK_COUNTOF(sizes));
    tcase_add_loop_test(t, small_integers_saturate_at_both_ends, 0,
                        2 * XK_COUNTOF(sizes));
    tcase_add_loop_test(t, sums_without_signs_stay_in_range, 0,
                        2 * XK_COUNTOF(sizes));
    tcase_add_test(t, integers_use_all_their_bits_in_small_sums);
    return t;
}
