/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about single arithmetic opcodes, mixed float modes and accumulators. */
#include "isa/validate.h"

#include "base/alloc.h"

bool xk_broken_mix_exec(const struct xk_rule_view *v)
{
    return xk_is_hf_mixed(v) && v->i->exec > 8;
}

static bool is_packed_half(const struct xk_operand *d)
{
    return d->type == XK_RT_HF && d->rgn.hs == 1;
}

bool xk_broken_mix_packed(const struct xk_rule_view *v)
{
    return xk_is_hf_mixed(v) && is_packed_half(&v->i->dst) &&
           v->i->dst.sub_b % 16;
}

bool xk_broken_mix_ind(const struct xk_rule_view *v)
{
    return xk_is_hf_mixed(v);
}

bool xk_broken_mix_acc(const struct xk_rule_view *v)
{
    bool acc = false;

    XK_EACH_SRC(v, o)
    acc |= xk_is_acc(o);
    return acc && xk_is_hf_mixed(v) && is_packed_half(&v->i->dst);
}

bool xk_broken_bf_pure(const struct xk_rule_view *v)
{
    bool f = v->i->dst.type == XK_RT_F;

    XK_EACH_SRC(v, o)
    f |= xk_operand_type(o) == XK_RT_F;
    return !f;
}

bool xk_broken_bf_mul_src(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    return (v->has & XK_IS_MAD && s[2].type == XK_RT_BF) ||
           (v->has & (XK_IS_MUL | XK_IS_MAC) && s[1].type == XK_RT_BF);
}

bool xk_broken_bf_scalar(const struct xk_rule_view *v)
{
    XK_EACH_SRC(v, o)
    {
        if (o->type == XK_RT_BF && o->file != XK_FILE_IMM &&
            xk_is_scalar(v, o) && v->i->op != XK_OPC_MOV)
            return true;
    }
    return false;
}

/* The element at which a packed operand of bf may start, besides 0. */
static unsigned half_reg_b(const struct xk_rule_view *v)
{
    return v->p->grf_b / 2u;
}

bool xk_broken_bf_dst_region(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    if (!xk_is_bf_mixed(v) || v->has & XK_IS_CMP ||
        (v->has & XK_IS_MOV && d->type != XK_RT_BF))
        return false; /* bf to f is a shift */
    if (d->type == XK_RT_BF && d->rgn.hs == 2)
        return d->sub_b > 2;
    if (d->type == XK_RT_BF)
        return d->rgn.hs != 1 || (d->sub_b && d->sub_b != half_reg_b(v));
    return d->rgn.hs != 1 || d->sub_b;
}

static int stride_of(const struct xk_rule_view *v, const struct xk_operand *o)
{
    if (v->format != XK_FMT_TERNARY)
        return xk_linear_stride(v, o);
    return o == &v->i->src[2] || (o->rgn.hs && o->rgn.vs) ? o->rgn.hs
                                                          : o->rgn.vs;
}

static bool bad_bf_src(const struct xk_rule_view *v, const struct xk_operand *o)
{
    if (o->file != XK_FILE_GRF || o->indirect || xk_is_scalar(v, o))
        return false;
    return stride_of(v, o) != 1 ||
           (o->sub_b && !(o->type == XK_RT_BF && o->sub_b == half_reg_b(v)));
}

bool xk_broken_bf_src_region(const struct xk_rule_view *v)
{
    bool bad = false;

    if (!xk_is_bf_mixed(v) ||
        (v->has & XK_IS_MOV && v->i->dst.type != XK_RT_BF))
        return false;
    XK_EACH_SRC(v, o)
    bad |= bad_bf_src(v, o);
    return bad;
}

bool xk_broken_bf_exec(const struct xk_rule_view *v)
{
    return v->i->exec * 4 > v->p->grf_b &&
           (v->i->op != XK_OPC_MOV || v->i->dst.type == XK_RT_BF);
}

bool xk_broken_tf32_mov(const struct xk_rule_view *v)
{
    return v->i->dst.type == XK_RT_TF32 &&
           (v->i->pred || v->i->sat || v->has & XK_HAS_MODS);
}

static bool dw(const struct xk_operand *o)
{
    return xk_is_dword_int(o->type);
}

bool xk_broken_mul_dw_dw(const struct xk_rule_view *v)
{
    return dw(&v->i->src[0]) && dw(&v->i->src[1]);
}

bool xk_broken_mul_dw_first(const struct xk_rule_view *v)
{
    return !dw(&v->i->src[0]) && dw(&v->i->src[1]);
}

bool xk_broken_mul_dw_sat(const struct xk_rule_view *v)
{
    return dw(&v->i->src[0]) && (v->i->sat || v->i->cond);
}

static bool modified(const struct xk_operand *o)
{
    return o->neg || o->abs;
}

bool xk_broken_mul_dw_mods(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    return dw(&s[0]) && !dw(&s[1]) && (modified(&s[0]) || modified(&s[1]));
}

bool xk_broken_mul_acc_src(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    return !xk_is_float_type(v->i->dst.type) &&
           (xk_is_acc(&s[0]) || xk_is_acc(&s[1]));
}

bool xk_broken_mad_src2_word(const struct xk_rule_view *v)
{
    return dw(&v->i->src[2]);
}

bool xk_broken_mad_dw_mods(const struct xk_rule_view *v)
{
    return dw(&v->i->src[1]) && modified(&v->i->src[1]);
}

bool xk_broken_mac_df(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_MAC && v->i->dst.type == XK_RT_DF;
}

/* Channels of dwords that one accumulator holds. */
static bool over_one_acc(const struct xk_rule_view *v)
{
    return v->i->exec * 4 > v->p->grf_b;
}

