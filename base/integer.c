/* SPDX-License-Identifier: Apache-2.0 */
#include "base/integer.h"

int64_t xk_floor_div(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    const int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t xk_floor_mod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return 0;
    const int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t xk_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (x == 1 || y == 1)
        return 1;
    while (y) {
        const uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

int64_t xk_lcm(int64_t a, int64_t b)
{
    return a / xk_gcd(a, b) * b;
}
