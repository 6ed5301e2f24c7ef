/* SPDX-License-Identifier: Apache-2.0 */
/* A through shared local memory (SLM): the group loads its tile of A once, a
 * part a thread, and each thread reads its rows from there as whole register
 * tiles. All of K is one pipelined loop, filter taps innermost, so that the
 * pipeline is filled once; each tap has addresses of its own. */
#include "isa/message.h"
#include "plan/operand.h"

static enum xk_status no_fit(xk_ctx *c, const struct xk_plan *p,
                             const char *why)
{
    return xk_fail(c, XK_ENOFIT, "plan: slm=%u: %s", p->s.slm, why);
}

int64_t xk_plan_step_b(const struct xk_plan *p)
{
    const struct xk_view *const v = &p->con->a.view;
    const struct xk_index *const k = xk_plan_k_inner(p);
    const int dim = xk_view_tensor_dim(v, k->name);
    int64_t inner = 1, step = p->s.k_step;
    if (dim < 0)
        return 0;
    for (int i = v->layout.n_blocks - 1; i >= 0; i--) {
        const struct xk_block *const b = &v->layout.block[i];
        if ((int)b->dim != dim || b->size == 1)
            continue;
        if (inner * b->size > step) {
            const bool to_the_end = inner * b->size >= k->extent;
            return step % inner == 0 && to_the_end
                       ? step / inner * b->stride *
                             (int64_t)xk_dtype_b(v->layout.dt)
                       : 0;
        }
        inner *= b->size;
    }
    return inner >= k->extent ? step * xk_dtype_b(v->layout.dt) : 0;
}

/* Byte in memory of step k of the innermost K, other coordinates 0. */
static int64_t b_at(const struct xk_plan *p, int dim, int64_t k)
{
    const struct xk_layout *const l = &p->con->b.view.layout;
    int64_t at[XK_VIEW_MAX_DIMS] = {0};
    at[dim] = k * p->s.k_step;
    return (xk_layout_offset_e(l, at) - l->offset_e) *
           (int64_t)xk_dtype_b(l->dt);
}

bool xk_plan_b_taps(xk_ctx *c, const struct xk_plan *p, int64_t *tap_b,
                    int64_t *all_b)
{
    *tap_b = *all_b = 0;
    for (int i = (int)p->con->n_index - 1; i >= 0; i--) {
        const struct xk_index *const x = &p->con->index[i];
        int64_t stride_b, run;
        if (x->role != XK_ROLE_K || x == xk_plan_k_inner(p) || x->extent == 1)
            continue;
        if (!xk_view_stride_b(c, &p->con->b.view, x->name, &stride_b, &run) ||
            run < x->extent || (*all_b && stride_b != *all_b))
            return false;
        if (!*all_b)
            *tap_b = stride_b;
        *all_b = stride_b * x->extent;
    }
    return true;
}

/* Bytes from a depth of B to the next and from a tap to the next, if these are
 * constants. */
static bool b_strides(xk_ctx *c, struct xk_plan *p)
{
    const struct xk_index *const inner = xk_plan_k_inner(p);
    const int dim = xk_view_tensor_dim(&p->con->b.view, inner->name);
    int64_t all_b;
    if (dim < 0 || !xk_plan_b_taps(c, p, &p->slm.b_tap_b, &all_b))
        return false;
    const int64_t steps = inner->extent / p->s.k_step;
    p->slm.b_depth_b = steps > 1 ? b_at(p, dim, 1) : 0;
    for (int64_t k = 2; k < steps; k++)
        if (b_at(p, dim, k) != k * p->slm.b_depth_b)
            return false;
    return true;
}

/* Headers go from place to place by an exclusive or, so all sizes are powers of
 * two. */
static void size_buffers(struct xk_plan_slm *s)
{
    const unsigned blocks_b = s->blocks * s->tile_b;
    s->level_b = 256;
    while (s->level_b < blocks_b)
        s->level_b *= 2;
    s->slot_b = s->level_b * s->depth;
}

/* A step of a tile is one gather; or its elements come one by one, evenly
 * spaced, and are packed on their way in. */
