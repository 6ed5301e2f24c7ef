/* SPDX-License-Identifier: Apache-2.0 */
/* Native 128 bits to the instruction record. Every bit read is ticked off;
 * what is set and was not read is a reserved field and refused, so that
 * encode(decode(b)) == b for everything that decodes. */
#include "isa/format.h"

#include <string.h>

#include "base/alloc.h"

struct dec {
    const struct xk_isa_tables *t;
    const struct xk_platform *p;
    struct xk_inst *i;
    uint64_t w[2], seen[2];
    enum xk_format format;
    enum xk_status status;
    struct xk_error *err;
};

#define REFUSE(d, ...)                                                         \
    do {                                                                       \
        if ((d)->status == XK_OK)                                              \
            (d)->status = xk_isa_fail((d)->err, XK_EPARSE, __VA_ARGS__);       \
    } while (0)

static const char *op_name(const struct dec *d)
{
    return xk_opcode_name(d->i->op);
}

static uint32_t get(struct dec *d, unsigned id)
{
    const struct xk_field *f = &d->t->field[id];
    uint32_t v = 0;
    unsigned at = 0;

    for (unsigned k = 0; k < f->n_parts; k++) {
        const unsigned first = f->part[k].first, count = f->part[k].count;
        const uint64_t mask = (UINT64_C(1) << count) - 1;

        v |= (uint32_t)(d->w[first >> 6] >> (first & 63) & mask) << at;
        d->seen[first >> 6] |= mask << (first & 63);
        at += count;
    }
    return v;
}

static uint8_t get_hs(struct dec *d, unsigned id)
{
    static const uint8_t hs[] = {0, 1, 2, 4};

    return hs[get(d, id) & 3];
}

static uint8_t type_of(struct dec *d, const uint8_t *codes, unsigned code,
                       unsigned id)
{
    for (unsigned t = 0; t < XK_N_REG_TYPES; t++) {
        if (codes[t] == code)
            return (uint8_t)t;
    }
    REFUSE(d, "%s: %s: code %u is no type", op_name(d), xk_field_rows[id].text,
           code);
    return XK_RT_UD;
}

static uint8_t get_type(struct dec *d, const uint8_t *codes, unsigned id)
{
    return type_of(d, codes, get(d, id), id);
}

static void get_reg(struct dec *d, struct xk_operand *o, unsigned file,
                    unsigned reg, unsigned sub)
{
    const unsigned number = get(d, reg), index = number & 15;

    o->sub_b = (uint16_t)get(d, sub);
    if (get(d, file)) {
        o->file = XK_FILE_GRF;
        o->reg = (uint16_t)number;
        return;
    }
    o->file = XK_FILE_ARF;
    for (unsigned a = 0; a <= XK_ARF_MME; a++) {
        const struct xk_arf_row *r = &xk_arf_rows[a];

        if (r->code == number >> 4 && index >= r->first &&
            index < r->first + (unsigned)r->n) {
            o->arf = (uint8_t)a;
            o->reg = (uint16_t)(index - r->first);
            return;
        }
    }
    REFUSE(d, "%s: %s 0x%x is no architecture register", op_name(d),
           xk_field_rows[reg].text, number);
}

static void get_indirect(struct dec *d, struct xk_operand *o, unsigned off,
                         unsigned a0)
{
    const unsigned v = get(d, off);

    o->file = XK_FILE_GRF;
    o->indirect = true;
    o->a0_off_b = (int16_t)((int)(v ^ 0x200) - 0x200);
    o->a0_sub = (uint8_t)get(d, a0);
}

static void get_swsb_both(struct dec *d, struct xk_swsb *s, unsigned v)
{
    const unsigned op = d->i->op;
    const bool send = op == XK_OPC_SEND || op == XK_OPC_SENDC;
    const bool sets =
        send || op == XK_OPC_MATH || xk_opcode_format(op) == XK_FMT_DPAS;

    s->pipe = send ? XK_PIPE_ALL : XK_PIPE_NONE;
    s->mode = sets ? XK_SBID_SET : XK_SBID_DST;
    s->dist = v >> 4 & 7;
    s->sbid = v & 15;
    if (!s->dist)
        REFUSE(d, "%s: swsb 0x%x: distance 0", op_name(d), v);
}

