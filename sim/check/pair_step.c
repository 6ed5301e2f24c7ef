/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread of a pair goes on, and what the fused mask is. Channels that
 * wait never lie behind the current place, except around a loop. So going on
 * with the lower instruction walks both sides of a branch as one instruction
 * pointer would. */
#include "isa/format.h"
#include "sim/check/pair.h"

#include "sim/check/check_state.h"
#include "sim/core/sim_operand.h"

static bool is_call(const struct xk_sim_inst *e)
{
    return e->in.op == XK_OPC_CALL || e->in.op == XK_OPC_CALLA;
}

/* An instruction after which the threads may be at different places, or in
 * different states. */
static bool ends_stretch(const struct xk_sim_inst *e)
{
    return xk_inst_is_branch(&e->in) || e->in.op == XK_OPC_SYNC ||
           e->in.op == XK_OPC_DPASW || e->in.op == XK_OPC_ILLEGAL ||
           (xk_inst_is_send(&e->in) &&
            (e->in.send.eot || e->in.send.sfid == XK_SFID_GTWY));
}

static bool can_part(const struct xk_sim_kernel *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (xk_inst_is_branch(&k->inst[i].in) &&
            (k->inst[i].pred || is_call(&k->inst[i])))
            return true;
    return false;
}

static bool has_dpasw(const struct xk_sim_kernel *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->inst[i].in.op == XK_OPC_DPASW)
            return true;
    return false;
}

bool xk_pair_wanted(const struct xk_sim_run *r)
{
    const struct xk_sim_checks *const c = &r->d->check;
    if (!r->kernel->platform->fused_eu || r->d->n_threads < 2)
        return false;
    if (c->hazard_seed && c->on & XK_CHECK_HAZARD)
        return has_dpasw(r->kernel);
    return c->on & XK_CHECK_SYNC && can_part(r->kernel);
}

static bool sticks(const struct xk_platform *p)
{
    static const bool rows[XK_PLATFORM_XEHPC + 1] = {
#define XK_PAIR_PLATFORM(id, sticks) [XK_PLATFORM_##id] = sticks,
#define XK_PAIR_TOGETHER(op)
#include "sim/check/pair_fuse.def"
#undef XK_PAIR_PLATFORM
#undef XK_PAIR_TOGETHER
    };
    return (unsigned)p->id <= XK_PLATFORM_XEHPC && rows[p->id];
}

static bool is_together(const struct xk_sim_inst *e)
{
    static const uint8_t ops[] = {
#define XK_PAIR_PLATFORM(id, sticks)
#define XK_PAIR_TOGETHER(op) XK_OPC_##op,
#include "sim/check/pair_fuse.def"
#undef XK_PAIR_PLATFORM
#undef XK_PAIR_TOGETHER
    };
    for (size_t i = 0; i < sizeof ops; i++)
        if (e->in.op == ops[i])
            return true;
    return false;
}

bool xk_pairs_create(struct xk_sim_check_work *w)
{
    const struct xk_sim_run *const r = w->run->run;
    const struct xk_sim_kernel *const k = r->kernel;
    const struct xk_alloc *const a = &w->run->alloc;
    if (!r->pairs)
        return true;
    struct xk_pairs *const s = xk_alloc_zeroed(a, sizeof *s);
    if (!s)
        return false;
    w->pairs = s;
    s->alloc = *a;
    s->n = r->d->n_threads / 2;
    s->strict = r->d->check.hazard_strict;
    s->sticks = sticks(k->platform);
    s->fine = r->d->check.hazard_seed && r->d->check.on & XK_CHECK_HAZARD;
    s->stretch = xk_alloc_zeroed(a, k->n * sizeof *s->stretch);
    s->pair = xk_alloc_zeroed(a, s->n * sizeof *s->pair);
    for (uint32_t i = k->n; s->stretch && i--;)
        s->stretch[i] = s->fine || i + 1 == k->n || ends_stretch(&k->inst[i])
                            ? 1
                            : s->stretch[i + 1] + 1;
    return s->stretch && s->pair;
}

void xk_pairs_destroy(struct xk_sim_check_work *w)
{
    struct xk_pairs *const s = w->pairs;
    if (!s)
        return;
    const struct xk_alloc a = s->alloc;
    for (uint32_t i = 0; s->pair && i < s->n; i++)
        for (unsigned k = 0; k < 2; k++)
            a.realloc(a.user, s->pair[i].wrong[k], 0);
    a.realloc(a.user, s->stretch, 0);
    a.realloc(a.user, s->pair, 0);
    a.realloc(a.user, s, 0);
    w->pairs = NULL;
}

void xk_pairs_begin(struct xk_sim_check_work *w)
{
    struct xk_pairs *const s = w->pairs;
    for (uint32_t i = 0; s && i < s->n; i++) {
        struct xk_pair *const p = &s->pair[i];
        struct xk_pair_wrong *const keep[2] = {p->wrong[0], p->wrong[1]};
        *p = (struct xk_pair){.all = s, .on = 3, .mask = 3};
        for (unsigned k = 0; k < 2; k++) {
            p->t[k] = &w->threads[2 * i + k];
            p->wrong[k] = keep[k];
            if (keep[k]) {
                keep[k]->n = 0;
                memset(keep[k]->bits, 0, sizeof keep[k]->bits);
            }
        }
    }
}

