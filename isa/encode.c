/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction record to the native 128 bits. Every value goes through
 * xk_enc_put(), which refuses what its field cannot hold; the first refusal
 * sticks and the output is not written. Bit numbers come from isa/format.def
 * only. */
#include "isa/encode.h"

#include "base/alloc.h"

void xk_enc_refuse_value(struct xk_enc *e, unsigned id, uint64_t v)
{
    const struct xk_field *f = &e->t->field[id];

    if (f->n_bits == 0)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s does not exist on %s",
                      xk_enc_op_name(e), xk_field_rows[id].text, e->p->name);
    else if (v >> f->unit >> f->n_bits)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %llu does not fit %u bits",
                      xk_enc_op_name(e), xk_field_rows[id].text,
                      (unsigned long long)v, f->n_bits + f->unit);
    else
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %llu, need a multiple of %u",
                      xk_enc_op_name(e), xk_field_rows[id].text,
                      (unsigned long long)v, 1u << f->unit);
}

/* Horizontal strides 0, 1, 2, 4. */
void xk_enc_put_hs(struct xk_enc *e, unsigned id, unsigned hs)
{
    static const uint8_t code[] = {0, 1, 2, XK_NO_CODE, 3};

    if (hs >= XK_COUNTOF(code) || code[hs] == XK_NO_CODE)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %u, need 0, 1, 2 or 4",
                      xk_enc_op_name(e), xk_field_rows[id].text, hs);
    else
        xk_enc_put(e, id, code[hs]);
}

unsigned xk_enc_type_code(struct xk_enc *e, const struct xk_operand *o,
                          const uint8_t *codes, const char *what)
{
    const unsigned code =
        o->type < XK_N_REG_TYPES ? codes[o->type] : XK_NO_CODE;

    if (code != XK_NO_CODE)
        return code;
    XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s: type %s has no encoding here",
                  xk_enc_op_name(e), what, xk_reg_type_name(o->type));
    return 0;
}

/* Macros: .mme0..7 or .nomme in the field of the subregister. */
static void put_mme(struct xk_enc *e, unsigned n, unsigned sub)
{
    if (n > 8)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s: mme %u, need 0..8",
                      xk_enc_op_name(e), xk_field_rows[sub].text, n);
    else
        xk_enc_put(e, sub, (uint64_t)n << e->t->mme_unit);
}

/* File bit, register number and byte offset of a direct register operand. */
void xk_enc_put_reg(struct xk_enc *e, const struct xk_operand *o, unsigned file,
                    unsigned reg, unsigned sub)
{
    const struct xk_arf_row *a;

    if (o->file == XK_FILE_GRF) {
        xk_enc_put(e, file, 1);
        xk_enc_put(e, reg, o->reg);
    } else if (o->file == XK_FILE_ARF && o->arf <= XK_ARF_MME &&
               o->reg < e->t->n_arf[o->arf]) {
        a = &xk_arf_rows[o->arf];
        xk_enc_put(e, reg, (unsigned)a->code << 4 | (a->first + o->reg));
    } else {
        XK_ENC_REFUSE(e, XK_EINVAL,
                      "%s: %s: file %u, arf %u, register %u: no such "
                      "register operand",
                      xk_enc_op_name(e), xk_field_rows[reg].text, o->file,
                      o->arf, o->reg);
    }
    if (o->sub_b >= e->p->grf_b)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s byte %u is past the register",
                      xk_enc_op_name(e), xk_field_rows[sub].text, o->sub_b);
    else if (e->macro)
        put_mme(e, o->sub_b, sub);
    else
        xk_enc_put(e, sub, o->sub_b);
}

