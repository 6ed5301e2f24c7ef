/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers' frame: the state of a dispatch, of a host thread and of a unit
 * of work, and the observer that calls the checkers. */
#include <stdarg.h>
#include <stdio.h>

#include "isa/format.h"
#include "sim/check/check_state.h"
#include "sim/check/hazard_hook.h"
#include "sim/check/pair.h"
#include "sim/core/sim_operand.h"

static const struct xk_sim_observer_ops observer_ops;

/* Checkers that live in files of their own; at most one for now. */
static const struct xk_sim_checker *const extras[] = {
    &xk_sim_hazard_checker,
};

static enum xk_status no_memory_for_checks(const struct xk_sim_check_run *c,
                                           struct xk_error *err)
{
    err->status = XK_ENOMEM;
    snprintf(err->message, sizeof err->message,
             "sim: kernel '%.100s': out of memory for checks",
             c->run->kernel->name);
    return XK_ENOMEM;
}

static void choose_extra(struct xk_sim_check_run *c)
{
    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++)
        if (extras[i] && c->on & extras[i]->check) {
            c->extra = extras[i];
            c->extra_b = extras[i]->state_b(c->run);
        }
}

enum xk_status xk_sim_check_run_create(const struct xk_sim_run *r,
                                       struct xk_sim_check_run **out,
                                       struct xk_error *err)
{
    const struct xk_alloc *const a = &r->kernel->alloc;
    const struct xk_sim_kernel *const k = r->kernel;
    *out = NULL;
    if (!r->d->check.on)
        return XK_OK;
    struct xk_sim_check_run *const c = xk_alloc_zeroed(a, sizeof *c);
    const struct xk_sim_check_run stub = {.run = r};
    if (!c)
        return no_memory_for_checks(&stub, err);
    c->run = r;
    c->alloc = *a;
    c->on = r->d->check.on;
    c->bad = UINT64_MAX;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->turned, NULL);
    *out = c;
    c->inst = xk_alloc_zeroed(a, k->n * sizeof *c->inst);
    if (!c->inst)
        return no_memory_for_checks(c, err);
    for (uint32_t i = 0; i < k->n; i++)
        xk_check_plan(k, &k->inst[i], &c->inst[i]);
    if (!xk_check_stretches(c) || !xk_check_locks_create(c))
        return no_memory_for_checks(c, err);
    choose_extra(c);
    return XK_OK;
}

void xk_sim_check_run_destroy(struct xk_sim_check_run *c)
{
    if (!c)
        return;
    const struct xk_alloc a = c->alloc;
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->turned);
    a.realloc(a.user, c->inst, 0);
    a.realloc(a.user, c->stretch, 0);
    a.realloc(a.user, c->need, 0);
    a.realloc(a.user, c->held, 0);
    a.realloc(a.user, c->record, 0);
    a.realloc(a.user, c->gslot, 0);
    xk_check_arena_fini(&a, &c->arena);
    a.realloc(a.user, c, 0);
}

static bool give_thread(struct xk_sim_check_work *w, uint32_t i,
                        struct xk_sim_thread *t)
{
    const struct xk_alloc *const a = &w->run->alloc;
    struct xk_sim_check_thread *const c = &w->thread[i];
    c->work = w;
    c->thread = t;
    c->known = xk_alloc_zeroed(a, w->n_group * sizeof *c->known);
    c->good_age = xk_alloc_zeroed(a, w->run->n_stretches * sizeof *c->good_age);
    c->extra = w->run->extra ? xk_alloc_zeroed(a, w->run->extra_b) : NULL;
    c->observer.ops = &observer_ops;
    xk_sim_observe(t, XK_SIM_INNER, &c->observer);
    return c->known && c->good_age && (c->extra || !w->run->extra);
}

