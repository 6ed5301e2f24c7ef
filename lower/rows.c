/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with N in the lanes: rows of C one after the other. */
#include "lower/epilogue.h"

static const xk_expr *arg_of(const struct xk_lowering *l,
                             const struct xk_plan_side *s)
{
    return s->input == XK_SIDE_C ? l->arg_c : l->arg_in[s->input];
}

/* n bytes of C as bytes of a side that lies like it. */
static const xk_expr *like_c(struct xk_lowering *l,
                             const struct xk_plan_side *s, const xk_expr *n)
{
    const unsigned b = xk_epi_bytes(s), c = xk_lower_dst_b(l);
    if (b < c)
        return xk_bin_imm(l->c, XK_OP_DIV, n, c / b);
    return b > c ? xk_bin_imm(l->c, XK_OP_MUL, n, b / c) : n;
}

/* Byte offset of (row m, first column n) of a side. Where rows are merged,
 * row_b[0] is the tile's first element of C. */
static const xk_expr *row_offset(struct xk_epilogue *e,
                                 const struct xk_plan_side *s, unsigned m,
                                 const xk_expr *n)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    const bool merged = p->merged && s->like_c;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    xk_lower_n_only(l, n, at);
    if (!merged)
        xk_lower_unpack_m(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m), &e->row,
                          at);
    const xk_expr *const off = xk_lower_offset(l, xk_epi_view(l, s), at);
    if (!merged)
        return off;
    const int64_t below_b =
        (int64_t)m * p->row_stride_b / xk_lower_dst_b(l) * xk_epi_bytes(s);
    return xk_bin_imm(l->c, XK_OP_ADD,
                      xk_add(l->c, off, like_c(l, s, e->row_b[0])), below_b);
}

/* Whether row m of the tile is inside M; NULL: always. */
static const xk_expr *row_mask(struct xk_lowering *l, unsigned m)
{
    if (!l->p->epi.m_masked)
        return NULL;
    return xk_lower_below_m(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m));
}

/* Whether a side has the elements of row m and columns n; NULL: always. */
static const xk_expr *view_mask(struct xk_epilogue *e,
                                const struct xk_plan_side *s, unsigned m,
                                const xk_expr *n)
{
    struct xk_lowering *const l = e->l;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    if (s->input == XK_SIDE_C ? !l->p->epi.masked : !s->leaves)
        return NULL;
    xk_lower_n_only(l, n, at);
    xk_lower_unpack_m(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, m), &e->row,
                      at);
    return xk_lower_mask(l, xk_epi_view(l, s), at);
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

static unsigned messages(const struct xk_lowering *l,
                         const struct xk_plan_side *s)
{
    return s->one ? 1 : l->p->epi.n / s->cols;
}

/* Whole registers of one message of a row. */
static uint32_t message_b(const struct xk_lowering *l,
                          const struct xk_plan_side *s)
{
    return s->part_b / messages(l, s);
}

/* Where message j of a row begins: its first column, or a column a lane. */
static const xk_expr *message_n(struct xk_lowering *l,
                                const struct xk_plan_side *s, unsigned j)
{
    const unsigned first = j * s->cols;
    if (s->one)
        return xk_bcast(l->c, xk_s32(l->c, 0), l->p->t.lanes);
    return s->store == XK_STORE_BLOCK
               ? xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first)
               : xk_lower_out_columns(l, first);
}

/* Which of those a side has; NULL: all. */
static const xk_expr *columns_mask(struct xk_epilogue *e,
                                   const struct xk_plan_side *s, unsigned j)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (s->input == XK_SIDE_C)
        return e->in[j];
    if (s->one || (!p->n_masked && s->n_extent >= p->n_extent))
        return NULL;
    return xk_bin_imm(l->c, XK_OP_LT, message_n(l, s, j), s->n_extent);
}

