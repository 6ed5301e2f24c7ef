/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a result is right: data that shows it, and the comparison. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/xkbench/work.h"

#define SEEDS_MAX 16 /* kinds of data tried */

/* The value of a bias, a scale or a zero point for an output channel. If it is
 * absent: 0, or 1 for a scale. If the host gives it: the problem's field. */
static double of_channel(const struct xk_bench_work *w, int arg,
                         int64_t channel)
{
    const struct xk_bench_operand *const o = &w->op[arg];
    if (o->present)
        return (double)o->plain[o->map.dims[0] > 1 ? channel : 0];
    if (arg == XK_ARG_BIA)
        return 0;
    return arg < XK_ARG_ZERO_POINT
               ? (double)w->p->scale[arg - XK_ARG_SCALE]
               : (double)w->p->zero_point[arg - XK_ARG_ZERO_POINT];
}

/* The right-hand sides' elements for element i of dst, which have dst's dims
 * or 1. */
static void right_hand_sides(const struct xk_bench_work *w, uint64_t i,
                             double *rhs)
{
    const struct xk_bench_map *const dst = &w->op[XK_ARG_DST].map;
    int64_t at[XK_MAX_NDIMS];
    rhs[XK_BENCH_NUMBER] = (double)i;
    rhs[XK_BENCH_SEED] = (double)w->p->seed;
    for (uint32_t d = dst->ndims; d-- > 0; i /= (uint64_t)dst->dims[d])
        at[d] = (int64_t)(i % (uint64_t)dst->dims[d]);
    for (uint32_t k = 0; k < w->chain.n; k++) {
        const struct xk_bench_operand *const o = &w->op[XK_ARG_RHS + k];
        int64_t e = 0;
        for (uint32_t d = 0; o->present && d < dst->ndims; d++)
            e = e * o->map.dims[d] + (o->map.dims[d] > 1 ? at[d] : 0);
        rhs[k] = o->present ? (double)o->plain[e] : 0;
    }
    rhs[XK_BENCH_SCALE_SRC] = of_channel(w, XK_ARG_SCALE + XK_ARG_SRC, at[1]);
    rhs[XK_BENCH_SCALE_WEI] = of_channel(w, XK_ARG_SCALE + XK_ARG_WEI, at[1]);
    rhs[XK_BENCH_SCALE_DST] = of_channel(w, XK_ARG_SCALE + XK_ARG_DST, at[1]);
    rhs[XK_BENCH_ZERO_DST] =
        of_channel(w, XK_ARG_ZERO_POINT + XK_ARG_DST, at[1]);
    rhs[XK_BENCH_BIAS] = of_channel(w, XK_ARG_BIA, at[1]);
}

/* What the products of element i add up to. A sum that is beyond 2^24 is s32,
 * and then f32, which adds the bias. */
static double sum_of_products(const struct xk_bench_work *w,
                              const struct xk_bench_operand *o, uint64_t i)
{
    const double sum = (double)o->expected[i];
    if (!o->ones)
        return sum;
    const double zero = of_channel(w, XK_ARG_ZERO_POINT + XK_ARG_SRC, 0);
    const double exact = sum - zero * (double)o->ones[i];
    const bool stays =
        o->type == XK_S32 && !w->op[XK_ARG_BIA].present && !w->chain.n;
    if (stays || w->chain.dequantizes)
        return stays ? exact : (double)(float)exact;
    const struct xk_bench_map *const m = &o->map;
    uint64_t inner = 1;
    for (uint32_t d = 2; d < m->ndims; d++)
        inner *= (uint64_t)m->dims[d];
    return (double)((float)exact +
                    (float)of_channel(w, XK_ARG_BIA,
                                      (int64_t)(i / inner) % m->dims[1]));
}

/* What element i of a written tensor should be. Gradients have no epilogue. */
static struct xk_bench_span wanted(const struct xk_bench_work *w,
                                   const struct xk_bench_operand *o, uint64_t i)
{
    const double sum = sum_of_products(w, o, i);
    double rhs[XK_BENCH_N_RHS];
    if (xk_bench_is_gradient(&w->p->desc)) {
        const double v = xk_bench_round(o->type, sum);
        return (struct xk_bench_span){.lo = v, .hi = v};
    }
    right_hand_sides(w, i, rhs);
    return xk_bench_finish(&w->chain, sum, (double)o->plain[i], rhs);
}

