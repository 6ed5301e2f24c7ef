/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for read suppression, a source that comes from a buffer instead of its
 * register: of arithmetic. Those of dpas and messages are in workaround_dpas.c
 * and _send.c. */
#include "isa/workaround_rule.h"

bool xk_wa_may_suppress(const struct xk_wa_program *g)
{
    bool any = false;
    for (unsigned k = 0; k < g->n && !any; k++)
        any = xk_wa_is_predicated_load(&g->inst[k]) ||
              xk_wa_parts_lanes(&g->inst[k]);
    return any;
}

static bool reads_indirectly(const struct xk_inst *i)
{
    bool any = false;
    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
        any |= i->src[k].file == XK_FILE_GRF && i->src[k].indirect;
    return any;
}

bool xk_wa_lacks_rs_indirect(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->pred && !xk_is_null(&i->dst) && !i->dst.indirect &&
           reads_indirectly(i);
}

/* The instruction behind it in its block; syncs stand for their follower. */
bool xk_wa_lacks_rs_indirect_next(const struct xk_wa_program *g, unsigned at)
{
    unsigned k = at;

    if (g->inst[at].op == XK_OPC_SYNC)
        return false;
    if (!g->target)
        return true;
    while (!xk_wa_begins_block(g, k) && g->inst[k - 1].op == XK_OPC_SYNC)
        k--;
    return !xk_wa_begins_block(g, k) && reads_indirectly(&g->inst[k - 1]) &&
           !xk_inst_is_out_of_order(g->p, &g->inst[k - 1]) &&
           !xk_wa_is_behind_all(g, at);
}

/* Whole registers that a direct operand lies in; 0, 0: none. */
static struct xk_footprint registers_of(const struct xk_wa_program *g,
                                        const struct xk_inst *i, int operand)
{
    const uint32_t grf_b = g->p->grf_b;
    struct xk_footprint f = {0, 0};

    if (!i->src[operand].indirect)
        f = xk_inst_footprint(g->p, i, operand);
    f.first_b -= f.first_b % grf_b;
    f.end_b = (f.end_b + grf_b - 1) / grf_b * grf_b;
    return f;
}

static bool is_math(const struct xk_platform *p, const struct xk_inst *i)
{
    (void)p;
    return i->op == XK_OPC_MATH;
}

static bool is_in_order(const struct xk_platform *p, const struct xk_inst *i)
{
    return !xk_inst_is_out_of_order(p, i);
}

static bool is_any(const struct xk_platform *p, const struct xk_inst *i)
{
    (void)p, (void)i;
    return true;
}

bool xk_wa_lacks_rs_math(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    if (i->op == XK_OPC_MATH)
        return false;
    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
        if (xk_wa_meets_open_write(g, at, registers_of(g, i, (int)k), is_math))
            return true;
    return false;
}

/* The source shares a register with another one. */
static bool shares_register(const struct xk_wa_program *g,
                            const struct xk_inst *i, unsigned source)
{
    const struct xk_footprint f = registers_of(g, i, (int)source);

    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
        if (k != source && xk_footprints_meet(f, registers_of(g, i, (int)k)))
            return true;
    return false;
}

bool xk_wa_lacks_rs_intra(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];

    if (xk_inst_is_out_of_order(g->p, i))
        return false;
    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
        if (shares_register(g, i, k) &&
            xk_wa_meets_open_write(g, at, registers_of(g, i, (int)k),
                                   is_in_order))
            return true;
    return false;
}

bool xk_wa_lacks_rs_src1_xl(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_footprint f = registers_of(g, i, 1);

    return !xk_inst_is_out_of_order(g->p, i) && xk_opcode_n_srcs(i->op) > 1 &&
           f.end_b - f.first_b > g->p->grf_b &&
           xk_wa_meets_open_write(g, at, f, is_any);
}

/* As many rows as a dpas can have. */
bool xk_wa_lacks_rs_src2_xl(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    struct xk_footprint f;

    if (!xk_inst_is_dpas(i) || i->rcount == 0)
        return false;
    f = xk_inst_footprint(g->p, i, 2);
    f.end_b = f.first_b + (f.end_b - f.first_b) / i->rcount * 8;
    return xk_wa_meets_open_write(g, at, f, is_any);
}

/* Float by its result, or by its source if it has none. */
static bool is_float_work(const struct xk_inst *i)
{
    const struct xk_operand *const o =
        i->dst.file == XK_FILE_NONE ? &i->src[0] : &i->dst;
    return !xk_inst_is_send(i) && !xk_inst_is_branch(i) &&
           i->op != XK_OPC_SYNC && xk_is_float_type(o->type);
}

static bool has_modifiers(const struct xk_operand *o)
{
    return o->file != XK_FILE_IMM && (o->neg || o->abs);
}

/* Moves and selects of hf that change nothing, and df to f: the vendor's
 * isSPPath. */
static bool takes_other_path(const struct xk_inst *i)
{
    const bool hf = i->src[0].type == XK_RT_HF && i->dst.type == XK_RT_HF &&
                    !i->sat && !has_modifiers(&i->src[0]);
    const bool plain_mov = i->op == XK_OPC_MOV && !i->cond &&
                           !xk_is_acc(&i->dst) && !xk_is_acc(&i->src[0]);
    const bool plain_sel =
        i->op == XK_OPC_SEL && !has_modifiers(&i->src[1]) &&
        (!i->cond || i->cond == XK_COND_GE || i->cond == XK_COND_LT);

    return (hf && (plain_mov || plain_sel)) ||
           (i->src[0].type == XK_RT_DF && i->dst.type == XK_RT_F);
}

static bool is_same_source(const struct xk_operand *a,
                           const struct xk_operand *b)
{
    return a->file == XK_FILE_GRF && b->file == XK_FILE_GRF &&
           a->type == b->type && a->reg == b->reg && a->sub_b == b->sub_b &&
           a->rgn.vs == b->rgn.vs && a->rgn.width == b->rgn.width &&
           a->rgn.hs == b->rgn.hs && a->neg == b->neg && a->abs == b->abs &&
           a->indirect == b->indirect && a->a0_sub == b->a0_sub &&
           a->a0_off_b == b->a0_off_b;
}

/* Two float instructions side by side, other ones aside. The csel is one. */
bool xk_wa_lacks_rs_fpu0(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    unsigned k = at;

    if (!is_float_work(i))
        return false;
    while (k > 0 && !is_float_work(&g->inst[k - 1]))
        k--;
    if (k == 0 || takes_other_path(&g->inst[k - 1]) == takes_other_path(i))
        return false;
    for (unsigned s = 0; s < 3; s++)
        if (is_same_source(&g->inst[k - 1].src[s], &i->src[s]))
            return true;
    return false;
}
