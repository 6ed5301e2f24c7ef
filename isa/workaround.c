/* SPDX-License-Identifier: Apache-2.0 */
/* The table of workarounds, and one small function per lint rule. */
#include "isa/workaround.h"

#include <string.h>

#include "base/alloc.h"
#include "isa/loaded.h"
#include "isa/message.h"
#include "isa/validate.h"

#define GRF_EOT 16     /* the last so many registers may carry an EOT */
#define EARLY_SENDS 8  /* instructions */
#define SLM_BLOCK_B 64 /* of DG2-G10 A0 */
#define SCOPE_LOCAL 1  /* codes of LSC fences */
#define SCOPE_TILE 2
#define FLUSH_NONE 0
#define PIPE_WINDOW 11 /* instructions, workarounds.md 3.9 */
#define MOST_SEEN                                                              \
    16384 /* instructions; of longer programs the worst is said                \
           */

#define BIT(s) (1u << XK_STEP_##s)
enum {
    EACH = (1 << XK_N_STEPPINGS) - 1,
    ONLY_A0 = BIT(A0),
    FROM_C0 = BIT(C0) | BIT(C1),
    FROM_B0 = BIT(B0) | BIT(B1) | FROM_C0,
    BEFORE_C0 = EACH & ~FROM_C0,
};

typedef const struct xk_wa_program prog;

static void decode(prog *g, unsigned at, struct xk_msg *m)
{
    xk_msg_decode(g->p, &g->inst[at], m);
}

static bool is_send(const struct xk_inst *i)
{
    return xk_opcode_format(i->op) == XK_FMT_SEND;
}

static bool is_dpas(const struct xk_inst *i)
{
    return xk_opcode_format(i->op) == XK_FMT_DPAS;
}

static bool is_hdc(const struct xk_inst *i)
{
    return i->send.sfid == XK_SFID_DC0 || i->send.sfid == XK_SFID_DC1 ||
           i->send.sfid == XK_SFID_DC2;
}

static bool is_eot(prog *g, unsigned at)
{
    return is_send(&g->inst[at]) && g->inst[at].send.eot;
}

/* L1 keeps none of it: a flush by the end of the thread is not in sight. */
bool xk_wa_is_late_store(const struct xk_platform *p, const struct xk_inst *i)
{
    struct xk_msg m;

    if (!is_send(i) || i->send.eot)
        return false;
    xk_msg_decode(p, i, &m);
    const enum xk_msg_class c = xk_msg_op_class(m.op);
    const bool returns = i->dst.file == XK_FILE_GRF;
    const bool store =
        c == XK_MCLASS_STORE || (c == XK_MCLASS_ATOMIC && !returns);

    if (is_hdc(i))
        return store && m.bti != XK_BTI_SLM &&
               m.kind != XK_MSG_DC0_SCRATCH_STORE;
    if (i->send.sfid != XK_SFID_UGM || !store)
        return false;
    return c == XK_MCLASS_ATOMIC ||
           (m.l1 != XK_CACHE_WB && m.l1 != XK_CACHE_ST);
}

/* Between the send at `at` and `end` something waits for its response. */
static bool is_waited(prog *g, unsigned at, unsigned end)
{
    const struct xk_inst *const s = &g->inst[at];

    for (unsigned k = at + 1; k <= end; k++) {
        const struct xk_inst *const i = &g->inst[k];
        if (i->swsb.mode == XK_SBID_DST && i->swsb.sbid == s->swsb.sbid)
            return true;
        if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLWR)
            return true;
    }
    return false;
}

static bool is_end_fence(prog *g, unsigned at, unsigned end)
{
    struct xk_msg m;

    if (!is_send(&g->inst[at]) || g->inst[at].send.sfid != XK_SFID_UGM)
        return false;
    decode(g, at, &m);
    return m.op == XK_MOP_FENCE && m.fence_scope >= SCOPE_TILE &&
           is_waited(g, at, end);
}

