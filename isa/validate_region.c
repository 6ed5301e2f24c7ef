/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about regions, conversions and single arithmetic opcodes. */
#include "isa/validate.h"

#include "base/alloc.h"

/* A register source with a region of its own; macros have implicit ones. */
static bool has_region(const struct xk_rule_view *v, const struct xk_operand *o)
{
    return (o->file == XK_FILE_GRF || o->file == XK_FILE_ARF) &&
           o->rgn.vs != XK_VS_VXH && !xk_math_is_macro(v->i);
}

/* Channels past the first read the same element. */
static bool is_scalar(const struct xk_operand *o, bool three_src)
{
    return o->rgn.vs == 0 && o->rgn.hs == 0 && (three_src || o->rgn.width == 1);
}

bool xk_broken_rgn_width_exec(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= has_region(v, o) && o->rgn.width > v->i->exec;
    return broken;
}

bool xk_broken_rgn_one_row(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= has_region(v, o) && o->rgn.width == v->i->exec &&
              o->rgn.width > 1 && o->rgn.hs &&
              o->rgn.vs != o->rgn.width * o->rgn.hs;
    return broken;
}

bool xk_broken_rgn_width_1(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= has_region(v, o) && o->rgn.width == 1 && o->rgn.hs;
    return broken;
}

bool xk_broken_rgn_scalar(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |=
        has_region(v, o) && v->i->exec == 1 && o->rgn.width == 1 && o->rgn.vs;
    return broken;
}

bool xk_broken_rgn_broadcast(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= has_region(v, o) && o->rgn.vs == 0 && o->rgn.hs == 0 &&
              o->rgn.width != 1;
    return broken;
}

static bool row_crosses(const struct xk_rule_view *v,
                        const struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);
    const unsigned row_b = ((o->rgn.width - 1u) * o->rgn.hs + 1) * b;

    if (!has_region(v, o) || o->file != XK_FILE_GRF || o->indirect ||
        o->rgn.width < 2)
        return false;
    for (unsigned ch = 0; ch < v->i->exec; ch += o->rgn.width) {
        const unsigned at = o->sub_b + ch / o->rgn.width * o->rgn.vs * b;

        if (at / v->p->grf_b != (at + row_b - 1) / v->p->grf_b)
            return true;
    }
    return false;
}

bool xk_broken_rgn_row_in_grf(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= row_crosses(v, o);
    return broken;
}

bool xk_broken_vxh_float(const struct xk_rule_view *v)
{
    bool broken = false;

    XK_EACH_SRC(v, o)
    broken |= o->file == XK_FILE_GRF && o->rgn.vs == XK_VS_VXH &&
              xk_is_float_type(o->type);
    return broken;
}

static bool any_float(const struct xk_rule_view *v)
{
    bool f = xk_is_float_type(v->i->dst.type);

    XK_EACH_SRC(v, o)
    f |= o->file != XK_FILE_IMM && xk_is_float_type(o->type);
    return f;
}

/* One stride in elements that reaches all channels, or -1. */
static int linear_stride(const struct xk_rule_view *v,
                         const struct xk_operand *o)
{
    const struct xk_region *const r = &o->rgn;

    if (r->width == 1)
        return r->vs;
    if (r->width >= v->i->exec || r->vs == r->width * r->hs)
        return r->hs;
    return -1;
}

/* Byte distance of channels and byte of the first, as the destination has. */
static bool moves_bits(const struct xk_rule_view *v, const struct xk_operand *o)
{
    const struct xk_operand *const d = &v->i->dst;
    const unsigned dst_b = d->rgn.hs * xk_reg_type_b(d->type);
    const int stride = linear_stride(v, o);

    if (o->file != XK_FILE_GRF || o->indirect || is_scalar(o, false) ||
        v->i->exec == 1)
        return false;
    if (stride < 0 || (unsigned)stride * xk_reg_type_b(o->type) != dst_b)
        return true;
    return o->sub_b != d->sub_b;
}

/* mov from packed half to a destination of dwords' spacing, or from packed
 * float to packed half, halves aligned to 16 bytes: the hardware moves these.
 */
