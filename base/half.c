/* SPDX-License-Identifier: Apache-2.0 */
/* Half and bfloat16 conversion by integer arithmetic on the bit patterns.
 * NaNs stay NaNs (quiet, payload truncated). */
#include "base/half.h"

#include <string.h>

/* v / 2^shift, rounded to nearest even. */
static uint32_t shift_rne(uint32_t v, unsigned shift)
{
    const uint32_t half = 1u << (shift - 1);
    const uint32_t rest = v & ((1u << shift) - 1);
    const uint32_t q = v >> shift;
    return q + (rest > half || (rest == half && (q & 1)));
}

uint16_t xk_half_from_float(float f)
{
    const uint32_t u = xk_float_bits(f);
    const uint16_t sign = (uint16_t)(u >> 16 & 0x8000);
    const uint32_t mag = u & 0x7fffffff;
    if (mag > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (mag >> 13 & 0x1ff));
    if (mag >= 0x477ff000) /* 65520 and above round to infinity */
        return sign | 0x7c00;
    if (mag >= 0x38800000) /* normal in half */
        return (uint16_t)(sign | shift_rne(mag - 0x38000000, 13));
    if (mag < 0x33000000) /* below half of the smallest denormal */
        return sign;
    const unsigned exp = mag >> 23;
    return (uint16_t)(sign | shift_rne((mag & 0x7fffff) | 0x800000, 126 - exp));
}

float xk_half_to_float(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    const uint32_t exp = h >> 10 & 31, man = h & 0x3ff;
    if (exp == 31)
        return xk_bits_float(sign | 0x7f800000 | man << 13);
    if (exp)
        return xk_bits_float(sign | (exp + 112) << 23 | man << 13);
    const float mag = (float)man * 0x1p-24f;
    return sign ? -mag : mag;
}

uint16_t xk_bf16_from_float(float f)
{
    const uint32_t u = xk_float_bits(f);
    if ((u & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)(shift_rne(u & 0x7fffffff, 16) | (u >> 16 & 0x8000));
}

float xk_bf16_to_float(uint16_t h)
{
    return xk_bits_float((uint32_t)h << 16);
}
