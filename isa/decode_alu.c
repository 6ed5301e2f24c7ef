/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that compute: one and two sources, three sources, dpas; and sync,
 * which has the layout of one source. */
#include "isa/decode.h"

static uint8_t get_type(struct xk_dec *d, const uint8_t *types, unsigned id)
{
    return xk_dec_type_of(d, types, xk_dec_get(d, id), id);
}

static uint8_t get_cond(struct xk_dec *d, unsigned id)
{
    const unsigned v = xk_dec_get(d, id);

    if (v == 7 || v > XK_COND_UN)
        XK_DEC_REFUSE(d, "%s: condition code %u", xk_dec_op_name(d), v);
    return (uint8_t)v;
}

static void get_basic_dst(struct xk_dec *d)
{
    struct xk_operand *o = &d->i->dst;

    o->type = get_type(d, d->t->type_of_code, XK_FLD_B_DST_TYPE);
    o->rgn.hs = xk_dec_get_hs(d, XK_FLD_B_DST_HS);
    if (xk_dec_get(d, XK_FLD_B_DST_MODE))
        xk_dec_get_indirect(d, o, XK_FLD_B_DST_OFF, XK_FLD_B_DST_A0);
    else
        xk_dec_get_reg(d, o, XK_FLD_B_DST_FILE, XK_FLD_B_DST_REG,
                       XK_FLD_B_DST_SUB);
}

static void get_basic_src(struct xk_dec *d, struct xk_operand *o, unsigned n)
{
    const struct xk_src_fields *f = &xk_basic_src[n];
    const unsigned width = xk_dec_get(d, f->width), vs = xk_dec_get(d, f->vs);

    o->type = get_type(d, d->t->type_of_code, f->type);
    o->abs = xk_dec_get(d, f->abs);
    o->neg = xk_dec_get(d, f->neg);
    o->rgn.hs = xk_dec_get_hs(d, f->hs);
    o->rgn.width = (uint8_t)(1u << width);
    if (xk_dec_get(d, f->mode))
        xk_dec_get_indirect(d, o, f->a0_off, f->a0_sub);
    else
        xk_dec_get_reg(d, o, f->file, f->reg, f->sub);
    if (vs == d->t->vxh_code && o->indirect)
        o->rgn.vs = XK_VS_VXH;
    else
        o->rgn.vs = (uint8_t)(vs ? 1u << (vs - 1) : 0);
    if (width > 4 || (vs > 6 && o->rgn.vs != XK_VS_VXH))
        XK_DEC_REFUSE(d, "%s: src%u: width code %u, vertical stride code %u",
                      xk_dec_op_name(d), n, width, vs);
}

static void get_basic_imm(struct xk_dec *d, struct xk_operand *o, unsigned n)
{
    o->file = XK_FILE_IMM;
    o->type = get_type(d, d->t->type_of_imm, xk_basic_src[n].type);
    o->imm = xk_dec_get(d, XK_FLD_B_IMM_LO);
    switch (xk_reg_type_b(o->type)) {
    case 2:
        if (o->imm >> 16 != (o->imm & 0xffff))
            XK_DEC_REFUSE(d, "%s: immediate 0x%llx is not a repeated word",
                          xk_dec_op_name(d), (unsigned long long)o->imm);
        o->imm &= 0xffff;
        break;
    case 8:
        if (xk_opcode_n_srcs(d->i->op) == 1)
            o->imm |= (uint64_t)xk_dec_get(d, XK_FLD_B_IMM_HI) << 32;
        else
            XK_DEC_REFUSE(d, "%s: 64-bit immediate", xk_dec_op_name(d));
        break;
    default:
        break;
    }
}

static void get_math_fn(struct xk_dec *d)
{
    const unsigned fn = xk_dec_get(d, XK_FLD_B_COND);

    d->i->math_fn = (uint8_t)fn;
    if (!(d->t->math_fns >> fn & 1))
        XK_DEC_REFUSE(d, "math: function code %u", fn);
    d->macro = xk_math_is_macro(d->i);
    if (d->macro)
        d->i->cond = XK_COND_EO;
}

/* A 64-bit immediate covers the condition field. */
static bool has_imm64(struct xk_dec *d)
{
    unsigned code;

    if (xk_opcode_n_srcs(d->i->op) != 1 || !xk_dec_get(d, XK_FLD_B_SRC0_IMM))
        return false;
    code = xk_dec_get(d, XK_FLD_B_SRC0_TYPE);
    return code == d->t->imm_code[XK_RT_Q] ||
           code == d->t->imm_code[XK_RT_UQ] || code == d->t->imm_code[XK_RT_DF];
}

