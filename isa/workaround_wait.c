/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions wait for, as the rules of workaround_*.c ask it. */
#include "isa/workaround_rule.h"

uint32_t xk_wa_tokens_waited(const struct xk_inst *i)
{
    uint32_t set = 0;

    if (i->swsb.mode == XK_SBID_DST || i->swsb.mode == XK_SBID_SET)
        set |= 1u << i->swsb.sbid % 32;
    if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLWR)
        set |= i->src[0].file == XK_FILE_IMM ? (uint32_t)i->src[0].imm
                                             : UINT32_MAX;
    return set;
}

/* The instruction waits for one so many of its pipe before. If there is one
 * pipe, messages and syncs wait for it as well. */
static bool waits_for(const struct xk_wa_program *g, const struct xk_inst *i,
                      enum xk_pipe pipe, unsigned n)
{
    const enum xk_pipe named = (enum xk_pipe)i->swsb.pipe;

    return i->swsb.dist && i->swsb.dist <= n &&
           (named == XK_PIPE_ALL || named == pipe ||
            (named == XK_PIPE_NONE &&
             (pipe == XK_PIPE_ALL || xk_inst_pipe(g->p, i) == pipe)));
}

bool xk_wa_distance_reaches(const struct xk_wa_program *g, unsigned from,
                            unsigned at)
{
    const enum xk_pipe pipe = xk_inst_pipe(g->p, &g->inst[from]);
    unsigned n = 1;

    for (unsigned k = from + 1; k <= at; k++) {
        if (waits_for(g, &g->inst[k], pipe, n))
            return true;
        n += xk_inst_pipe(g->p, &g->inst[k]) == pipe;
    }
    return false;
}

static bool token_is_waited(const struct xk_wa_program *g, unsigned from,
                            unsigned at)
{
    const struct xk_swsb *const s = &g->inst[from].swsb;
    bool waited = s->mode != XK_SBID_SET;

    for (unsigned k = from + 1; k <= at && !waited; k++)
        waited = xk_wa_tokens_waited(&g->inst[k]) >> s->sbid % 32 & 1;
    return waited;
}

bool xk_wa_meets_open_write(const struct xk_wa_program *g, unsigned at,
                            struct xk_footprint regs, xk_wa_writer_fn *counts)
{
    if (!g->target)
        return true;
    for (unsigned k = at; !xk_wa_begins_block(g, k); k--) {
        const struct xk_inst *const w = &g->inst[k - 1];

        if (w->dst.indirect || !counts(g->p, w) ||
            !xk_footprints_meet(regs, xk_inst_footprint(g->p, w, -1)))
            continue;
        if (xk_inst_is_out_of_order(g->p, w)
                ? !token_is_waited(g, k - 1, at)
                : at - (k - 1) <= XK_WA_PIPE_WINDOW &&
                      !xk_wa_distance_reaches(g, k - 1, at))
            return true;
    }
    return false;
}
