/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of B's columns over K, beside the products: dp4a with ones adds what a
 * register of B holds to eight partial sums. Behind the loop a dpas adds up
 * one byte of each partial sum, whose row of A is 1 at that byte and 0 at the
 * others. dpasw brings the other thread's rows of B, too. So the sum of a
 * column's bytes stands in all lanes of M, where C's are. It fits 16 bits, so
 * that one mad multiplies it by the right-hand side, moved up by as many bytes,
 * and C loses it. */
#include <string.h>

#include "lower/state.h"

enum { MOST_COLUMNS = 16 };

static unsigned sum_lanes(const struct xk_lowering *l)
{
    return l->p->platform->dpas_exec;
}

/* Bytes of K of a row; partial sums of it as dwords take as many. */
static unsigned sum_depth(const struct xk_lowering *l)
{
    return l->p->platform->dpas_depth_b;
}

/* Lanes of an instruction: two registers. */
static unsigned sum_wide(const struct xk_lowering *l)
{
    return 2 * xk_platform_dwords(l->p->platform);
}

static bool is_paired(const struct xk_lowering *l)
{
    return l->p->t.family == XK_FAMILY_DPASW;
}

/* Columns that are added up together: behind a loop there are not many
 * registers side by side. */
static unsigned chunk_of(const struct xk_plan *p)
{
    unsigned n = MOST_COLUMNS;
    while (p->t.n_part % n)
        n /= 2;
    return n;
}

static const char dwords[] = "s";

/* The partial sums, a register a row of B. */
void xk_lower_sums_tiles(const struct xk_lowering *l, struct xk_tiling *t)
{
    const int64_t rows = l->p->t.n_part / (is_paired(l) ? 2 : 1);
    const int64_t each = sum_depth(l) / 4;
    if (!l->p->sums.any)
        return;
    struct xk_tile_decl *const d = &t->tile[t->n_tiles++];
    memset(d, 0, sizeof(*d));
    strcpy(d->name, dwords);
    d->role[0] = XK_ROLE_N;
    d->role[1] = XK_ROLE_K;
    d->layout.dt = XK_DT_S32;
    d->layout.n_dims = 2;
    d->layout.dim[0] = d->layout.padded[0] = rows;
    d->layout.dim[1] = d->layout.padded[1] = each;
    d->layout.block[0] = (struct xk_block){0, rows, each};
    d->layout.block[1] = (struct xk_block){1, each, 1};
    d->layout.n_blocks = 2;
}

/* The right-hand side's only element. */
static const xk_expr *right_side(struct xk_lowering *l)
{
    const unsigned input = l->p->sums.input, lanes = sum_lanes(l);
    const struct xk_operand_view *const v = &l->p->con->input[input];
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)lanes};
    if (v->by_value)
        return l->arg_in[input];
    const xk_expr *const buf = xk_block_alloc(&l->w, v->name, 4 * lanes, 0);
    const struct xk_lower_args x = {.mem = l->arg_in[input],
                                    .off =
                                        xk_bcast(l->c, xk_s32(l->c, 0), lanes),
                                    .reg = xk_lower_reg(l, buf, 0),
                                    .mask = xk_lower_true(l, lanes)};
    xk_lower_send(l, &l->w, &send, &x);
    return x.reg;
}

void xk_lower_sums_begin(struct xk_lowering *l, struct xk_lower_sums *s)
{
    const struct xk_plan_sums *const p = &l->p->sums;
    *s = (struct xk_lower_sums){NULL};
    if (!p->any)
        return;
    s->times = right_side(l);
    s->ones = xk_block_alloc(&l->w, "ones", 4, 0);
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, s->ones, 0),
                                 xk_s32(l->c, 0x01010101)));
    s->sum = xk_block_alloc(&l->w, "sums", p->size_b, 0);
    xk_lower_zero(l, s->sum, p->size_b);
}

void xk_lower_sums_add(struct xk_lowering *l, const struct xk_lower_sums *s,
                       struct xk_block_writer *w, unsigned part,
                       const char *tile_b, const xk_expr *b)
{
    struct xk_func f = {.kind = XK_FUNC_TILE, .u.tile = {.op = XK_TILE_DOT}};
    if (!s->sum)
        return;
    strcpy(f.u.tile.tile[0], dwords);
    strcpy(f.u.tile.tile[1], tile_b);
    const xk_expr *const args[] = {
        xk_lower_reg(l, s->sum, part * l->p->sums.part_b),
        xk_lower_reg(l, b, 0), xk_lower_reg(l, s->ones, 0)};
    xk_block_call(w, &f, args, XK_COUNTOF(args));
}

/* What the sums are added up in. */
struct column_sums {
    struct xk_lowering *l;
    const xk_expr *from;  /* partial sums */
    const xk_expr *zeros; /* eight registers */
    const xk_expr *byte;  /* A: a byte of each dword */
    const xk_expr *column;
    const xk_expr *minus; /* minus the right-hand side, times 256 for each byte
                             below; a dword a byte */
    uint32_t size_b;      /* of column */
};

/* One byte of each partial sum of eight columns, added up: eight registers of
 * `column`. */
