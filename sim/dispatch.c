/* SPDX-License-Identifier: Apache-2.0 */
/* A dispatch. It gives units of work to host threads, in order, and collects
 * statistics and the finding of the lowest unit. A unit is a group. It is a
 * single thread where the threads of a group cannot meet: launches often have
 * few groups, which would not divide well. A host thread runs a unit to its
 * end. It begins others in between only if the unit waits for others or lasts
 * long (seat.h). */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "isa/dispatch_limits.h"
#include "sim/check/pair.h"
#include "sim/seat.h"

#define MAX_WORKERS 64
/* Laps for which host threads stay in step after a unit was seen to wait: one
 * that has just come to wait is not known to yet. And laps of short turns
 * behind a change that others may wait for. */
#define LAPS_IN_STEP 8
#define BRISK_LAPS 64
#define NONE UINT64_MAX /* no unit */

struct pool {
    const struct xk_sim_run *run;
    atomic_ullong next, first_bad; /* units */
    atomic_ullong at[MAX_WORKERS]; /* lowest unit that a worker has in hand */
    atomic_uint n_seats;
    atomic_bool in_step;
    atomic_ullong until, brisk_until; /* the last laps in step, and brisk */
    atomic_ullong worked;             /* the last lap in which a unit did */
    atomic_ullong lap[MAX_WORKERS];   /* NONE: has no unit */
    pthread_mutex_t mutex;
    pthread_cond_t moved; /* somebody may have come to a later lap */
    unsigned n_workers, most_seats;
    struct xk_sim_check_run *check;
};

struct worker {
    struct pool *pool;
    pthread_t id;
    struct xk_sim_seat *seat;  /* the one used last, in a ring */
    struct xk_sim_seat *first; /* its unit is in its first run; NULL: none is */
    struct xk_sim_thread *was; /* room for one */
    uint32_t index, n_seats, n_busy;
    uint64_t pending; /* unit that was taken and not begun, or NONE */
    uint64_t lap;
    bool in_step;
    uint64_t count[XK_N_STATS], units, bad_unit;
    struct xk_error err;
    char apart[64]; /* from what the next worker writes */
};

static bool omitted(const struct xk_sim_run *r, uint64_t unit)
{
    return xk_sim_watch_omits(r->d->watch,
                              r->apart ? unit / r->d->n_threads : unit);
}

/* Says which is the lowest unit in hand. Who has none has the next one soon. */
static void tell_lowest(struct worker *w)
{
    uint64_t lowest = w->pending;
    if (!w->pool->run->n_places)
        return;
    const struct xk_sim_seat *s = w->seat;
    do {
        if (s->state != XK_SEAT_FREE && s->unit < lowest)
            lowest = s->unit;
        s = s->next;
    } while (s != w->seat);
    if (lowest != NONE)
        atomic_store(&w->pool->at[w->index], lowest);
}

/* Units are handed out in order, so all units below the first bad one are
 * executed. */
static void take_unit(struct worker *w)
{
    struct pool *const p = w->pool;
    if (w->pending != NONE && w->pending > atomic_load(&p->first_bad))
        w->pending = NONE;
    while (w->pending == NONE) {
        const uint64_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->run->n_units || i > atomic_load(&p->first_bad))
            return;
        if (!omitted(p->run, i))
            w->pending = i;
    }
    tell_lowest(w);
}

/* A place is free once the group that had it before is done. */
static bool place_is_free(const struct worker *w)
{
    const struct pool *const p = w->pool;
    const struct xk_sim_run *const r = p->run;
    const uint64_t each = r->apart ? r->d->n_threads : 1;
    const uint64_t group = w->pending / each;
    if (!r->n_places || group < r->n_places)
        return true;
    for (unsigned k = 0; k < p->n_workers; k++)
        if (atomic_load(&p->at[k]) / each <= group - r->n_places)
            return false;
    return true;
}

/* One more, if the machine has room for it and the host memory. */
static struct xk_sim_seat *add_seat(struct worker *w)
{
    struct pool *const p = w->pool;
    struct xk_sim_seat *s = NULL;
    struct xk_error err;
    if (atomic_load(&p->n_seats) >= p->most_seats)
        return NULL;
    const unsigned place = atomic_fetch_add(&p->n_seats, 1);
    if (place >= p->most_seats ||
        xk_sim_seat_create(p->run, p->check, place, &s, &err) != XK_OK) {
        xk_sim_seat_destroy(s);
        return NULL;
    }
    s->next = w->seat->next;
    w->seat->next = s;
    w->n_seats++;
    return s;
}

/* NULL: there is none, or nothing to put there. */
static struct xk_sim_seat *free_seat(struct worker *w)
{
    struct pool *const p = w->pool;
    struct xk_sim_seat *s = w->seat;
    if (w->pending == NONE && atomic_load(&p->next) >= p->run->n_units)
        return NULL;
    if (w->n_busy == w->n_seats)
        return add_seat(w);
    while (s->state != XK_SEAT_FREE)
        s = s->next;
    return s;
}