enum xk_status xk_sim_check_work_create(struct xk_sim_check_run *c,
                                        struct xk_sim_thread *t, uint32_t n,
                                        struct xk_sim_check_work **out,
                                        struct xk_error *err)
{
    *out = NULL;
    if (!c)
        return XK_OK;
    struct xk_sim_check_work *const w = xk_alloc_zeroed(&c->alloc, sizeof *w);
    if (!w)
        return no_memory_for_checks(c, err);
    *out = w;
    w->run = c;
    w->threads = t;
    w->n_group = c->run->d->n_threads;
    w->thread = xk_alloc_zeroed(&c->alloc, n * sizeof *w->thread);
    w->joining =
        xk_alloc_zeroed(&c->alloc, (size_t)XK_SIM_BARRIERS * w->n_group * 4);
    w->joined =
        xk_alloc_zeroed(&c->alloc, (size_t)XK_SIM_BARRIERS * w->n_group * 4);
    if (!w->thread || !w->joining || !w->joined || !xk_check_locks_of_unit(w))
        return no_memory_for_checks(c, err);
    w->n_threads = n;
    if (c->extra && c->extra->work_create)
        w->extra = c->extra->work_create(c->run);
    for (uint32_t i = 0; i < n; i++)
        if (!give_thread(w, i, &t[i]))
            return no_memory_for_checks(c, err);
    if (!xk_pairs_create(w))
        return no_memory_for_checks(c, err);
    return XK_OK;
}

void xk_sim_check_work_destroy(struct xk_sim_check_work *w)
{
    if (!w)
        return;
    const struct xk_alloc a = w->run->alloc;
    for (uint32_t i = 0; i < w->n_threads; i++) {
        a.realloc(a.user, w->thread[i].known, 0);
        a.realloc(a.user, w->thread[i].good_age, 0);
        a.realloc(a.user, w->thread[i].extra, 0);
    }
    if (w->extra)
        w->run->extra->work_destroy(w->extra);
    a.realloc(a.user, w->thread, 0);
    a.realloc(a.user, w->joining, 0);
    a.realloc(a.user, w->joined, 0);
    a.realloc(a.user, w->held, 0);
    xk_check_lines_fini(&a, &w->lines);
    xk_pairs_destroy(w);
    a.realloc(a.user, w, 0);
}

void xk_sim_check_unit_begin(struct xk_sim_check_work *w, uint64_t unit)
{
    if (!w)
        return;
    const size_t n_b = (size_t)XK_SIM_BARRIERS * w->n_group * 4;
    w->unit = unit;
    w->n_seen = w->n_beside = 0;
    xk_check_lines_reset(&w->lines);
    xk_check_locks_begin(w);
    memset(w->phase, 0, sizeof w->phase);
    memset(w->joining, 0, n_b);
    memset(w->joined, 0, n_b);
    xk_pairs_begin(w);
}

bool xk_sim_check_unit_may_end(struct xk_sim_check_work *w)
{
    if (!w || !(w->run->on & XK_CHECK_RACE))
        return true;
    struct xk_sim_check_run *const c = w->run;
    pthread_mutex_lock(&c->lock);
    const bool may = c->turn == w->unit || c->bad < w->unit;
    pthread_mutex_unlock(&c->lock);
    return may;
}

