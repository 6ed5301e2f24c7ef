/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE half and bfloat16 conversion, round to nearest even; the bits of a
 * float. */
#ifndef XK_BASE_HALF_H
#define XK_BASE_HALF_H

#include <stdint.h>
#include <string.h>

uint16_t xk_half_from_float(float f);
float xk_half_to_float(uint16_t h);
uint16_t xk_bf16_from_float(float f);
float xk_bf16_to_float(uint16_t h);

static inline uint32_t xk_float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float xk_bits_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#endif
