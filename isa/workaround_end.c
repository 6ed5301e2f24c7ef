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

static bool is_end_fence(const struct xk_wa_program *g, unsigned at,
                         unsigned end)
{
    struct xk_msg m;

    if (!xk_inst_is_send(&g->inst[at]) ||
        g->inst[at].send.sfid != XK_SFID_UGM ||
        g->inst[at].pred != XK_PRED_NONE ||
        g->inst[at].swsb.mode != XK_SBID_SET)
        return false;
    xk_msg_decode(g->p, &g->inst[at], &m);
    return m.op == XK_MOP_FENCE && m.fence_scope >= XK_WA_SCOPE_TILE &&
           xk_wa_token_is_waited(g, at, end);
}

bool xk_wa_lacks_eot_ugm_fence(const struct xk_wa_program *g, unsigned at)
{
    if (!xk_wa_is_eot(g, at))
        return false;
    for (unsigned k = at; k-- > 0;) {
        if (is_end_fence(g, k, at))
            return false;
        if (xk_wa_is_late_store(g->p, &g->inst[k]))
            return true;
    }
    return false;
}

static bool is_hdc_fence(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;

    if (!xk_inst_is_send(&g->inst[at]) || !xk_wa_is_hdc(&g->inst[at]))
        return false;
    xk_msg_decode(g->p, &g->inst[at], &m);
    return m.op == XK_MOP_FENCE;
}

/* A write by an old port without a fence before the end. */
static bool ends_after(const struct xk_wa_program *g, unsigned at, bool scratch)
{
    if (!xk_wa_is_eot(g, at))
        return false;
    for (unsigned k = at; k-- > 0;) {
        struct xk_msg m;
        if (is_hdc_fence(g, k))
            return false;
        if (!xk_inst_is_send(&g->inst[k]) || !xk_wa_is_hdc(&g->inst[k]))
            continue;
        xk_msg_decode(g->p, &g->inst[k], &m);
        if ((xk_msg_op_class(m.op) == XK_MCLASS_STORE ||
             xk_msg_op_class(m.op) == XK_MCLASS_ATOMIC) &&
            (m.kind == XK_MSG_DC0_SCRATCH_STORE) == scratch)
            return true;
    }
    return false;
}

bool xk_wa_lacks_eot_hdc_fence(const struct xk_wa_program *g, unsigned at)
{
    return ends_after(g, at, false);
}

bool xk_wa_lacks_eot_scratch(const struct xk_wa_program *g, unsigned at)
{
    return ends_after(g, at, true);
}

/* A sync before may carry it where the end waits for a token. */
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

/* Nothing between the clearing and the end uses it again. */
bool xk_wa_lacks_eot_acc_clear(const struct xk_wa_program *g, unsigned at)
{
    if (!xk_wa_is_eot(g, at))
        return false;
    for (unsigned k = at; k-- > 0;) {
        if (clears_acc(&g->inst[k]))
            return false;
        if (xk_inst_acc_use(&g->inst[k]) || xk_inst_is_branch(&g->inst[k]))
            return true;
    }
    return true;
}

bool xk_wa_lacks_eot_csel(const struct xk_wa_program *g, unsigned at)
{
    if (!xk_wa_is_eot(g, at) || g->grf_count != 256)
        return false;
    unsigned seen = 0;
    for (unsigned k = at; k-- > 0 && at - k <= 4;)
        if (g->inst[k].op == XK_OPC_CSEL)
            seen |= xk_is_float_type(g->inst[k].dst.type) ? 1 : 2;
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
