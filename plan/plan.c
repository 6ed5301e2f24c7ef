/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of one schedule: operands, segments of K, grid. */
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
    if (xk_schedule_packs(&p->s) != (p->con->place_e != 0))
        return xk_fail(c, XK_EINTERNAL,
                       "plan: the schedule's places of K are %spacked",
                       xk_schedule_packs(&p->s) ? "" : "not ");
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
        .batch = s->fma == XK_FMA_LANES,
        .dpas = f->dpas,
        .lanes_m = f->lanes_m,
        .surfaces = s->surfaces,
        .m_first = s->m_first,
        .lanes = (uint8_t)s->simd,
        .m = s->m_thr,
        .n = s->n_thr,
        .n_part = s->n_sub,
        .k = s->k_step,
        .k_last = xk_schedule_packs(s) ? XK_PACK_FEW : s->k_step,
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
    const struct xk_plan_walk *const w = &p->walk;
    const uint32_t outer =
        xk_schedule_is_one_loop(&p->s) ? (uint32_t)p->shape.k_outer : 1;
    const int64_t full = (int64_t)(w->trip / outer) * p->s.k_step;
    add_segment(p, w->trip / outer, p->s.k_step, 0);
    add_segment(p, w->rest / outer, w->rest_e, full);
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
    p->a.row_masked =
        ragged(p->m_extent, p->s.m_thr, p->s.tg_m) || p->s.m_thr % p->s.slices;
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
    xk_plan_k_walk(p);
    XK_TRY(p->s.fma == XK_FMA_LANES ? plan_lanes(c, p) : plan_multiply(c, p));
    plan_acc(p);
    XK_TRY(xk_plan_slices(c, p));
    XK_TRY(xk_plan_sums(c, p));
    xk_plan_totals(p);
    XK_TRY(xk_plan_store(c, p));
    XK_TRY(xk_plan_calls(c, p));
    return xk_plan_registers(c, p);
}
