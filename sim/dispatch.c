/* SPDX-License-Identifier: Apache-2.0 */
/* A dispatch. It gives units of work to host threads, in order, and collects
 * statistics and the finding of the lowest unit. A unit is a group. It is a
 * single thread where the threads of a group cannot meet: launches often have
 * few groups, which would not divide well. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "isa/dispatch_limits.h"
#include "sim/check/check_hook.h"
#include "sim/check/pair.h"
#include "sim/watch.h"

#define MAX_WORKERS 64
#define QUANTUM 65536 /* instructions a thread may run before the next one */

struct pool {
    const struct xk_sim_run *run;
    atomic_ullong next, first_bad; /* units */
    atomic_ullong at[MAX_WORKERS]; /* unit that a worker has in hand */
    unsigned n_workers;
    struct xk_sim_check_run *check;
};

struct worker {
    struct pool *pool;
    pthread_t id;
    struct xk_sim_thread *thread; /* of the group in hand */
    struct xk_sim_check_work *check;
    struct xk_sim_watcher *watchers; /* per thread; NULL: none */
    uint8_t *slm;
    uint32_t index;
    uint64_t count[XK_N_STATS], units, bad_unit;
    struct xk_error err;
    char apart[64]; /* from what the next worker writes */
};

static void start_threads(struct xk_sim_group *g)
{
    for (uint32_t i = 0; i < g->n_threads; i++)
        xk_sim_thread_start(&g->thread[i], g, i);
}

/* False if it cannot go on. */
static bool turn(struct xk_sim_thread *t)
{
    if (t->state == XK_SIM_BARRIER && xk_sim_barrier_done(t))
        t->state = XK_SIM_RUN;
    if (t->state != XK_SIM_RUN)
        return false;
    xk_sim_thread_step(t, QUANTUM);
    return true;
}

/* Lets every thread, or pair, that can go on do so; false if none could. */
static bool round_of_threads(struct xk_sim_group *g, bool *fault)
{
    const bool pairs = g->run->pairs;
    bool moved = false;
    for (uint32_t i = 0; i < g->n_threads && !*fault; i++) {
        struct xk_sim_thread *t = &g->thread[i];
        if (pairs && i + 1 < g->n_threads) {
            moved |= xk_pair_step(t, QUANTUM);
            i++;
            *fault = t->state == XK_SIM_FAULT || t[1].state == XK_SIM_FAULT;
            continue;
        }
        moved |= turn(t);
        *fault = t->state == XK_SIM_FAULT;
    }
    return moved || (!*fault && pairs && xk_pair_release(g));
}

/* No thread can go on: either all are done, or a barrier never completes. */
static bool all_done(struct xk_sim_group *g)
{
    for (uint32_t i = 0; i < g->n_threads; i++) {
        struct xk_sim_thread *t = &g->thread[i];
        if (t->state == XK_SIM_DONE)
            continue;
        if (t->state == XK_SIM_PAIR) {
            xk_sim_fault(t, &t->kernel->inst[t->ip],
                         "the other thread of the pair never comes here");
            return false;
        }
        const struct xk_sim_barrier *const b = &g->barrier[t->barrier_awaited];
        xk_sim_fault(t, &t->kernel->inst[t->ip],
                     "waits for a barrier that only %u of %u threads reached",
                     b->produced, b->producers);
        return false;
    }
    return true;
}

static struct xk_sim_group group_at(const struct worker *w, uint64_t index)
{
    const struct xk_sim_run *r = w->pool->run;
    struct xk_sim_group g = {
        .run = r,
        .index = index,
        .slm = w->slm,
        .slm_b = r->d->slm_b,
        .thread = w->thread,
        .n_threads = r->d->n_threads,
        .slot_base = (uint32_t)(r->n_places ? index % r->n_places : w->index) *
                     r->d->n_threads,
    };
    xk_sim_group_id(r->d, index, g.id);
    return g;
}

static void add_counts(struct worker *w, const struct xk_sim_thread *t)
{
    for (unsigned s = 0; s < XK_N_STATS; s++)
        w->count[s] += t->count[s];
}