void xk_enc_put_indirect(struct xk_enc *e, const struct xk_operand *o,
                         unsigned mode, unsigned off, unsigned a0)
{
    const struct xk_field *const f = &e->t->field[off];
    const int limit = 1 << (f->n_bits + f->unit - 1);

    if (e->macro || (e->i->op == XK_OPC_MATH && !e->t->math_indirect)) {
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s: no indirect operands here on %s",
                      xk_enc_op_name(e), xk_field_rows[mode].text, e->p->name);
        return;
    }
    if (o->file != XK_FILE_GRF || o->a0_off_b < -limit ||
        o->a0_off_b >= limit) {
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s %d: need a GRF operand and %d..%d",
                      xk_enc_op_name(e), xk_field_rows[off].text, o->a0_off_b,
                      -limit, limit - 1);
        return;
    }
    xk_enc_put(e, mode, 1);
    xk_enc_put(e, off, (unsigned)o->a0_off_b & (2u * (unsigned)limit - 1));
    xk_enc_put(e, a0, o->a0_sub);
}

static void put_swsb(struct xk_enc *e)
{
    const struct xk_swsb *s = &e->i->swsb;
    unsigned v;

    if (!xk_swsb_encode(e->t, xk_swsb_class(e->i->op), s, &v))
        XK_ENC_REFUSE(
            e, XK_EINVAL,
            "%s: swsb: distance %u on pipe %u with SBID mode %u, SBID %u, "
            "NoAccSBSet %u: no such code on %s",
            xk_enc_op_name(e), s->dist, s->pipe, s->mode, s->sbid, s->no_acc_sb,
            e->p->name);
    xk_enc_put(e, XK_FLD_SWSB, v);
}

static void put_header(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    const int exec = xk_isa_log2(i->exec);
    const bool uses_flag = i->pred || i->cond;

    if (exec < 0 || exec > 5)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: exec size %u", xk_enc_op_name(e),
                      i->exec);
    if (i->chan_off % e->p->chan_off_unit)
        XK_ENC_REFUSE(e, XK_EINVAL,
                      "%s: channel offset %u, need a multiple of %u",
                      xk_enc_op_name(e), i->chan_off, e->p->chan_off_unit);
    if (i->pred > XK_PRED_ALL || e->t->pred_code[i->pred] == XK_NO_CODE)
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: predicate %u", xk_enc_op_name(e),
                      i->pred);
    else
        xk_enc_put(e, XK_FLD_PRED, e->t->pred_code[i->pred]);
    if (i->flag_reg >= e->p->n_flag_regs || i->flag_sub > 1 ||
        (!uses_flag && (i->flag_reg || i->flag_sub)))
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: flag f%u.%u%s", xk_enc_op_name(e),
                      i->flag_reg, i->flag_sub,
                      uses_flag ? "" : " without predicate or condition");
    xk_enc_put(e, XK_FLD_EXEC, exec < 0 ? 0 : (unsigned)exec);
    xk_enc_put(e, XK_FLD_CHAN_OFF, i->chan_off / e->p->chan_off_unit);
    xk_enc_put(e, XK_FLD_FLAG, (unsigned)i->flag_reg << 1 | i->flag_sub);
    xk_enc_put(e, XK_FLD_PRED_INV, i->pred_inv);
    xk_enc_put(e, XK_FLD_NO_MASK, i->no_mask);
}

/* Options that a form has no bits for must be off: nothing is dropped
 * silently. */
void xk_enc_refuse_options(struct xk_enc *e, bool sat, bool acc_wr_en,
                           bool atomic, bool cond, bool ctrl)
{
    const struct xk_inst *i = e->i;

    if ((i->sat && !sat) || (i->acc_wr_en && !acc_wr_en) ||
        (i->atomic && !atomic) || (i->cond && !cond) ||
        (i->branch_ctrl && !ctrl))
        XK_ENC_REFUSE(e, XK_EINVAL,
                      "%s: saturate %u, AccWrEn %u, Atomic %u, condition "
                      "%u, branch control %u: not all exist in this form",
                      xk_enc_op_name(e), i->sat, i->acc_wr_en, i->atomic,
                      i->cond, i->branch_ctrl);
}

