/* SPDX-License-Identifier: Apache-2.0 */
/* Random instructions that the assembler must accept, in the form decode gives
 * them, so that equal instructions are equal bytes of the record. */
#ifndef XK_TESTS_ISA_RANDOM_INST_H
#define XK_TESTS_ISA_RANDOM_INST_H

#include "isa/isa.h"

struct rng {
    uint64_t state;
};

/* 0 .. n-1 */
unsigned rng_below(struct rng *r, unsigned n);
uint64_t rng_bits(struct rng *r);
/* XK_TEST_SEED, or a fixed seed; printed by the caller. */
uint64_t rng_seed(void);

/* A random instruction of the given opcode, which must exist on the platform.
 */
void random_inst(const struct xk_platform *p, struct rng *r, enum xk_opcode op,
                 struct xk_inst *i);
/* Moves the targets of a branch that is instruction `at` of n into the n, as
 * the assembler demands. */
void random_targets(struct rng *r, struct xk_inst *i, unsigned at, unsigned n);
/* Any opcode of the platform. */
enum xk_opcode random_opcode(const struct xk_platform *p, struct rng *r);

#endif
