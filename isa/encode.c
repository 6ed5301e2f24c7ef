/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction record to the native 128 bits. Every value goes through put(),
 * which refuses what its field cannot hold; the first refusal sticks and the
 * output is not written. Bit numbers come from isa/format.def only. */
#include "isa/format.h"

#include <string.h>

#include "base/alloc.h"

struct enc {
    const struct xk_isa_tables *t;
    const struct xk_platform *p;
    const struct xk_inst *i;
    uint64_t w[2];
    enum xk_status status;
    struct xk_error *err;
};

#define REFUSE(e, code, ...)                                                   \
    do {                                                                       \
        if ((e)->status == XK_OK)                                              \
            (e)->status = xk_isa_fail((e)->err, code, __VA_ARGS__);            \
    } while (0)

static const char *op_name(const struct enc *e)
{
    return xk_opcode_name(e->i->op);
}

static void put_wide(struct enc *e, unsigned id, uint64_t v)
{
    const struct xk_field *f = &e->t->field[id];

    REFUSE(e, XK_EINVAL, "%s: %s %llu does not fit %u bits", op_name(e),
           xk_field_rows[id].text, (unsigned long long)v, f->n_bits);
}

static inline void put(struct enc *e, unsigned id, uint64_t v)
{
    const struct xk_field *f;

    if (v == 0)
        return; /* the words start as zero, and most fields are */
    f = &e->t->field[id];
    if (v >> f->n_bits) {
        put_wide(e, id, v);
        return;
    }
    if (f->n_parts == 1) {
        e->w[f->part[0].first >> 6] |= v << (f->part[0].first & 63);
        return;
    }
    for (unsigned k = 0; k < f->n_parts; k++) {
        const unsigned first = f->part[k].first, count = f->part[k].count;

        e->w[first >> 6] |= (v & ((UINT64_C(1) << count) - 1)) << (first & 63);
        v >>= count;
    }
}

/* Horizontal strides 0, 1, 2, 4. */
static void put_hs(struct enc *e, unsigned id, unsigned hs)
{
    static const uint8_t code[] = {0, 1, 2, XK_NO_CODE, 3};

    if (hs >= XK_COUNTOF(code) || code[hs] == XK_NO_CODE)
        REFUSE(e, XK_EINVAL, "%s: %s %u, need 0, 1, 2 or 4", op_name(e),
               xk_field_rows[id].text, hs);
    else
        put(e, id, code[hs]);
}

static unsigned type_code(struct enc *e, const struct xk_operand *o,
                          const uint8_t *codes, const char *what)
{
    const unsigned code =
        o->type < XK_N_REG_TYPES ? codes[o->type] : XK_NO_CODE;

    if (code != XK_NO_CODE)
        return code;
    REFUSE(e, XK_EINVAL, "%s: %s: type %s has no encoding here", op_name(e),
           what, xk_reg_type_name(o->type));
    return 0;
}

/* File bit, register number and byte offset of a direct register operand. */
static void put_reg(struct enc *e, const struct xk_operand *o, unsigned file,
                    unsigned reg, unsigned sub)
{
    const struct xk_arf_row *a;

    if (o->file == XK_FILE_GRF) {
        put(e, file, 1);
        put(e, reg, o->reg);
    } else if (o->file == XK_FILE_ARF && o->arf <= XK_ARF_MME &&
               o->reg < xk_arf_rows[o->arf].n) {
        a = &xk_arf_rows[o->arf];
        put(e, reg, (unsigned)a->code << 4 | (a->first + o->reg));
    } else {
        REFUSE(e, XK_EINVAL,
               "%s: %s: file %u, arf %u, register %u: no such "
               "register operand",
               op_name(e), xk_field_rows[reg].text, o->file, o->arf, o->reg);
    }
    if (o->sub_b >= e->p->grf_b)
        REFUSE(e, XK_EINVAL, "%s: %s byte %u is past the register", op_name(e),
               xk_field_rows[sub].text, o->sub_b);
    else
        put(e, sub, o->sub_b);
}

static void put_indirect(struct enc *e, const struct xk_operand *o,
                         unsigned mode, unsigned off, unsigned a0)
{
    if (o->file != XK_FILE_GRF || o->a0_off_b < -512 || o->a0_off_b > 511) {
        REFUSE(e, XK_EINVAL, "%s: %s %d: need a GRF operand and -512..511",
               op_name(e), xk_field_rows[off].text, o->a0_off_b);
        return;
    }
    put(e, mode, 1);
    put(e, off, (unsigned)o->a0_off_b & 0x3ff);
    put(e, a0, o->a0_sub);
}

