/* SPDX-License-Identifier: Apache-2.0 */
/* Which data a problem gets. All are integers (the bias of an integer
 * destination also halves, so that ties are rounded), and the products of one
 * output add up to less than 2^24 whatever the order, so f32 and s32 sums are
 * exact. Within that, by destination:
 *   f32 of f16   as large as can be: odd sums above 2048 and partial sums that
 *                f16 cannot hold, so that accumulating in f16 shows
 *   f16          results within 2048 (six standard deviations; checked by the
 *                caller, who narrows the ranges if one is not)
 *   s8, u8       results of about 200, so that both ends saturate and most
 *                values do not
 *   s32, f32     u8 and s8 to their limits as far as exactness allows */
#include <math.h>
#include <stdlib.h>

#include "tools/xkbench/bench.h"

enum {
    LIMIT = 1 << 24,
    BIAS = 32,
    MOST_F32 = 8,
    MOST_HALF = 2048,
    MOST_BF16 = 256
};

/* The odd whole number m in x = m * 2^k; 1 for 0. It is large if x is no short
 * binary fraction. */
static int64_t odd_part(float x)
{
    int e;
    int64_t m = (int64_t)ldexp(fabs(frexp((double)x, &e)), 24);
    while (m && m % 2 == 0)
        m /= 2;
    return m ? m : 1;
}

static float sum_factor(const struct xk_conv_desc *d)
{
    for (uint32_t i = 0; i < d->n_post_ops; i++)
        if (d->post_ops[i].kind == XK_POST_SUM)
            return d->post_ops[i].alpha != 0 ? d->post_ops[i].alpha : 1.0f;
    return 0;
}

enum { DRAWN_ZERO = 2 }; /* the largest zero point that no text gives */
enum { SHORT = 64 }; /* factors up to so many odd steps keep results exact */

bool xk_bench_attributes_exact(const struct xk_conv_desc *d)
{
    struct xk_bench_chain c;
    bool exact = xk_bench_chain_init(&c, d) && odd_part(d->scale) <= SHORT;
    exact = exact && !c.requantizes;
    for (uint32_t i = 0; exact && i < c.n; i++)
        exact = !c.step[i].code.has_function &&
                odd_part(d->post_ops[i].alpha) <= SHORT &&
                odd_part(d->post_ops[i].beta) <= SHORT;
    return exact;
}

static int64_t no_more_than(int64_t v, int64_t most)
{
    return v < most ? v : most;
}

static int64_t no_less_than(int64_t v, int64_t least)
{
    return v > least ? v : least;
}

/* Mean square of uniform non-zero integers in [-r, r]. */
static double mean_square(int64_t r)
{
    return (double)((r + 1) * (2 * r + 1)) / 6.0;
}

/* Results that f16 holds, if the factors of scale and sum are short. */
static void choose_half(const struct xk_conv_desc *d, struct xk_bench_ranges *r)
{
    const int64_t odd = odd_part(d->scale);
    const double room = MOST_HALF / (double)(odd <= SHORT ? odd : 1) - BIAS -
                        (xk_bench_has_sum(d) ? 2 * BIAS : 0);
    int32_t v = BIAS;
    while (v > 1 && 6 * mean_square(v) * sqrt((double)r->k_n) > room)
        v--;
    r->a = r->b = v;
}

/* 8 or 4 bits. */
static bool is_narrow(uint32_t type)
{
    const unsigned bits = xk_bench_type_bits(type);
    return bits && bits <= 8;
}

static bool has_no_sign(uint32_t type)
{
    return type == XK_U8 || type == XK_U4 || type == XK_E8M0;
}

/* The largest magnitude of a type of 8 or 4 bits. */
static int32_t byte_most(uint32_t type)
{
    return type == XK_U8        ? 255
           : type == XK_U4      ? 15
           : type == XK_S4      ? 7
           : type == XK_F4_E2M1 ? 6
                                : 128;
}

/* Without signs a sum grows by the mean of its products. This mean is set; if
 * it is too small for integers, some weights become 0. */
static void choose_positive(struct xk_bench_ranges *r, double mean)
{
    const double b = fmin(fmax(2 * sqrt(mean) - 1, 1), 255);
    r->b = (int32_t)b;
    r->a = (int32_t)fmin(fmax(4 * mean / (b + 1) - 1, 1), 255);
    if (mean < 1)
        r->b_step = (int64_t)ceil(1 / mean);
}

/* Results of about 200 in an 8-bit destination, of 4 in one of 4 bits. Long
 * sums of a source that is never 0 would mostly be its mean times the weights'
 * sum. */