static void get_swsb(struct dec *d)
{
    static const uint8_t pipes[] = {XK_PIPE_NONE, XK_PIPE_ALL, XK_PIPE_FLOAT,
                                    XK_PIPE_INT};
    struct xk_swsb *s = &d->i->swsb;
    const unsigned v = get(d, XK_FLD_SWSB), low = v & 15;

    if (v & 0x80) {
        get_swsb_both(d, s, v);
    } else if (v >= 0x20 && v < 0x50) {
        s->mode = v < 0x30 ? XK_SBID_DST : v < 0x40 ? XK_SBID_SRC : XK_SBID_SET;
        s->sbid = (uint8_t)low;
    } else if (v < 0x20 || (v >= 0x51 && v < 0x58)) {
        s->pipe = v < 0x20 ? pipes[v >> 3] : XK_PIPE_LONG;
        s->dist = v & 7;
        if (v && !s->dist)
            REFUSE(d, "%s: swsb 0x%x: distance 0", op_name(d), v);
    } else {
        REFUSE(d, "%s: swsb 0x%x is reserved", op_name(d), v);
    }
}

static void get_header(struct dec *d)
{
    struct xk_inst *i = d->i;
    const unsigned exec = get(d, XK_FLD_EXEC);

    if (exec > 5)
        REFUSE(d, "%s: exec size code %u", op_name(d), exec);
    i->exec = (uint8_t)(1u << exec);
    i->chan_off = (uint8_t)(get(d, XK_FLD_CHAN_OFF) * d->p->chan_off_unit);
    i->pred = (uint8_t)get(d, XK_FLD_PRED);
    if (i->pred > XK_PRED_ALL32H)
        REFUSE(d, "%s: predicate code %u", op_name(d), i->pred);
    if (i->pred)
        i->pred_inv = get(d, XK_FLD_PRED_INV);
    i->no_mask = get(d, XK_FLD_NO_MASK);
}

/* Once predicate and condition are known. */
static void get_flag(struct dec *d)
{
    if (d->i->pred || d->i->cond) {
        const unsigned v = get(d, XK_FLD_FLAG);

        d->i->flag_reg = (uint8_t)(v >> 1);
        d->i->flag_sub = v & 1;
    }
}

static uint8_t get_cond(struct dec *d, unsigned id)
{
    const unsigned v = get(d, id);

    if (v == 7 || v > XK_COND_UN)
        REFUSE(d, "%s: condition code %u", op_name(d), v);
    return (uint8_t)v;
}

static void get_basic_dst(struct dec *d)
{
    struct xk_operand *o = &d->i->dst;

    o->type = get_type(d, d->t->type_code, XK_FLD_B_DST_TYPE);
    o->rgn.hs = get_hs(d, XK_FLD_B_DST_HS);
    if (get(d, XK_FLD_B_DST_MODE))
        get_indirect(d, o, XK_FLD_B_DST_OFF, XK_FLD_B_DST_A0);
    else
        get_reg(d, o, XK_FLD_B_DST_FILE, XK_FLD_B_DST_REG, XK_FLD_B_DST_SUB);
}

