/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for arithmetic: regions, accumulators, state and address registers, and
 * the distances between them. */
#include "isa/workaround_rule.h"

bool xk_wa_lacks_math_hf_packed(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    bool inside = i->dst.sub_b;

    if (i->op != XK_OPC_MATH || i->dst.type != XK_RT_HF || i->dst.rgn.hs != 1)
        return false;
    for (unsigned k = 0; k < 2; k++)
        inside |= i->src[k].file == XK_FILE_GRF && i->src[k].type == XK_RT_HF &&
                  i->src[k].sub_b;
    return inside;
}

/* Both factors, and one is narrower than a dword that the other is. */
bool xk_wa_lacks_mul_narrow_mods(const struct xk_wa_program *g, unsigned at)
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

bool xk_wa_lacks_acc_stride(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_operand *const d = &g->inst[at].dst;
    return xk_is_acc(d) && d->sub_b == 0 && d->rgn.hs > 1;
}

/* Registers that the hardware does not track (SWSB_G4IR.cpp, at setDistOneAReg:
 * ce, sp, sr0, cr0, ip, tm0, dbg0). */
static bool is_state(const struct xk_operand *o)
{
    static const bool untracked[XK_ARF_MME + 1] = {
        [XK_ARF_CE] = true,  [XK_ARF_SP] = true, [XK_ARF_SR] = true,
        [XK_ARF_CR] = true,  [XK_ARF_IP] = true, [XK_ARF_TM] = true,
        [XK_ARF_DBG] = true,
    };
    return o->file == XK_FILE_ARF && untracked[o->arf];
}

static bool uses_state(const struct xk_inst *i)
{
    bool any = is_state(&i->dst);
    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op) && !any; k++)
        any = is_state(&i->src[k]);
    return any && !xk_inst_is_branch(i);
}

bool xk_wa_lacks_state_distance(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_inst *const before = at > 0 ? i - 1 : NULL;

    if (uses_state(i) && !xk_wa_waits_for_all(g, i))
        return !xk_wa_is_behind_all(g, at);
    return before && uses_state(before) && !xk_wa_waits_for_all(g, i);
}

bool xk_wa_lacks_a0_war(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool write = i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_A;
    return write && at > 0 && !xk_wa_is_behind_all(g, at);
}

bool xk_wa_lacks_plain_distance(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_swsb *const s = &g->inst[at].swsb;
    return s->dist && s->pipe == XK_PIPE_NONE;
}

/* Older instructions than the last so many are done. */
bool xk_wa_lacks_acc_war(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_footprint d = xk_inst_acc_footprint(g->p, i, true);
    const enum xk_pipe own = xk_inst_pipe(g->p, i);

    if (!xk_inst_acc_use(i) || d.end_b == 0)
        return false;
    for (unsigned k = at; k-- > 0 && at - k <= XK_WA_PIPE_WINDOW;) {
        const struct xk_inst *const r = &g->inst[k];
        if (xk_inst_pipe(g->p, r) != own && xk_inst_acc_use(r) &&
            xk_footprints_meet(d, xk_inst_acc_footprint(g->p, r, false)) &&
            !xk_wa_distance_reaches(g, k, at))
            return true;
    }
    return false;
}

/* All of a0 is written, whatever the mask. */
static bool clears_a0(const struct xk_inst *i)
{
    return i->op == XK_OPC_MOV && i->no_mask && !i->pred && i->exec == 16 &&
           i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_A &&
           xk_reg_type_b(i->dst.type) == 2 && i->src[0].file == XK_FILE_IMM;
}

bool xk_wa_lacks_vxh_bounds(const struct xk_wa_program *g, unsigned at)
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

static bool is_region_of_grf(const struct xk_operand *o)
{
    return o->file == XK_FILE_GRF && !o->indirect;
}

/* Arithmetic that writes two registers by regions. */
static bool crosses_grf(const struct xk_wa_program *g, const struct xk_inst *i)
{
    const struct xk_footprint d = xk_inst_footprint(g->p, i, -1);
    const bool macro = i->op == XK_OPC_MADM ||
                       (i->op == XK_OPC_MATH && (i->math_fn == XK_MATH_INVM ||
                                                 i->math_fn == XK_MATH_RSQTM));

    return !macro && !xk_inst_is_send(i) && !xk_inst_is_dpas(i) &&
           !xk_inst_is_branch(i) && is_region_of_grf(&i->dst) && d.end_b &&
           d.first_b / g->p->grf_b != (d.end_b - 1) / g->p->grf_b;
}

/* Bit k: dword k from the destination's first register on. */
static uint64_t dwords(const struct xk_wa_program *g, const struct xk_inst *i,
                       int operand, unsigned channel)
{
    const struct xk_operand *const o = operand < 0 ? &i->dst : &i->src[operand];
    const int64_t from_b =
        (int64_t)xk_inst_element_b(g->p, i, operand, channel) -
        (int64_t)(i->dst.reg * g->p->grf_b);
    uint64_t set = 0;

    for (unsigned b = 0; b < xk_reg_type_b(o->type); b++)
        if (from_b + b >= 0 && (from_b + b) / 4 < 64)
            set |= UINT64_C(1) << (from_b + b) / 4;
    return set;
}

/* By dwords, as the vendor's text has it; its code takes the whole span. */
bool xk_wa_lacks_dst_src_half(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    uint64_t first = 0; /* what the channels of the first register write */
    unsigned c = 0;

    if (!crosses_grf(g, i))
        return false;
    for (; c < i->exec && xk_inst_element_b(g->p, i, -1, c) / g->p->grf_b ==
                              xk_inst_element_b(g->p, i, -1, 0) / g->p->grf_b;
         c++)
        first |= dwords(g, i, -1, c);
    for (; c < i->exec; c++)
        for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
            if (is_region_of_grf(&i->src[k]) && dwords(g, i, (int)k, c) & first)
                return true;
    return false;
}

bool xk_wa_lacks_xl_mac(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_MAC &&
           (!xk_is_float_type(i->dst.type) || i->dst.type == XK_RT_DF);
}

bool xk_wa_lacks_q_cond(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_MOV && i->cond && xk_wa_is_q(&i->dst) &&
           i->src[0].type == XK_RT_DF;
}

bool xk_wa_lacks_shl_q(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_SHL && xk_wa_is_q(&i->dst) &&
           !xk_wa_is_q(&i->src[0]);
}

bool xk_wa_lacks_shift_by_q(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool shift =
        i->op == XK_OPC_SHL || i->op == XK_OPC_SHR || i->op == XK_OPC_ASR;
    return shift && xk_wa_is_q(&i->src[1]) && !xk_wa_is_q(&i->dst) &&
           !xk_wa_is_q(&i->src[0]);
}

bool xk_wa_lacks_xelp_div(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_MATH &&
           (i->math_fn == XK_MATH_IDIV || i->math_fn == XK_MATH_IQOT ||
            i->math_fn == XK_MATH_IREM);
}
