/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue with M in the lanes: C is walked in squares of eight columns of
 * N (a register each) by eight lanes of M. Operations in f32 in place; then a
 * reorder to the destination's type in dwords of consecutive columns, or an
 * element in each lane's dword; then the stores. */
#include "lower/state.h"

#define SIDE 8
#define SQUARE_B (SIDE * SIDE * 4)

struct columns {
    const xk_expr *input[XK_MAX_INPUTS]; /* buffers of epi.n f32 */
    const xk_expr *out; /* converted square, NULL: C itself goes out */
    const xk_expr *raw; /* what C's memory held, as it came; sum only */
    const xk_expr *old; /* the same in f32, [column][lane] */
    const xk_expr *row_b[XK_LOWER_MAX_BLOCKS]; /* s32 x 8: offsets, N at 0 */
    const xk_expr *in_m[XK_LOWER_MAX_BLOCKS];  /* bool x 8, NULL: all */
};

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

static void reorder(struct xk_lowering *l, const struct xk_func *f,
                    const xk_expr *dst, const xk_expr *src)
{
    const xk_expr *const args[2] = {dst, src};
    xk_block_call(&l->w, f, args, 2);
}

/* The messages of one square: packed, vectors of dwords of consecutive
 * columns; else a message a column. */
static void move_square(struct xk_lowering *l, const struct columns *s,
                        enum xk_send_op op, unsigned lanes, unsigned n,
                        const xk_expr *buf, uint32_t buf_b)
{
    const unsigned dst_b = xk_lower_dst_b(l);
    const unsigned per = packed(l) ? 4 / dst_b : 1; /* columns a dword */
    const unsigned n_dw = SIDE / per;
    for (unsigned dw = 0; dw < n_dw;) {
        const unsigned vec = packed(l) ? (n_dw - dw < 4 ? n_dw - dw : 4) : 1;
        const struct xk_send send = {.op = (uint8_t)op,
                                     .space = XK_SPACE_GLOBAL,
                                     .data_b = (uint8_t)(packed(l) ? 4 : dst_b),
                                     .vec = (uint8_t)vec,
                                     .lanes = SIDE};
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const col =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, n + dw * per);
        const xk_expr *mask = s->in_m[lanes];
        if (l->p->epi.n_masked) {
            const xk_expr *const in =
                xk_bin_imm(l->c, XK_OP_LT, col, l->p->epi.n_extent);
            mask = mask ? xk_and(l->c, mask, in) : xk_bcast(l->c, in, SIDE);
        }
        if (!mask)
            mask = xk_lower_true(l, SIDE);
        xk_lower_n_only(l, col, at);
        xk_lower_send(l, &l->w, &send, l->arg_c,
                      xk_add(l->c, s->row_b[lanes],
                             xk_lower_offset(l, &l->p->con->c.view, at)),
                      buf,
                      buf_b + (buf == l->acc ? column_b(l, dw) : dw * 4 * SIDE),
                      NULL, mask);
        dw += vec;
    }
}

/* Offsets of the lanes' rows with N at 0, and which lanes are inside M. */
static void rows(struct xk_lowering *l, struct columns *s)
{
    const struct xk_plan *const p = l->p;
    for (unsigned i = 0; i < p->s.m_thr / SIDE; i++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const m = xk_block_let(
            &l->w, "out_m",
            xk_lower_lanes(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_m0, i * SIDE)));
        if (p->epi.m_masked)
            s->in_m[i] = xk_block_let(
                &l->w, "in_m", xk_bin_imm(l->c, XK_OP_LT, m, p->m_extent));
        xk_lower_n_only(l, xk_s32(l->c, 0), at);
        if (!p->epi.merged)
            xk_lower_unpack_m(l, m, at);
        const xk_expr *const off =
            p->epi.merged ? xk_bin_imm(l->c, XK_OP_MUL, m, p->epi.row_stride_b)
                          : xk_lower_offset(l, &p->con->c.view, at);
        s->row_b[i] = xk_block_let(&l->w, "row_b", off);
    }
}