static bool lacks_eot_ugm_fence(prog *g, unsigned at)
{
    if (!is_eot(g, at))
        return false;
    for (unsigned k = at; k-- > 0;) {
        if (is_end_fence(g, k, at))
            return false;
        if (xk_wa_is_late_store(g->p, &g->inst[k]))
            return true;
    }
    return false;
}

static bool is_hdc_fence(prog *g, unsigned at)
{
    struct xk_msg m;

    if (!is_send(&g->inst[at]) || !is_hdc(&g->inst[at]))
        return false;
    decode(g, at, &m);
    return m.op == XK_MOP_FENCE;
}

/* A write by an old port without a fence before the end. */
static bool ends_after(prog *g, unsigned at, bool scratch)
{
    if (!is_eot(g, at))
        return false;
    for (unsigned k = at; k-- > 0;) {
        struct xk_msg m;
        if (is_hdc_fence(g, k))
            return false;
        if (!is_send(&g->inst[k]) || !is_hdc(&g->inst[k]))
            continue;
        decode(g, k, &m);
        if ((xk_msg_op_class(m.op) == XK_MCLASS_STORE ||
             xk_msg_op_class(m.op) == XK_MCLASS_ATOMIC) &&
            (m.kind == XK_MSG_DC0_SCRATCH_STORE) == scratch)
            return true;
    }
    return false;
}

static bool lacks_eot_hdc_fence(prog *g, unsigned at)
{
    return ends_after(g, at, false);
}

static bool lacks_eot_scratch(prog *g, unsigned at)
{
    return ends_after(g, at, true);
}

static bool waits_for_all(prog *g, const struct xk_inst *i)
{
    const bool one_pipe = g->p->id == XK_PLATFORM_XELP;
    return i->swsb.dist == 1 &&
           i->swsb.pipe == (one_pipe ? XK_PIPE_NONE : XK_PIPE_ALL);
}

/* A sync before may carry it where the end waits for a token. */
static bool lacks_eot_distance(prog *g, unsigned at)
{
    return is_eot(g, at) && !waits_for_all(g, &g->inst[at]);
}

static bool lacks_eot_csel(prog *g, unsigned at)
{
    if (!is_eot(g, at) || g->grf_count != 256)
        return false;
    unsigned seen = 0;
    for (unsigned k = at; k-- > 0 && at - k <= 4;)
        if (g->inst[k].op == XK_OPC_CSEL)
            seen |= xk_is_float_type(g->inst[k].dst.type) ? 1 : 2;
    return seen != 3;
}

static bool lacks_first_no_mask(prog *g, unsigned at)
{
    return at == 0 && !g->inst[0].no_mask && g->inst[0].op != XK_OPC_SYNC &&
           g->inst[0].op != XK_OPC_NOP;
}

static bool fence_of(prog *g, unsigned at, enum xk_sfid sfid, struct xk_msg *m)
{
    if (!is_send(&g->inst[at]) || g->inst[at].send.sfid != sfid)
        return false;
    decode(g, at, m);
    return m->op == XK_MOP_FENCE;
}

static bool lacks_fence_flush(prog *g, unsigned at)
{
    struct xk_msg m;
    return fence_of(g, at, XK_SFID_UGM, &m) && m.fence_scope > SCOPE_LOCAL &&
           m.fence_flush == FLUSH_NONE;
}

