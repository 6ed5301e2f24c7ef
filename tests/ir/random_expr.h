/* SPDX-License-Identifier: Apache-2.0 */
/* Random well-typed expressions over every op of ir/expr.def. */
#ifndef XK_TESTS_RANDOM_EXPR_H
#define XK_TESTS_RANDOM_EXPR_H

#include "ir/expr.h"

/* xorshift64*; state must not be 0. */
uint64_t random_u64(uint64_t *rng);
/* Uniform in [0, n), n > 0. */
unsigned random_below(uint64_t *rng, unsigned n);

struct random_expr {
    xk_ctx *c;
    uint64_t rng;
    const xk_expr *const *vars; /* any types; used where the type fits */
    unsigned n_vars;
    bool ints_only; /* no floats, no pointers */
};

/* An expression of type t with at most about 2^depth nodes. */
const xk_expr *random_expr(struct random_expr *r, struct xk_type t,
                           unsigned depth);

#endif