void xk_dec_basic(struct xk_dec *d)
{
    struct xk_inst *i = d->i;
    unsigned n;

    i->atomic = xk_dec_get(d, XK_FLD_B_ATOMIC);
    i->acc_wr_en = xk_dec_get(d, XK_FLD_B_ACC_WR);
    i->sat = xk_dec_get(d, XK_FLD_B_SAT);
    if (i->op == XK_OPC_MATH)
        get_math_fn(d);
    else if (!has_imm64(d))
        i->cond = get_cond(d, XK_FLD_B_COND);
    get_basic_dst(d);
    n = xk_inst_n_srcs(i);
    for (unsigned k = 0; k < n; k++) {
        if (!xk_dec_get(d, xk_basic_src[k].imm_flag))
            get_basic_src(d, &i->src[k], k);
        else if (k == n - 1)
            get_basic_imm(d, &i->src[k], k);
        else
            XK_DEC_REFUSE(d, "%s: src%u is immediate", xk_dec_op_name(d), k);
    }
}

/* null; a mask of SBIDs or the number of a barrier; a flag with that number */
static void get_sync_operand(struct xk_dec *d, struct xk_operand *o)
{
    const unsigned fn = d->i->sync_fn;
    const bool mask = fn == XK_SYNC_ALLRD || fn == XK_SYNC_ALLWR;
    const bool barrier = fn == XK_SYNC_BAR && d->t->sync_bar_operand;

    o->file = XK_FILE_ARF;
    if (xk_dec_get(d, XK_FLD_B_SRC0_IMM)) {
        get_basic_imm(d, o, 0);
        if ((!mask && !barrier) || o->type != XK_RT_UD)
            XK_DEC_REFUSE(d, "sync: immediate of type %s",
                          xk_reg_type_name(o->type));
    } else if (barrier && xk_dec_get(d, XK_FLD_B_SRC0_REG)) {
        o->type = get_type(d, d->t->type_of_code, XK_FLD_B_SRC0_TYPE);
        xk_dec_get_reg(d, o, XK_FLD_B_SRC0_FILE, XK_FLD_B_SRC0_REG,
                       XK_FLD_B_SRC0_SUB);
        if (o->file != XK_FILE_ARF || o->arf != XK_ARF_F)
            XK_DEC_REFUSE(d, "sync.bar: operand is neither null nor a flag");
    }
}

void xk_dec_sync(struct xk_dec *d)
{
    struct xk_inst *i = d->i;

    xk_dec_need_scalar(d);
    i->atomic = xk_dec_get(d, XK_FLD_B_ATOMIC);
    i->sync_fn = (uint8_t)xk_dec_get(d, XK_FLD_B_COND);
    if (!(d->t->sync_fns >> i->sync_fn & 1))
        XK_DEC_REFUSE(d, "sync: function code %u", i->sync_fn);
    if (xk_dec_get_hs(d, XK_FLD_B_DST_HS) != 1)
        XK_DEC_REFUSE(d, "sync: destination is not null<1>");
    get_sync_operand(d, &i->src[0]);
}

static void get_ternary_src(struct xk_dec *d, unsigned n, unsigned exec_class)
{
    const struct xk_src_fields *f = &xk_ternary_src[n];
    static const uint8_t vs[] = {0, 1, 4, 8};
    struct xk_operand *o = &d->i->src[n];
    const unsigned code = xk_dec_get(d, f->type) | exec_class << 3;

    if (f->imm_flag && xk_dec_get(d, f->imm_flag)) {
        o->file = XK_FILE_IMM;
        o->type = xk_dec_type_of(d, d->t->type_of_imm, code, f->type);
        o->imm = xk_dec_get(d, f->imm16);
        if (o->type == XK_RT_D)
            o->imm = (uint32_t)(int16_t)o->imm;
        else if (o->type != XK_RT_UD && xk_reg_type_b(o->type) != 2)
            XK_DEC_REFUSE(d, "%s: src%u: immediate of type %s",
                          xk_dec_op_name(d), n, xk_reg_type_name(o->type));
        return;
    }
    o->type = xk_dec_type_of(d, d->t->type_of_code, code, f->type);
    if (d->i->op != XK_OPC_BFN) {
        o->abs = xk_dec_get(d, f->abs);
        o->neg = xk_dec_get(d, f->neg);
    }
    if (f->vs)
        o->rgn.vs = vs[xk_dec_get(d, f->vs)];
    o->rgn.hs = xk_dec_get_hs(d, f->hs);
    xk_dec_get_reg(d, o, f->file, f->reg, f->sub);
}