static bool lacks_fence_commit(prog *g, unsigned at)
{
    struct xk_msg m;
    return fence_of(g, at, XK_SFID_DC0, &m) && !m.commit;
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

static bool lacks_split_barrier_r0(prog *g, unsigned at)
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

/* An unmasked send between if and endif. */
static bool lacks_dead_block(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    unsigned depth = 0;

    if (!is_send(i) || !i->no_mask || i->pred || i->send.eot)
        return false;
    for (unsigned k = 0; k < at; k++) {
        depth += g->inst[k].op == XK_OPC_IF;
        depth -= g->inst[k].op == XK_OPC_ENDIF && depth;
    }
    return depth > 0;
}

static bool lacks_fused_call(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return (i->op == XK_OPC_CALL || i->op == XK_OPC_CALLA) &&
           i->src[0].file == XK_FILE_GRF;
}

static bool lacks_dpas_atomic_8(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool joins = at > 0 && g->inst[at - 1].atomic;
    return is_dpas(i) && i->rcount != 8 && (i->atomic || joins);
}

static bool lacks_dpas_compact(prog *g, unsigned at)
{
    return is_dpas(&g->inst[at]) && g->inst[at].compacted;
}

static bool lacks_dpas_src0_half(prog *g, unsigned at)
{
    const struct xk_operand *const o = &g->inst[at].src[0];
    return is_dpas(&g->inst[at]) && !xk_is_null(o) &&
           (o->type == XK_RT_HF || o->type == XK_RT_BF);
}

static bool lacks_dpas_src2_half_grf(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return is_dpas(i) && i->rcount == 8 && i->src[2].sub_b;
}

static bool lacks_math_hf_packed(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_MATH && i->dst.type == XK_RT_HF && i->dst.sub_b &&
           i->exec > 1;
}

/* Both factors, and one is narrower than a dword that the other is. */
static bool lacks_mul_narrow_mods(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const unsigned first = i->op == XK_OPC_MAD;
    bool narrow = false, wide = false, mods = false;

    if ((i->op != XK_OPC_MUL && i->op != XK_OPC_MAD) ||
        xk_is_float_type(i->dst.type))
        return false;
    for (unsigned k = first; k < first + 2; k++) {
        narrow |= xk_reg_type_b(i->src[k].type) < 4;
        wide |= xk_reg_type_b(i->src[k].type) == 4;
        mods |= i->src[k].neg || i->src[k].abs;
    }
    return narrow && wide && mods;
}

static bool lacks_acc_stride(prog *g, unsigned at)
{
    const struct xk_operand *const d = &g->inst[at].dst;
    return xk_is_acc(d) && d->sub_b == 0 && d->rgn.hs > 1;
}

static bool lacks_send_overlap(prog *g, unsigned at)
{
    const struct xk_footprint d = xk_inst_footprint(g->p, &g->inst[at], -1);

    if (!is_send(&g->inst[at]))
        return false;
    for (int k = 0; k < 2; k++)
        if (xk_footprints_meet(d, xk_inst_footprint(g->p, &g->inst[at], k)))
            return true;
    return false;
}

static bool is_state(const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF &&
           (o->arf == XK_ARF_CR || o->arf == XK_ARF_SR || o->arf == XK_ARF_CE ||
            o->arf == XK_ARF_IP);
}

static bool uses_state(const struct xk_inst *i)
{
    bool any = is_state(&i->dst);
    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op) && !any; k++)
        any = is_state(&i->src[k]);
    return any && xk_opcode_format(i->op) != XK_FMT_BRANCH;
}

/* A sync of all pipes stands for the annotation. */
static bool lacks_state_distance(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_inst *const before = at > 0 ? i - 1 : NULL;

    if (uses_state(i) && !waits_for_all(g, i))
        return !before || before->op != XK_OPC_SYNC ||
               !waits_for_all(g, before);
    return before && uses_state(before) && !waits_for_all(g, i);
}

static bool lacks_a0_war(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool write = i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_A;
    const bool synced =
        at > 0 && i[-1].op == XK_OPC_SYNC && waits_for_all(g, i - 1);
    return write && at > 0 && !waits_for_all(g, i) && !synced;
}

static bool lacks_early_send(prog *g, unsigned at)
{
    const struct xk_swsb *const s = &g->inst[at].swsb;
    return at < EARLY_SENDS && is_send(&g->inst[at]) && s->dist &&
           s->pipe != XK_PIPE_ALL;
}

