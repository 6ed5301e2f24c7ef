/* SPDX-License-Identifier: Apache-2.0 */
/* Where operands are masked in loops inside those over the outer K indices.
 * Registers of masked lanes are filled where the mask is made: nothing else
 * writes them, so one fill serves the whole inner loop. */
#ifndef XK_LOWER_MASKS_H
#define XK_LOWER_MASKS_H

#include "lower/state.h"

enum { XK_LOWER_PLACE_HEADERS = 8 /* of packed places, which take turns */ };

/* Whether loads of an operand write 0 for lanes that are off, so that nothing
 * fills them before. With dpas a load that leaves lanes alone costs more than
 * one that goes beside the surface (isa/workaround.def, rs_dpas). */
bool xk_lower_loads_zero(const struct xk_lowering *l,
                         const struct xk_operand_view *v);
/* Columns of B, a lane each, before the loops. */
void xk_lower_columns(struct xk_lowering *l);
/* K's loop variables, rows of A, and the masks of both, not bound yet. */
void xk_lower_rows(struct xk_lowering *l);
/* A's coordinates of lane block i, with K at the loop variables. */
void xk_lower_a_index(struct xk_lowering *l, unsigned i, const xk_expr **at);
/* B's at rows n of N, likewise. */
void xk_lower_b_index(struct xk_lowering *l, const xk_expr *n,
                      const xk_expr **at);
/* Binds the masks that belong here, inside the K loops (inner) or before them,
 * and fills what they mask. */
void xk_lower_bind_masks(struct xk_lowering *l, bool inner);

#endif
