/* SPDX-License-Identifier: Apache-2.0 */
/* Guarantees of the hardware that make a wait unnecessary, and who says so.
 * Ours rely on the fewest: those of by_rule. */
#include "tests/scoreboard/hazard.h"

#include <stdlib.h>
#include <string.h>

#include "isa/format.h"

static const struct {
    const char *name, *source;
} texts[HZ_N_EXCUSES] = {
    [HZ_EX_MESSAGE_PREDICATE] =
        {"taken_at_issue",
         "isa.md 5.3: a message or math takes its flags, address register and "
         "modes along when it is issued; only registers are read later"},
    [HZ_EX_ARF_IN_ORDER] =
        {"arf_read_in_order",
         "IGC SWSB_G4IR.cpp, SBDDD: of in-order producers only general "
         "registers are tracked for reads; flags, accumulators and a0 "
         "interlock"},
    [HZ_EX_TIMEOUT] =
        {"pipe_is_done",
         "nGEN ngen_auto_swsb.hpp, timeout, and IGC SWSB_G4IR.cpp, "
         "clearKilledBucketNode: after 10 instructions of the float or int "
         "pipe, 14 of long, 18 of math, nothing is left"},
    [HZ_EX_SAME_FUNCTION_WAR] =
        {"same_function_reads_first",
         "IGC SWSB_G4IR.cpp, WARDepRequired: messages to one shared function, "
         "dpas among themselves and math among itself read in order, so "
         "waiting for a later one's registers is waiting for an earlier one's"},
    [HZ_EX_LAYOUT_ORDER] =
        {"jump_takes_longer",
         "IGC SWSB_G4IR.cpp, SWSBDepDistanceGenerator: distances are those of "
         "the layout, never along a jump, which takes longer than a pipe"},
    [HZ_EX_LANES] =
        {"other_channels",
         "IGC SWSB_G4IR.cpp, SWSBGlobalScalarCFGReachAnalysis: both sides of a "
         "branch work on different channels of a register"},
    [HZ_EX_POINTS_TO] =
        {"points_elsewhere",
         "IGC SWSB_G4IR.cpp, getGRFFootprintForIndirect: the compiler knows "
         "which variable an address register points to"},
    [HZ_EX_MACRO] =
        {"macro_bits_in_order",
         "IGC SWSB_G4IR.cpp, getFootprintForOperand: what madm and its math "
         "hand on in .mme0..7 is no footprint"},
    [HZ_EX_A0] =
        {"address_read_at_issue",
         "IGC SWSB_G4IR.cpp, getFootprintForOperand: a0 is no footprint before "
         "Xe2 (needA0WAR); before, writers that matter wait for all pipes"},
    [HZ_EX_HWORDS] =
        {"hwords_counted_as_owords",
         "IGC G4_SendDescs.cpp, G4_SendDescRaw::getDstLenBytes: a hand-written "
         "A64 block read of hwords is taken for one of owords, half as long: "
         "the compiler's mistake, the descriptor has the length"},
    [HZ_EX_CHAIN] =
        {"far_enough_in_a_chain",
         "IGC SWSB_G4IR.cpp, hasRAWDependenceBetweenDPASNodes: in an Atomic "
         "chain the rows of enough others between two dpas order them"},
    [HZ_EX_BYTE_FLOAT] =
        {"byte_floats_written_whole",
         "IGC SWSB_G4IR.cpp, getFootprintForGRF: Debian's version takes a "
         "conversion to bf8 for a float write that merges nothing; later ones "
         "(isFcvtByteType) track it as we do"},
    [HZ_EX_FLAG_ORDER] =
        {"flag_readers_first",
         "nGEN ngen_auto_swsb.hpp, line 2225: a flag's writer waits for "
         "earlier "
         "ones of another pipe from xehpc on only; oneDNN's kernels for xehpg "
         "count on it"},
    [HZ_EX_SLM_UNUSED] =
        {"slm_answer_unused",
         "seen in Debian's compiler: no wait for an SLM load whose answer "
         "nothing reads, where SWSB_G4IR.cpp, clearSLMWARWAissue, has one. A "
         "fault of the hardware, no dependency; ours waits"},
};

const char *hz_excuse_name(enum hz_excuse e)
{
    return texts[e].name;
}

const char *hz_excuse_source(enum hz_excuse e)
{
    return texts[e].source;
}