static void buffers(struct xk_lowering *l, struct columns *s)
{
    const struct xk_plan *const p = l->p;
    for (unsigned i = 0; i < p->con->n_inputs; i++)
        s->input[i] = xk_lower_input(l, i);
    if (p->epi.convert)
        s->out = xk_block_alloc(&l->w, "out", SQUARE_B, 0);
    if (s->out && !packed(l)) /* the rest of each lane's dword */
        xk_lower_zero(l, &l->w, s->out, 0, SQUARE_B);
    if (!xk_lower_has(l, XK_EPI_SUM))
        return;
    s->raw = xk_block_alloc(&l->w, "raw", SQUARE_B, 0);
    xk_lower_zero(l, &l->w, s->raw, 0, SQUARE_B);
    s->old = s->raw;
    if (p->epi.dst != XK_DT_F32)
        s->old = xk_block_alloc(&l->w, "old", SQUARE_B, 0);
}

static const xk_expr *rhs_of(struct xk_lowering *l, const struct columns *s,
                             const struct xk_epi_op *op, unsigned n,
                             unsigned row)
{
    const struct xk_type one = xk_type_vec(XK_DT_F32, 1);
    const struct xk_type vec = xk_type_vec(XK_DT_F32, SIDE);
    if (op->kind == XK_EPI_ADD)
        return xk_bcast(
            l->c,
            xk_block_load(&l->w, "rhs", one,
                          xk_lower_reg(l, s->input[op->input], 4 * (n + row))),
            SIDE);
    if (op->kind == XK_EPI_SUM)
        return xk_block_load(&l->w, "old", vec,
                             xk_lower_reg(l, s->old, row * 4 * SIDE));
    return NULL;
}

/* The steps on one square of C, in place. */
static void operate(struct xk_lowering *l, const struct columns *s, unsigned n,
                    uint32_t acc_b)
{
    const struct xk_plan *const p = l->p;
    const struct xk_type vec = xk_type_vec(p->acc.dt, SIDE);
    for (unsigned r = 0; r < SIDE; r++) {
        const xk_expr *const at =
            xk_lower_reg(l, l->acc, acc_b + column_b(l, r));
        const xk_expr *x = xk_block_load(&l->w, "x", vec, at);
        if (p->epi.in_f32 && x)
            x = xk_cast(l->c, XK_DT_F32, x);
        for (unsigned i = 0; i < p->con->n_epi; i++) {
            const struct xk_epi_op *const op = &p->con->epi[i];
            x = xk_lower_apply(l, op, x, rhs_of(l, s, op, n, r));
        }
        if (x && p->epi.n_extent > p->n_extent)
            x = xk_lower_zero_padding(
                l, x, xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, n + r));
        if (x)
            xk_block_add(&l->w, xk_store(l->c, at, x));
    }
}

static void square(struct xk_lowering *l, const struct columns *s,
                   unsigned lanes, unsigned n)
{
    const struct xk_plan *const p = l->p;
    const int64_t at[2] = {lanes * SIDE, n};
    const uint32_t acc_b = 4 * (uint32_t)xk_layout_offset_e(&p->part, at);
    const struct xk_func in = square_reorder(l, false, XK_DT_F32);
    const struct xk_func out =
        square_reorder(l, true, p->epi.in_f32 ? XK_DT_F32 : p->acc.dt);
    if (s->raw) {
        move_square(l, s, XK_SEND_LOAD, lanes, n, s->raw, 0);
        if (s->old != s->raw)
            reorder(l, &in, xk_lower_reg(l, s->old, 0),
                    xk_lower_reg(l, s->raw, 0));
    }
    if (p->con->n_epi || p->epi.in_f32 || p->epi.n_extent > p->n_extent)
        operate(l, s, n, acc_b);
    if (s->out)
        reorder(l, &out, xk_lower_reg(l, s->out, 0),
                xk_lower_reg(l, l->acc, acc_b));
    move_square(l, s, XK_SEND_STORE, lanes, n, s->out ? s->out : l->acc,
                s->out ? 0 : acc_b);
}

void xk_lower_epilogue_columns(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    struct columns s = {.out = NULL};
    buffers(l, &s);
    rows(l, &s);
    for (unsigned i = 0; i < p->s.m_thr / SIDE; i++)
        for (unsigned n = 0; n < p->epi.n; n += SIDE)
            square(l, &s, i, n);
}
