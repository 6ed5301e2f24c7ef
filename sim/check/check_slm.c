/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of shared local memory the last messages of a thread touched. Two
 * messages under way at once are called dangerous only where they meet. */
#include "sim/check/check_state.h"

static struct xk_check_slm *place_for(struct xk_sim_check_thread *c,
                                      uint32_t inst)
{
    for (unsigned k = 0; k < XK_CHECK_SLM; k++)
        if (c->slm[k].known && c->slm[k].inst == inst)
            return &c->slm[k];
    return &c->slm[c->next_slm++ % XK_CHECK_SLM];
}

static void add_bytes(struct xk_check_slm *s, uint32_t at_b, uint32_t n_b)
{
    struct xk_check_range *const last = &s->piece[s->n ? s->n - 1 : 0];
    if (s->n && last->at_b + last->n_b == at_b)
        last->n_b += n_b;
    else if (s->n < XK_CHECK_SLM_PIECES)
        s->piece[s->n++] = (struct xk_check_range){at_b, n_b};
    else
        s->lost = true;
}

void xk_check_slm_note(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e)
{
    const struct xk_sim_check_work *const w = c->work;
    const uint32_t inst = (uint32_t)(e - c->thread->kernel->inst);
    struct xk_check_slm *const s = place_for(c, inst);
    s->inst = inst;
    s->known = true;
    s->lost = w->notes_lost;
    s->n = 0; /* old pieces may stay: clearing them costs more than the rest */
    for (unsigned k = 0; k < w->n_spans; k++)
        if (w->span[k].space == XK_CS_SLM)
            add_bytes(s, (uint32_t)w->span[k].addr, w->span[k].n_b);
}

static const struct xk_check_slm *of_inst(const struct xk_sim_check_thread *c,
                                          uint32_t inst)
{
    for (unsigned k = 0; k < XK_CHECK_SLM; k++)
        if (c->slm[k].known && c->slm[k].inst == inst)
            return &c->slm[k];
    return NULL;
}

bool xk_check_slm_meet(const struct xk_sim_check_thread *c, uint32_t first,
                       uint32_t second)
{
    const struct xk_check_slm *const a = of_inst(c, first), *const b = of_inst(
                                                                c, second);
    if (!a || !b || a->lost || b->lost)
        return true;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned k = 0; k < b->n; k++)
            if (a->piece[i].at_b < b->piece[k].at_b + b->piece[k].n_b &&
                b->piece[k].at_b < a->piece[i].at_b + a->piece[i].n_b)
                return true;
    return false;
}
