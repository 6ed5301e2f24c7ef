/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_core.h"

#include <string.h>

#include "sim/timing/timing_unit.h"

const char *xk_tm_cause_name(enum xk_tm_cause c)
{
    static const char *const names[XK_TM_CAUSES] = {
#define XK_TM_CAUSE(id, word, text) word,
#include "sim/timing/timing_cause.def"
#undef XK_TM_CAUSE
    };
    return c < XK_TM_CAUSES ? names[c] : "?";
}

/* ---- units ---- */

static uint32_t core_slot_of(const struct xk_tm_core *c,
                             const struct xk_tm_thread *t)
{
    return (uint32_t)(t - c->thread) % c->n_slots;
}

/* Whether t has to wait for another thread's Atomic chain to end. A thread that
 * waits in a barrier keeps nobody out. */
static bool kept_out(const struct xk_tm_core *c, const struct xk_tm_unit *u,
                     const struct xk_tm_thread *t)
{
    if (!u->holder || u->holder == t || u->holder->blocked)
        return false;
    return c->m->chain_holds == XK_TM_HOLDS_ISSUE ||
           c->inst[t->next].port == c->inst[u->holder->next].port;
}

static uint64_t issue_time(const struct xk_tm_core *c,
                           const struct xk_tm_unit *u,
                           const struct xk_tm_thread *t)
{
    uint64_t s;
    if (t->blocked || kept_out(c, u, t))
        return XK_TM_NEVER;
    s = xk_tm_later(t->ready, u->free[c->inst[t->next].port]);
    s = xk_tm_later(s, u->cycle); /* time does not go back */
    return s == u->cycle && u->in_cycle >= c->m->issue_width ? s + 1 : s;
}

void xk_tm_schedule(const struct xk_tm_core *c, struct xk_tm_unit *u)
{
    uint64_t next = XK_TM_NEVER;
    for (uint32_t k = 0; k < c->n_slots; k++) {
        const struct xk_tm_thread *const t = u->slot[k];
        const uint64_t s = t ? issue_time(c, u, t) : XK_TM_NEVER;
        u->when[k] = s;
        next = s < next ? s : next;
    }
    u->next = next;
}

/* How many turns t is behind the thread that issued last on the port of t's
 * next instruction; 0: it is that thread. */
static uint32_t turns(const struct xk_tm_core *c, const struct xk_tm_unit *u,
                      const struct xk_tm_thread *t)
{
    const uint32_t last = u->last[c->inst[t->next].port];
    return (core_slot_of(c, t) + c->n_slots - last) % c->n_slots;
}

/* Whether a goes before b, of two that can issue now. */
static bool goes_before(const struct xk_tm_core *c, const struct xk_tm_unit *u,
                        const struct xk_tm_thread *a,
                        const struct xk_tm_thread *b)
{
    switch (c->m->arbitration) {
    case XK_TM_OLDEST:
        return a->age < b->age;
    case XK_TM_LONGEST_READY:
        return a->ready < b->ready;
    case XK_TM_AFTER_STALL:
        return turns(c, u, a) < turns(c, u, b);
    default:
        return false;
    }
}

/* The thread to issue, of those that can issue now; equal ones go in turn. */
static struct xk_tm_thread *choose_thread(struct xk_tm_core *c,
                                          struct xk_tm_unit *u)
{
    uint32_t best = XK_TM_UNIT_THREADS, k = u->turn;
    for (uint32_t n = 0; n < c->n_slots; n++) {
        k = k + 1 < c->n_slots ? k + 1 : 0;
        if (u->when[k] != u->next)
            continue;
        if (best == XK_TM_UNIT_THREADS ||
            goes_before(c, u, u->slot[k], u->slot[best]))
            best = k;
    }
    u->turn = best;
    return u->slot[best];
}

/* ---- accounts ---- */

static enum xk_tm_cause busy_cause(const struct xk_tm_core *c, unsigned port)
{
    if (port == c->m->port_xmx)
        return XK_TM_AT_BUSY_XMX;
    if (port == c->m->port_math && port != c->m->port_int)
        return XK_TM_AT_BUSY_MATH;
    return XK_TM_AT_BUSY_ALU;
}

