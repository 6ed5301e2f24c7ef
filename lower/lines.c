/* SPDX-License-Identifier: Apache-2.0 */
/* A gather of 16 lanes of 32 bytes, two lanes a row: the data port looks up whole
 * lines instead of halves. Its answer is two steps of dpas as it is
 * (plan/gather_operand.c). */
#include "lower/lines.h"

#include "lower/headers.h"

enum { STEPS = 2, STEP_B = 32 }; /* of a message; of a step of a row */

/* The item's header at to_b, of rows whose places are at from_b. */
static void set_item(struct xk_lowering *l, const xk_expr *buf, uint32_t from_b,
                     uint32_t to_b)
{
    const xk_expr *const at = xk_lower_reg(l, buf, from_b);
    const xk_expr *const low = xk_block_load(
        &l->w, "low", xk_type_vec(XK_DT_U32, XK_HEADER_LANES), at);
    const xk_expr *const step =
        xk_lower_widen(l, xk_lower_u32(l, STEP_B), XK_HEADER_LANES);
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

const xk_expr *xk_lower_line_rows(struct xk_lowering *l, int64_t row_b)
{
    xk_ctx *const c = l->c;
    const xk_expr *const none = xk_lower_u32(l, 0), *const one = xk_lower_u32(l, 1);
    const xk_expr *const lane = xk_ramp(c, none, one, STEPS * XK_HEADER_LANES);
    const xk_expr *const row = xk_bin_imm(c, XK_OP_MOD, lane, XK_HEADER_LANES);
    const xk_expr *const step = xk_bin_imm(c, XK_OP_DIV, lane, XK_HEADER_LANES);
    const xk_expr *const by = xk_bin_imm(c, XK_OP_MUL, step, STEP_B);
    return xk_add(c, xk_bin_imm(c, XK_OP_MUL, row, row_b), by);
}

const xk_expr *xk_lower_line_begins(struct xk_lowering *l, const xk_expr *i)
{
    return xk_bin_imm(l->c, XK_OP_EQ, xk_bin_imm(l->c, XK_OP_MOD, i, STEPS), 0);
}