static void choose_byte(const struct xk_conv_desc *d, struct xk_bench_ranges *r)
{
    const double scale = d->scale != 0 ? fabs((double)d->scale) : 1;
    r->a_half_zero = r->k_n >= 16;
    const double terms = (double)r->k_n / (r->a_half_zero ? 2 : 1);
    const struct xk_conv_roles of = xk_conv_desc_roles(d);
    const uint32_t a = xk_bench_type_of(d, of.a);
    const uint32_t b_type = xk_bench_type_of(d, of.b);
    if (has_no_sign(a) && has_no_sign(b_type)) {
        choose_positive(r, 100 / scale / terms);
        return;
    }
    const double most = xk_bench_type_bits(d->dst_type) == 4 ? 4 : 200;
    const double product = most / scale / sqrt(terms); /* rms */
    const double b = fmin(fmax(sqrt(3 * product), 1), byte_most(b_type));
    r->b = (int32_t)b;
    r->a = (int32_t)fmin(fmax(3 * product / b, 1), byte_most(a));
}

enum { MOST_F8 = 8 };

static bool is_f8(uint32_t type)
{
    return type == XK_F8_E5M2 || type == XK_F8_E4M3;
}

static int32_t widest(uint32_t type)
{
    return type == XK_F16    ? MOST_HALF
           : type == XK_BF16 ? MOST_BF16
           : type == XK_F32  ? MOST_F32
           : is_f8(type)     ? MOST_F8
                             : byte_most(type);
}

/* As large as the types allow; limit_exact() does the rest. */
static void choose_widest(const struct xk_conv_desc *d,
                          struct xk_bench_ranges *r)
{
    const struct xk_conv_roles of = xk_conv_desc_roles(d);
    r->a = widest(xk_bench_type_of(d, of.a));
    r->b = widest(xk_bench_type_of(d, of.b));
}

/* Reduces the larger range first, then the number of weights. */
static void limit_exact(struct xk_bench_ranges *r, int64_t limit)
{
    const int64_t v = (int64_t)sqrt((double)limit / (double)r->k_n);
    const int64_t b = no_less_than(no_more_than(r->b, v), 1);
    r->b = (int32_t)b;
    r->a = (int32_t)no_less_than(no_more_than(r->a, limit / (r->k_n * b)), 1);
    r->b_step = no_less_than(r->b_step, 1 + (r->k_n - 1) / limit);
}

/* The old destination of a sum, in steps that its factor makes whole. */
static void choose_dst(const struct xk_conv_desc *d, struct xk_bench_ranges *r)
{
    const float factor = sum_factor(d);
    r->dst = BIAS;
    r->dst_unit = 1;
    const uint32_t type = xk_bench_old_type(d);
    if (type == XK_U8)
        r->dst = 255;
    else if (type == XK_S8)
        r->dst = 128;
    else
        while (r->dst_unit < 16 &&
               fmodf(factor * (float)r->dst_unit, 1.0f) != 0)
            r->dst_unit *= 2;
}

struct xk_bench_ranges xk_bench_choose_ranges(const struct xk_conv_desc *d)
{
    const uint32_t c = xk_bench_type_of(d, xk_conv_desc_roles(d).c);
    const bool whole = c == XK_S32 || is_narrow(c);
    struct xk_bench_ranges r = {.k_n = no_less_than(xk_bench_terms(d), 1),
                                .bia = BIAS,
                                .bia_unit = whole ? 0.5f : 1.0f};
    if (c == XK_F16)
        choose_half(d, &r);
    else if (is_narrow(c))
        choose_byte(d, &r);
    else
        choose_widest(d, &r);
    if (is_narrow(d->bia_type) || d->bia_type == XK_S32)
        r.bia_unit = 1;
    int64_t limit = whole ? LIMIT / 2 : LIMIT;
    const int64_t odd = odd_part(d->scale);
    if (odd <= SHORT)
        limit /= odd;
    if (xk_bench_has_sum(d))
        limit /= 4;
    limit_exact(&r, limit - 2 * BIAS);
    choose_dst(d, &r);
    return r;
}

bool xk_bench_sum_too_long(const struct xk_conv_desc *d,
                           const struct xk_bench_ranges *r)
{
    return xk_bench_is_gradient(d) && r->k_n > (LIMIT - 2 * BIAS) / r->a / r->b;
}

/* The largest magnitude of a tensor's zero points. */
static int64_t zero_most(const struct xk_bench_problem *p, enum xk_conv_arg arg)
{
    const struct xk_quant *const q = &p->desc.attr.zero_point[arg];
    const int64_t given = llabs((long long)p->zero_point[arg]);
    if (q->source == XK_QUANT_NONE)
        return 0;
    return q->mask ? DRAWN_ZERO : given;
}

