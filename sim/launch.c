/* SPDX-License-Identifier: Apache-2.0 */
/* A launch: arguments into the heap, units of work handed out in order to host
 * threads, statistics and the finding of the lowest unit collected. A unit is a
 * group, or a single thread if the threads of a group cannot meet: launches
 * often have few groups, which would not divide well. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "sim/kernel.h"

/* Arbitrary, so that a kernel cannot get by with zero. */
#define HEAP_OFFSET_B 0x01230040u
#define QUANTUM 65536 /* instructions a thread may run before the next one */

struct pool {
    const struct xk_sim_run *run;
    atomic_ullong next, first_bad; /* units */
};

struct worker {
    struct pool *pool;
    pthread_t id;
    struct xk_sim_thread *thread; /* of the group in hand */
    uint8_t *slm;
    uint64_t count[XK_N_STATS], units, bad_unit;
    struct xk_error err;
    char apart[64]; /* from what the next worker writes */
};

static enum xk_status fail(struct xk_error *err, enum xk_status status,
                           const struct xk_sim_kernel *k, const char *what,
                           uint64_t value)
{
    err->status = status;
    snprintf(err->message, sizeof(err->message),
             "sim: kernel '%.100s': %s (%llu)", k->name, what,
             (unsigned long long)value);
    return status;
}

bool xk_sim_ids_in_memory(const struct xk_sim_run *r)
{
    return r->launch->memory_local_ids && r->kernel->skip_b;
}

static uint32_t round_up(uint32_t v, uint32_t to)
{
    return (v + to - 1) / to * to;
}

/* What does not travel inline, then each thread's ids. */
static uint32_t cross_rest_b(const struct xk_sim_run *r)
{
    const uint32_t all_b = r->launch->cross_thread_b;
    return all_b > r->kernel->inline_b
               ? round_up(all_b - r->kernel->inline_b, 32)
               : 0;
}

static void fill_heap(struct xk_sim_run *r)
{
    const struct xk_sim_launch *l = r->launch;
    const uint32_t rest_b = cross_rest_b(r), inline_b = r->kernel->inline_b;
    if (rest_b)
        memcpy(r->heap, l->cross_thread + inline_b,
               l->cross_thread_b - inline_b);
    for (uint32_t t = 0; xk_sim_ids_in_memory(r) && t < r->n_group_threads; t++)
        xk_sim_write_thread_ids(r, t,
                                r->heap + rest_b + t * r->kernel->local_id_b);
}

static enum xk_status make_heap(struct xk_sim_run *r, struct xk_error *err)
{
    const struct xk_alloc *a = &r->kernel->alloc;
    r->heap_off_b = HEAP_OFFSET_B;
    r->heap_b = cross_rest_b(r);
    if (xk_sim_ids_in_memory(r))
        r->heap_b += r->n_group_threads * r->kernel->local_id_b;
    r->heap = a->realloc(a->user, NULL, r->heap_b + 64);
    if (!r->heap)
        return fail(err, XK_ENOMEM, r->kernel, "out of memory for arguments",
                    r->heap_b);
    memset(r->heap, 0, r->heap_b + 64);
    fill_heap(r);
    return XK_OK;
}

static void start_threads(struct xk_sim_group *g)
{
    for (uint32_t i = 0; i < g->n_threads; i++)
        xk_sim_thread_start(&g->thread[i], g, i);
}

/* Lets every thread that can go on do so; false if none could. */
static bool round_of_threads(struct xk_sim_group *g, bool *fault)
{
    bool moved = false;
    for (uint32_t i = 0; i < g->n_threads && !*fault; i++) {
        struct xk_sim_thread *t = &g->thread[i];
        if (t->state == XK_SIM_BARRIER && g->barrier_phase != t->barrier_phase)
            t->state = XK_SIM_RUN;
        if (t->state != XK_SIM_RUN)
            continue;
        moved = true;
        xk_sim_thread_step(t, QUANTUM);
        *fault = t->state == XK_SIM_FAULT;
    }
    return moved;
}

/* Nobody can move: either all are done, or a barrier never completes. */
static bool all_done(struct xk_sim_group *g)
{
    for (uint32_t i = 0; i < g->n_threads; i++) {
        struct xk_sim_thread *t = &g->thread[i];
        if (t->state == XK_SIM_DONE)
            continue;
        xk_sim_fault(t, &t->kernel->inst[t->ip],
                     "waits for a barrier that only %u of %u threads reached",
                     g->arrived, g->n_threads);
        return false;
    }
    return true;
}

static struct xk_sim_group group_at(const struct worker *w, uint64_t index)
{
    const struct xk_sim_run *r = w->pool->run;
    const uint32_t *n = r->launch->groups;
    return (struct xk_sim_group){
        .run = r,
        .slm = w->slm,
        .slm_b = r->launch->slm_b,
        .thread = w->thread,
        .n_threads = r->n_group_threads,
        .id = {(uint32_t)(index % n[0]), (uint32_t)(index / n[0] % n[1]),
               (uint32_t)(index / n[0] / n[1])},
    };
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
    const uint32_t n = w->pool->run->n_group_threads;
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
    return w->pool->run->apart ? run_thread(w, index) : run_group(w, index);
}

/* Units go out in order, so below the first bad one all are executed. */
static void *work(void *arg)
{
    struct worker *w = arg;
    struct pool *p = w->pool;
    for (;;) {
        const uint64_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->run->n_units || i > atomic_load(&p->first_bad))
            break;
        if (run_unit(w, i))
            continue;
        w->bad_unit = i;
        unsigned long long bad = atomic_load(&p->first_bad);
        while (i < bad && !atomic_compare_exchange_weak(&p->first_bad, &bad, i))
            ;
        break;
    }
    return NULL;
}

