/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for dpas: its forms, and read suppression of src1. */
#include "isa/workaround_rule.h"

bool xk_wa_lacks_dpas_atomic_8(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool joins = at > 0 && g->inst[at - 1].atomic;
    return xk_inst_is_dpas(i) && i->rcount != 8 && (i->atomic || joins);
}

bool xk_wa_lacks_dpas_compact(const struct xk_wa_program *g, unsigned at)
{
    return xk_inst_is_dpas(&g->inst[at]) && g->inst[at].compacted;
}

bool xk_wa_lacks_dpas_src0_half(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_operand *const o = &g->inst[at].src[0];
    return xk_inst_is_dpas(&g->inst[at]) && !xk_is_null(o) &&
           (o->type == XK_RT_HF || o->type == XK_RT_BF);
}

bool xk_wa_lacks_dpas_src2_half_grf(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return xk_inst_is_dpas(i) && i->rcount == 8 && i->src[2].sub_b;
}

static bool same_operand_place(const struct xk_operand *a,
                               const struct xk_operand *b)
{
    return a->file == b->file && a->reg == b->reg && a->sub_b == b->sub_b;
}

/* A dpas that only stands in front of another one, as the vendor's compiler
 * puts it for 18023229625: it is the first of a chain, adds to nothing, and has
 * both factors from one place, which is not the next one's src1. */
static bool is_dummy(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    return xk_inst_is_dpas(i) && i->atomic && xk_is_null(&i->src[0]) &&
           same_operand_place(&i->src[1], &i->src[2]) && at + 1 < g->n &&
           xk_inst_is_dpas(i + 1) &&
           !same_operand_place(&i->src[1], &i[1].src[1]);
}

/* A dpas alone, or the first of a chain. */
static bool begins_chain(const struct xk_wa_program *g, unsigned at)
{
    return xk_inst_is_dpas(&g->inst[at]) &&
           (xk_wa_begins_block(g, at) || !xk_inst_is_dpas(&g->inst[at - 1]) ||
            !g->inst[at - 1].atomic);
}

/* The first dpas of a block, and the next behind each such load. */
bool xk_wa_lacks_rs_dpas(const struct xk_wa_program *g, unsigned at)
{
    if (!xk_inst_is_dpas(&g->inst[at]) || !g->may_suppress)
        return false;
    if (!g->target)
        return true;
    const struct xk_operand *const src1 = &g->inst[at + is_dummy(g, at)].src[1];
    for (unsigned k = at; !xk_wa_begins_block(g, k); k--) {
        const struct xk_inst *const i = &g->inst[k - 1];
        if (xk_inst_is_dpas(i))
            return false;
        if (xk_wa_is_predicated_load(i))
            return true;
        if (i->op == XK_OPC_MOV && i->dst.file == XK_FILE_GRF &&
            i->dst.reg == src1->reg && i->src[0].file == XK_FILE_GRF &&
            i->src[0].reg == i->dst.reg)
            return false;
    }
    return true;
}

/* The chain before this one in its block; n: none. */
static unsigned chain_before(const struct xk_wa_program *g, unsigned at)
{
    for (unsigned k = at; !xk_wa_begins_block(g, k); k--)
        if (begins_chain(g, k - 1))
            return k - 1;
    return g->n;
}

/* Whether, between the lone dpas at `last` and the next chain, an instruction
 * waits for it, or the next one reads what it writes. */
static bool is_done(const struct xk_wa_program *g, unsigned last, unsigned at)
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

/* Whether src1 of a chain may come from a buffer of sources: the chain is the
 * first of its block, or its first two dpas share src1, or it shares src1 with
 * a lone dpas before it that may not be done. */
static bool repeats_src1(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const unsigned last = chain_before(g, at);

    if (last == g->n)
        return true;
    if (i->atomic)
        return same_operand_place(&i->src[1], &i[1].src[1]);
    return !g->inst[last].atomic &&
           same_operand_place(&g->inst[last].src[1], &i->src[1]) &&
           !is_done(g, last, at);
}

/* Only src1 that messages have brought on every way is exempt. */
bool xk_wa_lacks_rs_dpas_fused(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    if (!xk_inst_is_dpas(i) || i->rcount != 8 || i->sdepth != 8)
        return false;
    if (!g->target)
        return true;
    return g->mixed[at] && begins_chain(g, at) && !is_dummy(g, at) &&
           repeats_src1(g, at);
}

static bool has_eight_rows(const struct xk_inst *i)
{
    return xk_inst_is_dpas(i) && i->sdepth == 8 && i->rcount == 8;
}

/* One of 8 rows that is the first of a block, or whose src2 another one read
 * and none of fewer rows between them. The vendor's compiler counts 16
 * registers that may come again, this rule all. */
bool xk_wa_lacks_rs_dpas_xl(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_footprint f = xk_inst_footprint(g->p, &g->inst[at], 2);
    bool first = true;

    if (!has_eight_rows(&g->inst[at]))
        return false;
    if (!g->target)
        return true;
    for (unsigned k = at; !xk_wa_begins_block(g, k); k--) {
        const struct xk_inst *const i = &g->inst[k - 1];
        if (!xk_inst_is_dpas(i))
            continue;
        if (!has_eight_rows(i))
            return false;
        if (xk_footprints_meet(f, xk_inst_footprint(g->p, i, 2)))
            return true;
        first = false;
    }
    return first;
}

bool xk_wa_lacks_dpas_src1_8(const struct xk_wa_program *g, unsigned at)
{
    return xk_inst_is_dpas(&g->inst[at]) && g->inst[at].sdepth != 8;
}