static bool in_registers(const struct hz_set *a, const struct hz_set *b)
{
    return (a->mask[0] & b->mask[0]) || (a->mask[1] & b->mask[1]) ||
           (a->mask[2] & b->mask[2]) || (a->mask[3] & b->mask[3]);
}

/* Is all that a pair has in common between lo and hi? */
static bool meets_only(const struct hz_inst *a, const struct hz_inst *b,
                       enum hz_kind k, uint32_t lo, uint32_t hi)
{
    const struct hz_set *const x = k == HZ_WAR ? &a->t.rd : &a->t.wr;
    const struct hz_set *const y = k == HZ_RAW ? &b->t.rd : &b->t.wr;
    return !hz_meet_in(x, y, 0, lo) && !hz_meet_in(x, y, hi, UINT32_MAX);
}

static bool reads_hwords(const struct xk_inst *i)
{
    const uint32_t d = i->send.desc;
    return i->op == XK_OPC_SEND && i->send.sfid == XK_SFID_DC1 &&
           !i->send.desc_reg && (d >> 14 & 31) == 0x14 && (d >> 11 & 3) == 3;
}

static bool is_byte_float(unsigned type)
{
    return type == XK_RT_BF8 || type == XK_RT_HF8;
}

static bool in_one_chain(const struct hz_pair *q)
{
    for (unsigned k = q->a; k < q->b; k++)
        if (q->g->inst[k].t.unit != HZ_DPAS || !q->g->inst[k].i.atomic)
            return false;
    return q->a < q->b && q->g->inst[q->b].t.unit == HZ_DPAS;
}

bool hz_is_slm(const struct xk_inst *i)
{
    const bool hdc = i->send.sfid == XK_SFID_DC0 || i->send.sfid == XK_SFID_DC1;
    return i->send.sfid == XK_SFID_SLM ||
           (hdc && !i->send.desc_reg && (i->send.desc & 0xff) == 0xfe);
}

static bool same_function(const struct hz_inst *a, const struct hz_inst *b)
{
    if (a->t.unit != b->t.unit)
        return false;
    return a->t.unit != HZ_SEND || (a->i.send.sfid == b->i.send.sfid &&
                                    hz_is_slm(&a->i) == hz_is_slm(&b->i));
}

static unsigned limit(const struct hz_pair *q)
{
    static const uint8_t most[] = {10, 10, 14, 18};
    return q->g->is_ours ? 23 : most[q->g->inst[q->a].t.pipe];
}

static bool taken_at_issue(const struct hz_inst *a, const struct hz_inst *b)
{
    return a->t.unit != HZ_INORDER && !in_registers(&a->t.rd, &b->t.wr) &&
           !hz_meet_in(&a->t.rd, &b->t.wr, HZ_ACC, HZ_A0);
}

/* Can the program get from a to b, past no wait for a, and past nothing of the
 * same function that touches register r as well? */
static bool reaches_alone(const struct hz_pair *q, unsigned r, uint8_t *seen,
                          unsigned *stack)
{
    const struct hz_inst *const a = &q->g->inst[q->a];
    unsigned n = hz_successors(q->g, q->a, false, stack);
    memset(seen, 0, q->g->n);
    while (n) {
        const unsigned at = stack[--n];
        const struct hz_inst *const c = &q->g->inst[at];
        if (seen[at]++ || hz_covers_token(c, a->token, true))
            continue;
        if (at == q->b)
            return true;
        if (same_function(a, c) &&
            (c->t.rd.mask[r / 64] | c->t.wr.mask[r / 64]) >> r % 64 & 1)
            continue;
        n += hz_successors(q->g, at, false, &stack[n]);
    }
    return false;
}

/* The same guarantee, at one remove: b waits for a later message that read, or
 * wrote, what a read. */
static bool passed_on(const struct hz_pair *q)
{
    const struct hz_inst *const a = &q->g->inst[q->a];
    const struct hz_inst *const b = &q->g->inst[q->b];
    uint8_t *const seen = calloc(q->g->n, 1);
    unsigned *const stack = calloc((size_t)q->g->n * 4 + 4, sizeof *stack);
    bool alone = !seen || !stack;
    for (unsigned r = 0; r < 256 && !alone; r++)
        if (a->t.rd.mask[r / 64] & b->t.wr.mask[r / 64] & 1ull << r % 64)
            alone = reaches_alone(q, r, seen, stack);
    free(seen);
    free(stack);
    return !alone;
}

