/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/exec/select.h"
#include "sim/check/hazard_hook.h"

#include <stdio.h>

#include "sim/check/check_state.h"
#include "sim/hazard/hazard_check.h"
#include "sim/hazard/hazard_late.h"
#include "sim/hazard/hazard_memo.h"
#include "sim/core/sim_operand.h"

#define MOST_OPEN 16

/* State of an EU thread. What follows the static part exists only with a
 * seed. */
struct state {
    struct xk_hz_thread th;
    struct xk_hz_node *node; /* what is in flight; NULL: it is in th */
    struct xk_sim_thread *t;
    const struct xk_sim_inst *e; /* in hand */
    bool waits;                  /* e was seen, and is to come again */
    /* Loads from local memory that e may overtake, if they meet. */
    unsigned n_open;
    struct xk_hz_finding open[MOST_OPEN];
    struct xk_hz_late late;
};

enum xk_status xk_sim_hazard_prepare(struct xk_sim_kernel *k)
{
    const struct xk_alloc *const a = &k->alloc;
    struct xk_hz_line *const line =
        a->realloc(a->user, NULL, k->n * sizeof *line);
    struct xk_hz_table *const t = a->realloc(a->user, NULL, sizeof *t);
    enum xk_status s = XK_ENOMEM;
    for (uint32_t n = 0; line && n < k->n; n++) {
        const struct xk_sim_inst *const e = &k->inst[n];
        const bool known = n + 1 < k->n && e->fn != xk_sim_exec_undecodable;
        line[n] = (struct xk_hz_line){
            .in = known ? &e->in : NULL, .jip = e->jip, .uip = e->uip};
    }
    if (line && t)
        s = xk_hz_table_init(t, a, k->platform, line, k->n);
    a->realloc(a->user, line, 0);
    if (s == XK_OK)
        k->noted = t;
    else
        a->realloc(a->user, t, 0);
    return s;
}

void xk_sim_hazard_forget(struct xk_sim_kernel *k)
{
    if (!k->noted)
        return;
    xk_hz_table_fini(xk_hz_table_of(k));
    k->alloc.realloc(k->alloc.user, k->noted, 0);
    k->noted = NULL;
}

static void report_hazard(const struct state *s, const struct xk_hz_finding *f)
{
    struct xk_sim_thread *const t = s->t;
    const struct xk_sim_who other = {.unit = xk_check_of(t)->work->unit,
                                     .thread = t->index,
                                     .inst = f->first};
    struct xk_sim_place place = {0};
    char why[200];
    xk_hz_explain(xk_hz_table_of(t->kernel), f, why, sizeof why);
    if (f->kind == XK_HZ_SLM)
        snprintf(place.what, sizeof place.what, "SLM");
    else
        xk_hz_name(t->kernel->platform, f->begin, place.what,
                   sizeof place.what);
    xk_sim_check_report(
        t, s->e, &(struct xk_check_about){XK_CHECK_HAZARD, &other, &place},
        "%s", why);
}

/* A store that may overtake a load from local memory: which bytes it touches is
 * known once it is executed. */
static void tell_hazard(void *user, const struct xk_hz_finding *f)
{
    struct state *const s = user;
    if (f->kind == XK_HZ_SLM && s->e->msg.op != XK_MOP_FENCE &&
        s->n_open < MOST_OPEN)
        s->open[s->n_open++] = *f;
    else
        report_hazard(s, f);
}

static void judge_open(struct state *s)
{
    for (unsigned k = 0; k < s->n_open; k++)
        if (xk_check_slm_meet(xk_check_of(s->t), s->open[k].first,
                              s->open[k].second))
            report_hazard(s, &s->open[k]);
    s->n_open = 0;
}

static bool is_random(const struct xk_sim_run *r)
{
    return r->d->check.hazard_seed;
}

static size_t state_b(const struct xk_sim_run *r)
{
    return is_random(r) ? sizeof(struct state) : offsetof(struct state, late);
}

static void *work_create(const struct xk_sim_run *r)
{
    return is_random(r) ? NULL
                        : xk_hz_memo_create(xk_hz_table_of(r->kernel),
                                            r->d->check.hazard_strict);
}

