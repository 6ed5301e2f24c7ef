/* SPDX-License-Identifier: Apache-2.0 */
/* The launches in front of a deconvolution that sum up what its zero points
 * take away (conv/class_sums.h). */
#ifndef XK_GEN_SUM_LAUNCHES_H
#define XK_GEN_SUM_LAUNCHES_H

#include "gen/gradients.h"

/* What the main launches read of them. */
struct xk_sum_binds {
    unsigned n;
    struct xk_bind bind[2];
};
/* Appends them, and their scratch buffers, to p. *out must live as long as p's
 * launches. */
enum xk_status xk_sum_launches_add(xk_ctx *c, struct xk_problem *p,
                                   struct xk_sum_binds *out);

#endif
