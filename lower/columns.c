/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with M in the lanes: C is walked in squares of eight columns of
 * N (a register each) by eight lanes of M. Operations in f32 in place; then a
 * reorder to the destination's type in dwords of consecutive columns, or an
 * element in each lane's dword; then the stores. */
#include "lower/epilogue.h"

#define SIDE 8

static bool packed(const struct xk_lowering *l)
{
    return l->p->epi.store == XK_STORE_PACKED;
}

/* Registers hold runs of columns: the eight of a square, or four where dpasw's
 * halves of N alternate, or did before selects picked one of them for a slice.
 * Elements between runs. */
static unsigned run_of(const struct xk_lowering *l)
{
    return xk_plan_is_wide(l->p) ? SIDE / 2 : SIDE;
}

static unsigned between_runs(const struct xk_lowering *l)
{
    const bool picked = l->p->slices.n > 1 && !l->p->slices.own_first;
    const unsigned half = picked ? 4 : 8;
    return xk_plan_is_wide(l->p) ? l->p->s.m_thr * half : SIDE * SIDE;
}

/* Byte of column `col` of a square behind its first one, in C. */
static uint32_t column_b(const struct xk_lowering *l, unsigned col)
{
    const unsigned run = run_of(l);
    return 4 * (col / run * between_runs(l) + col % run * SIDE);
}

/* Between a square of 4-byte elements [column][lane] and the destination's
 * elements in the lanes' dwords: packed, column c is element c % per of dword
 * c / per; else element 0 of dword c. */
static struct xk_func square_reorder(const struct xk_lowering *l, bool out,
                                     enum xk_dtype wide)
{
    const uint16_t per_dw = (uint16_t)(4 / xk_lower_dst_b(l));
    const uint16_t per = packed(l) ? per_dw : 1;
    const unsigned run = out ? run_of(l) : SIDE;
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    struct xk_reorder *const r = &f.u.reorder;
    const uint16_t wide_stride[4] = {(uint16_t)between_runs(l),
                                     (uint16_t)(SIDE * per), SIDE, 1};
    const uint16_t dst_stride[4] = {(uint16_t)(run / per * SIDE * per_dw),
                                    (uint16_t)(SIDE * per_dw), 1, per_dw};
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

static void convert(struct xk_epilogue *e, bool out, const xk_expr *wide,
                    uint32_t wide_b, const xk_expr *narrow)
{
    struct xk_lowering *const l = e->l;
    const enum xk_dtype dt =
        !out || l->p->epi.in_f32 ? XK_DT_F32 : l->p->acc.dt;
    const struct xk_func f = square_reorder(l, out, dt);
    const xk_expr *const w = xk_lower_reg(l, wide, wide_b);
    const xk_expr *const n = xk_lower_reg(l, narrow, 0);
    const xk_expr *const args[2] = {out ? n : w, out ? w : n};
    xk_block_call(&l->w, &f, args, 2);
}

/* Lanes that message at column `col` of a block of rows reaches. */
static const xk_expr *mask_of(struct xk_epilogue *e, unsigned block,
                              const xk_expr *col)
{
    struct xk_lowering *const l = e->l;
    const xk_expr *const in_m = e->in[block];
    if (!l->p->epi.n_masked)
        return in_m ? in_m : xk_lower_true(l, SIDE);
    const xk_expr *const in_n =
        xk_bin_imm(l->c, XK_OP_LT, col, l->p->epi.n_extent);
    return in_m ? xk_and(l->c, in_m, in_n) : xk_bcast(l->c, in_n, SIDE);
}

/* Packed, vectors of dwords of consecutive columns; else a message a column. */
static void move(struct xk_epilogue *e, enum xk_send_op op,
                 const struct xk_epi_part *part, const xk_expr *buf,
                 uint32_t buf_b)
{
    struct xk_lowering *const l = e->l;
    const unsigned dst_b = xk_lower_dst_b(l);
    const unsigned per = packed(l) ? 4 / dst_b : 1; /* columns a dword */
    const unsigned n_dw = SIDE / per, block = part->m / SIDE;
    for (unsigned dw = 0, vec; dw < n_dw; dw += vec) {
        vec = !packed(l) ? 1 : n_dw - dw < 4 ? n_dw - dw : 4;
        const struct xk_send send = {.op = (uint8_t)op,
                                     .space = XK_SPACE_GLOBAL,
                                     .data_b = (uint8_t)(packed(l) ? 4 : dst_b),
                                     .vec = (uint8_t)vec,
                                     .lanes = SIDE};
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const col =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, part->n + dw * per);
        const xk_expr *const mask = mask_of(e, block, col);
        xk_lower_n_only(l, col, at);
        const xk_expr *const off = xk_add(
            l->c, e->row_b[block], xk_lower_offset(l, &l->p->con->c.view, at));
        xk_lower_send(l, &l->w, &send, l->arg_c, off, buf,
                      buf_b + (buf == l->acc ? column_b(l, dw) : dw * 4 * SIDE),
                      NULL, mask);
    }
}

/* Offsets of the lanes' rows with N at 0, and which lanes are inside M. */
static void prepare(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan *const p = l->p;
    for (unsigned i = 0; i < p->epi.m / SIDE; i++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const first = xk_lower_row(l, l->out_m0, i * SIDE);
        const xk_expr *const m =
            xk_block_let(&l->w, "out_m", xk_lower_lanes(l, first));
        if (p->epi.m_masked)
            e->in[i] = xk_block_let(
                &l->w, "in_m", xk_lower_below_m(l, m));
        xk_lower_n_only(l, xk_s32(l->c, 0), at);
        if (!p->epi.merged)
            xk_lower_unpack_m(l, m, at);
        const xk_expr *const off =
            p->epi.merged ? xk_bin_imm(l->c, XK_OP_MUL, m, p->epi.row_stride_b)
                          : xk_lower_offset(l, &p->con->c.view, at);
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
    const unsigned across = l->p->epi.n / SIDE;
    const unsigned m = number / across * SIDE, n = number % across * SIDE;
    const int64_t at[2] = {m, n};
    return (struct xk_epi_part){
        m, n, 4 * (uint32_t)xk_layout_offset_e(&l->p->part, at)};
}

const struct xk_epi_family xk_epi_columns = {.lanes = lanes,
                                             .n_lanes = false,
                                             .prepare = prepare,
                                             .part = part,
                                             .vector_b = column_b,
                                             .move = move,
                                             .convert = convert};
