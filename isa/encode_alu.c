/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that compute: one and two sources, three sources, dpas; and sync,
 * which has the layout of one source. */
#include "isa/encode.h"

#include "base/alloc.h"

static void put_basic_dst(struct xk_enc *e)
{
    const struct xk_operand *o = &e->i->dst;

    xk_enc_put(e, XK_FLD_B_DST_TYPE,
               xk_enc_type_code(e, o, e->t->type_code, "dst"));
    xk_enc_put_hs(e, XK_FLD_B_DST_HS, o->rgn.hs);
    if (o->indirect)
        xk_enc_put_indirect(e, o, XK_FLD_B_DST_MODE, XK_FLD_B_DST_OFF,
                            XK_FLD_B_DST_A0);
    else
        xk_enc_put_reg(e, o, XK_FLD_B_DST_FILE, XK_FLD_B_DST_REG,
                       XK_FLD_B_DST_SUB);
}

static void put_basic_region(struct xk_enc *e, const struct xk_operand *o,
                             const struct xk_src_fields *f)
{
    const int width = xk_isa_log2(o->rgn.width);
    const int vs = o->rgn.vs ? xk_isa_log2(o->rgn.vs) + 1 : 0;

    xk_enc_put_hs(e, f->hs, o->rgn.hs);
    if (width < 0 || width > 4)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %u", xk_enc_op_name(e),
                      xk_field_rows[f->width].text, o->rgn.width);
    else
        xk_enc_put(e, f->width, (unsigned)width);
    if (o->rgn.vs == XK_VS_VXH && o->indirect)
        xk_enc_put(e, f->vs, e->t->vxh_code);
    else if ((o->rgn.vs && vs <= 0) || vs > 6)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %u", xk_enc_op_name(e),
                      xk_field_rows[f->vs].text, o->rgn.vs);
    else
        xk_enc_put(e, f->vs, (unsigned)vs);
}

static void put_basic_src(struct xk_enc *e, const struct xk_operand *o,
                          unsigned n)
{
    const struct xk_src_fields *f = &xk_basic_src[n];

    xk_enc_put(e, f->type,
               xk_enc_type_code(e, o, e->t->type_code, n ? "src1" : "src0"));
    xk_enc_put(e, f->abs, o->abs);
    xk_enc_put(e, f->neg, o->neg);
    put_basic_region(e, o, f);
    if (o->indirect)
        xk_enc_put_indirect(e, o, f->mode, f->a0_off, f->a0_sub);
    else
        xk_enc_put_reg(e, o, f->file, f->reg, f->sub);
}

static void put_basic_imm(struct xk_enc *e, const struct xk_operand *o,
                          unsigned n)
{
    const struct xk_src_fields *f = &xk_basic_src[n];
    const unsigned type_b = xk_reg_type_b(o->type);

    xk_enc_put(e, f->imm_flag, 1);
    xk_enc_put(e, f->type, xk_enc_type_code(e, o, e->t->imm_code, "immediate"));
    if (o->neg || o->abs)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: modifier on an immediate",
                      xk_enc_op_name(e));
    if (type_b == 8 && xk_opcode_n_srcs(e->i->op) == 1 && !e->i->cond) {
        xk_enc_put(e, XK_FLD_B_IMM_LO, o->imm & 0xffffffff);
        xk_enc_put(e, XK_FLD_B_IMM_HI, o->imm >> 32);
    } else if (type_b == 8 || (type_b == 2 && o->imm >> 16)) {
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: immediate 0x%llx:%s does not fit",
                      xk_enc_op_name(e), (unsigned long long)o->imm,
                      xk_reg_type_name(o->type));
    } else {
        xk_enc_put(e, XK_FLD_B_IMM_LO,
                   type_b == 2 ? o->imm << 16 | o->imm : o->imm);
    }
}

