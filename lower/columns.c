/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with M in the lanes: a register is a column of eight rows. A
 * part of C is eight rows of some columns. Steps that are the same for all
 * columns take two of them, 16 lanes. The last one that is not writes each
 * column beside the one that has the same place in the next register of the
 * message; so conversions take 16 lanes too. */
#include "lower/epilogue.h"

#include <string.h>

enum { MOST_ROWS = 8 }; /* of a dpas, on any platform */

/* Lanes of a dpas, which are rows of M; its repeat count, which is columns. */
static unsigned lanes_of_rows(const struct xk_lowering *l)
{
    return l->p->platform->dpas_exec;
}

static unsigned columns_of_dpas(const struct xk_lowering *l)
{
    return l->p->platform->dpas_rows;
}

static bool is_packed_store(const struct xk_plan_side *s)
{
    return s->store == XK_STORE_PACKED;
}

/* Byte of a place of the thread's part in C. */
static uint32_t place_b(const struct xk_lowering *l, unsigned m, unsigned n)
{
    const int64_t at[2] = {m, n};
    return 4 * (uint32_t)xk_layout_offset_e(&l->p->part, at);
}

/* Column n of a part, in C. */
static const xk_expr *column(struct xk_lowering *l,
                             const struct xk_epi_part *at, unsigned n)
{
    return xk_lower_reg(l, l->acc, place_b(l, at->m, at->n + n));
}

/* Columns of a dword of a part's registers. */
static unsigned columns_of_dword(const struct xk_plan_side *s)
{
    return is_packed_store(s) ? 4 / xk_epi_bytes(s) : 1;
}

/* Registers of eight columns in a part as in memory. */
static unsigned registers_of_eight(const struct xk_lowering *l,
                                   const struct xk_plan_side *s)
{
    return columns_of_dpas(l) / columns_of_dword(s);
}

static const xk_expr *narrow_of(struct xk_lowering *l,
                                const struct xk_plan_side *s,
                                const xk_expr *part, unsigned eight)
{
    return xk_lower_reg(
        l, part, eight * registers_of_eight(l, s) * 4 * lanes_of_rows(l));
}

/* Eight columns are converted together: those of registers of the part that lie
 * together. Vector i of them is element i / registers of each lane's dword in
 * register i % registers, so two vectors make two registers. */
static unsigned column_of(const struct xk_lowering *l,
                          const struct xk_plan_side *s, unsigned eight,
                          unsigned i)
{
    const unsigned regs = registers_of_eight(l, s);
    return (eight * regs + i % regs) * columns_of_dword(s) + i / regs;
}

/* The other way round: where a column's vector is among those of a part. */
static uint32_t vector_place(const struct xk_lowering *l,
                             const struct xk_plan_side *s, unsigned column)
{
    const unsigned per = columns_of_dword(s), regs = registers_of_eight(l, s);
    const unsigned dword = column / per;
    return 4 * lanes_of_rows(l) *
           (dword / regs * columns_of_dpas(l) + column % per * regs +
            dword % regs);
}

/* From their registers as in memory to eight vectors of f32. */
static void widen_eight(struct xk_epilogue *e, const struct xk_plan_side *s,
                        const xk_expr *wide, const xk_expr *narrow)
{
    const struct xk_lowering *const l = e->l;
    const unsigned per_dw = 4 / xk_epi_bytes(s), lanes = lanes_of_rows(l);
    const unsigned regs = registers_of_eight(l, s);
    const struct xk_func f = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {
            .dst = XK_DT_F32,
            .src = s->dt,
            .n_dims = 3,
            .extent = {(uint16_t)(regs / 2),
                       (uint16_t)(columns_of_dpas(l) / regs),
                       (uint16_t)(2 * lanes)},
            .dst_stride = {(uint16_t)(2 * lanes), (uint16_t)(regs * lanes), 1},
            .src_stride = {(uint16_t)(2 * lanes * per_dw), 1,
                           (uint16_t)per_dw}}};
    const xk_expr *const args[2] = {wide, narrow};
    xk_block_call(&e->l->w, &f, args, 2);
}

