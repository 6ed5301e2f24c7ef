/* SPDX-License-Identifier: Apache-2.0 */
/* Data types as numbers: to and from bits, rounding to a type, and what scale,
 * post-ops (meaning.c) and the destination's type make of a convolution's exact
 * result. All
 * of it in double and by the definition of the formats; nothing is shared with
 * the library. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "tools/xkbench/bench.h"
#include "xekern/inspect.h"

unsigned xk_bench_type_bits(uint32_t type)
{
    switch (type) {
    case XK_F32:
    case XK_S32:
        return 32;
    case XK_F16:
    case XK_BF16:
        return 16;
    case XK_S8:
    case XK_U8:
    case XK_F8_E5M2:
    case XK_F8_E4M3:
    case XK_E8M0:
        return 8;
    case XK_F4_E2M1:
    case XK_S4:
    case XK_U4:
        return 4;
    default:
        return 0;
    }
}

uint32_t xk_bench_unwritten(uint32_t type)
{
    switch (xk_bench_type_bits(type)) {
    case 32:
        return 0x7fd5aa55u; /* a NaN nobody computes */
    case 16:
        return 0x7fd5u; /* the same in f16 */
    default:
        return 0xa5u; /* values like any others: one, or two of 4 bits */
    }
}

/* The nearest value of a float type: so many bits behind the first one,
 * denormals below 2^least, infinity from half a step above the largest on. */
static double round_float(double v, int bits, int least, double infinite)
{
    if (isnan(v))
        return v;
    if (fabs(v) >= infinite)
        return copysign(INFINITY, v);
    const int e = v != 0 ? ilogb(v) : least;
    const double unit = ldexp(1.0, (e < least ? least : e) - bits);
    return nearbyint(v / unit) * unit;
}

/* OCP's: no infinity; above half a step behind the largest number, a NaN. */
static double round_e4m3(double v)
{
    return fabs(v) > 464 ? NAN : round_float(v, 3, -6, INFINITY);
}

/* The largest is 6; there is neither infinity nor NaN to store. */
static double round_e2m1(double v)
{
    return isnan(v)
               ? v
               : copysign(fmin(fabs(round_float(v, 1, 0, INFINITY)), 6), v);
}

/* A power of two below v. There is neither a sign nor a zero. */
static double round_e8m0(double v)
{
    const double least = 0x1p-127, most = 0x1p127;
    if (!(v > 0)) /* a NaN, too */
        return isnan(v) ? v : least;
    return v >= most ? most : v < least ? least : ldexp(1, ilogb(v));
}

static double round_integer(double v, double least, double most)
{
    return fmin(fmax(nearbyint(v), least), most);
}

double xk_bench_round(uint32_t type, double v)
{
    switch (type) {
    case XK_F32:
        return (double)(float)v;
    case XK_F16:
        return round_float(v, 10, -14, 65520);
    case XK_BF16:
        return round_float(v, 7, -126, 0x1.ffp127);
    case XK_F8_E5M2:
        return round_float(v, 2, -14, 61440);
    case XK_F8_E4M3:
        return round_e4m3(v);
    case XK_E8M0:
        return round_e8m0(v);
    case XK_S32:
        return round_integer(v, INT_MIN, INT_MAX);
    case XK_S8:
        return round_integer(v, -128, 127);
    case XK_U8:
        return round_integer(v, 0, 255);
    case XK_F4_E2M1:
        return round_e2m1(isinf(v) ? copysign(6, v) : v);
    case XK_S4:
        return round_integer(v, -8, 7);
    case XK_U4:
        return round_integer(v, 0, 15);
    default:
        return v;
    }
}

static uint32_t encode_half(double v)
{
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    const double a = fabs(v);
    if (isnan(v))
        return 0x7e00;
    if (a > 65504)
        return sign | 0x7c00;
    if (a < 0x1p-14)
        return sign | (uint32_t)(a * 0x1p24);
    const int e = ilogb(a);
    return sign | (uint32_t)(e + 15) << 10 |
           (uint32_t)((ldexp(a, -e) - 1) * 1024);
}

