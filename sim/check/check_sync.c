/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers as an order of threads, fences that make SLM visible, and what a
 * thread leaves behind. A store to SLM is visible behind a barrier if a fence
 * was sent after the store and its answer was awaited before the barrier was
 * signalled. Any other message that SLM answers does for a fence, because SLM
 * takes a thread's messages in turn: oneDNN's loops over SLM in three parts
 * rely on that. */
#include <stdio.h>

#include "isa/format.h"
#include "sim/check/check_state.h"

/* A fence covers it. A store that was signalled before stays marked for the
 * threads that have not waited for a later signal, however far this thread has
 * gone by then. */
static void fenced(struct xk_sim_check_thread *c,
                   const struct xk_check_store *s)
{
    if (!s->signalled)
        return;
    if (c->n_fenced == XK_CHECK_PENDING) {
        xk_check_set_dirty(c, s, false);
        return;
    }
    c->fenced[c->n_fenced] = *s;
    c->fenced[c->n_fenced++].fenced_at = c->signals;
}

bool xk_check_is_fenced(const struct xk_sim_check_thread *c, uint32_t writer,
                        uint32_t at_b)
{
    const struct xk_sim_check_thread *const w = &c->work->thread[writer];
    for (uint32_t i = 0; i < w->n_fenced; i++)
        if (at_b - w->fenced[i].at_b < w->fenced[i].n_b &&
            w->fenced[i].fenced_at < c->known[writer])
            return true;
    return false;
}

/* Forgets what all threads know, or what is written anew (NULL: nothing is). */
static void forget_fenced(struct xk_sim_check_thread *c,
                          const struct xk_check_note *now)
{
    uint32_t known = c->n_fenced ? UINT32_MAX : 0, n = 0;
    for (uint32_t i = 0; i < c->work->n_threads && !now && known; i++)
        if (&c->work->thread[i] != c &&
            c->work->thread[i].known[c->thread->index] < known)
            known = c->work->thread[i].known[c->thread->index];
    for (uint32_t i = 0; i < c->n_fenced; i++) {
        const struct xk_check_store s = c->fenced[i];
        if (now ? s.at_b < now->addr + now->n_b && now->addr < s.at_b + s.n_b
                : s.fenced_at < known)
            xk_check_set_dirty(c, &s, false);
        else
            c->fenced[n++] = s;
    }
    c->n_fenced = n;
}

/* The first n stores are visible. */
static void visible(struct xk_sim_check_thread *c, uint32_t n)
{
    if (n > c->n_pending)
        n = c->n_pending;
    for (uint32_t i = 0; i < n; i++)
        fenced(c, &c->pending[i]);
    memmove(c->pending, c->pending + n,
            (c->n_pending - n) * sizeof *c->pending);
    c->n_pending -= n;
    for (unsigned s = 0; s < XK_CHECK_SBIDS; s++)
        c->fence_covers[s] -= c->fence_covers[s] < n ? c->fence_covers[s] : n;
}

static void returned(struct xk_sim_check_thread *c, uint32_t sbids)
{
    c->loading &= ~sbids;
    for (uint32_t m = c->fencing & sbids; m; m &= m - 1)
        visible(c, c->fence_covers[__builtin_ctz(m)]);
    c->fencing &= ~sbids;
}

static bool is_thread_end(const struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e)
{
    return xk_inst_is_send(&e->in) &&
           (e->in.send.eot || xk_msg_op_class(e->msg.op) == XK_MCLASS_EOT) &&
           xk_check_on(c, XK_CHECK_SYNC);
}

/* A load that nobody waits for may still write registers that then belong to
 * the next thread in this slot. */
static void left_behind(struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e)
{
    if (!c->loading || !xk_check_on(c, XK_CHECK_PEDANTIC))
        return;
    const struct xk_sim_who load = {
        .unit = c->work->unit,
        .thread = c->thread->index,
        .inst = c->load_inst[__builtin_ctz(c->loading)]};
    xk_sim_check_report(
        c->thread, e, &(struct xk_check_about){XK_CHECK_PEDANTIC, &load, NULL},
        "the thread ends while a message that writes its "
        "registers may be in flight ($%d)",
        __builtin_ctz(c->loading));
}

void xk_check_sync_before(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t mask)
{
    const struct xk_swsb *const s = &e->in.swsb;
    (void)mask;
    if (s->mode == XK_SBID_DST || s->mode == XK_SBID_SET)
        returned(c, 1u << s->sbid % XK_CHECK_SBIDS);
    if (e->in.op == XK_OPC_SYNC && e->in.sync_fn == XK_SYNC_ALLWR)
        returned(c, e->in.src[0].file == XK_FILE_IMM
                        ? (uint32_t)e->in.src[0].imm
                        : UINT32_MAX);
    if (is_thread_end(c, e))
        left_behind(c, e);
}