/* The next one in the ring; NULL: none is busy. */
static struct xk_sim_seat *busy_seat(struct worker *w)
{
    struct xk_sim_seat *s = w->seat->next;
    while (s->state == XK_SEAT_FREE && s != w->seat)
        s = s->next;
    return s->state == XK_SEAT_FREE ? NULL : s;
}

static void free_the_seat(struct worker *w, struct xk_sim_seat *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (unsigned k = 0; k < XK_N_STATS; k++)
            w->count[k] += s->thread[i].count[k];
    s->state = XK_SEAT_FREE;
    w->n_busy--;
    if (s == w->first)
        w->first = NULL;
    tell_lowest(w);
}

static void note_bad(struct worker *w, const struct xk_sim_seat *s)
{
    struct pool *const p = w->pool;
    unsigned long long bad = atomic_load(&p->first_bad);
    if (s->unit < w->bad_unit) {
        w->bad_unit = s->unit;
        w->err = s->err;
    }
    while (s->unit < bad &&
           !atomic_compare_exchange_weak(&p->first_bad, &bad, s->unit))
        ;
    xk_sim_check_unit_stop(s->check, s->unit);
}

/* After a finding nobody looks at the units above it, and those below that wait
 * may wait for what will not come. */
static bool is_in_vain(const struct worker *w, const struct xk_sim_seat *s)
{
    const uint64_t bad = atomic_load(&w->pool->first_bad);
    return s->unit > bad || (s->state == XK_SEAT_WAITS && bad != NONE);
}

/* ---- in step ----
 *
 * While units wait for others, a host thread gives each of its units a turn in
 * a lap, and nobody begins a lap before all have ended the one before. An
 * atomic operation that changes memory ends a turn, and turns are short behind
 * it. So those that wait see the change about as soon as on a machine, where
 * all look at once, and before the first one that has seen it comes to the next
 * one. Compilers rely on that (docs/simulator.md). */

static void tell_others(struct pool *p)
{
    pthread_mutex_lock(&p->mutex);
    pthread_cond_broadcast(&p->moved);
    pthread_mutex_unlock(&p->mutex);
}

static void join_laps(struct worker *w)
{
    struct pool *const p = w->pool;
    for (unsigned k = 0; k < p->n_workers; k++) {
        const uint64_t lap = atomic_load(&p->lap[k]);
        if (lap != NONE && lap > w->lap)
            w->lap = lap;
    }
    atomic_store(&p->lap[w->index], w->lap);
    w->in_step = true;
    tell_others(p);
}

static void leave_laps(struct worker *w)
{
    if (atomic_exchange(&w->pool->lap[w->index], NONE) != NONE)
        tell_others(w->pool);
    w->in_step = false;
}

static bool others_are_behind(const struct worker *w)
{
    for (unsigned k = 0; k < w->pool->n_workers; k++)
        if (atomic_load(&w->pool->lap[k]) < w->lap)
            return true;
    return false;
}

