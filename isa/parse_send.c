/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of send and of branches. */
#include "isa/parse_core.h"

#include "base/alloc.h"

/* Old text may have ".0", "<1>" and ":ud" after a payload; they have no
 * meaning. */
static bool skip_decoration(struct xk_parser *ps)
{
    const struct xk_token at = ps->tok;
    unsigned sub;
    bool given;

    if (!xk_isa_parse_sub(ps, &sub, &given))
        return false;
    if (sub)
        return xk_isa_parse_fail(ps, &at, "subregister %u of a payload: need 0",
                                 sub);
    if (xk_isa_parse_accept(ps, '<')) {
        while (ps->tok.kind == XK_TOK_INT || ps->tok.kind == ';' ||
               ps->tok.kind == ',')
            xk_isa_parse_skip(ps);
        if (!xk_isa_parse_want(ps, '>', "'>'"))
            return false;
    }
    return xk_isa_parse_skip_type(ps);
}

bool xk_isa_parse_payload(struct xk_parser *ps, struct xk_operand *o)
{
    const struct xk_token at = ps->tok;

    o->type = XK_RT_UD;
    if (!xk_isa_parse_reg(ps, o))
        return false;
    if (o->file != XK_FILE_GRF && o->arf != XK_ARF_NULL)
        return xk_isa_parse_fail(ps, &at, "a payload is a GRF or null");
    return skip_decoration(ps);
}

/* The length of the second payload: "r30:2", "r30#2", "r30-31". */
static bool parse_src1_len(struct xk_parser *ps)
{
    struct xk_send_info *const s = &ps->i->send;
    const struct xk_operand *const o = &ps->i->src[1];
    const struct xk_token at = ps->tok;
    unsigned v = 0;

    if (xk_isa_parse_accept(ps, '-')) {
        if (!xk_isa_parse_int(ps, "last register of src1", 255, &v))
            return false;
        if (o->file != XK_FILE_GRF || v < o->reg || v - o->reg > 30)
            return xk_isa_parse_fail(ps, &at,
                                     "src1 until r%u: need 1..31 "
                                     "registers from r%u",
                                     v, o->reg);
        v = v - o->reg + 1;
    } else {
        if (!xk_isa_parse_accept(ps, ':') && !xk_isa_parse_accept(ps, '#'))
            return true;
        if (!xk_isa_parse_int(ps, "length of src1", 31, &v))
            return false;
    }
    if (!ps->traits->src1_len)
        return xk_isa_parse_fail(
            ps, &at,
            "on %s the length of src1 stands in bits 10:6 of "
            "the extended descriptor",
            ps->p->name);
    if (o->reg + v > 256)
        return xk_isa_parse_fail(ps, &at, "src1 r%u:%u ends past r255", o->reg,
                                 v);
    s->src1_len = (uint8_t)v;
    ps->src1_len_given = true;
    return true;
}

static bool exdesc_imm(struct xk_parser *ps)
{
    struct xk_send_info *const s = &ps->i->send;
    struct xk_value v;
    int64_t bits;
    uint32_t len;

    if (!xk_isa_parse_value(ps, &v) ||
        !xk_value_int(ps, &v, "extended descriptor", INT32_MIN, UINT32_MAX,
                      &bits))
        return false;
    s->exdesc = (uint32_t)bits;
    len = s->exdesc >> 6 & 31;
    if (s->exdesc & 63)
        return xk_isa_parse_fail(
            ps, &v.at,
            "extended descriptor 0x%x: bits 5:0 must be zero, "
            "the shared function is part of the mnemonic",
            s->exdesc);
    if (ps->src1_len_given && len && len != s->src1_len)
        return xk_isa_parse_fail(
            ps, &v.at,
            "extended descriptor 0x%x says %u registers of "
            "src1, the operand says %u",
            s->exdesc, len, s->src1_len);
    if (!ps->src1_len_given)
        s->src1_len = (uint8_t)len;
    s->exdesc |= s->src1_len * 64u;
    return true;
}

static bool parse_exdesc(struct xk_parser *ps)
{
    struct xk_send_info *const s = &ps->i->send;

    if (!xk_isa_token_is(&ps->tok, "a0"))
        return exdesc_imm(ps);
    s->exdesc_reg = true;
    s->exbso = ps->src1_len_given; /* what the length is needed for */
    return xk_isa_parse_a0(ps, 7, &s->exdesc_sub);
}