static bool is_half_packing(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst, *const s = &v->i->src[0];

    if (v->i->op != XK_OPC_MOV || linear_stride(v, s) != 1 || d->indirect ||
        s->indirect)
        return false;
    if (d->type == XK_RT_HF && s->type == XK_RT_F)
        return v->i->exec <= 8 && d->rgn.hs == 1 && d->sub_b % 16 == 0 &&
               s->sub_b == 0;
    return s->type == XK_RT_HF && s->sub_b % 16 == 0 && d->sub_b == 0 &&
           d->rgn.hs * xk_reg_type_b(d->type) == 4;
}

bool xk_broken_float_same_bits(const struct xk_rule_view *v)
{
    bool broken = false;

    if (!any_float(v) || v->i->dst.file != XK_FILE_GRF || v->i->dst.indirect ||
        xk_math_is_macro(v->i) || is_half_packing(v))
        return false;
    XK_EACH_SRC(v, o)
    broken |= moves_bits(v, o);
    return broken;
}

static bool is_other_arf(const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF && o->arf != XK_ARF_NULL &&
           o->arf != XK_ARF_ACC && o->arf != XK_ARF_MME;
}

bool xk_broken_float_arf(const struct xk_rule_view *v)
{
    bool broken = is_other_arf(&v->i->dst);

    XK_EACH_SRC(v, o)
    broken |= is_other_arf(o);
    return broken && any_float(v);
}

/* Bytes of the execution type: the widest source, bytes counting as words. */
static unsigned exec_type_b(const struct xk_rule_view *v)
{
    unsigned b = 2;

    XK_EACH_SRC(v, o)
    {
        const unsigned src_b = xk_reg_type_b(xk_operand_type(o));

        b = src_b > b ? src_b : b;
    }
    return b;
}

/* A move of bits: nothing is computed or converted. */
static bool is_raw_move(const struct xk_rule_view *v)
{
    const struct xk_operand *const o = &v->i->src[0];

    return v->i->op == XK_OPC_MOV && !v->i->sat && !o->neg && !o->abs &&
           xk_reg_type_b(o->type) == xk_reg_type_b(v->i->dst.type) &&
           xk_is_float_type(o->type) == xk_is_float_type(v->i->dst.type);
}

/* Integer or narrowing destinations below the execution type. */
static bool is_narrow(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    return d->file == XK_FILE_GRF && !is_raw_move(v) &&
           xk_reg_type_b(d->type) < exec_type_b(v);
}

bool xk_broken_dst_exec_stride(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    return is_narrow(v) && v->i->exec > 1 && !is_half_packing(v) &&
           d->rgn.hs * xk_reg_type_b(d->type) < exec_type_b(v) &&
           !(xk_is_byte_type(d->type) && d->rgn.hs == 1);
}

bool xk_broken_dst_exec_align(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;
    const unsigned off_b = d->sub_b % exec_type_b(v);

    return is_narrow(v) && v->i->exec > 1 && !d->indirect && off_b &&
           !is_half_packing(v) && !(xk_is_byte_type(d->type) && off_b == 1);
}

bool xk_broken_byte_packed(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    return d->file == XK_FILE_GRF && xk_is_byte_type(d->type) &&
           d->rgn.hs == 1 && v->i->exec > 1 && !is_raw_move(v);
}

bool xk_broken_byte_src1(const struct xk_rule_view *v)
{
    for (unsigned k = 1; k < v->n_srcs; k++) {
        if (xk_is_byte_type(v->i->src[k].type))
            return true;
    }
    return false;
}

bool xk_broken_vector_imm(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    XK_EACH_SRC(v, o)
    {
        const unsigned want_b = o->type == XK_RT_VF ? 4 : 2;

        if (o->file == XK_FILE_IMM && o->type >= XK_RT_V &&
            o->type <= XK_RT_VF &&
            (v->i->exec > 8 || d->sub_b % 16 ||
             d->rgn.hs * xk_reg_type_b(d->type) != want_b))
            return true;
    }
    return false;
}

bool xk_broken_mul_dw_dw(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    if (v->i->op == XK_OPC_MUL || v->i->op == XK_OPC_MAC)
        return xk_is_dword_int(s[0].type) && xk_is_dword_int(s[1].type);
    return v->i->op == XK_OPC_MAD && xk_is_dword_int(s[1].type) &&
           xk_is_dword_int(s[2].type);
}