static void work_destroy(void *work)
{
    xk_hz_memo_destroy(work);
}

static void hazard_start(struct xk_sim_thread *t, void *state)
{
    struct state *const s = state;
    const struct xk_sim_run *const r = t->group->run;
    struct xk_hz_memo *const m = xk_check_of(t)->work->extra;
    const bool strict = r->d->check.hazard_strict;
    s->t = t;
    s->waits = false;
    s->n_open = 0;
    s->node = m ? xk_hz_memo_begin(m, t->ip) : NULL;
    s->th.strict = strict;
    if (!s->node) {
        memset(&s->th, 0, sizeof s->th);
        xk_hz_thread_begin(&s->th, t->ip, strict);
    }
    s->th.report = tell_hazard;
    s->th.user = s;
    if (is_random(r)) {
        memset(&s->late, 0, sizeof s->late);
        xk_hz_late_begin(&s->late, t, xk_check_of(t)->work->unit);
    }
}

/* th holds what is in flight. */
static void spread_out(struct state *s)
{
    if (s->node)
        xk_hz_memo_restore(s->node, &s->th);
    s->node = NULL;
}

static int64_t hazard_ahead(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e, uint64_t most,
                            void *state)
{
    struct state *const s = state;
    struct xk_hz_memo *const m = xk_check_of(t)->work->extra;
    const uint32_t at = (uint32_t)(e - t->kernel->inst);
    const bool dynamic = xk_hz_table_of(t->kernel)->inst[at].is_dynamic;
    struct xk_hz_node *next = NULL;
    if (s->waits && s->e == e)
        return m ? 1 : -1;
    s->waits = false;
    if (!m)
        return -(int64_t)most;
    const uint32_t all = xk_hz_memo_row(m, at);
    const struct xk_hz_row row = {.at = at,
                                  .n = all < most ? all : (uint32_t)most,
                                  .mask = dynamic ? xk_sim_mask(t, e) : 0,
                                  .a0 = t->rf + XK_RF_A0};
    if (!s->node)
        s->node = xk_hz_memo_find(m, &s->th);
    if (s->node)
        next = xk_hz_memo_next(m, s->node, &row, &s->th);
    if (!next) {
        spread_out(s);
        return -(int64_t)row.n;
    }
    s->node = next;
    s->e = e + row.n - 1;
    s->waits = s->e->in.op == XK_OPC_SYNC || s->e->in.op == XK_OPC_DPASW;
    return row.n;
}

static void hazard_before(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                          uint32_t mask, void *state)
{
    struct state *const s = state;
    const uint32_t at = (uint32_t)(e - t->kernel->inst);
    if (s->waits && s->e == e)
        return;
    s->e = e;
    s->waits = true;
    spread_out(s);
    if (is_random(t->group->run))
        xk_hz_late_before(&s->late, at, mask);
    else
        xk_hz_step(xk_hz_table_of(t->kernel), &s->th, at, mask,
                   t->rf + XK_RF_A0);
}

/* Only the second thread of a pair is told of a dpasw. */
static void late_after(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       struct state *s)
{
    const uint32_t at = (uint32_t)(e - t->kernel->inst);
    if (e->in.op != XK_OPC_DPASW) {
        xk_hz_late_after(&s->late, at);
        return;
    }
    struct state *const other =
        xk_check_of(&t->group->thread[t->index ^ 1])->extra;
    other->waits = false;
    xk_hz_late_after_both(&s->late, &other->late, at);
}

static void hazard_after(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint32_t mask, void *state)
{
    struct state *const s = state;
    (void)mask;
    s->waits = false;
    judge_open(s);
    if (is_random(t->group->run))
        late_after(t, e, s);
}

const struct xk_sim_checker xk_sim_hazard_checker = {
    .check = XK_CHECK_HAZARD,
    .state_b = state_b,
    .work_create = work_create,
    .work_destroy = work_destroy,
    .ahead = hazard_ahead,
    .start = hazard_start,
    .before = hazard_before,
    .after = hazard_after,
};