static unsigned swsb_dist(struct enc *e, const struct xk_swsb *s)
{
    static const uint8_t base[] = {
        [XK_PIPE_NONE] = 0x00, [XK_PIPE_ALL] = 0x08,  [XK_PIPE_FLOAT] = 0x10,
        [XK_PIPE_INT] = 0x18,  [XK_PIPE_LONG] = 0x50,
    };

    if (s->pipe >= XK_COUNTOF(base) || s->dist > 7) {
        REFUSE(e, XK_EINVAL, "%s: swsb: distance %u on pipe %u", op_name(e),
               s->dist, s->pipe);
        return 0;
    }
    return base[s->pipe] | s->dist;
}

/* Distance and SBID together: one form per kind of instruction. */
static unsigned swsb_both(struct enc *e, const struct xk_swsb *s)
{
    const unsigned op = e->i->op;
    const bool send = op == XK_OPC_SEND || op == XK_OPC_SENDC;
    const bool sets =
        send || op == XK_OPC_MATH || xk_opcode_format(op) == XK_FMT_DPAS;
    const unsigned pipe = send ? XK_PIPE_ALL : XK_PIPE_NONE;
    const unsigned mode = sets ? XK_SBID_SET : XK_SBID_DST;

    if (s->pipe != pipe || s->mode != mode || s->dist > 7)
        REFUSE(e, XK_EINVAL,
               "%s: swsb: distance %u on pipe %u cannot join "
               "SBID mode %u",
               op_name(e), s->dist, s->pipe, s->mode);
    return 0x80 | (s->dist & 7u) << 4 | s->sbid;
}

static void put_swsb(struct enc *e)
{
    static const uint8_t base[] = {
        [XK_SBID_SET] = 0x40,
        [XK_SBID_DST] = 0x20,
        [XK_SBID_SRC] = 0x30,
    };
    const struct xk_swsb *s = &e->i->swsb;
    unsigned v = 0;

    if (s->no_acc_sb || s->mode >= XK_COUNTOF(base) ||
        (s->mode && s->sbid >= e->p->n_sbid))
        REFUSE(e, XK_EINVAL, "%s: swsb: mode %u, SBID %u, NoAccSBSet %u",
               op_name(e), s->mode, s->sbid, s->no_acc_sb);
    else if (s->mode && s->dist)
        v = swsb_both(e, s);
    else if (s->mode)
        v = base[s->mode] | s->sbid;
    else if (s->dist)
        v = swsb_dist(e, s);
    put(e, XK_FLD_SWSB, v);
}

static void put_header(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const int exec = xk_isa_log2(i->exec);
    const bool uses_flag = i->pred || i->cond;

    if (exec < 0 || exec > 5)
        REFUSE(e, XK_EINVAL, "%s: exec size %u", op_name(e), i->exec);
    if (i->chan_off % e->p->chan_off_unit)
        REFUSE(e, XK_EINVAL, "%s: channel offset %u, need a multiple of %u",
               op_name(e), i->chan_off, e->p->chan_off_unit);
    if (i->pred > XK_PRED_ALL32H || (i->pred_inv && !i->pred))
        REFUSE(e, XK_EINVAL, "%s: predicate %u, inverse %u", op_name(e),
               i->pred, i->pred_inv);
    if (i->flag_reg >= e->p->n_flag_regs || i->flag_sub > 1 ||
        (!uses_flag && (i->flag_reg || i->flag_sub)))
        REFUSE(e, XK_EINVAL, "%s: flag f%u.%u%s", op_name(e), i->flag_reg,
               i->flag_sub, uses_flag ? "" : " without predicate or condition");
    put(e, XK_FLD_EXEC, exec < 0 ? 0 : (unsigned)exec);
    put(e, XK_FLD_CHAN_OFF, i->chan_off / e->p->chan_off_unit);
    put(e, XK_FLD_FLAG, (unsigned)i->flag_reg << 1 | i->flag_sub);
    put(e, XK_FLD_PRED, i->pred);
    put(e, XK_FLD_PRED_INV, i->pred_inv);
    put(e, XK_FLD_NO_MASK, i->no_mask);
}

