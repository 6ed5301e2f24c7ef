/* SPDX-License-Identifier: Apache-2.0 */
/* When what is in flight is read and written. */
#include "sim/hazard/hazard_late.h"

#include <string.h>

static const struct {
    uint16_t read_min, read_max, write_min, write_max;
} latencies[] = {
#define XK_HZ_PIPE(pipe, n_inst)
#define XK_HZ_PLATFORM(id, merges, slm, flags)
#define XK_HZ_LATENCY(unit, r0, r1, w0, w1) [XK_HZ_##unit] = {r0, r1, w0, w1},
#include "sim/hazard/hazard_pipe.def"
#undef XK_HZ_PIPE
#undef XK_HZ_PLATFORM
#undef XK_HZ_LATENCY
};

/* The number of instructions, at most, until a result in such a file is there,
 * in order (isa.md 13.1, 5.3). */
static const uint16_t file_most[] = {
    [XK_HZ_GRF] = 23, [XK_HZ_FLAG] = 16, [XK_HZ_ACC] = 6, [XK_HZ_A0] = 16};

static uint64_t draw(struct xk_hz_late *l)
{
    uint64_t z = l->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The ends of a range are the likeliest places for a mistake to show. */
static uint64_t between(struct xk_hz_late *l, unsigned lo, unsigned hi)
{
    const uint64_t r = draw(l);
    if (!(r & 3))
        return r & 4 ? lo : hi;
    return lo + (r >> 3) % (hi - lo + 1);
}

void xk_hz_late_begin(struct xk_hz_late *l, struct xk_sim_thread *t,
                      uint64_t unit)
{
    const struct xk_sim_checks *const c = &t->group->run->d->check;
    l->t = t;
    l->strict = c->hazard_strict;
    l->seed = c->hazard_seed ^ unit << 20 ^ t->index;
    l->next = t->ip;
}

/* ---- who goes first ---- */

static bool is_busy(const struct xk_hz_late_op *op)
{
    return op->reads || op->writes;
}

/* Two that one unit takes in order: a pipe's instructions, or the reads of
 * what goes to one shared function. */
static bool share_order(const struct xk_hz_inst *x, const struct xk_hz_inst *y)
{
    if (x->unit != y->unit)
        return false;
    return x->unit == XK_HZ_IN_ORDER ? x->pipe == y->pipe
                                     : x->function == y->function;
}

/* The earliest operation that comes before *op in its unit, or *op. */
static struct xk_hz_late_op *earliest(struct xk_hz_late *l,
                                      struct xk_hz_late_op *op, bool reads)
{
    struct xk_hz_late_op *first = op;
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const o = &l->op[k];
        if ((reads ? o->reads : is_busy(o)) && o->order < first->order &&
            share_order(xk_hz_late_inst(l, o), xk_hz_late_inst(l, op)))
            first = o;
    }
    return first;
}

static void finish_read(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    while (op->reads)
        xk_hz_op_read(l, earliest(l, op, true));
}

static void finish_op(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    finish_read(l, op);
    while (is_busy(op)) {
        struct xk_hz_late_op *const o =
            xk_hz_late_inst(l, op)->unit == XK_HZ_IN_ORDER
                ? earliest(l, op, false)
                : op;
        xk_hz_op_read(l, o);
        xk_hz_op_load(l, o);
        xk_hz_op_write(l, o);
    }
}

/* ---- what ends the flight ---- */

static bool is_awaited(const struct xk_hz_late *l,
                       const struct xk_hz_late_op *op,
                       const struct xk_hz_inst *e, bool jumped)
{
    const struct xk_hz_table *const t = xk_hz_table_of(l->t->kernel);
    const struct xk_hz_inst *const o = xk_hz_late_inst(l, op);
    if (o->unit != XK_HZ_IN_ORDER)
        return xk_hz_awaits(e, o->token, false) ||
               (o->in_chain && e->unit == XK_HZ_DPAS) ||
               op->write_due <= l->now;
    const int32_t behind = l->issued[o->pipe] - op->number;
    const int32_t window = l->strict ? t->strict_window : t->window[o->pipe];
    return (jumped && !l->strict) || behind >= window ||
           op->write_due <= l->now ||
           (e->dist && e->dist_pipes >> o->pipe & 1 && behind + 1 >= e->dist);
}

static void land(struct xk_hz_late *l, uint32_t at)
{
    const struct xk_hz_inst *const e = &xk_hz_table_of(l->t->kernel)->inst[at];
    const bool jumped = at != l->next && !(e->is_sync && at + 1 == l->next);
    const bool ends = e->unit == XK_HZ_SEND && e->in->send.eot;
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const op = &l->op[k];
        if (!is_busy(op))
            continue;
        if (ends || is_awaited(l, op, e, jumped))
            finish_op(l, op);
        else if (op->reads &&
                 (op->read_due <= l->now ||
                  xk_hz_awaits(e, xk_hz_late_inst(l, op)->token, true)))
            finish_read(l, op);
    }
    l->next = at + 1;
}

/* ---- what the next one makes sure of ---- */

