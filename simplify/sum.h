/* SPDX-License-Identifier: Apache-2.0 */
/* Sums while they are worked on. Internal to simplify/. */
#ifndef XK_SIMPLIFY_SUM_H
#define XK_SIMPLIFY_SUM_H

#include "simplify/range.h"

/* Sum of coef * term + constant + ramp * (0, 1, 2, ...). A scalar term of a
 * vector sum counts in every lane. */
struct xk_sum {
    struct xk_linear l;
    int64_t ramp;
    enum xk_dtype dt;
    unsigned lanes;
};

/* Integers only. */
bool xk_is_int(const xk_expr *e);
/* An empty sum of e's type. */
void xk_sum_init(struct xk_sum *s, const xk_expr *e);
/* s += coef * e. Terms pass through leaf first, if there is one; what it
 * returns must be simplified. False if there is no such sum: too many terms,
 * overflow, out of memory. */
typedef const xk_expr *(*xk_leaf_fn)(void *user, const xk_expr *e);
bool xk_sum_add(xk_ctx *c, struct xk_sum *s, const xk_expr *e, int64_t coef,
                xk_leaf_fn leaf, void *user);
/* The canonical tree; NULL if a number does not fit the type. */
const xk_expr *xk_sum_emit(xk_ctx *c, const struct xk_sum *s);
struct xk_info xk_sum_info(struct xk_facts *f, const struct xk_sum *s);
/* The canonical tree, or the constant it is known to be; remembered as
 * simplified and with its range. */
const xk_expr *xk_sum_finish(struct xk_facts *f, struct xk_sum *s);

#endif
