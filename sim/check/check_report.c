/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: made, compared, sorted, told. Findings of the same check about the
 * same instructions are one finding, that of the lowest unit. Each unit knows
 * only its own findings, so that what it keeps does not depend on other
 * units. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/check/check_state.h"
#include "xekern/simulate.h"

static const struct {
    uint32_t bit;
    const char *name;
} names[] = {
    {XK_CHECK_FAULT, "fault"},
    {XK_CHECK_MEM, "mem"},
    {XK_CHECK_RACE, "race"},
    {XK_CHECK_INIT, "init"},
    {XK_CHECK_SYNC, "sync"},
    {XK_CHECK_HAZARD, "hazard"},
    {XK_CHECK_PEDANTIC, "pedantic"},
    {XK_CHECK_ALL, "all"},
    {0, "none"},
};

/* A fault is reported even if nobody asked for a check. */
XK_API const char *xk_simulate_check_at(uint32_t k)
{
    return k < sizeof names / sizeof names[0] - 1 ? names[k + 1].name : NULL;
}

const char *xk_sim_check_name(uint32_t check)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].bit == check)
            return names[i].name;
    return "?";
}

static bool one_word(const char *word, size_t n, uint32_t *bits)
{
    const char *known;
    for (uint32_t k = 0; (known = xk_simulate_check_at(k)); k++)
        if (strlen(known) == n && !memcmp(word, known, n)) {
            *bits = names[k + 1].bit;
            return true;
        }
    return false;
}

bool xk_sim_checks_parse(const char *words, uint32_t *on)
{
    uint32_t all = 0;
    for (const char *p = words;; p++) {
        const size_t n = strcspn(p, ",");
        uint32_t bits;
        if (!one_word(p, n, &bits))
            return false;
        all |= bits;
        p += n;
        if (!*p)
            break;
    }
    *on = all == XK_CHECK_PEDANTIC ? all | XK_CHECK_ALL : all;
    return true;
}

static void print_party(const struct xk_sim_party *p, char *out, size_t out_b)
{
    const uint32_t *const g = p->group;
    if (p->offset_b == UINT32_MAX)
        snprintf(out, out_b, "group %u,%u,%u thread %u", g[0], g[1], g[2],
                 p->thread);
    else
        snprintf(out, out_b, "'%s' at offset 0x%x (group %u,%u,%u thread %u)",
                 p->text, p->offset_b, g[0], g[1], g[2], p->thread);
}

static void print_data_place(const struct xk_sim_finding *f, char *out,
                             size_t out_b)
{
    if (f->n_b)
        snprintf(out, out_b, " [%s 0x%" PRIx64 ", %u bytes]", f->what,
                 f->address, f->n_b);
    else if (f->what[0])
        snprintf(out, out_b, " [%s]", f->what);
    else
        out[0] = 0;
}

void xk_sim_finding_print(const struct xk_sim_finding *f, char *out,
                          uint64_t out_b)
{
    char a[260], b[260] = "", place[80];
    print_party(&f->party[0], a, sizeof a);
    if (f->n_parties > 1)
        print_party(&f->party[1], b, sizeof b);
    print_data_place(f, place, sizeof place);
    snprintf(out, (size_t)out_b, "%s: kernel '%.64s': %s: %s%s%s%s",
             xk_sim_check_name(f->check), f->kernel, a, f->why, place,
             b[0] ? "; the other: " : "", b);
}

static void group_of(const struct xk_sim_run *r, uint64_t unit, uint32_t id[3])
{
    xk_sim_group_id(r->d, r->apart ? unit / r->d->n_threads : unit, id);
}

static void party(const struct xk_sim_run *r, const struct xk_sim_who *w,
                  struct xk_sim_party *out)
{
    struct xk_str s;
    group_of(r, w->unit, out->group);
    out->thread = w->thread;
    out->offset_b = UINT32_MAX;
    out->text[0] = 0;
    if (w->inst >= r->kernel->n)
        return;
    const struct xk_sim_inst *const e = &r->kernel->inst[w->inst];
    xk_str_init(&s, &r->kernel->alloc);
    xk_inst_print(r->kernel->platform, &e->in, &s);
    snprintf(out->text, sizeof out->text, "%.150s", xk_str_get(&s));
    xk_str_fini(&s);
    out->offset_b = e->pc_b;
}