/* Accounts the unit's cycles up to `to`: first its pipes at work, then `cause`.
 * Returns the cycles in which it did nothing. */
static uint64_t account(struct xk_tm_core *c, struct xk_tm_unit *u, uint64_t to,
                        enum xk_tm_cause cause)
{
    uint64_t busy = 0;
    unsigned port = 0;
    if (u->accounted >= to)
        return 0;
    for (unsigned k = 0; k < XK_TM_NO_PORT; k++)
        if (k != c->m->port_send && u->free[k] > busy) {
            busy = u->free[k];
            port = k;
        }
    busy = busy > to ? to : busy;
    if (busy > u->accounted) {
        c->out->at[busy_cause(c, port)] += busy - u->accounted;
        u->accounted = busy;
    }
    const uint64_t rest = to - u->accounted;
    c->out->at[cause] += rest;
    u->accounted = to;
    return rest;
}

static void account_issue(struct xk_tm_core *c, struct xk_tm_unit *u,
                          struct xk_tm_thread *t, uint64_t now)
{
    struct xk_tm_line *const l = &c->out->line[t->next];
    const uint64_t ready = t->ready < now ? t->ready : now;
    const unsigned n = (t->halves & 1) + (t->halves >> 1);
    l->executed += n;
    l->issued++;
    c->out->instructions += n;
    if (ready > t->free)
        l->waited[t->cause] += ready - t->free;
    l->waited[XK_TM_AT_PORT] += now - ready;
    l->exposed += account(
        c, u, now, now > ready && t->ready != now ? XK_TM_AT_PORT : t->cause);
    if (u->accounted == now) {
        c->out->at[XK_TM_AT_ISSUE]++;
        u->accounted = now + 1;
    }
    u->in_cycle = u->cycle == now ? u->in_cycle + 1 : 1;
    u->cycle = now;
}

/* ---- groups ---- */

static void place_core_thread(struct xk_tm_core *c, uint32_t group, uint32_t k)
{
    const struct xk_timing_record *const r = c->r;
    const uint32_t fused = c->m->fused;
    const struct xk_tm_trace *const s =
        &r->trace[(size_t)group * r->n_threads + k * fused];
    uint32_t best = 0;
    for (uint32_t u = 1; u < c->n_units; u++)
        if (c->unit[u].n_free > c->unit[best].n_free)
            best = u;
    struct xk_tm_unit *const u = &c->unit[best];
    uint32_t slot = 0;
    while (u->slot[slot])
        slot++;
    struct xk_tm_thread *const t = &c->thread[best * c->n_slots + slot];
    *t = (struct xk_tm_thread){.used = true,
                               .group = group,
                               .unit = best,
                               .age = c->age++,
                               .cause = XK_TM_AT_LAUNCH};
    for (uint32_t h = 0; h < fused && k * fused + h < r->n_threads; h++) {
        t->at[h] = s[h].word;
        t->end[h] = s[h].word + s[h].n;
    }
    u->slot[slot] = t;
    u->n_free--;
    c->launcher = xk_tm_later(c->launcher, c->now) + c->m->launch_cyc;
    t->free = c->now;
    t->ready = c->launcher + c->m->lat_launch;
    xk_tm_prepare(c, t);
    xk_tm_schedule(c, u);
}

static uint32_t free_slots(const struct xk_tm_core *c)
{
    uint32_t n = 0;
    for (uint32_t u = 0; u < c->n_units; u++)
        n += c->unit[u].n_free;
    return n;
}

static void launch_groups(struct xk_tm_core *c)
{
    const struct xk_timing_record *const r = c->r;
    while (c->n_launched < r->n_traced && c->live_groups < r->resident &&
           free_slots(c) >= r->slots) {
        const uint32_t g = c->n_launched++;
        c->group[g].launched = c->now;
        c->group[g].live = r->slots;
        c->live_groups++;
        for (uint32_t k = 0; k < r->slots; k++)
            place_core_thread(c, g, k);
    }
}