static void note_stores(struct xk_sim_check_thread *c)
{
    const struct xk_sim_check_work *const w = c->work;
    for (unsigned i = 0; i < w->n_notes; i++) {
        const struct xk_check_note *const n = &w->note[i];
        struct xk_check_store *const last =
            c->n_pending ? &c->pending[c->n_pending - 1] : NULL;
        if (n->space != XK_CS_SLM)
            continue;
        if (c->n_fenced)
            forget_fenced(c, n);
        if (last && !last->signalled && last->at_b + last->n_b == n->addr) {
            last->n_b += n->n_b;
        } else if (c->n_pending < XK_CHECK_PENDING) {
            c->pending[c->n_pending++] = (struct xk_check_store){
                .at_b = (uint32_t)n->addr, .n_b = n->n_b};
        } else {
            c->pending_lost = true;
        }
    }
}

/* The old data port fences SLM or memory; its index says which. */
static bool is_of_slm(const struct xk_msg *m)
{
    return m->sfid == XK_SFID_SLM ||
           (m->sfid == XK_SFID_DC0 && m->bti == XK_BTI_SLM);
}

static void sent(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                 uint32_t mask)
{
    const struct xk_msg *const m = xk_check_msg(c, e);
    const unsigned s = e->in.swsb.sbid % XK_CHECK_SBIDS;
    const bool set = e->in.swsb.mode == XK_SBID_SET;
    const enum xk_msg_class k = xk_msg_op_class(m->op);
    const bool blind = k == XK_MCLASS_ATOMIC && e->dst.kind != XK_SO_REG;
    if ((k == XK_MCLASS_STORE || blind) && mask)
        note_stores(c);
    if (!set)
        return;
    if ((k == XK_MCLASS_LOAD || k == XK_MCLASS_ATOMIC) &&
        e->dst.kind == XK_SO_REG && m->dst_grf) {
        c->loading |= 1u << s;
        c->load_inst[s] = (uint32_t)(e - c->thread->kernel->inst);
    }
    if (is_of_slm(m) && (k == XK_MCLASS_FENCE || (c->loading >> s & 1))) {
        c->fencing |= 1u << s;
        c->fence_covers[s] = c->n_pending;
    }
}

static void publish(struct xk_sim_check_thread *c)
{
    forget_fenced(c, NULL);
    for (uint32_t i = 0; !c->pending_lost && i < c->n_pending; i++) {
        xk_check_set_dirty(c, &c->pending[i], true);
        c->pending[i].signalled = true;
    }
}

/* What this thread did, and what it knows to be over, is over for all threads
 * that wait for the barrier. */
static void note_signal(struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e)
{
    struct xk_sim_check_work *const w = c->work;
    const struct xk_sim_thread *const t = c->thread;
    struct xk_error err = {.status = XK_OK};
    struct xk_barrier b = {.id = 0};
    uint32_t dw2 = 0;
    memcpy(&dw2, t->rf + e->src[0].off_b + 8, 4);
    if (xk_barrier_unpack(t->kernel->platform, dw2, &b, &err) < 0 ||
        b.id >= XK_SIM_BARRIERS || (!b.producers && !b.consumers))
        b.id = 0;
    uint32_t *const in = w->joining + (size_t)b.id * w->n_group;
    uint32_t *const out = w->joined + (size_t)b.id * w->n_group;
    publish(c);
    c->signals++;
    for (uint32_t i = 0; i < w->n_group; i++)
        if (in[i] < c->known[i])
            in[i] = c->known[i];
    in[t->index] = c->signals;
    const uint32_t phase = t->group->barrier[b.id].phase;
    if (phase != w->phase[b.id]) {
        w->phase[b.id] = phase;
        memcpy(out, in, w->n_group * sizeof *out);
        memset(in, 0, w->n_group * sizeof *in);
    }
}

static void waited(struct xk_sim_check_thread *c, uint32_t ids)
{
    const struct xk_sim_check_work *const w = c->work;
    for (; ids; ids &= ids - 1) {
        const uint32_t *const over =
            w->joined + (size_t)__builtin_ctz(ids) * w->n_group;
        for (uint32_t i = 0; i < w->n_group; i++)
            if (c->known[i] < over[i])
                c->known[i] = over[i];
    }
}

void xk_check_sync_after(struct xk_sim_check_thread *c,
                         const struct xk_sim_inst *e, uint32_t open,
                         uint32_t mask)
{
    if (xk_inst_is_send(&e->in)) {
        sent(c, e, mask);
        if (xk_msg_op_class(e->msg.op) == XK_MCLASS_BARRIER)
            note_signal(c, e);
    }
    const uint32_t closed = open & ~c->thread->barrier_open;
    if (closed)
        waited(c, closed);
}