/* Messages keep their order in memory, but for what hazard_pipe.def says. */
static void keep_memory_order(struct xk_hz_late *l, uint32_t at)
{
    const struct xk_hz_table *const t = xk_hz_table_of(l->t->kernel);
    const struct xk_hz_inst *const e = &t->inst[at];
    const enum xk_msg_class c = xk_msg_op_class(l->t->kernel->inst[at].msg.op);
    if (e->unit != XK_HZ_SEND || c == XK_MCLASS_LOAD ||
        e->in->send.sfid == XK_SFID_GTWY)
        return;
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const op = &l->op[k];
        if (!is_busy(op) || !op->loads ||
            (t->slm_overtakes && e->slm_store &&
             xk_hz_late_inst(l, op)->slm_load))
            continue;
        finish_read(l, op);
        xk_hz_op_load(l, op);
    }
}

static bool writes_at_once(const struct xk_hz_late *l,
                           const struct xk_hz_inst *e)
{
    const struct xk_hz_access *const a =
        &xk_hz_table_of(l->t->kernel)->access[e->access + e->n_rd];
    for (unsigned k = 0; k < e->n_wr; k++)
        if (e->is_branch || !xk_hz_op_is_late(l, e, a[k].file))
            return true;
    return false;
}

/* An instruction has read its sources before a later one of its pipe writes. */
static void keep_pipe_order(struct xk_hz_late *l, const struct xk_hz_inst *e)
{
    if (e->unit != XK_HZ_IN_ORDER || !writes_at_once(l, e))
        return;
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const op = &l->op[k];
        if (op->reads && share_order(xk_hz_late_inst(l, op), e))
            finish_read(l, op);
    }
}

/* Results of a pipe come in order: the one that is overwritten is there
 * first. */
static void keep_result_order(struct xk_hz_late *l,
                              const struct xk_hz_late_op *now)
{
    const struct xk_hz_inst *const e = xk_hz_late_inst(l, now);
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const op = &l->op[k];
        if (op->writes && e->unit == XK_HZ_IN_ORDER &&
            share_order(xk_hz_late_inst(l, op), e) && xk_hz_op_meet(op, now))
            finish_op(l, op);
    }
}

/* ---- what begins it ---- */

static struct xk_hz_late_op *free_op(struct xk_hz_late *l)
{
    struct xk_hz_late_op *oldest = &l->op[0];
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        if (!is_busy(&l->op[k]))
            return &l->op[k];
        if (l->op[k].order < oldest->order)
            oldest = &l->op[k];
    }
    finish_op(l, oldest);
    return oldest;
}

/* Branches act at once, and so does what concerns the whole thread. */
static bool may_be_late(const struct xk_hz_inst *e)
{
    if (e->unit == XK_HZ_SEND)
        return !e->in->send.eot && e->in->send.sfid != XK_SFID_GTWY;
    return e->unit != XK_HZ_NOWHERE && !e->is_branch;
}

void xk_hz_late_before(struct xk_hz_late *l, uint32_t at, uint32_t mask)
{
    const struct xk_hz_inst *const e = &xk_hz_table_of(l->t->kernel)->inst[at];
    l->now++;
    land(l, at);
    keep_memory_order(l, at);
    keep_pipe_order(l, e);
    l->hand = NULL;
    if (e->unit == XK_HZ_IN_ORDER && !(l->strict && e->is_branch && !e->n_wr))
        l->issued[e->pipe]++;
    if (!may_be_late(e))
        return;
    struct xk_hz_late_op *const op = free_op(l);
    xk_hz_op_begin(l, op, at, mask);
    keep_result_order(l, op);
    xk_hz_op_begin(l, op, at, mask); /* with what that has written */
    l->hand = op;
}

static unsigned write_most(const struct xk_hz_late *l,
                           const struct xk_hz_late_op *op)
{
    const unsigned unit = xk_hz_late_inst(l, op)->unit;
    unsigned most = latencies[unit].write_max;
    for (unsigned k = 0; k < op->n_dst && unit == XK_HZ_IN_ORDER; k++)
        if (file_most[op->dst[k].file] < most)
            most = file_most[op->dst[k].file];
    return most;
}

void xk_hz_late_after(struct xk_hz_late *l, uint32_t at)
{
    const unsigned unit = xk_hz_table_of(l->t->kernel)->inst[at].unit;
    struct xk_hz_late_op *const op = l->hand;
    if (!op)
        return;
    xk_hz_op_hide(l, op);
    op->reads = op->n_src > 0;
    op->writes = op->n_dst > 0;
    op->loads &= op->writes;
    op->read_due =
        l->now + between(l, latencies[unit].read_min, latencies[unit].read_max);
    op->write_due =
        l->now + between(l, latencies[unit].write_min, write_most(l, op));
    if (op->write_due < op->read_due)
        op->write_due = op->read_due;
    l->hand = NULL;
}

static void pair_with(struct xk_hz_late_op *op, struct xk_hz_late *late,
                      struct xk_hz_late_op *mate)
{
    op->mate_late = late;
    op->mate = mate;
    op->mate_order = mate->order;
}

void xk_hz_late_after_both(struct xk_hz_late *l, struct xk_hz_late *other,
                           uint32_t at)
{
    struct xk_hz_late_op *const a = l->hand, *const b = other->hand;
    if (a && b && b->inst == at) {
        xk_hz_op_share(l, a, other, b);
        pair_with(a, other, b);
        pair_with(b, l, a);
        xk_hz_late_after(other, at);
    }
    xk_hz_late_after(l, at);
}