static bool run_group(struct worker *w, uint64_t index)
{
    struct xk_sim_group g = group_at(w, index);
    bool fault = false;
    if (g.slm_b)
        memset(g.slm, 0xa5, g.slm_b);
    start_threads(&g);
    while (!fault && round_of_threads(&g, &fault))
        ;
    for (uint32_t i = 0; i < g.n_threads; i++)
        add_counts(w, &g.thread[i]);
    return !fault && all_done(&g);
}

/* The first record serves every thread of the group in turn. */
static bool run_thread(struct worker *w, uint64_t index)
{
    const uint32_t n = w->pool->run->d->n_threads;
    struct xk_sim_group g = group_at(w, index / n);
    struct xk_sim_thread *t = w->thread;
    xk_sim_thread_start(t, &g, (uint32_t)(index % n));
    while (t->state == XK_SIM_RUN)
        xk_sim_thread_step(t, QUANTUM);
    add_counts(w, t);
    return t->state == XK_SIM_DONE;
}

static bool run_unit(struct worker *w, uint64_t index)
{
    w->units++;
    xk_sim_check_unit_begin(w->check, index);
    const bool good =
        w->pool->run->apart ? run_thread(w, index) : run_group(w, index);
    xk_sim_check_unit_end(w->check, index, good);
    return good;
}

static bool omitted(const struct xk_sim_run *r, uint64_t unit)
{
    return xk_sim_watch_omits(r->d->watch,
                              r->apart ? unit / r->d->n_threads : unit);
}

/* A place is free once the group that had it before is done. */
static void wait_for_place(struct worker *w, uint64_t unit)
{
    struct pool *const p = w->pool;
    const struct xk_sim_run *const r = p->run;
    const uint64_t each = r->apart ? r->d->n_threads : 1;
    atomic_store(&p->at[w->index], unit);
    for (unsigned k = 0; r->n_places && k < p->n_workers; k++)
        while (k != w->index && unit / each >= r->n_places &&
               atomic_load(&p->at[k]) / each <= unit / each - r->n_places)
            sched_yield();
}

/* Units are handed out in order, so all units below the first bad one are
 * executed. */
static void *run_units(void *arg)
{
    struct worker *w = arg;
    struct pool *p = w->pool;
    for (;;) {
        const uint64_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->run->n_units || i > atomic_load(&p->first_bad))
            break;
        wait_for_place(w, i);
        if (omitted(p->run, i) || run_unit(w, i))
            continue;
        w->bad_unit = i;
        unsigned long long bad = atomic_load(&p->first_bad);
        while (i < bad && !atomic_compare_exchange_weak(&p->first_bad, &bad, i))
            ;
        break;
    }
    atomic_store(&p->at[w->index], UINT64_MAX);
    return NULL;
}

static void worker_fini(const struct xk_alloc *a, struct worker *w)
{
    xk_sim_check_work_destroy(w->check);
    a->realloc(a->user, w->watchers, 0);
    a->realloc(a->user, w->thread, 0);
    a->realloc(a->user, w->slm, 0);
}

static enum xk_status worker_init(struct worker *w, struct pool *p,
                                  struct xk_error *err)
{
    const struct xk_sim_run *r = p->run;
    const struct xk_alloc *a = &r->kernel->alloc;
    const uint32_t n = r->apart ? 1 : r->d->n_threads;
    *w = (struct worker){.pool = p, .bad_unit = UINT64_MAX};
    w->thread = a->realloc(a->user, NULL, n * sizeof(*w->thread));
    w->slm = a->realloc(a->user, NULL, r->d->slm_b + 64u);
    if (!w->thread || !w->slm)
        return xk_sim_refuse(err, XK_ENOMEM, r->kernel->name,
                             "out of memory for threads", n);
    for (uint32_t i = 0; i < n; i++)
        w->thread[i] = (struct xk_sim_thread){.err = &w->err};
    XK_TRY(xk_sim_watchers_create(r->d->watch, r->kernel, w->thread, n,
                                  &w->watchers, err));
    return xk_sim_check_work_create(p->check, w->thread, n, &w->check, err);
}

