/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of B's columns over K that are stored: a row of ones is multiplied by B
 * as it lies in registers for the products, which brings the sums into a row of
 * their own. dpas multiplies as many such rows as it has lanes, so a column's
 * sum is in all lanes of its register. All threads of the same columns have the
 * same sums; those of the first rows of C store them. */
#include <string.h>

#include "lower/epilogue.h"
#include "lower/headers.h"
#include "views/access.h"

static const char sums[] = "u", row_of_ones[] = "o";

static struct xk_tile_decl *add_tile(struct xk_tiling *t, const char *name,
                                     enum xk_dtype dt, int64_t rows)
{
    struct xk_tile_decl *const d = &t->tile[t->n_tiles++];
    memset(d, 0, sizeof(*d));
    strcpy(d->name, name);
    d->layout.dt = dt;
    d->layout.n_dims = 2;
    d->role[0] = XK_ROLE_M;
    d->layout.dim[0] = d->layout.padded[0] = rows;
    return d;
}

static void set_tile_columns(struct xk_tile_decl *d, enum xk_role role,
                             int64_t n)
{
    d->role[1] = (uint8_t)role;
    d->layout.dim[1] = d->layout.padded[1] = n;
}

static void add_totals_block(struct xk_tile_decl *d, uint8_t dim, int64_t size,
                             int64_t stride)
{
    if (size > 1)
        d->layout.block[d->layout.n_blocks++] =
            (struct xk_block){dim, size, stride};
}

static void add_row_tile(struct xk_tiling *t, const char *name,
                         enum xk_role role, int64_t n)
{
    struct xk_tile_decl *const d = add_tile(t, name, XK_DT_F32, 1);
    set_tile_columns(d, role, n);
    d->layout.n_blocks = 2;
    d->layout.block[0] = (struct xk_block){0, 1, n};
    d->layout.block[1] = (struct xk_block){1, n, 1};
}

/* src1 of one dpas, whose places of K lie as those of A do. */
static void add_src1_tile(const struct xk_lowering *l, struct xk_tiling *t)
{
    const struct xk_platform *const on = l->p->platform;
    const struct xk_layout *const a = &l->p->a.tile;
    const enum xk_dtype dt = l->p->con->b.view.layout.dt;
    const int64_t lanes = on->dpas_exec;
    struct xk_tile_decl *const d = add_tile(t, row_of_ones, dt, lanes);
    set_tile_columns(d, XK_ROLE_K, on->dpas_depth_b / xk_dtype_b(dt));
    for (unsigned i = 1; i < a->n_blocks; i++) /* the first: of its tiles */
        add_totals_block(d, a->block[i].dim, a->block[i].size,
                         a->block[i].stride);
}

/* Sums of dpas: a column in all lanes of M; of dpasw as C's, four of each half
 * of N. */
static void add_sums_tile(const struct xk_lowering *l, struct xk_tiling *t)
{
    const struct xk_platform *const on = l->p->platform;
    const int64_t lanes = on->dpas_exec, rows = on->dpas_rows;
    const int64_t sharers = l->p->t.family == XK_FAMILY_DPASW ? 2 : 1;
    struct xk_tile_decl *const d = add_tile(t, sums, XK_DT_F32, lanes);
    set_tile_columns(d, XK_ROLE_N, l->p->t.n);
    add_totals_block(d, 1, sharers, rows / sharers * lanes);
    add_totals_block(d, 1, l->p->t.n / rows, rows * lanes);
    add_totals_block(d, 1, rows / sharers, lanes);
    add_totals_block(d, 0, lanes, 1);
}

void xk_lower_totals_tiles(const struct xk_lowering *l, struct xk_tiling *t)
{
    const struct xk_plan *const p = l->p;
    if (!p->totals.any)
        return;
    if (p->t.dpas) {
        add_sums_tile(l, t);
        add_src1_tile(l, t);
        return;
    }
    add_row_tile(t, sums, XK_ROLE_N, p->t.n_part);
    add_row_tile(t, row_of_ones, XK_ROLE_K, p->t.k);
}

/* Ones as B's elements: src1 of a dpas, or a row of a step. */
static const xk_expr *make_ones(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const one =
        xk_imm(l->c, XK_DT_U32, xk_fill_dword(p->con->b.view.layout.dt, 1));
    const uint32_t step_b = 4u * p->t.k;
    const uint32_t src1_b = p->platform->dpas_depth_b * p->platform->dpas_exec;
    const xk_expr *const ones =
        xk_block_alloc(&l->w, "ones", p->t.dpas ? src1_b : step_b, p->t.dpas);
    if (p->t.dpas)
        xk_lower_fill_registers(l, ones, src1_b, one);
    else
        for (uint32_t b = 0; b < step_b; b += 4)
            xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, ones, b), one));
    return ones;
}

