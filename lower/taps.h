/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over all of K with filter taps innermost: addresses of a tap, and B in
 * the order of the loop. */
#ifndef XK_LOWER_TAPS_H
#define XK_LOWER_TAPS_H

#include "lower/state.h"

/* The K coordinates of a filter tap, numbered in the order of the indices, into
 * at[]; the innermost K is 0. */
void xk_lower_tap(const struct xk_lowering *l, unsigned tap,
                  const xk_expr **at);
/* The filter tap of step i of plan.flat's loop. */
const xk_expr *xk_lower_tap_of(const struct xk_lowering *l, const xk_expr *i);
/* Steps of the innermost K in a slice. */
int64_t xk_lower_slice_steps(const struct xk_lowering *l);
/* at (u32), plus slice_b for each slice of K in front of this thread's. */
const xk_expr *xk_lower_of_slice(struct xk_lowering *l, const xk_expr *at,
                                 int64_t slice_b);
/* u32: where the slice begins in A's surface, before_b bytes before its first
 * step. step_b: from a step of the inner K to the next. */
const xk_expr *xk_lower_start_a(struct xk_lowering *l, int64_t before_b,
                                int64_t step_b);
/* Rows of A, one a lane. */
struct xk_tap_rows {
    const xk_expr *m;                      /* s32: rows of M */
    const xk_expr *at[XK_VIEW_MAX_DIMS];   /* coordinates; K at the first tap */
    const xk_expr *first;                  /* u32: offset of the first tap */
    int64_t stride_b[XK_VIEW_MAX_DIMS];    /* from tap to tap, by K index */
    bool even;                             /* these are constants */
    int64_t step_b;
};
/* Rows m (a vector, a let) at element k (s32, one or one a lane) of a step. Offsets
 * are in A's surface, a step of step_b bytes before the slice's first. */
void xk_lower_tap_rows(struct xk_lowering *l, const xk_expr *m,
                       const xk_expr *k, int64_t step_b,
                       struct xk_tap_rows *out);
/* The offset of a tap; plan.flat.beside, a step before, where that is beside the
 * tensor. */
const xk_expr *xk_lower_tap_offset(struct xk_lowering *l,
                                   const struct xk_tap_rows *r, unsigned tap);
/* Loads B of step i of a loop with filter taps innermost (plan.flat). */
void xk_lower_tap_b(struct xk_lowering *l, struct xk_block_writer *w,
                    const xk_expr *i);

#endif
