/* SPDX-License-Identifier: Apache-2.0 */
/* Data types as numbers: to and from bits, rounding to a type, and what scale,
 * post-ops and the destination's type make of a convolution's exact result. All
 * of it in double and by the definition of the formats; nothing is shared with
 * the library. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "tools/xkbench/bench.h"

unsigned xk_bench_type_b(uint32_t type)
{
    switch (type) {
    case XK_F32:
    case XK_S32:
        return 4;
    case XK_F16:
        return 2;
    case XK_S8:
    case XK_U8:
        return 1;
    default:
        return 0;
    }
}

uint32_t xk_bench_unwritten(uint32_t type)
{
    switch (xk_bench_type_b(type)) {
    case 4:
        return 0x7fd5aa55u; /* a NaN nobody computes */
    case 2:
        return 0x7fd5u; /* the same in f16 */
    default:
        return 0xa5u; /* a value like any other */
    }
}

/* The distance of f16 values around v: 11 significant bits, denormals below
 * 2^-14. */
static double half_unit(double v)
{
    const int e = v != 0 ? ilogb(v) : -14;
    return ldexp(1.0, (e < -14 ? -14 : e) - 10);
}

static double round_half(double v)
{
    if (!(fabs(v) < 65520)) /* half a step above the largest */
        return copysign(INFINITY, v);
    const double unit = half_unit(v);
    return nearbyint(v / unit) * unit;
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
        return round_half(v);
    case XK_S32:
        return round_integer(v, INT_MIN, INT_MAX);
    case XK_S8:
        return round_integer(v, -128, 127);
    case XK_U8:
        return round_integer(v, 0, 255);
    default:
        return v;
    }
}

static uint32_t encode_half(double v)
{
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    const double a = fabs(v);
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

uint32_t xk_bench_encode(uint32_t type, double v)
{
    const double r = xk_bench_round(type, v);
    const float f = (float)r;
    uint32_t bits;
    switch (type) {
    case XK_F16:
        return encode_half(r);
    case XK_S32:
        return (uint32_t)(int32_t)r;
    case XK_S8:
    case XK_U8:
        return (uint32_t)(int32_t)r & 255;
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
    case XK_S32:
        return (double)(int32_t)bits;
    case XK_S8:
        return (double)(int8_t)bits;
    case XK_U8:
        return (double)(uint8_t)bits;
    default:
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
}

bool xk_bench_has_sum(const struct xk_conv_desc *d)
{
    for (uint32_t i = 0; i < d->n_post_ops; i++)
        if (d->post_ops[i].kind == XK_POST_SUM)
            return true;
    return false;
}

/* The kernel computes in f32: what is no f32 value may lie a rounding away. */
static void widen(struct xk_bench_span *s)
{
    if (s->lo == s->hi && (double)(float)s->lo == s->lo)
        return;
    s->lo -= fabs(s->lo) * 0x1p-24;
    s->hi += fabs(s->hi) * 0x1p-24;
}

static void multiply(struct xk_bench_span *s, double factor)
{
    const double a = s->lo * factor, b = s->hi * factor;
    *s = (struct xk_bench_span){fmin(a, b), fmax(a, b)};
    widen(s);
}

static void add(struct xk_bench_span *s, double factor, double old)
{
    struct xk_bench_span term = {old, old};
    multiply(&term, factor);
    s->lo += term.lo;
    s->hi += term.hi;
    widen(s);
}

/* Before the rounding to the destination's type. */
static struct xk_bench_span unrounded(const struct xk_conv_desc *d, double v,
                                      double old)
{
    struct xk_bench_span s = {v, v};
    if (d->scale != 0)
        multiply(&s, (double)d->scale);
    for (uint32_t i = 0; i < d->n_post_ops; i++) {
        const struct xk_post_op *const op = &d->post_ops[i];
        if (op->kind == XK_POST_SUM)
            add(&s, op->alpha != 0 ? (double)op->alpha : 1.0, old);
        else
            s = (struct xk_bench_span){fmax(s.lo, 0), fmax(s.hi, 0)};
    }
    return s;
}

struct xk_bench_span xk_bench_finish(const struct xk_conv_desc *d, double v,
                                     double old)
{
    const struct xk_bench_span s = unrounded(d, v, old);
    return (struct xk_bench_span){xk_bench_round(d->dst_type, s.lo),
                                  xk_bench_round(d->dst_type, s.hi)};
}

bool xk_bench_is_exact(const struct xk_conv_desc *d, double v, double old)
{
    const struct xk_bench_span s = unrounded(d, v, old);
    return s.lo == s.hi && xk_bench_round(d->dst_type, s.lo) == s.lo;
}