static bool is_exact(const struct xk_bench_work *w,
                     const struct xk_bench_operand *o, uint64_t i)
{
    const double sum = sum_of_products(w, o, i);
    double rhs[XK_BENCH_N_RHS];
    if (xk_bench_is_gradient(&w->p->desc))
        return xk_bench_round(o->type, sum) == sum;
    right_hand_sides(w, i, rhs);
    return xk_bench_is_exact(&w->chain, sum, (double)o->plain[i], rhs);
}

/* C: what the products add up to. */
static const struct xk_bench_operand *result(const struct xk_bench_work *w)
{
    return &w->op[xk_conv_desc_roles(&w->p->desc).c];
}

/* Neither zero, nor the end of an integer type's range, which all results
 * beyond it become. */
static bool proves(const struct xk_bench_operand *o, struct xk_bench_span want)
{
    const bool is_byte = o->type == XK_S8 || o->type == XK_U8;
    const double beyond = want.hi > 0 ? 1e3 : -1e3;
    return want.hi != 0 && !(is_byte && want.lo == want.hi &&
                             want.hi == xk_bench_round(o->type, beyond));
}

/* True if enough results are neither zero nor saturated for equality to prove
 * something. A problem whose outputs mostly lie in the padding has few such
 * results without being wrong. */
static bool trusted(const struct xk_bench_work *w)
{
    const struct xk_bench_operand *const o = result(w);
    uint64_t non_zero = 0;
    for (uint64_t i = 0; i < o->map.n; i++)
        non_zero += proves(o, wanted(w, o, i));
    const uint64_t taps = xk_bench_ops(&w->p->desc) / 2;
    const uint64_t k_n = (uint64_t)w->ranges.k_n;
    const uint64_t live = k_n ? taps / k_n : 0; /* at least so many */
    return taps ? non_zero && non_zero >= live / 10 : true;
}

/* f16 with an f32 result: true if f16 cannot hold at least one of the sums. */
static bool shows_half_sums(const struct xk_bench_work *w)
{
    const struct xk_conv_desc *const d = &w->p->desc;
    const struct xk_bench_operand *const o = result(w);
    if (xk_bench_type_of(d, xk_conv_desc_roles(d).a) != XK_F16 ||
        o->type != XK_F32 || !xk_bench_ops(d))
        return true;
    for (uint64_t i = 0; i < o->map.n; i++)
        if (fabsf(o->expected[i]) > 2048 && fmodf(o->expected[i], 2) != 0)
            return true;
    return false;
}

/* f16 result: true if it holds every element exactly, or if that is hopeless.
 */
static bool half_results_exact(const struct xk_bench_work *w)
{
    const struct xk_bench_operand *const o = result(w);
    if (o->type != XK_F16 || !xk_bench_attributes_exact(&w->p->desc))
        return true;
    for (uint64_t i = 0; i < o->map.n; i++)
        if (!is_exact(w, o, i))
            return false;
    return true;
}

/* What the definition multiplies: a tensor's elements less its zero point, of
 * src that of the channel; in tensor[arg], to be freed. NULL: there is no zero
 * point, or no memory for that, and then in tensor[arg], too. */
static float *less_zero_point(const struct xk_bench_work *w, int arg,
                              float **tensor)
{
    const struct xk_bench_map *const m = &w->op[arg].map;
    uint64_t inner = 1;
    if (!w->p->desc.attr.zero_point[arg].source)
        return NULL;
    float *const out = malloc((m->n + 1) * sizeof *out);
    for (uint32_t d = 2; d < m->ndims; d++)
        inner *= (uint64_t)m->dims[d];
    for (uint64_t i = 0; out && i < m->n; i++) {
        const int64_t channel = (int64_t)(i / inner) % m->dims[1];
        out[i] = w->op[arg].plain[i] -
                 (float)of_channel(w, XK_ARG_ZERO_POINT + arg, channel);
    }
    return tensor[arg] = out;
}

/* What a source of ones gives: exact, as weights are small. */
static enum xk_status expect_ones(struct xk_bench_work *w,
                                  float *const tensor[XK_N_CONV_ARGS])
{
    const uint64_t n = w->op[XK_ARG_SRC].map.n;
    struct xk_bench_operand *const dst = &w->op[XK_ARG_DST];
    float *all[XK_N_CONV_ARGS];
    float *const ones = malloc((n + 1) * sizeof *ones);
    if (!dst->ones)
        dst->ones = malloc((dst->map.n + 1) * sizeof *dst->ones);
    memcpy(all, tensor, sizeof all);
    all[XK_ARG_SRC] = ones;
    all[XK_ARG_DST] = dst->ones;
    all[XK_ARG_BIA] = NULL;
    for (uint64_t i = 0; ones && i < n; i++)
        ones[i] = 1;
    const enum xk_status st =
        ones && dst->ones
            ? xk_bench_reference(&w->p->desc, all, &w->r->reference, &w->err)
            : XK_ENOMEM;
    free(ones);
    return st;
}