static void end_thread(struct xk_tm_core *c, struct xk_tm_thread *t,
                       uint64_t now)
{
    struct xk_tm_unit *const u = &c->unit[t->unit];
    struct xk_tm_group *const g = &c->group[t->group];
    u->slot[core_slot_of(c, t)] = NULL;
    u->n_free++;
    t->used = false;
    if (u->holder == t)
        u->holder = NULL;
    c->out->cycles = xk_tm_later(c->out->cycles, now + 1);
    if (--g->live)
        return;
    c->out->group_work[c->n_ended] = c->out->instructions;
    c->out->group_end[c->n_ended++] = now + 1;
    c->live_groups--;
    launch_groups(c);
}

/* ---- an instruction ---- */

static void note_result(struct xk_tm_core *c, struct xk_tm_thread *t,
                        const struct xk_tm_inst *i, uint64_t now)
{
    const uint64_t done = now + i->lat_cyc;
    if (i->order < XK_TM_ORDERS)
        t->done[i->order][t->n_done[i->order]++ % XK_TM_RING] = done;
    if (i->set >= 0 && i->pipe != XK_TM_SEND)
        t->token[i->set] = (struct xk_tm_token){
            .read = now + i->busy_cyc,
            .done = done,
            .cause = i->kind == XK_TM_DPAS ? XK_TM_AT_XMX : XK_TM_AT_MATH};
    (void)c;
}

/* Whether the next instruction is not the one behind the branch. */
static bool jumps(const struct xk_tm_thread *t)
{
    for (unsigned h = 0; h < 2; h++)
        if (t->at[h] < t->end[h] && XK_TM_INDEX(*t->at[h]) != t->next + 1)
            return true;
    return false;
}

static void advance_traces(struct xk_tm_thread *t)
{
    for (unsigned h = 0; h < 2; h++)
        if (t->halves >> h & 1)
            t->at[h] += 1 + XK_TM_EXTRA(*t->at[h]);
}

/* How long the port is taken: the array may have to take another src1. */
static uint32_t busy_cycles(const struct xk_tm_core *c, struct xk_tm_unit *u,
                            const struct xk_tm_thread *t,
                            const struct xk_tm_inst *i)
{
    const uint64_t src1 = t->age << 16 | i->src1;
    if (i->kind != XK_TM_DPAS || u->in_array == src1)
        return i->busy_cyc;
    u->in_array = src1;
    return i->busy_cyc + c->m->xmx_src1_cyc;
}

static void issue_inst(struct xk_tm_core *c, struct xk_tm_unit *u,
                       struct xk_tm_thread *t)
{
    const struct xk_tm_inst *const i = &c->inst[t->next];
    const uint64_t now = u->next;
    c->now = now;
    account_issue(c, u, t, now);
    u->last[i->port] = core_slot_of(c, t);
    if (c->m->chain_holds && i->atomic)
        u->holder = t;
    else if (u->holder == t)
        u->holder = NULL;
    if (i->port != XK_TM_NO_PORT)
        u->free[i->port] = now + busy_cycles(c, u, t, i);
    if (i->pipe == XK_TM_SEND)
        xk_tm_send(c, t, i, now);
    note_result(c, t, i, now);
    advance_traces(t);
    t->free = now + c->m->thread_gap_cyc;
    t->ready = t->free;
    t->cause = XK_TM_AT_ISSUE;
    if (i->kind == XK_TM_BRANCH && (!i->joins || jumps(t)))
        xk_tm_wait_for(t, now + c->m->lat_branch, XK_TM_AT_BRANCH);
    if (t->at[0] >= t->end[0] && t->at[1] >= t->end[1])
        end_thread(c, t, now);
    else
        xk_tm_prepare(c, t);
    xk_tm_schedule(c, u);
}

/* ---- the whole ---- */

static void give(const struct xk_timing_record *r, void *p)
{
    r->alloc.realloc(r->alloc.user, p, 0);
}