/* Options a form has no bits for must be off: nothing is dropped silently. */
static void refuse_options(struct enc *e, bool sat, bool acc_wr_en, bool atomic,
                           bool cond, bool ctrl)
{
    const struct xk_inst *i = e->i;

    if ((i->sat && !sat) || (i->acc_wr_en && !acc_wr_en) ||
        (i->atomic && !atomic) || (i->cond && !cond) ||
        (i->branch_ctrl && !ctrl))
        REFUSE(e, XK_EINVAL,
               "%s: saturate %u, AccWrEn %u, Atomic %u, condition "
               "%u, branch control %u: not all exist in this form",
               op_name(e), i->sat, i->acc_wr_en, i->atomic, i->cond,
               i->branch_ctrl);
}

static void put_basic_dst(struct enc *e)
{
    const struct xk_operand *o = &e->i->dst;

    put(e, XK_FLD_B_DST_TYPE, type_code(e, o, e->t->type_code, "dst"));
    put_hs(e, XK_FLD_B_DST_HS, o->rgn.hs);
    if (o->indirect)
        put_indirect(e, o, XK_FLD_B_DST_MODE, XK_FLD_B_DST_OFF,
                     XK_FLD_B_DST_A0);
    else
        put_reg(e, o, XK_FLD_B_DST_FILE, XK_FLD_B_DST_REG, XK_FLD_B_DST_SUB);
}

static void put_basic_region(struct enc *e, const struct xk_operand *o,
                             const struct xk_src_fields *f)
{
    const int width = xk_isa_log2(o->rgn.width);
    const int vs = o->rgn.vs ? xk_isa_log2(o->rgn.vs) + 1 : 0;

    put_hs(e, f->hs, o->rgn.hs);
    if (width < 0 || width > 4)
        REFUSE(e, XK_EINVAL, "%s: %s %u", op_name(e),
               xk_field_rows[f->width].text, o->rgn.width);
    else
        put(e, f->width, (unsigned)width);
    if (o->rgn.vs == XK_VS_VXH && o->indirect)
        put(e, f->vs, e->t->vxh_code);
    else if ((o->rgn.vs && vs == 0) || vs > 6)
        REFUSE(e, XK_EINVAL, "%s: %s %u", op_name(e), xk_field_rows[f->vs].text,
               o->rgn.vs);
    else
        put(e, f->vs, (unsigned)vs);
}

static void put_basic_src(struct enc *e, const struct xk_operand *o, unsigned n)
{
    const struct xk_src_fields *f = &xk_basic_src[n];

    put(e, f->type, type_code(e, o, e->t->type_code, n ? "src1" : "src0"));
    put(e, f->abs, o->abs);
    put(e, f->neg, o->neg);
    put_basic_region(e, o, f);
    if (o->indirect)
        put_indirect(e, o, f->mode, f->a0_off, f->a0_sub);
    else
        put_reg(e, o, f->file, f->reg, f->sub);
}

static void put_basic_imm(struct enc *e, const struct xk_operand *o, unsigned n)
{
    const struct xk_src_fields *f = &xk_basic_src[n];
    const unsigned type_b = xk_reg_type_b(o->type);

    put(e, f->imm_flag, 1);
    put(e, f->type, type_code(e, o, e->t->imm_code, "immediate"));
    if (o->neg || o->abs)
        REFUSE(e, XK_EINVAL, "%s: modifier on an immediate", op_name(e));
    if (type_b == 8 && e->i->op == XK_OPC_MOV && !e->i->cond) {
        put(e, XK_FLD_B_IMM_LO, o->imm & 0xffffffff);
        put(e, XK_FLD_B_IMM_HI, o->imm >> 32);
    } else if (type_b == 8 || (type_b == 2 && o->imm >> 16)) {
        REFUSE(e, XK_EINVAL, "%s: immediate 0x%llx:%s does not fit", op_name(e),
               (unsigned long long)o->imm, xk_reg_type_name(o->type));
    } else {
        put(e, XK_FLD_B_IMM_LO, type_b == 2 ? o->imm << 16 | o->imm : o->imm);
    }
}

