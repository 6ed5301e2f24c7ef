/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about options, the scoreboard annotation, types and single operands. */
#include "isa/validate.h"

#include "base/alloc.h"

#define ALL_GRFS 256
#define MAX_DIST 7

bool xk_broken_op_exists(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    if (!v->t || i->op >= XK_N_OPCODES || v->t->op_code[i->op] == XK_NO_CODE)
        return true;
    if (i->op == XK_OPC_SYNC)
        return i->sync_fn > 15 || !(v->t->sync_fns >> i->sync_fn & 1);
    if (i->op == XK_OPC_MATH)
        return i->math_fn > 15 || !(v->t->math_fns >> i->math_fn & 1);
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

bool xk_broken_chan_unit(const struct xk_rule_view *v)
{
    return v->i->chan_off % v->p->chan_off_unit;
}

bool xk_broken_chan_range(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;
    const bool fits = i->exec && i->chan_off % i->exec == 0;

    return i->chan_off >= 32 || (!fits && xk_isa_log2(i->exec) >= 0);
}

bool xk_broken_op_pred(const struct xk_rule_view *v)
{
    return !(v->traits & XK_TRAIT_PRED);
}

bool xk_broken_op_cond(const struct xk_rule_view *v)
{
    return !(v->traits & XK_TRAIT_COND) && !(v->has & XK_HAS_MACRO);
}

bool xk_broken_op_sat(const struct xk_rule_view *v)
{
    return !(v->traits & XK_TRAIT_SAT);
}

bool xk_broken_op_srcmod(const struct xk_rule_view *v)
{
    return !(v->traits & XK_TRAIT_SRCMOD);
}

bool xk_broken_pred_kind(const struct xk_rule_view *v)
{
    return v->t && (v->i->pred > XK_PRED_ALL ||
                    v->t->pred_code[v->i->pred] == XK_NO_CODE);
}

bool xk_broken_cond_kind(const struct xk_rule_view *v)
{
    const unsigned c = v->i->cond;

    if (v->has & XK_HAS_MACRO)
        return c != XK_COND_EO;
    return c > XK_COND_LE && c != XK_COND_OV && c != XK_COND_UN;
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

bool xk_broken_acc_wr_en(const struct xk_rule_view *v)
{
    return v->i->acc_wr_en;
}

bool xk_broken_atomic_dpas(const struct xk_rule_view *v)
{
    return v->i->atomic;
}

/* A code for such annotations: kind, pipe and mode. */
static bool has_code(const struct xk_rule_view *v, unsigned kind)
{
    const struct xk_swsb *const s = &v->i->swsb;
    const unsigned class = xk_swsb_class(v->i->op);

    for (unsigned k = 0; v->t && k < v->t->n_swsb; k++) {
        const struct xk_swsb_row *const r = &v->t->swsb[k];

        if (r->kind == kind && r->classes >> class & 1 &&
            (kind == XK_SWSB_MARK ||
             (r->pipe == s->pipe &&
              (kind == XK_SWSB_DIST || r->mode == s->mode))))
            return true;
    }
    return false;
}

bool xk_broken_swsb_dist(const struct xk_rule_view *v)
{
    return v->i->swsb.dist > MAX_DIST;
}

bool xk_broken_swsb_sbid(const struct xk_rule_view *v)
{
    return v->i->swsb.mode &&
           (v->i->swsb.sbid >= v->p->n_sbid || v->i->swsb.mode > XK_SBID_SRC);
}

bool xk_broken_swsb_pipe(const struct xk_rule_view *v)
{
    return v->i->swsb.dist && !v->i->swsb.mode && !has_code(v, XK_SWSB_DIST);
}

bool xk_broken_swsb_pair(const struct xk_rule_view *v)
{
    return v->i->swsb.dist && v->i->swsb.mode && !has_code(v, XK_SWSB_BOTH);
}

bool xk_broken_swsb_set(const struct xk_rule_view *v)
{
    return v->i->swsb.mode == XK_SBID_SET && !v->i->swsb.dist &&
           !xk_inst_is_out_of_order(v->p, v->i);
}

bool xk_broken_swsb_mark(const struct xk_rule_view *v)
{
    const struct xk_swsb *const s = &v->i->swsb;

    return s->no_acc_sb && (s->dist || s->mode || !has_code(v, XK_SWSB_MARK));
}

static bool row_fits(const struct xk_rule_view *v,
                     const struct xk_type_row *row)
{
    if (!(row->platforms >> v->p->id & 1) ||
        !xk_in_set(row->dst, v->i->dst.type))
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
    const struct xk_type_row *row = xk_opcode_type_rows(v->i->op);

    for (; row->op == v->i->op; row++) {
        if (row_fits(v, row))
            return false;
    }
    return true;
}

static bool uses_type(const struct xk_rule_view *v, uint32_t set)
{
    bool uses = xk_type_among(v->i->dst.type, set);

    XK_EACH_SRC(v, o)
    uses |= xk_type_among(o->type, set);
    return uses;
}

bool xk_broken_no_int64(const struct xk_rule_view *v)
{
    return uses_type(v, 1u << XK_RT_Q | 1u << XK_RT_UQ);
}

bool xk_broken_no_fp64(const struct xk_rule_view *v)
{
    return uses_type(v, 1u << XK_RT_DF);
}

static bool beyond_file(const struct xk_rule_view *v)
{
    const uint32_t end_b = ALL_GRFS * v->p->grf_b;

    return v->fp[0].end_b > end_b || v->fp[1].end_b > end_b ||
           v->fp[2].end_b > end_b || v->fp[3].end_b > end_b;
}

bool xk_broken_grf_range(const struct xk_rule_view *v)
{
    return beyond_file(v);
}

bool xk_broken_send_range(const struct xk_rule_view *v)
{
    return beyond_file(v);
}

static bool beyond_register(const struct xk_rule_view *v,
                            const struct xk_operand *o)
{
    return o->file == XK_FILE_GRF && !o->indirect && o->sub_b >= v->p->grf_b;
}

bool xk_broken_sub_range(const struct xk_rule_view *v)
{
    bool beyond = beyond_register(v, &v->i->dst);

    XK_EACH_SRC(v, o)
    beyond |= beyond_register(v, o);
    return beyond && !(v->has & XK_HAS_MACRO);
}

bool xk_broken_acc_range(const struct xk_rule_view *v)
{
    bool beyond = xk_is_acc(&v->i->dst) && v->i->dst.reg >= v->p->n_acc;

    XK_EACH_SRC(v, o)
    beyond |= xk_is_acc(o) && o->reg >= v->p->n_acc;
    return beyond;
}

static bool absent_arf(const struct xk_rule_view *v, const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF && o->arf != XK_ARF_ACC &&
           (o->arf > XK_ARF_MME || o->reg >= v->t->n_arf[o->arf]);
}

bool xk_broken_arf_range(const struct xk_rule_view *v)
{
    bool absent;

    if (!v->t)
        return true;
    absent = absent_arf(v, &v->i->dst);
    XK_EACH_SRC(v, o)
    absent |= absent_arf(v, o);
    return absent;
}

bool xk_broken_span_2_grf(const struct xk_rule_view *v)
{
    for (unsigned k = 0; k <= v->n_srcs; k++) {
        const struct xk_operand *const o = k ? &v->i->src[k - 1] : &v->i->dst;
        const struct xk_footprint f = v->fp[k];

        if (f.end_b && !o->indirect &&
            (f.end_b - 1) / v->p->grf_b - f.first_b / v->p->grf_b > 1)
            return true;
    }
    return false;
}

static bool misaligned(const struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);

    return o->file == XK_FILE_GRF && !o->indirect && b && o->sub_b % b;
}

bool xk_broken_operand_align(const struct xk_rule_view *v)
{
    bool broken = misaligned(&v->i->dst);

    XK_EACH_SRC(v, o)
    broken |= misaligned(o);
    return broken && !(v->has & XK_HAS_MACRO);
}

bool xk_broken_tern_dst_align(const struct xk_rule_view *v)
{
    return v->i->dst.sub_b % 8;
}

bool xk_broken_dst_null_mods(const struct xk_rule_view *v)
{
    return v->null_dst;
}

bool xk_broken_src_null(const struct xk_rule_view *v)
{
    bool null = false;

    XK_EACH_SRC(v, o)
    null |= xk_is_null(o);
    return null;
}

bool xk_broken_imm_place(const struct xk_rule_view *v)
{
    for (unsigned k = 0; k < v->n_srcs; k++) {
        if (v->i->src[k].file == XK_FILE_IMM &&
            (k + 1 != v->n_srcs || v->i->op == XK_OPC_MOVI))
            return true;
    }
    return false;
}

/* Some immediate source for which the condition on it, `o`, holds. */
#define ANY_IMM(v, condition)                                                  \
    do {                                                                       \
        XK_EACH_SRC(v, o)                                                      \
        {                                                                      \
            if (o->file == XK_FILE_IMM && (condition))                         \
                return true;                                                   \
        }                                                                      \
        return false;                                                          \
    } while (0)

bool xk_broken_imm_mods(const struct xk_rule_view *v)
{
    ANY_IMM(v, o->neg || o->abs);
}

bool xk_broken_imm_byte(const struct xk_rule_view *v)
{
    ANY_IMM(v, xk_reg_type_b(o->type) == 1);
}

bool xk_broken_imm_bf(const struct xk_rule_view *v)
{
    ANY_IMM(v, o->type == XK_RT_BF);
}

bool xk_broken_imm_qword(const struct xk_rule_view *v)
{
    ANY_IMM(v, xk_reg_type_b(o->type) == 8 && v->i->op != XK_OPC_MOV);
}

bool xk_broken_imm_qword_cond(const struct xk_rule_view *v)
{
    ANY_IMM(v, xk_reg_type_b(o->type) == 8 && v->i->op == XK_OPC_MOV);
}

bool xk_broken_tern_imm_place(const struct xk_rule_view *v)
{
    return v->i->src[1].file == XK_FILE_IMM;
}

bool xk_broken_tern_imm_16(const struct xk_rule_view *v)
{
    ANY_IMM(v, xk_reg_type_b(o->type) > 2);
}

/* The field's signed range, in bytes. */
static bool offset_fits(const struct xk_rule_view *v,
                        const struct xk_operand *o, unsigned field)
{
    const struct xk_field *const f = &v->t->field[field];
    const int half = 1 << (f->n_bits + f->unit - 1);

    return !o->indirect || (o->a0_off_b >= -half && o->a0_off_b < half);
}

bool xk_broken_ind_offset(const struct xk_rule_view *v)
{
    if (!v->t)
        return false;
    for (unsigned k = 0; k < v->n_srcs && k < 2; k++) {
        if (!offset_fits(v, &v->i->src[k], xk_basic_src[k].a0_off))
            return true;
    }
    return !offset_fits(v, &v->i->dst, xk_basic_src[0].a0_off);
}

bool xk_broken_ind_sub(const struct xk_rule_view *v)
{
    bool beyond = v->i->dst.indirect && v->i->dst.a0_sub > 15;

    XK_EACH_SRC(v, o)
    beyond |= o->indirect && o->a0_sub > 15;
    return beyond;
}

bool xk_broken_ind_tern(const struct xk_rule_view *v)
{
    (void)v;
    return true;
}

bool xk_broken_vxh_float(const struct xk_rule_view *v)
{
    XK_EACH_SRC(v, o)
    {
        if (o->indirect && o->rgn.vs == XK_VS_VXH &&
            (xk_is_float_type(o->type) || xk_reg_type_b(o->type) == 8))
            return true;
    }
    return false;
}

bool xk_broken_tern_arf(const struct xk_rule_view *v)
{
    (void)v;
    return true;
}

bool xk_broken_byte_src1(const struct xk_rule_view *v)
{
    for (unsigned k = 1; k < v->n_srcs; k++) {
        if (xk_is_byte_type(v->i->src[k].type) &&
            v->i->src[k].file != XK_FILE_IMM)
            return true;
    }
    return false;
}
