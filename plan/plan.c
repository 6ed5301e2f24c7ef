/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of one schedule: operands, segments of K, epilogue, and an
 * honest count of the registers of each phase. */
#include "plan/plan.h"

#include <string.h>

#include "plan/operand.h"

const struct xk_index *xk_plan_k_inner(const struct xk_plan *p)
{
    return xk_nest_k_inner(p->con);
}

const struct xk_index *xk_plan_n_index(const struct xk_plan *p)
{
    for (unsigned i = 0; i < p->con->n_index; i++)
        if (p->con->index[i].role == XK_ROLE_N)
            return &p->con->index[i];
    return NULL;
}

static enum xk_status check_indices(xk_ctx *c, const struct xk_plan *p)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->con->n_index; i++) {
        const struct xk_index *const x = &p->con->index[i];
        n += x->role == XK_ROLE_N;
    }
    if (n != 1 || !xk_plan_k_inner(p))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "plan: %u N indices, want one, and a K index", n);
    if (p->s.pack != (p->con->place_e != 0))
        return xk_fail(c, XK_EINTERNAL,
                       "plan: the schedule's places of K are %spacked",
                       p->s.pack ? "" : "not ");
    return XK_OK;
}

static void set_extents(struct xk_plan *p)
{
    const struct xk_shape s = p->shape;
    const struct xk_view *const v = &p->con->c.view;
    const int t = xk_view_tensor_dim(v, xk_plan_n_index(p)->name);
    p->m_extent = s.m;
    p->n_extent = p->epi.n_extent = s.n;
    /* The padding of C's columns is written too: with zeros. */
    if (t >= 0 && v->layout.dim[t] == s.n)
        p->epi.n_extent = v->layout.padded[t];
}

/* x: N, y: M, or the other way round; z: batch. Threads of a group run along N
 * first, so that a fused pair shares M. Padding of C's columns is covered too.
 */
static void set_grid(struct xk_plan *p)
{
    p->groups[p->s.m_first] =
        (uint32_t)xk_schedule_groups_n(&p->s, p->epi.n_extent);
    p->groups[!p->s.m_first] =
        (uint32_t)xk_schedule_groups_m(&p->s, p->m_extent);
    p->groups[2] = (uint32_t)xk_shape_batch(&p->shape);
}

static uint8_t walk_of(const struct xk_schedule *s)
{
    if (xk_schedule_is_walk(s))
        return XK_WALK_ALL;
    return xk_schedule_is_one_loop(s) ? XK_WALK_INSIDE : XK_WALK_LOOPS;
}

static void set_thread(struct xk_plan *p)
{
    static const uint8_t families[] = {[XK_FMA_MAD] = XK_FAMILY_MAD,
                                       [XK_FMA_DPAS] = XK_FAMILY_DPAS,
                                       [XK_FMA_DPASW] = XK_FAMILY_DPASW,
                                       [XK_FMA_DP4A] = XK_FAMILY_DP4A,
                                       [XK_FMA_LANES] = XK_FAMILY_MAD};
    const struct xk_schedule *const s = &p->s;
    const struct xk_fma_family *const f = xk_fma_family_of(s->fma);
    p->t = (struct xk_plan_thread){
        .family = families[s->fma],
        .walk = walk_of(s),
        .batch = s->fma == XK_FMA_LANES,
        .dpas = f->dpas,
        .lanes_m = f->lanes_m,
        .surfaces = s->surfaces,
        .m_first = s->m_first,
        .lanes = (uint8_t)s->simd,
        .copies = (uint16_t)xk_schedule_copies(s, 1),
        .m = s->m_thr,
        .n = s->n_thr,
        .n_part = s->n_sub,
        .k = s->k_step,
        .k_last = s->pack ? XK_PACK_FEW : s->k_step,
        .group_m = s->tg_m,
        .group_n = s->tg_n,
    };
}

bool xk_plan_is_wide(const struct xk_plan *p)
{
    return p->s.fma == XK_FMA_DPASW;
}

static bool is_dpas(const struct xk_plan *p)
{
    return xk_fma_family_of(p->s.fma)->dpas;
}

