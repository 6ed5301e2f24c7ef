/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_unit.h"

/* The two threads of a pair execute an instruction as one if both are at it.
 * Where they part, the one that is behind in the code goes first. */
static bool fetch_inst(struct xk_tm_thread *t)
{
    uint32_t index[2] = {UINT32_MAX, UINT32_MAX};
    for (unsigned h = 0; h < 2; h++)
        if (t->at[h] < t->end[h])
            index[h] = XK_TM_INDEX(*t->at[h]);
    t->next = index[0] < index[1] ? index[0] : index[1];
    t->halves = (uint8_t)((index[0] == t->next) | (index[1] == t->next) << 1);
    return t->next != UINT32_MAX;
}

static void wait_for_pipes(struct xk_tm_thread *t, const struct xk_tm_inst *i)
{
    static const uint8_t cause[XK_TM_ORDERS] = {XK_TM_AT_FLOAT, XK_TM_AT_INT,
                                                XK_TM_AT_LONG, XK_TM_AT_MATH};
    for (uint32_t k = i->dist_orders; k; k &= k - 1) {
        const unsigned o = (unsigned)__builtin_ctz(k);
        if (t->n_done[o] < i->dist)
            continue;
        xk_tm_wait_for(t, t->done[o][(t->n_done[o] - i->dist) % XK_TM_RING],
                       cause[o]);
    }
}

static void wait_for_tokens(struct xk_tm_thread *t, const struct xk_tm_inst *i)
{
    for (uint32_t k = i->wait_dst; k; k &= k - 1) {
        const struct xk_tm_token *const s = &t->token[__builtin_ctz(k)];
        xk_tm_wait_for(t, s->done, s->cause);
    }
    for (uint32_t k = i->wait_src; k; k &= k - 1) {
        const struct xk_tm_token *const s = &t->token[__builtin_ctz(k)];
        xk_tm_wait_for(t, s->read, s->cause);
    }
    if (i->set >= 0) /* a token in use is waited for */
        xk_tm_wait_for(t, t->token[i->set].done, t->token[i->set].cause);
}

/* A thread executes from the line of code that it has. It asks for the next
 * line. */
static void wait_code(struct xk_tm_core *c, struct xk_tm_thread *t)
{
    const uint32_t line = c->inst[t->next].code_line;
    if (!c->m->fetch || t->code_line == line + 1)
        return;
    t->code_line = line + 1;
    const double at = (double)xk_tm_later(c->now, t->ready);
    const double there = xk_tm_code_fetch(&c->code, line, at);
    xk_tm_wait_for(t, (uint64_t)there, XK_TM_AT_FETCH);
}

static void wait_barrier(const struct xk_tm_core *c, struct xk_tm_thread *t)
{
    const uint32_t *const w = t->at[t->halves & 1 ? 0 : 1];
    const uint32_t id = XK_TM_EXTRA(w[0]) ? w[1] % XK_SIM_BARRIERS : 0;
    const struct xk_tm_barrier *const b = &c->group[t->group].barrier[id];
    t->blocked = b->phase == t->phase[id];
    if (!t->blocked)
        xk_tm_wait_for(t, b->done + c->m->lat_barrier, XK_TM_AT_BARRIER);
}

/* Sets `ready` and `cause` of the next instruction; its own place in the order
 * is the earliest. */
void xk_tm_prepare(struct xk_tm_core *c, struct xk_tm_thread *t)
{
    const struct xk_tm_inst *i;
    if (!fetch_inst(t))
        return;
    i = &c->inst[t->next];
    t->blocked = false;
    wait_code(c, t);
    wait_for_pipes(t, i);
    wait_for_tokens(t, i);
    if (i->kind == XK_TM_WAIT)
        wait_barrier(c, t);
    if (i->kind == XK_TM_EOT) /* its registers wait for what was asked for */
        xk_tm_wait_for(t, t->answered, t->answer_cause);
}
