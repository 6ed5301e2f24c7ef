/* SPDX-License-Identifier: Apache-2.0 */
/* The multiply with C's columns of all groups in the lanes (fma=lanes): the
 * window of a thread's tile, row by row, each element loaded once, and every
 * product that it is in. Loads are tile functions, which passes/expand.c turns
 * into messages; a row's loads stand in front of the products of the row before
 * it. */
#include "lower/state.h"
#include "views/group_lanes.h"

#include <string.h>

/* While it is written. */
struct window {
    struct xk_lowering *l;
    const struct xk_lanes_nest *t;
    struct xk_block_writer w;
    const xk_expr *tile;   /* s32: the number of the thread's tile */
    const xk_expr *row[2]; /* registers of two rows */
    int64_t width;         /* elements of a row of the window */
    const struct xk_lanes_axis *y, *x;
};

/* A row of the window, at a place of the outer taps. */
struct row {
    int64_t outer, at;
};

static void call_load(struct window *v, const struct xk_tile_call *f,
                      const xk_expr *reg, const xk_expr *const *at, unsigned n)
{
    const struct xk_func func = {.kind = XK_FUNC_TILE, .u.tile = *f};
    const xk_expr *args[4] = {reg};
    for (unsigned i = 0; i < n; i++)
        args[1 + i] = at[i];
    xk_block_call(&v->w, &func, args, 1 + n);
}

static void load_row(struct window *v, const struct row *r, unsigned slot)
{
    xk_ctx *const c = v->l->c;
    const unsigned each = (unsigned)v->t->of.group_k;
    const int64_t height = xk_lanes_window(v->y, v->t->rows);
    const int64_t first = (r->outer * height + r->at) * v->width * each;
    const xk_expr *const at[] = {v->tile, v->l->n0, xk_s32(c, first)};
    struct xk_tile_call f = {.op = XK_TILE_LOAD, .n_parts = 1};
    strcpy(f.view, "A");
    strcpy(f.tile[0], "a");
    f.part[0].role = XK_ROLE_K;
    f.part[0].n = (uint16_t)each;
    for (int64_t x = -1; (x = xk_lanes_next(v->x, v->t->columns, x)) >= 0;) {
        f.part[0].first = (uint16_t)(x * each);
        call_load(v, &f, xk_lower_reg(v->l, v->row[slot], 0), at, 3);
    }
}

static void load_taps(struct window *v)
{
    const xk_expr *const at[] = {xk_s32(v->l->c, 0), v->l->n0};
    struct xk_tile_call f = {.op = XK_TILE_LOAD};
    strcpy(f.view, "B");
    strcpy(f.tile[0], "b");
    call_load(v, &f, xk_lower_reg(v->l, v->l->b, 0), at, 2);
}

static void multiply_add(struct window *v, int64_t acc, int64_t a, int64_t b,
                         unsigned slot)
{
    struct xk_lowering *const l = v->l;
    const uint32_t lanes_b = 4u * l->p->s.simd;
    const struct xk_func f = {.kind = XK_FUNC_MAD,
                              .u.mad = {XK_DT_F32, XK_DT_F32, XK_DT_F32,
                                        XK_DT_F32, (uint8_t)l->p->s.simd, 1, 1,
                                        1}};
    const xk_expr *const sum = xk_lower_reg(l, l->acc, (uint32_t)acc * lanes_b);
    const xk_expr *const args[] = {
        sum, sum, xk_lower_reg(l, v->row[slot], (uint32_t)a * lanes_b),
        xk_lower_reg(l, l->b, (uint32_t)b * lanes_b)};
    xk_block_call(&v->w, &f, args, 4);
}

/* The products of a row of the window with one row of taps, into one row of the
 * tile. Neighbouring ones go to different sums. */
static void multiply_taps(struct window *v, const struct row *r, unsigned slot,
                          int64_t place, int64_t tap)
{
    const int64_t each = v->t->of.group_k;
    const int64_t taps = (r->outer * v->y->taps + tap) * v->x->taps;
    for (int64_t x = 0; x < v->x->taps; x++)
        for (int64_t i = 0; i < each; i++)
            for (int64_t q = 0; q < v->t->columns; q++) {
                const int64_t a = q * v->x->step + x * v->x->apart;
                multiply_add(v, place * v->t->columns + q, a * each + i,
                             (taps + x) * each + i, slot);
            }
}

static void multiply_row(struct window *v, const struct row *r, unsigned slot)
{
    for (int64_t p = 0; p < v->t->rows; p++) {
        const int64_t far = r->at - p * v->y->step;
        if (far >= 0 && far % v->y->apart == 0 &&
            far / v->y->apart < v->y->taps)
            multiply_taps(v, r, slot, p, far / v->y->apart);
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
    for (unsigned i = 0; i < 2; i++)
        v.row[i] = xk_block_alloc(&v.w, "a", l->p->a.tile_b, 1);
    load_taps(&v);
    multiply_rows(&v);
    const xk_stmt *const body = xk_block_end(&v.w);
    xk_block_add(&l->w, xk_tiling_stmt(l->c, &t->tiling, mem, body));
}
