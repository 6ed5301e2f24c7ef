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
    AHEAD_B = 256 /* of memory that a thread has asked for, or two parts */
};

void xk_plan_preload(struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    struct xk_plan_grf *const g = &p->grf;
    if (!xk_plan_has_sum(p))
        return;
    const unsigned used = xk_plan_epilogue_grf(p), part = xk_grfs(p, e->part_b);
    const unsigned room = used < g->limit ? (g->limit - used) / part : 0;
    unsigned n = AHEAD_B / (xk_plan_part_elements(e) * xk_dtype_b(e->dst));
    n = n < 2 ? 2 : n > XK_PLAN_MAX_AHEAD ? XK_PLAN_MAX_AHEAD : n;
    n = n < room ? n : room;
    n = n < e->parts ? n : e->parts;
    e->ahead = (uint8_t)(n > 1 ? n : 1);
    if (n > 1 && g->epilogue < used + n * part)
        g->epilogue = (uint16_t)(used + n * part);
}