bool xk_broken_mul_dw_first(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_MUL && !xk_is_dword_int(v->i->src[0].type) &&
           xk_is_dword_int(v->i->src[1].type);
}

bool xk_broken_mul_dw_sat(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_MUL && xk_is_dword_int(v->i->src[0].type) &&
           (v->i->sat || v->i->cond);
}

bool xk_broken_mul_dw_mods(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    return v->i->op == XK_OPC_MUL && xk_is_dword_int(s[0].type) &&
           !xk_is_dword_int(s[1].type) &&
           (s[0].neg || s[0].abs || s[1].neg || s[1].abs);
}

bool xk_broken_mul_acc_src(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    return v->i->op == XK_OPC_MUL && !xk_is_float_type(v->i->dst.type) &&
           (xk_is_acc(&s[0]) || xk_is_acc(&s[1]));
}

bool xk_broken_carry_acc(const struct xk_rule_view *v)
{
    return (v->i->op == XK_OPC_ADDC || v->i->op == XK_OPC_SUBB) &&
           !v->i->acc_wr_en;
}

/* Of three sources: <vs;hs> is linear if every row continues the last one. */
static bool tern_moves_bits(const struct xk_rule_view *v, unsigned n)
{
    const struct xk_operand *const d = &v->i->dst, *const o = &v->i->src[n];
    const unsigned b = xk_reg_type_b(o->type);
    const unsigned stride_e =
        n == 2 || (o->rgn.hs && o->rgn.vs) ? o->rgn.hs : o->rgn.vs;

    if (o->file != XK_FILE_GRF || v->i->exec == 1 ||
        (o->rgn.hs == 0 && (n == 2 || o->rgn.vs == 0)))
        return false;
    return stride_e * b != d->rgn.hs * xk_reg_type_b(d->type) ||
           o->sub_b != d->sub_b;
}

bool xk_broken_tern_same_bits(const struct xk_rule_view *v)
{
    bool broken = false;

    if (!any_float(v) || v->i->dst.file != XK_FILE_GRF ||
        xk_math_is_macro(v->i))
        return false;
    for (unsigned n = 0; n < v->n_srcs; n++)
        broken |= tern_moves_bits(v, n);
    return broken;
}

bool xk_broken_logic_abs(const struct xk_rule_view *v)
{
    const unsigned op = v->i->op;
    bool abs = false;

    XK_EACH_SRC(v, o)
    abs |= o->abs;
    return abs && (op == XK_OPC_NOT || op == XK_OPC_AND || op == XK_OPC_OR ||
                   op == XK_OPC_XOR);
}

bool xk_broken_cmp_cond(const struct xk_rule_view *v)
{
    return (v->i->op == XK_OPC_CMP || v->i->op == XK_OPC_CMPN) && !v->i->cond;
}

bool xk_broken_sel_one_of(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_SEL && !v->i->cond == !v->i->pred;
}

bool xk_broken_csel_cond(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_CSEL && !v->i->cond;
}

static bool uses_bf(const struct xk_rule_view *v)
{
    bool bf = v->i->dst.type == XK_RT_BF;

    XK_EACH_SRC(v, o)
    bf |= o->type == XK_RT_BF;
    return bf;
}

bool xk_broken_bf_src1(const struct xk_rule_view *v)
{
    const unsigned op = v->i->op;
    bool broken = v->n_srcs > 2 && v->i->src[2].type == XK_RT_BF;

    if (v->n_srcs > 1 && op != XK_OPC_SEL)
        broken |= v->i->src[1].type == XK_RT_BF;
    return broken;
}

bool xk_broken_bf_scalar(const struct xk_rule_view *v)
{
    const bool three = v->format == XK_FMT_TERNARY;

    XK_EACH_SRC(v, o)
    {
        if (o->type == XK_RT_BF && v->i->exec > 1 &&
            (o->file == XK_FILE_IMM || is_scalar(o, three)))
            return true;
    }
    return false;
}

bool xk_broken_bf_exec(const struct xk_rule_view *v)
{
    return uses_bf(v) && v->i->exec > 8 && v->i->op != XK_OPC_MOV;
}
