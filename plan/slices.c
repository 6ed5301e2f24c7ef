/* SPDX-License-Identifier: Apache-2.0 */
/* K divided between threads of a group (plan.h, struct xk_plan_slices): small
 * problems have fewer tiles than the machine has threads. */
#include "plan/operand.h"

/* Columns of dpas come a repeat count a message, of dpasw that for each thread
 * of a pair: a place is whole messages of both, or else of one of them. Rows of
 * mad are lanes of A, which are put in order by an exclusive or. */
static void set_order(struct xk_plan *p)
{
    struct xk_plan_slices *const s = &p->slices;
    s->by_halves = s->n > 1 && xk_plan_is_wide(p) &&
                   p->epi.n % (2 * p->platform->dpas_rows) != 0;
    s->swaps =
        s->by_halves && xk_schedule_swaps_parts(p->platform, &p->shape, &p->s);
}

unsigned xk_plan_place_rows(const struct xk_plan *p)
{
    if (p->slices.swaps)
        return 2u * p->epi.n;
    const bool both = xk_plan_is_wide(p) && !p->slices.by_halves;
    return p->epi.n / (both ? 2u : 1u);
}

/* What is kept lies first. dpasw's columns c and c + n / 2 of a tile, or of a
 * place, lie side by side; where they are different parts, every other four
 * registers are kept. */
static void set_first(struct xk_plan *p)
{
    struct xk_layout *const l = &p->part;
    const int64_t m = p->s.m_thr, n = p->epi.n;
    const int64_t lanes = p->platform->dpas_exec, rows = p->platform->dpas_rows;
    if (p->slices.by_rows) {
        l->block[0].size = p->epi.m;
    } else if (p->slices.by_halves) {
        l->n_blocks = 4;
        l->block[0] = (struct xk_block){1, 2 * n / rows, m * rows};
        l->block[1] = (struct xk_block){0, m / lanes, rows * lanes};
        l->block[2] = (struct xk_block){1, rows / 2, lanes};
        l->block[3] = (struct xk_block){0, lanes, 1};
    } else {
        l->block[xk_plan_is_wide(p) ? 1 : 0].size = n / rows;
    }
}

/* plan_acc's layout with the part's extents. */
static void set_acc_part(struct xk_plan *p)
{
    struct xk_layout *const l = &p->part;
    *l = p->acc;
    if (p->slices.n == 1)
        return;
    l->dim[0] = l->padded[0] = p->epi.m;
    l->dim[1] = l->padded[1] = p->epi.n;
    set_first(p);
}

enum xk_status xk_plan_slices(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slices *const s = &p->slices;
    s->n = p->s.slices;
    s->by_rows = !xk_fma_family_of(p->s.fma)->lanes_m;
    p->epi.m =
        (uint16_t)(s->by_rows ? xk_ceil_div(p->s.m_thr, s->n) : p->s.m_thr);
    p->epi.n = (uint16_t)(p->s.n_thr / (s->by_rows ? 1 : s->n));
    if (s->n > 1)
        s->place_b = p->t.batch ? p->acc_b : p->acc_b / 2;
    s->slm_b = s->place_b * p->s.tg_m * p->s.tg_n * s->n;
    set_order(p);
    set_acc_part(p);
    if (s->slm_b > p->platform->slm_max_b)
        return xk_fail(c, XK_ENOFIT,
                       "plan: slices=%u: sums of %u bytes are larger than SLM",
                       s->n, s->slm_b);
    return XK_OK;
}
