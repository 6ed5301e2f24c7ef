/* SPDX-License-Identifier: Apache-2.0 */
/* Reassociation by loop levels; part of hoisting. Internal to passes/. */
#ifndef XK_PASSES_REGROUP_H
#define XK_PASSES_REGROUP_H

#include "passes/walk.h"

struct xk_regroup {
    xk_ctx *c;
    struct xk_levels *levels;
    struct xk_memo done;
};

/* levels is borrowed. */
void xk_regroup_init(struct xk_regroup *r, xk_ctx *c, struct xk_levels *l);
void xk_regroup_fini(struct xk_regroup *r);
/* An equal value; the levels of e's variables must be set. NULL on out of
 * memory. */
const xk_expr *xk_regroup(struct xk_regroup *r, const xk_expr *e);

#endif
