/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table as the tests read it: parsed here, not by simplify/rules.c. */
#ifndef XK_TESTS_RULE_TEXT_H
#define XK_TESTS_RULE_TEXT_H

#include "simplify/rules.h"

enum { RULE_N_NUMBERS = 6, RULE_N_BOOLS = 3, RULE_N_CONSTS = 10 };
enum { RULE_N_VARS = RULE_N_NUMBERS + RULE_N_BOOLS + RULE_N_CONSTS + 1 };
enum { RULE_MAX_CLAUSES = 4, RULE_BITS = RULE_N_VARS - 1 };

/* x y z w u v, p q r, c0..c9, bits */
extern const char *const rule_var_names[RULE_N_VARS];

struct rule_text {
    const char *name;
    const xk_expr *vars[RULE_N_VARS];
    const xk_expr *left, *right;
    const xk_expr *clause[RULE_MAX_CLAUSES];
    unsigned n_clauses;
    bool nowrap, any;
    bool used[RULE_N_VARS]; /* on the left side */
};

/* False with a sentence in c if a part does not parse. */
bool rule_text_read(xk_ctx *c, const struct xk_rule_row *row,
                    struct rule_text *out);

/* Nodes of a pattern or replacement; a part without x..r counts as one, since
 * it is a number when the rule has been applied. */
unsigned rule_nodes(const struct rule_text *r, const xk_expr *e);
/* Sum of the ops' weights; parts without variables weigh nothing. */
unsigned rule_weight(const struct rule_text *r, const xk_expr *e);
/* Whether e has none of x..r. */
bool rule_is_number(const struct rule_text *r, const xk_expr *e);

#endif
