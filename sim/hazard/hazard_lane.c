/* SPDX-License-Identifier: Apache-2.0 */
/* The ways that channels take. Both sides of a branch run one after the other,
 * but for different channels, so they do not disturb each other's elements of a
 * register. Two instructions are a hazard only if some channel can pass both in
 * this order. */
#include <string.h>

#include "sim/hazard/hazard_check.h"

bool xk_hz_awaits(const struct xk_hz_inst *e, int token, bool only_read)
{
    const uint32_t bit = 1u << (token & 31);
    if (token < 0)
        return false;
    return (e->wait_dst & bit) || (only_read && (e->wait_src & bit)) ||
           e->set == token; /* setting it waits for its last user */
}

/* Where the channels that execute instruction e may go; to[0..n). */
static unsigned ways(const struct xk_hz_inst *e, uint32_t at, uint32_t to[3])
{
    const struct xk_inst *const i = e->in;
    unsigned n = 0;
    bool falls = true, jip = false, uip = false;
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_SEND:
    case XK_OPC_SENDC:
        falls = !i->send.eot;
        break;
    case XK_OPC_ILLEGAL:
    case XK_OPC_RET:
        falls = false;
        break;
    case XK_OPC_JMPI:
        jip = true;
        falls = i->pred != XK_PRED_NONE;
        break;
    case XK_OPC_ELSE: /* who comes from the first side goes to the endif */
        jip = true;
        falls = false;
        break;
    case XK_OPC_GOTO:
    case XK_OPC_BREAK:
    case XK_OPC_CONT:
    case XK_OPC_HALT:
        uip = true;
        falls = i->pred != XK_PRED_NONE;
        break;
    case XK_OPC_BRC:
        jip = uip = true;
        break;
    case XK_OPC_IF:
    case XK_OPC_WHILE:
    case XK_OPC_BRD:
    case XK_OPC_CALL:
    case XK_OPC_CALLA:
        jip = true;
        break;
    default: /* joins do not jump for a channel that is awake */
        break;
    }
    if (jip)
        to[n++] = e->jip;
    if (uip)
        to[n++] = e->uip;
    if (falls)
        to[n++] = at + 1;
    return n;
}

/* One state for each place and number of instructions given to the pipe
 * since. */
#define FAR 24
struct search {
    const struct xk_hz_table *t;
    const struct xk_hz_inst *first;
    uint32_t to;
    uint32_t chain_end; /* its Atomic chain's; UINT32_MAX: it is in none */
    bool reads, found;
    uint32_t *seen; /* bit per number */
    uint32_t *stack;
    size_t n;
};

static void push_place(struct search *s, uint32_t at, unsigned count)
{
    if (at >= s->t->n || s->seen[at] >> count & 1)
        return;
    s->seen[at] |= 1u << count;
    s->stack[s->n++] = at * 32u + count;
}

/* The end of a chain sets the token of all of it, and waits for none of it. */
static uint32_t chain_end(const struct xk_hz_table *t, uint32_t at)
{
    if (!t->inst[at].in_chain)
        return UINT32_MAX;
    while (t->inst[at].in_chain)
        at++;
    return at;
}

static bool is_covered(const struct search *s, uint32_t at, unsigned count)
{
    const struct xk_hz_inst *const e = &s->t->inst[at];
    if (s->first->unit != XK_HZ_IN_ORDER)
        return at != s->chain_end && xk_hz_awaits(e, s->first->token, s->reads);
    return e->dist && e->dist <= count && e->dist_pipes >> s->first->pipe & 1;
}

static void visit_inst_at(struct search *s, uint32_t at, unsigned count)
{
    const struct xk_hz_inst *const e = &s->t->inst[at];
    uint32_t to[3];
    if (is_covered(s, at, count))
        return;
    s->found |= at == s->to;
    if (s->first->unit == XK_HZ_IN_ORDER && e->unit == XK_HZ_IN_ORDER &&
        e->pipe == s->first->pipe && count < FAR)
        count++;
    const unsigned n = ways(e, at, to);
    for (unsigned k = 0; k < n; k++)
        push_place(s, to[k], count);
}

bool xk_hz_lane_reaches(const struct xk_hz_table *t, uint32_t from, uint32_t to,
                        bool reads)
{
    const struct xk_alloc *const a = &t->alloc;
    struct search s = {.t = t,
                       .first = &t->inst[from],
                       .to = to,
                       .reads = reads,
                       .chain_end = chain_end(t, from)};
    uint32_t out[3];
    s.seen = a->realloc(a->user, NULL, t->n * sizeof *s.seen);
    s.stack = a->realloc(a->user, NULL, (FAR + 1) * t->n * sizeof *s.stack);
    s.found = !s.seen || !s.stack;
    if (!s.found) {
        memset(s.seen, 0, t->n * sizeof *s.seen);
        const unsigned n = ways(s.first, from, out);
        for (unsigned k = 0; k < n; k++)
            push_place(&s, out[k], 1);
        while (s.n && !s.found) {
            const uint32_t next = s.stack[--s.n];
            visit_inst_at(&s, next / 32, next % 32);
        }
    }
    a->realloc(a->user, s.seen, 0);
    a->realloc(a->user, s.stack, 0);
    return s.found;
}