static void get_basic_src(struct dec *d, struct xk_operand *o, unsigned n)
{
    const struct xk_src_fields *f = &xk_basic_src[n];
    const unsigned width = get(d, f->width), vs = get(d, f->vs);

    o->type = get_type(d, d->t->type_code, f->type);
    o->abs = get(d, f->abs);
    o->neg = get(d, f->neg);
    o->rgn.hs = get_hs(d, f->hs);
    o->rgn.width = (uint8_t)(1u << width);
    if (get(d, f->mode))
        get_indirect(d, o, f->a0_off, f->a0_sub);
    else
        get_reg(d, o, f->file, f->reg, f->sub);
    if (vs == d->t->vxh_code && o->indirect)
        o->rgn.vs = XK_VS_VXH;
    else
        o->rgn.vs = (uint8_t)(vs ? 1u << (vs - 1) : 0);
    if (width > 4 || (vs > 6 && o->rgn.vs != XK_VS_VXH))
        REFUSE(d, "%s: src%u: width code %u, vertical stride code %u",
               op_name(d), n, width, vs);
}

static void get_basic_imm(struct dec *d, struct xk_operand *o, unsigned n)
{
    o->file = XK_FILE_IMM;
    o->type = get_type(d, d->t->imm_code, xk_basic_src[n].type);
    o->imm = get(d, XK_FLD_B_IMM_LO);
    switch (xk_reg_type_b(o->type)) {
    case 2:
        if (o->imm >> 16 != (o->imm & 0xffff))
            REFUSE(d, "%s: immediate 0x%llx is not a repeated word", op_name(d),
                   (unsigned long long)o->imm);
        o->imm &= 0xffff;
        break;
    case 8:
        if (d->i->op == XK_OPC_MOV)
            o->imm |= (uint64_t)get(d, XK_FLD_B_IMM_HI) << 32;
        else
            REFUSE(d, "%s: 64-bit immediate", op_name(d));
        break;
    default:
        break;
    }
}

static void get_math_fn(struct dec *d)
{
    const unsigned fn = get(d, XK_FLD_B_COND);

    d->i->math_fn = (uint8_t)fn;
    if (!xk_math_name(fn) || (xk_math_n_srcs(fn) == 2 && fn != XK_MATH_INVM))
        REFUSE(d, "math: function code %u", fn);
    if (xk_math_is_macro(d->i))
        d->i->cond = XK_COND_EO;
}

/* A 64-bit immediate covers the condition field. */
static bool has_imm64(struct dec *d)
{
    unsigned code;

    if (d->i->op != XK_OPC_MOV || !get(d, XK_FLD_B_SRC0_IMM))
        return false;
    code = get(d, XK_FLD_B_SRC0_TYPE);
    return code == d->t->imm_code[XK_RT_Q] ||
           code == d->t->imm_code[XK_RT_UQ] || code == d->t->imm_code[XK_RT_DF];
}

static void decode_basic(struct dec *d)
{
    struct xk_inst *i = d->i;
    unsigned n;

    i->atomic = get(d, XK_FLD_B_ATOMIC);
    i->acc_wr_en = get(d, XK_FLD_B_ACC_WR);
    i->sat = get(d, XK_FLD_B_SAT);
    get_basic_dst(d);
    if (i->op == XK_OPC_MATH)
        get_math_fn(d);
    else if (!has_imm64(d))
        i->cond = get_cond(d, XK_FLD_B_COND);
    n = xk_inst_n_srcs(i);
    for (unsigned k = 0; k < n; k++) {
        if (!get(d, xk_basic_src[k].imm_flag))
            get_basic_src(d, &i->src[k], k);
        else if (k == n - 1 && i->op != XK_OPC_MOVI)
            get_basic_imm(d, &i->src[k], k);
        else
            REFUSE(d, "%s: src%u is immediate", op_name(d), k);
    }
}

static void decode_sync(struct dec *d)
{
    struct xk_inst *i = d->i;
    struct xk_operand *o = &i->src[0];

    i->sync_fn = (uint8_t)get(d, XK_FLD_B_COND);
    if (!xk_sync_name(i->sync_fn))
        REFUSE(d, "sync: function code %u", i->sync_fn);
    if (get_hs(d, XK_FLD_B_DST_HS) != 1)
        REFUSE(d, "sync: destination is not null<1>");
    if (!get(d, XK_FLD_B_SRC0_IMM)) {
        o->file = XK_FILE_ARF;
    } else if (i->sync_fn == XK_SYNC_ALLRD || i->sync_fn == XK_SYNC_ALLWR) {
        get_basic_imm(d, o, 0);
        if (o->type != XK_RT_UD)
            REFUSE(d, "sync: mask of type %s", xk_reg_type_name(o->type));
    } else {
        REFUSE(d, "sync: immediate without use");
    }
}

