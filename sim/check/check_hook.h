/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers as an observer of threads (core/observer.h), the inner one. They
 * are asked before and after each instruction about which they may have
 * something to tell. They note which memory a send touches while it executes.
 * Everything about one unit of work (a group, or a thread of its own) belongs
 * to one host thread. Host threads share only the ends of units and the list of
 * findings. */
#ifndef XK_SIM_CHECK_HOOK_H
#define XK_SIM_CHECK_HOOK_H

#include "sim/core/kernel.h"
#include "sim/core/observer.h"

struct xk_sim_check_run;    /* of a dispatch */
struct xk_sim_check_work;   /* of a seat (sim/seat.h) */
struct xk_sim_check_thread; /* of an EU thread */

/* For a dispatch. *out is NULL where no checks are on. */
enum xk_status xk_sim_check_run_create(const struct xk_sim_run *r,
                                       struct xk_sim_check_run **out,
                                       struct xk_error *err);
/* Gives the findings of the units up to `last` to the callback. s is the status
 * that the run ended with, and *err belongs to it. Returns XK_EFAULT and the
 * first finding, if there is one. */
enum xk_status xk_sim_check_run_report(struct xk_sim_check_run *c,
                                       uint64_t last, enum xk_status s,
                                       struct xk_error *err);
void xk_sim_check_run_destroy(struct xk_sim_check_run *c);

/* For a seat of n EU threads; it looks at them from now on. */
enum xk_status xk_sim_check_work_create(struct xk_sim_check_run *c,
                                        struct xk_sim_thread *t, uint32_t n,
                                        struct xk_sim_check_work **out,
                                        struct xk_error *err);
void xk_sim_check_work_destroy(struct xk_sim_check_work *w);
/* w may be NULL. A unit that is begun is either ended or stopped; one that
 * faults is stopped, and then ended, too. */
void xk_sim_check_unit_begin(struct xk_sim_check_work *w, uint64_t unit);
/* Units end in their order: waits for those before it, unless one of them was
 * stopped. */
void xk_sim_check_unit_end(struct xk_sim_check_work *w, uint64_t unit);
/* Nobody will look at the units above this one. */
void xk_sim_check_unit_stop(struct xk_sim_check_work *w, uint64_t unit);
/* Whether its unit can end without waiting. */
bool xk_sim_check_unit_may_end(struct xk_sim_check_work *w);

/* The other party of a finding. unit as in xk_sim_run. */
struct xk_sim_who {
    uint64_t unit;
    uint32_t thread, inst; /* in the group; index of the record */
};

struct xk_sim_place {
    char what[32]; /* as in struct xk_sim_finding */
    uint64_t address;
    uint32_t n_b;
};

/* What a finding is about, besides its instruction. */
struct xk_check_about {
    uint32_t check;
    const struct xk_sim_who *other;   /* NULL: nobody */
    const struct xk_sim_place *place; /* NULL: none */
};

/* A finding about e. Later findings of the same check about the same
 * instructions are dropped. */
void xk_sim_check_report(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_check_about *about, const char *fmt,
                         ...) XK_PRINTF(4, 5);

/* A checker that lives elsewhere (the scoreboard's). All functions but state_b
 * may be NULL. `state` belongs to one EU thread and has state_b bytes. It is
 * zero before its first start, and afterwards as the last thread left it. */
struct xk_sim_checker {
    uint32_t check; /* it is on where this bit is */
    size_t (*state_b)(const struct xk_sim_run *r);
    /* A host thread's own state: xk_check_of(t)->work->extra. */
    void *(*work_create)(const struct xk_sim_run *r);
    void (*work_destroy)(void *work);
    void (*start)(struct xk_sim_thread *t, void *state);
    /* e comes next. n > 0: the checker has nothing to say of the next n
     * instructions in a row and counts them as executed; only the last of them
     * may jump, wait or end the thread. n < 0: before and after must be called
     * for each of the next -n instructions. n is `most` at most, either way. */
    int64_t (*ahead)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     uint64_t most, void *state);
    /* mask: the lanes that execute. before is called again for an instruction
     * that has to wait (a barrier, dpasw); after is called once it is done. */
    void (*before)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   uint32_t mask, void *state);
    void (*after)(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  uint32_t mask, void *state);
};

#endif
