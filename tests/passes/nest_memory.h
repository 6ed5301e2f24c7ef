/* SPDX-License-Identifier: Apache-2.0 */
/* What a random nest computes with, and its meaning: the interpreter's result.
 */
#ifndef XK_TESTS_NEST_MEMORY_H
#define XK_TESTS_NEST_MEMORY_H

#include "ir/stmt.h"
#include "tests/ir_interp.h"
#include "tests/passes/random_nest.h"

struct xk_nest_memory {
    uint8_t src[XK_NEST_BUFFER_B], wei[XK_NEST_BUFFER_B];
    int32_t dst[XK_NEST_BUFFER_B / 4];
};

/* Small integers of the nest's type from the seed; dst holds its own indices,
 * so that what is not written shows. */
void xk_nest_fill(const struct xk_random_nest *g, uint64_t seed,
                  struct xk_nest_memory *m);
/* Fills memory and interprets all threads of all groups, one after the other.
 * False: r->message says why. */
bool xk_nest_interpret(xk_ctx *c, const struct xk_kernel *k,
                       const struct xk_random_nest *g, uint64_t seed,
                       struct xk_nest_memory *m, struct xk_interp_report *r);
/* Calls check for each seed from XK_SEED (1) on, XK_COUNT (`count`) of them,
 * and prints both as a comment of TAP. Returns their number. */
unsigned long xk_nest_each(unsigned long count, void (*check)(uint64_t seed));

#endif