static void get_ternary_src(struct dec *d, unsigned n, unsigned exec_class)
{
    const struct xk_src_fields *f = &xk_ternary_src[n];
    static const uint8_t vs[] = {0, 1, 4, 8};
    struct xk_operand *o = &d->i->src[n];
    const unsigned code = get(d, f->type) | exec_class << 3;

    if (f->imm_flag && get(d, f->imm_flag)) {
        o->file = XK_FILE_IMM;
        o->type = type_of(d, d->t->imm_code, code, f->type);
        o->imm = get(d, f->imm16);
        if (xk_reg_type_b(o->type) != 2)
            REFUSE(d, "%s: src%u: immediate of type %s", op_name(d), n,
                   xk_reg_type_name(o->type));
        return;
    }
    o->type = type_of(d, d->t->type_code, code, f->type);
    if (d->i->op != XK_OPC_BFN) {
        o->abs = get(d, f->abs);
        o->neg = get(d, f->neg);
    }
    if (f->vs)
        o->rgn.vs = vs[get(d, f->vs)];
    o->rgn.hs = get_hs(d, f->hs);
    get_reg(d, o, f->file, f->reg, f->sub);
}

static void decode_ternary(struct dec *d)
{
    static const uint8_t bfn_cond[] = {XK_COND_NONE, XK_COND_EQ, XK_COND_GT,
                                       XK_COND_LT};
    struct xk_inst *i = d->i;
    const unsigned exec_class = get(d, XK_FLD_T_EXEC_TYPE);

    i->atomic = get(d, XK_FLD_T_ATOMIC);
    i->acc_wr_en = get(d, XK_FLD_T_ACC_WR);
    i->dst.type =
        type_of(d, d->t->type_code, get(d, XK_FLD_T_DST_TYPE) | exec_class << 3,
                XK_FLD_T_DST_TYPE);
    i->dst.rgn.hs = (uint8_t)(get(d, XK_FLD_T_DST_HS) + 1);
    get_reg(d, &i->dst, XK_FLD_T_DST_FILE, XK_FLD_T_DST_REG, XK_FLD_T_DST_SUB);
    if (i->op == XK_OPC_BFN) {
        i->cond = bfn_cond[get(d, XK_FLD_T_BFN_COND)];
        i->bfn = (uint8_t)get(d, XK_FLD_T_BFN_FC);
    } else {
        i->cond = get_cond(d, XK_FLD_T_COND);
        i->sat = get(d, XK_FLD_T_SAT);
    }
    for (unsigned k = 0; k < 3; k++)
        get_ternary_src(d, k, exec_class);
}

static uint8_t dpas_type(struct dec *d, unsigned id, unsigned exec_class,
                         unsigned bits)
{
    const uint8_t t =
        type_of(d, d->t->type_code, get(d, id) | exec_class << 3, id);
    static const uint8_t unsigned_of[] = {XK_RT_UB, XK_RT_U4, XK_RT_U2};
    static const uint8_t signed_of[] = {XK_RT_B, XK_RT_S4, XK_RT_S2};

    if (bits == 0)
        return t;
    if (bits > 2 || (t != XK_RT_UB && t != XK_RT_B)) {
        REFUSE(d, "%s: %s with precision code %u", op_name(d),
               xk_field_rows[id].text, bits);
        return t;
    }
    return t == XK_RT_UB ? unsigned_of[bits] : signed_of[bits];
}