static enum xk_status check_dispatch(const struct xk_sim_dispatch *d,
                                     struct xk_error *err)
{
    const struct xk_sim_kernel *k = d->kernel;
    for (unsigned i = 0; i < 3; i++)
        if (!d->groups[i])
            return xk_sim_refuse(err, XK_EINVAL, k->name,
                                 "group count is 0 in dimension", i);
    for (unsigned i = 0; i < 3; i++)
        if (d->first_group[i] > UINT32_MAX - d->groups[i])
            return xk_sim_refuse(err, XK_EINVAL, k->name,
                                 "group ids wrap in dimension", i);
    if (!d->n_threads)
        return xk_sim_refuse(err, XK_EINVAL, k->name, "threads in a group", 0);
    if (d->n_slots && d->n_slots < d->n_threads)
        return xk_sim_refuse(err, XK_EINVAL, k->name,
                             "threads in a group, more than the machine has",
                             d->n_threads);
    if (d->simd != 8 && d->simd != 16 && d->simd != 32)
        return xk_sim_refuse(err, XK_EINVAL, k->name,
                             "SIMD size is not 8, 16 or 32", d->simd);
    const struct xk_dispatch asked = {.threads = d->n_threads,
                                      .grf_count = k->grf_count,
                                      .barriers = d->n_barriers,
                                      .slm_b = d->slm_b,
                                      .inline_b = k->inline_b,
                                      .walk_order = d->walk_order};
    return xk_dispatch_check(k->platform, XK_PRODUCT_ANY, &asked, err);
}

/* A payload that leaves no register free is refused. */
static enum xk_status check_payload(const struct xk_sim_dispatch *d,
                                    struct xk_error *err)
{
    const struct xk_sim_kernel *k = d->kernel;
    uint64_t n_b = k->grf_b;
    if (d->emit_ids) {
        n_b += 3ull * xk_sim_id_channel_b(k->grf_b, d->simd);
        for (unsigned i = 0; i < 3; i++)
            if (!d->local[i])
                return xk_sim_refuse(err, XK_EINVAL, k->name,
                                     "local size is 0 in dimension", i);
    }
    n_b += d->thread_data ? d->thread_data_b : 0;
    n_b += d->cross_data ? d->cross_data_b : 0;
    if (n_b > (uint64_t)k->grf_count * k->grf_b)
        return xk_sim_refuse(err, XK_EINVAL, k->name,
                             "the payload is longer than the register file",
                             n_b);
    return XK_OK;
}

static enum xk_status run_init(struct xk_sim_run *r,
                               const struct xk_sim_dispatch *d,
                               struct xk_error *err)
{
    XK_TRY(check_dispatch(d, err));
    XK_TRY(check_payload(d, err));
    *r = (struct xk_sim_run){
        .d = d,
        .kernel = d->kernel,
        .start = xk_sim_kernel_at(d->kernel, d->start_b),
        .n_groups = (uint64_t)d->groups[0] * d->groups[1] * d->groups[2],
    };
    if (r->start == UINT32_MAX)
        return xk_sim_refuse(err, XK_EINVAL, d->kernel->name,
                             "no instruction begins at the start offset",
                             d->start_b);
    if (d->groups[2] >
        UINT64_MAX / 1024 / ((uint64_t)d->groups[0] * d->groups[1]))
        return xk_sim_refuse(err, XK_EINVAL, d->kernel->name, "too many groups",
                             d->groups[2]);
    r->pairs = xk_pair_wanted(r);
    r->apart =
        d->kernel->threads_apart && !d->slm_b && !d->n_barriers && !r->pairs;
    r->n_units = r->apart ? r->n_groups * d->n_threads : r->n_groups;
    /* With checks, groups do not share slots, and so no private memory, unless
     * the machine has too few slots. Where the caller counted slots for host
     * threads, it has told which memory is private. */
    if (d->check.on && d->n_slots / d->n_threads >= 4 * MAX_WORKERS)
        r->n_places = d->n_slots / d->n_threads;
    return xk_sim_space_init(&r->space, d->regions, d->n_regions, err);
}

