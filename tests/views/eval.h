/* SPDX-License-Identifier: Apache-2.0 */
/* Value of an integer or bool expression, computed without simplify/. */
#ifndef XK_TESTS_VIEWS_EVAL_H
#define XK_TESTS_VIEWS_EVAL_H

#include "ir/expr.h"

struct eval_env {
    unsigned n, lane;
    const xk_expr *const *vars;
    const int64_t *values;
};

/* Lane env->lane of e. Aborts on an op that offsets and masks never have. */
int64_t eval(const xk_expr *e, const struct eval_env *env);

#endif
