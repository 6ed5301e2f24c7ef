/* SPDX-License-Identifier: Apache-2.0 */
/* Half floats by arithmetic on doubles, not by bit tricks: slow, plain, and
 * independent of what is tested. */
#ifndef XK_TESTS_SIM_HALVES_H
#define XK_TESTS_SIM_HALVES_H

#include <math.h>
#include <stdint.h>

/* Nearest half, ties to even. */
static inline uint16_t half_bits(double v)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    int e;
    v = fabs(v);
    if (isnan(v))
        return 0x7e00;
    if (v == 0 || isinf(v))
        return v == 0 ? sign : (uint16_t)(sign | 0x7c00);
    (void)frexp(v, &e);
    const int step = e - 11 < -24 ? -24 : e - 11;
    v = ldexp(rint(ldexp(v, -step)), step);
    if (v > 65504)
        return (uint16_t)(sign | 0x7c00);
    if (v < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)(v * 0x1p24));
    (void)frexp(v, &e);
    const int fraction = (int)ldexp(v, 11 - e) - 1024;
    return (uint16_t)(sign | (e + 14) << 10 | fraction);
}

static inline double half_value(uint16_t h)
{
    const int e = h >> 10 & 31, fraction = h & 1023;
    const double v = e == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                     : e == 0 ? ldexp(fraction, -24)
                              : ldexp(fraction + 1024, e - 25);
    return h & 0x8000 ? -v : v;
}

#endif