/* ---- executing ---- */

static const struct xk_sim_inst *next_of(const struct xk_sim_thread *t)
{
    return &t->kernel->inst[t->ip];
}

static bool is_alive(const struct xk_sim_thread *t)
{
    return t->state != XK_SIM_DONE && t->state != XK_SIM_FAULT;
}

/* A call or return that was taken: it left the common path. */
static void note_depth(struct xk_pair *p, unsigned who,
                       const struct xk_sim_inst *e, uint32_t at)
{
    const struct xk_sim_thread *const t = p->t[who];
    if (t->ip == at + 1)
        return;
    if (is_call(e))
        p->depth[who]++;
    else if (e->in.op == XK_OPC_RET && p->depth[who])
        p->depth[who]--;
}

/* n instructions of one thread, the last of which may be a branch. */
static void run_one_thread(struct xk_pair *p, unsigned who, uint64_t n)
{
    struct xk_sim_thread *const t = p->t[who];
    const uint32_t last = t->ip + (uint32_t)n - 1;
    const struct xk_sim_inst *const e = &t->kernel->inst[last];
    while (n && t->state == XK_SIM_RUN && p->wrong[who] && p->wrong[who]->n) {
        xk_pair_careful(p, who);
        n--;
    }
    if (n && t->state == XK_SIM_RUN)
        xk_sim_thread_step(t, n);
    if (xk_inst_is_branch(&e->in))
        note_depth(p, who, e, last);
}

/* Moves a thread whose channels all sleep from join to join. */
static void settle_joins(struct xk_pair *p, unsigned who)
{
    const struct xk_sim_thread *const t = p->t[who];
    while (t->state == XK_SIM_RUN && !t->active &&
           xk_inst_is_branch(&next_of(t)->in))
        run_one_thread(p, who, 1);
}

/* The threads that are at the place where the pair is now. */
static uint8_t who_is_here(const struct xk_pair *p)
{
    const struct xk_sim_thread *const a = p->t[0], *const b = p->t[1];
    if (!is_alive(a) || !is_alive(b))
        return (uint8_t)(is_alive(a) | is_alive(b) << 1);
    if (p->depth[0] != p->depth[1])
        return p->depth[0] > p->depth[1] ? 1 : 2;
    return a->ip == b->ip ? 3 : a->ip < b->ip ? 1 : 2;
}

static void report_pair(struct xk_pair *p, unsigned who,
                        const struct xk_sim_inst *e, const char *why)
{
    struct xk_sim_thread *const t = p->t[who];
    const struct xk_sim_thread *const o = p->t[!who];
    const struct xk_sim_who other = {.unit = xk_check_of(t)->work->unit,
                                     .thread = o->index,
                                     .inst = is_alive(o) ? o->ip : UINT32_MAX};
    if (!p->all->fine)
        xk_sim_check_report(
            t, e, &(struct xk_check_about){XK_CHECK_SYNC, &other, NULL}, "%s",
            why);
}

static void parts(struct xk_pair *p, const struct xk_sim_inst *e)
{
    p->parted = (uint32_t)(e - p->t[0]->kernel->inst);
    p->alone = 0;
    if (is_together(e))
        report_pair(p, 0, e,
                    "the threads of a fused pair go different ways here, where "
                    "they can go one way only");
    else if (p->all->strict)
        report_pair(
            p, 0, e,
            "a fused pair parts: the condition is not the same for both "
            "threads");
}

/* The mask after e, after which the threads of `on` are at the new place.
 * Leaving comes before arriving; only an else is both at once. */
static void set_mask(struct xk_pair *p, const struct xk_sim_inst *e, uint8_t on)
{
    uint8_t left = p->mask & (uint8_t) ~(p->on & ~on);
    if (!left && e->in.op != XK_OPC_ELSE && p->all->sticks &&
        (p->mask == 1 || p->mask == 2))
        left = p->mask;
    p->mask = left | on;
    p->on = on;
}

/* e was executed for all that were on. */
static void branched(struct xk_pair *p, const struct xk_sim_inst *e)
{
    for (unsigned who = 0; who < 2; who++)
        settle_joins(p, who);
    const uint8_t on = who_is_here(p);
    if (p->on == 3 && on != 3 && is_alive(p->t[0]) && is_alive(p->t[1]))
        parts(p, e);
    set_mask(p, e, on);
}

/* ---- both ---- */

static void refresh_barrier(struct xk_sim_thread *t)
{
    if (t->state == XK_SIM_BARRIER && xk_sim_barrier_done(t))
        t->state = XK_SIM_RUN;
}

/* How many instructions were executed. A thread that waits is behind the other
 * one until it can go on; the two have not parted. */
