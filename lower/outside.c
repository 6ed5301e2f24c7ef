/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that no load writes. */
#include <string.h>

#include "base/half.h"
#include "lower/state.h"

void xk_lower_fill_part(struct xk_lowering *l, struct xk_block_writer *w,
                        const struct xk_lower_part *part, const xk_expr *dword)
{
    /* Two registers a move where they are there. */
    const uint32_t most_b = 2u * l->p->platform->grf_b;
    for (uint32_t at = 0; at < part->size_b;) {
        const uint32_t left_b = part->size_b - at;
        const uint32_t n_b = left_b < most_b ? left_b : most_b;
        const xk_expr *const v = xk_bcast(l->c, dword, n_b / 4);
        const xk_expr *const to =
            xk_lower_slot_reg(l, part->buf, part->slot_b, part->first_b + at);
        xk_block_add(w, xk_store(l->c, to, v));
        at += n_b;
    }
}

void xk_lower_zero_slot(struct xk_lowering *l, struct xk_block_writer *w,
                        const xk_expr *buf, const xk_expr *slot_b,
                        uint32_t first_b, uint32_t size_b)
{
    const struct xk_lower_part part = {buf, slot_b, first_b, size_b};
    xk_lower_fill_part(l, w, &part, xk_fimm(l->c, XK_DT_F32, 0));
}

void xk_lower_zero(struct xk_lowering *l, struct xk_block_writer *w,
                   const xk_expr *buf, uint32_t first_b, uint32_t size_b)
{
    xk_lower_zero_slot(l, w, buf, NULL, first_b, size_b);
}

/* As many times as a dword has room. */
static uint32_t repeat(uint32_t bits, unsigned elem_b)
{
    for (unsigned b = elem_b; b < 4; b *= 2)
        bits |= bits << 8 * b;
    return bits;
}

const xk_expr *xk_lower_outside(struct xk_lowering *l,
                                const struct xk_operand_view *v)
{
    const enum xk_dtype t = v->view.layout.dt;
    uint32_t bits = (uint32_t)v->fill;
    if (!v->fill || t == XK_DT_F32)
        return xk_fimm(l->c, XK_DT_F32, v->fill);
    if (t == XK_DT_F16)
        bits = xk_half_from_float((float)v->fill);
    else if (t == XK_DT_BF16)
        bits = xk_bf16_from_float((float)v->fill);
    else if (t != XK_DT_S32)
        bits &= 0xff;
    return xk_imm(l->c, XK_DT_U32, repeat(bits, xk_dtype_b(t)));
}