/* An element for each row, a dword each. */
static void widen_one(struct xk_epilogue *e, const struct xk_plan_side *s,
                      const xk_expr *raw)
{
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    struct xk_reorder *const r = &f.u.reorder;
    r->dst = XK_DT_F32;
    r->src = s->dt;
    r->n_dims = 1;
    r->extent[0] = (uint16_t)lanes_of_rows(e->l);
    r->dst_stride[0] = 1;
    r->src_stride[0] = (uint16_t)(4 / xk_epi_bytes(s));
    const xk_expr *const args[2] = {xk_lower_reg(e->l, e->f32, 0),
                                    xk_lower_reg(e->l, raw, 0)};
    xk_block_call(&e->l->w, &f, args, 2);
}

static void widen_columns(struct xk_epilogue *e, const struct xk_plan_side *s,
                          const xk_expr *raw)
{
    const unsigned n = xk_plan_part_columns(e->l->p) / columns_of_dpas(e->l);
    if (s->one) {
        widen_one(e, s, raw);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        const xk_expr *const to =
            xk_lower_reg(e->l, e->f32, i * xk_plan_square_b(e->l->p));
        widen_eight(e, s, to, narrow_of(e->l, s, raw, i));
    }
}

/* The step that brings C to where it is converted, among those that are left:
 * the last one that goes column by column anyway, or else needs that order; or
 * just the last one. */
static unsigned placing_step(const struct xk_epilogue *e)
{
    const struct xk_lowering *const l = e->l;
    unsigned best = 0, last = e->first;
    for (unsigned i = e->first; i < xk_epi_steps(l); i++)
        if (xk_epi_has_step(l, i) && xk_epi_operand(l, i) >= best) {
            best = xk_epi_operand(l, i);
            last = i;
        }
    return last;
}

/* A step on a part in place, on two columns at a time where they need not be
 * told apart. */
static void operate_part(struct xk_epilogue *e, const struct xk_epi_part *at,
                         unsigned step)
{
    struct xk_lowering *const l = e->l;
    const bool alone = xk_epi_operand(l, step) != XK_EPI_NONE;
    const unsigned cols = alone ? 1 : 2, each = columns_of_dpas(l);
    xk_epi_fetch(e, at, step);
    for (unsigned v = 0; v < xk_plan_part_columns(l->p); v += cols) {
        const unsigned n = alone ? column_of(l, &e->c, v / each, v % each) : v;
        const xk_expr *const reg = column(l, at, n);
        const struct xk_epi_vector x = {at->n + n, cols * lanes_of_rows(l), n,
                                        reg, reg};
        xk_epi_operate(e, step, step + 1, &x);
    }
}

static void operate_columns(struct xk_epilogue *e, const struct xk_epi_part *at,
                            unsigned first, unsigned end)
{
    for (unsigned step = first; step < end; step++)
        operate_part(e, at, step);
}

/* The placing step, then those behind it, on eight columns, which the former
 * brings to registers from `wide` on; NULL: in place. */
static void operate_eight(struct xk_epilogue *e, const struct xk_epi_part *at,
                          unsigned eight, const xk_expr *wide, uint32_t wide_b)
{
    struct xk_lowering *const l = e->l;
    const unsigned step = placing_step(e);
    const bool pairs = wide || !l->p->epi.convert; /* neighbours */
    const unsigned lanes = lanes_of_rows(l), all = columns_of_dpas(l);
    const xk_expr *to[MOST_ROWS];
    for (unsigned i = 0; i < all; i++) {
        const unsigned n = column_of(l, &e->c, eight, i);
        const xk_expr *const from = column(l, at, n);
        to[i] = wide ? xk_lower_reg(l, wide, wide_b + 4 * i * lanes) : from;
        const struct xk_epi_vector x = {at->n + n, lanes, n, from, to[i]};
        xk_epi_operate(e, step, step + 1, &x);
    }
    for (unsigned i = 0; i < all; i += pairs ? 2 : 1) {
        const struct xk_epi_vector x = {at->n, pairs ? 2 * lanes : lanes,
                                        column_of(l, &e->c, eight, i), to[i],
                                        to[i]};
        xk_epi_operate(e, step + 1, xk_epi_steps(l), &x);
    }
}

