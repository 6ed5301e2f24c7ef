/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for how a thread begins and ends. */
#include "isa/workaround_rule.h"

#define GRF_EOT 16 /* the last so many registers may carry an EOT */

/* L1 keeps nothing of it, so it may still be on its way when the thread has
 * ended. */
bool xk_wa_is_late_store(const struct xk_platform *p, const struct xk_inst *i)
{
    struct xk_msg m;

    if (!xk_inst_is_send(i) || i->send.eot)
        return false;
    xk_msg_decode(p, i, &m);
    const enum xk_msg_class c = xk_msg_op_class(m.op);
    const bool returns = i->dst.file == XK_FILE_GRF;
    const bool store =
        c == XK_MCLASS_STORE || (c == XK_MCLASS_ATOMIC && !returns);

    if (xk_wa_is_hdc(i))
        return store && m.bti != XK_BTI_SLM &&
               m.kind != XK_MSG_DC0_SCRATCH_STORE;
    if (i->send.sfid != XK_SFID_UGM || !store)
        return false;
    return c == XK_MCLASS_ATOMIC ||
           (m.l1 != XK_CACHE_WB && m.l1 != XK_CACHE_ST);
}

/* A fence of that port which runs on every way and is waited for; of the old
 * port with a result to wait for. */
static bool is_done_fence(const struct xk_wa_program *g, unsigned at,
                          uint32_t waited, struct xk_msg *m)
{
    const struct xk_inst *const i = &g->inst[at];

    if (!xk_inst_is_send(i) || i->pred != XK_PRED_NONE ||
        i->swsb.mode != XK_SBID_SET || !(waited >> i->swsb.sbid % 32 & 1))
        return false;
    xk_msg_decode(g->p, i, m);
    return m->op == XK_MOP_FENCE && (!xk_wa_is_hdc(i) || m->commit);
}

static enum xk_wa_step step_to_late_store(const struct xk_wa_program *g,
                                          unsigned at, uint32_t waited,
                                          unsigned what)
{
    struct xk_msg m;

    (void)what;
    if (is_done_fence(g, at, waited, &m) &&
        g->inst[at].send.sfid == XK_SFID_UGM &&
        m.fence_scope >= XK_WA_SCOPE_TILE)
        return XK_WA_STOPS;
    return xk_wa_is_late_store(g->p, &g->inst[at]) ? XK_WA_FOUND : XK_WA_PASSES;
}

bool xk_wa_lacks_eot_ugm_fence(const struct xk_wa_program *g, unsigned at)
{
    bool begins;
    return xk_wa_is_eot(g, at) &&
           xk_wa_finds_before(g, at, step_to_late_store, 0, &begins);
}

/* What a message writes, and what a fence is for. */
enum place {
    TO_GLOBAL = 1,
    TO_SLM = 2,
    TO_TYPED = 4,   /* images, of LSC; the old port counts them as global */
    TO_SCRATCH = 8, /* of the old port */
};

static unsigned written_by(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool lsc = g->p->id != XK_PLATFORM_XELP;
    struct xk_msg m;

    if (!xk_inst_is_send(i) || i->send.eot)
        return 0;
    xk_msg_decode(g->p, i, &m);
    const enum xk_msg_class c = xk_msg_op_class(m.op);
    if (c != XK_MCLASS_STORE && c != XK_MCLASS_ATOMIC)
        return 0;
    if (m.space == XK_MSPACE_SLM)
        return TO_SLM;
    if (lsc && i->send.sfid == XK_SFID_TGM)
        return TO_TYPED;
    return !lsc && m.space == XK_MSPACE_SCRATCH ? TO_SCRATCH : TO_GLOBAL;
}

/* Without LSC one fence is for SLM, the other one for the rest; with it one of
 * UGM is for SLM, too (insertFenceBeforeEOT). */
static unsigned fenced_by(const struct xk_wa_program *g, unsigned at,
                          uint32_t waited)
{
    struct xk_msg m;

    if (!is_done_fence(g, at, waited, &m))
        return 0;
    switch (g->inst[at].send.sfid) {
    case XK_SFID_UGM:
        return TO_GLOBAL | TO_SLM;
    case XK_SFID_SLM:
        return TO_SLM;
    case XK_SFID_TGM:
        return TO_TYPED;
    default:
        return m.bti == XK_BTI_SLM ? TO_SLM : TO_GLOBAL | TO_SCRATCH;
    }
}

static enum xk_wa_step step_to_write(const struct xk_wa_program *g, unsigned at,
                                     uint32_t waited, unsigned what)
{
    if (fenced_by(g, at, waited) & what)
        return XK_WA_STOPS;
    return written_by(g, at) & what ? XK_WA_FOUND : XK_WA_PASSES;
}

bool xk_wa_lacks_eot_hdc_fence(const struct xk_wa_program *g, unsigned at)
{
    bool begins;
    for (unsigned what = TO_GLOBAL; what <= TO_TYPED; what *= 2)
        if (xk_wa_is_eot(g, at) &&
            xk_wa_finds_before(g, at, step_to_write, what, &begins))
            return true;
    return false;
}