void xk_dec_ternary(struct xk_dec *d)
{
    static const uint8_t bfn_cond[] = {XK_COND_NONE, XK_COND_EQ, XK_COND_GT,
                                       XK_COND_LT};
    struct xk_inst *i = d->i;
    const unsigned exec_class = xk_dec_get(d, XK_FLD_T_EXEC_TYPE);

    d->macro = i->op == XK_OPC_MADM;
    i->atomic = xk_dec_get(d, XK_FLD_T_ATOMIC);
    i->acc_wr_en = xk_dec_get(d, XK_FLD_T_ACC_WR);
    i->dst.type = xk_dec_type_of(
        d, d->t->type_of_code,
        xk_dec_get(d, XK_FLD_T_DST_TYPE) | exec_class << 3, XK_FLD_T_DST_TYPE);
    i->dst.rgn.hs = (uint8_t)(xk_dec_get(d, XK_FLD_T_DST_HS) + 1);
    if (d->macro && i->dst.rgn.hs != 1)
        XK_DEC_REFUSE(d, "madm: dst stride %u, need 1", i->dst.rgn.hs);
    xk_dec_get_reg(d, &i->dst, XK_FLD_T_DST_FILE, XK_FLD_T_DST_REG,
                   XK_FLD_T_DST_SUB);
    if (i->op == XK_OPC_BFN) {
        i->cond = bfn_cond[xk_dec_get(d, XK_FLD_T_BFN_COND)];
        i->bfn = (uint8_t)xk_dec_get(d, XK_FLD_T_BFN_FC);
    } else {
        i->cond = get_cond(d, XK_FLD_T_COND);
        i->sat = xk_dec_get(d, XK_FLD_T_SAT);
    }
    for (unsigned k = 0; k < 3; k++)
        get_ternary_src(d, k, exec_class);
}

static uint8_t decode_dpas_type(struct xk_dec *d, unsigned id,
                                unsigned exec_class, unsigned bits)
{
    const uint8_t t = xk_dec_type_of(d, d->t->type_of_code,
                                     xk_dec_get(d, id) | exec_class << 3, id);
    static const uint8_t unsigned_of[] = {XK_RT_UB, XK_RT_U4, XK_RT_U2};
    static const uint8_t signed_of[] = {XK_RT_B, XK_RT_S4, XK_RT_S2};

    if (bits == 0)
        return t;
    if (bits > 2 || (t != XK_RT_UB && t != XK_RT_B)) {
        XK_DEC_REFUSE(d, "%s: %s with precision code %u", xk_dec_op_name(d),
                      xk_field_rows[id].text, bits);
        return t;
    }
    return t == XK_RT_UB ? unsigned_of[bits] : signed_of[bits];
}

/* src0 may be null, the others are no architecture registers at all. */
static void get_dpas_src(struct xk_dec *d, struct xk_operand *o, unsigned file,
                         unsigned reg, unsigned sub)
{
    xk_dec_get_reg(d, o, file, reg, sub);
    if (o->file == XK_FILE_ARF &&
        (file != XK_FLD_D_SRC0_FILE || o->arf != XK_ARF_NULL))
        XK_DEC_REFUSE(d, "%s: %s 0x%x is no general register%s",
                      xk_dec_op_name(d), xk_field_rows[reg].text,
                      (unsigned)xk_dec_get(d, reg),
                      file == XK_FLD_D_SRC0_FILE ? " and not null" : "");
}

void xk_dec_dpas(struct xk_dec *d)
{
    struct xk_inst *i = d->i;
    const unsigned cls = xk_dec_get(d, XK_FLD_D_EXEC_TYPE);

    i->atomic = xk_dec_get(d, XK_FLD_D_ATOMIC);
    i->acc_wr_en = xk_dec_get(d, XK_FLD_D_ACC_WR);
    i->sdepth = (uint8_t)(1u << xk_dec_get(d, XK_FLD_D_SDEPTH));
    if (!(d->t->dpas_depths & i->sdepth))
        XK_DEC_REFUSE(d, "%s: depth %u", xk_dec_op_name(d), i->sdepth);
    i->rcount = (uint8_t)(xk_dec_get(d, XK_FLD_D_RCOUNT) + 1);
    i->dst.type = decode_dpas_type(d, XK_FLD_D_DST_TYPE, cls, 0);
    i->src[0].type = decode_dpas_type(d, XK_FLD_D_SRC0_TYPE, cls, 0);
    i->src[1].type = decode_dpas_type(d, XK_FLD_D_SRC1_TYPE, cls,
                                      xk_dec_get(d, XK_FLD_D_SRC1_BITS));
    i->src[2].type = decode_dpas_type(d, XK_FLD_D_SRC2_TYPE, cls,
                                      xk_dec_get(d, XK_FLD_D_SRC2_BITS));
    xk_dec_get_reg(d, &i->dst, XK_FLD_D_DST_FILE, XK_FLD_D_DST_REG,
                   XK_FLD_D_DST_SUB);
    get_dpas_src(d, &i->src[0], XK_FLD_D_SRC0_FILE, XK_FLD_D_SRC0_REG,
                 XK_FLD_D_SRC0_SUB);
    get_dpas_src(d, &i->src[1], XK_FLD_D_SRC1_FILE, XK_FLD_D_SRC1_REG,
                 XK_FLD_D_SRC1_SUB);
    get_dpas_src(d, &i->src[2], XK_FLD_D_SRC2_FILE, XK_FLD_D_SRC2_REG,
                 XK_FLD_D_SRC2_SUB);
}
