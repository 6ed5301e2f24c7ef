/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/watch.h"
#include "isa/format.h"

#include <stdio.h>

#include "sim/core/observer.h"
#include "sim/core/sim_operand.h"
#include "sim/timing/timing_report.h"

/* Multiply-adds, and messages that move data for lanes. Blocks are not among
 * them, because they may load arguments. */
static bool is_data(const struct xk_sim_inst *e)
{
    const enum xk_msg_class c = xk_msg_op_class(e->msg.op);
    return e->stat == XK_STAT_FMA ||
           (e->stat == XK_STAT_SEND && !e->in.send.eot && !e->msg.transpose &&
            (c == XK_MCLASS_LOAD || c == XK_MCLASS_STORE));
}

static enum xk_status find_omitted(struct xk_sim_watch *w,
                                   const xk_sim_kernel *k, struct xk_error *err)
{
    w->omit = w->alloc.realloc(w->alloc.user, NULL, k->n * sizeof *w->omit);
    if (!w->omit)
        return xk_sim_refuse(err, XK_ENOMEM, k->name,
                             "out of memory for what need not be executed",
                             k->n);
    for (uint32_t i = k->n; i--;)
        w->omit[i] = !is_data(&k->inst[i]) ? 0
                     : k->inst[i].stat == XK_STAT_FMA && i + 1 < k->n &&
                             k->inst[i + 1].stat == XK_STAT_FMA
                         ? w->omit[i + 1] + 1
                         : 1;
    return XK_OK;
}

/* XK_EINVAL where there is no such machine. */
static enum xk_status open_timing(struct xk_sim_watch *w,
                                  const xk_sim_kernel *k, struct xk_error *err)
{
    struct xk_timing_spec spec;
    XK_TRY(xk_timing_spec_parse(w->opts->timing, k->platform->id, &spec, err));
    struct xk_sim_timing *const x =
        w->alloc.realloc(w->alloc.user, NULL, sizeof *x);
    w->timing = x;
    if (!x)
        return xk_sim_refuse(err, XK_ENOMEM, k->name,
                             "out of memory for the timing's record",
                             sizeof *x);
    x->spec = spec;
    x->n = spec.all ? XK_SIM_RECORDS : 1;
    for (unsigned r = 0; r < x->n; r++) {
        x->on[r] = spec.m;
        x->on[r].dispatch ^= r;
        xk_timing_record_init(&x->record[r], &x->on[r], &w->alloc);
        x->record[r].waves_wanted = w->opts->timing_waves;
        x->record[r].alone = w->opts->timing_bound;
    }
    return w->opts->timing_only || w->opts->timing_bound
               ? find_omitted(w, k, err)
               : XK_OK;
}

enum xk_status xk_sim_watch_begin(const struct xk_sim_watch *w,
                                  const struct xk_sim_run *r,
                                  struct xk_error *err)
{
    for (unsigned k = 0; w && w->timing && k < w->timing->n; k++)
        XK_TRY(xk_timing_record_begin(&w->timing->record[k], r, err));
    return XK_OK;
}

void xk_sim_watch_end(const struct xk_sim_watch *w, bool good)
{
    for (unsigned k = 0; w && w->timing && k < w->timing->n; k++)
        xk_timing_record_end(&w->timing->record[k], good);
}

enum xk_status xk_sim_watch_init(struct xk_sim_watch *w,
                                 const struct xk_simulate_opts *opts,
                                 const xk_sim_kernel *k, bool *wanted,
                                 struct xk_error *err)
{
    *w = (struct xk_sim_watch){.opts = opts, .alloc = k->alloc};
    *wanted = opts && (opts->trace || opts->inst || opts->timing);
    if (opts && opts->timing)
        XK_TRY(open_timing(w, k, err));
    if (!*wanted || !opts->inst)
        return XK_OK;
    const size_t n_b = k->n * sizeof *w->hits;
    w->hits = k->alloc.realloc(k->alloc.user, NULL, n_b);
    if (!w->hits) {
        xk_sim_watch_fini(w);
        err->status = XK_ENOMEM;
        snprintf(err->message, sizeof err->message,
                 "sim: out of memory for the counts of %u instructions", k->n);
        return XK_ENOMEM;
    }
    for (uint32_t i = 0; i < k->n; i++) {
        atomic_init(&w->hits[i].executed, 0);
        atomic_init(&w->hits[i].lanes, 0);
    }
    return XK_OK;
}

