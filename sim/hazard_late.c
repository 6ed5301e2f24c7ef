/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/hazard_late.h"

#include <string.h>

static const struct {
    uint16_t read_min, read_max, write_min, write_max;
} latencies[] = {
#define XK_HZ_PIPE(pipe, n_inst)
#define XK_HZ_PLATFORM(id, merges, slm)
#define XK_HZ_LATENCY(unit, r0, r1, w0, w1) [XK_HZ_##unit] = {r0, r1, w0, w1},
#include "sim/hazard_pipe.def"
#undef XK_HZ_PIPE
#undef XK_HZ_PLATFORM
#undef XK_HZ_LATENCY
};

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

void xk_hz_late_begin(struct xk_hz_late *l, const struct xk_sim_thread *t,
                      uint64_t unit)
{
    l->seed = t->group->run->d->check.hazard_seed ^ unit << 20 ^ t->index;
    l->next = t->ip;
}

static const struct xk_hz_inst *inst_of(const struct xk_sim_thread *t,
                                        const struct xk_hz_late_op *op)
{
    return &t->kernel->hazard->inst[op->inst];
}

/* ---- what becomes of an instruction in flight ---- */

static bool sources_changed(const struct xk_sim_thread *t,
                            const struct xk_hz_late_op *op)
{
    for (unsigned k = 0; k < op->n_src; k++)
        if (memcmp(t->rf + op->src[k].at_b, op->src_copy + op->src[k].copy_b,
                   op->src[k].n_b))
            return true;
    return false;
}

/* Executes it with the registers of now; flags, a0 and channels are those of
 * its issue. The checkers have seen it already. */
static void repeat(struct xk_sim_thread *t, struct xk_hz_late_op *op)
{
    const struct xk_sim_inst *const e = &t->kernel->inst[op->inst];
    struct xk_sim_check_thread *const check = t->check;
    const uint32_t ip = t->ip, active = t->active;
    uint8_t flags[sizeof op->flags], a0[sizeof op->a0];
    memcpy(flags, t->rf + XK_RF_FLAG, sizeof flags);
    memcpy(a0, t->rf + XK_RF_A0, sizeof a0);
    memcpy(t->rf + XK_RF_FLAG, op->flags, sizeof flags);
    memcpy(t->rf + XK_RF_A0, op->a0, sizeof a0);
    memcpy(op->was, t->rf + op->dst.at_b, op->dst.n_b);
    t->active = op->active;
    t->check = NULL;
    e->fn(t, e);
    t->check = check;
    t->active = active;
    t->ip = ip;
    memcpy(op->will, t->rf + op->dst.at_b, op->dst.n_b);
    memcpy(t->rf + op->dst.at_b, op->was, op->dst.n_b);
    memcpy(t->rf + XK_RF_FLAG, flags, sizeof flags);
    memcpy(t->rf + XK_RF_A0, a0, sizeof a0);
}

static void read_now(struct xk_sim_thread *t, struct xk_hz_late_op *op)
{
    if (op->reads && op->repeats && sources_changed(t, op))
        repeat(t, op);
    op->reads = false;
}

static void write_now(struct xk_sim_thread *t, struct xk_hz_late_op *op)
{
    for (uint32_t b = 0; op->writes && b < op->dst.n_b; b++)
        if (op->will[b] != op->was[b])
            t->rf[op->dst.at_b + b] = op->will[b];
    op->writes = false;
}

/* ---- who goes first ---- */

static bool is_busy(const struct xk_hz_late_op *op)
{
    return op->reads || op->writes;
}

/* Two that one unit takes in order: a pipe's instructions, or the reads of
 * what goes to one shared function. */
static bool in_turn(const struct xk_sim_thread *t,
                    const struct xk_hz_late_op *a,
                    const struct xk_hz_late_op *b)
{
    const struct xk_hz_inst *const x = inst_of(t, a), *const y = inst_of(t, b);
    if (x->unit != y->unit)
        return false;
    return x->unit == XK_HZ_IN_ORDER ? x->pipe == y->pipe
                                     : x->function == y->function;
}