static void decode_dpas(struct dec *d)
{
    struct xk_inst *i = d->i;
    const unsigned cls = get(d, XK_FLD_D_EXEC_TYPE);

    i->atomic = get(d, XK_FLD_D_ATOMIC);
    i->acc_wr_en = get(d, XK_FLD_D_ACC_WR);
    i->sdepth = (uint8_t)(1u << get(d, XK_FLD_D_SDEPTH));
    i->rcount = (uint8_t)(get(d, XK_FLD_D_RCOUNT) + 1);
    i->dst.type = dpas_type(d, XK_FLD_D_DST_TYPE, cls, 0);
    i->src[0].type = dpas_type(d, XK_FLD_D_SRC0_TYPE, cls, 0);
    i->src[1].type =
        dpas_type(d, XK_FLD_D_SRC1_TYPE, cls, get(d, XK_FLD_D_SRC1_BITS));
    i->src[2].type =
        dpas_type(d, XK_FLD_D_SRC2_TYPE, cls, get(d, XK_FLD_D_SRC2_BITS));
    get_reg(d, &i->dst, XK_FLD_D_DST_FILE, XK_FLD_D_DST_REG, XK_FLD_D_DST_SUB);
    get_reg(d, &i->src[0], XK_FLD_D_SRC0_FILE, XK_FLD_D_SRC0_REG,
            XK_FLD_D_SRC0_SUB);
    get_reg(d, &i->src[1], XK_FLD_D_SRC1_FILE, XK_FLD_D_SRC1_REG,
            XK_FLD_D_SRC1_SUB);
    get_reg(d, &i->src[2], XK_FLD_D_SRC2_FILE, XK_FLD_D_SRC2_REG,
            XK_FLD_D_SRC2_SUB);
}

static void get_payload(struct dec *d, struct xk_operand *o, unsigned file,
                        unsigned reg)
{
    const unsigned number = get(d, reg);

    o->type = XK_RT_UD;
    o->file = get(d, file) ? XK_FILE_GRF : XK_FILE_ARF;
    o->reg = (uint16_t)number;
    if (o->file == XK_FILE_ARF && number)
        REFUSE(d, "send: %s 0x%x is neither a GRF nor null",
               xk_field_rows[reg].text, number);
}

static void decode_send(struct dec *d)
{
    struct xk_inst *i = d->i;
    struct xk_send_info *s = &i->send;

    i->atomic = get(d, XK_FLD_S_ATOMIC);
    s->fused_serialize = get(d, XK_FLD_S_FUSION);
    s->eot = get(d, XK_FLD_S_EOT);
    s->sfid = (uint8_t)get(d, XK_FLD_S_SFID);
    s->desc_reg = get(d, XK_FLD_S_DESC_REG);
    s->exdesc_reg = get(d, XK_FLD_S_EXDESC_REG);
    if (!s->desc_reg)
        s->desc = get(d, XK_FLD_S_DESC);
    if (s->exdesc_reg) {
        s->exbso = get(d, XK_FLD_S_EXBSO);
        s->exdesc_sub = (uint8_t)get(d, XK_FLD_S_EXDESC_SUB);
    }
    if (!s->exdesc_reg || s->exbso)
        s->src1_len = (uint8_t)get(d, XK_FLD_S_SRC1_LEN);
    if (!s->exdesc_reg)
        s->exdesc = get(d, XK_FLD_S_EXDESC) << 11 | s->src1_len * 64u;
    get_payload(d, &i->dst, XK_FLD_S_DST_FILE, XK_FLD_S_DST_REG);
    get_payload(d, &i->src[0], XK_FLD_S_SRC0_FILE, XK_FLD_S_SRC0_REG);
    get_payload(d, &i->src[1], XK_FLD_S_SRC1_FILE, XK_FLD_S_SRC1_REG);
}