bool xk_broken_mach_exec(const struct xk_rule_view *v)
{
    return v->i->op != XK_OPC_MAC && over_one_acc(v);
}

bool xk_broken_carry_acc(const struct xk_rule_view *v)
{
    return !v->i->acc_wr_en && !xk_is_acc(&v->i->dst);
}

bool xk_broken_carry_exec(const struct xk_rule_view *v)
{
    return over_one_acc(v);
}

bool xk_broken_logic_abs(const struct xk_rule_view *v)
{
    bool abs = false;

    XK_EACH_SRC(v, o)
    abs |= o->abs;
    return abs;
}

bool xk_broken_logic_acc_mods(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= xk_is_acc(o) && modified(o);
    return broken;
}

bool xk_broken_logic_cond(const struct xk_rule_view *v)
{
    return v->i->cond == XK_COND_OV || v->i->cond == XK_COND_UN;
}

bool xk_broken_cmp_cond(const struct xk_rule_view *v)
{
    return !v->i->cond;
}

bool xk_broken_sel_one_of(const struct xk_rule_view *v)
{
    return !v->i->cond == !v->i->pred;
}

/* The compiler's dummy: all operands are one register, nothing is compared. */
static bool is_no_select(const struct xk_inst *i)
{
    return i->src[0].reg == i->dst.reg && i->src[1].reg == i->dst.reg &&
           i->src[2].reg == i->dst.reg;
}

bool xk_broken_csel_cond(const struct xk_rule_view *v)
{
    return !v->i->cond && !is_no_select(v->i);
}

bool xk_broken_sel_word_align(const struct xk_rule_view *v)
{
    return xk_reg_type_b(v->i->dst.type) == 2 &&
           !xk_is_float_type(v->i->dst.type) && xk_exec_type_b(v) == 4 &&
           !v->i->dst.indirect && v->i->dst.sub_b % 8;
}

bool xk_broken_shift_q_src1(const struct xk_rule_view *v)
{
    return xk_reg_type_b(v->i->src[1].type) == 8 &&
           xk_reg_type_b(v->i->src[0].type) != 8 &&
           xk_reg_type_b(v->i->dst.type) != 8;
}

bool xk_broken_rot_same_size(const struct xk_rule_view *v)
{
    return (v->i->op == XK_OPC_ROR || v->i->op == XK_OPC_ROL) &&
           xk_reg_type_b(v->i->dst.type) != xk_reg_type_b(v->i->src[0].type);
}

bool xk_broken_movi_indirect(const struct xk_rule_view *v)
{
    return !v->i->src[0].indirect;
}

bool xk_broken_movi_exec(const struct xk_rule_view *v)
{
    return v->i->exec > 8;
}

bool xk_broken_math_idiv_mods(const struct xk_rule_view *v)
{
    return v->i->math_fn >= XK_MATH_IDIV && v->i->math_fn <= XK_MATH_IREM;
}

bool xk_broken_math_hf_scalar(const struct xk_rule_view *v)
{
    XK_EACH_SRC(v, o)
    {
        if (o->type == XK_RT_HF && o->file == XK_FILE_GRF && xk_is_scalar(v, o))
            return true;
    }
    return false;
}

bool xk_broken_macro_grf(const struct xk_rule_view *v)
{
    bool other = v->i->dst.indirect;

    XK_EACH_SRC(v, o)
    other |= o->file == XK_FILE_IMM || o->indirect;
    return other;
}

/* Opcodes whose sources are never accumulators. */
static bool reads_no_acc(const struct xk_inst *i)
{
    switch (i->op) {
    case XK_OPC_BFREV:
    case XK_OPC_BFE:
    case XK_OPC_BFI1:
    case XK_OPC_BFI2:
    case XK_OPC_CBIT:
    case XK_OPC_FBL:
    case XK_OPC_FBH:
    case XK_OPC_MATH:
    case XK_OPC_ADDC:
    case XK_OPC_SUBB:
    case XK_OPC_MOVI:
        return true;
    default:
        return false;
    }
}

bool xk_broken_acc_op(const struct xk_rule_view *v)
{
    bool acc = false;

    XK_EACH_SRC(v, o)
    acc |= xk_is_acc(o);
    return acc && reads_no_acc(v->i);
}

bool xk_broken_acc_src2(const struct xk_rule_view *v)
{
    return xk_is_acc(&v->i->src[2]) && !(v->has & XK_HAS_MACRO);
}

bool xk_broken_acc_class(const struct xk_rule_view *v)
{
    bool other = false;

    XK_EACH_SRC(v, o)
    other |= xk_is_acc(o) &&
             xk_is_float_type(o->type) != xk_is_float_type(v->i->dst.type);
    return other && !reads_no_acc(v->i);
}

bool xk_broken_acc_align(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;
    bool acc = false, odd = d->file == XK_FILE_GRF && d->sub_b % 16;

    XK_EACH_SRC(v, o)
    {
        acc |= xk_is_acc(o);
        odd |= xk_is_acc(o) && o->sub_b % 16;
    }
    return acc && odd && !(v->has & XK_HAS_MACRO);
}

bool xk_broken_acc_src1_mods(const struct xk_rule_view *v)
{
    const struct xk_operand *const o = &v->i->src[1];

    return v->n_srcs > 1 && xk_is_acc(o) && modified(o) &&
           !xk_is_float_type(o->type) && !(v->has & XK_IS_LOGIC);
}

bool xk_broken_mad_acc_int(const struct xk_rule_view *v)
{
    const struct xk_operand *const o = &v->i->src[1];

    return xk_is_acc(o) && o->type != XK_RT_F && o->type != XK_RT_DF;
}

bool xk_broken_dp4a_acc(const struct xk_rule_view *v)
{
    return xk_is_acc(&v->i->src[0]) && xk_is_acc(&v->i->src[1]);
}
