/* SPDX-License-Identifier: Apache-2.0 */
/* An honest count of the registers of each phase. Those of the loops over K
 * have a table, whose tiles are the schedule's (schedule/buffers.h). */
#include "plan/operand.h"

enum { WIDE_B = 8 }; /* of a 64-bit address */

/* Addresses, of so many bytes a lane. The header pass gives the messages of a
 * loop a few headers in turn, and keeps a few bases: their loop-invariant
 * parts. */
static unsigned header_grf(const struct xk_plan *p,
                           const struct xk_plan_loads *l, unsigned lane_b)
{
    enum { TURNS = 4, MOST = 8 };
    const unsigned each = xk_grfs(p, lane_b * l->lanes);
    const unsigned ring = (l->n < TURNS ? l->n : TURNS) * each;
    return l->bases * each + (ring < MOST ? ring : MOST);
}

/* Coordinates that masks and offsets need inside the K loops, a vector of s32
 * each: the offset, and where masks are two coordinates. */
static unsigned lets_grf(const struct xk_plan *p)
{
    unsigned vectors = 2;
    if (p->a.raw_b) /* of whole tiles scalars */
        return 4;
    if (p->con->a.view.n_masks)
        vectors += 2;
    const unsigned columns =
        p->b.row_lanes && p->con->b.leaves ? p->s.n_thr / p->s.simd : 0;
    return (vectors * (p->s.m_thr / p->s.simd) + 2 * columns) *
           xk_grfs(p, 4u * p->s.simd);
}

/* Whether a side's load leaves lanes alone though surfaces are there: masked
 * blocks, and what lies outside and is not 0. */
static bool has_left_lanes(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    bool any = false;
    for (unsigned i = 0; i < e->n_sides; i++) {
        const struct xk_plan_side *const s = &e->side[i];
        any |= s->masked && s->store == XK_STORE_BLOCK;
        any |= s->leaves && p->con->input[s->input].fill;
    }
    return any;
}

/* Whether a load leaves lanes alone: one of a block does, and one that is
 * masked and cannot go beside the surface instead. */
static bool leaves_lanes(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    bool old = e->n_sides && (e->m_masked || e->n_masked);
    const bool inputs = p->con->n_inputs && e->input_masked;
    const bool a = p->a.row_masked || p->con->a.view.n_masks;
    const bool b = p->b.row_masked || p->b.access == XK_ACCESS_ELEMENTS;
    for (unsigned i = 0; i < e->n_sides; i++)
        old |= e->side[i].leaves;
    if (!p->s.surfaces)
        return old || inputs || a || b;
    return has_left_lanes(p) || (p->con->a.fill && a) || (p->con->b.fill && b);
}

/* Whether registers of A behind K's last place, or the only step's places
 * behind the last one of theirs, are no memory of A, so that no load writes
 * them. */
static bool fills_steps(const struct xk_plan *p)
{
    const struct xk_contraction *const con = &p->con->walked;
    const struct xk_view *const v = &p->con->a.view;
    const struct xk_index *const k = xk_plan_k_inner(p);
    const int d = xk_view_tensor_dim(v, k->name);
    const int few =
        xk_contraction_before(con, xk_contraction_last(con, XK_ROLE_K));
    const int64_t all = xk_ceil_div(k->extent, p->t.k_last) * p->t.k_last;
    if (xk_schedule_packs(&p->s) && few >= 0 &&
        con->index[few].extent < p->t.k / p->t.k_last)
        return true;
    return all > k->extent && (d < 0 || v->layout.padded[d] < all);
}

/* What a dummy in front of a dpas writes (codegen/dpas_guard.c): where not all
 * of src1 is loaded, or a load leaves lanes alone. */
static unsigned dummy_grf(const struct xk_plan *p)
{
    const bool parts = p->a.access == XK_ACCESS_ELEMENTS || p->a.raw_b ||
                       fills_steps(p) || p->sums.any || /* what adds sums up */
                       p->totals.any;
    return p->t.dpas && (parts || leaves_lanes(p)) ? 8 : 0;
}

