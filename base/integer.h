/* SPDX-License-Identifier: Apache-2.0 */
/* Division of integers as floor division, and what divides them. */
#ifndef XK_BASE_INTEGER_H
#define XK_BASE_INTEGER_H

#include <stdint.h>

/* Floor division, modulo with the divisor's sign; 0 if b is 0. */
int64_t xk_floor_div(int64_t a, int64_t b);
int64_t xk_floor_mod(int64_t a, int64_t b);
/* Greatest common divisor of the absolute values; of 0 and x: |x|. */
int64_t xk_gcd(int64_t a, int64_t b);
/* Least common multiple of two positive numbers; it must fit. */
int64_t xk_lcm(int64_t a, int64_t b);

#endif
