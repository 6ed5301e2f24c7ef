/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with N in the lanes: rows of C one after the other. */
#include "lower/epilogue.h"

/* Byte offset of (row m, first column n) of C; row_b is the tile's first
 * element where rows are merged. */
static const xk_expr *row_offset(struct xk_lowering *l, unsigned m,
                                 const xk_expr *n, const xk_expr *row_b)
{
    const struct xk_plan_epilogue *const e = &l->p->epi;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    xk_lower_n_only(l, n, at);
    if (!e->merged)
        xk_lower_unpack_m(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m), at);
    const xk_expr *const off = xk_lower_offset(l, &l->p->con->c.view, at);
    if (!e->merged)
        return off;
    return xk_bin_imm(l->c, XK_OP_ADD, xk_add(l->c, off, row_b),
                      m * e->row_stride_b);
}

/* Whether row m of the tile is inside M; NULL: always. */
static const xk_expr *row_mask(struct xk_lowering *l, unsigned m)
{
    if (!l->p->epi.m_masked)
        return NULL;
    return xk_lower_below_m(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m));
}

static const xk_expr *both(struct xk_lowering *l, const xk_expr *a,
                           const xk_expr *b, unsigned n)
{
    if (a && b)
        return xk_and(l->c, a, b);
    if (a || b)
        return xk_lower_widen(l, a ? a : b, n);
    return xk_lower_true(l, n);
}

static bool by_blocks(const struct xk_lowering *l)
{
    return l->p->epi.store == XK_STORE_BLOCK;
}

static unsigned messages(const struct xk_lowering *l)
{
    return l->p->epi.n / l->p->epi.cols;
}

/* Whole registers of one message of a row. */
static uint32_t message_b(const struct xk_lowering *l)
{
    return l->p->epi.part_b / messages(l);
}

/* Where message j of a row begins: its first column, or a column a lane. */
static const xk_expr *message_n(struct xk_lowering *l, unsigned j)
{
    const unsigned first = j * l->p->epi.cols;
    return by_blocks(l) ? xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first)
                        : xk_lower_out_columns(l, first);
}

static void move(struct xk_epilogue *e, enum xk_send_op op,
                 const struct xk_epi_part *at, const xk_expr *buf,
                 uint32_t buf_b)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan *const p = l->p;
    const bool block = by_blocks(l);
    const unsigned dst_b = xk_lower_dst_b(l);
    const unsigned dwords = p->epi.cols * dst_b / 4;
    const struct xk_send send = {.op = (uint8_t)op,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = (uint8_t)(block ? 4 : dst_b),
                                 .vec = (uint8_t)(block ? dwords : 1),
                                 .lanes = (uint8_t)(block ? 1 : p->s.simd),
                                 .block = block};
    for (unsigned j = 0; j < messages(l); j++) {
        const xk_expr *const n = message_n(l, j);
        const xk_expr *const mask =
            both(l, row_mask(l, at->m), e->in[j], send.lanes);
        xk_lower_send(l, &l->w, &send, l->arg_c,
                      row_offset(l, at->m, n, e->row_b[0]), buf,
                      buf_b + j * message_b(l), NULL, mask);
    }
}

/* Between a row of 4-byte columns and its messages' registers. */
static void convert(struct xk_epilogue *e, bool out, const xk_expr *wide,
                    uint32_t wide_b, const xk_expr *narrow)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    const uint16_t stride =
        (uint16_t)(by_blocks(l) ? 1 : 4 / xk_lower_dst_b(l));
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    struct xk_reorder *const r = &f.u.reorder;
    r->dst = (uint8_t)(out ? p->dst : XK_DT_F32);
    r->src = (uint8_t)(out ? XK_DT_F32 : p->dst);
    r->n_dims = 1;
    r->extent[0] = p->cols;
    r->dst_stride[0] = out ? stride : 1;
    r->src_stride[0] = out ? 1 : stride;
    for (unsigned j = 0; j < messages(l); j++) {
        const xk_expr *const w =
            xk_lower_reg(l, wide, wide_b + 4 * j * p->cols);
        const xk_expr *const n = xk_lower_reg(l, narrow, j * message_b(l));
        const xk_expr *const args[2] = {out ? n : w, out ? w : n};
        xk_block_call(&l->w, &f, args, 2);
    }
}

/* Masks of the columns, where some may lie beyond N. */
static void prepare(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (p->merged)
        e->row_b[0] = xk_block_let(
            &l->w, "row_b",
            xk_bin_imm(l->c, XK_OP_MUL, l->out_m0, p->row_stride_b));
    for (unsigned j = 0; p->n_masked && j < messages(l); j++)
        e->in[j] = xk_block_let(
            &l->w, "out_n",
            xk_bin_imm(l->c, XK_OP_LT, message_n(l, j), p->n_extent));
}

static struct xk_epi_part part(const struct xk_lowering *l, unsigned number)
{
    const int64_t at[2] = {number, 0};
    return (struct xk_epi_part){
        number, 0, 4 * (uint32_t)xk_layout_offset_e(&l->p->part, at)};
}

static void finish(struct xk_epilogue *e, const struct xk_epi_part *at,
                   const xk_expr *old, const xk_expr *out)
{
    struct xk_lowering *const l = e->l;
    const unsigned simd = l->p->s.simd;
    for (unsigned n = 0; n < l->p->epi.n; n += simd) {
        const xk_expr *const reg = xk_lower_reg(l, l->acc, at->acc_b + 4 * n);
        const xk_expr *const was = old ? xk_lower_reg(l, old, 4 * n) : NULL;
        const struct xk_epi_vector v = {n, simd, reg, reg, was};
        xk_epi_operate(e, 0, xk_epi_steps(l), &v);
    }
    if (out)
        convert(e, true, l->acc, at->acc_b, out);
}

static void widen(struct xk_epilogue *e, const xk_expr *raw)
{
    convert(e, false, e->old, 0, raw);
}

const struct xk_epi_family xk_epi_rows = {.n_lanes = true,
                                          .prepare = prepare,
                                          .part = part,
                                          .move = move,
                                          .finish = finish,
                                          .widen = widen};