static void finish_columns(struct xk_epilogue *e, const struct xk_epi_part *at,
                           const xk_expr *out)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    const bool any = xk_epi_has_steps(l, e->first, xk_epi_steps(l));
    const bool in_side = any && p->wide_in_side;
    const unsigned n_wide = any ? p->wide : 0, all = columns_of_dpas(l);
    operate_columns(e, at, e->first, placing_step(e));
    xk_epi_fetch(e, at, placing_step(e));
    for (unsigned i = 0; i < xk_plan_part_columns(l->p) / all; i++) {
        const xk_expr *const wide = in_side  ? e->f32
                                    : n_wide ? e->wide[i % n_wide]
                                             : NULL;
        const uint32_t wide_b = in_side ? i * xk_plan_square_b(l->p) : 0;
        if (any)
            operate_eight(e, at, i, wide, wide_b);
        if (wide)
            xk_epi_convert_wide(e, i, xk_lower_reg(l, wide, wide_b), out);
    }
    if (out && !in_side && !n_wide)
        xk_epi_convert(e, at, out);
}

/* The places of a block's rows, with N at 0, whether C's rows are merged or
 * not. */
static void unpack_rows(struct xk_lowering *l, unsigned block,
                        const xk_expr **at)
{
    xk_lower_n_only(l, xk_s32(l->c, 0), at);
    const xk_expr *const first =
        xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, block * lanes_of_rows(l));
    xk_lower_unpack_m(l, xk_block_let(&l->w, "out_m", xk_lower_lanes(l, first)),
                      NULL, at);
}

/* Whether a side has the elements of column col of a block of rows; NULL:
 * always. */
static const xk_expr *side_mask(struct xk_epilogue *e,
                                const struct xk_plan_side *s, unsigned block,
                                const xk_expr *col)
{
    struct xk_lowering *const l = e->l;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    if (s->input == XK_SIDE_C ? !l->p->epi.masked : !s->leaves)
        return NULL;
    if (l->p->epi.merged)
        unpack_rows(l, block, at);
    else
        memcpy(at, e->at[block], sizeof(at));
    xk_lower_set_n(l, col, at);
    return xk_lower_widen(l, xk_lower_mask(l, xk_epi_view(l, s), at),
                          lanes_of_rows(l));
}

/* Lanes that message at column `col` of a block of rows reaches. */
static const xk_expr *mask_of(struct xk_epilogue *e,
                              const struct xk_plan_side *s, unsigned block,
                              const xk_expr *col)
{
    struct xk_lowering *const l = e->l;
    const xk_expr *in_m = e->in[block];
    const bool all = !l->p->epi.n_masked && s->n_extent >= l->p->epi.n_extent;
    const xk_expr *const in_view = side_mask(e, s, block, col);
    if (in_view)
        in_m = in_m ? xk_and(l->c, in_m, in_view) : in_view;
    if (all || s->one)
        return in_m ? in_m : xk_lower_true(l, lanes_of_rows(l));
    const xk_expr *const in_n = xk_bin_imm(l->c, XK_OP_LT, col, s->n_extent);
    return in_m ? xk_and(l->c, in_m, in_n)
                : xk_bcast(l->c, in_n, lanes_of_rows(l));
}

/* Dwords of a lane: all of a message's columns, or one. */
static unsigned dwords_of(const struct xk_plan_side *s)
{
    return is_packed_store(s) ? s->cols / columns_of_dword(s) : 1;
}

/* Byte offsets of a block's rows in an input, with N at 0: C's, if it lies like
 * C. NULL: they are not told apart from the columns'. */
static const xk_expr *rows_of(struct xk_epilogue *e,
                              const struct xk_plan_side *s, unsigned block)
{
    struct xk_lowering *const l = e->l;
    const unsigned b = xk_epi_bytes(s), c = xk_lower_dst_b(l);
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    if (l->p->epi.whole)
        return NULL;
    if (s->like_c && b >= c)
        return b == c ? e->row_b[block]
                      : xk_bin_imm(l->c, XK_OP_MUL, e->row_b[block], b / c);
    if (s->like_c)
        return xk_bin_imm(l->c, XK_OP_DIV, e->row_b[block], c / b);
    unpack_rows(l, block, at);
    return xk_block_let(&l->w, "rhs_b",
                        xk_lower_offset(l, xk_epi_view(l, s), at));
}

