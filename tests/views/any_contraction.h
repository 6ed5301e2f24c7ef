/* SPDX-License-Identifier: Apache-2.0 */
/* Random contractions, for tests that know no convolution. */
#ifndef XK_TESTS_VIEWS_ANY_CONTRACTION_H
#define XK_TESTS_VIEWS_ANY_CONTRACTION_H

#include "views/contraction.h"

/* Indices of all roles, with coefficients of any sign, coordinates that leave
 * their dims, blocked layouts, conditions, fills; with classes sometimes. At
 * most some thousand terms. Tables of classes are static: one at a time. */
void any_contraction(xk_ctx *c, unsigned *seed, bool classes,
                     struct xk_contraction *out);
int any_below(unsigned *seed, int n);
/* The next place of all indices in row-major order; false behind the last. */
bool any_next(const struct xk_contraction *p, int64_t *at);

#endif
