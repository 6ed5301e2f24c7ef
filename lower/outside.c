/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that no load writes. */
#include "lower/state.h"

void xk_lower_fill_registers(struct xk_lowering *l, const xk_expr *buf,
                             uint32_t size_b, const xk_expr *dword)
{
    /* Two registers a move where they are there. */
    const uint32_t most_b = 2u * l->p->platform->grf_b;
    for (uint32_t at = 0; at < size_b;) {
        const uint32_t left_b = size_b - at;
        const uint32_t n_b = left_b < most_b ? left_b : most_b;
        const xk_expr *const v = xk_bcast(l->c, dword, n_b / 4);
        xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, buf, at), v));
        at += n_b;
    }
}

void xk_lower_zero(struct xk_lowering *l, const xk_expr *buf, uint32_t size_b)
{
    xk_lower_fill_registers(l, buf, size_b, xk_fimm(l->c, XK_DT_F32, 0));
}

bool xk_lower_loads_zero(const struct xk_lowering *l,
                         const struct xk_operand_view *v)
{
    return l->p->t.dpas && l->p->t.surfaces && !v->fill;
}