void xk_bench_allow_zero_points(const struct xk_bench_problem *p,
                                struct xk_bench_ranges *r)
{
    const int64_t src = zero_most(p, XK_ARG_SRC),
                  wei = zero_most(p, XK_ARG_WEI);
    if (!src && !wei)
        return;
    r->splits_zero =
        src > DRAWN_ZERO && (1 + src) * (1 + wei) > LIMIT / 2 / r->k_n;
    const int64_t limit = r->splits_zero ? 1 << 30 : LIMIT / 2; /* of s32 */
    while (((r->a + src) * (r->b + wei) > limit / r->k_n ||
            r->a * (r->b + wei) > LIMIT / 2 / r->k_n) &&
           xk_bench_narrow_ranges(r))
        continue;
    r->beyond_s32 = (r->a + src) * (r->b + wei) > INT32_MAX / r->k_n;
}

bool xk_bench_narrow_ranges(struct xk_bench_ranges *r)
{
    if (r->a == 1 && r->b == 1)
        return false;
    r->a = (r->a + 1) / 2;
    r->b = (r->b + 1) / 2;
    return true;
}

/* The largest magnitude of a tensor. */
static int32_t largest_of(const struct xk_conv_desc *d, uint32_t arg,
                          const struct xk_bench_ranges *r)
{
    const struct xk_conv_roles of = xk_conv_desc_roles(d);
    if (arg == of.a)
        return r->a;
    if (arg == of.b)
        return r->b;
    return arg == XK_ARG_BIA ? r->bia : r->dst;
}

void xk_bench_fill_tensor(const struct xk_conv_desc *d, enum xk_conv_arg arg,
                          const struct xk_bench_ranges *r, float *plain,
                          uint64_t n, uint64_t seed)
{
    const struct xk_conv_roles of = xk_conv_desc_roles(d);
    const uint32_t type = arg == of.c && arg == XK_ARG_DST
                              ? xk_bench_old_type(d)
                              : xk_bench_type_of(d, arg);
    xk_bench_fill(plain, n, largest_of(d, arg, r), r->k_n,
                  arg == of.b ? r->b_step : 1,
                  seed * XK_N_CONV_ARGS + (uint64_t)arg);
    float unit = 1;
    if (arg == XK_ARG_BIA)
        unit = r->bia_unit;
    else if (arg == of.c)
        unit = (float)r->dst_unit;
    for (uint64_t i = 0; i < n; i++) {
        plain[i] *= unit;
        const bool positive = has_no_sign(type);
        if (positive && arg == of.a && r->a_half_zero)
            plain[i] = fmaxf(plain[i], 0);
        else if (positive)
            plain[i] = fabsf(plain[i]);
        /* A number of the type: others saturate, or lose bits. */
        if (is_narrow(type))
            plain[i] = (float)xk_bench_round(type, (double)plain[i]);
    }
}

/* Factors are small, so that results stay exact. */
void xk_bench_fill_rhs(const struct xk_conv_desc *d, uint32_t post_op,
                       float *plain, uint64_t n, uint64_t seed)
{
    const struct xk_post_op *const op = &d->post_ops[post_op];
    const bool factor = op->kind == XK_POST_MUL || op->kind == XK_POST_PRELU;
    xk_bench_fill(plain, n, factor ? 2 : 16, 1, 1,
                  seed * 64 + XK_ARG_RHS + post_op);
    for (uint64_t i = 0; i < n; i++) {
        if (has_no_sign(op->type))
            plain[i] = fabsf(plain[i]);
        if (is_narrow(op->type))
            plain[i] = (float)xk_bench_round(op->type, (double)plain[i]);
    }
}

void xk_bench_fill_quant(const struct xk_bench_problem *p, uint32_t number,
                         float *plain, uint64_t n, uint64_t seed)
{
    const bool zero = number >= XK_ARG_ZERO_POINT;
    const uint32_t arg =
        number - (zero ? XK_ARG_ZERO_POINT : (uint32_t)XK_ARG_SCALE);
    const struct xk_quant *const q =
        zero ? &p->desc.attr.zero_point[arg] : &p->desc.attr.scale[arg];
    xk_bench_fill(plain, n, zero ? DRAWN_ZERO : 1, 1, 1, seed * 64 + number);
    for (uint64_t i = 0; i < n; i++) {
        const float drawn = zero ? plain[i] : exp2f(plain[i] - 3);
        const float given = zero ? (float)p->zero_point[arg] : p->scale[arg];
        const float v = q->mask ? drawn : given;
        plain[i] = has_no_sign(q->type) ? fabsf(v) : v;
        if (q->source == XK_QUANT_DEVICE && q->type)
            plain[i] = (float)xk_bench_round(q->type, (double)plain[i]);
    }
}
