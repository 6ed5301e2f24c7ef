/* SPDX-License-Identifier: Apache-2.0 */
/* All of K in one pipelined loop (plan.h, struct xk_plan_flat): the pipeline is
 * filled once, neighbouring places of K find each other's lines of A in the
 * cache, and what lies beside the tensor is an address, not a mask. */
#include "isa/message.h"
#include "plan/operand.h"

static const char one_loop[] = "walk=:po"; /* what asks for this loop */

/* field: of the schedule, with its value. */
static enum xk_status no_fit(xk_ctx *c, const char *field, const char *why)
{
    return xk_fail(c, XK_ENOFIT, "plan: %s: %s", field, why);
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

/* Registers of the headers of one step's loads, in bytes; 0: not only loads, or
 * what they bring is packed. */
static uint32_t headers_b(const struct xk_plan *p)
{
    const struct xk_plan_loads *const l = &p->seg[0].a;
    return l->parts > l->n ? 0 : 4u * l->lanes * l->n;
}

/* Whether the rows of an item lie evenly, and beside the tensor together: the
 * innermost M index is no part of a mask. */
static bool rows_together(xk_ctx *c, const struct xk_plan *p)
{
    const struct xk_view *const v = &p->con->a.view;
    const struct xk_index *inner = NULL;
    int64_t row_b, run;
    for (unsigned i = 0; i < p->con->n_index; i++)
        if (p->con->index[i].role == XK_ROLE_M && p->con->index[i].extent > 1)
            inner = &p->con->index[i];
    const int d = inner ? xk_view_find(v, inner->name) : -1;
    if (d < 0 || inner->extent % p->platform->dpas_exec ||
        !xk_view_stride_b(c, v, inner->name, &row_b, &run) ||
        run < inner->extent)
        return false;
    for (unsigned i = 0; i < v->n_masks; i++)
        if (xk_depends_on(v->mask[i], v->dim[d].var))
            return false;
    return true;
}

/* Whether the rows of each dpas have a message. */
static bool loads_are_eights(const struct xk_plan *p)
{
    const struct xk_plan_loads *const l = &p->seg[0].a;
    const unsigned lanes = p->platform->dpas_exec;
    return l->lanes == lanes && l->n <= XK_MAX_EIGHTS &&
           l->n * lanes == p->s.m_thr;
}

/* What a loop over all of K cannot do without. */
static enum xk_status check_steps(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_flat *const f = &p->flat;
    if (!(f->headers_b = headers_b(p)))
        return no_fit(c, one_loop, "rows of A are no dwords of K");
    if (p->s.slm) /* a header a gather of the thread's share */
        f->headers_b = 4 * p->slm.share_b / p->platform->dpas_depth_b;
    if (p->b.access != XK_ACCESS_BLOCK)
        return no_fit(c, one_loop, "B is not loaded in blocks");
    if (p->walk.rest &&
        (p->s.slm || p->s.slices > 1 || p->a.served > 1 || !p->t.dpas))
        return no_fit(c, one_loop, "K is no multiple of a step");
    return XK_OK;
}

/* Whether A's addresses go evenly along K. */
static enum xk_status check_even(xk_ctx *c, const struct xk_plan *p)
{
    const struct xk_index *const k = xk_plan_k_inner(p);
    const int64_t step_b = xk_plan_step_b(p);
    if (!step_b)
        return no_fit(c, one_loop, "A's steps of K are not evenly spaced");
    /* A lane that begins at XK_OFF_NULL must not come round. */
    if (step_b * (k->extent / p->s.k_step + 1) >= UINT32_MAX - XK_OFF_NULL)
        return no_fit(c, one_loop, "K spans too many bytes");
    return XK_OK;
}

/* Headers, or places where eights of rows share a position. With one place of
 * the outer K indices headers are as many, and fewer instructions move them on.
 */
static enum xk_status set_addresses(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_flat *const f = &p->flat;
    f->places = (uint16_t)(p->shape.k_outer / p->a.served);
    f->eights = !p->s.slm && xk_fma_family_of(p->s.fma)->lanes_m &&
                f->places > 1 && loads_are_eights(p) && rows_together(c, p);
    f->items =
        (uint16_t)(p->seg[0].a.n + p->a.more_b / (p->a.tile_b / p->seg[0].a.n));
    if (p->a.served > 1)
        f->headers_b = 4u * f->items;
    else if (f->eights)
        f->headers_b = xk_schedule_places_b(f->items);
    if (f->places * f->headers_b > XK_MAX_ADDRESS_GRF * p->platform->grf_b)
        return no_fit(c, one_loop, "too many addresses");
    return XK_OK;
}

/* The loop's body and how often it runs. */
static enum xk_status set_body(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_flat *const f = &p->flat;
    const int64_t outer = p->shape.k_outer;
    f->copies = (uint16_t)xk_schedule_copies(&p->s, outer);
    if (f->copies > XK_MAX_COPIES)
        return no_fit(c, one_loop, "too many copies of the loop's body");
    f->trip = p->walk.trip;
    return XK_OK;
}

enum xk_status xk_plan_flat(xk_ctx *c, struct xk_plan *p)
{
    if (!xk_schedule_is_one_loop(&p->s))
        return XK_OK;
    XK_TRY(check_steps(c, p));
    XK_TRY(check_even(c, p));
    XK_TRY(set_addresses(c, p));
    XK_TRY(set_body(c, p));
    xk_plan_ahead(c, p);
    return xk_ctx_status(c);
}