/* Does anything read what a message brought before the next one writes there?
 * In the order of the layout: good enough for straight code. */
static bool is_read(const struct hz_program *g, unsigned a)
{
    const struct hz_set *const answer = &g->inst[a].t.wr;
    for (unsigned k = a + 1; k < g->n; k++) {
        if (hz_meet(answer, &g->inst[k].t.rd))
            return true;
        if (hz_meet(answer, &g->inst[k].t.wr))
            return false;
    }
    return false;
}

/* What the hardware's rules say, whoever wrote the annotations. */
static enum hz_excuse by_rule(const struct hz_pair *q, const struct hz_inst *a,
                              const struct hz_inst *b)
{
    const bool in_order = a->t.unit == HZ_INORDER;
    const bool one_pipe = q->g->p->id == XK_PLATFORM_XELP;

    if (q->kind == HZ_WAR && !q->unknown && taken_at_issue(a, b))
        return HZ_EX_MESSAGE_PREDICATE;
    if ((!q->g->is_ours || one_pipe) && in_order && q->kind == HZ_RAW &&
        !q->unknown && !hz_meet_in(&a->t.wr, &b->t.rd, 0, HZ_FLAG) &&
        !hz_meet_in(&a->t.wr, &b->t.rd, HZ_STATE, HZ_STATE + 1))
        return HZ_EX_ARF_IN_ORDER;
    if (in_order && q->count > limit(q))
        return HZ_EX_TIMEOUT;
    return HZ_N_EXCUSES;
}

/* What the compiler knows of the program, or gets wrong. */
static enum hz_excuse by_knowledge(const struct hz_pair *q,
                                   const struct hz_inst *a,
                                   const struct hz_inst *b)
{
    if (q->unknown)
        return HZ_EX_POINTS_TO;
    if (reads_hwords(&a->i) || reads_hwords(&b->i))
        return HZ_EX_HWORDS;
    if (q->kind == HZ_WAW && is_byte_float(b->i.dst.type) &&
        a->t.unit == HZ_INORDER && b->t.unit == HZ_INORDER &&
        b->t.pipe == a->t.pipe)
        return HZ_EX_BYTE_FLOAT;
    if (in_one_chain(q))
        return HZ_EX_CHAIN;
    if (q->kind != HZ_RAW && meets_only(a, b, q->kind, HZ_ACC, HZ_A0) &&
        xk_math_is_macro(&a->i) && xk_math_is_macro(&b->i))
        return HZ_EX_MACRO;
    if (q->kind == HZ_WAR && meets_only(a, b, q->kind, HZ_A0, HZ_STATE))
        return HZ_EX_A0;
    if (q->kind != HZ_RAW && q->g->p->id == XK_PLATFORM_XEHPG &&
        meets_only(a, b, q->kind, HZ_FLAG, HZ_ACC) && a->t.unit == HZ_INORDER &&
        b->t.unit == HZ_INORDER)
        return HZ_EX_FLAG_ORDER;
    return HZ_N_EXCUSES;
}

/* What it takes for granted of paths and of other instructions. */
static enum hz_excuse by_path(const struct hz_pair *q, const struct hz_inst *a,
                              const struct hz_inst *b)
{
    const bool in_order = a->t.unit == HZ_INORDER;

    if (q->kind == HZ_WAR && same_function(a, b) && !in_order)
        return HZ_EX_SAME_FUNCTION_WAR;
    if (in_order && q->back)
        return HZ_EX_LAYOUT_ORDER;
    if (!q->by_lanes)
        return HZ_EX_LANES;
    if (q->kind == HZ_WAR && !in_order && passed_on(q))
        return HZ_EX_SAME_FUNCTION_WAR;
    return HZ_N_EXCUSES;
}

enum hz_excuse hz_excuse_of(const struct hz_pair *q)
{
    const struct hz_inst *const a = &q->g->inst[q->a];
    const struct hz_inst *const b = &q->g->inst[q->b];
    enum hz_excuse e;

    if (q->kind == HZ_SLM)
        return q->g->is_ours || is_read(q->g, q->a) ? HZ_N_EXCUSES
                                                    : HZ_EX_SLM_UNUSED;
    e = by_rule(q, a, b);
    if (e != HZ_N_EXCUSES || q->g->is_ours)
        return e;
    e = by_knowledge(q, a, b);
    return e != HZ_N_EXCUSES ? e : by_path(q, a, b);
}