static bool parse_desc(struct xk_parser *ps)
{
    struct xk_send_info *const s = &ps->i->send;
    const struct xk_token at = ps->tok;
    struct xk_value v;
    int64_t bits;
    uint8_t sub;

    if (!xk_isa_token_is(&at, "a0")) {
        if (!xk_isa_parse_value(ps, &v) ||
            !xk_value_int(ps, &v, "descriptor", INT32_MIN, UINT32_MAX, &bits))
            return false;
        s->desc = (uint32_t)bits;
        return true;
    }
    s->desc_reg = true;
    if (!xk_isa_parse_a0(ps, 15, &sub))
        return false;
    return !sub ||
           xk_isa_parse_fail(ps, &at, "descriptor in a0.%u: need a0.0", sub);
}

bool xk_isa_parse_send_operands(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;

    return xk_isa_parse_payload(ps, &i->dst) &&
           xk_isa_parse_payload(ps, &i->src[0]) &&
           xk_isa_parse_payload(ps, &i->src[1]) && parse_src1_len(ps) &&
           xk_isa_parse_skip_type(ps) && parse_exdesc(ps) && parse_desc(ps);
}

/* ".2", "<0;1,0>", ":ud" after the register of a branch. */
static bool branch_register(struct xk_parser *ps, struct xk_operand *o)
{
    const struct xk_token at = ps->tok;
    unsigned sub;
    bool given;

    if (!xk_isa_parse_reg(ps, o) || !xk_isa_parse_sub(ps, &sub, &given))
        return false;
    if (sub * 4 >= ps->p->grf_b)
        return xk_isa_parse_fail(ps, &at,
                                 "subregister %u of type ud: need 0..%u", sub,
                                 ps->p->grf_b / 4 - 1);
    o->sub_b = (uint16_t)(sub * 4);
    if (xk_isa_parse_accept(ps, '<')) {
        while (ps->tok.kind == XK_TOK_INT || ps->tok.kind == ';' ||
               ps->tok.kind == ',')
            xk_isa_parse_skip(ps);
        if (!xk_isa_parse_want(ps, '>', "'>'"))
            return false;
    }
    return xk_isa_parse_skip_type(ps);
}

/* A label or a byte offset. */
static bool parse_target(struct xk_parser *ps, struct xk_label_use *use,
                         int32_t *offset_b)
{
    const struct xk_token t = ps->tok;
    struct xk_value v;
    int64_t bits;

    if (t.kind == XK_TOK_IDENT) {
        if (!ps->labels)
            return xk_isa_parse_expected(ps, "a byte offset");
        *use = (struct xk_label_use){t.s, t.n_b, t.line, t.col};
        xk_isa_parse_skip(ps);
        return xk_isa_parse_skip_type(ps);
    }
    if (!xk_isa_parse_at_value(ps))
        return xk_isa_parse_expected(ps, "a branch target");
    *use = (struct xk_label_use){.line = t.line, .col = t.col};
    if (!xk_isa_parse_spaced_value(ps, &v) ||
        !xk_value_int(ps, &v, "branch offset", INT32_MIN, INT32_MAX, &bits))
        return false;
    *offset_b = (int32_t)bits;
    return xk_isa_parse_skip_type(ps);
}

bool xk_isa_parse_branch_operands(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;
    const unsigned shape = xk_branch_shape(i->op);

    if (shape & XK_BR_DST) {
        i->dst.type = XK_RT_UD;
        if (!branch_register(ps, &i->dst))
            return false;
    }
    if (shape & XK_BR_REG && xk_isa_parse_at_reg(&ps->tok)) {
        i->src[0].type = XK_RT_D;
        return branch_register(ps, &i->src[0]);
    }
    if (shape & XK_BR_NO_IMM)
        return xk_isa_parse_expected(ps, "a register with the target");
    if (!parse_target(ps, &ps->use[0], &i->jip_b))
        return false;
    return !(shape & XK_BR_UIP) || parse_target(ps, &ps->use[1], &i->uip_b);
}
