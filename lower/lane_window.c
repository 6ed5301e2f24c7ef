/* SPDX-License-Identifier: Apache-2.0 */
/* The multiply with C's columns of all groups in the lanes (fma=lanes): the
 * window of a thread's tile, row by row, each element loaded once, and every
 * product that it is in. Loads are tile functions, which passes/expand.c turns
 * into messages; a row's loads stand in front of the products of the row before
 * it. With dots a row is a block of four, whose elements are bytes of a dword.
 */
#include "lower/state.h"
#include "views/group_lanes.h"

#include <string.h>

/* While it is written. */
struct window {
    struct xk_lowering *l;
    const struct xk_lanes_nest *t;
    struct xk_block_writer w;
    const xk_expr *tile;   /* s32: the number of the thread's tile */
    const xk_expr *step;   /* s32: walked, the position of the step */
    const xk_expr *row[2]; /* registers of two rows */
    int64_t width;         /* elements of a row of the window */
    const struct xk_lanes_axis *y, *x;
};

/* A row of the window, at a place of the outer K. */
struct row {
    int64_t outer, at;
};

static void call_load(struct window *v, const struct xk_tile_call *f,
                      const xk_expr *reg, const xk_expr *const *at, unsigned n)
{
    const struct xk_func func = {.kind = XK_FUNC_TILE, .u.tile = *f};
    const xk_expr *args[5] = {reg};
    for (unsigned i = 0; i < n; i++)
        args[1 + i] = at[i];
    xk_block_call(&v->w, &func, args, 1 + n);
}

/* A call that loads elements of A at position k of its view, as part `first` of
 * the tile. */
static void load_a_part(struct window *v, int64_t k, int64_t first, unsigned n,
                        unsigned slot)
{
    const xk_expr *const at[] = {v->step, v->tile, v->l->n0,
                                 xk_s32(v->l->c, k - first)};
    const unsigned walked = v->step != NULL;
    struct xk_tile_call f = {.op = XK_TILE_LOAD, .n_parts = 1};
    strcpy(f.view, "A");
    strcpy(f.tile[0], "a");
    f.part[0].role = XK_ROLE_K;
    f.part[0].first = (uint16_t)first;
    f.part[0].n = (uint16_t)n;
    call_load(v, &f, xk_lower_reg(v->l, v->row[slot], 0), &at[!walked],
              3 + walked);
}

/* Positions of K in A's view from one element of the window to the next:
 * walked, places of a step lie inside. */
static int64_t element_positions(const struct window *v)
{
    const int64_t of_step = v->step ? v->y->k_places * v->x->k_places : 1;
    return v->t->of.group_k * of_step;
}

/* Position of a row's first element in A's view. */
static int64_t row_position(const struct window *v, int64_t outer, int64_t row)
{
    const int64_t height = xk_lanes_window(v->y, v->t->rows);
    return (outer * height + row) * v->width * element_positions(v);
}

static void load_row(struct window *v, const struct row *r, unsigned slot)
{
    const int64_t each = v->t->of.group_k;
    const int64_t first = row_position(v, r->outer, r->at);
    for (int64_t x = -1; (x = xk_lanes_next(v->x, v->t->columns, x)) >= 0;)
        load_a_part(v, first + x * element_positions(v), x * each,
                    (unsigned)each, slot);
}

static void load_b_lanes(struct window *v)
{
    const xk_expr *const zero = xk_s32(v->l->c, 0);
    const xk_expr *const at[] = {v->step ? v->step : zero, v->l->n0, zero};
    struct xk_tile_call f = {.op = XK_TILE_LOAD};
    strcpy(f.view, "B");
    strcpy(f.tile[0], "b");
    call_load(v, &f, xk_lower_reg(v->l, v->l->b, 0), at, v->step ? 3 : 2);
}

/* Dwords of a register vector: f32, or four bytes signed as the type is. */
static uint8_t vector_type(const struct window *v, unsigned tile)
{
    const uint8_t dt = v->t->tiling.tile[tile].layout.dt;
    return !v->t->dots ? XK_DT_F32 : dt == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
}

static void multiply_add(struct window *v, int64_t acc, int64_t a, int64_t b,
                         unsigned slot)
{
    struct xk_lowering *const l = v->l;
    const uint32_t lanes_b = 4u * l->p->t.lanes;
    const uint8_t dt = (uint8_t)l->p->con->acc_dt;
    const struct xk_func f = {.kind = v->t->dots ? XK_FUNC_DP4A : XK_FUNC_MAD,
                              .u.mad = {dt, dt, vector_type(v, 0),
                                        vector_type(v, 1),
                                        (uint8_t)l->p->t.lanes, 1, 1, 1}};
    const xk_expr *const sum = xk_lower_reg(l, l->acc, (uint32_t)acc * lanes_b);
    const xk_expr *const args[] = {
        sum, sum, xk_lower_reg(l, v->row[slot], (uint32_t)a * lanes_b),
        xk_lower_reg(l, l->b, (uint32_t)b * lanes_b)};
    xk_block_call(&v->w, &f, args, 4);
}