void xk_sim_watch_fini(struct xk_sim_watch *w)
{
    if (w->hits)
        w->alloc.realloc(w->alloc.user, w->hits, 0);
    for (unsigned k = 0; w->timing && k < w->timing->n; k++)
        xk_timing_record_fini(&w->timing->record[k]);
    w->alloc.realloc(w->alloc.user, w->omit, 0);
    w->alloc.realloc(w->alloc.user, w->timing, 0);
    w->hits = NULL;
    w->omit = NULL;
    w->timing = NULL;
}

/* The last record is a guard behind the code. */
static uint32_t n_reported(const struct xk_sim_watch *w, const xk_sim_kernel *k,
                           bool all)
{
    uint32_t n = w->hits && k->n ? k->n - 1 : 0;
    while (!all && n && !atomic_load(&w->hits[n - 1].executed))
        n--;
    return n;
}

void xk_sim_watch_report(const struct xk_sim_watch *w, const xk_sim_kernel *k,
                         bool all)
{
    const uint32_t n = n_reported(w, k, all);
    struct xk_str text, message;
    if (w->timing && w->timing->record[0].good && w->opts->timed)
        xk_timing_tell(w->timing->record, w->timing->n, w->timing->spec.all,
                       w->opts->timed, w->opts->user);
    xk_str_init(&text, &k->alloc);
    xk_str_init(&message, &k->alloc);
    for (uint32_t i = 0; i < n; i++) {
        const struct xk_sim_inst *const e = &k->inst[i];
        xk_str_clear(&text);
        xk_str_clear(&message);
        xk_inst_print(k->platform, &e->in, &text);
        if (xk_inst_is_send(&e->in))
            xk_msg_print(k->platform, &e->msg, &message);
        const struct xk_simulate_inst fact = {
            .offset_b = e->pc_b,
            .text = xk_str_get(&text),
            .opcode = xk_opcode_name((enum xk_opcode)e->in.op),
            .message = xk_str_get(&message),
            .executed = atomic_load(&w->hits[i].executed),
            .lanes = atomic_load(&w->hits[i].lanes)};
        w->opts->inst(w->opts->user, &fact);
    }
    xk_str_fini(&text);
    xk_str_fini(&message);
}

enum xk_status xk_sim_watch_check_opts(const struct xk_simulate_opts *opts,
                                       struct xk_error *err)
{
    uint32_t on;
    struct xk_timing_spec spec;
    if (opts && opts->timing && *opts->timing)
        XK_TRY(
            xk_timing_spec_parse(opts->timing, XK_PLATFORM_NONE, &spec, err));
    if (!opts || !opts->checks || xk_sim_checks_parse(opts->checks, &on))
        return XK_OK;
    err->status = XK_EINVAL;
    snprintf(err->message, sizeof err->message,
             "check: '%.100s' is not of mem, race, init, sync, hazard, all, "
             "none",
             opts->checks);
    return XK_EINVAL;
}

static struct xk_simulate_party party_of(const struct xk_sim_party *p)
{
    return (struct xk_simulate_party){
        .group = {p->group[0], p->group[1], p->group[2]},
        .thread = p->thread,
        .offset_b = p->offset_b,
        .text = p->text};
}

static void tell_finding(void *user, const struct xk_sim_finding *f)
{
    const struct xk_simulate_opts *const o = user;
    char line[1024];
    xk_sim_finding_print(f, line, sizeof line);
    const struct xk_simulate_finding out = {
        .check = xk_sim_check_name(f->check),
        .kernel = f->kernel,
        .why = f->why,
        .what = f->what,
        .address = f->address,
        .n_b = f->n_b,
        .n_parties = f->n_parties,
        .party = {party_of(&f->party[0]), party_of(&f->party[1])},
        .line = line};
    o->found(o->user, &out);
}

struct xk_sim_checks xk_sim_watch_checks(const struct xk_simulate_opts *opts)
{
    struct xk_sim_checks c = {.group_seed = opts ? opts->group_seed : 0};
    if (!opts || !opts->checks || !xk_sim_checks_parse(opts->checks, &c.on))
        return c;
    c.most = opts->most_findings;
    c.hazard_seed = opts->hazard_seed;
    c.hazard_strict = opts->hazard_strict;
    c.found = opts->found ? tell_finding : NULL;
    c.user = (void *)(uintptr_t)opts;
    return c;
}

