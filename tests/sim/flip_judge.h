/* SPDX-License-Identifier: Apache-2.0 */
/* What a flipped bit came to, held against sim/core/known.def. */
#ifndef XK_TESTS_SIM_FLIP_JUDGE_H
#define XK_TESTS_SIM_FLIP_JUDGE_H

#include "isa/isa.h"
#include "sim/core/known.h"

/* Flips of a field that must have shown something. */
#define FLIP_JUDGED 30

enum flip_outcome { FLIP_STOPPED, FLIP_CHANGED, FLIP_SAME };

/* The sentence says what is not executed. */
bool flip_says_stop(const char *message);
/* An instruction on a platform, of which a bit was flipped, and what its run
 * without that came to say. */
struct flip {
    const struct xk_platform *p;
    const struct xk_inst *i;
    enum flip_outcome outcome;
    const char *message;
};
/* Ends the test if something unknown does not stop with its name, or something
 * without effect has one. */
void flip_judge(const struct flip *f, const char *field, unsigned bit,
                enum xk_known v);
/* The same for a bit of a message's descriptor, and notes which field of that
 * kind of message it was. */
void flip_judge_descriptor(const struct flip *f, unsigned bit);
/* Fields of a kind that act, by the table, and that no flip showed to. */
unsigned flip_silent_fields(unsigned kind);

#endif