static bool lacks_plain_distance(prog *g, unsigned at)
{
    const struct xk_swsb *const s = &g->inst[at].swsb;
    return s->dist && s->pipe == XK_PIPE_NONE;
}

static bool is_predicated_load(const struct xk_inst *i)
{
    return is_send(i) && i->pred && !xk_is_null(&i->dst);
}

static bool is_branch(const struct xk_inst *i)
{
    return xk_opcode_format(i->op) == XK_FMT_BRANCH;
}

/* The instruction that a branch goes to; n: none that is known. */
static unsigned target_of(const struct xk_wa_program *g, unsigned from)
{
    return is_branch(&g->inst[from])
               ? xk_inst_at(g->inst, g->n, from, g->inst[from].jip_b)
               : g->n;
}

/* Whether the branch at `from` goes to `to`. */
static bool jumps_to(prog *g, unsigned from, unsigned to)
{
    return g->target[to] && target_of(g, from) == to;
}

static bool begins_block(prog *g, unsigned at)
{
    return at == 0 || g->target[at] || is_branch(&g->inst[at - 1]);
}

static bool has_predicated_load(prog *g)
{
    bool any = false;
    for (unsigned k = 0; k < g->n && !any; k++)
        any = is_predicated_load(&g->inst[k]);
    return any;
}

static bool same_place(const struct xk_operand *a, const struct xk_operand *b)
{
    return a->file == b->file && a->reg == b->reg && a->sub_b == b->sub_b;
}

/* A dpas that only stands in front of another one, as the vendor's compiler has
 * it for 18023229625: the first of a chain, adding to nothing, both factors
 * from one place, which is not where the next one has src1. */
static bool is_dummy(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    return is_dpas(i) && i->atomic && xk_is_null(&i->src[0]) &&
           same_place(&i->src[1], &i->src[2]) && at + 1 < g->n &&
           is_dpas(i + 1) && !same_place(&i->src[1], &i[1].src[1]);
}

/* A dpas alone, or the first of a chain. */
static bool begins_chain(prog *g, unsigned at)
{
    return is_dpas(&g->inst[at]) &&
           (begins_block(g, at) || !is_dpas(&g->inst[at - 1]) ||
            !g->inst[at - 1].atomic);
}

/* The first dpas of a block, and the next behind each such load. */
static bool lacks_rs_dpas(prog *g, unsigned at)
{
    if (!is_dpas(&g->inst[at]) || !has_predicated_load(g))
        return false;
    if (!g->target)
        return true;
    const struct xk_operand *const src1 = &g->inst[at + is_dummy(g, at)].src[1];
    for (unsigned k = at; !begins_block(g, k); k--) {
        const struct xk_inst *const i = &g->inst[k - 1];
        if (is_dpas(i))
            return false;
        if (is_predicated_load(i))
            return true;
        if (i->op == XK_OPC_MOV && i->dst.file == XK_FILE_GRF &&
            i->dst.reg == src1->reg && i->src[0].file == XK_FILE_GRF &&
            i->src[0].reg == i->dst.reg)
            return false;
    }
    return true;
}

/* The chain before this one in its block; n: none. */
static unsigned chain_before(prog *g, unsigned at)
{
    for (unsigned k = at; !begins_block(g, k); k--)
        if (begins_chain(g, k - 1))
            return k - 1;
    return g->n;
}

/* Between the dpas alone at `last` and the next chain somebody waits for it, or
 * the next one reads what it writes. */
static bool is_done(prog *g, unsigned last, unsigned at)
{
    const struct xk_inst *const l = &g->inst[last];
    const struct xk_footprint d = xk_inst_footprint(g->p, l, -1);

    for (int k = 0; k < 3; k++)
        if (xk_footprints_meet(d, xk_inst_footprint(g->p, &g->inst[at], k)))
            return true;
    for (unsigned k = last + 1; k <= at; k++)
        if (g->inst[k].swsb.mode == XK_SBID_DST &&
            g->inst[k].swsb.sbid == l->swsb.sbid)
            return true;
    return false;
}

