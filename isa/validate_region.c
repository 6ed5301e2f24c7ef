/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about regions: how the channels of an operand lie in its registers, and
 * what conversions demand of the destination. */
#include "isa/validate.h"

#include "base/alloc.h"

int xk_linear_stride(const struct xk_rule_view *v, const struct xk_operand *o)
{
    const struct xk_region *const r = &o->rgn;

    if (r->width == 1)
        return r->vs;
    if (r->width >= v->i->exec || r->vs == r->width * r->hs)
        return r->hs;
    return -1;
}

unsigned xk_exec_type_b(const struct xk_rule_view *v)
{
    unsigned b = 2;

    XK_EACH_SRC(v, o)
    {
        const unsigned src_b = xk_reg_type_b(xk_operand_type(o));

        b = src_b > b ? src_b : b;
    }
    return b;
}

bool xk_is_bf_mixed(const struct xk_rule_view *v)
{
    return (v->has & (XK_HAS_BF | XK_HAS_QW)) == XK_HAS_BF &&
           v->format != XK_FMT_DPAS;
}

bool xk_is_hf_mixed(const struct xk_rule_view *v)
{
    bool f = v->i->dst.type == XK_RT_F && !(v->has & XK_IS_CMP);

    if (!(v->has & XK_HAS_HF) || v->has & XK_IS_MOV)
        return false;
    XK_EACH_SRC(v, o)
    f |= o->type == XK_RT_F;
    return f;
}

/* Some register source of *v for which the condition on it, `o`, holds. */
#define ANY_REGION(v, condition)                                               \
    do {                                                                       \
        XK_EACH_SRC(v, o)                                                      \
        {                                                                      \
            if (xk_has_region(v, o) && (condition))                            \
                return true;                                                   \
        }                                                                      \
        return false;                                                          \
    } while (0)

/* Bit k of the set: stride k; bit 31: 32. */
static bool stride_is(unsigned stride, uint32_t set)
{
    return stride == 32 ? set >> 31 & 1 : stride < 31 && set >> stride & 1;
}

#define STRIDES_H (1u << 0 | 1u << 1 | 1u << 2 | 1u << 4)
#define STRIDES_DST (1u << 1 | 1u << 2 | 1u << 4)
#define STRIDES_V (STRIDES_H | 1u << 8 | 1u << 16 | 1u << 31 /* 32 */)
#define WIDTHS (1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16)
#define TERN_STRIDES_V (1u << 0 | 1u << 1 | 1u << 4 | 1u << 8)

bool xk_broken_dst_stride(const struct xk_rule_view *v)
{
    return !(v->has & XK_HAS_MACRO) &&
           !stride_is(v->i->dst.rgn.hs, STRIDES_DST);
}

bool xk_broken_tern_dst_stride(const struct xk_rule_view *v)
{
    return !(v->has & XK_HAS_MACRO) &&
           !stride_is(v->i->dst.rgn.hs, 1u << 1 | 1u << 2);
}

bool xk_broken_src_strides(const struct xk_rule_view *v)
{
    ANY_REGION(v, !stride_is(o->rgn.vs, STRIDES_V) ||
                      !stride_is(o->rgn.hs, STRIDES_H) ||
                      !stride_is(o->rgn.width, WIDTHS));
}

bool xk_broken_tern_strides(const struct xk_rule_view *v)
{
    ANY_REGION(
        v, !stride_is(o->rgn.hs, STRIDES_H) ||
               (o != &v->i->src[2] && !stride_is(o->rgn.vs, TERN_STRIDES_V)));
}

bool xk_broken_rgn_width_exec(const struct xk_rule_view *v)
{
    ANY_REGION(v, o->rgn.width > v->i->exec);
}

bool xk_broken_rgn_one_row(const struct xk_rule_view *v)
{
    ANY_REGION(v, o->rgn.width == v->i->exec && o->rgn.width > 1 && o->rgn.hs &&
                      o->rgn.vs != o->rgn.width * o->rgn.hs);
}

bool xk_broken_rgn_one_lane(const struct xk_rule_view *v)
{
    ANY_REGION(v, v->i->exec == 1 && o->rgn.hs);
}

bool xk_broken_rgn_scalar(const struct xk_rule_view *v)
{
    ANY_REGION(v, v->i->exec == 1 && o->rgn.width == 1 && o->rgn.vs);
}

