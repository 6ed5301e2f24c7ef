/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over nests of tile functions (ir/tiles.h). Internal to passes/. */
#ifndef XK_PASSES_NEST_PASS_H
#define XK_PASSES_NEST_PASS_H

#include "ir/tiles.h"
#include "passes/walk.h"

/* pair: tile.mul.dpas becomes dpasw, and each thread loads half of B's rows.
 * Refused where the two threads of a pair may need other rows, or go other
 * ways. In front of split and pipe. */
enum xk_status xk_pass_pair(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env);
/* peel(k0): the last step of the loops over k0 stands behind them. In front of
 * pipe; their bodies declare nothing. */
enum xk_status xk_pass_peel(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env);
/* split(m=8 k=16): loads, stores and multiplies of tiles that have the role
 * become several, each of so many of its positions. */
enum xk_status xk_pass_split(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env);
/* pipe(ra ahead=1 slots=2; rb ahead=0; copies=9): the loops whose body loads
 * these buffers become pipes. A buffer is loaded so many steps before its
 * multiplies, into as many places in turn: one more than that, so that a load
 * need not wait for multiplies; or just as many, then a load comes behind the
 * last multiply that reads what it goes over. copies: of the steady body, at
 * least, a multiple of it. Loops whose bounds are not constant are refused. */
enum xk_status xk_pass_pipe(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env);

/* stage(ra rb): the buffers come through SLM: each thread of a group loads a
 * part of what all need, stores it there, and reads its tile when all have. In
 * front of split and pipe. Refused where threads share nothing, or may not all
 * come to the loop. */
enum xk_status xk_pass_stage(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env);

/* hold(ra=3): three steps of the loop that loads the buffer share one load of
 * all rows that they need; each multiply reads it some rows further on. In
 * front of split and pipe. Refused where the steps' rows are not those of the
 * first one, some rows further. */
enum xk_status xk_pass_hold(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env);

/* One word of a pass's arguments: "ra", "ahead=1". */
struct xk_pass_arg {
    char name[16];
    unsigned value;
    bool has_value, bad; /* bad: not of this form */
};
/* The next word up to the separator; false: there is none in front of it. */
bool xk_pass_next_arg(const char **args, char separator,
                      struct xk_pass_arg *out);

/* Runs one pass in a scope of its own; debug builds verify what it made. In the
 * pipeline's order offsets are proven to fit from the overflow pass on. */
enum xk_status xk_pass_run_one(xk_ctx *c, struct xk_kernel *k,
                               const struct xk_pass_env *env,
                               const struct xk_pass *p, bool in_order);

/* Lets of a body, which expressions are looked through to see what a thread's
 * number is in them. */
struct xk_pass_lets {
    struct xk_memo value; /* of a variable */
};
void xk_pass_lets_init(struct xk_pass_lets *l, xk_ctx *c, const xk_stmt *body);
void xk_pass_lets_fini(struct xk_pass_lets *l);
/* The expression without variables of lets, where `as` stands for the thread.
 */
const xk_expr *xk_pass_seen(xk_ctx *c, const struct xk_pass_lets *l,
                            const xk_expr *e, const xk_expr *thread,
                            const xk_expr *as);

/* Rows of a tile, positions of its dim, move in units, which are its outermost
 * block: so many positions. */
int64_t xk_tile_rows_of_unit(const struct xk_tile_decl *d, unsigned dim);
/* Elements of such a unit. */
int64_t xk_tile_unit_e(const struct xk_tile_decl *d, unsigned dim,
                       int64_t unit);
/* The tile with n rows, unit behind unit. */
struct xk_tile_decl xk_tile_with_rows(const struct xk_tile_decl *d,
                                      unsigned dim, int64_t unit, int64_t n);

/* The call with the part of a role, of the positions it has already. */
const xk_stmt *xk_tile_call_part(xk_ctx *c, const xk_stmt *call,
                                 enum xk_role role, unsigned first, unsigned n);

#endif
