/* SPDX-License-Identifier: Apache-2.0 */
/* Division of integers as floor division, what divides them, the smaller and
 * the larger of two, powers of two. */
#ifndef XK_BASE_INTEGER_H
#define XK_BASE_INTEGER_H

#include <stdint.h>

/* Floor division, modulo with the divisor's sign; 0 if b is 0. */
int64_t xk_floor_div(int64_t a, int64_t b);
int64_t xk_floor_mod(int64_t a, int64_t b);
/* Greatest common divisor of the absolute values; of 0 and x: |x|. */
int64_t xk_gcd(int64_t a, int64_t b);
/* |v|; v is not INT64_MIN. */
static inline int64_t xk_magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}
static inline int64_t xk_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t xk_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
/* The next multiple of `to`, not below v; it must fit. */
static inline uint32_t xk_round_up(uint32_t v, uint32_t to)
{
    return (v + to - 1) / to * to;
}
/* log2 of a power of two, -1 of other numbers. */
static inline int xk_log2_exact(uint64_t v)
{
    return v && !(v & (v - 1)) ? __builtin_ctzll(v) : -1;
}
/* Least common multiple of two positive numbers; it must fit. */
int64_t xk_lcm(int64_t a, int64_t b);

#endif