void xk_lower_totals_begin(struct xk_lowering *l, struct xk_lower_totals *s)
{
    const struct xk_plan_totals *const p = &l->p->totals;
    *s = (struct xk_lower_totals){NULL};
    if (!p->any)
        return;
    s->ones = make_ones(l);
    s->sum = xk_block_alloc(&l->w, "totals", p->size_b, 0);
    xk_lower_zero(l, s->sum, p->size_b);
}

void xk_lower_totals_add(struct xk_lowering *l, const struct xk_lower_totals *s,
                         struct xk_block_writer *w, unsigned part,
                         struct xk_lower_b b)
{
    struct xk_func f = {
        .kind = XK_FUNC_TILE,
        .u.tile = {.op = XK_TILE_MUL, .family = l->p->t.family}};
    if (!s->sum)
        return;
    if (b.k_len) {
        f.u.tile.n_parts = 1;
        f.u.tile.part[0].role = XK_ROLE_K;
        f.u.tile.part[0].n = (uint16_t)b.k_len;
    }
    strcpy(f.u.tile.tile[0], sums);
    strcpy(f.u.tile.tile[1], row_of_ones);
    strcpy(f.u.tile.tile[2], b.tile);
    const xk_expr *const args[] = {
        xk_lower_reg(l, s->sum, part * l->p->totals.part_b),
        xk_lower_reg(l, s->ones, 0), xk_lower_reg(l, b.reg, 0)};
    xk_block_call(w, &f, args, XK_COUNTOF(args));
}

/* Where a column is among those of all places of the tile. */
static uint32_t column_at(const struct xk_plan *p, uint32_t n)
{
    const uint32_t sharers = p->t.family == XK_FAMILY_DPASW ? 2 : 1;
    const uint32_t half = p->t.n / sharers, of = n / half, in = n % half;
    if (p->slices.by_halves)
        return (in / p->epi.n * 2 + of) * p->epi.n + in % p->epi.n;
    const uint32_t rows = xk_plan_place_rows(p);
    return in / rows * p->epi.n + of * rows + in % rows;
}

/* Where a column's register is among those of dpas. */
static uint32_t sum_register(const struct xk_lowering *l, uint32_t n)
{
    const struct xk_plan *const p = l->p;
    const uint32_t sharers = p->t.family == XK_FAMILY_DPASW ? 2 : 1;
    const uint32_t half = p->t.n / sharers, in = n % half;
    const uint32_t rows = p->platform->dpas_rows, own = rows / sharers;
    return in / own * rows + n / half * own + in % own;
}

/* Sums of dpas side by side. */
static const xk_expr *sums_in_a_row(struct xk_lowering *l, const xk_expr *sum)
{
    const uint32_t each_b = 4u * l->p->t.lanes;
    const xk_expr *const row = xk_block_alloc(&l->w, "row", 4u * l->p->t.n, 0);
    for (uint32_t n = 0; n < l->p->t.n; n++) {
        const xk_expr *const x =
            xk_block_load(&l->w, "x", xk_type_vec(XK_DT_F32, 1),
                          xk_lower_reg(l, sum, sum_register(l, n) * each_b));
        xk_block_add(
            &l->w,
            xk_store(l->c, xk_lower_reg(l, row, 4 * column_at(l->p, n)), x));
    }
    return row;
}

/* Stores n sums, of the columns from n0 on. */
static void store_totals(struct xk_lowering *l, const xk_expr *row,
                         const xk_expr *n0, uint32_t columns)
{
    const struct xk_plan *const p = l->p;
    const unsigned lanes = p->t.lanes, input = p->totals.input;
    const struct xk_send send = {.op = XK_SEND_STORE,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)lanes};
    const xk_expr *const first =
        xk_block_let(&l->w, "first", xk_bin_imm(l->c, XK_OP_LT, l->m0, 1));
    for (unsigned i = 0; i < columns; i += lanes) {
        const xk_expr *const n = xk_block_let(
            &l->w, "n", xk_lower_lanes(l, xk_bin_imm(l->c, XK_OP_ADD, n0, i)));
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        xk_lower_n_only(l, n, at);
        const xk_expr *const in =
            xk_bin(l->c, XK_OP_AND, xk_bcast(l->c, first, lanes),
                   xk_bin_imm(l->c, XK_OP_LT, n, p->n_extent));
        const struct xk_lower_args x = {
            .mem = l->arg_in[input],
            .off = xk_lower_offset(l, &p->con->input[input].view, at),
            .reg = xk_lower_reg(l, row, 4 * i),
            .mask = xk_block_let(&l->w, "in", in)};
        xk_lower_send(l, &l->w, &send, &x);
    }
}

enum { MESSAGE = 8 }; /* sums of one, which divides the columns of a place */

/* Both halves of the row change places in slices that keep the second one, as
 * C's do (slice_sums.c). */