/* A chain at which src1 may come from a buffer of sources: the first of its
 * block; one whose first two have it in common; one that has it in common with
 * a dpas alone before it that may not be done. */
static bool repeats_src1(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const unsigned last = chain_before(g, at);

    if (last == g->n)
        return true;
    if (i->atomic)
        return same_place(&i->src[1], &i[1].src[1]);
    return !g->inst[last].atomic &&
           same_place(&g->inst[last].src[1], &i->src[1]) &&
           !is_done(g, last, at);
}

/* Only src1 that messages have brought on every way is exempt. */
static bool lacks_rs_dpas_fused(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    if (!is_dpas(i) || i->rcount != 8 || i->sdepth != 8)
        return false;
    if (!g->target)
        return true;
    return g->mixed[at] && begins_chain(g, at) && !is_dummy(g, at) &&
           repeats_src1(g, at);
}

static bool lacks_dpas_src1_8(prog *g, unsigned at)
{
    return is_dpas(&g->inst[at]) && g->inst[at].sdepth != 8;
}

static bool lacks_eot_is_last(prog *g, unsigned at)
{
    return is_eot(g, at) && at == g->n - 1 && !g->tail_b;
}

/* Tokens whose responses it waits for. A new user of a token waits as well. */
static uint32_t tokens_waited(const struct xk_inst *i)
{
    uint32_t set = 0;

    if (i->swsb.mode == XK_SBID_DST || i->swsb.mode == XK_SBID_SET)
        set |= 1u << i->swsb.sbid % 32;
    if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLWR)
        set |= i->src[0].file == XK_FILE_IMM ? (uint32_t)i->src[0].imm
                                             : UINT32_MAX;
    return set;
}

static bool is_slm(const struct xk_inst *i, const struct xk_msg *m)
{
    return i->send.sfid == XK_SFID_SLM || (is_hdc(i) && m->bti == XK_BTI_SLM);
}

static bool is_slm_load(prog *g, unsigned at)
{
    struct xk_msg m;

    if (!is_send(&g->inst[at]) || xk_is_null(&g->inst[at].dst))
        return false;
    decode(g, at, &m);
    return m.op != XK_MOP_FENCE && is_slm(&g->inst[at], &m);
}

/* A store, an atomic without a response, a fence. */
static bool orders_slm(prog *g, unsigned at)
{
    struct xk_msg m;

    if (!is_send(&g->inst[at]) || g->inst[at].send.eot)
        return false;
    decode(g, at, &m);
    return is_slm(&g->inst[at], &m) &&
           (m.op == XK_MOP_FENCE || xk_is_null(&g->inst[at].dst));
}

struct slm_walk {
    prog *g;
    uint32_t met[MOST_SEEN]; /* per branch: tokens waited for on each way */
    bool seen[MOST_SEEN];
};

/* Back from `at`, from where on the tokens of the set are waited for. */
static bool meets_slm_load(struct slm_walk *w, unsigned at, uint32_t waited)
{
    for (;;) {
        for (unsigned k = 0; w->g->target[at] && k < w->g->n; k++) {
            if (!jumps_to(w->g, k, at) ||
                (w->seen[k] && (w->met[k] & ~waited) == 0))
                continue;
            w->met[k] = w->seen[k] ? w->met[k] & waited : waited;
            w->seen[k] = true;
            if (meets_slm_load(w, k, w->met[k]))
                return true;
        }
        if (at-- == 0)
            return false;
        const struct xk_inst *const i = &w->g->inst[at];
        if (i->op == XK_OPC_JMPI && !i->pred)
            return false;
        if (is_slm_load(w->g, at) && !(waited >> i->swsb.sbid % 32 & 1))
            return true;
        waited |= tokens_waited(i);
    }
}