/* The condition field of math holds its function. */
static void put_basic_cond(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const bool macro = xk_math_is_macro(i);

    if (i->op != XK_OPC_MATH) {
        if (i->cond == XK_COND_EO || i->cond == 7 || i->cond > XK_COND_UN)
            REFUSE(e, XK_EINVAL, "%s: condition %u", op_name(e), i->cond);
        put(e, XK_FLD_B_COND, i->cond);
        return;
    }
    if (!xk_math_name(i->math_fn) || i->cond != (macro ? XK_COND_EO : 0))
        REFUSE(e, XK_EINVAL, "math: function %u with condition %u", i->math_fn,
               i->cond);
    else if (xk_math_n_srcs(i->math_fn) == 2 && !macro)
        REFUSE(e, XK_EUNSUPPORTED, "math.%s does not exist on %s",
               xk_math_name(i->math_fn), e->p->name);
    put(e, XK_FLD_B_COND, i->math_fn);
}

static void encode_basic(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const unsigned n = xk_inst_n_srcs(i);

    refuse_options(e, true, true, true, true, false);
    put(e, XK_FLD_B_ATOMIC, i->atomic);
    put(e, XK_FLD_B_ACC_WR, i->acc_wr_en);
    put(e, XK_FLD_B_SAT, i->sat);
    put_basic_dst(e);
    put_basic_cond(e);
    for (unsigned k = 0; k < 2; k++) {
        const struct xk_operand *o = &i->src[k];

        if (k >= n) {
            if (o->file != XK_FILE_NONE)
                REFUSE(e, XK_EINVAL, "%s: src%u is not used", op_name(e), k);
        } else if (o->file != XK_FILE_IMM) {
            put_basic_src(e, o, k);
        } else if (k == n - 1 && i->op != XK_OPC_MOVI) {
            put_basic_imm(e, o, k);
        } else {
            REFUSE(e, XK_EINVAL, "%s: src%u cannot be immediate", op_name(e),
                   k);
        }
    }
}

/* sync: a destination that is always null<1>, a source that is null or, for
 * allrd and allwr, a mask of SBIDs. */
static void encode_sync(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const struct xk_operand *o = &i->src[0];
    const bool mask =
        i->sync_fn == XK_SYNC_ALLRD || i->sync_fn == XK_SYNC_ALLWR;

    refuse_options(e, false, false, false, false, false);
    if (!xk_sync_name(i->sync_fn))
        REFUSE(e, XK_EINVAL, "sync: function %u", i->sync_fn);
    put(e, XK_FLD_B_COND, i->sync_fn);
    put(e, XK_FLD_B_DST_HS, 1);
    if (o->file == XK_FILE_IMM && mask && o->type == XK_RT_UD)
        put_basic_imm(e, o, 0);
    else if (o->file != XK_FILE_NONE &&
             !(o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL))
        REFUSE(e, XK_EINVAL, "sync: source is neither null nor a mask");
}

static void put_ternary_vs(struct enc *e, unsigned id, unsigned vs)
{
    if (vs != 0 && vs != 1 && vs != 4 && vs != 8)
        REFUSE(e, XK_EINVAL, "%s: %s %u, need 0, 1, 4 or 8", op_name(e),
               xk_field_rows[id].text, vs);
    else
        put(e, id, vs < 2 ? vs : vs / 4 + 1);
}

/* Bit 3 of every type code is one shared field. */
static void put_class_type(struct enc *e, unsigned id, unsigned code,
                           unsigned exec_class)
{
    if (code >> 3 != exec_class)
        REFUSE(e, XK_EINVAL, "%s: %s: integer and float operands mixed",
               op_name(e), xk_field_rows[id].text);
    else
        put(e, id, code & 7);
}

static void put_ternary_imm(struct enc *e, const struct xk_operand *o,
                            unsigned n, unsigned exec_class)
{
    const struct xk_src_fields *f = &xk_ternary_src[n];

    if (n == 1 || xk_reg_type_b(o->type) != 2 || o->neg || o->abs) {
        REFUSE(e, XK_EINVAL, "%s: src%u: immediate of type %s", op_name(e), n,
               xk_reg_type_name(o->type));
        return;
    }
    put_class_type(e, f->type, type_code(e, o, e->t->imm_code, "immediate"),
                   exec_class);
    put(e, f->imm_flag, 1);
    put(e, f->imm16, o->imm);
}

