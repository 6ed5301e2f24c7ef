/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE half and bfloat16 conversion, round to nearest even. */
#ifndef XK_BASE_HALF_H
#define XK_BASE_HALF_H

#include <stdint.h>

uint16_t xk_half_from_float(float f);
float xk_half_to_float(uint16_t h);
uint16_t xk_bf16_from_float(float f);
float xk_bf16_to_float(uint16_t h);

#endif
