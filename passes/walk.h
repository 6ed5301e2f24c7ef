/* SPDX-License-Identifier: Apache-2.0 */
/* What several passes need. Internal to passes/.
 *
 * All passes rely on one property of the IR: a variable is bound in one place
 * of a kernel. What is known about a variable or an expression may therefore
 * be kept under its serial for a whole pass. */
#ifndef XK_PASSES_WALK_H
#define XK_PASSES_WALK_H

#include "base/arena.h"
#include "ir/memo.h"
#include "passes/passes.h"

enum xk_status xk_pass_expand(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env);
enum xk_status xk_pass_simplify(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env);
enum xk_status xk_pass_let(xk_ctx *c, struct xk_kernel *k,
                           const struct xk_pass_env *env);
enum xk_status xk_pass_hoist(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env);
enum xk_status xk_pass_cse(xk_ctx *c, struct xk_kernel *k,
                           const struct xk_pass_env *env);
enum xk_status xk_pass_header(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env);
enum xk_status xk_pass_barrier(xk_ctx *c, struct xk_kernel *k,
                               const struct xk_pass_env *env);
enum xk_status xk_pass_strength(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env);
enum xk_status xk_pass_overflow(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env);
enum xk_status xk_pass_peephole(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env);

/* The end of a pass: body takes the place of k's. If it is NULL or the context
 * keeps a failure, k stays as it is; the status of NULL alone is XK_ENOMEM. */
enum xk_status xk_pass_end(xk_ctx *c, struct xk_kernel *k, const xk_stmt *body);

/* Facts from the extents of the kernel's parameters; NULL on out of memory. */
XK_GIVE xk_facts *xk_pass_facts(xk_ctx *c, const struct xk_kernel *k);

/* The node with each kid replaced by fn(kid); NULL if one becomes NULL. */
typedef const xk_expr *(*xk_pass_map_fn)(void *user, const xk_expr *kid);
const xk_expr *xk_pass_map_kids(xk_ctx *c, const xk_expr *e, xk_pass_map_fn fn,
                                void *user);

static inline bool xk_pass_is_empty(const xk_stmt *s)
{
    return xk_op(s) == XK_OP_SEQ && xk_n_kids(s) == 0;
}

/* n where e is `var % n == 0`, or `var / step % n == 0` for a step above 1:
 * true in every n-th turn of a loop over var that begins at 0; else 0. */
int64_t xk_pass_every(const xk_expr *e, const xk_expr *var, int64_t step);

/* A variable, a constant, or either broadcast: costs no instruction. */
bool xk_pass_is_trivial(const xk_expr *e);
/* Registers that a value of type t occupies, in bytes; a bool has none. */
unsigned xk_pass_value_b(struct xk_type t, unsigned grf_b);

/* The registers to spare that headers have left, divided between hoisting and
 * CSE. */
static inline unsigned xk_pass_left_grf(const struct xk_pass_env *env)
{
    const unsigned moving =
        env->header_grf && env->moving_grf ? *env->moving_grf : 0;
    const unsigned more =
        moving > env->header_grf ? moving - env->header_grf : 0;
    return more < env->spare_grf ? env->spare_grf - more : 0;
}
static inline unsigned xk_pass_cse_grf(const struct xk_pass_env *env)
{
    return xk_pass_left_grf(env) / 4;
}
static inline unsigned xk_pass_hoist_grf(const struct xk_pass_env *env)
{
    return xk_pass_left_grf(env) - xk_pass_cse_grf(env);
}

/* Loop level of expressions: how many loops around the place where a variable
 * is bound, the most of its variables for an expression. 0: invariant in every
 * loop. */
struct xk_levels {
    struct xk_memo memo;
};
void xk_levels_init(struct xk_levels *l, xk_ctx *c);
void xk_levels_fini(struct xk_levels *l);
/* Before any expression with var is asked for. Unset variables have level 0. */
void xk_levels_set(struct xk_levels *l, const xk_expr *var, unsigned level);
unsigned xk_levels_of(struct xk_levels *l, const xk_expr *e);

#endif
