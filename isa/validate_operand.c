/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about single operands, options and types. */
#include "isa/validate.h"

#include "base/alloc.h"

#define ALL_GRFS 256

bool xk_broken_op_exists(const struct xk_rule_view *v)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(v->p, NULL);
    const struct xk_inst *const i = v->i;

    if (!t || i->op >= XK_N_OPCODES || t->op_code[i->op] == XK_NO_CODE)
        return true;
    if (i->op == XK_OPC_SYNC)
        return !xk_sync_name(i->sync_fn);
    if (i->op == XK_OPC_MATH)
        return !xk_math_name(i->math_fn) ||
               (xk_math_n_srcs(i->math_fn) == 2 && !xk_math_is_macro(i));
    return false;
}

bool xk_broken_no_tile(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    return i->dst.file == XK_FILE_TILE || i->src[0].file == XK_FILE_TILE ||
           i->src[1].file == XK_FILE_TILE || i->src[2].file == XK_FILE_TILE;
}

bool xk_broken_exec_size(const struct xk_rule_view *v)
{
    return xk_isa_log2(v->i->exec) < 0 || v->i->exec > 32;
}

bool xk_broken_chan_range(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    return i->chan_off % v->p->chan_off_unit || i->chan_off + i->exec > 32 ||
           (i->exec >= 8 && i->chan_off % 8);
}

bool xk_broken_op_pred(const struct xk_rule_view *v)
{
    return v->i->pred && !(xk_opcode_traits(v->p, v->i->op) & XK_TRAIT_PRED);
}

bool xk_broken_op_cond(const struct xk_rule_view *v)
{
    const unsigned t = xk_opcode_traits(v->p, v->i->op);

    return v->i->cond && !(t & XK_TRAIT_COND) && !xk_math_is_macro(v->i);
}

bool xk_broken_op_sat(const struct xk_rule_view *v)
{
    return v->i->sat && !(xk_opcode_traits(v->p, v->i->op) & XK_TRAIT_SAT);
}

bool xk_broken_op_srcmod(const struct xk_rule_view *v)
{
    bool mods = false;

    XK_EACH_SRC(v, o)
    mods |= o->neg || o->abs;
    return mods && !(xk_opcode_traits(v->p, v->i->op) & XK_TRAIT_SRCMOD);
}

bool xk_broken_flag_range(const struct xk_rule_view *v)
{
    return v->i->flag_reg >= v->p->n_flag_regs || v->i->flag_sub > 1;
}

/* Channel c uses bit c of the 32-bit flag register, or c + 16 of f<n>.1. */
bool xk_broken_flag_room(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    return (i->pred || i->cond) && i->flag_sub == 1 &&
           i->chan_off + i->exec > 16;
}

bool xk_broken_swsb_form(const struct xk_rule_view *v)
{
    const struct xk_swsb *const s = &v->i->swsb;
    const bool send = v->format == XK_FMT_SEND;
    const bool sets =
        send || v->i->op == XK_OPC_MATH || v->format == XK_FMT_DPAS;

    if (s->dist > 7 || s->no_acc_sb || s->mode > XK_SBID_SRC ||
        (s->mode && s->sbid >= v->p->n_sbid) ||
        (s->dist && s->pipe > XK_PIPE_LONG))
        return true;
    if (s->mode == XK_SBID_SET && !sets)
        return true;
    if (!s->dist || !s->mode)
        return false;
    return s->pipe != (send ? XK_PIPE_ALL : XK_PIPE_NONE) ||
           s->mode != (sets ? XK_SBID_SET : XK_SBID_DST);
}

static bool row_fits(const struct xk_rule_view *v,
                     const struct xk_type_row *row)
{
    if (!xk_in_set(row->dst, v->i->dst.type))
        return false;
    XK_EACH_SRC(v, o)
    {
        if (!xk_in_set(row->src, xk_operand_type(o)))
            return false;
    }
    return true;
}

bool xk_broken_op_types(const struct xk_rule_view *v)
{
    unsigned n;
    const struct xk_type_row *const rows = xk_type_rows(&n);

    for (unsigned k = 0; k < n; k++) {
        if (rows[k].op == v->i->op && row_fits(v, &rows[k]))
            return false;
    }
    return true;
}

bool xk_broken_no_int64(const struct xk_rule_view *v)
{
    bool wide = v->i->dst.type == XK_RT_Q || v->i->dst.type == XK_RT_UQ;

    XK_EACH_SRC(v, o)
    wide |= o->type == XK_RT_Q || o->type == XK_RT_UQ;
    return wide && !v->p->has_int64;
}

bool xk_broken_no_fp64(const struct xk_rule_view *v)
{
    bool wide = v->i->dst.type == XK_RT_DF;

    XK_EACH_SRC(v, o)
    wide |= o->type == XK_RT_DF;
    return wide && !v->p->has_fp64;
}

bool xk_broken_grf_range(const struct xk_rule_view *v)
{
    for (int k = -1; k < 3; k++) {
        if (xk_inst_footprint(v->p, v->i, k).end_b > ALL_GRFS * v->p->grf_b)
            return true;
    }
    return false;
}

bool xk_broken_acc_range(const struct xk_rule_view *v)
{
    bool beyond = xk_is_acc(&v->i->dst) && v->i->dst.reg >= v->p->n_acc;

    XK_EACH_SRC(v, o)
    beyond |= xk_is_acc(o) && o->reg >= v->p->n_acc;
    return beyond;
}

bool xk_broken_span_2_grf(const struct xk_rule_view *v)
{
    for (int k = -1; k < (int)v->n_srcs; k++) {
        const struct xk_operand *const o = k < 0 ? &v->i->dst : &v->i->src[k];
        const struct xk_footprint f = xk_inst_footprint(v->p, v->i, k);

        if (f.end_b && !o->indirect &&
            (f.end_b - 1) / v->p->grf_b - f.first_b / v->p->grf_b > 1)
            return true;
    }
    return false;
}

bool xk_broken_dst_stride(const struct xk_rule_view *v)
{
    const unsigned hs = v->i->dst.rgn.hs;

    return hs != 1 && hs != 2 && hs != 4;
}

static bool misaligned(const struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);

    return o->file == XK_FILE_GRF && !o->indirect && b && o->sub_b % b;
}

bool xk_broken_operand_align(const struct xk_rule_view *v)
{
    bool broken = !xk_math_is_macro(v->i) && misaligned(&v->i->dst);

    if (xk_math_is_macro(v->i))
        return false; /* the subregister names an extended accumulator */
    XK_EACH_SRC(v, o)
    broken |= misaligned(o);
    return broken;
}

bool xk_broken_dst_null_mods(const struct xk_rule_view *v)
{
    return v->i->sat && v->null_dst;
}

bool xk_broken_imm_place(const struct xk_rule_view *v)
{
    const bool three = v->format == XK_FMT_TERNARY;

    for (unsigned k = 0; k < v->n_srcs; k++) {
        const struct xk_operand *const o = &v->i->src[k];

        if (o->file != XK_FILE_IMM)
            continue;
        if (o->neg || o->abs || v->i->op == XK_OPC_MOVI ||
            (three ? k == 1 || xk_reg_type_b(o->type) != 2
                   : k != v->n_srcs - 1))
            return true;
    }
    return false;
}
