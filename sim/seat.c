/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a unit in turns: a round gives a turn to each of them. */
#include "sim/seat.h"
#include "sim/check/pair.h"

#define QUANTUM 65536 /* instructions a thread may run before the next one */
/* The longest loop in which a thread is seen to wait, in instructions. */
#define LONGEST_WAIT 1024
/* Instructions of a brisk turn: less than there are between two changes that a
 * compiler makes, and so few that all have looked in between. */
#define BRISK 4
/* Brisk turns behind its first change after which a unit lets others begin. */
#define BRISK_TURNS 16
/* Rounds after which other units begin beside one that does not end. */
#define PATIENCE 64

void xk_sim_seat_destroy(struct xk_sim_seat *s)
{
    if (!s)
        return;
    const struct xk_alloc *a = &s->run->kernel->alloc;
    xk_sim_check_work_destroy(s->check);
    a->realloc(a->user, s->watchers, 0);
    a->realloc(a->user, s->thread, 0);
    a->realloc(a->user, s->slm, 0);
    a->realloc(a->user, s, 0);
}

enum xk_status xk_sim_seat_create(const struct xk_sim_run *r,
                                  struct xk_sim_check_run *check,
                                  uint32_t place, struct xk_sim_seat **out,
                                  struct xk_error *err)
{
    const struct xk_alloc *a = &r->kernel->alloc;
    const uint32_t n = r->apart ? 1 : r->d->n_threads;
    struct xk_sim_seat *const s = a->realloc(a->user, NULL, sizeof *s);
    *out = s;
    if (!s)
        return xk_sim_refuse(err, XK_ENOMEM, r->kernel->name,
                             "out of memory for threads", n);
    *s = (struct xk_sim_seat){.run = r, .next = s, .place = place, .n = n};
    s->thread = a->realloc(a->user, NULL, n * sizeof *s->thread);
    s->slm = a->realloc(a->user, NULL, r->d->slm_b + 64u);
    if (!s->thread || !s->slm)
        return xk_sim_refuse(err, XK_ENOMEM, r->kernel->name,
                             "out of memory for threads", n);
    for (uint32_t i = 0; i < n; i++)
        s->thread[i] = (struct xk_sim_thread){.err = &s->err};
    XK_TRY(xk_sim_watchers_create(r->d->watch, r->kernel, s->thread, n,
                                  &s->watchers, err));
    return xk_sim_check_work_create(check, s->thread, n, &s->check, err);
}

void xk_sim_seat_begin(struct xk_sim_seat *s, uint64_t unit)
{
    const struct xk_sim_run *r = s->run;
    const struct xk_sim_dispatch *d = r->d;
    const uint64_t index = r->apart ? unit / d->n_threads : unit;
    s->unit = unit;
    s->rounds = s->brisk = 0;
    s->shares = s->yields = false;
    s->fresh = true;
    s->state = XK_SEAT_BUSY;
    xk_sim_check_unit_begin(s->check, unit);
    s->group = (struct xk_sim_group){
        .run = r,
        .index = index,
        .slm = s->slm,
        .slm_b = d->slm_b,
        .thread = s->thread,
        .n_threads = d->n_threads,
        .slot_base = (uint32_t)(r->n_places ? index % r->n_places : s->place) *
                     d->n_threads,
    };
    xk_sim_group_id(d, index, s->group.id);
    if (r->apart) {
        xk_sim_thread_start(s->thread, &s->group,
                            (uint32_t)(unit % d->n_threads));
        return;
    }
    if (d->slm_b)
        memset(s->slm, 0xa5, d->slm_b);
    for (uint32_t i = 0; i < s->n; i++)
        xk_sim_thread_start(&s->thread[i], &s->group, i);
}

/* Whether the registers hold the same; the clock is one of them. */
static bool same_registers(const struct xk_sim_thread *t,
                           const struct xk_sim_thread *was)
{
    const size_t grf_b = (size_t)t->kernel->grf_count * t->kernel->grf_b;
    return t->active == was->active && t->waiting == was->waiting &&
           t->left == was->left && t->barrier_open == was->barrier_open &&
           memcmp(t->rf, was->rf, grf_b) == 0 &&
           memcmp(t->rf + XK_RF_ACC, was->rf + XK_RF_ACC,
                  XK_RF_END_B - XK_RF_ACC) == 0 &&
           memcmp(t->acc_hi, was->acc_hi, sizeof t->acc_hi) == 0 &&
           memcmp(t->mme, was->mme, sizeof t->mme) == 0 &&
           memcmp(t->pcip, was->pcip, sizeof t->pcip) == 0;
}

/* What a round came to. */
struct round {
    struct xk_sim_thread *was; /* NULL: nobody asks who waits */
    struct xk_sim_pace pace;
    uint64_t quantum;
    bool moved, worked, fault, yields;
};

