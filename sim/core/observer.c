/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/core/observer.h"

/* Calls one function of each observer that has it. */
#define TELL(t, function, ...)                                                 \
    for (unsigned i_ = 0; i_ < XK_SIM_OBSERVERS; i_++)                         \
        if ((t)->observer[i_] && (t)->observer[i_]->ops->function)             \
    (t)->observer[i_]->ops->function(__VA_ARGS__)

void xk_sim_observe(struct xk_sim_thread *t, unsigned place,
                    struct xk_sim_observer *o)
{
    t->observer[place] = o;
    t->observed = t->observer[XK_SIM_OUTER] || t->observer[XK_SIM_INNER];
}

void xk_sim_tell_access(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_access *a)
{
    TELL(t, access, t, e, a);
}

void xk_sim_saw(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                const struct xk_sim_region *region, uint64_t addr, uint32_t n_b,
                unsigned lane)
{
    const struct xk_sim_access a = {
        .region = region, .addr = addr, .n_b = n_b, .lane = lane, .n = 1};
    xk_sim_tell_access(t, e, &a);
}

void xk_sim_tell_event(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       enum xk_sim_event event, uint64_t at, uint32_t n_b)
{
    TELL(t, event, t, e, event, at, n_b);
}

void xk_sim_tell_fault(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const char *why)
{
    TELL(t, fault, t, e, why);
}

void xk_sim_tell_start(struct xk_sim_thread *t)
{
    TELL(t, start, t);
}