static uint64_t step_both(struct xk_pair *p)
{
    const uint8_t here = who_is_here(p);
    const uint32_t at = p->t[here & 1 ? 0 : 1]->ip;
    const uint64_t n = p->all->stretch[at];
    const struct xk_sim_inst *const e =
        &p->t[0]->kernel->inst[at + (uint32_t)n - 1];
    uint64_t done = 0;
    for (unsigned who = 0; who < 2; who++) {
        struct xk_sim_thread *const t = p->t[who];
        refresh_barrier(t);
        if (here >> who & 1 && t->state == XK_SIM_RUN) {
            run_one_thread(p, who, n);
            done += n;
        }
    }
    if (done && xk_inst_is_branch(&e->in) && here == 3)
        branched(p, e);
    else if (done && !(is_alive(p->t[0]) && is_alive(p->t[1])))
        p->on = p->mask = who_is_here(p);
    return done;
}

/* ---- one ---- */

/* Whether e belongs to the channels of neither thread, or acts once for
 * both. */
static bool may_stray(const struct xk_sim_inst *e)
{
    return e->no_mask && !xk_inst_is_branch(&e->in) &&
           e->in.op != XK_OPC_SYNC && e->in.op != XK_OPC_NOP &&
           e->in.op != XK_OPC_ILLEGAL;
}

static bool strays(const struct xk_pair *p, unsigned who)
{
    return !p->all->fine && is_alive(p->t[who]) &&
           (p->all->strict || p->mask >> who & 1);
}

static void run_with_stray(struct xk_pair *p, unsigned who, uint64_t n)
{
    struct xk_sim_thread *const t = p->t[who];
    for (; n && t->state == XK_SIM_RUN; n--) {
        const struct xk_sim_inst *const e = next_of(t);
        run_one_thread(p, who, 1);
        if (may_stray(e))
            xk_pair_stray(p, !who, e);
    }
}

static uint64_t step_one(struct xk_pair *p, unsigned who)
{
    struct xk_sim_thread *const t = p->t[who], *const o = p->t[!who];
    const bool meet = is_alive(o) && p->depth[who] == p->depth[!who];
    uint64_t n = p->all->stretch[t->ip];
    refresh_barrier(t);
    if (t->state != XK_SIM_RUN)
        return 0;
    if (meet && o->ip > t->ip && o->ip - t->ip < n)
        n = o->ip - t->ip;
    const struct xk_sim_inst *const e = &t->kernel->inst[t->ip + n - 1];
    if (strays(p, !who))
        run_with_stray(p, who, n);
    else
        run_one_thread(p, who, n);
    p->alone += n;
    if (t->state == XK_SIM_PAIR) {
        report_pair(p, who, e,
                    "dpasw while the other thread of the pair is elsewhere");
        p->loose = true;
    }
    if (xk_inst_is_branch(&e->in) || !is_alive(t) || who_is_here(p) == 3)
        branched(p, e);
    return n;
}

/* ---- a turn ---- */

static bool step_loose(struct xk_pair *p, uint64_t most)
{
    bool moved = false;
    for (unsigned who = 0; who < 2; who++) {
        struct xk_sim_thread *const t = p->t[who];
        if (p->t[0]->state == XK_SIM_FAULT)
            break;
        refresh_barrier(t);
        if (t->state == XK_SIM_RUN) {
            xk_sim_thread_step(t, most);
            moved = true;
        }
    }
    return moved;
}

static uint64_t step_once(struct xk_pair *p)
{
    if (p->on == 3 || !p->on)
        return step_both(p);
    return step_one(p, p->on >> 1);
}

bool xk_pair_step(struct xk_sim_thread *even, uint64_t most)
{
    const struct xk_sim_check_work *const w = xk_check_of(even)->work;
    struct xk_pair *const p = &w->pairs->pair[even->index / 2];
    uint64_t done = 0;
    while (!p->loose && done < 2 * most && who_is_here(p)) {
        const uint64_t n = step_once(p);
        done += n;
        if (!n || even->state == XK_SIM_FAULT || p->t[1]->state == XK_SIM_FAULT)
            return done;
        if (p->alone > XK_PAIR_PATIENCE)
            p->loose = true;
    }
    return p->loose ? step_loose(p, most) || done : done;
}

static bool is_held(const struct xk_pair *p)
{
    return !p->loose &&
           (p->t[0]->state == XK_SIM_RUN || p->t[1]->state == XK_SIM_RUN);
}

bool xk_pair_release(const struct xk_sim_group *g)
{
    const struct xk_pairs *const s = xk_check_of(&g->thread[0])->work->pairs;
    bool released = false;
    for (uint32_t i = 0; i < s->n; i++) {
        struct xk_pair *const p = &s->pair[i];
        if (!is_held(p))
            continue;
        const unsigned who = p->t[0]->state == XK_SIM_RUN;
        if (p->on != 3)
            report_pair(
                p, who, next_of(p->t[who]),
                "waits for a barrier while the other thread of the pair, "
                "which stands still on another path, has not reached it");
        p->loose = released = true;
    }
    return released;
}
