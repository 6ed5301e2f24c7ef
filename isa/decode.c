/* SPDX-License-Identifier: Apache-2.0 */
/* Native 128 bits to the instruction record. Every bit that is read is ticked
 * off. A bit that is set and was not read is in a reserved field and refused,
 * so encode(decode(b)) == b for everything that decodes. */
#include "isa/decode.h"

#include <string.h>

#include "base/alloc.h"

uint32_t xk_dec_get_runs(struct xk_dec *d, const struct xk_field *f)
{
    uint32_t v = 0;
    unsigned at = 0;

    for (unsigned k = 0; k < f->n_parts; k++) {
        v |= xk_dec_get_run(d, f->part[k]) << at;
        at += f->part[k].count;
    }
    return v;
}

uint8_t xk_dec_get_hs(struct xk_dec *d, unsigned id)
{
    static const uint8_t hs[] = {0, 1, 2, 4};

    return hs[xk_dec_get(d, id) & 3];
}

/* types: xk_isa_tables.type_of_code or .type_of_imm */
uint8_t xk_dec_type_of(struct xk_dec *d, const uint8_t *types, unsigned code,
                       unsigned id)
{
    if (types[code & 15])
        return (uint8_t)(types[code & 15] - 1);
    XK_DEC_REFUSE(d, "%s: %s: code %u is no type", xk_dec_op_name(d),
                  xk_field_rows[id].text, code);
    return XK_RT_UD;
}

/* Macros: .mme0..7 or .nomme in the field of the subregister. */
static uint16_t get_mme(struct xk_dec *d, unsigned sub)
{
    const unsigned v = xk_dec_get(d, sub), n = v >> d->t->mme_unit;

    if (n > 8 || n << d->t->mme_unit != v)
        XK_DEC_REFUSE(d, "%s: %s code %u is no mme", xk_dec_op_name(d),
                      xk_field_rows[sub].text, v);
    return (uint16_t)n;
}

void xk_dec_get_reg(struct xk_dec *d, struct xk_operand *o, unsigned file,
                    unsigned reg, unsigned sub)
{
    const unsigned number = xk_dec_get(d, reg), index = number & 15;

    o->sub_b = d->macro ? get_mme(d, sub) : (uint16_t)xk_dec_get(d, sub);
    if (xk_dec_get(d, file)) {
        o->file = XK_FILE_GRF;
        o->reg = (uint16_t)number;
        return;
    }
    o->file = XK_FILE_ARF;
    for (unsigned a = 0; a <= XK_ARF_MME; a++) {
        const struct xk_arf_row *r = &xk_arf_rows[a];

        if (r->code == number >> 4 && index >= r->first &&
            index < r->first + (unsigned)d->t->n_arf[a]) {
            o->arf = (uint8_t)a;
            o->reg = (uint16_t)(index - r->first);
            return;
        }
    }
    XK_DEC_REFUSE(d, "%s: %s 0x%x is no architecture register",
                  xk_dec_op_name(d), xk_field_rows[reg].text, number);
}

void xk_dec_get_indirect(struct xk_dec *d, struct xk_operand *o, unsigned off,
                         unsigned a0)
{
    const struct xk_field *const f = &d->t->field[off];
    const int v = (int)xk_dec_get(d, off),
              sign = 1 << (f->n_bits + f->unit - 1);

    if (d->macro || (d->i->op == XK_OPC_MATH && !d->t->math_indirect))
        XK_DEC_REFUSE(d, "math: indirect operand, but there is none on %s",
                      d->p->name);
    o->file = XK_FILE_GRF;
    o->indirect = true;
    o->a0_off_b = (int16_t)((v ^ sign) - sign);
    o->a0_sub = (uint8_t)xk_dec_get(d, a0);
}

static void get_swsb(struct xk_dec *d)
{
    const unsigned v = xk_dec_get(d, XK_FLD_SWSB);

    if (!xk_swsb_decode(d->t, xk_swsb_class(d->i->op), v, &d->i->swsb))
        XK_DEC_REFUSE(d, "%s: swsb 0x%x is reserved", xk_dec_op_name(d), v);
}