static bool make_expected(struct xk_bench_work *w, uint64_t seed)
{
    const bool splits = w->ranges.splits_zero;
    float *tensor[XK_N_CONV_ARGS];
    xk_bench_fill_operands(w, seed);
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        tensor[i] = w->op[i].written ? w->op[i].expected : w->op[i].plain;
    if (w->chain.dequantizes || splits)
        tensor[XK_ARG_BIA] = NULL;
    float *const less[2] = {splits ? NULL
                                   : less_zero_point(w, XK_ARG_SRC, tensor),
                            less_zero_point(w, XK_ARG_WEI, tensor)};
    const bool fits = tensor[XK_ARG_SRC] && tensor[XK_ARG_WEI];
    enum xk_status st = fits ? xk_bench_reference(&w->p->desc, tensor,
                                                  &w->r->reference, &w->err)
                             : XK_ENOMEM;
    if (splits && st == XK_OK)
        st = expect_ones(w, tensor);
    free(less[0]), free(less[1]);
    return st < 0 ? xk_bench_end_status(w, st) : true;
}

static bool allocate_expected(struct xk_bench_work *w)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++) {
        struct xk_bench_operand *const o = &w->op[i];
        if (!o->written)
            continue;
        o->expected = malloc((o->map.n + 1) * sizeof *o->expected);
        if (!o->expected)
            return xk_bench_end(w, XK_SKIPPED,
                                "no host memory for the reference");
    }
    return true;
}

/* Makes data and the expected result, and tries other data while a result
 * proves too little. f16 results that cannot be made exact are compared after
 * one rounding of the exact value. A kernel that sums in f32 gives the same. */
bool xk_bench_expect(struct xk_bench_work *w)
{
    if (xk_bench_sum_too_long(&w->p->desc, &w->ranges))
        return xk_bench_end(w, XK_SKIPPED,
                            "sums of %" PRId64 " terms are not exact in f32",
                            w->ranges.k_n);
    if (w->ranges.beyond_s32)
        return xk_bench_end(w, XK_SKIPPED,
                            "with these zero points sums of %" PRId64
                            " terms are beyond s32, and wrap",
                            w->ranges.k_n);
    if (!allocate_expected(w))
        return false;
    if (!xk_bench_chain_init(&w->chain, &w->p->desc))
        return xk_bench_end(w, XK_FAILED, "a post-op has no reference");
    for (uint64_t seed = 1; seed <= SEEDS_MAX; seed++) {
        if (!make_expected(w, seed))
            return false;
        if (!half_results_exact(w) && xk_bench_narrow_ranges(&w->ranges))
            continue;
        const bool last = seed == SEEDS_MAX;
        if (trusted(w) && (last || shows_half_sums(w)))
            return true;
    }
    return xk_bench_end(w, XK_MISTRUSTED,
                        "nearly all expected values are zero or saturated");
}

static void describe_value(uint32_t type, uint32_t bits, char *out, size_t size)
{
    if (bits == xk_bench_unwritten(type) && xk_bench_type_bits(type) > 8)
        snprintf(out, size, "nothing (not written)");
    else
        snprintf(out, size, "%.9g", xk_bench_decode(type, bits));
}

/* What a NaN becomes: an integer may be anything, f4 is its largest number, and
 * another float any NaN except the one that stands for "not written". */
static bool is_nan_of_type(const struct xk_bench_operand *o, uint64_t i)
{
    const double got = xk_bench_decode(o->type, o->got[i]);
    if (o->type == XK_F4_E2M1)
        return fabs(got) == 6;
    return o->type == XK_S32 || o->type == XK_S8 || o->type == XK_U8 ||
           (isnan(got) && (o->got[i] != xk_bench_unwritten(o->type) ||
                           xk_bench_type_bits(o->type) <= 8));
}

static bool matches(const struct xk_bench_work *w,
                    const struct xk_bench_operand *o, uint64_t i)
{
    const double got = xk_bench_decode(o->type, o->got[i]);
    const struct xk_bench_span want = wanted(w, o, i);
    if (isnan(want.lo) && isnan(want.hi))
        return is_nan_of_type(o, i);
    if (want.nan && is_nan_of_type(o, i))
        return true;
    if (isnan(got))
        return isnan(want.lo) || isnan(want.hi);
    return !(got < want.lo) && !(got > want.hi);
}