static bool same_seen(const struct xk_check_seen *a,
                      const struct xk_check_seen *b)
{
    return a->check == b->check && a->inst[0] == b->inst[0] &&
           a->inst[1] == b->inst[1];
}

/* False if this unit has already reported it, or has reported enough. */
static bool is_new(struct xk_sim_check_work *w, const struct xk_check_seen *s)
{
    for (uint32_t i = 0; i < w->n_seen; i++)
        if (same_seen(&w->seen[i], s))
            return false;
    if (w->n_seen == XK_CHECK_UNIT_MOST)
        return false;
    w->seen[w->n_seen++] = *s;
    return true;
}

static struct xk_check_record *room_for(struct xk_sim_check_run *r,
                                        const struct xk_check_seen *s)
{
    for (size_t i = 0; i < r->n_records; i++)
        if (same_seen(&r->record[i].seen, s))
            return &r->record[i];
    if (r->n_records == r->room) {
        const size_t room = r->room ? 2 * r->room : 64;
        struct xk_check_record *const p =
            r->alloc.realloc(r->alloc.user, r->record, room * sizeof *p);
        if (!p)
            return NULL;
        r->record = p;
        r->room = room;
    }
    r->record[r->n_records].unit = UINT64_MAX;
    return &r->record[r->n_records++];
}

static void keep_record(struct xk_sim_check_run *r,
                        const struct xk_check_record *k)
{
    pthread_mutex_lock(&r->lock);
    struct xk_check_record *const at = room_for(r, &k->seen);
    if (!at)
        r->no_memory = true;
    else if (k->unit < at->unit)
        *at = *k;
    pthread_mutex_unlock(&r->lock);
}

void xk_check_record(struct xk_sim_check_work *w, uint32_t check,
                     const struct xk_sim_who *a, const struct xk_sim_who *b,
                     const struct xk_sim_place *place, const char *why)
{
    const struct xk_sim_run *const r = w->run->run;
    struct xk_check_record k = {
        .unit = w->unit, .seen = {check, {a->inst, b ? b->inst : UINT32_MAX}}};
    struct xk_sim_finding *const f = &k.finding;
    if (!is_new(w, &k.seen))
        return;
    k.order = w->n_seen;
    f->check = check;
    f->kernel = r->kernel->name;
    f->n_parties = b ? 2 : 1;
    party(r, a, &f->party[0]);
    if (b)
        party(r, b, &f->party[1]);
    if (place) {
        memcpy(f->what, place->what, sizeof f->what);
        f->address = place->address;
        f->n_b = place->n_b;
    }
    snprintf(f->why, sizeof f->why, "%s", why);
    keep_record(w->run, &k);
}

void xk_sim_check_report(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_check_about *about, const char *fmt,
                         ...)
{
    struct xk_sim_check_work *const w = xk_check_of(t)->work;
    const struct xk_sim_who me = {
        .unit = w->unit,
        .thread = t->index,
        .inst = e ? xk_sim_kernel_at(t->kernel, e->pc_b) : UINT32_MAX};
    char why[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    xk_check_record(w, about->check, &me, about->other, about->place, why);
}

static int by_unit(const void *a, const void *b)
{
    const struct xk_check_record *const x = a, *const y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

enum xk_status xk_sim_check_run_report(struct xk_sim_check_run *c,
                                       uint64_t last, enum xk_status s,
                                       struct xk_error *err)
{
    const struct xk_sim_checks *const k = &c->run->d->check;
    const size_t most = k->most ? k->most : XK_SIM_MAX_FINDINGS;
    size_t n = 0;
    if (c->n_records)
        qsort(c->record, c->n_records, sizeof *c->record, by_unit);
    while (n < c->n_records && n < most && c->record[n].unit <= last) {
        if (k->found)
            k->found(k->user, &c->record[n].finding);
        n++;
    }
    if (c->no_memory && s == XK_OK) {
        err->status = XK_ENOMEM;
        snprintf(err->message, sizeof err->message,
                 "sim: kernel '%.100s': out of memory for checks",
                 c->run->kernel->name);
        return XK_ENOMEM;
    }
    if (!n)
        return s;
    err->status = XK_EFAULT;
    xk_sim_finding_print(&c->record[0].finding, err->message,
                         sizeof err->message);
    return XK_EFAULT;
}
