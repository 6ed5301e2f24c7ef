/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/headers.h"

const xk_expr *xk_lower_u32(const struct xk_lowering *l, int64_t v)
{
    return xk_imm(l->c, XK_DT_U32, (int64_t)(uint32_t)v);
}

void xk_lower_set_header(struct xk_lowering *l, const xk_expr *buf,
                         uint32_t at_b, const xk_expr *value)
{
    const xk_expr *const wide = xk_lower_widen(l, value, XK_HEADER_LANES);
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, buf, at_b), wide));
}

const xk_expr *xk_lower_or_beside(struct xk_lowering *l, const xk_expr *m,
                                  const xk_expr *mask, const xk_expr *off,
                                  int64_t beside)
{
    const xk_expr *const in =
        l->p->a.row_masked ? xk_lower_inside_m(l, m, mask) : mask;
    return xk_lower_select_beside(l, in, off, beside);
}

const xk_expr *xk_lower_select_beside(struct xk_lowering *l,
                                      const xk_expr *mask, const xk_expr *off,
                                      int64_t beside)
{
    const xk_expr *const in = xk_simplify(l->c, mask, l->facts);
    int64_t always;
    if (in && xk_is_const(in, &always) && always)
        return off;
    return xk_select(l->c, in, off, xk_lower_u32(l, beside));
}

void xk_lower_sendh(struct xk_lowering *l, struct xk_block_writer *w,
                    const struct xk_send *send, const xk_expr *head,
                    const xk_expr *reg)
{
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *send};
    const xk_expr *const args[] = {head, reg, xk_lower_true(l, send->lanes)};
    xk_block_call(w, &f, args, 3);
}

struct xk_send xk_lower_gather_send(const struct xk_lowering *l,
                                    unsigned data_b, unsigned vec,
                                    unsigned lanes)
{
    const struct xk_send load = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = (uint8_t)data_b,
                                 .vec = (uint8_t)vec,
                                 .lanes = (uint8_t)lanes};
    return xk_lower_through_surface(l, &load, l->arg_a);
}

struct xk_send xk_lower_slm_send(enum xk_send_op op, unsigned vec,
                                 unsigned lanes)
{
    return (struct xk_send){.op = (uint8_t)op,
                            .space = XK_SPACE_SLM,
                            .addr = XK_SEND_A32,
                            .data_b = 4,
                            .vec = (uint8_t)vec,
                            .lanes = (uint8_t)lanes,
                            .block = lanes == 1};
}

void xk_lower_sync(struct xk_block_writer *w, enum xk_func_kind kind)
{
    const struct xk_func f = {.kind = (uint8_t)kind, .u.space = XK_SPACE_SLM};
    xk_block_call(w, &f, NULL, 0);
}

void xk_lower_barrier(struct xk_block_writer *w)
{
    xk_lower_sync(w, XK_FUNC_BARRIER_SIGNAL);
    xk_lower_sync(w, XK_FUNC_BARRIER_WAIT);
}

void xk_lower_meet(struct xk_block_writer *w)
{
    xk_lower_sync(w, XK_FUNC_FENCE);
    xk_lower_barrier(w);
}
