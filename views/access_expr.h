/* SPDX-License-Identifier: Apache-2.0 */
/* An access as IR: where an element is in memory, and whether it is there, from
 * an expression for each index. Inside a class only: bases have no tables. */
#ifndef XK_VIEWS_ACCESS_EXPR_H
#define XK_VIEWS_ACCESS_EXPR_H

#include "layout/coord.h"
#include "simplify/simplify.h"

/* Byte offset (s32) of the element at these coordinates, one for each dim of
 * the layout; not simplified. */
const xk_expr *xk_layout_place_b(xk_ctx *c, const struct xk_layout *l,
                                 const xk_expr *const *coord);
/* Byte offset (s32) of the element at at[0 .. n): s32 scalars, or vectors of
 * the same lanes, or NULL for indices that the access does not use. Simplified
 * with facts (may be NULL). A scalar if no vector matters. Where the mask is
 * false it may be outside the tensor. */
const xk_expr *xk_access_offset_b(xk_ctx *c, const struct xk_access *a,
                                  unsigned n, const xk_expr *const *at,
                                  xk_facts *f);
/* Whether all coordinates lie in their intervals: only what facts cannot prove;
 * the constant 1 if nothing is left. */
const xk_expr *xk_access_mask(xk_ctx *c, const struct xk_access *a, unsigned n,
                              const xk_expr *const *at, xk_facts *f);

#endif
