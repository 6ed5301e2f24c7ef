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
    xk_sim_mute(t);
    for (unsigned i = 0; i < XK_SIM_OBSERVERS; i++) {
        const struct xk_sim_observer *const who = t->observer[i];
        if (!who)
            continue;
        t->hears.any = true;
        if (who->ops->access)
            t->hears.access = who->ops->access;
        if (who->ops->event)
            t->hears.event = who->ops->event;
    }
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