/* The earliest of those that come before *op in its unit, or *op. */
static struct xk_hz_late_op *earliest(struct xk_hz_late *l,
                                      const struct xk_sim_thread *t,
                                      struct xk_hz_late_op *op, bool reads)
{
    struct xk_hz_late_op *first = op;
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const o = &l->op[k];
        if ((reads ? o->reads : is_busy(o)) && o->order < first->order &&
            in_turn(t, o, op))
            first = o;
    }
    return first;
}

static void finish_read(struct xk_hz_late *l, struct xk_sim_thread *t,
                        struct xk_hz_late_op *op)
{
    while (op->reads)
        read_now(t, earliest(l, t, op, true));
}

static void finish(struct xk_hz_late *l, struct xk_sim_thread *t,
                   struct xk_hz_late_op *op)
{
    finish_read(l, t, op);
    while (is_busy(op)) {
        struct xk_hz_late_op *const o = inst_of(t, op)->unit == XK_HZ_IN_ORDER
                                            ? earliest(l, t, op, false)
                                            : op;
        read_now(t, o);
        write_now(t, o);
    }
}

/* ---- what ends the flight ---- */

static bool is_awaited(const struct xk_hz_late *l, const struct xk_hz_table *t,
                       const struct xk_hz_late_op *op,
                       const struct xk_hz_inst *e, bool jumped)
{
    const struct xk_hz_inst *const o = &t->inst[op->inst];
    if (o->unit != XK_HZ_IN_ORDER)
        return xk_hz_awaits(e, o->token, false) ||
               (o->in_chain && e->unit == XK_HZ_DPAS) ||
               op->write_due <= l->now;
    const int32_t behind = l->issued[o->pipe] - op->number;
    return jumped || behind >= t->window[o->pipe] || op->write_due <= l->now ||
           (e->dist && e->dist_pipes >> o->pipe & 1 && behind + 1 >= e->dist);
}

static void land(struct xk_hz_late *l, struct xk_sim_thread *t, uint32_t at)
{
    const struct xk_hz_table *const table = t->kernel->hazard;
    const struct xk_hz_inst *const e = &table->inst[at];
    const bool jumped = at != l->next && !(e->is_sync && at + 1 == l->next);
    const bool ends = e->unit == XK_HZ_SEND && e->in->send.eot;
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        struct xk_hz_late_op *const op = &l->op[k];
        if (!is_busy(op))
            continue;
        if (ends || is_awaited(l, table, op, e, jumped))
            finish(l, t, op);
        else if (op->reads && (op->read_due <= l->now ||
                               xk_hz_awaits(e, inst_of(t, op)->token, true)))
            finish_read(l, t, op);
    }
    l->next = at + 1;
}

/* ---- what begins it ---- */

static struct xk_hz_late_op *free_op(struct xk_hz_late *l,
                                     struct xk_sim_thread *t)
{
    struct xk_hz_late_op *oldest = &l->op[0];
    for (unsigned k = 0; k < XK_HZ_LATE_OPS; k++) {
        if (!is_busy(&l->op[k]))
            return &l->op[k];
        if (l->op[k].order < oldest->order)
            oldest = &l->op[k];
    }
    finish(l, t, oldest);
    return oldest;
}

/* Bytes of the register file that a GRF access is, 0 if none. */
static struct xk_hz_piece piece(const struct xk_sim_thread *t,
                                const struct xk_hz_inst *e,
                                const struct xk_hz_access *a, uint32_t mask)
{
    struct xk_hz_range r = {a->first, a->end};
    if (a->file != XK_HZ_GRF ||
        (a->dynamic &&
         !xk_hz_range_now(t->kernel->hazard, e, a, mask, t->rf + XK_RF_A0, &r)))
        return (struct xk_hz_piece){0, 0, 0};
    return (struct xk_hz_piece){.at_b = r.first, .n_b = r.end - r.first};
}