static void put_ternary_src(struct enc *e, const struct xk_operand *o,
                            unsigned n, unsigned exec_class)
{
    const struct xk_src_fields *f = &xk_ternary_src[n];

    if (o->file == XK_FILE_IMM) {
        put_ternary_imm(e, o, n, exec_class);
        return;
    }
    if (o->indirect)
        REFUSE(e, XK_EINVAL, "%s: src%u: indirect", op_name(e), n);
    if (e->i->op == XK_OPC_BFN && (o->neg || o->abs))
        REFUSE(e, XK_EINVAL, "bfn: src%u: source modifier", n);
    put_class_type(e, f->type, type_code(e, o, e->t->type_code, "source"),
                   exec_class);
    if (e->i->op != XK_OPC_BFN) {
        put(e, f->abs, o->abs);
        put(e, f->neg, o->neg);
    }
    if (f->vs)
        put_ternary_vs(e, f->vs, o->rgn.vs);
    put_hs(e, f->hs, o->rgn.hs);
    put_reg(e, o, f->file, f->reg, f->sub);
}

static void put_ternary_cond(struct enc *e)
{
    static const uint8_t bfn_code[] = {
        [XK_COND_NONE] = 0,        [XK_COND_EQ] = 1,
        [XK_COND_NE] = XK_NO_CODE, [XK_COND_GT] = 2,
        [XK_COND_GE] = XK_NO_CODE, [XK_COND_LT] = 3,
    };
    const unsigned cond = e->i->cond;

    if (e->i->op != XK_OPC_BFN) {
        if (cond == 7 || cond > XK_COND_UN)
            REFUSE(e, XK_EINVAL, "%s: condition %u", op_name(e), cond);
        put(e, XK_FLD_T_COND, cond);
        return;
    }
    if (cond >= XK_COUNTOF(bfn_code) || bfn_code[cond] == XK_NO_CODE)
        REFUSE(e, XK_EINVAL, "bfn: condition %u, need eq, gt or lt", cond);
    else
        put(e, XK_FLD_T_BFN_COND, bfn_code[cond]);
    put(e, XK_FLD_T_BFN_FC, e->i->bfn);
}

static void encode_ternary(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const unsigned code = type_code(e, &i->dst, e->t->type_code, "dst");

    refuse_options(e, i->op != XK_OPC_BFN, true, true, true, false);
    put(e, XK_FLD_T_ATOMIC, i->atomic);
    put(e, XK_FLD_T_ACC_WR, i->acc_wr_en);
    put(e, XK_FLD_T_SAT, i->sat);
    put(e, XK_FLD_T_DST_TYPE, code & 7);
    put(e, XK_FLD_T_EXEC_TYPE, code >> 3);
    if (i->dst.rgn.hs != 1 && i->dst.rgn.hs != 2)
        REFUSE(e, XK_EINVAL, "%s: dst stride %u, need 1 or 2", op_name(e),
               i->dst.rgn.hs);
    else
        put(e, XK_FLD_T_DST_HS, i->dst.rgn.hs - 1u);
    if (i->dst.indirect)
        REFUSE(e, XK_EINVAL, "%s: dst: indirect", op_name(e));
    put_reg(e, &i->dst, XK_FLD_T_DST_FILE, XK_FLD_T_DST_REG, XK_FLD_T_DST_SUB);
    put_ternary_cond(e);
    for (unsigned k = 0; k < 3; k++)
        put_ternary_src(e, &i->src[k], k, code >> 3);
}

/* Sub-byte operands are bytes with a precision field. */
static unsigned dpas_type(struct enc *e, const struct xk_operand *o,
                          unsigned *bits)
{
    static const uint8_t byte_of[] = {XK_RT_UB, XK_RT_B, XK_RT_UB, XK_RT_B};
    const bool sub = o->type >= XK_RT_U4 && o->type <= XK_RT_S2;
    struct xk_operand as = *o;

    *bits = !sub ? 0 : o->type <= XK_RT_S4 ? 1 : 2;
    if (sub)
        as.type = byte_of[o->type - XK_RT_U4];
    if (o->indirect || o->neg || o->abs)
        REFUSE(e, XK_EINVAL, "%s: indirect or modified operand", op_name(e));
    return type_code(e, &as, e->t->type_code, "operand");
}

