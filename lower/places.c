/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of the tile lies where, of slices of K that have their own part
 * first (plan.h, struct xk_plan_slices): place p of slice s is part p ^ s. All
 * of it is in addresses that are made before the loop. */
#include "lower/state.h"

static bool by_columns(const struct xk_lowering *l)
{
    return l->p->slices.n > 1 && !l->p->slices.by_rows;
}

const xk_expr *xk_lower_part(const struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const unsigned n = p->slices.by_rows ? p->epi.m : p->epi.n;
    const xk_expr *part = l->slice;
    if (p->slices.swaps) /* places side by side are parts 0 2 1 3 */
        part = xk_add(l->c,
                      xk_bin_imm(l->c, XK_OP_MUL,
                                 xk_bin_imm(l->c, XK_OP_AND, part, 1), 2),
                      xk_bin_imm(l->c, XK_OP_DIV, part, 2));
    return xk_bin_imm(l->c, XK_OP_MUL, part, n);
}

/* Place `number` of the tile behind its first column; half: of B, NULL: all. Of
 * a place that is half a pair's the other thread has the next one. */
static const xk_expr *column_place(struct xk_lowering *l, unsigned number,
                                   const xk_expr *half)
{
    const struct xk_plan *const p = l->p;
    xk_ctx *const c = l->c;
    const xk_expr *place = xk_s32(c, number);
    if (p->slices.swaps)
        return xk_bin_imm(
            c, XK_OP_MUL,
            xk_bin(c, XK_OP_XOR, half, xk_bin_imm(c, XK_OP_AND, l->slice, 1)),
            2 * (int64_t)p->epi.n);
    if (p->slices.by_halves)
        place = xk_bin_imm(c, XK_OP_ADD, half, 2 * (int64_t)number);
    const xk_expr *const part = xk_bin(c, XK_OP_XOR, place, l->slice);
    const xk_expr *const first = xk_bin_imm(c, XK_OP_MUL, part, p->epi.n);
    if (!half || p->slices.by_halves)
        return first;
    return xk_add(c, first, xk_bin_imm(c, XK_OP_MUL, half, p->epi.n / 2));
}

void xk_lower_places(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *half = NULL;
    if (xk_plan_is_wide(p))
        half = xk_bin_imm(l->c, XK_OP_MOD, l->tid, 2);
    if (!by_columns(l)) {
        if (half)
            l->n0_b = xk_block_let(
                &l->w, "n0_half",
                xk_add(l->c, l->n0_b,
                       xk_bin_imm(l->c, XK_OP_MUL, half, p->t.n / 2)));
        return;
    }
    const unsigned all = p->t.n / (half ? 2 : 1);
    const unsigned n = all / xk_plan_place_rows(p);
    for (unsigned k = 0; k < n; k++)
        l->place_n[k] =
            xk_block_let(&l->w, "place_n", column_place(l, k, half));
}

const xk_expr *xk_lower_a_rows(struct xk_lowering *l, unsigned first,
                               unsigned lanes)
{
    xk_ctx *const c = l->c;
    const xk_expr *const one = xk_s32(c, 1);
    const xk_expr *const place = xk_ramp(c, xk_s32(c, first), one, lanes);
    const xk_expr *const by = xk_bin_imm(c, XK_OP_MUL, l->slice, l->p->epi.m);
    const xk_expr *const row =
        xk_bin(c, XK_OP_XOR, place, xk_bcast(c, by, lanes));
    return xk_add(c, xk_bcast(c, l->m0, lanes), row);
}