void xk_sim_check_unit_stop(struct xk_sim_check_work *w, uint64_t unit)
{
    if (!w)
        return;
    struct xk_sim_check_run *const c = w->run;
    pthread_mutex_lock(&c->lock);
    if (unit < c->bad) {
        c->bad = unit;
        pthread_cond_broadcast(&c->turned);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Waits until all units before this one were merged. If a lower unit faulted,
 * the run ends and the units between may never come. */
static bool my_turn(struct xk_sim_check_run *c, uint64_t unit)
{
    pthread_mutex_lock(&c->lock);
    while (c->turn != unit && c->bad >= unit)
        pthread_cond_wait(&c->turned, &c->lock);
    const bool mine = c->turn == unit;
    pthread_mutex_unlock(&c->lock);
    return mine;
}

void xk_sim_check_unit_end(struct xk_sim_check_work *w, uint64_t unit)
{
    if (!w)
        return;
    struct xk_sim_check_run *const c = w->run;
    if (c->on & XK_CHECK_RACE)
        xk_check_accesses_end(w);
    if (w->no_memory) {
        pthread_mutex_lock(&c->lock);
        c->no_memory = true;
        pthread_mutex_unlock(&c->lock);
    }
    if (!(c->on & XK_CHECK_RACE) || !my_turn(c, unit))
        return;
    xk_check_locks_merge(w);
    xk_check_merge(w);
    pthread_mutex_lock(&c->lock);
    c->turn++;
    pthread_cond_broadcast(&c->turned);
    pthread_mutex_unlock(&c->lock);
}

static void check_start(struct xk_sim_thread *t)
{
    struct xk_sim_check_thread *const c = xk_check_of(t);
    c->signals = 0;
    c->loading = c->fencing = c->n_pending = c->n_fenced = 0;
    c->pending_lost = false;
    memset(c->slm, 0, sizeof c->slm);
    memset(c->known, 0, c->work->n_group * sizeof *c->known);
    xk_check_init_start(c);
    if (c->extra && c->work->run->extra->start)
        c->work->run->extra->start(t, c->extra);
}

/* Groups that run one after the other in a slot share its scratch memory.
 * Nothing orders them, and nothing has to: for each group the scratch memory
 * begins as unwritten. */
static uint8_t space_of(const struct xk_sim_thread *t,
                        const struct xk_sim_region *r, uint64_t addr)
{
    if (!r)
        return XK_CS_SLM;
    return r->kind == XK_SIM_SCRATCH || addr - t->scratch_va < t->scratch_b
               ? XK_CS_SCRATCH
           : r->kind == XK_SIM_STATE ? XK_CS_STATE
                                     : XK_CS_GLOBAL;
}

/* Room for n notes, with what they have in common filled in; NULL if there is
 * none. */
static struct xk_check_note *notes_of(struct xk_sim_thread *t,
                                      const struct xk_sim_inst *e, unsigned n)
{
    struct xk_sim_check_work *const w = xk_check_of(t)->work;
    if (w->n_notes + n > XK_CHECK_NOTES) {
        w->notes_lost = true;
        return NULL;
    }
    if (!w->n_notes) {
        w->storing = xk_msg_op_class(e->msg.op) == XK_MCLASS_STORE;
        if (e < t->kernel->inst || e >= t->kernel->inst + t->kernel->n)
            w->msg = e->msg; /* made for a dynamic descriptor */
    }
    w->n_notes += n;
    return &w->note[w->n_notes - n];
}

/* Adds notes whose bytes follow each other, or are the same. */
static void add_to_spans(struct xk_sim_check_work *w, struct xk_check_span more)
{
    struct xk_check_span *const s =
        w->n_spans ? &w->span[w->n_spans - 1] : NULL;
    const bool same = s && s->space == more.space;
    if (same && more.addr >= s->addr &&
        more.addr + more.n_b <= s->addr + s->n_b) {
        s->odd |= more.odd;
        s->n_notes += more.n_notes;
    } else if (same && more.addr == s->addr + s->n_b) {
        s->n_b += more.n_b;
        s->odd |= more.odd;
        s->n_notes += more.n_notes;
    } else {
        w->span[w->n_spans++] = more;
    }
}

static void add_spans(struct xk_sim_check_work *w, uint8_t space,
                      const struct xk_sim_access *a)
{
    struct xk_check_span more = {.addr = a->addr,
                                 .n_b = a->n_b,
                                 .space = space,
                                 .odd =
                                     ((a->addr | a->n_b | a->step_b) & 3) != 0,
                                 .n_notes = 1};
    if (a->step_b == a->n_b || !a->step_b) {
        more.n_b += a->step_b * (a->n - 1);
        more.n_notes = (uint16_t)a->n;
        add_to_spans(w, more);
        return;
    }
    for (unsigned l = 0; l < a->n; l++, more.addr += a->step_b)
        add_to_spans(w, more);
}

static void access(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   const struct xk_sim_access *a)
{
    struct xk_sim_check_work *const w = xk_check_of(t)->work;
    struct xk_check_note *k = notes_of(t, e, a->n);
    const uint8_t space = space_of(t, a->region, a->addr);
    uint64_t addr = a->addr;
    const uint8_t *host = a->region ? a->region->host + (addr - a->region->va)
                                    : t->group->slm + addr;
    if (!k)
        return;
    w->spaces |= (uint8_t)(1u << space);
    add_spans(w, space, a);
    for (unsigned l = 0; l < a->n; l++, k++) {
        k->addr = addr;
        k->n_b = a->n_b;
        k->space = space;
        k->lane = (uint8_t)(a->lane + l);
        k->host = host;
        if (w->storing && a->n_b <= XK_CHECK_OLD_B)
            memcpy(k->old, host, a->n_b);
        addr += a->step_b;
        host += a->step_b;
    }
}

static void beyond(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   uint64_t offset, uint32_t n_b)
{
    const struct xk_sim_place place = {
        .what = "surface", .address = offset, .n_b = n_b};
    if (xk_check_on(xk_check_of(t), XK_CHECK_MEM))
        xk_sim_check_report(
            t, e, &(struct xk_check_about){XK_CHECK_MEM, NULL, &place},
            "beyond the end of its surface");
}

static void widened(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    uint64_t addr, uint32_t n_b)
{
    const struct xk_sim_place place = {
        .what = "memory", .address = addr, .n_b = n_b};
    xk_check_of(t)->work->beyond_b = n_b;
    if (xk_check_on(xk_check_of(t), XK_CHECK_PEDANTIC))
        xk_sim_check_report(
            t, e, &(struct xk_check_about){XK_CHECK_PEDANTIC, NULL, &place},
            "a block's load goes on beyond its buffer, within "
            "the cache line");
}

static void event(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  unsigned what, uint64_t at, uint32_t n_b)
{
    switch ((enum xk_sim_event)what) {
    case XK_SIM_EV_BEYOND:
        beyond(t, e, at, n_b);
        break;
    case XK_SIM_EV_WIDENED:
        widened(t, e, at, n_b);
        break;
    case XK_SIM_EV_UNAWAITED:
        if (xk_check_on(xk_check_of(t), XK_CHECK_PEDANTIC))
            xk_sim_check_report(
                t, e, &(struct xk_check_about){XK_CHECK_PEDANTIC, NULL, NULL},
                "thread ends between barrier and sync.bar");
        break;
    }
}

static uint32_t check_of(const struct xk_sim_inst *e)
{
    if (!e)
        return XK_CHECK_FAULT;
    if (e->in.op == XK_OPC_SYNC || e->in.op == XK_OPC_DPASW)
        return XK_CHECK_SYNC;
    if (!xk_inst_is_send(&e->in))
        return XK_CHECK_FAULT;
    switch (xk_msg_op_class(e->msg.op)) {
    case XK_MCLASS_BARRIER:
    case XK_MCLASS_EOT:
        return XK_CHECK_SYNC;
    case XK_MCLASS_LOAD:
    case XK_MCLASS_STORE:
    case XK_MCLASS_ATOMIC:
        return XK_CHECK_MEM;
    default:
        return XK_CHECK_FAULT;
    }
}

static void fault(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *why)
{
    xk_sim_check_report(t, e, &(struct xk_check_about){check_of(e), NULL, NULL},
                        "%s", why);
}

static void look_before(struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e, uint32_t mask)
{
    const uint32_t on = c->work->run->on;
    c->work->n_notes = c->work->n_spans = 0;
    c->work->notes_lost = false;
    c->work->spaces = 0;
    c->work->beyond_b = 0;
    if (on & XK_CHECK_INIT)
        xk_check_init_before(c, e, mask);
    if (on & XK_CHECK_SYNC)
        xk_check_sync_before(c, e, mask);
}

/* The space of a message with a dynamic descriptor is known from what it
 * touched. */
static bool touches_slm(const struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e)
{
    return e->msg.space == XK_MSPACE_SLM || c->work->spaces >> XK_CS_SLM & 1;
}

static void look_after(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e)
{
    const uint32_t on = c->work->run->on, mask = c->mask, open = c->open;
    if (xk_inst_is_send(&e->in)) {
        if (on & (XK_CHECK_RACE | XK_CHECK_SYNC) && c->work->n_notes)
            xk_check_accesses(c, e);
        if (on & XK_CHECK_INIT)
            xk_check_send_after(c, e, mask);
        if (on & XK_CHECK_HAZARD && touches_slm(c, e))
            xk_check_slm_note(c, e);
    }
    xk_check_sync_after(c, e, open, mask);
}

/* -- The observer -- */

static void check_begin(struct xk_sim_thread *t)
{
    struct xk_sim_check_thread *const c = xk_check_of(t);
    c->quiet = 0;
    c->is_quiet = c->is_unready = false;
}

/* The answer of the checker that lives elsewhere about the instructions to
 * come. */
static int64_t ask_extra(const struct xk_sim_check_thread *c, uint64_t most)
{
    struct xk_sim_thread *const t = c->thread;
    const struct xk_sim_checker *const x = c->work->run->extra;
    return !x         ? (int64_t)most
           : x->ahead ? x->ahead(t, &t->kernel->inst[t->ip], most, c->extra)
                      : -(int64_t)most;
}

/* Instructions of which that checker has nothing to say: those of a stretch are
 * judged together. */
static void quiet_ahead(struct xk_sim_check_thread *c, struct xk_sim_ahead *a)
{
    const struct xk_sim_check_run *const r = c->work->run;
    const uint32_t ip = c->thread->ip, s = r->inst[ip].stretch;
    a->n = 1;
    a->sight = XK_SIM_SEEN;
    if (s != XK_CHECK_ALONE) {
        const uint32_t to_end = r->stretch[s].end - ip;
        a->n = to_end < c->quiet ? to_end : c->quiet;
        c->is_unready = !xk_check_is_quiet(c, &r->stretch[s], (uint32_t)a->n);
        a->sight = c->is_unready ? XK_SIM_SEEN_BEFORE : XK_SIM_UNSEEN;
    }
    c->quiet -= a->n;
}

static void check_ahead(struct xk_sim_thread *t, uint64_t most,
                        struct xk_sim_ahead *a)
{
    struct xk_sim_check_thread *const c = xk_check_of(t);
    const int64_t n = c->quiet ? (int64_t)c->quiet : ask_extra(c, most);
    c->is_unready = false;
    c->is_quiet = n > 0;
    if (c->is_quiet) {
        c->quiet = (uint64_t)n;
        quiet_ahead(c, a);
    } else {
        a->n = (uint64_t)-n;
        a->sight = XK_SIM_SEEN;
    }
}

static const struct xk_sim_checker *
extra_of(const struct xk_sim_check_thread *c)
{
    return c->is_quiet ? NULL : c->work->run->extra;
}

static bool check_before(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_check_thread *const c = xk_check_of(t);
    const struct xk_sim_checker *const x = extra_of(c);
    if (c->is_unready) {
        xk_check_init_before(c, e, xk_sim_mask(t, e));
        return true;
    }
    c->mask = xk_sim_mask(t, e);
    c->open = t->barrier_open;
    look_before(c, e, c->mask);
    if (x && x->before)
        x->before(t, e, c->mask, c->extra);
    return true;
}

static void check_after(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_check_thread *const c = xk_check_of(t);
    const struct xk_sim_checker *const x = extra_of(c);
    if (t->state != XK_SIM_RUN && t->state != XK_SIM_YIELD &&
        t->state != XK_SIM_DONE)
        return;
    look_after(c, e);
    if (x && x->after)
        x->after(t, e, c->mask, c->extra);
}

static const struct xk_sim_observer_ops observer_ops = {
    .start = check_start,
    .begin = check_begin,
    .ahead = check_ahead,
    .before = check_before,
    .after = check_after,
    .access = access,
    .event = event,
    .fault = fault,
};