/* What has no execution size in its text has only one. */
void xk_enc_need_scalar(struct xk_enc *e)
{
    if (e->i->exec > 1 || e->i->chan_off)
        XK_ENC_REFUSE(e, XK_EINVAL,
                      "%s: exec size %u, channel offset %u: need 1 and 0",
                      xk_enc_op_name(e), e->i->exec, e->i->chan_off);
}

/* Whole registers only: a message payload has no subregister. */
static void put_payload(struct xk_enc *e, const struct xk_operand *o,
                        unsigned file, unsigned reg)
{
    const bool grf = o->file == XK_FILE_GRF;
    const bool null = o->file == XK_FILE_NONE ||
                      (o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL);

    if ((!grf && !null) || o->sub_b || o->indirect || o->neg || o->abs) {
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: %s: not a whole register or null",
                      xk_enc_op_name(e), xk_field_rows[reg].text);
        return;
    }
    xk_enc_put(e, file, grf);
    xk_enc_put(e, reg, grf ? o->reg : 0);
}

static void put_exdesc(struct xk_enc *e, const struct xk_send_info *s)
{
    const unsigned len = s->exdesc >> 6 & 31;

    xk_enc_put(e, XK_FLD_S_EXDESC_REG, s->exdesc_reg);
    if (s->exdesc_reg) {
        xk_enc_put(e, XK_FLD_S_EXBSO, s->exbso);
        xk_enc_put(e, XK_FLD_S_EXDESC_SUB, s->exdesc_sub);
        if (s->exdesc || (s->src1_len && !s->exbso))
            XK_ENC_REFUSE(e, XK_EINVAL,
                          "send: exdesc 0x%x, src1 length %u beside a "
                          "register exdesc",
                          s->exdesc, s->src1_len);
    } else {
        xk_enc_put(e, XK_FLD_S_EXDESC, s->exdesc >> 11);
        if (s->exdesc & 63 || (len && len != s->src1_len) || s->exbso)
            XK_ENC_REFUSE(e, XK_EINVAL, "send: exdesc 0x%x with src1 length %u",
                          s->exdesc, s->src1_len);
    }
    xk_enc_put(e, XK_FLD_S_SRC1_LEN, s->src1_len);
}

static void encode_send(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    const struct xk_send_info *s = &i->send;

    xk_enc_refuse_options(e, false, false, true, false, false);
    xk_enc_put(e, XK_FLD_S_ATOMIC, i->atomic);
    xk_enc_put(e, XK_FLD_S_FUSION, s->fused_serialize);
    xk_enc_put(e, XK_FLD_S_EOT, s->eot);
    if (s->sfid < 16 && !(e->t->sfids >> s->sfid & 1))
        XK_ENC_REFUSE(e, XK_EINVAL, "send: sfid %u does not exist on %s",
                      s->sfid, e->p->name);
    xk_enc_put(e, XK_FLD_S_SFID, s->sfid);
    xk_enc_put(e, XK_FLD_S_DESC_REG, s->desc_reg);
    if (s->desc_reg && s->desc)
        XK_ENC_REFUSE(e, XK_EINVAL, "send: descriptor 0x%x beside a0.0",
                      s->desc);
    xk_enc_put(e, XK_FLD_S_DESC, s->desc);
    put_exdesc(e, s);
    put_payload(e, &i->dst, XK_FLD_S_DST_FILE, XK_FLD_S_DST_REG);
    put_payload(e, &i->src[0], XK_FLD_S_SRC0_FILE, XK_FLD_S_SRC0_REG);
    put_payload(e, &i->src[1], XK_FLD_S_SRC1_FILE, XK_FLD_S_SRC1_REG);
}