static void decode_branch(struct dec *d)
{
    struct xk_inst *i = d->i;
    const unsigned shape = xk_branch_shape(i->op);
    struct xk_operand *o = &i->src[0];

    if (shape & XK_BR_CTRL)
        i->branch_ctrl = get(d, XK_FLD_J_CTRL);
    if (shape & XK_BR_DST) {
        i->dst.type = XK_RT_UD;
        get_reg(d, &i->dst, XK_FLD_J_DST_FILE, XK_FLD_J_DST_REG,
                XK_FLD_J_DST_SUB);
    }
    if (!(shape & XK_BR_NO_IMM) && get(d, XK_FLD_J_JIP_IMM)) {
        i->jip_b = (int32_t)get(d, XK_FLD_J_JIP);
        if (!(shape & XK_BR_UIP))
            return;
        if (!get(d, XK_FLD_J_UIP_IMM))
            REFUSE(d, "%s: uip is not immediate", op_name(d));
        i->uip_b = (int32_t)get(d, XK_FLD_J_UIP);
    } else if (shape & XK_BR_REG) {
        o->type = XK_RT_D;
        get_reg(d, o, XK_FLD_J_SRC0_FILE, XK_FLD_J_SRC0_REG, XK_FLD_J_SRC0_SUB);
    } else {
        REFUSE(d, "%s: target is not immediate", op_name(d));
    }
}

static void decode_body(struct dec *d)
{
    switch (d->format) {
    case XK_FMT_BASIC:
        decode_basic(d);
        break;
    case XK_FMT_SYNC:
        decode_sync(d);
        break;
    case XK_FMT_TERNARY:
        decode_ternary(d);
        break;
    case XK_FMT_DPAS:
        decode_dpas(d);
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
static const char *field_at(const struct dec *d, unsigned bit)
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

static void refuse_unread(struct dec *d)
{
    for (unsigned k = 0; k < 2; k++) {
        const uint64_t left = d->w[k] & ~d->seen[k];
        const unsigned bit =
            left ? 64 * k + (unsigned)__builtin_ctzll(left) : 0;
        const char *text = left ? field_at(d, bit) : NULL;

        if (left)
            REFUSE(d, "%s: bit %u (%s) is set but reserved here", op_name(d),
                   bit, text ? text : "no field");
    }
}

static bool find_opcode(struct dec *d)
{
    const unsigned code = get(d, XK_FLD_OPCODE);
    const unsigned op = d->t->op_of_code[code];

    if (!op) {
        REFUSE(d, "opcode 0x%02x does not exist on %s", code, d->p->name);
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
static enum xk_status load_words(struct dec *d, const uint8_t *in, size_t n_b,
                                 size_t *used_b)
{
    d->w[0] = load64(in);
    if (get(d, XK_FLD_COMPACT)) {
        *used_b = 8;
        d->i->compacted = true;
        d->status = xk_isa_expand(d->t, d->w[0], d->w, d->err);
    } else if (n_b < XK_INST_B) {
        REFUSE(d, "%zu bytes, a native instruction has %d", n_b, XK_INST_B);
    } else {
        *used_b = XK_INST_B;
        d->w[1] = load64(in + 8);
    }
    return d->status;
}

enum xk_status xk_inst_decode(const struct xk_platform *p, const uint8_t *in,
                              size_t n_b, struct xk_inst *i, size_t *used_b,
                              struct xk_error *err)
{
    struct dec d = {.t = xk_isa_tables_get(p, err), .p = p, .i = i, .err = err};

    memset(i, 0, sizeof(*i));
    *used_b = 0;
    if (!d.t)
        return XK_EUNSUPPORTED;
    if (n_b < 8)
        return xk_isa_fail(err, XK_EPARSE, "%zu bytes are no instruction", n_b);
    if (load_words(&d, in, n_b, used_b) < 0)
        return d.status;
    if (!find_opcode(&d))
        return d.status;
    get_swsb(&d);
    i->debug = get(&d, XK_FLD_DEBUG);
    if (d.format != XK_FMT_NULLARY)
        get_header(&d);
    decode_body(&d);
    get_flag(&d);
    refuse_unread(&d);
    return d.status;
}
