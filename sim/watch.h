/* SPDX-License-Identifier: Apache-2.0 */
/* Watching a dispatch while it runs: how often each instruction is executed,
 * and a trace of instructions with the registers that they change. A thread
 * pays for it only if its dispatch has a watch. */
#ifndef XK_SIM_WATCH_H
#define XK_SIM_WATCH_H

#include <stdatomic.h>

#include "sim/core/kernel.h"
#include "sim/timing/timing_hypothesis.h"
#include "sim/timing/timing_record.h"
#include "xekern/simulate.h"

struct xk_sim_watcher; /* of an EU thread */

/* Counts of one instruction, over all threads. */
struct xk_sim_hits {
    atomic_ullong executed, lanes;
};

/* What is recorded for the timing model: a record for each order in which
 * groups may be dispatched. There are several only where all hypotheses are
 * asked for. */
#define XK_SIM_RECORDS 2
struct xk_sim_timing {
    struct xk_timing_spec spec;
    struct xk_timing_product on[XK_SIM_RECORDS]; /* of each record */
    struct xk_timing_record record[XK_SIM_RECORDS];
    unsigned n;
};

struct xk_sim_watch {
    const struct xk_simulate_opts *opts;
    struct xk_sim_hits *hits; /* per instruction of the kernel; NULL: none */
    struct xk_alloc alloc;    /* of hits */
    struct xk_sim_timing *timing; /* NULL: not asked */
    /* Where nothing but the time is wanted, per instruction of the kernel: how
     * many from here on need not be executed. */
    uint32_t *omit;
};

/* Says in *wanted whether opts ask for anything; only then is there something
 * to give to a dispatch. opts must outlive *w. NULL opts ask for nothing. */
enum xk_status xk_sim_watch_init(struct xk_sim_watch *w,
                                 const struct xk_simulate_opts *opts,
                                 const xk_sim_kernel *k, bool *wanted,
                                 struct xk_error *err);
void xk_sim_watch_fini(struct xk_sim_watch *w);

/* Around the threads of a dispatch; w may be NULL. Good: it ended well. */
enum xk_status xk_sim_watch_begin(const struct xk_sim_watch *w,
                                  const struct xk_sim_run *r,
                                  struct xk_error *err);
void xk_sim_watch_end(const struct xk_sim_watch *w, bool good);

/* Gives the counts to opts->inst, in the order of the code: of all of it, or up
 * to the last instruction that was executed. Gives the time to opts->timed. */
void xk_sim_watch_report(const struct xk_sim_watch *w, const xk_sim_kernel *k,
                         bool all);

/* XK_EINVAL if opts (may be NULL) ask for a check that is not known. */
enum xk_status xk_sim_watch_check_opts(const struct xk_simulate_opts *opts,
                                       struct xk_error *err);
/* The checks that opts (may be NULL) ask for; findings go to opts->found. */
struct xk_sim_checks xk_sim_watch_checks(const struct xk_simulate_opts *opts);

/* A trace is one text: its dispatch must not be spread over host threads. */
static inline bool xk_sim_watch_traces(const struct xk_sim_watch *w)
{
    return w && w->opts->trace;
}

/* A group that nobody looks at, where nothing but the time is wanted. */
bool xk_sim_watch_omits(const struct xk_sim_watch *w, uint64_t group);

/* Looks at n EU threads from now on. *out is one allocation of k->alloc; NULL
 * where w is. */
enum xk_status xk_sim_watchers_create(const struct xk_sim_watch *w,
                                      const xk_sim_kernel *k,
                                      struct xk_sim_thread *t, uint32_t n,
                                      struct xk_sim_watcher **out,
                                      struct xk_error *err);

#endif
