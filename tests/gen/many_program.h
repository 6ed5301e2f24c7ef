/* SPDX-License-Identifier: Apache-2.0 */
/* A program with more arguments than the payload's registers hold: n buffers
 * that are read, dst, and five values of all types, one of them the program's
 * own. Buffers stand on both sides of a value. Each lane adds a dword of each
 * buffer and the values, and writes the sum to dst. */
#ifndef XK_TESTS_GEN_MANY_PROGRAM_H
#define XK_TESTS_GEN_MANY_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "xekern/xekern.h"

/* The program's arguments by number: 0 to n - 1 are read, called b0, b1 ...;
 * those behind them are n more than these. */
enum { MANY_DST, MANY_X, MANY_WIDE, MANY_Y, MANY_Z, MANY_OTHERS };
enum {
    MANY_FEW = 12,
    MANY_MOST = 58, /* so that the kernel has 64 arguments */
    MANY_E = 128,   /* dwords of each buffer */
    MANY_ARGS_MAX = MANY_MOST + MANY_OTHERS
};

struct many_values {
    int32_t x;
    int64_t wide;
    float y;
    int32_t z;
};
extern const struct many_values many_values;

/* What buffer b holds, and what dst holds afterwards with these values. */
int32_t many_element(int b, int e);
float many_expected(int n, int e);

/* For xehpg, with surfaces or 64-bit addresses. */
xk_program *many_program(int n, bool surfaces);

#endif