/* Executes some instructions. True: the thread came back to where it was with
 * its registers as they were, so until somebody changes memory it goes round in
 * its loop. In vain: nobody will. It is charged for a turn of that then, to
 * come to its limit soon, which names the loop. */
static bool goes_round(struct xk_sim_thread *t, const struct round *r)
{
    memcpy(r->was, t, sizeof *t);
    for (unsigned k = 0; k < LONGEST_WAIT && t->state == XK_SIM_RUN; k++) {
        xk_sim_thread_step(t, 1);
        if (t->ip != r->was->ip || t->state != XK_SIM_RUN ||
            !same_registers(t, r->was))
            continue;
        if (r->pace.in_vain)
            t->budget = t->budget > QUANTUM ? t->budget - QUANTUM : 1;
        return true;
    }
    return false;
}

/* Whoever came to a barrier or to its pair's dpasw in its last turn did not go
 * round in it. Nobody asks it: that costs a copy of its registers. */
static void turn(struct xk_sim_thread *t, struct round *r)
{
    if (t->state == XK_SIM_BARRIER && xk_sim_barrier_done(t))
        t->state = XK_SIM_RUN;
    if (t->state == XK_SIM_RUN) {
        r->moved = true;
        if (!r->was || !t->ran_on || !goes_round(t, r)) {
            r->worked = true;
            xk_sim_thread_step(t, r->quantum);
        }
    }
    if (t->state == XK_SIM_YIELD) {
        t->state = XK_SIM_RUN;
        r->yields = true;
    }
    t->ran_on = t->state == XK_SIM_RUN;
    r->fault = t->state == XK_SIM_FAULT;
}

/* A turn for every thread, or pair, that can go on. */
static void round_of_threads(struct xk_sim_seat *s, struct round *r)
{
    struct xk_sim_group *const g = &s->group;
    const bool pairs = g->run->pairs;
    for (uint32_t i = 0; i < s->n && !r->fault; i++) {
        struct xk_sim_thread *t = &s->thread[i];
        if (!pairs || i + 1 == s->n) {
            turn(t, r);
            continue;
        }
        r->moved |= xk_pair_step(t, r->quantum);
        r->worked |= r->moved;
        i++;
        r->fault = t->state == XK_SIM_FAULT || t[1].state == XK_SIM_FAULT;
    }
    if (!r->moved && !r->fault && pairs)
        r->moved = r->worked = xk_pair_release(g);
}

/* No thread can go on: either all are done, or a barrier never completes. */
static bool all_done(struct xk_sim_seat *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct xk_sim_thread *t = &s->thread[i];
        if (t->state == XK_SIM_DONE)
            continue;
        if (t->state == XK_SIM_PAIR) {
            xk_sim_fault(t, &t->kernel->inst[t->ip],
                         "the other thread of the pair never comes here");
            return false;
        }
        const struct xk_sim_barrier *const b =
            &s->group.barrier[t->barrier_awaited];
        xk_sim_fault(t, &t->kernel->inst[t->ip],
                     "waits for a barrier that only %u of %u threads reached",
                     b->produced, b->producers);
        return false;
    }
    return true;
}

static void one_round(struct xk_sim_seat *s, struct xk_sim_thread *was,
                      struct xk_sim_pace pace)
{
    /* Whoever is asked executes one by one: in a first run seldom. */
    const bool asks =
        s->shares || (s->rounds && !(s->rounds & (s->rounds - 1)));
    struct round r = {.was = asks && !pace.brisk ? was : NULL,
                      .pace = pace,
                      .quantum = s->fresh     ? QUANTUM
                                 : pace.brisk ? BRISK
                                              : QUANTUM / 4};
    round_of_threads(s, &r);
    s->rounds++;
    s->state = r.fault       ? XK_SEAT_BAD
               : r.worked    ? XK_SEAT_BUSY
               : r.moved     ? XK_SEAT_WAITS
               : all_done(s) ? XK_SEAT_GOOD
                             : XK_SEAT_BAD;
    s->brisk += pace.brisk && !s->fresh;
    s->shares |= s->state == XK_SEAT_WAITS || s->rounds >= PATIENCE ||
                 s->brisk >= BRISK_TURNS;
    s->yields = r.yields;
    s->fresh &= !s->shares && !s->yields;
}

void xk_sim_seat_run(struct xk_sim_seat *s, struct xk_sim_thread *was,
                     struct xk_sim_pace pace)
{
    do
        one_round(s, was, pace);
    while (s->state == XK_SEAT_BUSY && !s->shares &&
           !atomic_load_explicit(s->run->in_step, memory_order_relaxed));
}
