/* SPDX-License-Identifier: Apache-2.0 */
/* A program with more arguments than the payload's registers hold: 13 buffers,
 * five values of all types, one of them the program's own. 52 bytes of surfaces
 * or 104 of pointers stand between the values, and 32 come in registers. Each
 * lane adds a dword of each buffer and the values, and writes the sum to dst.
 */
#ifndef XK_TESTS_GEN_MANY_PROGRAM_H
#define XK_TESTS_GEN_MANY_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "xekern/xekern.h"

/* The program's arguments by number; "b0" is 0. */
enum {
    MANY_DST = 12,
    MANY_BUFFERS, /* of MANY_E dwords each */
    MANY_X = MANY_BUFFERS,
    MANY_WIDE,
    MANY_Y,
    MANY_Z,
    MANY_ARGS,
    MANY_E = 128
};

struct many_values {
    int32_t x;
    int64_t wide;
    float y;
    int32_t z;
};
extern const struct many_values many_values;

/* What the buffers hold, and what dst holds afterwards with these values. */
int32_t many_element(int buffer, int e);
float many_expected(int e);

/* For xehpg. */
xk_program *many_program(bool surfaces);

#endif
