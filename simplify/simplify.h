/* SPDX-License-Identifier: Apache-2.0 */
/* Expression simplification: rewrite rules as data (rules.def), linear forms,
 * ranges and divisibility. Integers of s32 and s64 that index are assumed not
 * to wrap (docs/ir.md); u32, u64 and narrower types wrap. */
#ifndef XK_SIMPLIFY_SIMPLIFY_H
#define XK_SIMPLIFY_SIMPLIFY_H

#include "ir/stmt.h"

/* What is known about variables: closed ranges and divisibility. */
typedef struct xk_facts xk_facts;
XK_GIVE xk_facts *xk_facts_create(xk_ctx *c);
void xk_facts_unref(xk_facts *f);
/* lo <= var <= hi, and var = mod * n + rem (mod 1: nothing known). */
enum xk_status xk_facts_set(xk_facts *f, const xk_expr *var, int64_t lo,
                            int64_t hi, int64_t mod, int64_t rem);
/* The ranges of the parameters with a known extent. */
enum xk_status xk_facts_set_kernel(xk_facts *f, const struct xk_kernel *k);
/* The ranges of all loop variables and lets in s, as they are inside their
 * scopes; for the verifier and for passes that ask about inner expressions. */
enum xk_status xk_facts_learn(xk_facts *f, const xk_stmt *s);
/* xk_kernel_verify with the ranges of parameters, loops and lets. */
enum xk_status xk_kernel_check(xk_ctx *c, const struct xk_kernel *k);
/* Range of any integer or bool expression (all lanes); false if unknown.
 * Has the type xk_range_fn wants (user = facts). */
bool xk_facts_range(void *facts, const xk_expr *e, int64_t *lo, int64_t *hi);
/* e = *mod * n + *rem for every lane; mod 1 if nothing is known, 0: constant */
void xk_facts_divisibility(xk_facts *f, const xk_expr *e, int64_t *mod,
                           int64_t *rem);

/* Same value for every assignment within the facts; facts may be NULL. */
const xk_expr *xk_simplify(xk_ctx *c, const xk_expr *e, xk_facts *f);
/* All expressions of a statement; facts gain the ranges of loop variables and
 * lets while inside them. */
const xk_stmt *xk_simplify_stmt(xk_ctx *c, const xk_stmt *s, xk_facts *f);
/* True if proven to be always true (all lanes). */
bool xk_prove(xk_ctx *c, const xk_expr *cond, xk_facts *f);

/* Sum of coef[i] * term[i] + constant; terms are distinct and not sums. */
#define XK_LINEAR_MAX 32
struct xk_linear {
    unsigned n;
    const xk_expr *term[XK_LINEAR_MAX];
    int64_t coef[XK_LINEAR_MAX];
    int64_t constant;
};
/* False if e has too many terms. */
bool xk_linear_from(xk_ctx *c, const xk_expr *e, struct xk_linear *out);
const xk_expr *xk_linear_to(xk_ctx *c, enum xk_dtype dt, unsigned lanes,
                            const struct xk_linear *l);

/* Rules, hit counts per rule, and switching one off (bisection). */
unsigned xk_rule_count(void);
const char *xk_rule_name(unsigned i);
/* Counting starts with the first call to xk_facts_count_hits. */
enum xk_status xk_facts_count_hits(xk_facts *f);
uint32_t xk_facts_hits(const xk_facts *f, unsigned rule);
/* XK_EINVAL if there is no rule of this name. */
enum xk_status xk_facts_rule_off(xk_facts *f, const char *name);

#endif