/* The products of a row of the window with one row of B, into one row of the
 * tile. Neighbouring ones go to different sums. */
static void multiply_b_row(struct window *v, const struct row *r, unsigned slot,
                           int64_t place, int64_t k)
{
    const int64_t each = v->t->of.group_k;
    const int64_t from = (r->outer * v->y->k_places + k) * v->x->k_places;
    for (int64_t x = 0; x < v->x->k_places; x++)
        for (int64_t i = 0; i < each; i++)
            for (int64_t q = 0; q < v->t->columns; q++) {
                const int64_t a = q * v->x->step + x * v->x->apart;
                multiply_add(v, place * v->t->columns + q, a * each + i,
                             (from + x) * each + i, slot);
            }
}

static void multiply_row(struct window *v, const struct row *r, unsigned slot)
{
    for (int64_t p = 0; p < v->t->rows; p++) {
        const int64_t far = r->at - p * v->y->step;
        if (far >= 0 && far % v->y->apart == 0 &&
            far / v->y->apart < v->y->k_places)
            multiply_b_row(v, r, slot, p, far / v->y->apart);
    }
}

/* The next row that is met; false behind the last. */
static bool next_row(const struct window *v, struct row *r)
{
    r->at = xk_lanes_next(v->y, v->t->rows, r->at);
    if (r->at >= 0)
        return true;
    r->outer++;
    r->at = xk_lanes_next(v->y, v->t->rows, -1);
    return r->outer < v->t->of.outer_k;
}

static void multiply_rows(struct window *v)
{
    struct row now = {0, -1}, then;
    unsigned slot = 0;
    next_row(v, &now);
    load_row(v, &now, slot);
    for (bool more = true; more; slot ^= 1) {
        then = now;
        more = next_row(v, &then);
        if (more)
            load_row(v, &then, slot ^ 1);
        multiply_row(v, &now, slot);
        now = then;
    }
}

/* All steps of the thread's part of K. */
static void multiply_steps(struct window *v)
{
    struct xk_lowering *const l = v->l;
    const int64_t all = v->t->steps, slices = l->p->slices.n;
    const xk_expr *const i = xk_lower_counter(l, "i", all / slices);
    const xk_expr *first = xk_bin_imm(l->c, XK_OP_MUL, l->group_z, all);
    if (l->slice)
        first = xk_add(l->c, first, l->slice);
    xk_block_for(&v->w, i, all / slices);
    v->step =
        i ? xk_add(l->c, first, xk_bin_imm(l->c, XK_OP_MUL, i, slices)) : NULL;
    load_b_lanes(v);
    multiply_rows(v);
    xk_block_end_for(&v->w);
}

/* ---- dots ---- */

/* B of a row as a byte of their dwords, of which the first is number
 * `to`; *from: where in tile b such bytes are already, counted from 1, 0:
 * nowhere. */
static void put_bytes(struct window *v, int64_t k, int64_t to, unsigned byte,
                      uint32_t *from)
{
    xk_ctx *const c = v->l->c;
    const uint32_t dwords_b = 4u * v->l->p->t.lanes;
    const unsigned n = (unsigned)v->x->k_places;
    const uint32_t at = (uint32_t)to * dwords_b + byte;
    struct xk_tile_call f = {.op = XK_TILE_LOAD, .n_parts = 2};
    const struct xk_func move = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {.n_dims = 1,
                      .extent = {(uint16_t)(n * v->l->p->t.lanes)},
                      .dst_stride = {4},
                      .src_stride = {4},
                      .dst = v->t->tiling.tile[1].layout.dt,
                      .src = v->t->tiling.tile[1].layout.dt}};
    if (*from) {
        const xk_expr *const args[] = {xk_lower_reg(v->l, v->l->b, at),
                                       xk_lower_reg(v->l, v->l->b, *from - 1)};
        xk_block_call(&v->w, &move, args, 2);
        return;
    }
    const xk_expr *const pos[] = {xk_s32(c, k * n - to), v->l->n0,
                                  xk_s32(c, -(int64_t)byte)};
    strcpy(f.view, "B");
    strcpy(f.tile[0], "b");
    f.part[0].role = XK_ROLE_BATCH;
    f.part[0].first = (uint16_t)to;
    f.part[0].n = (uint16_t)n;
    f.part[1].role = XK_ROLE_K;
    f.part[1].first = (uint16_t)byte;
    f.part[1].n = 1;
    call_load(v, &f, xk_lower_reg(v->l, v->l->b, 0), pos, 3);
    *from = at + 1;
}