static double decode_half(uint32_t bits)
{
    const int e = (int)(bits >> 10 & 31), man = (int)(bits & 1023);
    double a = ldexp(1024 + man, e - 25);
    if (!e)
        a = man * 0x1p-24;
    else if (e == 31)
        a = man ? NAN : INFINITY;
    return bits & 0x8000 ? -a : a;
}

/* Codes of a small float count its numbers from 0 on: bits behind the first
 * one, the smallest normal exponent. */
static uint32_t encode_small(double v, int bits, int least, uint32_t nan)
{
    const uint32_t sign = signbit(v) ? 0x80 : 0;
    const double a = fabs(v);
    if (isnan(v))
        return nan;
    if (isinf(v))
        return sign | 0x7c;
    if (a < ldexp(1, least))
        return sign | (uint32_t)ldexp(a, bits - least);
    const int e = ilogb(a);
    return sign | (uint32_t)((e - least + 1) << bits) |
           (uint32_t)ldexp(ldexp(a, -e) - 1, bits);
}

static double decode_small(uint32_t code, int bits, int least)
{
    const int e = (int)(code & 127) >> bits,
              man = (int)code & ((1 << bits) - 1);
    const double a = e ? ldexp((1 << bits) + man, e - 1 + least - bits)
                       : ldexp(man, least - bits);
    return code & 0x80 ? -a : a;
}

static double decode_e5m2(uint32_t code)
{
    const uint32_t m = code & 127;
    if (m > 0x7c)
        return NAN;
    return m == 0x7c ? copysign(INFINITY, code & 0x80 ? -1 : 1)
                     : decode_small(code, 2, -14);
}

static const double e2m1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

/* A NaN is stored as the largest number. */
static uint32_t encode_e2m1(double v)
{
    uint32_t code = 0;
    while (code < 7 && !(e2m1[code] >= fabs(v)))
        code++;
    return code | (signbit(v) ? 8 : 0);
}