/* " n0 c1 h2 w3" of element i. */
static void describe_place(const struct xk_bench_operand *o, int arg,
                           uint64_t i, char *out, size_t size)
{
    static const char *const letters[] = {"ncdhw", "oidhw", "o", "ncdhw"};
    int64_t at[XK_MAX_NDIMS];
    size_t n = 0;
    *out = 0;
    for (uint32_t d = o->map.ndims; d-- > 0; i /= (uint64_t)o->map.dims[d])
        at[d] = (int64_t)(i % (uint64_t)o->map.dims[d]);
    for (uint32_t d = 0; d < o->map.ndims && n < size; d++) {
        const uint32_t no_depth = o->map.ndims == 4 && d > 1;
        n += (size_t)snprintf(out + n, size - n, " %c%" PRId64,
                              letters[arg][d + no_depth], at[d]);
    }
}

static bool compare_operand(struct xk_bench_work *w, int arg)
{
    struct xk_bench_operand *const o = &w->op[arg];
    o->got = malloc((o->map.n + 1) * sizeof *o->got);
    if (!o->got)
        return xk_bench_end(w, XK_SKIPPED, "no host memory for the result");
    xk_bench_gather(&o->map, o->image, o->got);
    uint64_t bad = 0, first = 0;
    for (uint64_t i = 0; i < o->map.n; i++)
        if (!matches(w, o, i) && !bad++)
            first = i;
    if (!bad)
        return true;
    char text[64], place[160];
    describe_value(o->type, o->got[first], text, sizeof text);
    describe_place(o, arg, first, place, sizeof place);
    return xk_bench_end(w, XK_FAILED,
                        "errors:%" PRIu64 " total:%" PRIu64
                        " first at%s: expected %.9g, got %s",
                        bad, o->map.n, place, wanted(w, o, first).lo, text);
}

bool xk_bench_compare(struct xk_bench_work *w)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (w->op[i].written && !compare_operand(w, i))
            return false;
    return true;
}

static const char *name_of(int arg)
{
    static const char *const names[] = {"src", "wei", "bia", "dst"};
    return names[arg];
}

/* Elements of a tensor's blocks that are no logical element are zero. */
/* Byte i of memory between elements: zero in padding, in gaps as it was. */
static unsigned char byte_between(const struct xk_bench_work *w,
                                  const struct xk_bench_operand *o, uint64_t i)
{
    const bool was_zero = !o->gaps || xk_bench_has_sum(&w->p->desc);
    return was_zero ? 0 : xk_bench_unwritten_byte(o->type, i);
}

/* The bits of byte i that belong to no logical element. */
static unsigned char unused_bits(const bool *used, uint64_t i, unsigned bits)
{
    if (bits >= 8)
        return used[i * 8 / bits] ? 0 : 0xff;
    return (unsigned char)((used[2 * i] ? 0 : 0x0f) |
                           (used[2 * i + 1] ? 0 : 0xf0));
}

static bool check_padding(struct xk_bench_work *w, int arg)
{
    const struct xk_bench_operand *const o = &w->op[arg];
    const unsigned bits = o->map.elem_bits;
    const uint64_t n = o->size_b * 8 / bits;
    if (n == o->map.n)
        return true;
    bool *const used = calloc(n, sizeof *used);
    if (!used)
        return xk_bench_end(w, XK_SKIPPED,
                            "no host memory for the padding check");
    xk_bench_mark(&o->map, used);
    uint64_t bad = o->size_b;
    for (uint64_t i = 0; i < o->size_b && bad == o->size_b; i++)
        if ((o->image[i] ^ byte_between(w, o, i)) & unused_bits(used, i, bits))
            bad = i;
    free(used);
    return bad == o->size_b
               ? true
               : xk_bench_end(w, XK_FAILED,
                              o->gaps ? "%s: wrote between elements: byte "
                                        "%" PRIu64
                                      : "%s padding is not zero: byte %" PRIu64,
                              name_of(arg), bad);
}

static bool check_outside(struct xk_bench_work *w, int arg)
{
    const struct xk_bench_operand *const o = &w->op[arg];
    for (uint64_t i = o->size_b; i < o->size_b + o->guard_b; i++)
        if (o->image[i] != xk_bench_unwritten_byte(o->type, i))
            return xk_bench_end(w, XK_FAILED,
                                "wrote behind %s: byte %" PRIu64 " of %" PRIu64,
                                name_of(arg), i, o->size_b);
    return check_padding(w, arg);
}

bool xk_bench_check_outside(struct xk_bench_work *w)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (w->op[i].written && !check_outside(w, i))
            return false;
    return true;
}
