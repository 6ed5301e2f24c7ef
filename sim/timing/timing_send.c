/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_unit.h"

static uint64_t whole_cycles(double cycles)
{
    const uint64_t n = cycles > 0 ? (uint64_t)cycles : 0;
    return n + ((double)n < cycles);
}

static enum xk_tm_cause message_cause(const struct xk_tm_inst *i,
                                      const uint32_t *extra, uint32_t n)
{
    if (i->kind == XK_TM_FENCE)
        return XK_TM_AT_FENCE;
    if (i->kind != XK_TM_MEMORY || n < XK_TM_HEAD)
        return XK_TM_AT_MESSAGE;
    if (XK_TM_WORD_SLM(extra[0]))
        return XK_TM_AT_SLM;
    switch ((enum xk_tm_class)XK_TM_WORD_CLASS(extra[0])) {
    case XK_TM_STORE:
        return XK_TM_AT_STORE;
    case XK_TM_ATOMIC:
        return XK_TM_AT_ATOMIC;
    default:
        return XK_TM_AT_LOAD;
    }
}

static void wake_threads(struct xk_tm_core *c, uint32_t group, uint32_t id)
{
    const struct xk_tm_barrier *const b = &c->group[group].barrier[id];
    for (uint32_t k = 0; k < c->n_units * c->n_slots; k++) {
        struct xk_tm_thread *const t = &c->thread[k];
        if (!t->used || !t->blocked || t->group != group ||
            t->phase[id] == b->phase)
            continue;
        t->blocked = false;
        xk_tm_wait_for(t, b->done + c->m->lat_barrier, XK_TM_AT_BARRIER);
        xk_tm_schedule(c, &c->unit[t->unit]);
    }
}

static void signal_barrier(struct xk_tm_core *c, struct xk_tm_thread *t,
                           uint32_t w, uint64_t at)
{
    const uint32_t id = w % XK_SIM_BARRIERS, type = w >> 8 & 3;
    struct xk_tm_barrier *const b = &c->group[t->group].barrier[id];
    b->last = xk_tm_later(b->last, at);
    b->produced += type != XK_BARRIER_CONSUME;
    b->consumed += type != XK_BARRIER_PRODUCE;
    if (type != XK_BARRIER_PRODUCE)
        t->phase[id] = b->phase;
    if (b->produced < (w >> 16 & 0xff) || b->consumed < w >> 24)
        return;
    b->produced = b->consumed = 0;
    b->phase++;
    b->done = b->last;
    b->last = 0;
    wake_threads(c, t->group, id);
}

/* One half's message; when its answer is there. */
static uint64_t message(struct xk_tm_core *c, struct xk_tm_thread *t,
                        const struct xk_tm_inst *i, const uint32_t *w,
                        uint64_t now)
{
    const uint32_t n = XK_TM_EXTRA(w[0]);
    const uint64_t in =
        now + c->m->lat_payload + c->m->payload_cyc * i->payload;
    struct xk_tm_line *const l = &c->out->line[t->next];
    if (i->kind == XK_TM_SIGNAL && n)
        signal_barrier(c, t, w[1], in);
    if (i->kind == XK_TM_FENCE)
        return i->of_slm ? xk_tm_later(in, t->stored_slm) + c->m->lat_fence_slm
                         : xk_tm_later(in, t->stored) + c->m->lat_fence;
    if (i->kind != XK_TM_MEMORY || n < XK_TM_HEAD)
        return now + i->lat_cyc;
    const uint32_t wave = xk_timing_wave(c->r, t->group);
    const struct xk_tm_request q = {i, w + 1, n, wave, (double)now, (double)in};
    const uint64_t done =
        xk_tm_later(in, whole_cycles(xk_tm_memory_access(&c->memory, &q)));
    const enum xk_tm_class class = XK_TM_WORD_CLASS(w[1]);
    uint64_t *const stored = XK_TM_WORD_SLM(w[1]) ? &t->stored_slm : &t->stored;
    *(XK_TM_WORD_SLM(w[1]) ? &l->slm_b : &l->global_b) += w[2];
    if (class == XK_TM_STORE || class == XK_TM_ATOMIC)
        *stored = xk_tm_later(*stored, done);
    return i->answer ? done : in;
}

void xk_tm_send(struct xk_tm_core *c, struct xk_tm_thread *t,
                const struct xk_tm_inst *i, uint64_t now)
{
    struct xk_tm_token s = {.read = now + c->m->lat_payload +
                                    c->m->payload_cyc * i->payload};
    for (unsigned h = 0; h < 2; h++) {
        if (!(t->halves >> h & 1))
            continue;
        const uint32_t *const w = t->at[h];
        s.done = xk_tm_later(s.done, message(c, t, i, w, now));
        s.cause = (uint8_t)message_cause(i, w + 1, XK_TM_EXTRA(w[0]));
    }
    if (i->set >= 0)
        t->token[i->set] = s;
    if (i->answer && s.done > t->answered) {
        t->answered = s.done;
        t->answer_cause = s.cause;
    }
}