/* Who plans the operands of a kind of multiply. */
struct family {
    enum xk_status (*access_a)(xk_ctx *c, const struct xk_operand_job *j);
    struct xk_plan_loads (*loads_a)(const struct xk_operand_job *j,
                                    uint16_t k_len);
    enum xk_status (*access_b)(xk_ctx *c, const struct xk_operand_job *j);
    struct xk_plan_loads (*loads_b)(const struct xk_operand_job *j,
                                    uint16_t k_len);
};

static struct family family_of(const struct xk_plan *p)
{
    static const struct family families[] = {
        [XK_FMA_MAD] = {xk_mad_access, xk_mad_loads, xk_mad_access,
                        xk_mad_loads},
        [XK_FMA_DPAS] = {xk_gather_access, xk_gather_loads, xk_dpas_access_b,
                         xk_dpas_loads_b},
        [XK_FMA_DPASW] = {xk_gather_access, xk_gather_loads, xk_dpas_access_b,
                          xk_dpas_loads_b},
        [XK_FMA_DP4A] = {xk_gather_access, xk_gather_loads, xk_dp4a_access_b,
                         xk_dp4a_loads_b},
    };
    return families[p->s.fma];
}

static struct xk_operand_job job_a(xk_ctx *c, struct xk_plan *p)
{
    struct xk_operand_job j = {p,   &p->con->a.view, NULL, p->s.m_thr, &p->a,
                               {0}, &p->con->a};
    j.s = xk_tile_strides_of(c, p, j.view, j.row);
    return j;
}

static struct xk_operand_job job_b(xk_ctx *c, struct xk_plan *p)
{
    const uint16_t rows = (uint16_t)(p->s.n_sub / (xk_plan_is_wide(p) ? 2 : 1));
    struct xk_operand_job j = {
        p,   &p->con->b.view, xk_plan_n_index(p)->name, rows, &p->b,
        {0}, &p->con->b};
    j.s = xk_tile_strides_of(c, p, j.view, j.row);
    return j;
}

#define LANES_STAGING_B 256 /* four messages on their way */

static bool ragged(int64_t extent, unsigned tile, unsigned threads)
{
    return extent % ((int64_t)tile * threads) != 0;
}

static enum xk_status plan_operands(xk_ctx *c, struct xk_plan *p,
                                    const struct xk_operand_job *a,
                                    const struct xk_operand_job *b)
{
    const struct family f = family_of(p);
    XK_TRY(f.access_a(c, a));
    XK_TRY(f.access_b(c, b));
    p->a.slots = p->s.slots_a;
    p->b.slots = p->s.slots_b;
    p->a.served = (uint8_t)xk_schedule_served(&p->s);
    p->b.served = 1;
    p->a.more_b =
        p->a.tile_b / p->s.m_thr * xk_schedule_more_rows(&p->shape, &p->s);
    /* One buffer can only be filled right before its use. */
    const uint8_t last = p->s.slots_a > 1 || p->s.slots_b > 1;
    p->a.stage = p->a.slots > 1 ? 0 : last;
    p->b.stage = p->b.slots > 1 ? 0 : last;
    /* Lanes along N are masked; rows of N are moved back inside: what they
     * compute twice is not stored. */
    const bool lanes_n = p->b.row_lanes;
    const bool ragged_n =
        (int64_t)xk_plan_groups_n(p) * p->s.tg_n * p->s.n_thr > p->n_extent;
    p->b.row_masked = ragged_n && lanes_n;
    p->b.clamp_rows = ragged_n && !lanes_n;
    return XK_OK;
}

/* The loads of a segment whose trip, k_len and k_first are set. Each is code of
 * its own. */
static enum xk_status fill_segment(xk_ctx *c, const struct xk_plan *p,
                                   const struct xk_operand_job *a,
                                   const struct xk_operand_job *b,
                                   struct xk_plan_segment *s)
{
    const struct family f = family_of(p);
    s->a = f.loads_a(a, s->k_len);
    s->b = f.loads_b(b, s->k_len);
    if (s->a.parts > XK_PLAN_MAX_PARTS || s->b.parts > XK_PLAN_MAX_PARTS)
        return xk_fail(c, XK_ENOFIT,
                       "plan: more than %u messages and reorders a step",
                       XK_PLAN_MAX_PARTS);
    return XK_OK;
}

