/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for messages: fences, shared local memory, scratch, where sends stand.
 */
#include "isa/workaround_rule.h"

#define EARLY_SENDS 8  /* instructions */
#define SLM_BLOCK_B 64 /* of DG2-G10 A0 */
#define FLUSH_NONE 0   /* codes of LSC fences */
#define FLUSH_EVICT 1
#define FLUSH_INVALIDATE 2
#define FENCE_TO_LSC 18 /* bit of its descriptor, for DG2-G10 A0 */

/* Types of messages of dc1, bits 18:14 and 9:8 of the descriptor. */
#define A64_BYTE_LOAD 0x40000
#define A64_BYTE_STORE 0x68000

static bool fence_of(const struct xk_wa_program *g, unsigned at,
                     enum xk_sfid sfid, struct xk_msg *m)
{
    if (!xk_inst_is_send(&g->inst[at]) || g->inst[at].send.sfid != sfid)
        return false;
    xk_msg_decode(g->p, &g->inst[at], m);
    return m->op == XK_MOP_FENCE;
}

bool xk_wa_lacks_fence_flush(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;
    return fence_of(g, at, XK_SFID_UGM, &m) &&
           m.fence_scope > XK_WA_SCOPE_LOCAL && m.fence_flush == FLUSH_NONE;
}

bool xk_wa_lacks_ugm_fence_scope(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;
    return fence_of(g, at, XK_SFID_UGM, &m) &&
           m.fence_scope < XK_WA_SCOPE_TILE &&
           (m.fence_flush == FLUSH_EVICT || m.fence_flush == FLUSH_INVALIDATE);
}

/* A fence of the old port whose result nobody has waited for; other messages
 * are asked for themselves. */
static enum xk_wa_step step_to_open_fence(const struct xk_wa_program *g,
                                          unsigned at, uint32_t waited,
                                          unsigned what)
{
    const struct xk_swsb *const s = &g->inst[at].swsb;
    struct xk_msg m;

    (void)what;
    if (!xk_inst_is_send(&g->inst[at]))
        return XK_WA_PASSES;
    return fence_of(g, at, XK_SFID_DC0, &m) &&
                   (s->mode != XK_SBID_SET || !(waited >> s->sbid % 32 & 1))
               ? XK_WA_FOUND
               : XK_WA_STOPS;
}

/* The fence itself, and the message, barrier or end that does not wait for
 * it. */
bool xk_wa_lacks_fence_commit(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    struct xk_msg m;
    bool begins;

    if (fence_of(g, at, XK_SFID_DC0, &m) && !m.commit)
        return true;
    return (xk_inst_is_send(i) ||
            (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_BAR)) &&
           xk_wa_finds_before(g, at, step_to_open_fence, 0, &begins);
}

bool xk_wa_is_guarded(const struct xk_wa_program *g, unsigned at)
{
    unsigned depth = 0;

    for (unsigned k = 0; k < at; k++) {
        depth += g->inst[k].op == XK_OPC_IF;
        depth -= g->inst[k].op == XK_OPC_ENDIF && depth;
    }
    return depth > 0;
}

bool xk_wa_lacks_dead_block(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return xk_inst_is_send(i) && i->no_mask && !i->pred && !i->send.eot &&
           xk_wa_is_guarded(g, at);
}

bool xk_wa_lacks_fused_call(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return (i->op == XK_OPC_CALL || i->op == XK_OPC_CALLA) &&
           i->src[0].file == XK_FILE_GRF;
}

bool xk_wa_lacks_call_distance(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return (i->op == XK_OPC_CALL || i->op == XK_OPC_CALLA ||
            i->op == XK_OPC_RET) &&
           !xk_wa_is_behind_all(g, at);
}

bool xk_wa_lacks_call_register(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_CALLA && i->src[0].file == XK_FILE_GRF &&
           i->src[0].sub_b;
}

bool xk_wa_lacks_send_overlap(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_footprint d = xk_inst_footprint(g->p, &g->inst[at], -1);

    if (!xk_inst_is_send(&g->inst[at]))
        return false;
    for (int k = 0; k < 2; k++)
        if (xk_footprints_meet(d, xk_inst_footprint(g->p, &g->inst[at], k)))
            return true;
    return false;
}