/* Headers of A in a loop over all of K: each place's stay. Straight code has
 * each while it needs it. */
static unsigned flat_headers_grf(const struct xk_plan *p, unsigned lane_b)
{
    const struct xk_plan_flat *const f = &p->flat;
    const struct xk_flat_addresses a = {.places = f->places,
                                        .items = f->items,
                                        .headers_b = f->headers_b,
                                        .served = p->a.served,
                                        .eights = f->eights};
    const unsigned stay = xk_flat_addresses_grf(p->platform, &a);
    const unsigned ring = header_grf(p, &p->seg[0].a, lane_b);
    const unsigned places = xk_grfs(p, f->places * f->headers_b);
    const bool straight = f->trip < 2u * f->copies && ring < places;
    return straight && a.served == 1 ? stay - places + ring : stay;
}

static unsigned addresses_grf(const struct xk_plan *p, unsigned lane_b)
{
    const struct xk_plan_segment *const s = p->seg;
    const unsigned deep_b = p->platform->dpas_depth_b;
    unsigned n = header_grf(p, &s->b, lane_b);
    if (p->flat.places)
        n += flat_headers_grf(p, lane_b);
    else if (p->a.raw_b) /* a header each, or two places of K in turn */
        n += p->s.k_step / 2u;
    else
        n += header_grf(p, &s->a, lane_b);
    /* The rest of K has messages, too, whose headers the loop around both
     * keeps. */
    if (p->n_segments > 1)
        n += header_grf(p, &s[1].a, lane_b) + header_grf(p, &s[1].b, lane_b);
    if (p->s.slm) /* and places of stores and reads */
        n += 2 * xk_grfs(p, 4 * p->slm.share_b / deep_b) +
             xk_grfs(p, 4 * p->a.tile_b / deep_b);
    return n;
}

/* Element by element there are offsets along K of 16 lanes, and the temporaries
 * of addresses that share no base. Measured on random problems. */
static unsigned coordinates_grf(const struct xk_plan *p)
{
    enum { FLAT = 4, ELEMENTS_A = 6, ELEMENTS_B = 14 };
    unsigned n = p->flat.places ? FLAT : lets_grf(p);
    if (p->a.staging_b)
        n += ELEMENTS_A * p->n_segments;
    if (p->b.staging_b)
        n += ELEMENTS_B * p->n_segments;
    return n;
}

/* A batch in the lanes has the tiles of its nest. */
static void set_lanes_tiles(struct xk_plan *p)
{
    struct xk_buffer_row *const row = p->held.row;
    row[XK_BUFFER_C] = (struct xk_buffer_row){p->acc_b, 1};
    row[XK_BUFFER_A] = (struct xk_buffer_row){p->a.tile_b, p->a.slots};
    row[XK_BUFFER_B] = (struct xk_buffer_row){p->b.tile_b, p->b.slots};
}

/* Others have the schedule's; nothing is loaded where nothing is summed. */
static void set_held_tiles(struct xk_plan *p)
{
    static const struct xk_buffer_row none;
    struct xk_buffer_row *const row = p->held.row;
    xk_schedule_buffers(p->platform, &p->shape, &p->s, &p->held);
    if (p->con->empty)
        row[XK_BUFFER_A] = row[XK_BUFFER_RAW_A] = row[XK_BUFFER_B] =
            row[XK_BUFFER_RAW_B] = none;
    XK_ASSERT(row[XK_BUFFER_C].place_b == p->acc_b);
    XK_ASSERT(row[XK_BUFFER_A].place_b == p->a.tile_b + p->a.more_b);
    XK_ASSERT(row[XK_BUFFER_B].place_b == p->b.tile_b);
    XK_ASSERT(row[XK_BUFFER_RAW_A].place_b == p->a.raw_b);
    XK_ASSERT(row[XK_BUFFER_RAW_B].place_b == p->b.raw_b);
}

static void hold_grf(struct xk_plan *p, enum xk_buffer_id id, unsigned grf)
{
    xk_buffer_set_grf(p->platform, &p->held, id, grf);
}

