/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction reads and writes, for the enumerator: an operand walk of
 * its own over the decoded record, element by element. Nothing of it is shared
 * with isa/footprint.c or the scoreboard pass. */
#ifndef XK_TESTS_HAZARD_TOUCH_H
#define XK_TESTS_HAZARD_TOUCH_H

#include "isa/isa.h"

/* One space of places: register bytes, then flag bits, accumulator bytes, a0
 * bytes, and one place for all other state. */
#define HZ_FLAG 0x8000u
#define HZ_ACC 0x9000u
#define HZ_A0 0xa000u
#define HZ_STATE 0xb000u

struct hz_piece {
    uint32_t lo, hi;
};

#define HZ_MAX_PIECES 80
struct hz_set {
    unsigned n;
    bool indirect; /* and, through a0, nobody knows which registers */
    struct hz_piece piece[HZ_MAX_PIECES];
    uint64_t mask[5]; /* registers, and what is none, for quick answers */
};

enum hz_unit { HZ_NONE, HZ_INORDER, HZ_MATH, HZ_SEND, HZ_DPAS };

struct hz_touch {
    uint8_t unit;   /* enum hz_unit */
    uint8_t pipe;   /* in order: 0 float, 1 int, 2 long, 3 math */
    bool is_branch; /* takes a place in the int pipe, or does not */
    bool bytes;     /* writes single bytes */
    struct hz_set rd, wr;
};

void hz_touch_of(const struct xk_platform *p, const struct xk_inst *i,
                 struct hz_touch *t);
bool hz_meet(const struct hz_set *a, const struct hz_set *b);
/* The same between the places lo and hi. */
bool hz_meet_in(const struct hz_set *a, const struct hz_set *b, uint32_t lo,
                uint32_t hi);

#endif
