/* SPDX-License-Identifier: Apache-2.0 */
/* Data that a lock protects. An exchange, or compare and exchange, of a dword
 * that returns 0 and leaves another value takes the lock there; its thread's
 * next store or atomic operation there gives it back. While a thread has one,
 * it and the threads that a barrier put behind it hold it. Kept is, for each
 * instruction that touches memory, the lock under which all of its executions
 * stood: in a unit, and in all units up to the one that is judged. Two accesses
 * are in order if their instructions stood under one lock. A lock for each
 * element, tickets, semaphores and "the last group sums up" are none of this.
 */
#include <string.h>

#include "isa/format.h"
#include "sim/check/check_state.h"

#define MIXED UINT64_MAX /* several locks, or none */
#define OWN 1u           /* beside the address: the thread itself took it */
#define IN_SLM 2u

static bool may_take(const struct xk_msg *m)
{
    return (m->op == XK_MOP_ATOMIC_ICAS || m->op == XK_MOP_ATOMIC_STORE) &&
           m->data_b == 4 && m->dst_grf;
}

bool xk_check_locks_create(struct xk_sim_check_run *r)
{
    const struct xk_sim_kernel *const k = r->run->kernel;
    bool any = false;
    for (uint32_t i = 0; i < k->n && r->on & XK_CHECK_RACE; i++)
        any |= xk_inst_is_send(&k->inst[i].in) && may_take(&k->inst[i].msg);
    if (any)
        r->held = xk_alloc_zeroed(&r->alloc, k->n * sizeof *r->held);
    return !any || r->held;
}

bool xk_check_locks_of_unit(struct xk_sim_check_work *w)
{
    const uint32_t n = w->run->run->kernel->n;
    if (w->run->held && !w->held)
        w->held = xk_alloc_zeroed(&w->run->alloc, n * sizeof *w->held);
    return w->held || !w->run->held;
}

void xk_check_locks_begin(struct xk_sim_check_work *w)
{
    w->lock.key = 0;
    if (w->held)
        memset(w->held, 0, w->run->run->kernel->n * sizeof *w->held);
}

/* The lock that the thread holds. */
static uint64_t held_by(const struct xk_sim_check_thread *c)
{
    const struct xk_check_lock *const l = &c->work->lock;
    if (!l->key)
        return MIXED;
    if (l->thread == c->thread->index)
        return l->key | OWN;
    return c->known[l->thread] > l->signals ? l->key : MIXED;
}

static uint64_t both_locks(uint64_t a, uint64_t b)
{
    if (!a || !b)
        return a | b;
    return (a ^ b) & ~(uint64_t)OWN ? MIXED : a & b;
}

static uint64_t lock_key(const struct xk_check_note *n)
{
    return n->addr | (n->space == XK_CS_SLM ? IN_SLM : 0);
}

/* What the message returned to the lane. */
static uint32_t returned_to(const struct xk_sim_check_thread *c,
                            const struct xk_sim_inst *e, unsigned lane)
{
    const struct xk_footprint d =
        xk_inst_footprint(c->thread->kernel->platform, &e->in, -1);
    uint32_t v = 1;
    if (d.first_b + 4 * lane + 4 <= d.end_b)
        memcpy(&v, c->thread->rf + d.first_b + 4 * lane, sizeof v);
    return v;
}

static void take_lock(struct xk_sim_check_thread *c,
                      const struct xk_sim_inst *e)
{
    struct xk_sim_check_work *const w = c->work;
    const struct xk_check_note *taken = NULL;
    for (unsigned i = 0; i < w->n_notes; i++) {
        const struct xk_check_note *const n = &w->note[i];
        uint32_t now;
        memcpy(&now, n->host, sizeof now);
        if (n->n_b != 4 || returned_to(c, e, n->lane) || !now)
            continue;
        if (taken) /* a lock a lane */
            return;
        taken = n;
    }
    if (taken)
        w->lock = (struct xk_check_lock){lock_key(taken), c->thread->index,
                                         c->signals};
}

/* Whether the instruction changes the lock that its thread holds. */
static bool gives_back(const struct xk_sim_check_thread *c)
{
    const struct xk_sim_check_work *const w = c->work;
    const uint64_t at = w->lock.key & ~(uint64_t)IN_SLM;
    if (held_by(c) == MIXED)
        return false;
    for (unsigned i = 0; i < w->n_notes; i++) {
        const struct xk_check_note *const n = &w->note[i];
        if ((lock_key(n) ^ w->lock.key) & IN_SLM || n->addr >= at + 4 ||
            n->addr + n->n_b <= at)
            continue;
        return true;
    }
    return false;
}

void xk_check_locks(struct xk_sim_check_thread *c, const struct xk_sim_inst *e)
{
    struct xk_sim_check_work *const w = c->work;
    const uint32_t at = (uint32_t)(e - c->thread->kernel->inst);
    if (!w->held)
        return;
    const struct xk_msg *const m = xk_check_msg(c, e);
    const enum xk_msg_class k = xk_msg_op_class(m->op);
    w->held[at] = both_locks(w->held[at], held_by(c));
    if (k != XK_MCLASS_STORE && k != XK_MCLASS_ATOMIC)
        return;
    if (gives_back(c))
        w->lock.key = 0;
    else if (!w->lock.key && may_take(m))
        take_lock(c, e);
}

void xk_check_locks_merge(struct xk_sim_check_work *w)
{
    for (uint32_t i = 0; w->held && i < w->run->run->kernel->n; i++)
        w->run->held[i] = both_locks(w->run->held[i], w->held[i]);
}

static bool under_one(uint64_t a, uint64_t b)
{
    return a && b && a != MIXED && b != MIXED && !((a ^ b) & ~(uint64_t)OWN);
}

bool xk_check_locked_in_unit(const struct xk_sim_check_work *w, uint32_t a,
                             uint32_t b)
{
    return w->held && under_one(w->held[a], w->held[b]) &&
           w->held[a] & w->held[b] & OWN;
}

bool xk_check_locked_units(const struct xk_sim_check_run *r, uint32_t a,
                           uint32_t b)
{
    return r->held && under_one(r->held[a], r->held[b]) &&
           !(r->held[a] & IN_SLM);
}
