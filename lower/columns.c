/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with M in the lanes: C is walked in squares of eight columns of
 * N (a register each) by eight lanes of M, a part of a few at a time. Operations in
 * f32 in place; then reorders to the destination's type in dwords of consecutive
 * columns, or an element in each lane's dword; then the part's store. */
#include "lower/epilogue.h"

#define SIDE 8

static bool packed(const struct xk_lowering *l)
{
    return l->p->epi.store == XK_STORE_PACKED;
}

/* Registers hold runs of columns: the eight of a square, or four where dpasw's
 * halves of N alternate, or did before slices parted them. Elements between
 * runs. */
static unsigned run_of(const struct xk_lowering *l)
{
    return xk_plan_is_wide(l->p) ? SIDE / 2 : SIDE;
}

static unsigned between_runs(const struct xk_lowering *l)
{
    const unsigned half = l->p->slices.n > 1 ? 4 : 8;
    return xk_plan_is_wide(l->p) ? l->p->s.m_thr * half : SIDE * SIDE;
}

/* Byte of a place of the thread's part in C. */
static uint32_t place_b(const struct xk_lowering *l, unsigned m, unsigned n)
{
    const int64_t at[2] = {m, n};
    return 4 * (uint32_t)xk_layout_offset_e(&l->p->part, at);
}

static uint32_t column_b(const struct xk_lowering *l,
                         const struct xk_epi_part *at, unsigned v)
{
    return place_b(l, at->m, at->n + v);
}

/* Columns of a dword of a part's registers. */
static unsigned columns_of_dword(const struct xk_lowering *l)
{
    return packed(l) ? 4 / xk_lower_dst_b(l) : 1;
}

/* Between a square of 4-byte elements [column][lane] and the destination's
 * elements in the lanes' dwords: packed, column c is element c % per of dword
 * c / per; else element 0 of dword c. A message of two halves of rows has a dword of
 * each side by side. */
static struct xk_func square_reorder(const struct xk_lowering *l, bool out,
                                     enum xk_dtype wide)
{
    const uint16_t per_dw = (uint16_t)(4 / xk_lower_dst_b(l));
    const uint16_t per = (uint16_t)columns_of_dword(l);
    const unsigned run = out ? run_of(l) : SIDE, dword = l->p->epi.lanes * per_dw;
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    struct xk_reorder *const r = &f.u.reorder;
    const uint16_t wide_stride[4] = {(uint16_t)between_runs(l),
                                     (uint16_t)(SIDE * per), SIDE, 1};
    const uint16_t dst_stride[4] = {(uint16_t)(run / per * dword),
                                    (uint16_t)dword, 1, per_dw};
    const uint16_t extent[4] = {(uint16_t)(SIDE / run), (uint16_t)(run / per),
                                per, SIDE};
    const unsigned first = run == SIDE; /* one run: no dim for it */
    r->dst = (uint8_t)(out ? l->p->epi.dst : wide);
    r->src = (uint8_t)(out ? wide : l->p->epi.dst);
    r->n_dims = (uint8_t)(4 - first);
    for (unsigned i = 0; i < r->n_dims; i++) {
        r->extent[i] = extent[first + i];
        r->dst_stride[i] = (out ? dst_stride : wide_stride)[first + i];
        r->src_stride[i] = (out ? wide_stride : dst_stride)[first + i];
    }
    return f;
}

/* Square by square. */
static void convert(struct xk_epilogue *e, bool out,
                    const struct xk_epi_part *part, const xk_expr *narrow)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    const enum xk_dtype dt = !out || p->in_f32 ? XK_DT_F32 : l->p->acc.dt;
    const struct xk_func f = square_reorder(l, out, dt);
    for (unsigned n = 0; n < xk_plan_part_columns(p); n += SIDE) {
        const xk_expr *const w =
            out ? xk_lower_reg(l, l->acc, column_b(l, part, n))
                : xk_lower_reg(l, e->old, 4 * n * SIDE);
        const xk_expr *const r = xk_lower_reg(
            l, narrow, xk_plan_packed_b(p, n / columns_of_dword(l)));
        const xk_expr *const args[2] = {out ? r : w, out ? w : r};
        xk_block_call(&l->w, &f, args, 2);
    }
}

/* Lanes that message at column `col` of a block of rows reaches. */
static const xk_expr *mask_of(struct xk_epilogue *e, unsigned block,
                              const xk_expr *col)
{
    struct xk_lowering *const l = e->l;
    const xk_expr *const in_m = e->in[block];
    const unsigned lanes = l->p->epi.lanes;
    if (!l->p->epi.n_masked)
        return in_m ? in_m : xk_lower_true(l, lanes);
    const xk_expr *const in_n =
        xk_bin_imm(l->c, XK_OP_LT, col, l->p->epi.n_extent);
    return in_m ? xk_and(l->c, in_m, in_n) : xk_bcast(l->c, in_n, lanes);
}