static void load_side_row(struct xk_epilogue *e, const struct xk_plan_side *s,
                          const struct xk_epi_part *at, const xk_expr *buf)
{
    struct xk_lowering *const l = e->l;
    const bool block = s->store == XK_STORE_BLOCK;
    const unsigned b = xk_epi_bytes(s), dwords = s->cols * b / 4;
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = (uint8_t)(block ? 4 : b),
                                 .vec = (uint8_t)(block ? dwords : 1),
                                 .lanes = (uint8_t)(block ? 1 : l->p->t.lanes),
                                 .block = block,
                                 .zero = xk_epi_loads_zero(l, s)};
    for (unsigned j = 0; j < messages(l, s); j++) {
        const xk_expr *const n = message_n(l, s, j);
        const xk_expr *const in_view = view_mask(e, s, at->m, n);
        const xk_expr *in_row = row_mask(l, at->m);
        if (in_view)
            in_row = both(l, in_row, in_view, send.lanes);
        const xk_expr *const mask =
            both(l, in_row, columns_mask(e, s, j), send.lanes);
        const struct xk_lower_args x = {
            .mem = arg_of(l, s),
            .off = row_offset(e, s, at->m, n),
            .reg = xk_lower_reg(l, buf, j * message_b(l, s)),
            .mask = mask};
        xk_lower_send(l, &l->w, &send, &x);
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
    for (unsigned j = 0; p->n_masked && j < messages(l, &e->c); j++)
        e->in[j] = xk_block_let(
            &l->w, "out_n",
            xk_bin_imm(l->c, XK_OP_LT, message_n(l, &e->c, j), p->n_extent));
}

static struct xk_epi_part part(const struct xk_lowering *l, unsigned number)
{
    const int64_t at[2] = {number, 0};
    return (struct xk_epi_part){
        number, 0, 4 * (uint32_t)xk_layout_offset_e(&l->p->part, at)};
}

/* Steps first .. end - 1 on a row. */
static void operate_row(struct xk_epilogue *e, const struct xk_epi_part *at,
                        unsigned first, unsigned end)
{
    struct xk_lowering *const l = e->l;
    const unsigned simd = l->p->t.lanes;
    for (unsigned n = 0; n < l->p->epi.n; n += simd) {
        const xk_expr *const reg = xk_lower_reg(l, l->acc, at->acc_b + 4 * n);
        const struct xk_epi_vector v = {n, simd, n, reg, reg};
        xk_epi_operate(e, first, end, &v);
    }
}

static void operate(struct xk_epilogue *e, const struct xk_epi_part *at,
                    unsigned first, unsigned end)
{
    const bool serial = xk_plan_is_serial(&e->l->p->epi);
    for (unsigned step = first; serial && step < end; step++) {
        if (!xk_epi_side(e->l, step))
            continue;
        operate_row(e, at, first, step);
        xk_epi_fetch(e, at, step);
        first = step;
    }
    operate_row(e, at, first, end);
}

static void finish(struct xk_epilogue *e, const struct xk_epi_part *at,
                   const xk_expr *out)
{
    operate(e, at, e->first, xk_epi_steps(e->l));
    if (out)
        xk_epi_convert(e, at, out);
}

/* From a row's messages' registers to 4-byte columns. */
static void widen(struct xk_epilogue *e, const struct xk_plan_side *s,
                  const xk_expr *raw)
{
    struct xk_lowering *const l = e->l;
    const bool block = s->store == XK_STORE_BLOCK;
    const struct xk_func f = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {
            .dst = XK_DT_F32,
            .src = s->dt,
            .n_dims = 1,
            .extent = {s->cols},
            .dst_stride = {1},
            .src_stride = {(uint16_t)(block ? 1 : 4 / xk_epi_bytes(s))}}};
    for (unsigned j = 0; j < messages(l, s); j++) {
        const xk_expr *const args[2] = {
            xk_lower_reg(l, e->f32, 4 * j * s->cols),
            xk_lower_reg(l, raw, j * message_b(l, s))};
        xk_block_call(&l->w, &f, args, 2);
    }
}

static uint32_t place(const struct xk_lowering *l, const struct xk_plan_side *s,
                      unsigned column)
{
    (void)l;
    (void)s;
    return 4 * column;
}

const struct xk_epi_family xk_epi_rows = {.n_lanes = true,
                                          .prepare = prepare,
                                          .part = part,
                                          .load = load_side_row,
                                          .operate = operate,
                                          .finish = finish,
                                          .widen = widen,
                                          .place = place};
