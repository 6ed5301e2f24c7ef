/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of one round end at nearly the same time: what they store keeps memory
 * busy, and the next round's first loads come behind it. So each group asks for
 * what that one will load which comes in its place (plan.h, struct
 * xk_plan_ahead). What all of them read of B the first round has brought. */
#include "plan/operand.h"

enum { MAX_MESSAGES = 16 };

/* Elements of K that lie together in a line; no fewer than a step has. */
static int64_t unit_of(xk_ctx *c, const struct xk_plan *p)
{
    const struct xk_view *const v = &p->con->a.view;
    const int64_t elem_b = xk_dtype_b(v->layout.dt);
    int64_t k_b, run, unit = p->s.k_step;
    if (!xk_view_stride_b(c, v, xk_plan_k_inner(p)->name, &k_b, &run) ||
        k_b != elem_b)
        return unit;
    while (unit * elem_b < p->platform->line_b && run % (2 * unit) == 0)
        unit *= 2;
    return unit;
}

void xk_plan_ahead(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_ahead *const a = &p->flat.ahead;
    if (!p->s.prefetch)
        return;
    const int64_t unit = unit_of(c, p);
    const int64_t units = xk_ceil_div(xk_plan_k_inner(p)->extent, unit);
    const int64_t sharers =
        (int64_t)xk_plan_groups_n(p) * xk_schedule_slices(&p->s);
    const int64_t each = xk_ceil_div(units, sharers);
    a->lanes = p->platform->message_lanes;
    while (p->s.m_thr % a->lanes)
        a->lanes /= 2;
    if (each * p->s.m_thr / a->lanes > MAX_MESSAGES) {
        a->why = "a thread would have to ask for too much";
        return;
    }
    a->groups = (uint32_t)xk_schedule_groups_ahead(
        p->platform, &p->s, xk_plan_groups_n(p), xk_plan_groups_m(p));
    a->why = a->groups ? NULL : "no group has the place of a group before";
    a->unit = (uint16_t)unit;
    a->units = (uint32_t)units;
    a->sharers = (uint32_t)sharers;
    a->each = (uint8_t)each;
}
