/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges and divisibility of integer and bool values, and the table of what is
 * known about variables. Internal to simplify/. */
#ifndef XK_SIMPLIFY_RANGE_H
#define XK_SIMPLIFY_RANGE_H

#include "ir/fold.h"
#include "ir/memo.h"
#include "simplify/simplify.h"

/* lo <= v <= hi and v = mod * n + rem; mod 0: v is rem. Values are mathematical
 * integers. lo INT64_MIN and hi INT64_MAX mean unbounded. */
struct xk_info {
    int64_t lo, hi, mod, rem;
};

#define XK_INF_LO INT64_MIN
#define XK_INF_HI INT64_MAX

struct xk_info_slot {
    uint32_t serial; /* 0: empty */
    struct xk_info info;
};

#define XK_INFO_INLINE 32

struct xk_facts {
    xk_ctx *c;
    struct xk_info_slot *slot; /* by serial: variables and what was asked */
    uint32_t n, cap;
    struct xk_info_slot *var; /* what the user said; survives clearing */
    uint32_t n_vars, vars_cap;
    uint32_t *hits;        /* per rule, NULL until asked for */
    bool *off;             /* per rule, NULL until one is switched off */
    struct xk_memo *done;  /* while simplifying: what is simplified already */
    struct xk_memo simple; /* what simplifying makes of an expression */
    const xk_expr **held;  /* of those results, what other expressions became */
    uint32_t n_held, cap_held;
    struct xk_info_slot first[XK_INFO_INLINE];
};

/* For a table in the caller's memory; it must not move. */
void xk_facts_init(struct xk_facts *f, xk_ctx *c);
void xk_facts_fini(struct xk_facts *f);
/* The slot of a serial, or the empty one where it belongs. */
struct xk_info_slot *xk_facts_slot(const struct xk_facts *f, uint32_t serial);
/* Keeps a derived answer; on out of memory it is just not kept. */
void xk_facts_remember(struct xk_facts *f, uint32_t serial,
                       struct xk_info info);
/* What simplifying is known to make of the expression; NULL: not known. A fact
 * that changes takes it back. */
const xk_expr *xk_facts_simple(const struct xk_facts *f, const xk_expr *e);
/* Says so. False on out of memory. */
bool xk_facts_set_simple(struct xk_facts *f, const xk_expr *e,
                         const xk_expr *simple);
void xk_facts_forget_simple(struct xk_facts *f);
/* Forgets a variable that went out of scope. */
void xk_facts_forget(struct xk_facts *f, const xk_expr *var);

/* Never fails: unknown is unbounded. */
struct xk_info xk_info_of(struct xk_facts *f, const xk_expr *e);
struct xk_info xk_info_const(int64_t v);
/* The values of a type. */
struct xk_info xk_info_type(enum xk_dtype dt);
/* Result of op on operands of type dt; op has one to three kids and is no
 * cast, ramp, bcast or shuffle. */
struct xk_info xk_info_op(enum xk_op op, enum xk_dtype dt,
                          const struct xk_info *k);

#endif