static void add_segment(struct xk_plan *p, uint32_t trip, int64_t k_len,
                        int64_t k_first)
{
    if (trip == 0 || k_len == 0)
        return;
    struct xk_plan_segment *const s = &p->seg[p->n_segments++];
    s->trip = trip;
    s->k_len = (uint16_t)k_len;
    s->k_first = k_first;
}

static enum xk_status plan_segments(xk_ctx *c, struct xk_plan *p,
                                    const struct xk_operand_job *a,
                                    const struct xk_operand_job *b)
{
    const int64_t inner = xk_plan_k_inner(p)->extent, step = p->s.k_step;
    const int64_t k = xk_schedule_is_walk(&p->s)
                          ? xk_contraction_extent(&p->con->walked, XK_ROLE_K)
                          : inner;
    const int64_t full = k / step * step;
    add_segment(p, (uint32_t)(k / step / p->s.slices), step, 0);
    add_segment(p, 1, k - full, full);
    for (unsigned i = 0; i < p->n_segments; i++)
        XK_TRY(fill_segment(c, p, a, b, &p->seg[i]));
    return XK_OK;
}

/* mad: [m][n]. dpas: [n / 8][m / 8][n % 8][m % 8], a register a row of N (8:
 * rows and lanes of a dpas); dpasw the same, with columns 4 j .. 4 j + 3 of
 * each half of N in its block j. */
static void plan_acc(struct xk_plan *p)
{
    struct xk_layout *const l = &p->acc;
    const int64_t m = p->s.m_thr, n = p->s.n_thr;
    const int64_t lanes = p->platform->dpas_exec, rows = p->platform->dpas_rows;
    l->dt = p->con->acc_dt;
    l->n_dims = 2;
    l->dim[0] = l->padded[0] = m;
    l->dim[1] = l->padded[1] = n;
    p->acc_b = (uint32_t)(m * n * 4);
    if (xk_plan_is_wide(p)) {
        l->n_blocks = 5;
        l->block[0] = (struct xk_block){1, 2, rows / 2 * lanes};
        l->block[1] = (struct xk_block){1, n / rows, m * rows};
        l->block[2] = (struct xk_block){0, m / lanes, rows * lanes};
        l->block[3] = (struct xk_block){1, rows / 2, lanes};
        l->block[4] = (struct xk_block){0, lanes, 1};
        p->fma_per_step = (uint32_t)(m / lanes * n / rows);
    } else if (is_dpas(p)) {
        l->n_blocks = 4;
        l->block[0] = (struct xk_block){1, n / rows, m * rows};
        l->block[1] = (struct xk_block){0, m / lanes, rows * lanes};
        l->block[2] = (struct xk_block){1, rows, lanes};
        l->block[3] = (struct xk_block){0, lanes, 1};
        p->fma_per_step = (uint32_t)(m / lanes * n / rows);
    } else {
        l->n_blocks = 2;
        l->block[0] = (struct xk_block){0, m, n};
        l->block[1] = (struct xk_block){1, n, 1};
        const int64_t deep = p->s.k_step / (p->s.fma == XK_FMA_DP4A ? 4 : 1);
        p->fma_per_step = (uint32_t)(m * deep * (n / p->s.simd));
    }
}

/* Addresses: 8 bytes a lane. The header pass gives the messages of a loop a few
 * headers in turn, and keeps a few bases: their loop-invariant parts. */