/* The condition field of math holds its function. */
static void put_basic_cond(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    const bool macro = xk_math_is_macro(i);

    if (i->op != XK_OPC_MATH) {
        if (i->cond == XK_COND_EO || i->cond == 7 || i->cond > XK_COND_UN)
            XK_ENC_REFUSE(e, XK_EINVAL, "%s: condition %u", xk_enc_op_name(e),
                          i->cond);
        xk_enc_put(e, XK_FLD_B_COND, i->cond);
        return;
    }
    if (!xk_math_name(i->math_fn) || i->cond != (macro ? XK_COND_EO : 0))
        XK_ENC_REFUSE(e, XK_EINVAL, "math: function %u with condition %u",
                      i->math_fn, i->cond);
    else if (!(e->t->math_fns >> i->math_fn & 1))
        XK_ENC_REFUSE(e, XK_EUNSUPPORTED, "math.%s does not exist on %s",
                      xk_math_name(i->math_fn), e->p->name);
    xk_enc_put(e, XK_FLD_B_COND, i->math_fn);
}

void xk_enc_basic(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    const unsigned n = xk_inst_n_srcs(i);

    xk_enc_refuse_options(e, true, true, true, true, false);
    xk_enc_put(e, XK_FLD_B_ATOMIC, i->atomic);
    xk_enc_put(e, XK_FLD_B_ACC_WR, i->acc_wr_en);
    xk_enc_put(e, XK_FLD_B_SAT, i->sat);
    put_basic_dst(e);
    put_basic_cond(e);
    for (unsigned k = 0; k < 2; k++) {
        const struct xk_operand *o = &i->src[k];

        if (k >= n) {
            if (o->file != XK_FILE_NONE)
                XK_ENC_REFUSE(e, XK_EINVAL, "%s: src%u is not used",
                              xk_enc_op_name(e), k);
        } else if (o->file != XK_FILE_IMM) {
            put_basic_src(e, o, k);
        } else if (k == n - 1) {
            put_basic_imm(e, o, k);
        } else {
            XK_ENC_REFUSE(e, XK_EINVAL, "%s: src%u cannot be immediate",
                          xk_enc_op_name(e), k);
        }
    }
}

/* The operand of sync: null; for allrd and allwr a mask of SBIDs; for bar,
 * where it names its barrier, a number or a flag. */
static void put_sync_operand(struct xk_enc *e, const struct xk_operand *o)
{
    const unsigned fn = e->i->sync_fn;
    const bool mask = fn == XK_SYNC_ALLRD || fn == XK_SYNC_ALLWR;
    const bool barrier = fn == XK_SYNC_BAR && e->t->sync_bar_operand;

    if (o->file == XK_FILE_NONE ||
        (o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL)) {
        return;
    } else if (o->file == XK_FILE_IMM && (mask || barrier) &&
               o->type == XK_RT_UD) {
        put_basic_imm(e, o, 0);
    } else if (o->file == XK_FILE_ARF && o->arf == XK_ARF_F && barrier &&
               !o->indirect && !o->neg && !o->abs) {
        xk_enc_put(e, XK_FLD_B_SRC0_TYPE,
                   xk_enc_type_code(e, o, e->t->type_code, "operand"));
        xk_enc_put_reg(e, o, XK_FLD_B_SRC0_FILE, XK_FLD_B_SRC0_REG,
                       XK_FLD_B_SRC0_SUB);
    } else {
        XK_ENC_REFUSE(e, XK_EINVAL, "sync.%s: operand in file %u of type %s",
                      xk_sync_name(fn) ? xk_sync_name(fn) : "?", o->file,
                      xk_reg_type_name(o->type));
    }
}

/* The destination is always null<1>. */
void xk_enc_sync(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;

    xk_enc_refuse_options(e, false, false, true, false, false);
    xk_enc_need_scalar(e);
    xk_enc_put(e, XK_FLD_B_ATOMIC, i->atomic);
    if (i->sync_fn > 15 || !(e->t->sync_fns >> i->sync_fn & 1))
        XK_ENC_REFUSE(e, XK_EINVAL, "sync: function %u", i->sync_fn);
    xk_enc_put(e, XK_FLD_B_COND, i->sync_fn);
    xk_enc_put(e, XK_FLD_B_DST_HS, 1);
    put_sync_operand(e, &i->src[0]);
}

static void put_ternary_vs(struct xk_enc *e, unsigned id, unsigned vs)
{
    if (vs != 0 && vs != 1 && vs != 4 && vs != 8)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %u, need 0, 1, 4 or 8",
                      xk_enc_op_name(e), xk_field_rows[id].text, vs);
    else
        xk_enc_put(e, id, vs < 2 ? vs : vs / 4 + 1);
}

