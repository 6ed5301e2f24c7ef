/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/headers.h"

const xk_expr *xk_lower_u32(const struct xk_lowering *l, int64_t v)
{
    return xk_imm(l->c, XK_DT_U32, (int64_t)(uint32_t)v);
}

void xk_lower_sendh(struct xk_lowering *l, struct xk_block_writer *w,
                    const struct xk_send *send, const xk_expr *head,
                    const xk_expr *reg)
{
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *send};
    const xk_expr *const args[] = {head, reg, xk_lower_true(l, send->lanes)};
    xk_block_call(w, &f, args, 3);
}
