/* SPDX-License-Identifier: Apache-2.0 */
/* A gather of 16 lanes of 32 bytes, two lanes a row: its answer has in register
 * 2 v + h dword v of step h (isa.md 6.3), a lane a row. So the registers of a step
 * alternate with those of the other one, and a move for each brings them together;
 * the data port looks up whole lines instead of halves. */
#include "lower/lines.h"

#include "lower/headers.h"

enum { STEPS = 2, DWORDS = 8 }; /* of a message; of a step of a row */

/* The item's header at to_b, of rows whose places are at from_b. */
static void set_item(struct xk_lowering *l, const xk_expr *buf, uint32_t from_b,
                     uint32_t to_b)
{
    const xk_expr *const at = xk_lower_reg(l, buf, from_b);
    const xk_expr *const low = xk_block_load(
        &l->w, "low", xk_type_vec(XK_DT_U32, XK_HEADER_LANES), at);
    const xk_expr *const step =
        xk_lower_widen(l, xk_lower_u32(l, 4 * DWORDS), XK_HEADER_LANES);
    if (from_b != to_b)
        xk_lower_set_header(l, buf, to_b, low);
    xk_lower_set_header(l, buf, to_b + XK_HEADER_B, xk_add(l->c, low, step));
}

void xk_lower_line_header(struct xk_lowering *l, const xk_expr *buf,
                          uint32_t at_b, bool two)
{
    if (two) /* while their places are still there */
        set_item(l, buf, at_b + XK_HEADER_B, at_b + STEPS * XK_HEADER_B);
    set_item(l, buf, at_b, at_b);
}

const xk_expr *xk_lower_line_slot(struct xk_lowering *l, const xk_expr *i)
{
    const struct xk_plan *const p = l->p;
    const unsigned slots = p->s.slots_a;
    if (slots == 1)
        return NULL;
    const xk_expr *const turn = xk_bin_imm(l->c, XK_OP_MOD, i, STEPS * slots);
    return xk_bin_imm(l->c, XK_OP_MUL, xk_bin_imm(l->c, XK_OP_DIV, turn, STEPS),
                      p->a.staging_b / slots);
}

const xk_expr *xk_lower_line_begins(struct xk_lowering *l, const xk_expr *i)
{
    return xk_bin_imm(l->c, XK_OP_EQ, xk_bin_imm(l->c, XK_OP_MOD, i, STEPS), 0);
}

void xk_lower_order_lines(struct xk_lowering *l, struct xk_block_writer *w,
                          const xk_expr *i, unsigned first, unsigned last)
{
    static const uint16_t lanes = XK_HEADER_LANES;
    const struct xk_func f = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {.dst = XK_DT_U32,
                      .src = XK_DT_U32,
                      .n_dims = 2,
                      .extent = {DWORDS, lanes},
                      .dst_stride = {lanes, 1},
                      .src_stride = {STEPS * lanes, 1}}};
    const xk_expr *const slot = xk_lower_line_slot(l, i);
    const xk_expr *from = xk_bin_imm(
        l->c, XK_OP_MUL, xk_bin_imm(l->c, XK_OP_MOD, i, STEPS), 4 * lanes);
    if (slot)
        from = xk_add(l->c, slot, from);
    for (unsigned n = first; n < last; n++) {
        const uint32_t reg_b = l->p->seg[0].a.item[n].msg.reg_b;
        const uint32_t to_b = reg_b / STEPS % l->p->a.tile_b;
        const xk_expr *const to = xk_lower_reg(l, l->a, to_b);
        const xk_expr *const args[2] = {
            to, xk_lower_slot_reg(l, l->stage_a, from, reg_b)};
        xk_block_call(w, &f, args, 2);
    }
}