static bool lacks_slm_war(prog *g, unsigned at)
{
    struct slm_walk w = {.g = g};

    return orders_slm(g, at) &&
           (!g->target || meets_slm_load(&w, at, tokens_waited(&g->inst[at])));
}

/* The instruction waits for one so many of its pipe before. */
static bool waits_for(prog *g, const struct xk_inst *i, enum xk_pipe pipe,
                      unsigned n)
{
    const enum xk_pipe named = (enum xk_pipe)i->swsb.pipe;

    return i->swsb.dist && i->swsb.dist <= n &&
           (named == XK_PIPE_ALL || named == pipe ||
            (named == XK_PIPE_NONE && xk_inst_pipe(g->p, i) == pipe));
}

/* Of the last so many instructions: older ones are done. */
static bool lacks_acc_war(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_footprint d = xk_inst_acc_footprint(g->p, i, true);
    const enum xk_pipe own = xk_inst_pipe(g->p, i);
    bool waited[XK_PIPE_DPAS + 1] = {false};

    if (!xk_inst_acc_use(i) || d.end_b == 0)
        return false;
    for (unsigned k = at; k-- > 0 && at - k <= PIPE_WINDOW;) {
        const enum xk_pipe pipe = xk_inst_pipe(g->p, &g->inst[k]);
        unsigned n = 1;
        for (unsigned j = k + 1; j <= at && !waited[pipe]; j++) {
            waited[pipe] = waits_for(g, &g->inst[j], pipe, n);
            n += xk_inst_pipe(g->p, &g->inst[j]) == pipe;
        }
        if (pipe != own && !waited[pipe] && xk_inst_acc_use(&g->inst[k]) &&
            xk_footprints_meet(d,
                               xk_inst_acc_footprint(g->p, &g->inst[k], false)))
            return true;
    }
    return false;
}

static bool scratch_of(prog *g, unsigned at, struct xk_msg *m)
{
    if (!is_send(&g->inst[at]) || g->inst[at].send.sfid != XK_SFID_UGM)
        return false;
    decode(g, at, m);
    return m->addr_type == XK_LSC_SS && !m->transpose;
}

static bool lacks_scratch_wide(prog *g, unsigned at)
{
    struct xk_msg m;
    return scratch_of(g, at, &m) && m.vec == 8;
}

static bool lacks_scratch_d64(prog *g, unsigned at)
{
    struct xk_msg m;
    return scratch_of(g, at, &m) && m.data_b == 8;
}

static bool lacks_slm_block(prog *g, unsigned at)
{
    struct xk_msg m;

    if (!is_send(&g->inst[at]) || g->inst[at].send.sfid != XK_SFID_SLM)
        return false;
    decode(g, at, &m);
    return m.transpose && m.data_b * m.vec > SLM_BLOCK_B;
}

/* All of a0 is written, whatever the mask. */
static bool clears_a0(const struct xk_inst *i)
{
    return i->op == XK_OPC_MOV && i->no_mask && !i->pred && i->exec == 16 &&
           i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_A &&
           xk_reg_type_b(i->dst.type) == 2 && i->src[0].file == XK_FILE_IMM;
}

static bool lacks_vxh_bounds(prog *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    bool indirect = false;

    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
        indirect |=
            i->src[k].file == XK_FILE_GRF && i->src[k].rgn.vs == XK_VS_VXH;
    for (unsigned k = 0; indirect && k < at; k++)
        if (clears_a0(&g->inst[k]))
            return false;
    return indirect;
}

static bool lacks_eot_file_end(prog *g, unsigned at)
{
    if (!is_eot(g, at) || !g->grf_count)
        return false;
    for (int k = 0; k < 2; k++) {
        const struct xk_footprint f = xk_inst_footprint(g->p, &g->inst[at], k);
        if (f.end_b && (f.first_b < (g->grf_count - GRF_EOT) * g->p->grf_b ||
                        f.end_b > g->grf_count * g->p->grf_b))
            return true;
    }
    return false;
}