static void add_byte(const struct column_sums *s, unsigned eight, bool last,
                     uint32_t to_b)
{
    struct xk_lowering *const l = s->l;
    const unsigned rows = l->p->platform->dpas_rows;
    const unsigned own = is_paired(l) ? rows / 2 : rows;
    const enum xk_dtype top = (enum xk_dtype)l->p->con->b.view.layout.dt;
    const struct xk_func f = {
        .kind = XK_FUNC_DPAS,
        .u.dpas = {.dst = XK_DT_S32,
                   .src0 = XK_DT_S32,
                   .src1 = XK_DT_U8,
                   .src2 = (uint8_t)(last ? top : XK_DT_U8),
                   .exec = (uint8_t)sum_lanes(l),
                   .sdepth = (uint8_t)(sum_depth(l) / 4),
                   .rcount = (uint8_t)rows,
                   .wide = is_paired(l)}};
    const xk_expr *const args[] = {
        xk_lower_reg(l, s->column, to_b), xk_lower_reg(l, s->zeros, 0),
        xk_lower_reg(l, s->byte, 0),
        xk_lower_reg(l, s->from, eight * own * sum_depth(l))};
    xk_block_call(&l->w, &f, args, XK_COUNTOF(args));
}

/* Sums of byte `number`, at at_b of `column`, go to C's at acc_b. */
static void lose_byte(const struct column_sums *s, unsigned number,
                      uint32_t at_b, uint32_t acc_b)
{
    struct xk_lowering *const l = s->l;
    const struct xk_func f = {.kind = XK_FUNC_MAD,
                              .u.mad = {.dst = XK_DT_S32,
                                        .src0 = XK_DT_S32,
                                        .src1 = XK_DT_S32,
                                        .src2 = XK_DT_S16,
                                        .lanes = (uint8_t)sum_wide(l),
                                        .stride0 = 1,
                                        .stride1 = 0,
                                        .stride2 = 2}};
    const xk_expr *const acc = xk_lower_reg(l, l->acc, acc_b);
    const xk_expr *const args[] = {acc, acc,
                                   xk_lower_reg(l, s->minus, 4 * number),
                                   xk_lower_reg(l, s->column, at_b)};
    xk_block_call(&l->w, &f, args, XK_COUNTOF(args));
}

/* The same of all columns of chunk `number`: of eight columns C has a square of
 * each eight rows. */
static void lose_chunk(const struct column_sums *s, unsigned byte,
                       unsigned number)
{
    const struct xk_lowering *const l = s->l;
    const unsigned squares = l->p->t.m / sum_lanes(l);
    const uint32_t square_b = xk_plan_square_b(l->p);
    const uint32_t step_b = 4 * sum_wide(l), first_b = number * s->size_b;
    for (uint32_t b = 0; b < s->size_b; b += step_b)
        for (unsigned m = 0; m < squares; m++)
            lose_byte(s, byte, b,
                      first_b * squares +
                          (b / square_b * squares + m) * square_b +
                          b % square_b);
}

static void lose_all_bytes(const struct column_sums *s)
{
    struct xk_lowering *const l = s->l;
    const struct xk_plan *const p = l->p;
    const unsigned n = chunk_of(p), eights = n / p->platform->dpas_rows;
    for (unsigned i = 0; i < p->sums.bytes; i++) {
        xk_lower_fill_registers(l, s->byte, sum_depth(l) * sum_lanes(l),
                                xk_s32(l->c, INT32_C(1) << 8 * i));
        for (unsigned chunk = 0; chunk < p->t.n / n; chunk++) {
            for (unsigned k = 0; k < eights; k++)
                add_byte(s, chunk * eights + k, i + 1u == p->sums.bytes,
                         k * xk_plan_square_b(p));
            lose_chunk(s, i, chunk);
        }
    }
}

void xk_lower_sums_end(struct xk_lowering *l, const struct xk_lower_sums *s)
{
    const struct xk_plan *const p = l->p;
    struct column_sums x = {
        .l = l, .from = s->sum, .size_b = chunk_of(p) * 4u * sum_lanes(l)};
    const xk_expr *times = s->times;
    if (!s->sum)
        return;
    if (xk_op(times) == XK_OP_PTR)
        times = xk_block_load(&l->w, "times", xk_type_vec(XK_DT_S32, 1), times);
    x.minus = xk_block_alloc(&l->w, "minus", 4u * p->sums.bytes, 0);
    for (unsigned i = 0; i < p->sums.bytes; i++)
        xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, x.minus, 4 * i),
                                     xk_bin_imm(l->c, XK_OP_MUL, times,
                                                -(INT64_C(1) << 8 * i))));
    x.zeros = xk_block_alloc(&l->w, "zeros", xk_plan_square_b(p), 0);
    x.byte = xk_block_alloc(&l->w, "byte", sum_depth(l) * sum_lanes(l), 1);
    x.column = xk_block_alloc(&l->w, "column", x.size_b, 0);
    xk_lower_zero(l, x.zeros, xk_plan_square_b(p));
    lose_all_bytes(&x);
}
