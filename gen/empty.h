/* SPDX-License-Identifier: Apache-2.0 */
/* An empty minibatch (mb=0). What may be described for mb=1 may be for none: a
 * problem is made for one, and then loses it. */
#ifndef XK_GEN_EMPTY_H
#define XK_GEN_EMPTY_H

#include "gen/gen.h"

/* *p was made for mb=1. Tensors whose outermost dim is the minibatch become
 * empty, and there is no launch: nothing is to be done. The gradients of
 * weights and bias are sums of nothing, which launches of their own write as
 * zeros. */
enum xk_status xk_problem_empty(xk_ctx *c, struct xk_problem *p);

#endif