/* Dwords of a lane: all of a part's columns, as many of C's own registers as lie
 * together, or one. */
static unsigned dwords_of(const struct xk_lowering *l, bool own)
{
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (!packed(l))
        return 1;
    return own ? run_of(l)
               : p->cols / columns_of_dword(l) / (p->lanes / SIDE);
}

static void move(struct xk_epilogue *e, enum xk_send_op op,
                 const struct xk_epi_part *part, const xk_expr *buf,
                 uint32_t buf_b)
{
    struct xk_lowering *const l = e->l;
    const bool own = buf == l->acc;
    const unsigned vec = dwords_of(l, own), block = part->m / SIDE;
    const unsigned cols = vec * columns_of_dword(l) * (l->p->epi.lanes / SIDE);
    const struct xk_send send = {.op = (uint8_t)op,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = (uint8_t)(packed(l) ? 4 : xk_lower_dst_b(l)),
                                 .vec = (uint8_t)vec,
                                 .lanes = l->p->epi.lanes};
    for (unsigned n = 0; n < xk_plan_part_columns(&l->p->epi); n += cols) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const col =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, part->n + n);
        const xk_expr *const mask = mask_of(e, block, col);
        xk_lower_n_only(l, col, at);
        const xk_expr *const off = xk_add(
            l->c, e->row_b[block], xk_lower_offset(l, &l->p->con->c.view, at));
        xk_lower_send(l, &l->w, &send, l->arg_c, off, buf,
                      own ? column_b(l, part, n) : buf_b + 4 * n * SIDE, NULL,
                      mask);
    }
}

/* Rows 0 .. 7 of the lanes, and where the lanes are in them, bytes. */
static void set_lanes(struct xk_lowering *l, const xk_expr **row,
                      const xk_expr **row_b)
{
    const unsigned lanes = l->p->epi.lanes;
    const xk_expr *const i =
        xk_ramp(l->c, xk_s32(l->c, 0), xk_s32(l->c, 1), lanes);
    *row = i;
    *row_b = NULL;
    if (lanes == SIDE)
        return;
    const unsigned half_b = l->p->epi.cols / 2 * xk_lower_dst_b(l);
    const xk_expr *const upper = xk_bin_imm(l->c, XK_OP_DIV, i, SIDE);
    *row = xk_block_let(&l->w, "row", xk_bin_imm(l->c, XK_OP_MOD, i, SIDE));
    *row_b = xk_block_let(&l->w, "half_b",
                          xk_bin_imm(l->c, XK_OP_MUL, upper, half_b));
}

/* Offsets of the lanes' rows with N at 0, and which lanes are inside M. */
static void prepare(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan *const p = l->p;
    const xk_expr *row, *half_b;
    set_lanes(l, &row, &half_b);
    for (unsigned i = 0; i < p->epi.m / SIDE; i++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, i * SIDE);
        const xk_expr *const m = xk_block_let(
            &l->w, "out_m",
            half_b ? xk_add(l->c, xk_lower_widen(l, first, p->epi.lanes), row)
                   : xk_lower_lanes(l, first));
        if (p->epi.m_masked)
            e->in[i] = xk_block_let(
                &l->w, "in_m", xk_lower_below_m(l, m));
        xk_lower_n_only(l, xk_s32(l->c, 0), at);
        if (!p->epi.merged)
            xk_lower_unpack_m(l, m, at);
        const xk_expr *off =
            p->epi.merged ? xk_bin_imm(l->c, XK_OP_MUL, m, p->epi.row_stride_b)
                          : xk_lower_offset(l, &p->con->c.view, at);
        if (half_b)
            off = xk_add(l->c, off, half_b);
        e->row_b[i] = xk_block_let(&l->w, "row_b", off);
    }
}

static unsigned lanes(const struct xk_lowering *l)
{
    (void)l;
    return SIDE;
}

/* All columns of eight rows, then the next eight. */
static struct xk_epi_part part(const struct xk_lowering *l, unsigned number)
{
    const unsigned cols = xk_plan_part_columns(&l->p->epi);
    const unsigned across = l->p->epi.n / cols;
    const unsigned m = number / across * SIDE, n = number % across * cols;
    return (struct xk_epi_part){m, n, place_b(l, m, n)};
}

const struct xk_epi_family xk_epi_columns = {.lanes = lanes,
                                             .n_lanes = false,
                                             .prepare = prepare,
                                             .part = part,
                                             .vector_b = column_b,
                                             .move = move,
                                             .convert = convert};