bool xk_wa_lacks_eot_scratch(const struct xk_wa_program *g, unsigned at)
{
    bool begins;
    return xk_wa_is_eot(g, at) &&
           xk_wa_finds_before(g, at, step_to_write, TO_SCRATCH, &begins);
}

static enum xk_wa_step step_to_signal(const struct xk_wa_program *g,
                                      unsigned at, uint32_t waited,
                                      unsigned what)
{
    const struct xk_inst *const i = &g->inst[at];
    struct xk_msg m;

    (void)waited, (void)what;
    if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_BAR)
        return XK_WA_STOPS;
    if (!xk_inst_is_send(i) || i->send.eot)
        return XK_WA_PASSES;
    xk_msg_decode(g->p, i, &m);
    return xk_msg_op_class(m.op) == XK_MCLASS_BARRIER ? XK_WA_FOUND
                                                      : XK_WA_PASSES;
}

bool xk_wa_lacks_eot_barrier(const struct xk_wa_program *g, unsigned at)
{
    bool begins;
    return xk_wa_is_eot(g, at) &&
           xk_wa_finds_before(g, at, step_to_signal, 0, &begins);
}

/* A token that the end waits for stands on a sync before it. */
bool xk_wa_lacks_eot_distance(const struct xk_wa_program *g, unsigned at)
{
    return xk_wa_is_eot(g, at) && !xk_wa_waits_for_all(g, &g->inst[at]);
}

/* acc0 of all lanes becomes 0, whatever the mask. */
static bool clears_acc(const struct xk_inst *i)
{
    return i->op == XK_OPC_MOV && i->no_mask && !i->pred && i->exec == 16 &&
           xk_is_acc(&i->dst) && i->dst.sub_b == 0 &&
           i->src[0].file == XK_FILE_IMM && i->src[0].imm == 0;
}

static enum xk_wa_step step_to_acc(const struct xk_wa_program *g, unsigned at,
                                   uint32_t waited, unsigned what)
{
    (void)waited, (void)what;
    if (clears_acc(&g->inst[at]))
        return XK_WA_STOPS;
    return xk_inst_acc_use(&g->inst[at]) ? XK_WA_FOUND : XK_WA_PASSES;
}

/* On each way it is cleared, and nothing behind that uses it again. */
bool xk_wa_lacks_eot_acc_clear(const struct xk_wa_program *g, unsigned at)
{
    bool begins;
    return xk_wa_is_eot(g, at) &&
           (xk_wa_finds_before(g, at, step_to_acc, 0, &begins) || begins);
}

/* Both stand in the block of the end, with little between. */
bool xk_wa_lacks_eot_csel(const struct xk_wa_program *g, unsigned at)
{
    unsigned seen = 0;

    if (!xk_wa_is_eot(g, at) || g->grf_count != 256)
        return false;
    if (!g->target)
        return true;
    for (unsigned k = at; !xk_wa_begins_block(g, k) && at - k < 4; k--)
        if (g->inst[k - 1].op == XK_OPC_CSEL)
            seen |= xk_is_float_type(g->inst[k - 1].dst.type) ? 1 : 2;
    return seen != 3;
}

bool xk_wa_lacks_first_no_mask(const struct xk_wa_program *g, unsigned at)
{
    return at == 0 && !g->inst[0].no_mask && g->inst[0].op != XK_OPC_SYNC &&
           g->inst[0].op != XK_OPC_NOP;
}

bool xk_wa_clears_sources(const struct xk_inst *i)
{
    if (i->op != XK_OPC_CSEL)
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (i->src[k].file != i->dst.file || i->src[k].reg != i->dst.reg ||
            i->src[k].sub_b != i->dst.sub_b || i->src[k].neg || i->src[k].abs)
            return false;
    return true;
}

bool xk_wa_lacks_split_barrier_r0(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_footprint f = xk_inst_footprint(g->p, i, -1);

    if (xk_wa_clears_sources(i))
        return false;
    if (f.end_b == 0 || f.first_b >= g->p->grf_b || i->dst.rgn.vs == XK_VS_VXH)
        return false;
    for (unsigned k = 0; k < g->n; k++)
        if (g->inst[k].op == XK_OPC_SYNC && g->inst[k].sync_fn == XK_SYNC_BAR)
            return true;
    return false;
}

bool xk_wa_lacks_eot_is_last(const struct xk_wa_program *g, unsigned at)
{
    return xk_wa_is_eot(g, at) && at == g->n - 1 && !g->tail_b;
}

bool xk_wa_lacks_eot_file_end(const struct xk_wa_program *g, unsigned at)
{
    if (!xk_wa_is_eot(g, at) || !g->grf_count)
        return false;
    for (int k = 0; k < 2; k++) {
        const struct xk_footprint f = xk_inst_footprint(g->p, &g->inst[at], k);
        if (f.end_b && (f.first_b < (g->grf_count - GRF_EOT) * g->p->grf_b ||
                        f.end_b > g->grf_count * g->p->grf_b))
            return true;
    }
    return false;
}