uint32_t xk_bench_encode(uint32_t type, double v)
{
    const double r = xk_bench_round(type, v);
    const float f = (float)r;
    uint32_t bits;
    switch (type) {
    case XK_F16:
        return encode_half(r);
    case XK_BF16: /* the upper half of an f32 */
        memcpy(&bits, &f, sizeof bits);
        return bits >> 16;
    case XK_F8_E5M2:
        return encode_small(r, 2, -14, 0x7e);
    case XK_F8_E4M3:
        return encode_small(r, 3, -6, 0x7f);
    case XK_S32:
        return (uint32_t)(int32_t)r;
    case XK_S8:
    case XK_U8:
        return (uint32_t)(int32_t)r & 255;
    case XK_S4:
    case XK_U4:
        return (uint32_t)(int32_t)r & 15;
    case XK_F4_E2M1:
        return encode_e2m1(r);
    case XK_E8M0:
        return isnan(r) ? 255 : (uint32_t)(ilogb(r) + 127);
    default:
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
}

double xk_bench_decode(uint32_t type, uint32_t bits)
{
    float f;
    switch (type) {
    case XK_F16:
        return decode_half(bits);
    case XK_BF16:
        return xk_bench_decode(XK_F32, bits << 16);
    case XK_F8_E5M2:
        return decode_e5m2(bits & 255);
    case XK_F8_E4M3:
        return (bits & 127) == 127 ? NAN : decode_small(bits & 255, 3, -6);
    case XK_S32:
        return (double)(int32_t)bits;
    case XK_S8:
        return (double)(int8_t)bits;
    case XK_U8:
        return (double)(uint8_t)bits;
    case XK_S4:
        return (double)((int)(bits & 15) - (bits & 8 ? 16 : 0));
    case XK_U4:
        return (double)(bits & 15);
    case XK_E8M0:
        return (bits & 255) == 255 ? NAN : ldexp(1, (int)(bits & 255) - 127);
    case XK_F4_E2M1:
        return bits & 8 ? -e2m1[bits & 7] : e2m1[bits & 7];
    default:
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
}

uint32_t xk_bench_old_type(const struct xk_conv_desc *d)
{
    for (uint32_t i = 0; i < d->n_post_ops; i++)
        if (d->post_ops[i].kind == XK_POST_SUM && d->post_ops[i].type)
            return d->post_ops[i].type;
    return d->dst_type;
}

bool xk_bench_has_sum(const struct xk_conv_desc *d)
{
    for (uint32_t i = 0; i < d->n_post_ops; i++)
        if (d->post_ops[i].kind == XK_POST_SUM)
            return true;
    return false;
}

/* Behind the scales of src and weights, the bias, and the scale of both. */
static struct xk_bench_span scaled(const struct xk_bench_chain *c, double v,
                                   const double *rhs)
{
    struct xk_bench_values at = {.x = {.lo = v, .hi = v}};
    if (c->dequantizes && rhs) {
        at.alpha = rhs[XK_BENCH_SCALE_SRC];
        at.beta = rhs[XK_BENCH_SCALE_WEI];
        at.rhs = rhs[XK_BENCH_BIAS];
        at.x = xk_bench_code_run(&c->before, &at);
    }
    at.alpha = c->scale;
    return c->scale != 0 ? xk_bench_code_run(&c->scaling, &at) : at.x;
}

static struct xk_bench_span requantized(const struct xk_bench_chain *c,
                                        struct xk_bench_span s,
                                        const double *rhs)
{
    const struct xk_bench_values at = {.x = s,
                                       .alpha = rhs[XK_BENCH_SCALE_DST],
                                       .zero = rhs[XK_BENCH_ZERO_DST]};
    return xk_bench_code_run(&c->behind, &at);
}

static bool read_step(const struct xk_post_op *op, struct xk_bench_step *s)
{
    struct xk_post_op_info row;
    if (!op->kind || !xk_post_op_at(op->kind - 1, &row))
        return false;
    const bool sum = row.reads_old;
    s->values.alpha = sum && op->alpha == 0 ? 1 : (double)op->alpha;
    s->values.beta = (double)op->beta;
    s->values.zero = op->zero_point;
    s->old_type = op->type;
    const bool relu = op->kind == XK_POST_RELU || op->kind == XK_POST_RELU_DST;
    /* A NaN becomes 0 (docs/post-ops.md). */
    const bool loses_nan = relu && op->alpha == 0;
    return xk_bench_code_read(loses_nan ? "max(x, 0.0)" : row.meaning,
                              &s->code);
}

bool xk_bench_chain_init(struct xk_bench_chain *c, const struct xk_conv_desc *d)
{
    *c = (struct xk_bench_chain){.dst_type = d->dst_type,
                                 .old_type = xk_bench_old_type(d),
                                 .scale = (double)d->scale};
    const struct xk_quant *const scale = d->attr.scale;
    c->stochastic = d->attr.rounding[XK_ARG_DST] == XK_ROUND_STOCHASTIC;
    c->dequantizes = scale[XK_ARG_SRC].source || scale[XK_ARG_WEI].source;
    c->requantizes =
        scale[XK_ARG_DST].source || d->attr.zero_point[XK_ARG_DST].source;
    bool fine = xk_bench_code_read("x * alpha", &c->scaling) &&
                xk_bench_code_read("x * alpha * beta + rhs", &c->before) &&
                xk_bench_code_read(scale[XK_ARG_DST].source ? "x / alpha + zero"
                                                            : "x + zero",
                                   &c->behind);
    for (c->n = 0; fine && c->n < d->n_post_ops; c->n++)
        fine = read_step(&d->post_ops[c->n], &c->step[c->n]);
    return fine;
}

/* A value's bits as those of another type of the same size. */
static double read_as(uint32_t type, uint32_t from, double v)
{
    return type == from ? v : xk_bench_decode(type, xk_bench_encode(from, v));
}

/* Before the rounding to the destination's type. */
static struct xk_bench_span unrounded(const struct xk_bench_chain *c, double v,
                                      double old, const double *rhs)
{
    struct xk_bench_span s = scaled(c, v, rhs);
    for (uint32_t i = 0; i < c->n; i++) {
        struct xk_bench_values at = c->step[i].values;
        at.x = s;
        at.old =
            read_as(c->step[i].old_type ? c->step[i].old_type : c->dst_type,
                    c->old_type, old);
        at.rhs = rhs ? rhs[i] : 0;
        s = xk_bench_code_run(&c->step[i].code, &at);
    }
    return c->requantizes && rhs ? requantized(c, s, rhs) : s;
}

/* Philox4x32-10 as oneDNN's stochastic rounding uses it (src/common/
 * math_utils.hpp of main, 3f27bec2): four consecutive numbers share a result.
 */
static uint32_t philox(uint32_t number, uint32_t seed)
{
    const uint32_t x = number & ~UINT32_C(3);
    uint32_t c[4] = {x, x + 1, x, x + 3}, k[2] = {seed, seed};
    for (int i = 0; i < 10; i++) {
        const uint64_t p = UINT64_C(0xd2511f53) * c[0];
        const uint64_t q = UINT64_C(0xcd9e8d57) * c[2];
        c[0] = (uint32_t)(q >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)q;
        c[2] = (uint32_t)(p >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)p;
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
    }
    return c[2];
}

/* Digits of a type that is rounded at random, its largest number and its
 * smallest normal one; 0: it is not. */
static int random_type(uint32_t type, double *most, double *least)
{
    *least = type == XK_BF16 ? 0x1p-126 : type == XK_F8_E4M3 ? 0x1p-6 : 0x1p-14;
    switch (type) {
    case XK_F16:
        *most = 65504;
        return 11;
    case XK_BF16:
        *most = 0x1.fep127;
        return 8;
    case XK_F8_E5M2:
        *most = 57344;
        return 3;
    case XK_F8_E4M3:
        *most = 448;
        return 4;
    default:
        return 0;
    }
}

/* Random bits are added below the digits that stay, which are cut off. */
static double round_at_random(uint32_t type, double v, uint32_t number,
                              uint32_t seed)
{
    double most, least;
    const int digits = random_type(type, &most, &least);
    const float f = (float)v;
    if (!digits || isnan(v))
        return xk_bench_round(type, v);
    const uint32_t cut = ~(UINT32_MAX << (24 - digits));
    const uint32_t part =
        xk_bench_type_bits(type) == 16
            ? philox(number >> 2, seed) >> (number & 3) * 8 & 0xff
            : philox(number >> 1, seed) >> (number & 1) * 16 & 0xffff;
    uint32_t bits;
    float r;
    memcpy(&bits, &f, sizeof bits);
    bits = (bits + (part & cut)) & ~cut;
    memcpy(&r, &bits, sizeof r);
    const double a = fmin(fabs((double)r), most);
    return copysign(a < least ? 0 : a, (double)r);
}

struct xk_bench_span xk_bench_finish(const struct xk_bench_chain *c, double v,
                                     double old, const double *rhs)
{
    const struct xk_bench_span s = unrounded(c, v, old, rhs);
    if (c->stochastic && rhs) {
        const uint32_t number = (uint32_t)rhs[XK_BENCH_NUMBER];
        const uint32_t seed = (uint32_t)(int32_t)rhs[XK_BENCH_SEED];
        return (struct xk_bench_span){
            .lo = round_at_random(c->dst_type, s.lo, number, seed),
            .hi = round_at_random(c->dst_type, s.hi, number, seed),
            .nan = s.nan};
    }
    return (struct xk_bench_span){.lo = xk_bench_round(c->dst_type, s.lo),
                                  .hi = xk_bench_round(c->dst_type, s.hi),
                                  .nan = s.nan};
}

bool xk_bench_is_exact(const struct xk_bench_chain *c, double v, double old,
                       const double *rhs)
{
    const struct xk_bench_span s = unrounded(c, v, old, rhs);
    return s.lo == s.hi && !s.nan && xk_bench_round(c->dst_type, s.lo) == s.lo;
}