static void end_lap(struct worker *w)
{
    struct pool *const p = w->pool;
    w->lap++;
    join_laps(w);
    if (w->lap > atomic_load(&p->until))
        atomic_store(&p->in_step, false);
    pthread_mutex_lock(&p->mutex);
    pthread_cond_broadcast(&p->moved);
    while (atomic_load(&p->in_step) && others_are_behind(w))
        pthread_cond_wait(&p->moved, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

/* In front of a turn. */
static void keep_step(struct worker *w, struct xk_sim_seat *s)
{
    if (!atomic_load(&w->pool->in_step)) {
        w->in_step = false;
        if (atomic_load(&w->pool->lap[w->index]) == NONE)
            atomic_store(&w->pool->lap[w->index], w->lap);
        return;
    }
    if (!w->in_step)
        join_laps(w);
    else if (s->lap == w->lap)
        end_lap(w);
    s->lap = w->lap;
}

static void raise_to(atomic_ullong *at, uint64_t lap)
{
    unsigned long long old = atomic_load(at);
    while (old < lap && !atomic_compare_exchange_weak(at, &old, lap))
        ;
}

static void keep_all_in_step(struct worker *w, bool brisk)
{
    struct pool *const p = w->pool;
    if (!w->in_step)
        join_laps(w);
    raise_to(&p->until, w->lap + LAPS_IN_STEP + (brisk ? BRISK_LAPS : 0));
    if (brisk)
        raise_to(&p->brisk_until, w->lap + BRISK_LAPS);
    if (!atomic_load(&p->in_step))
        atomic_store(&p->in_step, true);
}

static bool is_in_hand(enum xk_sim_seat_state s)
{
    return s == XK_SEAT_BUSY || s == XK_SEAT_WAITS;
}

/* Behind a turn of a unit that had not ended. */
static void tell_turn(struct worker *w, const struct xk_sim_seat *s)
{
    const bool waits = s->state == XK_SEAT_WAITS;
    if (waits || (s->yields && is_in_hand(s->state)))
        keep_all_in_step(w, s->yields);
    if (w->in_step && !waits)
        raise_to(&w->pool->worked, w->lap);
    if (s == w->first && (s->shares || s->state != XK_SEAT_BUSY))
        w->first = NULL;
}

static struct xk_sim_pace pace_of(const struct worker *w)
{
    const struct pool *const p = w->pool;
    return (struct xk_sim_pace){
        .in_vain = w->in_step && w->lap > atomic_load(&p->worked) + 1,
        .brisk = w->in_step && w->lap <= atomic_load(&p->brisk_until)};
}

static void run_seat(struct worker *w, struct xk_sim_seat *s)
{
    keep_step(w, s);
    if (is_in_hand(s->state) && !is_in_vain(w, s)) {
        xk_sim_seat_run(s, w->was, pace_of(w));
        tell_turn(w, s);
    }
    if (s->state == XK_SEAT_BAD)
        note_bad(w, s);
    if (is_in_vain(w, s)) {
        xk_sim_check_unit_stop(s->check, s->unit);
        free_the_seat(w, s);
    } else if (s->state >= XK_SEAT_GOOD &&
               (w->n_busy == 1 || xk_sim_check_unit_may_end(s->check))) {
        if (w->n_busy == 1) /* that may wait for the units in front of it */
            leave_laps(w);
        xk_sim_check_unit_end(s->check, s->unit);
        free_the_seat(w, s);
    }
}

/* False: nothing is left to do. */
static bool go_on(struct worker *w)
{
    struct xk_sim_seat *s = w->first ? NULL : free_seat(w);
    if (s)
        take_unit(w);
    if (s && w->pending != NONE && place_is_free(w)) {
        xk_sim_seat_begin(s, w->pending);
        w->pending = NONE;
        w->first = s;
        w->units++;
        w->n_busy++;
    } else {
        s = busy_seat(w);
    }
    if (s) {
        w->seat = s;
        run_seat(w, s);
    } else if (w->pending != NONE) {
        leave_laps(w);
        sched_yield();
    }
    return s || w->pending != NONE;
}

static void *run_units(void *arg)
{
    struct worker *w = arg;
    while (go_on(w))
        ;
    atomic_store(&w->pool->at[w->index], NONE);
    leave_laps(w);
    return NULL;
}

static void worker_fini(const struct xk_alloc *a, struct worker *w)
{
    struct xk_sim_seat *s = w->seat ? w->seat->next : NULL;
    while (s && s != w->seat) {
        struct xk_sim_seat *const next = s->next;
        xk_sim_seat_destroy(s);
        s = next;
    }
    xk_sim_seat_destroy(s);
    a->realloc(a->user, w->was, 0);
}

static enum xk_status worker_init(struct worker *w, struct pool *p,
                                  uint32_t index, struct xk_error *err)
{
    const struct xk_sim_run *r = p->run;
    const struct xk_alloc *a = &r->kernel->alloc;
    *w = (struct worker){.pool = p,
                         .index = index,
                         .n_seats = 1,
                         .pending = NONE,
                         .bad_unit = NONE};
    w->was = a->realloc(a->user, NULL, sizeof *w->was);
    if (!w->was)
        return xk_sim_refuse(err, XK_ENOMEM, r->kernel->name,
                             "out of memory for threads", 1);
    return xk_sim_seat_create(r, p->check, index, &w->seat, err);
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

/* Groups that the machine has room for at once. */
static unsigned most_seats(const struct xk_sim_run *r, unsigned n_workers)
{
    struct xk_sim_dispatch machine = {.kernel = r->kernel};
    xk_sim_dispatch_habits(&machine);
    const uint32_t slots = r->d->n_slots ? r->d->n_slots : machine.n_slots;
    const unsigned n = slots / r->d->n_threads;
    return n > n_workers ? n : n_workers;
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
    for (unsigned i = started; i < n; i++) {
        atomic_store(&w->pool->at[i], NONE);
        atomic_store(&w->pool->lap[i], NONE);
    }
    run_units(&w[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(w[i].id, NULL);
}

static enum xk_status run_pool(struct xk_sim_run *r,
                               struct xk_launch_stats *stats,
                               struct xk_error *err)
{
    struct worker w[MAX_WORKERS];
    const unsigned n = n_workers(r);
    struct pool p = {.run = r,
                     .first_bad = UINT64_MAX,
                     .n_workers = n,
                     .n_seats = n,
                     .mutex = PTHREAD_MUTEX_INITIALIZER,
                     .moved = PTHREAD_COND_INITIALIZER,
                     .most_seats = most_seats(r, n)};
    r->in_step = &p.in_step;
    unsigned ready = 0;
    enum xk_status s = xk_sim_check_run_create(r, &p.check, err);
    while (ready < n && s == XK_OK) {
        s = worker_init(&w[ready], &p, ready, err);
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
    pthread_cond_destroy(&p.moved);
    pthread_mutex_destroy(&p.mutex);
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