static void put_target(struct xk_enc *e, unsigned shape)
{
    const struct xk_inst *i = e->i;
    const struct xk_operand *o = &i->src[0];
    const bool reg = o->file != XK_FILE_NONE;

    if (reg ? !(shape & XK_BR_REG) || o->indirect : shape & XK_BR_NO_IMM) {
        XK_ENC_REFUSE(e, XK_EINVAL, "%s: target in file %u", xk_enc_op_name(e),
                      o->file);
    } else if (reg) {
        xk_enc_put_reg(e, o, XK_FLD_J_SRC0_FILE, XK_FLD_J_SRC0_REG,
                       XK_FLD_J_SRC0_SUB);
    } else {
        xk_enc_put(e, XK_FLD_J_JIP_IMM, 1);
        xk_enc_put(e, XK_FLD_J_JIP, (uint32_t)i->jip_b);
        xk_enc_put(e, XK_FLD_J_UIP_IMM, (shape & XK_BR_UIP) != 0);
        if (shape & XK_BR_UIP)
            xk_enc_put(e, XK_FLD_J_UIP, (uint32_t)i->uip_b);
    }
}

static void encode_branch(struct xk_enc *e)
{
    const struct xk_inst *i = e->i;
    const unsigned shape = xk_branch_shape(i->op);

    xk_enc_refuse_options(e, false, false, true, false, shape & XK_BR_CTRL);
    xk_enc_put(e, XK_FLD_J_ATOMIC, i->atomic);
    xk_enc_put(e, XK_FLD_J_CTRL, i->branch_ctrl);
    if (shape & XK_BR_SCALAR)
        xk_enc_need_scalar(e);
    if (shape & XK_BR_DST)
        xk_enc_put_reg(e, &i->dst, XK_FLD_J_DST_FILE, XK_FLD_J_DST_REG,
                       XK_FLD_J_DST_SUB);
    put_target(e, shape);
}

static void encode_body(struct xk_enc *e)
{
    switch (xk_opcode_format(e->i->op)) {
    case XK_FMT_BASIC:
        xk_enc_basic(e);
        break;
    case XK_FMT_SYNC:
        xk_enc_sync(e);
        break;
    case XK_FMT_TERNARY:
        xk_enc_ternary(e);
        break;
    case XK_FMT_DPAS:
        xk_enc_dpas(e);
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
        xk_enc_refuse_options(e, false, false, false, false, false);
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
    struct xk_enc e = {
        .t = xk_isa_tables_get(p, err), .p = p, .i = i, .err = err};
    const char *foreign;

    if (!e.t)
        return XK_EUNSUPPORTED;
    e.macro = xk_math_is_macro(i);
    if (i->op >= XK_N_OPCODES || e.t->op_code[i->op] == XK_NO_CODE)
        return xk_isa_fail(err, XK_EUNSUPPORTED, "%s does not exist on %s",
                           xk_opcode_name(i->op), p->name);
    if (i->compacted)
        return xk_isa_fail(err, XK_EUNSUPPORTED,
                           "%s: marked as compacted: not for the native form",
                           xk_opcode_name(i->op));
    xk_enc_put(&e, XK_FLD_OPCODE, e.t->op_code[i->op]);
    xk_enc_put(&e, XK_FLD_DEBUG, i->debug);
    put_swsb(&e);
    if (i->op == XK_OPC_ILLEGAL && (e.w[0] || e.w[1]))
        XK_ENC_REFUSE(&e, XK_EINVAL,
                      "illegal: breakpoint %u or swsb: all its "
                      "bits are zero",
                      i->debug);
    if (xk_opcode_format(i->op) != XK_FMT_NULLARY)
        put_header(&e);
    encode_body(&e);
    foreign = xk_inst_foreign_option(p, i);
    if (foreign)
        XK_ENC_REFUSE(&e, XK_EINVAL, "%s: there is no %s with this opcode",
                      xk_opcode_name(i->op), foreign);
    if (e.status == XK_OK) {
        store64(out, e.w[0]);
        store64(out + 8, e.w[1]);
    }
    return e.status;
}
