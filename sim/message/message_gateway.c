/* SPDX-License-Identifier: Apache-2.0 */
/* The gateway: barriers and the end of a thread. A barrier is complete when as
 * many threads have produced, and have consumed, as its payload says. Then its
 * phase changes, and the threads that wait for that go on. Signalling and
 * waiting are two steps, so split barriers need nothing more. */
#include "sim/message/sim_message.h"

/* What threads say of one barrier: they must agree. */
static bool counts_agree(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_barrier *b,
                         const struct xk_barrier *w)
{
    if ((!b->produced && !b->consumed) ||
        (b->producers == w->producers && b->consumers == w->consumers))
        return true;
    xk_sim_fault(t, e,
                 "barrier %u: this thread says %u producers and %u consumers, "
                 "an earlier one %u and %u",
                 w->id, w->producers, w->consumers, b->producers, b->consumers);
    return false;
}

static bool barrier_allowed(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e,
                            const struct xk_barrier *w)
{
    const struct xk_sim_group *const g = t->group;
    const uint32_t n = g->n_threads, declared = g->run->d->n_barriers;
    const bool whole = w->id == 0 && w->type == XK_BARRIER_BOTH;
    if (declared == 0)
        xk_sim_fault(t, e, "barrier, but the kernel declares no barrier");
    else if (w->id >= declared || w->id >= XK_SIM_BARRIERS)
        xk_sim_fault(t, e, "barrier %u, but the kernel declares %u", w->id,
                     declared);
    else if (whole ? w->producers != n || w->consumers != n
                   : w->producers > n || w->consumers > n)
        xk_sim_fault(t, e,
                     "barrier payload: %u producers and %u "
                     "consumers, the group has %u threads",
                     w->producers, w->consumers, n);
    else if (w->type != XK_BARRIER_PRODUCE && t->barrier_open >> w->id & 1)
        xk_sim_fault(t, e, "barrier signalled twice without a sync.bar");
    return t->state != XK_SIM_FAULT;
}

/* False after a finding. All zero counts mean the whole group. */
static bool read_barrier_payload(struct xk_sim_thread *t,
                                 const struct xk_sim_inst *e,
                                 struct xk_barrier *w)
{
    struct xk_error err = {.message = ""};
    if (!xk_sim_payload(t, e, &e->src[0], 32, e->msg.src0_grf, "the payload"))
        return false;
    const uint32_t dw2 = xk_rf_u32(t, e->src[0].off_b + 8);
    if (xk_barrier_unpack(t->kernel->platform, dw2, w, &err) < 0) {
        xk_sim_fault(t, e, "barrier payload 0x%x: %s", dw2,
                     err.message[0] ? err.message : "no such barrier");
        return false;
    }
    if (!w->producers && !w->consumers) {
        w->id = 0;
        w->producers = w->consumers = (uint8_t)t->group->n_threads;
    }
    return true;
}

static void exec_barrier(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_barrier w;
    if (!read_barrier_payload(t, e, &w) || !barrier_allowed(t, e, &w))
        return;
    struct xk_sim_barrier *const b = &t->group->barrier[w.id];
    if (!counts_agree(t, e, b, &w))
        return;
    b->producers = w.producers;
    b->consumers = w.consumers;
    b->produced += w.type != XK_BARRIER_CONSUME;
    b->consumed += w.type != XK_BARRIER_PRODUCE;
    if (b->produced > b->producers || b->consumed > b->consumers) {
        xk_sim_fault(t, e, "barrier %u: more than %u producers or %u consumers",
                     w.id, b->producers, b->consumers);
        return;
    }
    if (w.type != XK_BARRIER_PRODUCE) {
        t->barrier_open |= 1u << w.id;
        t->barrier_phase[w.id] = b->phase;
    }
    if (b->produced == b->producers && b->consumed == b->consumers) {
        b->produced = b->consumed = 0;
        b->phase++;
    }
}

/* The barrier of a sync.bar is the number in its operand. xelp and xehpg always
 * write it without one: then it is the barrier with the lowest number among
 * those signalled. */
unsigned xk_sim_barrier_awaited(const struct xk_sim_thread *t,
                                const struct xk_sim_inst *e)
{
    const struct xk_operand *const s = &e->in.src[0];
    if (s->file == XK_FILE_IMM)
        return (unsigned)s->imm % XK_SIM_BARRIERS;
    if (s->file == XK_FILE_ARF && s->arf == XK_ARF_F) {
        const uint32_t at = XK_RF_FLAG + 4u * s->reg + s->sub_b;
        return (xk_rf_u32(t, at) & 0xffff) % XK_SIM_BARRIERS;
    }
    return t->barrier_open ? (unsigned)__builtin_ctz(t->barrier_open) : 0;
}

bool xk_sim_barrier_wait(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const unsigned id = xk_sim_barrier_awaited(t, e);
    if (!(t->barrier_open >> id & 1)) {
        xk_sim_fault(t, e, "sync.bar without a barrier signalled before it");
        return true;
    }
    if (t->group->barrier[id].phase == t->barrier_phase[id]) {
        t->barrier_awaited = (uint8_t)id;
        return false;
    }
    t->barrier_open &= ~(1u << id);
    return true;
}

/* No source says that a thread must wait for the barrier that it signalled.
 * Producers of a named barrier never do, and oneDNN's kernels end so. */
static void exec_eot(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (t->barrier_open)
        xk_sim_tell_event(t, e, XK_SIM_EV_UNAWAITED, 0, 0);
    t->state = XK_SIM_DONE;
}

xk_sim_fn *xk_sim_select_gateway(const struct xk_sim_inst *e)
{
    return e->msg.op == XK_MOP_BARRIER ? exec_barrier : exec_eot;
}
