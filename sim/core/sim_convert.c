/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between number formats, one value at a time: exact, rounded once,
 * in the mode that cr0[5:4] names, whatever the host's mode is. */
#include "sim/core/sim_operand.h"
#include "base/half.h"

/* man has `drop` bits too many; the result may carry into the exponent. */
static uint32_t round_bits(uint32_t man, unsigned drop, bool neg, unsigned mode)
{
    if (drop > 31)
        drop = 31;
    const uint32_t cut = man & ((1u << drop) - 1), half = 1u << (drop - 1);
    const uint32_t kept = man >> drop;
    bool up = false;
    if (mode == 0)
        up = cut > half || (cut == half && (kept & 1));
    else if (mode == 1)
        up = cut && !neg;
    else if (mode == 2)
        up = cut && neg;
    return kept + up;
}

static uint32_t half_overflow(bool neg, unsigned mode)
{
    const bool to_inf = mode == 0 || (mode == 1 && !neg) || (mode == 2 && neg);
    return to_inf ? 0x7c00 : 0x7bff;
}

uint16_t xk_sim_half_from_float(float f, unsigned round)
{
    const uint32_t b = xk_float_bits(f), mag = b & 0x7fffffffu;
    const bool neg = b >> 31;
    const uint16_t sign = neg ? 0x8000 : 0;
    if (mag > 0x7f800000u)
        return (uint16_t)(sign | 0x7c00 | 0x200 | ((mag >> 13) & 0x3ff));
    if (mag == 0x7f800000u)
        return (uint16_t)(sign | 0x7c00);
    const int ex = (int)(mag >> 23) - 112; /* in half's bias */
    uint32_t h;
    if (ex >= 31) {
        h = half_overflow(neg, round);
    } else if (ex > 0) {
        h = round_bits(((uint32_t)ex << 23) | (mag & 0x7fffff), 13, neg, round);
        if (h >= 0x7c00)
            h = half_overflow(neg, round);
    } else if (mag >> 23 == 0) { /* far below the smallest half */
        h = round_bits(mag != 0, 31, neg, round);
    } else {
        h = round_bits((mag & 0x7fffff) | 0x800000, (unsigned)(14 - ex), neg,
                       round);
    }
    return (uint16_t)(sign | h);
}

uint16_t xk_sim_bf16_from_float(float f, unsigned round)
{
    const uint32_t b = xk_float_bits(f), mag = b & 0x7fffffffu;
    if (mag > 0x7f800000u)
        return (uint16_t)(b >> 16 | 0x40);
    return (uint16_t)((b >> 31) << 15 | round_bits(mag, 16, b >> 31, round));
}

uint32_t xk_sim_tf32_from_float(float f, unsigned round)
{
    const uint32_t b = xk_float_bits(f), mag = b & 0x7fffffffu;
    if (mag > 0x7f800000u)
        return (b | 0x400000) & ~0x1fffu;
    return (b & 0x80000000u) | round_bits(mag, 13, b >> 31, round) << 13;
}

uint8_t xk_sim_bf8_from_half(uint16_t h, unsigned round)
{
    const uint32_t mag = h & 0x7fffu;
    const bool neg = h >> 15;
    if (mag > 0x7c00)
        return (uint8_t)(h >> 8 | 2);
    uint32_t b = round_bits(mag, 8, neg, round);
    if (b >= 0x7c && mag < 0x7c00)
        b = half_overflow(neg, round) >> 8;
    return (uint8_t)((uint32_t)neg << 7 | b);
}

/* Adds a random number below the last bit that stays, then cuts. */
static uint32_t add_and_cut(uint32_t mag, uint32_t random, unsigned drop)
{
    return (mag + (random & ((1u << drop) - 1))) >> drop;
}

uint8_t xk_sim_bf8_stochastic(uint16_t h, uint32_t random)
{
    const uint32_t mag = h & 0x7fffu;
    if (mag >= 0x7c00)
        return xk_sim_bf8_from_half(h, 0);
    return (uint8_t)(h >> 15 << 7 | add_and_cut(mag, random, 8));
}

/* A result below the smallest normal half has fewer bits of fraction; the
 * random ones keep their place in the source's. */
uint16_t xk_sim_half_stochastic(float f, uint32_t random)
{
    const uint32_t b = xk_float_bits(f), mag = b & 0x7fffffffu;
    const uint32_t sign = b >> 31 << 15;
    if (mag >= 0x7f800000u)
        return xk_sim_half_from_float(f, 0);
    const uint32_t up = mag + (random & 0x1fff);
    float raised;
    if (up >= 0x47800000u) /* 65536 */
        return (uint16_t)(sign | 0x7c00);
    memcpy(&raised, &up, 4);
    return (uint16_t)(sign | xk_sim_half_from_float(raised, 3));
}

/* Truncates towards zero; out of range clamps, NaN is 0. */
int64_t xk_sim_int_from_double(unsigned type, double d)
{
    if (d != d)
        return 0;
    if (d >= 0x1p63 && type == XK_RT_UQ)
        return d >= 0x1p64 ? -1 : (int64_t)(uint64_t)d;
    if (d <= -0x1p63)
        return xk_sim_clamp(type, INT64_MIN);
    if (d >= 0x1p63)
        return xk_sim_clamp(type, INT64_MAX);
    return xk_sim_clamp(type, (int64_t)d);
}