static void worker_fini(const struct xk_alloc *a, struct worker *w)
{
    a->realloc(a->user, w->thread, 0);
    a->realloc(a->user, w->slm, 0);
}

static enum xk_status worker_init(struct worker *w, struct pool *p,
                                  struct xk_error *err)
{
    const struct xk_sim_run *r = p->run;
    const struct xk_alloc *a = &r->kernel->alloc;
    const uint32_t n = r->apart ? 1 : r->n_group_threads;
    *w = (struct worker){.pool = p, .bad_unit = UINT64_MAX};
    w->thread = a->realloc(a->user, NULL, n * sizeof(*w->thread));
    w->slm = a->realloc(a->user, NULL, r->launch->slm_b + 64u);
    if (!w->thread || !w->slm)
        return fail(err, XK_ENOMEM, r->kernel, "out of memory for threads", n);
    for (uint32_t i = 0; i < n; i++)
        w->thread[i].err = &w->err;
    return XK_OK;
}

static enum xk_status check_shape(const struct xk_sim_launch *l,
                                  struct xk_error *err)
{
    const struct xk_sim_kernel *k = l->kernel;
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        if (!l->groups[d] || !l->local[d])
            return fail(err, XK_EINVAL, k,
                        l->groups[d] ? "local size is 0 in dimension"
                                     : "group count is 0 in dimension",
                        d);
        items *= l->local[d];
        if (items > 1024)
            return fail(err, XK_EINVAL, k,
                        "more than 1024 work items in a "
                        "group",
                        items);
    }
    if (l->slm_b > k->platform->slm_max_b)
        return fail(err, XK_EINVAL, k,
                    "more shared local memory than a group "
                    "can have",
                    l->slm_b);
    if (l->cross_thread_b < k->cross_thread_b)
        return fail(err, XK_EINVAL, k,
                    "cross-thread data is shorter than the "
                    "kernel's arguments",
                    l->cross_thread_b);
    if (k->scratch_b)
        return fail(err, XK_EUNSUPPORTED, k, "scratch space is not simulated",
                    k->scratch_b);
    if (k->simd == 1 && k->local_id_b)
        return fail(err, XK_EUNSUPPORTED, k, "local ids with simd_size 1",
                    k->local_id_b);
    return XK_OK;
}

static enum xk_status run_init(struct xk_sim_run *r,
                               const struct xk_sim_launch *l,
                               struct xk_error *err)
{
    XK_TRY(check_shape(l, err));
    const uint32_t simd = l->kernel->simd;
    const uint32_t items = l->local[0] * l->local[1] * l->local[2];
    const uint32_t full =
        simd == 32 || simd == 1 ? UINT32_MAX : (1u << simd) - 1;
    *r = (struct xk_sim_run){
        .launch = l,
        .kernel = l->kernel,
        .n_group_threads = (items + simd - 1) / simd,
        .last_mask = items % simd ? (1u << items % simd) - 1 : full,
        .n_groups = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2],
    };
    if (l->groups[2] >
        UINT64_MAX / 1024 / ((uint64_t)l->groups[0] * l->groups[1]))
        return fail(err, XK_EINVAL, l->kernel, "too many groups", l->groups[2]);
    r->apart = l->kernel->threads_apart && !l->slm_b;
    r->n_units = r->apart ? r->n_groups * r->n_group_threads : r->n_groups;
    XK_TRY(xk_sim_space_init(&r->space, l->regions, l->n_regions, err));
    return make_heap(r, err);
}

static unsigned n_workers(const struct xk_sim_run *r)
{
    unsigned n = r->launch->n_threads;
    if (!n) {
        const long cores = sysconf(_SC_NPROCESSORS_ONLN);
        n = cores > 0 ? (unsigned)cores : 1;
    }
    if (n > 64)
        n = 64;
    return n > r->n_units ? (unsigned)r->n_units : n;
}

static enum xk_status collect(const struct worker *w, unsigned n,
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
    stats->groups = r->apart ? units / r->n_group_threads : units;
    stats->threads = r->apart ? units : units * r->n_group_threads;
}

/* The calling thread is worker 0; a thread that cannot be had is done without.
 */
static void run_workers(struct worker *w, unsigned n)
{
    unsigned started = 1;
    while (started < n &&
           pthread_create(&w[started].id, NULL, work, &w[started]) == 0)
        started++;
    work(&w[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(w[i].id, NULL);
}

static enum xk_status run_all(const struct xk_sim_run *r,
                              struct xk_launch_stats *stats,
                              struct xk_error *err)
{
    struct worker w[64];
    struct pool p = {.run = r, .next = 0, .first_bad = UINT64_MAX};
    const unsigned n = n_workers(r);
    unsigned ready = 0;
    enum xk_status s = XK_OK;
    while (ready < n && s == XK_OK)
        s = worker_init(&w[ready++], &p, err);
    if (s == XK_OK) {
        run_workers(w, n);
        s = collect(w, n, stats, err);
        count_units(r, w, n, stats);
    }
    for (unsigned i = 0; i < ready; i++)
        worker_fini(&r->kernel->alloc, &w[i]);
    return s;
}

static uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

enum xk_status xk_sim_launch(const struct xk_sim_launch *l,
                             struct xk_launch_stats *stats,
                             struct xk_error *err)
{
    struct xk_launch_stats sum = {0};
    struct xk_sim_run r;
    const uint64_t begin = now_ns();
    XK_TRY(run_init(&r, l, err));
    const enum xk_status s = run_all(&r, &sum, err);
    const struct xk_alloc *a = &l->kernel->alloc;
    a->realloc(a->user, r.heap, 0);
    sum.time_ns = now_ns() - begin;
    if (stats)
        *stats = sum;
    return s;
}
