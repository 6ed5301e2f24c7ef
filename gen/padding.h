/* SPDX-License-Identifier: Apache-2.0 */
/* Padding of C that no column of a kernel is: where columns of several groups
 * share blocks, the last block's padding belongs to no group. Padding holds
 * zeros, so that a launch of its own writes them. */
#ifndef XK_GEN_PADDING_H
#define XK_GEN_PADDING_H

#include "gen/contraction_problem.h"

/* The dim of C with such padding; -1: there is none. A dim that is an index of
 * N has its padding written with its columns. */
int xk_padding_dim(const struct xk_contraction *p);
/* The problem that writes zeros there. Its A and B are those of p, and nothing
 * is read from them. */
enum xk_status xk_padding_problem_make(xk_ctx *c,
                                       const struct xk_platform *platform,
                                       const struct xk_contraction *p,
                                       struct xk_contraction_problem *out);

#endif