bool xk_wa_lacks_early_send(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_swsb *const s = &g->inst[at].swsb;
    return at < EARLY_SENDS && xk_inst_is_send(&g->inst[at]) && s->dist &&
           s->pipe != XK_PIPE_ALL;
}

static bool reaches_slm(const struct xk_inst *i, const struct xk_msg *m)
{
    return i->send.sfid == XK_SFID_SLM ||
           (xk_wa_is_hdc(i) && m->bti == XK_BTI_SLM);
}

static bool is_slm_load(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;

    if (!xk_inst_is_send(&g->inst[at]) || xk_is_null(&g->inst[at].dst))
        return false;
    xk_msg_decode(g->p, &g->inst[at], &m);
    return m.op != XK_MOP_FENCE && reaches_slm(&g->inst[at], &m);
}

/* A store, an atomic without a response, a fence. */
static bool orders_slm(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;

    if (!xk_inst_is_send(&g->inst[at]) || g->inst[at].send.eot)
        return false;
    xk_msg_decode(g->p, &g->inst[at], &m);
    return reaches_slm(&g->inst[at], &m) &&
           (m.op == XK_MOP_FENCE || xk_is_null(&g->inst[at].dst));
}

static enum xk_wa_step step_to_slm_load(const struct xk_wa_program *g,
                                        unsigned at, uint32_t waited,
                                        unsigned what)
{
    (void)what;
    return is_slm_load(g, at) && !(waited >> g->inst[at].swsb.sbid % 32 & 1)
               ? XK_WA_FOUND
               : XK_WA_PASSES;
}

bool xk_wa_lacks_slm_war(const struct xk_wa_program *g, unsigned at)
{
    bool begins;

    return orders_slm(g, at) &&
           xk_wa_finds_before(g, at, step_to_slm_load, 0, &begins);
}

static bool scratch_of(const struct xk_wa_program *g, unsigned at,
                       struct xk_msg *m)
{
    if (!xk_inst_is_send(&g->inst[at]) || g->inst[at].send.sfid != XK_SFID_UGM)
        return false;
    xk_msg_decode(g->p, &g->inst[at], m);
    return m->addr_type == XK_LSC_SS && !m->transpose;
}

bool xk_wa_lacks_scratch_wide(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;
    return scratch_of(g, at, &m) && m.vec == 8;
}

bool xk_wa_lacks_scratch_d64(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;
    return scratch_of(g, at, &m) && m.data_b == 8;
}

bool xk_wa_lacks_slm_block(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;

    if (!xk_inst_is_send(&g->inst[at]) || g->inst[at].send.sfid != XK_SFID_SLM)
        return false;
    xk_msg_decode(g->p, &g->inst[at], &m);
    return m.transpose && m.data_b * m.vec > SLM_BLOCK_B;
}

/* The SLM load at `at` writes the register behind its destination, too: whether
 * an instruction before the wait for it touches that one. Past a branch nothing
 * is said. */
bool xk_wa_lacks_slm_two_grf(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const s = &g->inst[at];
    struct xk_footprint d = xk_inst_footprint(g->p, s, -1);

    if (!is_slm_load(g, at) || s->exec > 8 || d.end_b - d.first_b > g->p->grf_b)
        return false;
    d.first_b += g->p->grf_b;
    d.end_b = d.first_b + g->p->grf_b;
    for (unsigned k = at + 1; k < g->n; k++) {
        if (xk_wa_tokens_waited(&g->inst[k]) >> s->swsb.sbid % 32 & 1 ||
            xk_inst_is_branch(&g->inst[k]))
            return false;
        for (int o = -1; o < 3; o++)
            if (xk_footprints_meet(d, xk_inst_footprint(g->p, &g->inst[k], o)))
                return true;
    }
    return false;
}

/* Addresses and data of a message that has an address a lane. */
static bool has_registers_for(const struct xk_platform *p,
                              const struct xk_msg *m, unsigned lanes)
{
    const unsigned plane = (lanes * m->reg_b + p->grf_b - 1) / p->grf_b;
    const unsigned data = m->dst_grf ? m->dst_grf : m->src1_grf;

    return m->src0_grf * p->grf_b >= lanes * m->addr_b &&
           (!data || data >= m->vec * plane);
}