static enum xk_status shape_tiles(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slm *const s = &p->slm;
    const struct xk_plan_list *const list = &p->seg[0].a;
    s->lanes = (uint8_t)p->s.simd;
    s->tile_b = (uint16_t)(p->a.tile_b / p->s.m_thr * s->lanes);
    if (p->a.access == XK_ACCESS_SCATTERED)
        return list->n == (unsigned)p->s.m_thr / s->lanes
                   ? XK_OK
                   : no_fit(c, p, "a step of A's rows is not one message");
    const struct xk_tile_strides k =
        xk_tile_strides_of(c, p, &p->con->a.view, NULL);
    XK_TRY(xk_ctx_status(c));
    if (!k.k_b || k.k_run < xk_plan_k_inner(p)->extent || p->s.depth > 1)
        return no_fit(c, p, "A's elements come one by one");
    s->k_b = k.k_b;
    s->raw_b = (uint16_t)(4u * s->lanes * p->s.k_step);
    p->a.staging_b = 0;
    return XK_OK;
}

static enum xk_status divide_a(xk_ctx *c, struct xk_plan *p, unsigned threads)
{
    struct xk_plan_slm *const s = &p->slm;
    XK_TRY(shape_tiles(c, p));
    s->blocks = (uint16_t)(p->s.tg_m * p->s.m_thr / s->lanes);
    s->units = (uint16_t)(s->blocks * s->depth / xk_plan_slm_unit(s));
    s->per_thread = (uint16_t)xk_ceil_div(s->units, threads);
    /* With spare places for the threads that have none left. */
    s->blocks = (uint16_t)xk_ceil_div(
        (int64_t)s->per_thread * threads * xk_plan_slm_unit(s), s->depth);
    return XK_OK;
}

/* Three buffers take turns in four places, in the order of a Gray code: the next one
 * differs by a bit, which is not that of the step before. */
static enum xk_status divide(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slm *const s = &p->slm;
    const unsigned threads = p->s.tg_m * p->s.tg_n;
    s->buffers = p->s.slm;
    s->places = s->buffers > 2 ? 4 : s->buffers;
    s->depth = p->s.depth;
    XK_TRY(divide_a(c, p, threads));
    size_buffers(s);
    s->all_b = s->slot_b * s->places;
    if ((int64_t)s->all_b * p->s.slices > p->platform->slm_max_b)
        return no_fit(c, p, "its buffers are larger than SLM");
    return XK_OK;
}

enum xk_status xk_plan_slm(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slm *const s = &p->slm;
    const struct xk_index *const k = xk_plan_k_inner(p);
    const int64_t taps = p->shape.k_outer;
    const int64_t k_step = (int64_t)p->s.k_step * p->s.depth;
    if (!p->s.slm)
        return XK_OK;
    if (p->a.access != XK_ACCESS_SCATTERED && p->a.access != XK_ACCESS_ELEMENTS)
        return no_fit(c, p, "A's rows are no dwords of K");
    if (p->b.access != XK_ACCESS_BLOCK)
        return no_fit(c, p, "B is not loaded in blocks");
    if (k->extent % k_step)
        return no_fit(c, p, "K is no multiple of a step");
    s->depth_b = xk_plan_step_b(p);
    s->step_b = s->depth_b * p->s.depth;
    if (!s->step_b)
        return no_fit(c, p, "A's steps of K are not evenly spaced");
    /* A lane that begins at XK_OFF_NULL must not come round. */
    if (s->step_b * (k->extent / k_step) >= UINT32_MAX - XK_OFF_NULL)
        return no_fit(c, p, "K spans too many bytes");
    if (!b_strides(c, p))
        return no_fit(c, p, "steps or taps of B are not evenly spaced");
    s->beside = XK_OFF_NULL;
    if (taps > XK_MAX_COPIES)
        return no_fit(c, p, "too many filter taps");
    s->taps = (uint16_t)taps;
    XK_TRY(divide(c, p));
    s->copies = (uint16_t)xk_schedule_copies(&p->s, taps);
    s->trip = (uint32_t)(k->extent / k_step / p->s.slices) * s->taps;
    if (s->copies * s->depth > XK_MAX_COPIES)
        return no_fit(c, p, "too many copies of the loop's body");
    return xk_ctx_status(c);
}

unsigned xk_plan_slm_grf(const struct xk_plan *p, unsigned *staged)
{
    const struct xk_plan_slm *const s = &p->slm;
    const unsigned grf_b = p->platform->grf_b, tiles = p->s.m_thr / s->lanes;
    const unsigned unit = s->per_thread * xk_plan_slm_unit(s);
    const unsigned others = tiles + p->seg[0].b.n + (s->places > 2);
    *staged = unit * s->tile_b / grf_b;
    if (s->raw_b) { /* packed one after the other; a header of its own */
        *staged = (unit * s->raw_b + s->tile_b) / grf_b;
        return 2 * unit * s->taps + unit + others + 4;
    }
    return unit * (s->lanes / 8u) * s->taps + unit + others;
}
