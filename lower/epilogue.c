/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with N in the lanes: right-hand sides into registers, the
 * operations on C row by row, and the stores. */
#include "lower/state.h"

static unsigned col_blocks(const struct xk_lowering *l)
{
    return l->p->epi.n / l->p->s.simd;
}

/* Columns n0 + first + (0 .. simd - 1). */
static const xk_expr *columns(struct xk_lowering *l, unsigned first)
{
    return xk_lower_lanes(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first));
}

void xk_lower_n_only(const struct xk_lowering *l, const xk_expr *n,
                     const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        at[x] = xk_s32(l->c, 0);
    xk_lower_set_n(l, n, at);
}

bool xk_lower_has(const struct xk_lowering *l, enum xk_epi_kind kind)
{
    for (unsigned i = 0; i < l->p->con->n_epi; i++)
        if (l->p->con->epi[i].kind == kind)
            return true;
    return false;
}

const xk_expr *xk_lower_input(struct xk_lowering *l, unsigned input)
{
    const struct xk_plan *const p = l->p;
    const struct xk_operand_view *const v = &p->con->input[input];
    const unsigned simd = p->s.simd;
    const bool ragged =
        (int64_t)p->groups[0] * p->s.tg_n * p->s.n_thr > p->n_extent;
    const xk_expr *const buf =
        xk_block_alloc(&l->w, v->name, 4u * p->epi.n, 0);
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)simd};
    if (ragged)
        xk_lower_zero(l, &l->w, buf, 0, 4u * p->epi.n);
    for (unsigned j = 0; j < col_blocks(l); j++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const n = columns(l, j * simd);
        const xk_expr *mask = xk_lower_true(l, simd);
        if (ragged)
            mask = xk_block_let(&l->w, "in_n",
                                xk_bin_imm(l->c, XK_OP_LT, n, p->n_extent));
        xk_lower_n_only(l, n, at);
        xk_lower_send(l, &l->w, &send, l->arg_in[input],
                      xk_lower_offset(l, &v->view, at), buf, 4 * j * simd, NULL,
                      mask);
    }
    return buf;
}

/* A float constant for x's lanes. */
static const xk_expr *constant(struct xk_lowering *l, const xk_expr *x,
                               double v)
{
    return xk_bcast(l->c, xk_fimm(l->c, XK_DT_F32, v), xk_type_of(x).lanes);
}

const xk_expr *xk_lower_zero_padding(struct xk_lowering *l, const xk_expr *x,
                                     const xk_expr *n)
{
    if (!x)
        return NULL;
    const unsigned lanes = xk_type_of(x).lanes;
    const bool is_float = xk_dtype_is_float((enum xk_dtype)xk_type_of(x).dt);
    const xk_expr *const zero =
        is_float ? xk_fimm(l->c, XK_DT_F32, 0) : xk_imm(l->c, XK_DT_S32, 0);
    const xk_expr *in = xk_bin_imm(l->c, XK_OP_LT, n, l->p->n_extent);
    if (in && xk_type_of(in).lanes < lanes)
        in = xk_bcast(l->c, in, lanes);
    return xk_select(l->c, in, x, xk_bcast(l->c, zero, lanes));
}

const xk_expr *xk_lower_apply(struct xk_lowering *l, const struct xk_epi_op *op,
                              const xk_expr *x, const xk_expr *rhs)
{
    if (!x)
        return NULL;
    switch (op->kind) {
    case XK_EPI_ADD:
        return xk_add(l->c, x, rhs);
    case XK_EPI_SCALE:
        return xk_mul(l->c, x, constant(l, x, (double)op->alpha));
    case XK_EPI_SUM:
        if (op->alpha != 1)
            rhs = xk_mul(l->c, rhs, constant(l, x, (double)op->alpha));
        return xk_add(l->c, x, rhs);
    default: /* RELU: a slope other than 0 is refused before it gets here */
        return xk_max(l->c, x, constant(l, x, 0));
    }
}

static const xk_expr *acc_ptr(struct xk_lowering *l, unsigned m, unsigned n)
{
    const int64_t at[2] = {m, n};
    return xk_ptr(l->c, l->acc,
                  xk_s32(l->c, 4 * xk_layout_offset_e(&l->p->part, at)));
}

/* Byte offset of (row m, first column n) of C; row_b is the tile's first
 * element where rows are merged. */
