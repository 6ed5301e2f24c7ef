/* SPDX-License-Identifier: Apache-2.0 */
/* What the epilogue reads besides C, and when it asks for it. C is finished
 * part by part (store.c). With a sum, what memory held of the
 * next parts is under way while one is computed. If the registers do not
 * suffice for two, each part is loaded where it is used.
 *
 * More under way than memory can deliver gains nothing, and more lines compete
 * for the caches: with all parts at once, f32 layers took up to 5 % longer. */
#include "plan/operand.h"

enum {
    AHEAD_B = 256,   /* of memory that a thread has asked for, or two parts */
    TEMPORARIES = 12 /* values and headers of the part that is computed */
};

/* GRFs of an epilogue with a sum, but for the parts under way. */
static unsigned used_grf(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const struct xk_plan_grf *const g = &p->grf;
    const unsigned inputs = p->con->n_inputs * xk_grfs(p, 4u * e->n);
    const unsigned coordinates =
        xk_fma_is_systolic(p->s.fma) ? 2u * e->m / 8 : 2;
    const unsigned converted = e->turns * xk_grfs(p, e->part_b);
    const unsigned in_f32 =
        e->dst == XK_DT_F32 ? 0 : xk_grfs(p, 4 * xk_plan_part_elements(e));
    const unsigned cse = g->limit > g->loop ? (g->limit - g->loop) / 4u : 0;
    return g->acc + inputs + coordinates + converted + in_f32 + cse +
           TEMPORARIES + g->fixed;
}

void xk_plan_preload(struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    struct xk_plan_grf *const g = &p->grf;
    if (!xk_plan_has_sum(p))
        return;
    const unsigned used = used_grf(p), part = xk_grfs(p, e->part_b);
    const unsigned room = used < g->limit ? (g->limit - used) / part : 0;
    unsigned n = AHEAD_B / (xk_plan_part_elements(e) * xk_dtype_b(e->dst));
    n = n < 2 ? 2 : n > XK_PLAN_MAX_AHEAD ? XK_PLAN_MAX_AHEAD : n;
    n = n < room ? n : room;
    n = n < e->parts ? n : e->parts;
    e->ahead = (uint8_t)(n > 1 ? n : 1);
    if (n > 1 && g->epilogue < used + n * part)
        g->epilogue = (uint16_t)(used + n * part);
}