static void get_header(struct xk_dec *d)
{
    struct xk_inst *i = d->i;
    const unsigned exec = xk_dec_get(d, XK_FLD_EXEC);

    if (exec > 5)
        XK_DEC_REFUSE(d, "%s: exec size code %u", xk_dec_op_name(d), exec);
    i->exec = (uint8_t)(1u << exec);
    i->chan_off =
        (uint8_t)(xk_dec_get(d, XK_FLD_CHAN_OFF) * d->p->chan_off_unit);
    i->pred = d->t->pred_of_code[xk_dec_get(d, XK_FLD_PRED)];
    if (i->pred == XK_NO_CODE)
        XK_DEC_REFUSE(d, "%s: predicate code %u", xk_dec_op_name(d),
                      xk_dec_get(d, XK_FLD_PRED));
    i->pred_inv = xk_dec_get(d, XK_FLD_PRED_INV);
    i->no_mask = xk_dec_get(d, XK_FLD_NO_MASK);
}

/* What has no execution size in its text has only one. */
void xk_dec_need_scalar(struct xk_dec *d)
{
    if (d->i->exec > 1 || d->i->chan_off)
        XK_DEC_REFUSE(d, "%s: exec size %u, channel offset %u: need 1 and 0",
                      xk_dec_op_name(d), d->i->exec, d->i->chan_off);
}

/* Once predicate and condition are known. */
static void decode_flag(struct xk_dec *d)
{
    if (d->i->pred || d->i->cond) {
        const unsigned v = xk_dec_get(d, XK_FLD_FLAG);

        d->i->flag_reg = (uint8_t)(v >> 1);
        d->i->flag_sub = v & 1;
    }
}

static void get_payload(struct xk_dec *d, struct xk_operand *o, unsigned file,
                        unsigned reg)
{
    const unsigned number = xk_dec_get(d, reg);

    o->type = XK_RT_UD;
    o->file = xk_dec_get(d, file) ? XK_FILE_GRF : XK_FILE_ARF;
    o->reg = (uint16_t)number;
    if (o->file == XK_FILE_ARF && number)
        XK_DEC_REFUSE(d, "send: %s 0x%x is neither a GRF nor null",
                      xk_field_rows[reg].text, number);
}

static void decode_send(struct xk_dec *d)
{
    struct xk_inst *i = d->i;
    struct xk_send_info *s = &i->send;

    i->atomic = xk_dec_get(d, XK_FLD_S_ATOMIC);
    s->fused_serialize = xk_dec_get(d, XK_FLD_S_FUSION);
    s->eot = xk_dec_get(d, XK_FLD_S_EOT);
    s->sfid = (uint8_t)xk_dec_get(d, XK_FLD_S_SFID);
    if (!(d->t->sfids >> s->sfid & 1))
        XK_DEC_REFUSE(d, "send: sfid %u does not exist on %s", s->sfid,
                      d->p->name);
    s->desc_reg = xk_dec_get(d, XK_FLD_S_DESC_REG);
    s->exdesc_reg = xk_dec_get(d, XK_FLD_S_EXDESC_REG);
    if (!s->desc_reg)
        s->desc = xk_dec_get(d, XK_FLD_S_DESC);
    if (s->exdesc_reg) {
        s->exbso = xk_dec_get(d, XK_FLD_S_EXBSO);
        s->exdesc_sub = (uint8_t)xk_dec_get(d, XK_FLD_S_EXDESC_SUB);
    }
    if (!s->exdesc_reg || s->exbso)
        s->src1_len = (uint8_t)xk_dec_get(d, XK_FLD_S_SRC1_LEN);
    if (!s->exdesc_reg)
        s->exdesc = xk_dec_get(d, XK_FLD_S_EXDESC) << 11 | s->src1_len * 64u;
    get_payload(d, &i->dst, XK_FLD_S_DST_FILE, XK_FLD_S_DST_REG);
    get_payload(d, &i->src[0], XK_FLD_S_SRC0_FILE, XK_FLD_S_SRC0_REG);
    get_payload(d, &i->src[1], XK_FLD_S_SRC1_FILE, XK_FLD_S_SRC1_REG);
}