bool xk_broken_rgn_broadcast(const struct xk_rule_view *v)
{
    ANY_REGION(v, o->rgn.vs == 0 && o->rgn.hs == 0 && o->rgn.width != 1);
}

static bool row_crosses(const struct xk_rule_view *v,
                        const struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);
    const unsigned row_b = ((o->rgn.width - 1u) * o->rgn.hs + 1) * b;

    if (o->file != XK_FILE_GRF || o->indirect || o->rgn.width < 2)
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
    ANY_REGION(v, row_crosses(v, o));
}

/* Byte distance of channels or byte of the first differ from the
 * destination's. */
static bool moves_bits(const struct xk_rule_view *v, const struct xk_operand *o)
{
    const struct xk_operand *const d = &v->i->dst;
    const unsigned dst_b = d->rgn.hs * xk_reg_type_b(d->type);
    const int stride = xk_linear_stride(v, o);

    if (o->file != XK_FILE_GRF || o->indirect || xk_is_scalar(v, o))
        return false;
    if (stride < 0 || (unsigned)stride * xk_reg_type_b(o->type) != dst_b)
        return true;
    return o->sub_b != d->sub_b;
}

/* Conversions to and from 8-bit floats, and stochastic rounding, are from
 * packed to packed. */
static bool is_byte_float_packing(const struct xk_rule_view *v)
{
    const uint32_t byte_floats = 1u << XK_RT_BF8 | 1u << XK_RT_HF8;
    const struct xk_operand *const d = &v->i->dst, *const s = &v->i->src[0];

    return (v->i->op == XK_OPC_SRND || xk_type_among(d->type, byte_floats) ||
            xk_type_among(s->type, byte_floats)) &&
           d->rgn.hs == 1 && xk_linear_stride(v, s) == 1;
}

/* mov from packed half to a destination of dwords' spacing, or from packed
 * float to packed half, halves aligned to 16 bytes: the hardware moves these.
 */
static bool is_half_packing(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst, *const s = &v->i->src[0];

    if (v->i->op != XK_OPC_MOV || xk_linear_stride(v, s) != 1 || d->indirect ||
        s->indirect)
        return false;
    if (d->type == XK_RT_HF && s->type == XK_RT_F)
        return v->i->exec * 4 <= v->p->grf_b && d->rgn.hs == 1 &&
               d->sub_b % (v->p->grf_b / 2) == 0 && s->sub_b == 0;
    return s->type == XK_RT_HF && s->sub_b % (v->p->grf_b / 2) == 0 &&
           d->sub_b == 0 && d->rgn.hs * xk_reg_type_b(d->type) == 4;
}

bool xk_broken_float_same_bits(const struct xk_rule_view *v)
{
    bool broken = false;

    if (v->i->dst.indirect || v->has & (XK_HAS_MACRO | XK_HAS_BF) ||
        is_half_packing(v) || is_byte_float_packing(v))
        return false;
    XK_EACH_SRC(v, o)
    broken |= moves_bits(v, o);
    return broken;
}

bool xk_broken_int64_same_bits(const struct xk_rule_view *v)
{
    bool broken = false;

    if (v->has & XK_HAS_FLOAT || v->i->dst.indirect)
        return false;
    XK_EACH_SRC(v, o)
    broken |= moves_bits(v, o);
    return broken;
}

/* Source n of a three-source instruction: its region <vs;hs> is linear if every
 * row continues the last one. */
static bool tern_moves_bits(const struct xk_rule_view *v, unsigned n)
{
    const struct xk_operand *const d = &v->i->dst, *const o = &v->i->src[n];
    const unsigned b = xk_reg_type_b(o->type);
    const unsigned stride_e =
        n == 2 || (o->rgn.hs && o->rgn.vs) ? o->rgn.hs : o->rgn.vs;

    if (o->file != XK_FILE_GRF || (o->rgn.hs == 0 && (n == 2 || !o->rgn.vs)))
        return false;
    return stride_e * b != d->rgn.hs * xk_reg_type_b(d->type) ||
           o->sub_b != d->sub_b;
}

bool xk_broken_tern_same_bits(const struct xk_rule_view *v)
{
    bool broken = false;

    if (v->has & (XK_HAS_MACRO | XK_HAS_BF))
        return false;
    for (unsigned n = 0; n < v->n_srcs; n++)
        broken |= tern_moves_bits(v, n);
    return broken;
}