/* Bit 3 of every type code is one shared field. */
static void put_class_type(struct xk_enc *e, unsigned id, unsigned code,
                           unsigned exec_class)
{
    if (code >> 3 != exec_class)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s: integer and float operands mixed",
                      xk_enc_op_name(e), xk_field_rows[id].text);
    else
        xk_enc_put(e, id, code & 7);
}

static void put_ternary_imm(struct xk_enc *e, const struct xk_operand *o,
                            unsigned n, unsigned exec_class)
{
    const struct xk_src_fields *f = &xk_ternary_src[n];

    if (n == 1 || o->neg || o->abs ||
        (xk_reg_type_b(o->type) != 2 && o->type != XK_RT_D &&
         o->type != XK_RT_UD)) {
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: src%u: immediate of type %s",
                      xk_enc_op_name(e), n, xk_reg_type_name(o->type));
        return;
    }
    put_class_type(e, f->type,
                   xk_enc_type_code(e, o, e->t->imm_code, "immediate"),
                   exec_class);
    xk_enc_put(e, f->imm_flag, 1);
    xk_enc_put(e, f->imm16,
               o->type == XK_RT_D && (uint32_t)o->imm + 0x8000 < 0x10000 &&
                       o->imm <= UINT32_MAX
                   ? o->imm & 0xffff
                   : o->imm);
}

static void put_ternary_src(struct xk_enc *e, const struct xk_operand *o,
                            unsigned n, unsigned exec_class)
{
    const struct xk_src_fields *f = &xk_ternary_src[n];

    if (o->file == XK_FILE_IMM) {
        put_ternary_imm(e, o, n, exec_class);
        return;
    }
    if (o->indirect)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: src%u: indirect", xk_enc_op_name(e),
                      n);
    if (e->i->op == XK_OPC_BFN && (o->neg || o->abs))
        XK_ENC_REFUSE(e, XK_EINVAL, "bfn: src%u: source modifier", n);
    put_class_type(e, f->type,
                   xk_enc_type_code(e, o, e->t->type_code, "source"),
                   exec_class);
    if (e->i->op != XK_OPC_BFN) {
        xk_enc_put(e, f->abs, o->abs);
        xk_enc_put(e, f->neg, o->neg);
    }
    if (f->vs)
        put_ternary_vs(e, f->vs, o->rgn.vs);
    xk_enc_put_hs(e, f->hs, o->rgn.hs);
    xk_enc_put_reg(e, o, f->file, f->reg, f->sub);
}

static void put_ternary_cond(struct xk_enc *e)
{
    static const uint8_t bfn_code[] = {
        [XK_COND_NONE] = 0,        [XK_COND_EQ] = 1,
        [XK_COND_NE] = XK_NO_CODE, [XK_COND_GT] = 2,
        [XK_COND_GE] = XK_NO_CODE, [XK_COND_LT] = 3,
    };
    const unsigned cond = e->i->cond;

    if (e->i->op != XK_OPC_BFN) {
        if (cond == 7 || cond > XK_COND_UN)
            XK_ENC_REFUSE(e, XK_EINVAL, "%s: condition %u", xk_enc_op_name(e),
                          cond);
        xk_enc_put(e, XK_FLD_T_COND, cond);
        return;
    }
    if (cond >= XK_COUNTOF(bfn_code) || bfn_code[cond] == XK_NO_CODE)
        XK_ENC_REFUSE(e, XK_EINVAL, "bfn: condition %u, need eq, gt or lt",
                      cond);
    else
        xk_enc_put(e, XK_FLD_T_BFN_COND, bfn_code[cond]);
    xk_enc_put(e, XK_FLD_T_BFN_FC, e->i->bfn);
}