static void swap_totals(struct xk_lowering *l, const xk_expr *row)
{
    const struct xk_type type = xk_type_vec(XK_DT_F32, MESSAGE);
    const uint32_t half_b = 4u * l->p->t.n / 2;
    const xk_expr *const lower =
        xk_block_let(&l->w, "lower",
                     xk_bin_imm(l->c, XK_OP_LT, l->slice, l->p->slices.n / 2));
    for (uint32_t at_b = 0; at_b < half_b; at_b += 4 * MESSAGE) {
        const xk_expr *const in = xk_bcast(l->c, lower, MESSAGE);
        const xk_expr *const first = xk_lower_reg(l, row, at_b);
        const xk_expr *const second = xk_lower_reg(l, row, at_b + half_b);
        const xk_expr *const x = xk_block_load(&l->w, "x", type, first);
        const xk_expr *const y = xk_block_load(&l->w, "y", type, second);
        xk_block_add(&l->w, xk_store(l->c, first, xk_select(l->c, in, x, y)));
        xk_block_add(&l->w, xk_store(l->c, second, xk_select(l->c, in, y, x)));
    }
}

void xk_lower_totals_end(struct xk_lowering *l, const struct xk_lower_totals *s)
{
    if (!s->sum)
        return;
    const xk_expr *const row = l->p->t.dpas ? sums_in_a_row(l, s->sum) : s->sum;
    if (l->p->slices.swaps)
        swap_totals(l, row);
    if (l->slice)
        l->totals = row;
    else
        store_totals(l, row, l->n0, l->p->t.n);
}

/* Where a slice leaves so many sums in SLM, in the place that is its own when
 * slices exchange last: behind what they store there, or between, where their
 * messages are half as far apart as in the first exchange. */
static const xk_expr *totals_place(struct xk_lowering *l, const xk_expr *slice,
                                   uint32_t number)
{
    enum { PITCH_B = 256, EACH_B = 4 * MESSAGE, IN_GAP = PITCH_B / 2 / EACH_B };
    const struct xk_plan_slices *const s = &l->p->slices;
    const uint32_t between_b =
        number / IN_GAP * PITCH_B + PITCH_B / 2 + number % IN_GAP * EACH_B;
    const uint32_t behind_b = l->p->acc_b / s->n + number * EACH_B;
    const xk_expr *const own = xk_bin_imm(l->c, XK_OP_XOR, slice, s->n - 2);
    const xk_expr *const place =
        xk_add(l->c, xk_bin_imm(l->c, XK_OP_MUL, l->tid, s->n), own);
    return xk_bin_imm(l->c, XK_OP_ADD,
                      xk_bin_imm(l->c, XK_OP_MUL, place, s->place_b),
                      s->by_halves ? between_b : behind_b);
}

static void exchange_totals(struct xk_lowering *l, enum xk_send_op op,
                            const xk_expr *at_b, const xk_expr *reg)
{
    const struct xk_send send = {.op = (uint8_t)op,
                                 .space = XK_SPACE_SLM,
                                 .addr = XK_SEND_A32,
                                 .data_b = 4,
                                 .vec = MESSAGE,
                                 .lanes = 1,
                                 .block = true};
    const uint32_t each_b = xk_lower_header_b(l);
    const xk_expr *const head = xk_block_alloc(&l->w, "at", each_b, 0);
    const xk_expr *const at =
        xk_block_let(&l->w, "at_b", xk_cast(l->c, XK_DT_U32, at_b));
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, head, 0),
                                 xk_bcast(l->c, at, each_b / 4)));
    xk_lower_sendh(l, &l->w, &send, xk_lower_reg(l, head, 0), reg);
}

void xk_lower_totals_give(struct xk_lowering *l)
{
    for (uint32_t i = 0; l->totals && i < l->p->t.n; i += MESSAGE)
        exchange_totals(l, XK_SEND_STORE,
                        totals_place(l, l->slice, i / MESSAGE),
                        xk_lower_reg(l, l->totals, 4 * i));
}

/* Slice s ^ j has the part of slice s in its place j. */
void xk_lower_totals_take(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const uint32_t part = p->epi.n;
    if (!l->totals)
        return;
    for (uint32_t j = 1; j < p->slices.n; j++) {
        const xk_expr *const other = xk_bin_imm(l->c, XK_OP_XOR, l->slice, j);
        for (uint32_t i = j * part; i < (j + 1) * part; i += MESSAGE)
            exchange_totals(l, XK_SEND_LOAD,
                            totals_place(l, other, i / MESSAGE),
                            xk_lower_reg(l, l->totals, 4 * i));
    }
    for (uint32_t i = part; i < p->t.n; i += MESSAGE) {
        const struct xk_type type = xk_type_vec(XK_DT_F32, MESSAGE);
        const xk_expr *const to = xk_lower_reg(l, l->totals, 4 * (i % part));
        const xk_expr *const x = xk_block_load(&l->w, "x", type, to);
        const xk_expr *const y =
            xk_block_load(&l->w, "y", type, xk_lower_reg(l, l->totals, 4 * i));
        xk_block_add(&l->w, xk_store(l->c, to, xk_add(l->c, x, y)));
    }
    store_totals(l, l->totals, xk_add(l->c, l->n0, xk_lower_part(l)), part);
}