static void count_loop(struct xk_plan *p)
{
    enum { FIXED = 5 }; /* r0, arguments in r1, three of packed scalars */
    if (p->t.batch)
        set_lanes_tiles(p);
    else
        set_held_tiles(p);
    hold_grf(p, XK_BUFFER_STAGED_A, xk_grfs(p, p->a.staging_b));
    hold_grf(p, XK_BUFFER_STAGED_B, xk_grfs(p, p->b.staging_b));
    hold_grf(p, XK_BUFFER_SHARE, xk_grfs(p, p->slm.share_b));
    hold_grf(p, XK_BUFFER_ADDRESSES,
             addresses_grf(p, p->s.surfaces && !p->a.staging_b ? 4 : WIDE_B));
    hold_grf(p, XK_BUFFER_COORDINATES, coordinates_grf(p));
    hold_grf(p, XK_BUFFER_FIXED, FIXED + dummy_grf(p));
    p->grf.loop = (uint16_t)xk_buffers_grf(p->platform, &p->held);
}

unsigned xk_plan_held_grf(const struct xk_plan *p, enum xk_buffer_id id)
{
    return xk_buffer_grf(p->platform, &p->held, id);
}

unsigned xk_plan_sums_grf(const struct xk_plan *p)
{
    return xk_plan_held_grf(p, XK_BUFFER_C) +
           xk_plan_held_grf(p, XK_BUFFER_SUMS) +
           xk_plan_held_grf(p, XK_BUFFER_TOTALS);
}

/* Registers for the temporaries of addresses, element by element, and from how
 * many messages and reorders of A on. Measured on random problems. */
enum { ELEMENTS_GRF = 16, MANY_PARTS = 32 };

/* All that the loop leaves; but for those where B comes element by element, or
 * where much of A does and few are left. */
static unsigned spare_grf(const struct xk_plan *p)
{
    const unsigned keep = ELEMENTS_GRF;
    const bool many = p->a.staging_b && p->seg[0].a.parts > MANY_PARTS;
    const struct xk_plan_grf *const g = &p->grf;
    const unsigned more = g->headers - xk_plan_held_grf(p, XK_BUFFER_ADDRESSES);
    const unsigned left =
        g->loop < g->limit ? (unsigned)(g->limit - g->loop) - more : 0;
    if (p->b.staging_b || (many && left < keep))
        return left > keep ? left - keep : 0;
    return left;
}

/* What headers may take: as many as 64-bit ones, if the loop leaves them. */
static void give_headers(struct xk_plan *p)
{
    struct xk_plan_grf *const g = &p->grf;
    const unsigned counted = xk_plan_held_grf(p, XK_BUFFER_ADDRESSES);
    const unsigned more = addresses_grf(p, WIDE_B) - counted;
    const unsigned left =
        g->loop < g->limit ? (unsigned)(g->limit - g->loop) : 0;
    g->headers = (uint16_t)(counted + (more < left ? more : left));
}

static enum xk_status no_room(xk_ctx *c, const struct xk_plan *p)
{
    const struct xk_plan_grf *const g = &p->grf;
    const bool late = g->epilogue > g->loop;
    struct xk_str held;
    xk_str_init(&held, &c->alloc);
    xk_buffers_print(p->platform, late ? &p->ending : &p->held, &held);
    xk_fail(c, XK_ENOFIT, "plan: %u registers of %u (%s%s)",
            late ? g->epilogue : g->loop, g->limit, late ? "epilogue: " : "",
            xk_str_get(&held));
    xk_str_fini(&held);
    return XK_ENOFIT;
}

enum xk_status xk_plan_registers(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_grf *const g = &p->grf;
    g->limit = (uint16_t)xk_platform_grf(p->platform, p->s.grf_count);
    count_loop(p);
    give_headers(p);
    g->spare = (uint16_t)spare_grf(p);
    xk_plan_fit_store(p);
    xk_plan_preload(c, p);
    g->epilogue = (uint16_t)xk_plan_needed_grf(p);
    return g->loop > g->limit || g->epilogue > g->limit ? no_room(c, p) : XK_OK;
}