static enum xk_status open_core(struct xk_tm_core *c,
                                const struct xk_timing_record *r,
                                const struct xk_timing_product *m,
                                struct xk_tm_result *out)
{
    const uint32_t n = r->kernel->n + 1;
    c->r = r;
    c->m = m;
    c->out = out;
    c->n_units = m->xves / m->fused;
    c->n_slots = r->kernel->grf_count > 128 ? m->threads / 2 : m->threads;
    if (c->n_units > XK_TM_MAX_UNITS || c->n_slots > XK_TM_UNIT_THREADS)
        return XK_EINVAL;
    out->units = c->n_units;
    out->line = xk_alloc_zeroed(&r->alloc, n * sizeof *out->line);
    out->group_end =
        xk_alloc_zeroed(&r->alloc, (r->n_traced + 1) * sizeof *out->group_end);
    out->group_work =
        xk_alloc_zeroed(&r->alloc, (r->n_traced + 1) * sizeof *out->group_work);
    c->group = xk_alloc_zeroed(&r->alloc, (r->n_traced + 1) * sizeof *c->group);
    c->thread = xk_alloc_zeroed(&r->alloc, (size_t)c->n_units * c->n_slots *
                                               sizeof *c->thread);
    if (!out->line || !out->group_end || !out->group_work || !c->group ||
        !c->thread || xk_tm_insts_create(m, r->kernel, &out->inst) < 0 ||
        xk_tm_code_init(&c->code, r, m) < 0 ||
        xk_tm_memory_init(&c->memory, r, m) < 0)
        return XK_ENOMEM;
    c->inst = out->inst;
    for (uint32_t u = 0; u < c->n_units; u++) {
        c->unit[u].n_free = c->n_slots;
        c->unit[u].next = XK_TM_NEVER;
    }
    return XK_OK;
}

static struct xk_tm_unit *first_unit(struct xk_tm_core *c)
{
    struct xk_tm_unit *best = &c->unit[0];
    for (uint32_t u = 1; u < c->n_units; u++)
        if (c->unit[u].next < best->next)
            best = &c->unit[u];
    return best;
}

/* False if nothing can go on although something should. */
static bool replay(struct xk_tm_core *c)
{
    launch_groups(c);
    for (;;) {
        struct xk_tm_unit *const u = first_unit(c);
        if (u->next == XK_TM_NEVER)
            break;
        issue_inst(c, u, choose_thread(c, u));
    }
    c->out->cycles =
        xk_tm_later(c->out->cycles, (uint64_t)(c->memory.settled + 1));
    for (uint32_t u = 0; u < c->n_units; u++)
        account(c, &c->unit[u], c->out->cycles, XK_TM_AT_IDLE);
    return c->n_ended == c->r->n_traced;
}

void xk_tm_result_fini(const struct xk_timing_record *r,
                       struct xk_tm_result *out)
{
    give(r, out->line);
    give(r, out->group_end);
    give(r, out->group_work);
    xk_tm_insts_destroy(r->kernel, out->inst);
    memset(out, 0, sizeof *out);
}

enum xk_status xk_timing_core_run(const struct xk_timing_record *r,
                                  const struct xk_timing_product *m,
                                  struct xk_tm_result *out,
                                  struct xk_error *err)
{
    const char *const name = r->kernel->name;
    memset(out, 0, sizeof *out);
    struct xk_tm_core *const c = xk_alloc_zeroed(&r->alloc, sizeof *c);
    enum xk_status s = c ? open_core(c, r, m, out) : XK_ENOMEM;
    const bool ended = s == XK_OK && replay(c);
    if (c) {
        out->traffic = c->memory.traffic;
        if (c->memory.no_memory || atomic_load(&r->no_memory))
            s = XK_ENOMEM;
        xk_tm_memory_fini(&c->memory);
        xk_tm_code_fini(&c->code);
        give(r, c->group);
        give(r, c->thread);
        give(r, c);
    }
    if (s == XK_ENOMEM)
        return xk_sim_refuse(err, s, name, "timing: out of memory, groups",
                             r->n_traced);
    if (s < 0)
        return xk_sim_refuse(err, s, name,
                             "timing: the product has too many XVEs or threads",
                             m->xves);
    if (!ended)
        return xk_sim_refuse(err, XK_EINTERNAL, name,
                             "timing: threads wait for each other, ended", 0);
    return XK_OK;
}
