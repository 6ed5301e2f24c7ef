/* SPDX-License-Identifier: Apache-2.0 */
/* The ways that lead to an instruction, for the rules of workaround_*.c. A way
 * that hardware never takes may be among them, none is left out: so a rule may
 * find too much behind branches, not too little. */
#include "isa/workaround_rule.h"

#include <string.h>

static bool calls_function(const struct xk_inst *i)
{
    return i->op == XK_OPC_CALL || i->op == XK_OPC_CALLA;
}

/* Where it goes is in a register. */
static bool goes_by_register(const struct xk_inst *i)
{
    return xk_branch_shape(i->op) & XK_BR_REG && i->src[0].file == XK_FILE_GRF;
}

static bool has_return(const struct xk_wa_program *g)
{
    bool any = false;
    for (unsigned k = 0; k < g->n && !any; k++)
        any = g->inst[k].op == XK_OPC_RET;
    return any;
}

/* Whether the instruction behind it may be the next one. What a call without a
 * predicate goes to comes back by a return, if the program has one. */
static bool has_follower(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    if (i->op == XK_OPC_JMPI || i->op == XK_OPC_RET)
        return i->pred;
    if (calls_function(i))
        return i->pred || !has_return(g);
    return !xk_inst_is_send(i) || !i->send.eot;
}

bool xk_wa_jumps_to(const struct xk_wa_program *g, unsigned from, unsigned to)
{
    return g->target[to] &&
           (xk_wa_target(g, from, 0) == to || xk_wa_target(g, from, 1) == to);
}

unsigned xk_wa_target(const struct xk_wa_program *g, unsigned from,
                      unsigned number)
{
    const struct xk_inst *const i = &g->inst[from];
    const int32_t offset_b = number ? i->uip_b : i->jip_b;

    return xk_inst_is_branch(i) && offset_b
               ? xk_inst_at(g->inst, g->n, from, offset_b)
               : g->n;
}

bool xk_wa_begins_block(const struct xk_wa_program *g, unsigned at)
{
    return at == 0 || g->target[at] || xk_inst_is_branch(&g->inst[at - 1]) ||
           !has_follower(g, at - 1);
}

/* Nothing that is known leads to it: a function that is called by register. */
static bool is_entry(const struct xk_wa_program *g, unsigned at)
{
    return at > 0 && !g->target[at] && !calls_function(&g->inst[at - 1]) &&
           !has_follower(g, at - 1);
}

/* Whether the branch may lead to `at`. A call leads to the instruction behind
 * it by the return of any function. */
static bool leads_to(const struct xk_wa_program *g, unsigned branch,
                     unsigned at)
{
    const struct xk_inst *const i = &g->inst[branch];

    if (!xk_inst_is_branch(i))
        return false;
    return xk_wa_jumps_to(g, branch, at) ||
           (i->op == XK_OPC_RET && at > 0 &&
            calls_function(&g->inst[at - 1])) ||
           (goes_by_register(i) && is_entry(g, at));
}

struct search {
    const struct xk_wa_program *g;
    xk_wa_step_fn *step;
    unsigned what, n_todo;
    uint16_t todo[XK_WA_MOST_SEEN]; /* instructions whose ways are still open */
    /* Tokens that all instructions from it on wait for, on each way. */
    uint32_t waited[XK_WA_MOST_SEEN];
    bool seen[XK_WA_MOST_SEEN], queued[XK_WA_MOST_SEEN];
};

static void come_to(struct search *s, unsigned at, uint32_t waited)
{
    if (s->seen[at] && (s->waited[at] & ~waited) == 0)
        return;
    s->waited[at] = s->seen[at] ? s->waited[at] & waited : waited;
    s->seen[at] = true;
    if (!s->queued[at])
        s->todo[s->n_todo++] = (uint16_t)at;
    s->queued[at] = true;
}

/* From what stands behind it; true: found. */
static bool pass(struct search *s, unsigned at, uint32_t waited)
{
    const enum xk_wa_step step = s->step(s->g, at, waited, s->what);

    if (step == XK_WA_PASSES)
        come_to(s, at, waited | xk_wa_tokens_waited(&s->g->inst[at]));
    return step == XK_WA_FOUND;
}

static bool pass_all_before(struct search *s, unsigned at)
{
    const struct xk_wa_program *const g = s->g;
    const uint32_t waited = s->waited[at];

    if (g->target[at] || is_entry(g, at) ||
        (at && calls_function(&g->inst[at - 1])))
        for (unsigned k = 0; k < g->n; k++)
            if (leads_to(g, k, at) && pass(s, k, waited))
                return true;
    return at > 0 && has_follower(g, at - 1) && pass(s, at - 1, waited);
}

/* For a program that is too long to be followed: whether any is found. */
static bool finds_any(const struct xk_wa_program *g, xk_wa_step_fn *step,
                      unsigned what)
{
    for (unsigned k = 0; k < g->n; k++)
        if (step(g, k, 0, what) == XK_WA_FOUND)
            return true;
    return false;
}

bool xk_wa_finds_before(const struct xk_wa_program *g, unsigned at,
                        xk_wa_step_fn *step, unsigned what, bool *begins)
{
    struct search s;
    bool found = false;

    *begins = !g->target;
    if (!g->target)
        return finds_any(g, step, what);
    s.g = g;
    s.step = step;
    s.what = what;
    s.n_todo = 0;
    memset(s.seen, 0, g->n * sizeof *s.seen);
    memset(s.queued, 0, g->n * sizeof *s.queued);
    come_to(&s, at, xk_wa_tokens_waited(&g->inst[at]));
    while (s.n_todo && !found) {
        const unsigned k = s.todo[--s.n_todo];
        s.queued[k] = false;
        *begins |= k == 0;
        found = pass_all_before(&s, k);
    }
    return found;
}