static void copy_sources(const struct xk_sim_thread *t,
                         const struct xk_hz_inst *e, struct xk_hz_late_op *op)
{
    const struct xk_hz_access *const a = &t->kernel->hazard->access[e->access];
    uint32_t at = 0;
    op->n_src = 0;
    for (unsigned k = 0; k < e->n_rd && op->n_src < 3; k++) {
        struct xk_hz_piece p = piece(t, e, &a[k], op->mask);
        if (!p.n_b || at + p.n_b > sizeof op->src_copy)
            continue;
        p.copy_b = at;
        memcpy(op->src_copy + at, t->rf + p.at_b, p.n_b);
        at += p.n_b;
        op->src[op->n_src++] = p;
    }
}

static void copy_result(const struct xk_sim_thread *t,
                        const struct xk_hz_inst *e, struct xk_hz_late_op *op)
{
    const struct xk_hz_access *const a =
        &t->kernel->hazard->access[e->access + e->n_rd];
    op->dst = (struct xk_hz_piece){0, 0, 0};
    op->repeats = true;
    for (unsigned k = 0; k < e->n_wr; k++) {
        const struct xk_hz_piece p = piece(t, e, &a[k], op->mask);
        if (a[k].file != XK_HZ_GRF || p.n_b > sizeof op->was)
            op->repeats = false;
        else
            op->dst = p;
    }
    memcpy(op->was, t->rf + op->dst.at_b, op->dst.n_b);
}

/* Branches act at once, and so does what concerns the whole thread. */
static bool may_be_late(const struct xk_hz_inst *e)
{
    if (e->unit == XK_HZ_SEND)
        return !e->in->send.eot && e->in->send.sfid != XK_SFID_GTWY;
    return e->unit != XK_HZ_NOWHERE && !e->is_branch;
}

/* Once more would add to the accumulator again. */
static bool has_state(const struct xk_sim_thread *t, const struct xk_hz_inst *e)
{
    const struct xk_hz_access *const a = &t->kernel->hazard->access[e->access];
    for (unsigned k = 0; k < e->n_rd; k++)
        if (a[k].file == XK_HZ_ACC || a[k].file == XK_HZ_STATE)
            return true;
    return false;
}

void xk_hz_late_before(struct xk_hz_late *l, struct xk_sim_thread *t,
                       uint32_t at, uint32_t mask)
{
    const struct xk_hz_inst *const e = &t->kernel->hazard->inst[at];
    l->now++;
    land(l, t, at);
    l->hand = NULL;
    if (e->unit == XK_HZ_IN_ORDER)
        l->issued[e->pipe]++;
    if (!may_be_late(e))
        return;
    struct xk_hz_late_op *const op = free_op(l, t);
    op->inst = at;
    op->mask = mask;
    op->active = t->active;
    op->order = l->now;
    op->number = l->issued[e->pipe];
    memcpy(op->flags, t->rf + XK_RF_FLAG, sizeof op->flags);
    memcpy(op->a0, t->rf + XK_RF_A0, sizeof op->a0);
    copy_result(t, e, op);
    copy_sources(t, e, op);
    op->repeats &= !has_state(t, e);
    l->hand = op;
}

void xk_hz_late_after(struct xk_hz_late *l, struct xk_sim_thread *t,
                      uint32_t at)
{
    const unsigned unit = t->kernel->hazard->inst[at].unit;
    struct xk_hz_late_op *const op = l->hand;
    if (!op)
        return;
    memcpy(op->will, t->rf + op->dst.at_b, op->dst.n_b);
    memcpy(t->rf + op->dst.at_b, op->was, op->dst.n_b);
    op->reads = op->n_src > 0;
    op->writes = op->dst.n_b > 0;
    op->read_due =
        l->now + between(l, latencies[unit].read_min, latencies[unit].read_max);
    op->write_due = l->now + between(l, latencies[unit].write_min,
                                     latencies[unit].write_max);
    if (op->write_due < op->read_due)
        op->write_due = op->read_due;
    l->hand = NULL;
}