static void decode_branch(struct xk_dec *d)
{
    struct xk_inst *i = d->i;
    const unsigned shape = xk_branch_shape(i->op);
    struct xk_operand *o = &i->src[0];

    i->atomic = xk_dec_get(d, XK_FLD_J_ATOMIC);
    if (shape & XK_BR_SCALAR)
        xk_dec_need_scalar(d);
    if (shape & XK_BR_CTRL)
        i->branch_ctrl = xk_dec_get(d, XK_FLD_J_CTRL);
    if (shape & XK_BR_DST) {
        i->dst.type = XK_RT_UD;
        xk_dec_get_reg(d, &i->dst, XK_FLD_J_DST_FILE, XK_FLD_J_DST_REG,
                       XK_FLD_J_DST_SUB);
    }
    if (!(shape & XK_BR_NO_IMM) && xk_dec_get(d, XK_FLD_J_JIP_IMM)) {
        i->jip_b = (int32_t)xk_dec_get(d, XK_FLD_J_JIP);
        if (!(shape & XK_BR_UIP))
            return;
        if (!xk_dec_get(d, XK_FLD_J_UIP_IMM))
            XK_DEC_REFUSE(d, "%s: uip is not immediate", xk_dec_op_name(d));
        i->uip_b = (int32_t)xk_dec_get(d, XK_FLD_J_UIP);
    } else if (shape & XK_BR_REG) {
        o->type = XK_RT_D;
        xk_dec_get_reg(d, o, XK_FLD_J_SRC0_FILE, XK_FLD_J_SRC0_REG,
                       XK_FLD_J_SRC0_SUB);
    } else {
        XK_DEC_REFUSE(d, "%s: target is not immediate", xk_dec_op_name(d));
    }
}

static void decode_body(struct xk_dec *d)
{
    switch (d->format) {
    case XK_FMT_BASIC:
        xk_dec_basic(d);
        break;
    case XK_FMT_SYNC:
        xk_dec_sync(d);
        break;
    case XK_FMT_TERNARY:
        xk_dec_ternary(d);
        break;
    case XK_FMT_DPAS:
        xk_dec_dpas(d);
        break;
    case XK_FMT_SEND:
        decode_send(d);
        break;
    case XK_FMT_BRANCH:
        decode_branch(d);
        break;
    case XK_FMT_NULLARY:
    case XK_FMT_HEADER:
    case XK_FMT_COMPACT2:
    case XK_FMT_COMPACT3:
    case XK_N_FORMATS:
        d->i->exec = 1;
        break;
    }
}

/* The text of the field a bit belongs to, NULL if to none. */
static const char *field_text(const struct xk_dec *d, unsigned bit)
{
    enum xk_format format = d->format;

    if (format == XK_FMT_SYNC)
        format = XK_FMT_BASIC;
    for (unsigned id = 0; id < XK_N_FIELDS; id++) {
        const struct xk_field *f = &d->t->field[id];

        if (xk_field_rows[id].format != format &&
            xk_field_rows[id].format != XK_FMT_HEADER)
            continue;
        for (unsigned k = 0; k < f->n_parts; k++) {
            if (bit - f->part[k].first < f->part[k].count)
                return xk_field_rows[id].text;
        }
    }
    return NULL;
}

static void refuse_unread(struct xk_dec *d)
{
    for (unsigned k = 0; k < 2; k++) {
        const uint64_t left = d->w[k] & ~d->seen[k];
        const unsigned bit =
            left ? 64 * k + (unsigned)__builtin_ctzll(left) : 0;
        const char *text = left ? field_text(d, bit) : NULL;

        if (left)
            XK_DEC_REFUSE(d, "%s: bit %u (%s) is set but reserved here",
                          xk_dec_op_name(d), bit, text ? text : "no field");
    }
}

/* Bits that mean something, but not with this opcode. */
static void refuse_foreign(struct xk_dec *d)
{
    const char *const text = xk_inst_foreign_option(d->p, d->i);

    if (text)
        XK_DEC_REFUSE(d, "%s: %s is set but reserved with this opcode",
                      xk_dec_op_name(d), text);
}

static bool opcode_of_code(struct xk_dec *d)
{
    const unsigned code = xk_dec_get(d, XK_FLD_OPCODE);
    const unsigned op = d->t->op_of_code[code];

    if (!op) {
        XK_DEC_REFUSE(d, "opcode 0x%02x does not exist on %s", code,
                      d->p->name);
        return false;
    }
    d->i->op = (uint16_t)(op - 1);
    d->format = xk_opcode_format(d->i->op);
    return true;
}