static bool lacks_slm_fence_scope(prog *g, unsigned at)
{
    struct xk_msg m;
    return fence_of(g, at, XK_SFID_SLM, &m) && (m.fence_scope || m.fence_flush);
}

#define lacks_none NULL
#define NOWHERE ON(TGL, 0) /* none of our products */
#define SET(...)                                                               \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define ON(product, s) [XK_##product] = (uint8_t)(s)
#define XELP                                                                   \
    ON(TGL, EACH), ON(RKL, EACH), ON(ADL_S, EACH), ON(ADL_P, EACH),            \
        ON(ADL_N, EACH), ON(RPL, EACH), ON(DG1, EACH)
#define DG2 ON(DG2_G10, EACH), ON(DG2_G11, EACH), ON(DG2_G12, EACH)
#define PVC ON(PVC_XL, EACH), ON(PVC_XT, EACH)

static const struct xk_workaround table[] = {
#define XK_WORKAROUND(name_, id_, where, handling_, by_, rule_, trigger,       \
                      action_, source_)                                        \
    [XK_WA_##name_] = {.name = #name_,                                         \
                       .id = id_,                                              \
                       .by = by_,                                              \
                       .action = action_,                                      \
                       .text = {"wa_" #name_, trigger, source_},               \
                       .steps = where,                                         \
                       .handling = XK_WA_##handling_,                          \
                       .lacks = lacks_##rule_},
#include "isa/workaround.def"
#undef XK_WORKAROUND
};

const struct xk_workaround *xk_workaround_get(enum xk_wa id)
{
    return (unsigned)id < XK_N_WORKAROUNDS ? &table[id] : NULL;
}

static unsigned sold(enum xk_product product)
{
    switch (product) {
    case XK_DG2_G10:
    case XK_PVC_XT:
        return FROM_C0;
    case XK_DG2_G11:
        return FROM_B0;
    case XK_PVC_XL:
        return 0;
    default:
        return EACH;
    }
}

static unsigned wanted(const struct xk_wa_device *d, enum xk_product product)
{
    if (d->stepping == XK_STEP_SOLD)
        return sold(product);
    return d->stepping == XK_STEP_ANY ? (unsigned)EACH : 1u << d->stepping;
}

bool xk_wa_applies(enum xk_wa id, const struct xk_wa_device *d)
{
    for (unsigned k = 0; k < XK_N_PRODUCTS; k++) {
        if (d->product != XK_PRODUCT_ANY && k != d->product)
            continue;
        if (xk_product_platform(k) == d->platform &&
            table[id].steps[k] & wanted(d, k))
            return true;
    }
    return false;
}

void xk_wa_find_targets(const struct xk_wa_program *g, bool *target)
{
    for (unsigned k = 0; k < g->n; k++) {
        const unsigned to = target_of(g, k);
        if (to < g->n)
            target[to] = true;
    }
}

unsigned xk_wa_validate(const struct xk_wa_program *g, xk_violation_fn *report,
                        void *user)
{
    struct xk_wa_program known = *g;
    bool target[MOST_SEEN + 1] = {false}, mixed[MOST_SEEN];
    unsigned n = 0;

    if (g->n <= MOST_SEEN) {
        xk_wa_find_targets(g, target);
        known.target = target;
        xk_find_mixed_src1(g->p, g->inst, g->n, mixed);
        known.mixed = mixed;
    }
    for (unsigned r = 0; r < XK_N_WORKAROUNDS; r++) {
        if (!table[r].lacks || !xk_wa_applies(r, &g->device))
            continue;
        for (unsigned at = 0; at < g->n; at++) {
            if (!table[r].lacks(&known, at))
                continue;
            n++;
            if (report)
                report(user, at, &table[r].text);
        }
    }
    return n;
}
