/* SPDX-License-Identifier: Apache-2.0 */
/* What a flipped bit came to, held against sim/core/known.def. */
#ifndef XK_TESTS_SIM_FLIP_JUDGE_H
#define XK_TESTS_SIM_FLIP_JUDGE_H

#include "isa/isa.h"
#include "tests/sim/flip_part.h"

/* Flips of a field that must have shown something. */
#define FLIP_JUDGED 30

/* An instruction on a platform, of which a bit was flipped, and what its run
 * without that came to say. */
struct flip {
    const struct xk_platform *p;
    const struct xk_inst *i;
    enum flip_outcome outcome;
    const char *message;
};
/* A bit of a field: ends the test if it is unknown and does not stop with its
 * name, or is said to have no effect and has one. Notes what it came to. */
void flip_judge_field(const struct flip *f, unsigned id, unsigned bit);
/* The same for a bit of a message's descriptor, and notes which field of that
 * kind of message it was. */
void flip_judge_descriptor(const struct flip *f, unsigned bit);
/* Fields of a kind that act, by the table, and that no flip showed to. */
unsigned flip_silent_fields(unsigned kind);
/* The same of an opcode's fields that were flipped at least so often, and that
 * no other test is known to show; and how many fields were. */
unsigned flip_silent_of(enum xk_opcode op, unsigned least);
unsigned flip_judged_fields(enum xk_opcode op, unsigned least);

#endif
