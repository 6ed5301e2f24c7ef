/* SPDX-License-Identifier: Apache-2.0 */
/* Who looks at a thread while it runs: checks, hazards, timing and traces are
 * observers, and core, exec and message know none of them by name. A thread has
 * up to two, one around the other; nothing is paid where it has none. All of
 * one thread is called by the host thread that runs it. */
#ifndef XK_SIM_OBSERVER_H
#define XK_SIM_OBSERVER_H

#include "sim/core/thread.h"

/* What an observer hears of besides memory. */
enum xk_sim_event {
    XK_SIM_EV_BEYOND,   /* an access at an offset beyond the end of its surface:
                           zero, or dropped */
    XK_SIM_EV_WIDENED,  /* the last n_b bytes of a block's load, at an address,
                           are behind its buffer */
    XK_SIM_EV_UNAWAITED /* the thread ends and has not waited for the barrier
                           that it signalled */
};

/* n accesses of lanes `lane`, lane + 1 ..., each of n_b bytes, at addresses
 * step_b apart from addr on, in *region, or in SLM where region is NULL. */
struct xk_sim_access {
    const struct xk_sim_region *region;
    uint64_t addr;
    uint32_t step_b, n_b;
    unsigned lane, n;
};

/* Rows of functions; all but ahead, before and after may be NULL. */
struct xk_sim_observer_ops {
    /* t has just been given its payload. */
    void (*start)(struct xk_sim_thread *t);
    /* A call of xk_sim_thread_step begins. */
    void (*begin)(struct xk_sim_thread *t);
    /* How many of the next instructions, `most` at most, are executed in a row
     * without a call of before or after; 0: those are called for the next one.
     * *passed: how many before them the observer has counted as executed, and
     * moved t->ip over. The outer one is asked first; where it says 0 the inner
     * one is not asked. */
    uint64_t (*ahead)(struct xk_sim_thread *t, uint64_t most, uint64_t *passed);
    /* e comes next, t->ip is behind it; false: it need not be executed. Comes
     * again for an instruction that has to wait. */
    bool (*before)(struct xk_sim_thread *t, const struct xk_sim_inst *e);
    /* e was executed, or waits, or ended the thread: t->state tells. */
    void (*after)(struct xk_sim_thread *t, const struct xk_sim_inst *e);
    /* Accesses of e that succeeded, in the order of the components of a lane.
     */
    void (*access)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   const struct xk_sim_access *a);
    void (*event)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  enum xk_sim_event event, uint64_t at, uint32_t n_b);
    /* The thread stops at e (may be NULL) with this sentence. */
    void (*fault)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *why);
};

/* The first member of what an observer keeps of a thread. */
struct xk_sim_observer {
    const struct xk_sim_observer_ops *ops;
};

/* *o, or nobody where it is NULL, looks at t from that place. */
void xk_sim_observe(struct xk_sim_thread *t, unsigned place,
                    struct xk_sim_observer *o);

/* Tell whoever looks. Only where t->observed. */
void xk_sim_tell_access(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_access *a);
/* One access of one lane. */
void xk_sim_saw(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                const struct xk_sim_region *region, uint64_t addr, uint32_t n_b,
                unsigned lane);
void xk_sim_tell_event(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       enum xk_sim_event event, uint64_t at, uint32_t n_b);
void xk_sim_tell_fault(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const char *why);
void xk_sim_tell_start(struct xk_sim_thread *t);

#endif
