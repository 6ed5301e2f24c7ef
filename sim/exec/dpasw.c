/* SPDX-License-Identifier: Apache-2.0 */
/* dpasw: threads 2k and 2k + 1 of a group execute it together. The first half
 * of src2's registers comes from the even thread, the rest from the odd one
 * (isa.md 7). Whoever arrives first waits; the second one does it for both,
 * from a copy of src2 outside the register file, so that neither sees what the
 * other has written. */
#include "sim/exec/select.h"
#include "sim/core/kernel.h"

uint32_t xk_sim_dpasw_first_b(const struct xk_sim_kernel *k, uint32_t src2_b)
{
    const uint32_t n_grf = (src2_b + k->grf_b - 1) / k->grf_b;
    return (n_grf + 1) / 2 * k->grf_b;
}

static void stage(struct xk_sim_thread *to, const struct xk_sim_thread *even,
                  const struct xk_sim_thread *odd, const struct xk_sim_inst *e)
{
    const uint32_t first_b = xk_sim_dpasw_first_b(to->kernel, e->pair_src2_b);
    const uint32_t rest_b =
        e->pair_src2_b > first_b ? e->pair_src2_b - first_b : 0;
    memcpy(to->rf + XK_RF_STAGE, even->rf + e->pair_off_b, first_b);
    memcpy(to->rf + XK_RF_STAGE + first_b, odd->rf + e->pair_off_b, rest_b);
}

void xk_sim_dpasw_again(struct xk_sim_thread *t,
                        const struct xk_sim_thread *other,
                        const struct xk_sim_inst *e)
{
    const bool odd = t->index & 1;
    stage(t, odd ? other : t, odd ? t : other, e);
    e->inner(t, e);
}

/* The thread comes here again when its partner has arrived. */
static void wait_for_partner(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e)
{
    t->ip = (uint32_t)(e - t->kernel->inst);
    t->count[e->stat]--;
    t->budget++;
    t->state = XK_SIM_PAIR;
}

static void exec_both(struct xk_sim_thread *t, struct xk_sim_thread *other,
                      const struct xk_sim_inst *e)
{
    struct xk_sim_thread *const even = t->index & 1 ? other : t;
    struct xk_sim_thread *const odd = t->index & 1 ? t : other;
    stage(t, even, odd, e);
    stage(other, even, odd, e);
    xk_sim_thread_cr_written(other); /* its rounding mode */
    e->inner(other, e);
    xk_sim_thread_cr_written(t);
    e->inner(t, e);
    other->ip++;
    other->count[e->stat]++;
    other->budget -= other->budget > 0;
    other->state = XK_SIM_RUN;
}

static void exec_dpasw(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t partner = t->index ^ 1;
    if (partner >= t->group->n_threads) {
        xk_sim_fault(t, e, "thread %u of %u is not one of a pair", t->index,
                     t->group->n_threads);
        return;
    }
    struct xk_sim_thread *const other = &t->group->thread[partner];
    if (other->state == XK_SIM_DONE)
        xk_sim_fault(t, e, "thread %u, the other one of the pair, has ended",
                     partner);
    else if (other->state != XK_SIM_PAIR)
        wait_for_partner(t, e);
    else if (&t->kernel->inst[other->ip] != e)
        xk_sim_fault(t, e,
                     "thread %u, the other one of the pair, is at the "
                     "dpasw at offset 0x%x",
                     partner, t->kernel->inst[other->ip].pc_b);
    else
        exec_both(t, other, e);
}

xk_sim_fn *xk_sim_select_dpasw(struct xk_sim_inst *e, xk_sim_fn *fn,
                               uint32_t src2_b)
{
    e->inner = fn;
    e->pair_off_b = e->src[2].off_b;
    e->pair_src2_b = src2_b;
    e->src[2].off_b = XK_RF_STAGE;
    return exec_dpasw;
}