static unsigned header_grf(const struct xk_plan *p,
                           const struct xk_plan_loads *l)
{
    enum { TURNS = 4, MOST = 8 };
    const unsigned each = xk_grfs(p, 8u * l->lanes);
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

/* What a dummy in front of a dpas writes (codegen/dpas_guard.c): where not all
 * of src1 is loaded, or a load leaves lanes alone. */
static unsigned dummy_grf(const struct xk_plan *p)
{
    bool parts =
        p->a.access == XK_ACCESS_ELEMENTS || p->a.raw_b || p->a.zero_once;
    for (unsigned i = 0; i < p->n_segments; i++)
        parts |= p->seg[i].a.zeroes;
    if (p->flat.places) /* no masks of A */
        parts = p->a.access == XK_ACCESS_ELEMENTS;
    parts |= p->sums.any; /* what adds sums up */
    return is_dpas(p) && (parts || leaves_lanes(p)) ? 8 : 0;
}

/* Headers of A's places, which stay, and B's. Straight code has each while it
 * needs it. */
static uint16_t flat_headers_grf(const struct xk_plan *p)
{
    const struct xk_plan_flat *const f = &p->flat;
    const unsigned ring = header_grf(p, &p->seg[0].a);
    const unsigned stay = xk_grfs(p, f->places * f->headers_b);
    const bool straight = f->trip < 2u * f->copies && ring < stay;
    return (uint16_t)((straight ? ring : stay) + header_grf(p, &p->seg[0].b));
}

static void count_loop(struct xk_plan *p)
{
    struct xk_plan_grf *const g = &p->grf;
    const struct xk_plan_segment *const s = &p->seg[0];
    const unsigned deep_b = p->platform->dpas_depth_b;
    g->acc = (uint16_t)xk_grfs(p, p->acc_b);
    if (p->sums.any) /* and what is their right-hand side */
        g->acc = (uint16_t)(g->acc + xk_grfs(p, p->sums.size_b) + 2u);
    if (p->totals.any) /* and ones */
        g->acc = (uint16_t)(g->acc + xk_grfs(p, p->totals.size_b) + 1u);
    g->a = (uint16_t)(xk_grfs(p, xk_plan_slots_b(&p->a)));
    g->b = (uint16_t)(xk_grfs(p, xk_plan_slots_b(&p->b)));
    g->staging =
        (uint16_t)(xk_grfs(p, p->a.staging_b) + xk_grfs(p, p->b.staging_b) +
                   xk_grfs(p, p->slm.share_b));
    g->headers = (uint16_t)(header_grf(p, &s->a) + header_grf(p, &s->b));
    if (p->a.raw_b) /* a header each, or two places of K in turn */
        g->headers = (uint16_t)(p->s.k_step / 2 + header_grf(p, &s->b));
    /* Element by element the rest of K has many messages, too, whose headers
     * the loop around both keeps. */
    if (p->n_segments > 1 && (p->a.staging_b || p->b.staging_b))
        g->headers = (uint16_t)(g->headers + header_grf(p, &s[1].a) +
                                header_grf(p, &s[1].b));
    if (p->flat.places)
        g->headers = flat_headers_grf(p);
    if (p->a.served > 1)
        g->headers = (uint16_t)(xk_schedule_held_grf(
                                    p->platform, p->flat.places,
                                    p->flat.headers_b / 4, p->a.served) +
                                header_grf(p, &s->b));
    else if (p->flat.eights) /* and rows in the lanes, and how far along K */
        g->headers =
            (uint16_t)(g->headers + 1 + xk_schedule_headers(s->a.n) + 1u);
    g->lets = (uint16_t)(p->flat.places ? 4 : lets_grf(p));
    /* Element by element: offsets along K of 16 lanes, and the temporaries of
     * addresses that share no base. Measured on random problems. */
    if (p->b.staging_b)
        g->lets = (uint16_t)(g->lets + 14 * p->n_segments);
    if (p->a.staging_b)
        g->lets = (uint16_t)(g->lets + 6 * p->n_segments);
    if (p->s.slm) /* and places of stores and reads */
        g->headers = (uint16_t)(g->headers +
                                2 * xk_grfs(p, 4 * p->slm.share_b / deep_b) +
                                xk_grfs(p, 4 * p->a.tile_b / deep_b));
    /* r0, arguments in r1, three of packed scalars */
    g->fixed = (uint16_t)(5 + dummy_grf(p));
    g->loop = (uint16_t)(g->acc + g->a + g->b + g->staging + g->headers +
                         g->lets + g->fixed);
}

static unsigned early_inputs(const struct xk_plan *p)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->con->n_inputs; i++)
        n += p->epi.input[i] == XK_INPUT_COLUMNS;
    return n;
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
    const unsigned left =
        g->loop < g->limit ? (unsigned)(g->limit - g->loop) : 0;
    if (p->b.staging_b || (many && left < keep))
        return left > keep ? left - keep : 0;
    return left;
}