static unsigned n_workers(const struct xk_sim_run *r)
{
    unsigned n = r->d->n_host_threads;
    if (!n) {
        const long cores = sysconf(_SC_NPROCESSORS_ONLN);
        n = cores > 0 ? (unsigned)cores : 1;
    }
    if (n > MAX_WORKERS)
        n = MAX_WORKERS;
    if (xk_sim_watch_traces(r->d->watch))
        n = 1;
    if (r->d->n_slots && n > r->d->n_slots / r->d->n_threads)
        n = r->d->n_slots / r->d->n_threads;
    return n > r->n_units ? (unsigned)r->n_units : n;
}

static enum xk_status collect_workers(const struct worker *w, unsigned n,
                                      struct xk_launch_stats *stats,
                                      struct xk_error *err)
{
    const struct worker *bad = NULL;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t *c = w[i].count;
        for (unsigned s = 0; s < XK_N_STATS; s++)
            stats->instructions += c[s];
        stats->fma += c[XK_STAT_FMA];
        stats->sends += c[XK_STAT_SEND];
        stats->syncs += c[XK_STAT_SYNC];
        if (w[i].bad_unit != UINT64_MAX &&
            (!bad || w[i].bad_unit < bad->bad_unit))
            bad = &w[i];
    }
    if (!bad)
        return XK_OK;
    *err = bad->err;
    return err->status;
}

static void count_units(const struct xk_sim_run *r, const struct worker *w,
                        unsigned n, struct xk_launch_stats *stats)
{
    uint64_t units = 0;
    for (unsigned i = 0; i < n; i++)
        units += w[i].units;
    stats->groups = r->apart ? units / r->d->n_threads : units;
    stats->threads = r->apart ? units : units * r->d->n_threads;
}

/* The calling thread is worker 0. If a thread cannot be created, the run does
 * without it. */
static void run_workers(struct worker *w, unsigned n)
{
    unsigned started = 1;
    while (started < n &&
           pthread_create(&w[started].id, NULL, run_units, &w[started]) == 0)
        started++;
    for (unsigned i = started; i < n; i++)
        atomic_store(&w->pool->at[i], UINT64_MAX);
    run_units(&w[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(w[i].id, NULL);
}

static enum xk_status run_pool(const struct xk_sim_run *r,
                               struct xk_launch_stats *stats,
                               struct xk_error *err)
{
    struct worker w[MAX_WORKERS];
    const unsigned n = n_workers(r);
    struct pool p = {.run = r, .first_bad = UINT64_MAX, .n_workers = n};
    unsigned ready = 0;
    enum xk_status s = xk_sim_check_run_create(r, &p.check, err);
    while (ready < n && s == XK_OK) {
        s = worker_init(&w[ready], &p, err);
        w[ready].index = ready;
        ready++;
    }
    if (s == XK_OK) {
        run_workers(w, n);
        s = collect_workers(w, n, stats, err);
        count_units(r, w, n, stats);
        if (p.check)
            s = xk_sim_check_run_report(p.check, p.first_bad, s, err);
    }
    for (unsigned i = 0; i < ready; i++)
        worker_fini(&r->kernel->alloc, &w[i]);
    xk_sim_check_run_destroy(p.check);
    return s;
}

static uint64_t monotonic_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

enum xk_status xk_sim_dispatch(const struct xk_sim_dispatch *d,
                               struct xk_launch_stats *stats,
                               struct xk_error *err)
{
    struct xk_launch_stats sum = {0};
    struct xk_sim_run r;
    const uint64_t begin = monotonic_ns();
    XK_TRY(run_init(&r, d, err));
    XK_TRY(xk_sim_watch_begin(d->watch, &r, err));
    const enum xk_status s = run_pool(&r, &sum, err);
    xk_sim_watch_end(d->watch, s == XK_OK);
    sum.time_ns = monotonic_ns() - begin;
    if (stats)
        *stats = sum;
    return s;
}