/* Decodes a message to LSC's memory or SLM; false: it is none. */
static bool decode_lsc(const struct xk_wa_program *g, unsigned at,
                       struct xk_msg *m)
{
    const struct xk_inst *const i = &g->inst[at];

    if (!xk_inst_is_send(i) ||
        (i->send.sfid != XK_SFID_UGM && i->send.sfid != XK_SFID_SLM))
        return false;
    xk_msg_decode(g->p, i, m);
    return true;
}

/* Lanes of the widest message: each has two bytes of a register. */
static unsigned widest_lanes(const struct xk_wa_program *g)
{
    return g->p->grf_b / 2;
}

bool xk_wa_lacks_lsc_half_lanes(const struct xk_wa_program *g, unsigned at)
{
    const unsigned widest = widest_lanes(g);
    struct xk_msg m;

    if (!decode_lsc(g, at, &m))
        return false;
    const enum xk_msg_class c = xk_msg_op_class(m.op);
    const bool by_lanes =
        c == XK_MCLASS_LOAD || c == XK_MCLASS_STORE || c == XK_MCLASS_ATOMIC;
    return by_lanes && !m.transpose && m.op != XK_MOP_LOAD_BLOCK2D &&
           m.op != XK_MOP_STORE_BLOCK2D && g->inst[at].exec < widest &&
           !has_registers_for(g->p, &m, widest);
}

/* What data of several registers need is not known. */
bool xk_wa_lacks_xl_lsc_block(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;

    return decode_lsc(g, at, &m) && m.transpose &&
           m.src0_grf * g->p->grf_b < widest_lanes(g) * m.addr_b;
}

/* Only fences that say so reach LSC there. */
bool xk_wa_lacks_ugm_backup(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;
    return xk_inst_is_send(&g->inst[at]) &&
           g->inst[at].send.sfid == XK_SFID_UGM &&
           (!fence_of(g, at, XK_SFID_UGM, &m) ||
            !(g->inst[at].send.desc >> FENCE_TO_LSC & 1));
}

/* The vendor's loop takes the lanes of one upper half in each round, by a
 * predicate; it has none for atomics. Whether all lanes have the same half is
 * not looked for. */
bool xk_wa_lacks_a64_uniform(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    struct xk_msg m;

    if (!xk_inst_is_send(i) || !xk_wa_is_hdc(i) || i->exec == 1 || i->pred)
        return false;
    xk_msg_decode(g->p, i, &m);
    const enum xk_msg_class c = xk_msg_op_class(m.op);
    return m.space == XK_MSPACE_FLAT && m.addr_b == 8 && !m.transpose &&
           (c == XK_MCLASS_LOAD || c == XK_MCLASS_STORE);
}

/* Its code of the size is none of the table of messages. */
bool xk_wa_lacks_a64_bytes8(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const uint32_t type = i->send.desc & 0x7c300;

    return xk_inst_is_send(i) && i->send.sfid == XK_SFID_DC1 &&
           (type == A64_BYTE_LOAD || type == A64_BYTE_STORE) &&
           (i->send.desc >> 10 & 3) == 3;
}

bool xk_wa_lacks_a64_atomic8(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    struct xk_msg m;

    if (!xk_inst_is_send(i) || !xk_wa_is_hdc(i) || i->exec <= 8)
        return false;
    xk_msg_decode(g->p, i, &m);
    return m.space == XK_MSPACE_FLAT && m.addr_b == 8 &&
           xk_msg_op_class(m.op) == XK_MCLASS_ATOMIC;
}

/* A predicated load, and a branch at which lanes part; syncs may stand
 * between. */
bool xk_wa_lacks_rs_generic(const struct xk_wa_program *g, unsigned at)
{
    if (!xk_wa_is_predicated_load(&g->inst[at]) &&
        !xk_wa_parts_lanes(&g->inst[at]))
        return false;
    if (!g->target)
        return true;
    while (!xk_wa_begins_block(g, at) && g->inst[at - 1].op == XK_OPC_SYNC)
        at--;
    return xk_wa_begins_block(g, at) || !xk_wa_clears_sources(&g->inst[at - 1]);
}

bool xk_wa_lacks_slm_fence_scope(const struct xk_wa_program *g, unsigned at)
{
    struct xk_msg m;
    return fence_of(g, at, XK_SFID_SLM, &m) && (m.fence_scope || m.fence_flush);
}