static const xk_expr *row_offset(struct xk_lowering *l, unsigned m,
                                 const xk_expr *n, const xk_expr *tile_b)
{
    const struct xk_plan_epilogue *const e = &l->p->epi;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    if (e->merged) {
        xk_lower_n_only(l, n, at);
        return xk_bin_imm(
            l->c, XK_OP_ADD,
            xk_add(l->c, xk_lower_offset(l, &l->p->con->c.view, at), tile_b),
            m * e->row_stride_b);
    }
    xk_lower_n_only(l, n, at);
    xk_lower_unpack_m(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m), at);
    return xk_lower_offset(l, &l->p->con->c.view, at);
}

/* Whether row m of the tile is inside M; NULL: always. */
static const xk_expr *row_mask(struct xk_lowering *l, unsigned m)
{
    if (!l->p->epi.m_masked)
        return NULL;
    return xk_bin_imm(l->c, XK_OP_LT, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m),
                      l->p->m_extent);
}

static const xk_expr *both(struct xk_lowering *l, const xk_expr *a,
                           const xk_expr *b, unsigned lanes)
{
    if (a && b)
        return xk_and(l->c, a, b);
    if (a && xk_type_of(a).lanes < lanes)
        return xk_bcast(l->c, a, lanes);
    if (a || b)
        return a ? a : b;
    return xk_lower_true(l, lanes);
}

static bool by_blocks(const struct xk_lowering *l)
{
    return l->p->epi.store == XK_STORE_BLOCK;
}

/* Registers of one message of a row, whole ones: columns as in memory, or a
 * dword a column. */
static uint32_t message_b(const struct xk_lowering *l)
{
    const uint32_t grf_b = l->p->platform->grf_b;
    const uint32_t column_b = by_blocks(l) ? xk_lower_dst_b(l) : 4;
    return (l->p->epi.cols * column_b + grf_b - 1) / grf_b * grf_b;
}

static uint32_t row_messages_b(const struct xk_lowering *l)
{
    return l->p->epi.n / l->p->epi.cols * message_b(l);
}

/* Where message j of a row begins: its first column, or a column a lane. */
static const xk_expr *message_n(struct xk_lowering *l, unsigned j)
{
    const unsigned first = j * l->p->epi.cols;
    return by_blocks(l) ? xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first)
                        : columns(l, first);
}

/* Messages between row m of C and registers: its stores, or loads of what C
 * held before, into buf. */
static void move_row(struct xk_lowering *l, unsigned m, enum xk_send_op op,
                     const xk_expr *buf, uint32_t buf_b, const xk_expr *tile_b,
                     const xk_expr *const *col_masks)
{
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
    for (unsigned j = 0; j * p->epi.cols < p->epi.n; j++) {
        const xk_expr *const n = message_n(l, j);
        const xk_expr *const mask =
            both(l, row_mask(l, m), col_masks[j], send.lanes);
        xk_lower_send(l, &l->w, &send, l->arg_c, row_offset(l, m, n, tile_b),
                      buf, buf_b + j * message_b(l), NULL, mask);
    }
}

/* Values the operations take: inputs by block of columns, and the row's old
 * contents. */
struct operands {
    const xk_expr *input[XK_MAX_INPUTS][XK_LOWER_MAX_BLOCKS];
    const xk_expr *old; /* buffer of one row in f32, NULL: no sum */
    const xk_expr *raw; /* the same as it lay in memory */
    const xk_expr *out; /* two converted rows that take turns, NULL: C itself
                           goes out */
};

/* Between a row of 4-byte columns and its messages' registers. */
static void convert_row(struct xk_lowering *l, bool out, const xk_expr *wide,
                        uint32_t wide_b, const xk_expr *narrow,
                        uint32_t narrow_b)
{
    const struct xk_plan_epilogue *const e = &l->p->epi;
    const uint16_t stride =
        (uint16_t)(by_blocks(l) ? 1 : 4 / xk_lower_dst_b(l));
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    struct xk_reorder *const r = &f.u.reorder;
    r->dst = (uint8_t)(out ? e->dst : XK_DT_F32);
    r->src = (uint8_t)(out ? XK_DT_F32 : e->dst);
    r->n_dims = 1;
    r->extent[0] = e->cols;
    r->dst_stride[0] = out ? stride : 1;
    r->src_stride[0] = out ? 1 : stride;
    for (unsigned j = 0; j * e->cols < l->p->epi.n; j++) {
        const xk_expr *const w = xk_lower_reg(l, wide, wide_b + 4 * j * e->cols);
        const xk_expr *const n =
            xk_lower_reg(l, narrow, narrow_b + j * message_b(l));
        const xk_expr *const args[2] = {out ? n : w, out ? w : n};
        xk_block_call(&l->w, &f, args, 2);
    }
}

