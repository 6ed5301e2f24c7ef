/* SPDX-License-Identifier: Apache-2.0 */
/* A through shared local memory (SLM): pass stage makes the group load its tile
 * once, a part a thread, from which each thread reads its rows. Here is how
 * much that is. */
#include "ir/tiles.h"
#include "plan/operand.h"

enum xk_status xk_plan_slm(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slm *const s = &p->slm;
    const int64_t rows = (int64_t)p->s.tg_m * p->s.m_thr;
    const int64_t threads = (int64_t)p->s.tg_m * p->s.tg_n;
    if (!p->s.slm)
        return XK_OK;
    const struct xk_tile_share share =
        xk_tile_share_of(rows, p->platform->dpas_exec, threads);
    const int64_t row_b = p->a.tile_b / p->s.m_thr;
    s->share_b = (uint32_t)(share.each * row_b);
    s->place_b = (uint32_t)(share.room * row_b);
    if (s->place_b * p->s.slm > p->platform->slm_max_b)
        return xk_fail(c, XK_ENOFIT,
                       "plan: slm=%u: its buffers are larger than SLM",
                       p->s.slm);
    return XK_OK;
}