static void put_dpas_sources(struct enc *e, unsigned exec_class)
{
    const struct xk_inst *i = e->i;
    unsigned bits, code;

    code = dpas_type(e, &i->src[0], &bits);
    put_class_type(e, XK_FLD_D_SRC0_TYPE, code, exec_class);
    put_reg(e, &i->src[0], XK_FLD_D_SRC0_FILE, XK_FLD_D_SRC0_REG,
            XK_FLD_D_SRC0_SUB);
    code = dpas_type(e, &i->src[1], &bits);
    put_class_type(e, XK_FLD_D_SRC1_TYPE, code, exec_class);
    put(e, XK_FLD_D_SRC1_BITS, bits);
    put_reg(e, &i->src[1], XK_FLD_D_SRC1_FILE, XK_FLD_D_SRC1_REG,
            XK_FLD_D_SRC1_SUB);
    code = dpas_type(e, &i->src[2], &bits);
    put_class_type(e, XK_FLD_D_SRC2_TYPE, code, exec_class);
    put(e, XK_FLD_D_SRC2_BITS, bits);
    put_reg(e, &i->src[2], XK_FLD_D_SRC2_FILE, XK_FLD_D_SRC2_REG,
            XK_FLD_D_SRC2_SUB);
}

static void encode_dpas(struct enc *e)
{
    const struct xk_inst *i = e->i;
    unsigned bits;
    const unsigned code = dpas_type(e, &i->dst, &bits);
    const int depth = xk_isa_log2(i->sdepth);

    refuse_options(e, false, true, true, false, false);
    if (depth < 0 || i->rcount < 1 || i->rcount > 8)
        REFUSE(e, XK_EINVAL, "%s: depth %u, repeat count %u", op_name(e),
               i->sdepth, i->rcount);
    put(e, XK_FLD_D_SDEPTH, depth < 0 ? 0 : (unsigned)depth);
    put(e, XK_FLD_D_RCOUNT, (i->rcount - 1u) & 7);
    put(e, XK_FLD_D_ATOMIC, i->atomic);
    put(e, XK_FLD_D_ACC_WR, i->acc_wr_en);
    put(e, XK_FLD_D_DST_TYPE, code & 7);
    put(e, XK_FLD_D_EXEC_TYPE, code >> 3);
    put_reg(e, &i->dst, XK_FLD_D_DST_FILE, XK_FLD_D_DST_REG, XK_FLD_D_DST_SUB);
    put_dpas_sources(e, code >> 3);
}

/* Whole registers only: a message payload has no subregister. */
static void put_payload(struct enc *e, const struct xk_operand *o,
                        unsigned file, unsigned reg)
{
    const bool grf = o->file == XK_FILE_GRF;
    const bool null = o->file == XK_FILE_NONE ||
                      (o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL);

    if ((!grf && !null) || o->sub_b || o->indirect || o->neg || o->abs) {
        REFUSE(e, XK_EINVAL, "%s: %s: not a whole register or null", op_name(e),
               xk_field_rows[reg].text);
        return;
    }
    put(e, file, grf);
    put(e, reg, grf ? o->reg : 0);
}

static void put_exdesc(struct enc *e, const struct xk_send_info *s)
{
    const unsigned len = s->exdesc >> 6 & 31;

    put(e, XK_FLD_S_EXDESC_REG, s->exdesc_reg);
    if (s->exdesc_reg) {
        put(e, XK_FLD_S_EXBSO, s->exbso);
        put(e, XK_FLD_S_EXDESC_SUB, s->exdesc_sub);
        if (s->exdesc || (s->src1_len && !s->exbso))
            REFUSE(e, XK_EINVAL,
                   "send: exdesc 0x%x, src1 length %u beside a "
                   "register exdesc",
                   s->exdesc, s->src1_len);
    } else {
        put(e, XK_FLD_S_EXDESC, s->exdesc >> 11);
        if (s->exdesc & 63 || (len && len != s->src1_len) || s->exbso)
            REFUSE(e, XK_EINVAL, "send: exdesc 0x%x with src1 length %u",
                   s->exdesc, s->src1_len);
    }
    put(e, XK_FLD_S_SRC1_LEN, s->src1_len);
}

static void encode_send(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const struct xk_send_info *s = &i->send;

    refuse_options(e, false, false, true, false, false);
    put(e, XK_FLD_S_ATOMIC, i->atomic);
    put(e, XK_FLD_S_FUSION, s->fused_serialize);
    put(e, XK_FLD_S_EOT, s->eot);
    put(e, XK_FLD_S_SFID, s->sfid);
    put(e, XK_FLD_S_DESC_REG, s->desc_reg);
    if (s->desc_reg && s->desc)
        REFUSE(e, XK_EINVAL, "send: descriptor 0x%x beside a0.0", s->desc);
    put(e, XK_FLD_S_DESC, s->desc);
    put_exdesc(e, s);
    put_payload(e, &i->dst, XK_FLD_S_DST_FILE, XK_FLD_S_DST_REG);
    put_payload(e, &i->src[0], XK_FLD_S_SRC0_FILE, XK_FLD_S_SRC0_REG);
    put_payload(e, &i->src[1], XK_FLD_S_SRC1_FILE, XK_FLD_S_SRC1_REG);
}

