/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding by arithmetic on doubles, not by bit tricks: slow, plain, and
 * independent of what is tested. */
#ifndef XK_TESTS_SIM_EXACT_H
#define XK_TESTS_SIM_EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A binary float format: bits of significand, exponent of the smallest normal
 * number, and all bits of its field below the sign. */
struct exact_format {
    int bits, least, fraction, bias;
};

static const struct exact_format exact_hf = {11, -14, 10, 15};
static const struct exact_format exact_bf = {8, -126, 7, 127};
static const struct exact_format exact_bf8 = {3, -14, 2, 15};
static const struct exact_format exact_f = {24, -126, 23, 127};
static const struct exact_format exact_tf32 = {11, -126, 10, 127};

/* Whole numbers: to the nearest, up, down, cut; as cr0[5:4] counts. */
static inline double exact_whole(double v, unsigned mode)
{
    switch (mode) {
    case 0: {
        const double low = floor(v), rest = v - low;
        if (rest != 0.5)
            return rest < 0.5 ? low : low + 1;
        return fmod(low, 2) == 0 ? low : low + 1;
    }
    case 1:
        return ceil(v);
    case 2:
        return floor(v);
    default:
        return trunc(v);
    }
}

/* The bits of v, which is no NaN, in the format. */
static inline uint32_t exact_bits(double v, struct exact_format f,
                                  unsigned mode)
{
    int e;
    const bool neg = signbit(v);
    const uint32_t sign = (uint32_t)neg
                          << (f.fraction +
                              (32 - __builtin_clz((unsigned)(2 * f.bias + 1))));
    const uint32_t inf = (uint32_t)(2 * f.bias + 1) << f.fraction;
    if (isinf(v))
        return sign | inf;
    if (v == 0)
        return sign;
    (void)frexp(v, &e);
    const int exponent = e - 1 < f.least ? f.least : e - 1;
    const int step = exponent - f.fraction;
    const double whole = fabs(exact_whole(ldexp(v, -step), mode));
    const double most = ldexp(ldexp(1, f.bits) - 1, f.bias - f.fraction);
    if (ldexp(whole, step) > most) {
        const bool to_inf = mode == 0 || mode == (neg ? 2u : 1u);
        return sign | (to_inf ? inf : inf - 1);
    }
    /* A carry into the next binade, or a denormal's into the first one, is
     * what adding to the exponent field does. */
    const double base = ldexp(1, f.fraction);
    if (whole < base && exponent == f.least)
        return sign | (uint32_t)whole;
    return sign | (((uint32_t)(exponent + f.bias) << f.fraction) +
                   (uint32_t)(whole - base));
}

/* The value of bits of a format; NaN and infinity included. */
static inline double exact_value(uint32_t bits, struct exact_format f)
{
    const uint32_t field = (uint32_t)(2 * f.bias + 1);
    const uint32_t e = bits >> f.fraction & field;
    const uint32_t frac = bits & ((1u << f.fraction) - 1);
    const unsigned width = 32u - (unsigned)__builtin_clz(field);
    const bool neg = bits >> (f.fraction + (int)width) & 1;
    const double v = e == field ? (frac ? (double)NAN : (double)INFINITY)
                     : e == 0   ? ldexp(frac, f.least - f.fraction)
                                : ldexp(frac + (1u << f.fraction),
                                        (int)e - f.bias - f.fraction);
    return neg ? -v : v;
}

#endif