/* Coordinates, offsets and masks of the epilogue: of all eights of rows, with M
 * in the lanes; else of one row, and a header. */
enum { LANES_OF_M_GRF = 16, ONE_ROW_GRF = 6 };

static enum xk_status count_registers(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_grf *const g = &p->grf;
    g->limit = (uint16_t)xk_platform_grf(p->platform, p->s.grf_count);
    count_loop(p);
    g->spare = (uint16_t)spare_grf(p);
    const unsigned row = xk_grfs(p, 4u * p->s.n_thr);
    const unsigned converted =
        is_dpas(p) ? 0 : p->epi.turns * xk_grfs(p, p->epi.part_b);
    g->epilogue = (uint16_t)(g->acc + row * (early_inputs(p) + 2u) +
                             (p->t.lanes_m ? LANES_OF_M_GRF : ONE_ROW_GRF) +
                             g->fixed + converted);
    if (p->slices.n > 1) /* begins before they add up: headers */
        g->epilogue = (uint16_t)(g->epilogue + g->acc * 3u / 16);
    xk_plan_fit_store(p);
    xk_plan_preload(c, p);
    const unsigned most = g->loop > g->epilogue ? g->loop : g->epilogue;
    if (most > g->limit)
        return xk_fail(c, XK_ENOFIT,
                       "plan: %u registers of %u (C %u, A %u, B %u, staging "
                       "%u, addresses %u, coordinates %u)",
                       most, g->limit, g->acc, g->a, g->b, g->staging,
                       g->headers, g->lets);
    return XK_OK;
}

/* Nothing is loaded where nothing is summed. */
static enum xk_status plan_multiply(xk_ctx *c, struct xk_plan *p)
{
    p->a.row_masked = ragged(p->m_extent, p->s.m_thr, p->s.tg_m);
    if (p->con->empty)
        return XK_OK;
    const struct xk_operand_job a = job_a(c, p), b = job_b(c, p);
    XK_TRY(plan_operands(c, p, &a, &b));
    XK_TRY(plan_segments(c, p, &a, &b));
    XK_TRY(xk_plan_slm(c, p));
    return xk_plan_flat(c, p);
}

/* A row of a window and all of B, by tile functions: what loads them is the
 * expansion's to say. */
static enum xk_status plan_lanes(xk_ctx *c, struct xk_plan *p)
{
    const struct xk_lanes_nest *const t = p->con->lanes;
    if (!t)
        return xk_fail(c, XK_EINTERNAL, "plan: no batch is in the lanes");
    p->a.tile_b = (uint32_t)xk_tile_size_b(&t->tiling.tile[0]);
    p->b.tile_b = (uint32_t)xk_tile_size_b(&t->tiling.tile[1]);
    p->a.slots = 2;
    p->b.slots = 1;
    p->a.staging_b = LANES_STAGING_B;
    p->a.why = p->b.why = "each element once, a lane a column";
    p->a.row_masked = ragged(p->m_extent, p->s.m_thr, p->s.tg_m);
    return XK_OK;
}

enum xk_status xk_plan_make(xk_ctx *c, const struct xk_platform *platform,
                            const struct xk_nest *con,
                            const struct xk_schedule *s, struct xk_plan *p)
{
    memset(p, 0, sizeof(*p));
    p->con = con;
    p->platform = platform;
    p->s = *s;
    p->s.slices = (uint8_t)xk_schedule_slices(s);
    struct xk_shape whole;
    XK_TRY(xk_shape_of(c, &con->of, &whole));
    p->shape = xk_schedule_shape(&whole, s);
    XK_TRY(check_indices(c, p));
    set_extents(p);
    set_grid(p);
    set_thread(p);
    XK_TRY(p->s.fma == XK_FMA_LANES ? plan_lanes(c, p) : plan_multiply(c, p));
    plan_acc(p);
    XK_TRY(xk_plan_slices(c, p));
    XK_TRY(xk_plan_sums(c, p));
    xk_plan_totals(p);
    XK_TRY(xk_plan_store(c, p));
    XK_TRY(xk_plan_calls(c, p));
    return count_registers(c, p);
}
