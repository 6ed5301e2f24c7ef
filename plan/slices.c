/* SPDX-License-Identifier: Apache-2.0 */
/* K divided between threads of a group (plan.h, struct xk_plan_slices): small
 * problems have fewer tiles than the machine has threads. */
#include "plan/operand.h"

/* plan_acc's layout with the part's extents; wide tiles are parted into runs of
 * four columns, [n / 4][m / 8][n % 4][m % 8]. */
static void set_part(struct xk_plan *p)
{
    struct xk_layout *const l = &p->part;
    const int64_t m = p->epi.m, n = p->epi.n;
    const unsigned run = xk_plan_is_wide(p) ? 4 : 8;
    *l = p->acc;
    if (p->slices.n == 1)
        return;
    l->dim[0] = l->padded[0] = m;
    l->dim[1] = l->padded[1] = n;
    if (p->slices.by_rows) {
        l->block[0].size = m;
        return;
    }
    l->n_blocks = 4;
    l->block[0] = (struct xk_block){1, n / run, m * run};
    l->block[1] = (struct xk_block){0, m / 8, 8 * run};
    l->block[2] = (struct xk_block){1, run, 8};
    l->block[3] = (struct xk_block){0, 8, 1};
}

enum xk_status xk_plan_slices(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slices *const s = &p->slices;
    s->n = p->s.slices;
    s->by_rows = !xk_fma_is_systolic(p->s.fma);
    p->epi.m = (uint16_t)(p->s.m_thr / (s->by_rows ? s->n : 1));
    p->epi.n = (uint16_t)(p->s.n_thr / (s->by_rows ? 1 : s->n));
    if (s->n > 1)
        s->place_b = p->acc_b / 2;
    s->slm_b = s->place_b * p->s.tg_m * p->s.tg_n * s->n;
    set_part(p);
    if (s->slm_b > p->platform->slm_max_b)
        return xk_fail(c, XK_ENOFIT,
                       "plan: partial sums of %u bytes are larger than SLM",
                       s->slm_b);
    return XK_OK;
}
