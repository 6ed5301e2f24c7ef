/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table: rows as text, and the matcher over their compiled form.
 * Internal to simplify/ and its tests. */
#ifndef XK_SIMPLIFY_RULES_H
#define XK_SIMPLIFY_RULES_H

#include "simplify/range.h"

/* e's kids are simplified. NULL: does not apply. */
typedef const xk_expr *(*xk_rule_fn)(struct xk_facts *f, const xk_expr *e);

struct xk_rule_row {
    const char *name;
    const char *pattern, *replacement, *guard; /* NULL for a function */
    xk_rule_fn fn;                             /* NULL for a text rule */
    uint8_t op;                                /* root op of a function */
};

/* NULL beyond the last. */
const struct xk_rule_row *xk_rule_row(unsigned i);

/* The first rule that applies to e's root; NULL if none does. */
const xk_expr *xk_rules_apply(struct xk_facts *f, const xk_expr *e);

/* The same with the rules in text alone. */
const xk_expr *xk_rules_apply_text(struct xk_facts *f, const xk_expr *e);

/* Splits e into a factor and a term without constant factor. */
const xk_expr *xk_linear_strip(const xk_expr *e, int64_t *coef);

/* rule_fns.c */
/* v in all lanes of type t. */
const xk_expr *xk_constant_of(xk_ctx *c, struct xk_type t, int64_t v);
const xk_expr *xk_rule_hoist_bcast(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_linear(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_div_linear(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_mod_linear(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_compare_linear(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_min_linear(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_cast(struct xk_facts *f, const xk_expr *e);
const xk_expr *xk_rule_shuffle(struct xk_facts *f, const xk_expr *e);

#endif