/* Written out so that compilers see one load. */
static uint64_t load64(const uint8_t *in)
{
    return (uint64_t)in[0] | (uint64_t)in[1] << 8 | (uint64_t)in[2] << 16 |
           (uint64_t)in[3] << 24 | (uint64_t)in[4] << 32 |
           (uint64_t)in[5] << 40 | (uint64_t)in[6] << 48 |
           (uint64_t)in[7] << 56;
}

/* The native words, expanded if they are compact. */
static enum xk_status load_words(struct xk_dec *d, const uint8_t *in,
                                 size_t n_b, size_t *used_b)
{
    d->w[0] = load64(in);
    if (xk_dec_get(d, XK_FLD_COMPACT)) {
        *used_b = 8;
        d->i->compacted = true;
        d->status =
            xk_isa_expand(d->t, d->w[0], d->w, &d->i->compact_as, d->err);
    } else if (n_b < XK_INST_B) {
        XK_DEC_REFUSE(d, "%zu bytes, a native instruction has %d", n_b,
                      XK_INST_B);
    } else {
        *used_b = XK_INST_B;
        d->w[1] = load64(in + 8);
    }
    return d->status;
}

static enum xk_status decode_inst(struct xk_dec *d, const uint8_t *in,
                                  size_t n_b, size_t *used_b)
{
    struct xk_inst *const i = d->i;

    memset(i, 0, sizeof(*i));
    *used_b = 0;
    if (!d->t)
        return XK_EUNSUPPORTED;
    if (n_b < 8)
        return xk_isa_fail(d->err, XK_EPARSE, "%zu bytes are no instruction",
                           n_b);
    if (load_words(d, in, n_b, used_b) < 0)
        return d->status;
    if (!opcode_of_code(d))
        return d->status;
    if (i->op != XK_OPC_ILLEGAL) { /* all its bits are zero */
        get_swsb(d);
        i->debug = xk_dec_get(d, XK_FLD_DEBUG);
    }
    if (d->format != XK_FMT_NULLARY)
        get_header(d);
    decode_body(d);
    decode_flag(d);
    refuse_foreign(d);
    refuse_unread(d);
    return d->status;
}

enum xk_status xk_inst_decode(const struct xk_platform *p, const uint8_t *in,
                              size_t n_b, struct xk_inst *i, size_t *used_b,
                              struct xk_error *err)
{
    struct xk_dec d = {
        .t = xk_isa_tables_get(p, err), .p = p, .i = i, .err = err};

    return decode_inst(&d, in, n_b, used_b);
}

/* The number of the bit in the field's value, or a negative number. */
static int bit_of_value(const struct xk_field *f, unsigned bit)
{
    unsigned at = 0;

    for (unsigned k = 0; k < f->n_parts; k++) {
        if (bit - f->part[k].first < f->part[k].count)
            return (int)(at + bit - f->part[k].first);
        at += f->part[k].count;
    }
    return -1;
}

/* Rows of the 64-bit form, which the decoder reads through isa/compact.c. */
static bool is_compact_row(unsigned id, enum xk_opcode op)
{
    const bool ternary = xk_opcode_is_ternary(op);

    return xk_field_rows[id].format ==
               (ternary ? XK_FMT_COMPACT3 : XK_FMT_COMPACT2) ||
           id == XK_FLD_OPCODE || id == XK_FLD_SWSB || id == XK_FLD_COMPACT;
}

unsigned xk_inst_field_at(const struct xk_platform *p, const uint8_t *in,
                          size_t n_b, unsigned bit, unsigned *value_bit)
{
    struct xk_inst i;
    struct xk_dec d = {.t = xk_isa_tables_get(p, NULL), .p = p, .i = &i};
    size_t used_b;

    if (decode_inst(&d, in, n_b, &used_b) < 0)
        return XK_N_FIELDS;
    for (unsigned id = 0; id < XK_N_FIELDS; id++) {
        const int at = bit_of_value(&d.t->field[id], bit);

        if (at < 0 || !(used_b == 8 ? is_compact_row(id, i.op)
                                    : d.read[id >> 6] >> (id & 63) & 1))
            continue;
        *value_bit = (unsigned)at;
        return id;
    }
    return XK_N_FIELDS;
}
