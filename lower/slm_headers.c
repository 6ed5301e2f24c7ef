/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of the loop with A in shared local memory, filled before it. A
 * unit of one depth lies in SLM as it lies in registers and moves by blocks. A
 * unit of two was gathered by 16 lanes, and its registers alternate between the
 * depths: it is stored a lane a row, 32 bytes each, and read likewise, so that
 * the order of dwords comes out right again. */
#include "lower/slm.h"
#include "lower/taps.h"

/* Fills one header before the loop. */
static void set_header(struct xk_slm_loop *g, const xk_expr *buf, unsigned n,
                       const xk_expr *value)
{
    xk_lower_set_header(g->l, buf, n * XK_HEADER_B, value);
}

/* Where the lanes of one unit read for one tap, a step before the first, in its
 * first depth. start: of the unit in the tensor. */
static const xk_expr *first_offset(struct xk_slm_loop *g, const xk_expr *m,
                                   const xk_expr *start,
                                   const xk_expr *const *at)
{
    struct xk_lowering *const l = g->l;
    const struct xk_view *const v = &l->p->con->a.view;
    const xk_expr *const off =
        xk_cast(l->c, XK_DT_U32, xk_lower_offset(l, v, at));
    const xk_expr *const sum =
        xk_lower_widen(l, xk_add(l->c, start, off), g->s->lanes);
    const xk_expr *const mask = xk_lower_mask(l, v, at);
    return xk_lower_or_beside(l, m, mask, sum, g->s->beside - g->s->step_b);
}

/* Units of a tile of 8 rows in a time step. */
static unsigned parts(const struct xk_slm_loop *g)
{
    return g->s->depth / xk_plan_slm_unit(g->s);
}

/* s32: number of this thread's n-th unit of the group's. */
static const xk_expr *unit_of(const struct xk_slm_loop *g, unsigned n)
{
    const struct xk_lowering *const l = g->l;
    return xk_bin_imm(l->c, XK_OP_ADD,
                      xk_bin_imm(l->c, XK_OP_MUL, l->tid, g->s->per_thread), n);
}

/* First row of unit b; its first depth in a time step. With no unit left it is
 * the group's last one. */
static const xk_expr *first_row(struct xk_slm_loop *g, unsigned b,
                                const xk_expr **part)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan *const p = l->p;
    const int64_t rows = (int64_t)p->s.tg_m * p->s.m_thr;
    *part = NULL;
    const xk_expr *const own = unit_of(g, b);
    const xk_expr *const unit =
        xk_bin_imm(l->c, XK_OP_MIN, own, g->s->units - 1);
    const xk_expr *const tile = xk_bin_imm(l->c, XK_OP_DIV, unit, parts(g));
    const xk_expr *const group =
        l->full ? l->group_m0 : xk_bin_imm(l->c, XK_OP_MUL, l->group_m, rows);
    if (parts(g) > 1)
        *part = xk_bin_imm(l->c, XK_OP_MOD, unit, parts(g));
    return xk_add(l->c, group,
                  xk_bin_imm(l->c, XK_OP_MUL, tile, g->s->lanes));
}

/* The rows of unit b of this thread's share. */
static void gather_headers(struct xk_slm_loop *g, unsigned b)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0}, *part;
    const unsigned wide = xk_plan_slm_unit(g->s);
    const xk_expr *const row = first_row(g, b, &part);
    const xk_expr *const m = xk_block_let(&l->w, "m", xk_lower_lanes(l, row));
    const xk_expr *start = xk_lower_start_a(l, g->s->step_b, g->s->depth_b);
    if (part)
        start = xk_add(
            l->c, start,
            xk_cast(l->c, XK_DT_U32,
                    xk_bin_imm(l->c, XK_OP_MUL, part, wide * g->s->depth_b)));
    xk_lower_unpack_m(l, m, at);
    for (unsigned tap = 0; tap < g->s->taps; tap++) {
        const unsigned n =
            (tap * g->s->per_thread + b) * xk_slm_gather_headers(g);
        xk_lower_tap(l, tap, at);
        const xk_expr *off = first_offset(g, m, start, at);
        const unsigned many = g->s->raw_b ? 2 : wide;
        const int64_t apart = g->s->raw_b ? g->s->k_b : g->s->depth_b;
        if (many > 1)
            off = xk_block_let(&l->w, "off", off);
        for (unsigned d = 0; d < many; d++)
            set_header(g, g->from, n + d,
                       d ? xk_bin_imm(l->c, XK_OP_ADD, off, apart) : off);
    }
}

uint32_t xk_slm_store_flip(const struct xk_slm_loop *g)
{
    /* Of four places 0 comes after 2, of two after 1. */
    return g->s->places / 2u * g->s->slot_b;
}

uint32_t xk_slm_read_flip(const struct xk_slm_loop *g, unsigned depth)
{
    if (depth)
        return (depth ^ (depth - 1)) * g->s->level_b;
    return xk_slm_store_flip(g) ^ ((g->s->depth - 1) * g->s->level_b);
}

/* A header of SLM at a scalar byte and a constant: block, or a lane a row. */
static void set_slm_header(struct xk_slm_loop *g, const xk_expr *buf,
                           unsigned n, const xk_expr *byte, int64_t at_b)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *const place = xk_lower_of_slice(
        l, xk_cast(l->c, XK_DT_U32, byte), g->s->all_b);
    const xk_expr *const first = xk_bin_imm(l->c, XK_OP_ADD, place, at_b);
    const xk_expr *const row_b =
        xk_lower_u32(l, g->s->tile_b / XK_SLM_LANES);
    set_header(g, buf, n,
               g->s->depth > 1 ? xk_ramp(l->c, first, row_b, XK_SLM_LANES)
                               : first);
}