static void put_target(struct enc *e, unsigned shape)
{
    const struct xk_inst *i = e->i;
    const struct xk_operand *o = &i->src[0];
    const bool reg = o->file != XK_FILE_NONE;

    if (reg ? !(shape & XK_BR_REG) || o->indirect : shape & XK_BR_NO_IMM) {
        REFUSE(e, XK_EINVAL, "%s: target in file %u", op_name(e), o->file);
    } else if (reg) {
        put_reg(e, o, XK_FLD_J_SRC0_FILE, XK_FLD_J_SRC0_REG, XK_FLD_J_SRC0_SUB);
    } else {
        put(e, XK_FLD_J_JIP_IMM, 1);
        put(e, XK_FLD_J_JIP, (uint32_t)i->jip_b);
        put(e, XK_FLD_J_UIP_IMM, (shape & XK_BR_UIP) != 0);
        if (shape & XK_BR_UIP)
            put(e, XK_FLD_J_UIP, (uint32_t)i->uip_b);
    }
}

static void encode_branch(struct enc *e)
{
    const struct xk_inst *i = e->i;
    const unsigned shape = xk_branch_shape(i->op);

    refuse_options(e, false, false, false, false, shape & XK_BR_CTRL);
    put(e, XK_FLD_J_CTRL, i->branch_ctrl);
    if (shape & XK_BR_DST)
        put_reg(e, &i->dst, XK_FLD_J_DST_FILE, XK_FLD_J_DST_REG,
                XK_FLD_J_DST_SUB);
    put_target(e, shape);
}

static void encode_body(struct enc *e)
{
    switch (xk_opcode_format(e->i->op)) {
    case XK_FMT_BASIC:
        encode_basic(e);
        break;
    case XK_FMT_SYNC:
        encode_sync(e);
        break;
    case XK_FMT_TERNARY:
        encode_ternary(e);
        break;
    case XK_FMT_DPAS:
        encode_dpas(e);
        break;
    case XK_FMT_SEND:
        encode_send(e);
        break;
    case XK_FMT_BRANCH:
        encode_branch(e);
        break;
    case XK_FMT_NULLARY:
    case XK_FMT_HEADER:
    case XK_FMT_COMPACT2:
    case XK_FMT_COMPACT3:
    case XK_N_FORMATS:
        refuse_options(e, false, false, false, false, false);
        break;
    }
}

/* Written out so that compilers see one store. */
static void store64(uint8_t *out, uint64_t v)
{
    out[0] = (uint8_t)v;
    out[1] = (uint8_t)(v >> 8);
    out[2] = (uint8_t)(v >> 16);
    out[3] = (uint8_t)(v >> 24);
    out[4] = (uint8_t)(v >> 32);
    out[5] = (uint8_t)(v >> 40);
    out[6] = (uint8_t)(v >> 48);
    out[7] = (uint8_t)(v >> 56);
}

enum xk_status xk_inst_encode(const struct xk_platform *p,
                              const struct xk_inst *i, uint8_t out[XK_INST_B],
                              struct xk_error *err)
{
    struct enc e = {.t = xk_isa_tables_get(p, err), .p = p, .i = i, .err = err};

    if (!e.t)
        return XK_EUNSUPPORTED;
    if (i->op >= XK_N_OPCODES || e.t->op_code[i->op] == XK_NO_CODE)
        return xk_isa_fail(err, XK_EUNSUPPORTED, "%s does not exist on %s",
                           xk_opcode_name(i->op), p->name);
    if (i->compacted)
        return xk_isa_fail(err, XK_EUNSUPPORTED,
                           "%s: the compacted form is not implemented",
                           xk_opcode_name(i->op));
    put(&e, XK_FLD_OPCODE, e.t->op_code[i->op]);
    put(&e, XK_FLD_DEBUG, i->debug);
    put_swsb(&e);
    if (xk_opcode_format(i->op) != XK_FMT_NULLARY)
        put_header(&e);
    encode_body(&e);
    if (e.status == XK_OK) {
        store64(out, e.w[0]);
        store64(out + 8, e.w[1]);
    }
    return e.status;
}
