/* SPDX-License-Identifier: Apache-2.0 */
/* What the bit of an instruction belongs to, and what a run with that bit
 * flipped came to. Shared by the tests of single instructions and messages
 * (flip_judge.h) and of whole kernels (tests/corpus/flip_bits.c). */
#ifndef XK_TESTS_SIM_FLIP_PART_H
#define XK_TESTS_SIM_FLIP_PART_H

#include "sim/core/known.h"

enum flip_outcome {
    FLIP_STOPPED, /* a sentence says what is not executed */
    FLIP_CHANGED,
    FLIP_SAME,
    N_FLIP_OUTCOMES
};

bool flip_says_stop(const char *message);
/* message: why it did not run to its end. same: as without the flip. */
enum flip_outcome flip_outcome_of(bool ran, const char *message, bool same);

/* A field of isa/format.def; XK_N_FIELDS: no field has the bit. */
const char *flip_field_name(unsigned field);
enum xk_known flip_field_verdict(enum xk_opcode op, unsigned field);
/* A part of a descriptor: enum xk_msg_field, or XK_MSG_PART_... behind them. */
const char *flip_part_name(unsigned part);
enum xk_known flip_part_verdict(unsigned part);

#endif
