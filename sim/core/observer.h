/* SPDX-License-Identifier: Apache-2.0 */
/* Observers of a thread while it runs. Checks, hazards, timing and traces are
 * observers, and core, exec and message know none of them by name. A thread has
 * up to two, one around the other. A thread without observers pays nothing. The
 * host thread that runs a thread makes all of its calls. */
#ifndef XK_SIM_OBSERVER_H
#define XK_SIM_OBSERVER_H

#include "sim/core/thread.h"

/* Events of which an observer hears, besides accesses. */
enum xk_sim_event {
    XK_SIM_EV_BEYOND,   /* an access at an offset beyond the end of its surface
                           and below XK_OFF_NULL, where kernels send lanes that
                           are off: zero, or dropped */
    XK_SIM_EV_WIDENED,  /* the last n_b bytes of a block's load, at an address,
                           are behind its buffer */
    XK_SIM_EV_UNAWAITED /* the thread ends and has not waited for the barrier
                           that it signalled */
};

/* n accesses of n_b bytes each, by the lanes `lane`, lane + 1 ... The first is
 * at addr, and each further one is step_b behind it. They are in *region, or in
 * SLM where region is NULL. */
struct xk_sim_access {
    const struct xk_sim_region *region;
    uint64_t addr;
    uint32_t step_b, n_b;
    unsigned lane, n;
};

/* How an observer sees instructions to come. */
enum xk_sim_sight {
    XK_SIM_UNSEEN,
    XK_SIM_SEEN_BEFORE, /* each after a call of before, whose answer does not
                           matter; none jumps, waits or stops the thread */
    XK_SIM_SEEN         /* each between before and after */
};

/* Instructions to come. */
struct xk_sim_ahead {
    uint64_t passed; /* need not be executed: they are counted, and t->ip is
                        moved over them; the outer observer's only */
    uint64_t n;      /* then so many in a row, at least one */
    enum xk_sim_sight sight; /* the outer observer's: UNSEEN or SEEN */
};

/* Rows of functions; all but ahead, before and after may be NULL. At
 * most one of a thread's observers hears of accesses, and one of events. */
struct xk_sim_observer_ops {
    /* t has just been given its payload. */
    void (*start)(struct xk_sim_thread *t);
    /* A call of xk_sim_thread_step begins. */
    void (*begin)(struct xk_sim_thread *t);
    /* Says in *a how the next instructions, `most` at most, are seen. The outer
     * observer is asked first. The inner one is asked about those that the
     * outer one need not see. */
    void (*ahead)(struct xk_sim_thread *t, uint64_t most,
                  struct xk_sim_ahead *a);
    /* e comes next, and t->ip is behind it; false: e need not be executed. It
     * is called again for an instruction that has to wait. */
    bool (*before)(struct xk_sim_thread *t, const struct xk_sim_inst *e);
    /* e was executed, or waits, or ended the thread: t->state tells. */
    void (*after)(struct xk_sim_thread *t, const struct xk_sim_inst *e);
    /* Accesses of e that succeeded, in the order of the components of a lane.
     */
    xk_sim_access_fn *access;
    /* enum xk_sim_event, where, how many bytes. */
    xk_sim_event_fn *event;
    /* The thread stops at e (may be NULL) with this sentence. */
    void (*fault)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *why);
};

/* The first member of an observer's state of a thread. */
struct xk_sim_observer {
    const struct xk_sim_observer_ops *ops;
};

/* *o, or nobody where it is NULL, looks at t from that place. */
void xk_sim_observe(struct xk_sim_thread *t, unsigned place,
                    struct xk_sim_observer *o);

/* One access of one lane, told to who hears of it. */
static inline void xk_sim_saw(struct xk_sim_thread *t,
                              const struct xk_sim_inst *e,
                              const struct xk_sim_region *region, uint64_t addr,
                              uint32_t n_b, unsigned lane)
{
    if (t->hears.access)
        t->hears.access(t, e,
                        &(struct xk_sim_access){.region = region,
                                                .addr = addr,
                                                .n_b = n_b,
                                                .lane = lane,
                                                .n = 1});
}

static inline void xk_sim_tell_event(struct xk_sim_thread *t,
                                     const struct xk_sim_inst *e,
                                     enum xk_sim_event event, uint64_t at,
                                     uint32_t n_b)
{
    if (t->hears.event)
        t->hears.event(t, e, event, at, n_b);
}

/* Nobody hears of what is executed from here on, until xk_sim_unmute gets the
 * answer. */
static inline struct xk_sim_hearing xk_sim_mute(struct xk_sim_thread *t)
{
    const struct xk_sim_hearing was = t->hears;
    t->hears = (struct xk_sim_hearing){.any = false};
    return was;
}

static inline void xk_sim_unmute(struct xk_sim_thread *t,
                                 struct xk_sim_hearing was)
{
    t->hears = was;
}

/* Tells all observers; only where t->hears.any. */
void xk_sim_tell_fault(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const char *why);
void xk_sim_tell_start(struct xk_sim_thread *t);

#endif