void xk_enc_ternary(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    const unsigned code = xk_enc_type_code(e, &i->dst, e->t->type_code, "dst");

    xk_enc_refuse_options(e, i->op != XK_OPC_BFN, true, true, true, false);
    xk_enc_put(e, XK_FLD_T_ATOMIC, i->atomic);
    xk_enc_put(e, XK_FLD_T_ACC_WR, i->acc_wr_en);
    xk_enc_put(e, XK_FLD_T_SAT, i->sat);
    xk_enc_put(e, XK_FLD_T_DST_TYPE, code & 7);
    xk_enc_put(e, XK_FLD_T_EXEC_TYPE, code >> 3);
    if (i->dst.rgn.hs != 1 && (i->dst.rgn.hs != 2 || e->macro))
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: dst stride %u, need 1 or 2",
                      xk_enc_op_name(e), i->dst.rgn.hs);
    else
        xk_enc_put(e, XK_FLD_T_DST_HS, i->dst.rgn.hs - 1u);
    if (i->dst.indirect)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: dst: indirect", xk_enc_op_name(e));
    xk_enc_put_reg(e, &i->dst, XK_FLD_T_DST_FILE, XK_FLD_T_DST_REG,
                   XK_FLD_T_DST_SUB);
    put_ternary_cond(e);
    for (unsigned k = 0; k < 3; k++)
        put_ternary_src(e, &i->src[k], k, code >> 3);
}

/* Sub-byte operands are bytes with a precision field. */
static unsigned encode_dpas_type(struct xk_enc *e, const struct xk_operand *o,
                                 unsigned *bits)
{
    static const uint8_t byte_of[] = {XK_RT_UB, XK_RT_B, XK_RT_UB, XK_RT_B};
    const bool sub = o->type >= XK_RT_U4 && o->type <= XK_RT_S2;
    struct xk_operand as = *o;

    *bits = !sub ? 0 : o->type <= XK_RT_S4 ? 1 : 2;
    if (sub)
        as.type = byte_of[o->type - XK_RT_U4];
    if (o->indirect || o->neg || o->abs)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: indirect or modified operand",
                      xk_enc_op_name(e));
    return xk_enc_type_code(e, &as, e->t->type_code, "operand");
}

static void put_dpas_sources(struct xk_enc *e, unsigned exec_class)
{
    const struct xk_inst *i = e->i;
    unsigned bits, code;

    code = encode_dpas_type(e, &i->src[0], &bits);
    put_class_type(e, XK_FLD_D_SRC0_TYPE, code, exec_class);
    xk_enc_put_reg(e, &i->src[0], XK_FLD_D_SRC0_FILE, XK_FLD_D_SRC0_REG,
                   XK_FLD_D_SRC0_SUB);
    code = encode_dpas_type(e, &i->src[1], &bits);
    put_class_type(e, XK_FLD_D_SRC1_TYPE, code, exec_class);
    xk_enc_put(e, XK_FLD_D_SRC1_BITS, bits);
    xk_enc_put_reg(e, &i->src[1], XK_FLD_D_SRC1_FILE, XK_FLD_D_SRC1_REG,
                   XK_FLD_D_SRC1_SUB);
    code = encode_dpas_type(e, &i->src[2], &bits);
    put_class_type(e, XK_FLD_D_SRC2_TYPE, code, exec_class);
    xk_enc_put(e, XK_FLD_D_SRC2_BITS, bits);
    xk_enc_put_reg(e, &i->src[2], XK_FLD_D_SRC2_FILE, XK_FLD_D_SRC2_REG,
                   XK_FLD_D_SRC2_SUB);
}

void xk_enc_dpas(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    unsigned bits;
    const unsigned code = encode_dpas_type(e, &i->dst, &bits);
    const int depth = xk_isa_log2(i->sdepth);

    xk_enc_refuse_options(e, false, true, true, false, false);
    if (depth < 0 || !(e->t->dpas_depths >> depth & 1) || i->rcount < 1 ||
        i->rcount > 8)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: depth %u, repeat count %u",
                      xk_enc_op_name(e), i->sdepth, i->rcount);
    xk_enc_put(e, XK_FLD_D_SDEPTH, depth < 0 ? 0 : (unsigned)depth);
    xk_enc_put(e, XK_FLD_D_RCOUNT, (i->rcount - 1u) & 7);
    xk_enc_put(e, XK_FLD_D_ATOMIC, i->atomic);
    xk_enc_put(e, XK_FLD_D_ACC_WR, i->acc_wr_en);
    xk_enc_put(e, XK_FLD_D_DST_TYPE, code & 7);
    xk_enc_put(e, XK_FLD_D_EXEC_TYPE, code >> 3);
    xk_enc_put_reg(e, &i->dst, XK_FLD_D_DST_FILE, XK_FLD_D_DST_REG,
                   XK_FLD_D_DST_SUB);
    put_dpas_sources(e, code >> 3);
}