/* Byte offsets of column col of a block of rows, whose own are `rows`. */
static const xk_expr *offset_of(struct xk_epilogue *e, const struct xk_view *v,
                                unsigned block, const xk_expr *rows,
                                const xk_expr *col)
{
    struct xk_lowering *const l = e->l;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    if (!rows) {
        memcpy(at, e->at[block], sizeof(at));
        xk_lower_set_n(l, col, at);
        return xk_lower_offset(l, v, at);
    }
    xk_lower_n_only(l, col, at);
    return xk_add(l->c, rows, xk_lower_offset(l, v, at));
}

static void load_columns(struct xk_epilogue *e, const struct xk_plan_side *s,
                         const struct xk_epi_part *part, const xk_expr *buf)
{
    struct xk_lowering *const l = e->l;
    const bool is_c = s->input == XK_SIDE_C;
    const unsigned vec = dwords_of(s), lanes = lanes_of_rows(l),
                   block = part->m / lanes;
    const unsigned per = columns_of_dword(s), cols = vec * per;
    const unsigned all = s->one ? 1 : xk_plan_part_columns(l->p);
    const xk_expr *const rows = is_c ? e->row_b[block] : rows_of(e, s, block);
    const struct xk_send send = {
        .op = XK_SEND_LOAD,
        .space = XK_SPACE_GLOBAL,
        .data_b = (uint8_t)(is_packed_store(s) ? 4 : xk_epi_bytes(s)),
        .vec = (uint8_t)vec,
        .lanes = (uint8_t)lanes,
        .zero = xk_epi_loads_zero(l, s)};
    for (unsigned n = 0; n < all; n += cols) {
        const xk_expr *const col =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, part->n + n);
        const struct xk_lower_args x = {
            .mem = is_c ? l->arg_c : l->arg_in[s->input],
            .off = offset_of(e, xk_epi_view(l, s), block, rows, col),
            .reg = xk_lower_reg(l, buf, 4 * lanes * (n / per)),
            .mask = mask_of(e, s, block, col)};
        xk_lower_send(l, &l->w, &send, &x);
    }
}

/* Offsets of the lanes' rows with N at 0, and which lanes are inside M. */
static void prepare_columns(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan *const p = l->p;
    for (unsigned i = 0; i < p->epi.m / lanes_of_rows(l); i++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, i * lanes_of_rows(l));
        const xk_expr *const m =
            xk_block_let(&l->w, "out_m", xk_lower_lanes(l, first));
        if (p->epi.m_masked)
            e->in[i] = xk_block_let(&l->w, "in_m", xk_lower_below_m(l, m));
        xk_lower_n_only(l, xk_s32(l->c, 0), at);
        if (!p->epi.merged)
            xk_lower_unpack_m(l, m, NULL, at);
        memcpy(e->at[i], at, sizeof(at));
        if (p->epi.whole)
            continue;
        const xk_expr *const off =
            p->epi.merged ? xk_bin_imm(l->c, XK_OP_MUL, m, p->epi.row_stride_b)
                          : xk_lower_offset(l, &p->con->c.view, at);
        e->row_b[i] = xk_block_let(&l->w, "row_b", off);
    }
}

/* All columns of eight rows, then the next eight. */
static struct xk_epi_part column_part(const struct xk_lowering *l,
                                      unsigned number)
{
    const unsigned cols = xk_plan_part_columns(l->p);
    const unsigned across = l->p->epi.n / cols;
    const unsigned m = number / across * lanes_of_rows(l),
                   n = number % across * cols;
    return (struct xk_epi_part){m, n, place_b(l, m, n)};
}

const struct xk_epi_family xk_epi_columns = {.n_lanes = false,
                                             .prepare = prepare_columns,
                                             .part = column_part,
                                             .load = load_columns,
                                             .operate = operate_columns,
                                             .finish = finish_columns,
                                             .widen = widen_columns,
                                             .place = vector_place};