/* Where this thread stores its units. */
static void store_headers(struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const unsigned wide = xk_plan_slm_unit(g->s), per = g->s->per_thread;
    for (unsigned b = 0; b < per; b++) {
        const xk_expr *const unit = unit_of(g, b);
        const xk_expr *byte =
            xk_bin_imm(l->c, XK_OP_MUL,
                       xk_bin_imm(l->c, XK_OP_DIV, unit, parts(g)),
                       g->s->tile_b);
        if (parts(g) > 1)
            byte = xk_add(l->c, byte,
                          xk_bin_imm(l->c, XK_OP_MUL,
                                     xk_bin_imm(l->c, XK_OP_MOD, unit,
                                                parts(g)),
                                     wide * g->s->level_b));
        byte = xk_block_let(&l->w, "unit_b", byte);
        for (unsigned d = 0; d < wide; d++)
            set_slm_header(g, g->to, b * wide + d, byte,
                           xk_slm_store_flip(g) + d * g->s->level_b);
    }
}

/* The tiles that this thread reads. */
static void read_headers(struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const unsigned n = xk_slm_tiles(g);
    const xk_expr *at =
        xk_bin_imm(l->c, XK_OP_MUL, l->thread_m, n * g->s->tile_b);
    if (l->full) /* fewer tiles a thread */
        at = xk_bin_imm(l->c, XK_OP_MUL, xk_mul(l->c, l->thread_m, l->rows),
                        g->s->tile_b / g->s->lanes);
    const xk_expr *const first = xk_block_let(&l->w, "tile_b", at);
    for (unsigned k = 0; k < n; k++)
        set_slm_header(g, g->out_of, k, first,
                       xk_slm_read_flip(g, 0) + k * g->s->tile_b);
}

int64_t xk_slm_b_next_step(const struct xk_plan_slm *s)
{
    return s->b_depth_b - (s->taps - 1) * s->b_tap_b;
}

const xk_expr *xk_slm_b_move(const struct xk_slm_loop *g, unsigned depth)
{
    const struct xk_lowering *const l = g->l;
    const struct xk_plan_slm *const s = g->s;
    const int64_t next = xk_slm_b_next_step(s);
    const int64_t tap = s->b_tap_b - (s->depth - 1) * s->b_depth_b;
    if (depth)
        return xk_lower_u32(l, s->b_depth_b);
    if (s->taps == 1)
        return xk_lower_u32(l, next);
    /* Copies of the body know which tap is theirs. */
    const xk_expr *const same = xk_bin_imm(
        l->c, XK_OP_MIN, xk_bin_imm(l->c, XK_OP_MOD, g->i, s->taps), 1);
    return xk_cast(
        l->c, XK_DT_U32,
        xk_bin_imm(l->c, XK_OP_ADD,
                   xk_bin_imm(l->c, XK_OP_MUL, same, tap - next), next));
}

const xk_expr *xk_slm_start_b(const struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *const start =
        xk_add(l->c, xk_lower_surface_at(l, l->arg_b),
               xk_lower_u32(l, -xk_slm_b_next_step(g->s)));
    return xk_lower_of_slice(l, start,
                             xk_lower_slice_steps(l) * g->s->b_depth_b);
}

void xk_slm_prepare_b(struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_list *const list = &l->p->seg[0].b;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const xk_expr *const start = xk_slm_start_b(g);
    xk_lower_tap(l, 0, at);
    g->from_b = xk_block_alloc(&l->w, "from_b", list->n * XK_HEADER_B, 0);
    for (unsigned n = 0; n < list->n; n++) {
        at[xk_lower_k_inner(l)] = xk_s32(l->c, list->item[n].msg.k);
        xk_lower_set_n(l, xk_lower_b_column(l, list->item[n].msg.row), at);
        const xk_expr *const off =
            xk_lower_offset(l, &l->p->con->b.view, at);
        set_header(g, g->from_b, n,
                   xk_add(l->c, start, xk_cast(l->c, XK_DT_U32, off)));
    }
}

static void prepare_turn(struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_slm *const s = g->s;
    const uint32_t levels_b = (s->depth - 1) * s->level_b;
    if (s->places < 4)
        return;
    g->turn = xk_block_alloc(&l->w, "turn", XK_HEADER_B, 0);
    for (unsigned k = 0; k < 2; k++) {
        const xk_expr *const bits =
            xk_lower_u32(l, s->slot_b + (k ? levels_b : 0));
        xk_block_add(&l->w,
                     xk_store(l->c, xk_lower_reg(l, g->turn, 4 * k), bits));
    }
}

void xk_slm_prepare(struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_slm *const s = g->s;
    const unsigned wide = xk_plan_slm_unit(s);
    const unsigned unit = s->per_thread * wide;
    const unsigned headers = s->per_thread * xk_slm_gather_headers(g);
    g->staged = xk_block_alloc(&l->w, "staged",
                               unit * (s->raw_b ? s->raw_b : s->tile_b), 0);
    if (s->raw_b) {
        g->packed = xk_block_alloc(&l->w, "packed", s->tile_b, 0);
        g->next_k = xk_block_alloc(&l->w, "next_k", 4 * XK_HEADER_B, 0);
    }
    g->from = xk_block_alloc(&l->w, "from", s->taps * headers * XK_HEADER_B, 0);
    g->to = xk_block_alloc(&l->w, "to", unit * XK_HEADER_B, 0);
    g->out_of =
        xk_block_alloc(&l->w, "out_of", xk_slm_tiles(g) * XK_HEADER_B, 0);
    for (unsigned b = 0; b < s->per_thread; b++)
        gather_headers(g, b);
    xk_slm_prepare_b(g);
    store_headers(g);
    read_headers(g);
    prepare_turn(g);
}