static void load_operands(struct xk_lowering *l, struct operands *o)
{
    const struct xk_plan *const p = l->p;
    const struct xk_type vec = xk_type_vec(XK_DT_F32, p->s.simd);
    for (unsigned i = 0; i < p->con->n_inputs; i++) {
        const xk_expr *const buf = xk_lower_input(l, i);
        for (unsigned j = 0; j < col_blocks(l); j++)
            o->input[i][j] = xk_block_load(
                &l->w, "rhs", vec, xk_lower_reg(l, buf, 4 * j * p->s.simd));
    }
    if (xk_lower_has(l, XK_EPI_SUM)) {
        o->raw = xk_block_alloc(&l->w, "raw", row_messages_b(l), 0);
        xk_lower_zero(l, &l->w, o->raw, 0, row_messages_b(l));
        o->old = o->raw;
        if (p->epi.dst != XK_DT_F32)
            o->old = xk_block_alloc(&l->w, "old", 4u * p->epi.n, 0);
    }
    if (!p->epi.convert)
        return;
    o->out = xk_block_alloc(&l->w, "out", 2 * row_messages_b(l), 0);
    if (!by_blocks(l)) /* the rest of each lane's dword */
        xk_lower_zero(l, &l->w, o->out, 0, 2 * row_messages_b(l));
}

static void operate(struct xk_lowering *l, unsigned m, const struct operands *o)
{
    const struct xk_plan *const p = l->p;
    const unsigned simd = p->s.simd;
    const struct xk_type vec = xk_type_vec(XK_DT_F32, simd);
    for (unsigned j = 0; j < col_blocks(l); j++) {
        const xk_expr *const at = acc_ptr(l, m, j * simd);
        const xk_expr *x = xk_block_load(
            &l->w, "x", xk_type_vec(p->acc.dt, simd), at);
        if (p->epi.in_f32 && x)
            x = xk_cast(l->c, XK_DT_F32, x);
        for (unsigned i = 0; i < p->con->n_epi; i++) {
            const struct xk_epi_op *const op = &p->con->epi[i];
            const xk_expr *rhs = NULL;
            if (op->kind == XK_EPI_ADD)
                rhs = o->input[op->input][j];
            else if (op->kind == XK_EPI_SUM)
                rhs = xk_block_load(&l->w, "old", vec,
                                    xk_lower_reg(l, o->old, 4 * j * simd));
            x = xk_lower_apply(l, op, x, rhs);
        }
        if (p->epi.n_extent > p->n_extent)
            x = xk_lower_zero_padding(l, x, columns(l, j * simd));
        xk_block_add(&l->w, xk_store(l->c, at, x));
    }
}

/* Masks of the columns, where some may lie beyond N. */
static void column_masks(struct xk_lowering *l, const xk_expr **masks)
{
    const struct xk_plan *const p = l->p;
    for (unsigned j = 0; p->epi.n_masked && j * p->epi.cols < p->epi.n; j++) {
        const xk_expr *const n = message_n(l, j);
        masks[j] = xk_block_let(&l->w, "out_n",
                                xk_bin_imm(l->c, XK_OP_LT, n, p->epi.n_extent));
    }
}

static void finish_row(struct xk_lowering *l, unsigned m,
                       const struct operands *o, const xk_expr *tile_b,
                       const xk_expr *const *masks)
{
    const struct xk_plan *const p = l->p;
    const int64_t at[2] = {m, 0};
    const uint32_t row_b = 4 * (uint32_t)xk_layout_offset_e(&p->part, at);
    const uint32_t out_b = m % 2 * row_messages_b(l);
    if (o->raw)
        move_row(l, m, XK_SEND_LOAD, o->raw, 0, tile_b, masks);
    if (o->old != o->raw)
        convert_row(l, false, o->old, 0, o->raw, 0);
    if (p->con->n_epi || p->epi.in_f32 || p->epi.n_extent > p->n_extent)
        operate(l, m, o);
    if (o->out)
        convert_row(l, true, l->acc, row_b, o->out, out_b);
    move_row(l, m, XK_SEND_STORE, o->out ? o->out : l->acc,
             o->out ? out_b : row_b, tile_b, masks);
}

void xk_lower_epilogue(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *masks[XK_LOWER_MAX_BLOCKS] = {0};
    const xk_expr *tile_b = NULL;
    struct operands o = {.old = NULL};
    load_operands(l, &o);
    if (p->epi.merged)
        tile_b = xk_block_let(
            &l->w, "row_b",
            xk_bin_imm(l->c, XK_OP_MUL, l->out_m0, p->epi.row_stride_b));
    column_masks(l, masks);
    for (unsigned m = 0; m < p->epi.m; m++)
        finish_row(l, m, &o, tile_b, masks);
}