bool xk_broken_float_arf(const struct xk_rule_view *v)
{
    (void)v;
    return true;
}

bool xk_broken_int64_arf(const struct xk_rule_view *v)
{
    return !(v->has & XK_HAS_FLOAT);
}

/* A move of bits: nothing is computed or converted. */
static bool is_raw_move(const struct xk_rule_view *v)
{
    const struct xk_operand *const o = &v->i->src[0];

    return v->i->op == XK_OPC_MOV && !v->i->sat && !o->neg && !o->abs &&
           xk_reg_type_b(o->type) == xk_reg_type_b(v->i->dst.type) &&
           xk_is_float_type(o->type) == xk_is_float_type(v->i->dst.type);
}

/* Results narrower than what they are computed in, spread to its size. */
static bool is_narrow_result(const struct xk_rule_view *v)
{
    return !is_raw_move(v) && !is_half_packing(v) &&
           !is_byte_float_packing(v) && !xk_is_bf_mixed(v) &&
           !xk_is_hf_mixed(v) &&
           xk_reg_type_b(v->i->dst.type) < xk_exec_type_b(v);
}

static bool is_packed_byte(const struct xk_rule_view *v)
{
    return xk_is_byte_type(v->i->dst.type) && v->i->dst.rgn.hs == 1;
}

bool xk_broken_dst_exec_stride(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    return is_narrow_result(v) && !is_packed_byte(v) &&
           d->rgn.hs * xk_reg_type_b(d->type) < xk_exec_type_b(v);
}

/* Bytes past a multiple of the execution type. */
static unsigned off_exec_b(const struct xk_rule_view *v)
{
    return is_narrow_result(v) && !v->i->dst.indirect && !is_packed_byte(v)
               ? v->i->dst.sub_b % xk_exec_type_b(v)
               : 0;
}

bool xk_broken_dst_exec_align(const struct xk_rule_view *v)
{
    const unsigned off_b = off_exec_b(v);
    const unsigned e_b = xk_reg_type_b(v->i->dst.type);

    return e_b > 1 && off_b && !(e_b == 2 && off_b == 2);
}

bool xk_broken_dst_byte_align(const struct xk_rule_view *v)
{
    return xk_reg_type_b(v->i->dst.type) == 1 && off_exec_b(v) > 1;
}

bool xk_broken_byte_packed(const struct xk_rule_view *v)
{
    return is_packed_byte(v) && !is_raw_move(v);
}

static bool converts_half_and_int(const struct xk_rule_view *v)
{
    const enum xk_reg_type d = v->i->dst.type, s = v->i->src[0].type;

    return v->i->op == XK_OPC_MOV && ((d == XK_RT_HF && !xk_is_float_type(s)) ||
                                      (s == XK_RT_HF && !xk_is_float_type(d)));
}

bool xk_broken_hf_int_stride(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst;

    return converts_half_and_int(v) && d->rgn.hs * xk_reg_type_b(d->type) != 4;
}

bool xk_broken_hf_int_align(const struct xk_rule_view *v)
{
    return converts_half_and_int(v) && !v->i->dst.indirect &&
           v->i->dst.sub_b % 4;
}

/* The packed vector immediate of *v, or NULL. */
static const struct xk_operand *vector_imm(const struct xk_rule_view *v)
{
    XK_EACH_SRC(v, o)
    {
        if (o->file == XK_FILE_IMM && o->type >= XK_RT_V && o->type <= XK_RT_VF)
            return o;
    }
    return NULL;
}

bool xk_broken_vec_imm_align(const struct xk_rule_view *v)
{
    return vector_imm(v) && !v->i->dst.indirect && v->i->dst.sub_b % 16;
}

bool xk_broken_vec_imm_stride(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst, *const o = vector_imm(v);

    return o && d->rgn.hs * xk_reg_type_b(d->type) !=
                    (o->type == XK_RT_VF ? 4u : 2u);
}

bool xk_broken_vec_imm_exec(const struct xk_rule_view *v)
{
    const struct xk_operand *const o = vector_imm(v);

    return o && v->i->exec > (o->type == XK_RT_VF ? 4 : 8);
}
