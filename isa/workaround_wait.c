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

bool xk_wa_token_is_waited(const struct xk_wa_program *g, unsigned from,
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
    if (!g->target || regs.end_b == 0)
        return regs.end_b != 0;
    for (unsigned k = at; !xk_wa_begins_block(g, k); k--) {
        const struct xk_inst *const w = &g->inst[k - 1];

        if (w->dst.indirect || !counts(g->p, w) ||
            !xk_footprints_meet(regs, xk_inst_footprint(g->p, w, -1)))
            continue;
        if (xk_inst_is_out_of_order(g->p, w)
                ? !xk_wa_token_is_waited(g, k - 1, at)
                : at - (k - 1) <= XK_WA_PIPE_WINDOW &&
                      !xk_wa_distance_reaches(g, k - 1, at))
            return true;
    }
    return false;
}

/* Whether what the annotation names is unmasked: the token's last user, or the
 * one so many before in the only pipe. */
static bool waits_for_unmasked(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_swsb *const s = &g->inst[at].swsb;
    bool token = s->mode == XK_SBID_DST || s->mode == XK_SBID_SRC;
    bool unmasked = false;
    unsigned n = 0;

    for (unsigned k = at; k-- > 0 && (token || n < s->dist);) {
        const struct xk_inst *const w = &g->inst[k];
        const bool in_order = xk_inst_pipe(g->p, w) == XK_PIPE_ALL;
        n += in_order;
        unmasked |= in_order && s->dist && n == s->dist && w->no_mask;
        if (token && w->swsb.mode == XK_SBID_SET && w->swsb.sbid == s->sbid) {
            token = false;
            unmasked |= w->no_mask;
        }
    }
    return unmasked;
}

bool xk_wa_lacks_dead_block_sync(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return !i->no_mask && waits_for_unmasked(g, at) && xk_wa_is_guarded(g, at);
}

/* The register of its payload so many from the end; 0, 0: none. */
static struct xk_footprint payload_register(const struct xk_wa_program *g,
                                            const struct xk_inst *send,
                                            unsigned back)
{
    const uint32_t grf_b = g->p->grf_b;

    for (int k = 1; k >= 0; k--) {
        const struct xk_footprint f = xk_inst_footprint(g->p, send, k);
        const unsigned n = (f.end_b - f.first_b) / grf_b;
        const uint32_t end_b = f.end_b - back * grf_b;
        if (back < n)
            return (struct xk_footprint){end_b - grf_b, end_b};
        back -= n;
    }
    return (struct xk_footprint){0, 0};
}

/* The tokens whose payloads it waits for. */
static uint32_t reads_waited(const struct xk_inst *i)
{
    uint32_t set = i->swsb.mode == XK_SBID_SRC ? 1u << i->swsb.sbid % 32 : 0;

    if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLRD)
        set |= i->src[0].file == XK_FILE_IMM ? (uint32_t)i->src[0].imm
                                             : UINT32_MAX;
    return set;
}

/* Whether, between the send at `from` and `at`, there is a wait for its payload
 * and no instruction behind that reads the register. */
static bool only_read_is_waited(const struct xk_wa_program *g, unsigned from,
                                unsigned at, struct xk_footprint reg)
{
    const unsigned token = g->inst[from].swsb.sbid % 32;
    bool waited = false;

    for (unsigned k = from + 1; k <= at; k++) {
        const struct xk_inst *const i = &g->inst[k];
        for (int s = 0; waited && k < at && !xk_inst_is_send(i) && s < 3; s++)
            if (xk_footprints_meet(reg, xk_inst_footprint(g->p, i, s)))
                return false;
        waited |= reads_waited(i) >> token & 1;
    }
    return waited;
}

bool xk_wa_lacks_send_war(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_footprint d = xk_inst_footprint(g->p, i, -1);

    if (xk_inst_is_send(i) || i->dst.indirect || d.end_b == 0)
        return false;
    if (!g->target)
        return true;
    for (unsigned k = at; !xk_wa_begins_block(g, k); k--) {
        const struct xk_inst *const s = &g->inst[k - 1];
        if (!xk_inst_is_send(s) || xk_wa_token_is_waited(g, k - 1, at))
            continue;
        for (unsigned back = 0; back < 2; back++) {
            const struct xk_footprint r = payload_register(g, s, back);
            if (xk_footprints_meet(d, r) &&
                only_read_is_waited(g, k - 1, at, r))
                return true;
        }
    }
    return false;
}