/* Which parts of a thread's image have names in a trace. */
struct file {
    const char *name;
    uint32_t at_b, each_b, n;
};

static void show_file(const struct file *f, const uint8_t *before,
                      const uint8_t *after, struct xk_str *out)
{
    for (uint32_t r = 0; r < f->n; r++) {
        const uint32_t at = f->at_b + r * f->each_b;
        if (!memcmp(before + at, after + at, f->each_b))
            continue;
        xk_str_printf(out, "    %s%u =", f->name, r);
        for (uint32_t b = 0; b < f->each_b; b += 4) {
            uint32_t v;
            memcpy(&v, after + at + b, 4);
            xk_str_printf(out, " %08x", v);
        }
        xk_str_printf(out, "\n");
    }
}

static void show_changes(const struct xk_sim_thread *t, const uint8_t *before,
                         struct xk_str *out)
{
    const struct xk_sim_kernel *const k = t->kernel;
    const struct file files[] = {
        {"r", XK_RF_GRF, k->grf_b, k->grf_count},
        {"acc", XK_RF_ACC, k->grf_b, XK_SIM_SPAN_B / k->grf_b},
        {"f", XK_RF_FLAG, 4, 4},
        {"a", XK_RF_A0, 32, 1},
        {"cr", XK_RF_CR, 16, 1},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        show_file(&files[i], before, t->rf, out);
}

static bool traced(const struct xk_sim_watch *w, const struct xk_sim_thread *t)
{
    const struct xk_simulate_opts *const o = w->opts;
    return o->trace && (!o->trace_one || (t->index == o->trace_thread &&
                                          !memcmp(t->group->id, o->trace_group,
                                                  sizeof o->trace_group)));
}

static bool looks_at(const struct xk_timing_record *r, uint64_t group)
{
    uint64_t k;
    const uint32_t core = xk_timing_core_of(r, group, &k);
    return k < atomic_load(&r->limit) && !(r->alone && core);
}

bool xk_sim_watch_omits(const struct xk_sim_watch *w, uint64_t group)
{
    bool any = !w || !w->timing || !w->omit;
    for (unsigned k = 0; !any && k < w->timing->n; k++)
        any = looks_at(&w->timing->record[k], group);
    return !any;
}

/* -- The observer of a thread, the outer one -- */

struct xk_sim_watcher {
    struct xk_sim_observer observer; /* the first member */
    const struct xk_sim_watch *watch;
    /* For the call of xk_sim_thread_step in hand. */
    struct xk_tm_tap tap[XK_SIM_RECORDS];
    bool taps; /* one of them is on */
    bool trace, omits;
    uint32_t mask; /* of the instruction in hand: lanes */
    uint8_t *was;  /* the registers before it, where there is a trace */
};

static struct xk_sim_watcher *watcher_of(const struct xk_sim_thread *t)
{
    return (struct xk_sim_watcher *)t->observer[XK_SIM_OUTER];
}

static void watch_begin(struct xk_sim_thread *t)
{
    struct xk_sim_watcher *const o = watcher_of(t);
    const struct xk_sim_watch *const w = o->watch;
    o->trace = traced(w, t);
    o->omits = w->omit && !o->trace && !w->hits;
    o->taps = false;
    for (unsigned k = 0; w->timing && k < w->timing->n; k++) {
        xk_timing_tap(&w->timing->record[k], t, &o->tap[k]);
        o->taps |= o->tap[k].on;
    }
}

/* Before an instruction; after it. */
static void tap_before(struct xk_sim_watcher *o, struct xk_sim_thread *t,
                       const struct xk_sim_inst *e)
{
    for (unsigned k = 0; k < o->watch->timing->n; k++)
        if (o->tap[k].on)
            xk_timing_before(&o->tap[k], t, e);
}

static void tap_after(struct xk_sim_watcher *o, const struct xk_sim_thread *t,
                      uint32_t at)
{
    for (unsigned k = 0; k < o->watch->timing->n; k++)
        if (o->tap[k].on && o->tap[k].trace)
            xk_timing_after(&o->tap[k], t, at);
}

/* Passes over all but the last of some multiply-adds, fewer than `most`. */
static uint64_t pass_over(struct xk_sim_watcher *o, struct xk_sim_thread *t,
                          uint64_t most)
{
    const uint32_t *const omit = o->watch->omit;
    const uint32_t n =
        omit[t->ip] > 1 && omit[t->ip] <= most ? omit[t->ip] - 1 : 0;
    for (uint32_t i = 0; i < n && o->taps; i++)
        tap_after(o, t, t->ip + i);
    t->count[XK_STAT_FMA] += n;
    t->ip += n;
    return n;
}

static void watch_ahead(struct xk_sim_thread *t, uint64_t most,
                        struct xk_sim_ahead *a)
{
    struct xk_sim_watcher *const o = watcher_of(t);
    if (!o->trace && !o->watch->hits && !o->taps)
        return;
    a->sight = XK_SIM_SEEN;
    a->n = 1;
    if (o->omits)
        a->passed = pass_over(o, t, most);
}

static bool watch_before(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_watcher *const o = watcher_of(t);
    const struct xk_sim_watch *const w = o->watch;
    o->mask = o->trace || w->hits ? xk_sim_mask(t, e) : 0;
    if (o->taps && (e->stat == XK_STAT_SEND || e->stat == XK_STAT_SYNC))
        tap_before(o, t, e);
    if (o->trace)
        memcpy(o->was, t->rf, XK_RF_END_B);
    return o->trace || !w->omit || !w->omit[e - t->kernel->inst];
}

/* Also shows the changes of a send of a split message, and of a fault. */
static void tell_trace(const struct xk_sim_watcher *o,
                       const struct xk_sim_thread *t,
                       const struct xk_sim_inst *e)
{
    const struct xk_simulate_opts *const opts = o->watch->opts;
    const uint32_t *const id = t->group->id;
    struct xk_str s;
    xk_str_init(&s, &t->kernel->alloc);
    xk_str_printf(&s, "%u,%u,%u:%u 0x%04x [%08x] ", id[0], id[1], id[2],
                  t->index, e->pc_b, o->mask);
    xk_inst_print(t->kernel->platform, &e->in, &s);
    xk_str_printf(&s, "\n");
    show_changes(t, o->was, &s);
    opts->trace(opts->trace_user, xk_str_get(&s), s.len);
    xk_str_fini(&s);
}

static void watch_after(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_watcher *const o = watcher_of(t);
    const uint32_t at = (uint32_t)(e - t->kernel->inst);
    struct xk_sim_hits *const hits = o->watch->hits;
    if (o->trace)
        tell_trace(o, t, e);
    /* A thread that waits at a barrier comes again, and counts then. */
    if (hits && t->state != XK_SIM_BARRIER) {
        atomic_fetch_add_explicit(&hits[at].executed, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&hits[at].lanes,
                                  (unsigned)__builtin_popcount(o->mask),
                                  memory_order_relaxed);
    }
    if (o->taps)
        tap_after(o, t, at);
}

static const struct xk_sim_observer_ops watcher_ops = {.begin = watch_begin,
                                                       .ahead = watch_ahead,
                                                       .before = watch_before,
                                                       .after = watch_after};

enum xk_status xk_sim_watchers_create(const struct xk_sim_watch *w,
                                      const xk_sim_kernel *k,
                                      struct xk_sim_thread *t, uint32_t n,
                                      struct xk_sim_watcher **out,
                                      struct xk_error *err)
{
    const struct xk_alloc *const a = &k->alloc;
    const size_t was_b = xk_sim_watch_traces(w) ? XK_RF_END_B : 0;
    *out = NULL;
    if (!w)
        return XK_OK;
    struct xk_sim_watcher *const o =
        a->realloc(a->user, NULL, n * (sizeof *o + was_b));
    if (!o)
        return xk_sim_refuse(err, XK_ENOMEM, k->name,
                             "out of memory for those who watch threads", n);
    for (uint32_t i = 0; i < n; i++) {
        o[i] = (struct xk_sim_watcher){.observer = {&watcher_ops}, .watch = w};
        if (was_b)
            o[i].was = (uint8_t *)(o + n) + i * was_b;
        xk_sim_observe(&t[i], XK_SIM_OUTER, &o[i].observer);
    }
    *out = o;
    return XK_OK;
}