static void zero_tile(struct window *v, const char *tile, const xk_expr *buffer)
{
    struct xk_func f = {.kind = XK_FUNC_TILE, .u.tile = {.op = XK_TILE_ZERO}};
    strcpy(f.u.tile.tile[0], tile);
    const xk_expr *const args[] = {xk_lower_reg(v->l, buffer, 0)};
    xk_block_call(&v->w, &f, args, 1);
}

static void load_b_bytes(struct window *v)
{
    uint32_t from[XK_LANES_MOST_K];
    int64_t by[XK_LANES_DEEP], to = 0;
    zero_tile(v, "b", v->l->b);
    for (int64_t outer = 0; outer < v->t->of.outer_k; outer++) {
        struct xk_lanes_block b = xk_lanes_no_block();
        memset(from, 0, sizeof(from));
        while (xk_lanes_next_block(v->y, v->t->rows, &b))
            for (int64_t p = 0; p < v->t->rows; p++) {
                if (!xk_lanes_dots(v->y, p, &b, by))
                    continue;
                for (unsigned i = 0; i < XK_LANES_DEEP; i++)
                    if (by[i] >= 0)
                        put_bytes(v, outer * v->y->k_places + by[i], to, i,
                                  &from[by[i]]);
                to += v->x->k_places;
            }
    }
}

static void load_block(struct window *v, int64_t outer,
                       const struct xk_lanes_block *b, unsigned slot)
{
    if (b->row[XK_LANES_DEEP - 1] < 0)
        zero_tile(v, "a", v->row[slot]);
    for (unsigned i = 0; i < XK_LANES_DEEP && b->row[i] >= 0; i++)
        for (int64_t x = -1; (x = xk_lanes_next(v->x, v->t->columns, x)) >= 0;)
            load_a_part(v, row_position(v, outer, b->row[i]) + x,
                        x * XK_LANES_DEEP + i, 1, slot);
}

/* The products of a block; *to: the number of its first dwords of B, then of
 * those behind it. */
static void multiply_block(struct window *v, const struct xk_lanes_block *b,
                           int64_t *to, unsigned slot)
{
    int64_t by[XK_LANES_DEEP];
    for (int64_t p = 0; p < v->t->rows; p++) {
        if (!xk_lanes_dots(v->y, p, b, by))
            continue;
        for (int64_t x = 0; x < v->x->k_places; x++)
            for (int64_t q = 0; q < v->t->columns; q++)
                multiply_add(v, p * v->t->columns + q,
                             q * v->x->step + x * v->x->apart, *to + x, slot);
        *to += v->x->k_places;
    }
}

static void multiply_blocks(struct window *v)
{
    struct xk_lanes_block now, then = xk_lanes_no_block();
    int64_t outer = 0, to = 0;
    unsigned slot = 0;
    xk_lanes_next_block(v->y, v->t->rows, &then);
    load_block(v, 0, &then, slot);
    for (bool more = true; more; slot ^= 1) {
        now = then;
        if (!xk_lanes_next_block(v->y, v->t->rows, &then)) {
            more = ++outer < v->t->of.outer_k;
            xk_lanes_next_block(v->y, v->t->rows, &then);
        }
        if (more)
            load_block(v, outer, &then, slot ^ 1);
        multiply_block(v, &now, &to, slot);
    }
}

void xk_lower_lane_window(struct xk_lowering *l)
{
    const struct xk_lanes_nest *const t = l->p->con->lanes;
    struct window v = {
        .l = l, .t = t, .y = &t->of.axis[0], .x = &t->of.axis[1]};
    const xk_expr *const mem[] = {l->arg_a, l->arg_b};
    v.width = xk_lanes_window(v.x, t->columns);
    v.tile = xk_block_let(
        &l->w, "tile",
        xk_bin_imm(l->c, XK_OP_DIV, l->m0, (int64_t)t->rows * t->columns));
    xk_block_init(&v.w, l->c, l->facts);
    l->b = xk_block_alloc(&v.w, "b", l->p->b.tile_b, 2);
    for (unsigned i = 0; i < l->p->a.slots; i++)
        v.row[i] = xk_block_alloc(&v.w, "a", l->p->a.tile_b, 1);
    if (t->walked) {
        multiply_steps(&v);
    } else if (t->dots) {
        load_b_bytes(&v);
        multiply_blocks(&v);
    } else {
        load_b_lanes(&v);
        multiply_rows(&v);
    }
    const xk_stmt *const body = xk_block_end(&v.w);
    xk_block_add(&l->w, xk_tiling_stmt(l->c, &t->tiling, mem, body));
}
