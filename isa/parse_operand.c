/* SPDX-License-Identifier: Apache-2.0 */
/* Destinations and sources of arithmetic, dpas and sync: registers with
 * subregister, region and type, indirect operands, immediates. What the text
 * leaves out gets the default that iga64 gives it. */
#include "isa/parse_core.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/inst_print.h"
#include "isa/traits.h"

static bool power_of_two_until(unsigned v, unsigned max)
{
    return v <= max && !(v & (v - 1));
}

/* A stride or width: a power of two until max, 0 only if it may be. */
static bool region_int(struct xk_parser *ps, const char *what, bool zero,
                       unsigned max, uint8_t *out)
{
    const struct xk_token at = ps->tok;
    unsigned v;

    if (!xk_isa_parse_int(ps, what, 255, &v))
        return false;
    if (!power_of_two_until(v, max) || (!v && !zero))
        return xk_isa_parse_fail(ps, &at,
                                 "%s %u: need %sa power of two until %u", what,
                                 v, zero ? "0 or " : "", max);
    *out = (uint8_t)v;
    return true;
}

static bool ternary_vs(struct xk_parser *ps, uint8_t *out)
{
    const struct xk_token at = ps->tok;

    if (!region_int(ps, "vertical stride", true, 8, out))
        return false;
    if (*out == 2)
        return xk_isa_parse_fail(ps, &at,
                                 "vertical stride 2: need 0, 1, 4 or 8 in "
                                 "an instruction of three sources");
    return true;
}

/* After '<'. */
static bool ternary_region(struct xk_parser *ps, unsigned n,
                           struct xk_region *r)
{
    if (n < 2 && (!ternary_vs(ps, &r->vs) ||
                  !xk_isa_parse_want(ps, ';', "';' as in <vs;hs>")))
        return false;
    return region_int(ps, "horizontal stride", true, 4, &r->hs) &&
           xk_isa_parse_want(ps, '>', "'>'");
}

/* After '<': <vs;w,hs>, or <w,hs> of an indirect operand. */
static bool basic_region(struct xk_parser *ps, bool indirect,
                         struct xk_region *r)
{
    if (indirect && xk_isa_parse_peek(ps, 1).kind == ',') {
        r->vs = XK_VS_VXH;
    } else {
        if (!region_int(ps, "vertical stride", true, 32, &r->vs) ||
            !xk_isa_parse_want(ps, ';', "';' as in <vs;w,hs>"))
            return false;
    }
    return region_int(ps, "width", false, 16, &r->width) &&
           xk_isa_parse_want(ps, ',', "',' as in <vs;w,hs>") &&
           region_int(ps, "horizontal stride", true, 4, &r->hs) &&
           xk_isa_parse_want(ps, '>', "'>'");
}

/* The region of a source without one: a scalar if it names a subregister or
 * there is one channel only, else packed elements. */
static void default_region(const struct xk_parser *ps, unsigned n,
                           bool sub_given, struct xk_operand *o)
{
    const bool no_region =
        o->file == XK_FILE_ARF && (o->arf == XK_ARF_CE || o->arf == XK_ARF_IP);
    const bool scalar = !o->indirect && (sub_given || ps->i->exec == 1);

    if (xk_opcode_is_ternary(ps->i->op)) {
        o->rgn.vs = n < 2 && !scalar;
        o->rgn.hs = n == 2 && !scalar;
    } else {
        o->rgn.vs = !scalar && !no_region;
        o->rgn.width = 1;
    }
}

static bool parse_region(struct xk_parser *ps, unsigned n, bool sub_given,
                         struct xk_operand *o)
{
    if (!xk_isa_parse_accept(ps, '<')) {
        default_region(ps, n, sub_given, o);
        return true;
    }
    return xk_opcode_is_ternary(ps->i->op)
               ? ternary_region(ps, n, &o->rgn)
               : basic_region(ps, o->indirect, &o->rgn);
}

/* Subregisters count elements, in the text. */
static bool set_sub(struct xk_parser *ps, const struct xk_token *at,
                    unsigned sub, struct xk_operand *o)
{
    const bool sub_byte = o->type >= XK_RT_U4 && o->type <= XK_RT_S2;
    const unsigned raw = xk_raw_sub_bits(xk_print_traits_get(ps->p), o);
    const unsigned bits = raw                   ? raw
                          : !sub_byte           ? 8 * xk_reg_type_b(o->type)
                          : o->type <= XK_RT_S4 ? 4
                                                : 2;

    if (!bits)
        return xk_isa_parse_fail(ps, at, "type %s: no operand has it",
                                 xk_reg_type_name(o->type));
    if (sub * bits >= ps->p->grf_b * 8u)
        return xk_isa_parse_fail(
            ps, at, "subregister %u of type %s: need 0..%u", sub,
            xk_reg_type_name(o->type), ps->p->grf_b * 8u / bits - 1);
    if (sub * bits % 8)
        return xk_isa_parse_fail(ps, at,
                                 "subregister %u of type %s: need whole "
                                 "bytes",
                                 sub, xk_reg_type_name(o->type));
    o->sub_b = (uint16_t)(sub * bits / 8);
    return true;
}

/* "[a0.2,-16]", or with + or - instead of the comma. */
static bool parse_indirect(struct xk_parser *ps, struct xk_operand *o)
{
    const int max = 1 << (ps->t->field[XK_FLD_B_SRC0_OFF].n_bits - 1);
    bool negative = false, offset = true;
    struct xk_token at;
    unsigned v = 0;

    o->file = XK_FILE_GRF;
    o->indirect = true;
    if (!xk_isa_parse_want(ps, '[', "'['") ||
        !xk_isa_parse_a0(ps, 15, &o->a0_sub))
        return false;
    if (xk_isa_parse_accept(ps, ',') || xk_isa_parse_accept(ps, '+'))
        negative = ps->tok.kind == '-' && xk_isa_parse_accept(ps, '-');
    else
        offset = negative = xk_isa_parse_accept(ps, '-');
    at = ps->tok;
    if (offset && !xk_isa_parse_int(ps, "address offset", 1u << 30, &v))
        return false;
    if ((int)v > (negative ? max : max - 1))
        return xk_isa_parse_fail(ps, &at, "address offset %s%u: need %d..%d",
                                 negative ? "-" : "", v, -max, max - 1);
    o->a0_off_b = (int16_t)(negative ? -(int)v : (int)v);
    return xk_isa_parse_want(ps, ']', "']'");
}

static bool at_indirect(const struct xk_parser *ps, unsigned n)
{
    const struct xk_token t = xk_isa_parse_peek(ps, n);

    return xk_isa_token_is(&t, "r") && xk_isa_parse_peek(ps, n + 1).kind == '[';
}

/* ".mme2" or ".nomme", in place of a subregister. */
static bool parse_macro_register(struct xk_parser *ps, struct xk_operand *o)
{
    static const char *const names[] = {"mme0", "mme1", "mme2", "mme3", "mme4",
                                        "mme5", "mme6", "mme7", "nomme"};

    if (!xk_isa_parse_want(ps, '.', "'.mme0' to '.mme7' or '.nomme'"))
        return false;
    for (unsigned k = 0; k < XK_COUNTOF(names); k++) {
        if (xk_isa_parse_accept_word(ps, names[k])) {
            o->sub_b = (uint16_t)k;
            return true;
        }
    }
    return xk_isa_parse_expected(ps, "mme0 to mme7 or nomme");
}

static bool parse_dst_region(struct xk_parser *ps, struct xk_operand *o)
{
    o->rgn.hs = 1;
    if (!xk_isa_parse_accept(ps, '<'))
        return true;
    return region_int(ps, "destination stride", false, 4, &o->rgn.hs) &&
           xk_isa_parse_want(ps, '>', "'>'");
}

bool xk_isa_parse_dst(struct xk_parser *ps)
{
    struct xk_operand *const o = &ps->i->dst;
    const bool macro = xk_math_is_macro(ps->i);
    const struct xk_token sat = ps->tok;
    struct xk_token at;
    unsigned sub = 0;
    bool given;

    ps->i->sat = xk_isa_parse_accept(ps, XK_TOK_SAT);
    if (ps->i->sat && !(xk_opcode_traits(ps->p, ps->i->op) & XK_TRAIT_SAT))
        return xk_isa_parse_fail(ps, &sat, "%s does not saturate",
                                 xk_opcode_name(ps->i->op));
    at = ps->tok;
    if (at_indirect(ps, 0)) {
        xk_isa_parse_skip(ps);
        return parse_indirect(ps, o) && parse_dst_region(ps, o) &&
               xk_isa_parse_type(ps, &o->type);
    }
    if (!xk_isa_parse_reg(ps, o))
        return false;
    if (macro ? !parse_macro_register(ps, o)
              : !xk_isa_parse_sub(ps, &sub, &given))
        return false;
    return parse_dst_region(ps, o) && xk_isa_parse_type(ps, &o->type) &&
           (macro || set_sub(ps, &at, sub, o));
}

/* Regions of macros are not written. */
static void macro_region(const struct xk_parser *ps, unsigned n,
                         struct xk_operand *o)
{
    if (!xk_opcode_is_ternary(ps->i->op))
        o->rgn = (struct xk_region){ps->i->exec > 1, 1, 0};
    else if (n < 2)
        o->rgn = (struct xk_region){4, 0, 1};
    else
        o->rgn.hs = 1;
}

static bool parse_direct(struct xk_parser *ps, unsigned n, struct xk_operand *o)
{
    const struct xk_token at = ps->tok;
    unsigned sub = 0;
    bool given;

    if (!xk_isa_parse_reg(ps, o))
        return false;
    if (xk_math_is_macro(ps->i)) {
        macro_region(ps, n, o);
        return parse_macro_register(ps, o) && xk_isa_parse_type(ps, &o->type);
    }
    return xk_isa_parse_sub(ps, &sub, &given) &&
           parse_region(ps, n, given, o) && xk_isa_parse_type(ps, &o->type) &&
           set_sub(ps, &at, sub, o);
}

static bool parse_register_source(struct xk_parser *ps, unsigned n,
                                  struct xk_operand *o)
{
    const struct xk_token at = ps->tok;
    bool bar = false;

    o->neg = xk_isa_parse_accept(ps, '-') || xk_isa_parse_accept(ps, '~');
    if (xk_isa_parse_accept(ps, XK_TOK_ABS))
        o->abs = true;
    else if (xk_isa_parse_accept(ps, '|'))
        o->abs = bar = true;
    if ((o->neg || o->abs) &&
        !(xk_opcode_traits(ps->p, ps->i->op) & XK_TRAIT_SRCMOD))
        return xk_isa_parse_fail(ps, &at, "%s takes no source modifiers",
                                 xk_opcode_name(ps->i->op));
    if (at_indirect(ps, 0)) {
        xk_isa_parse_skip(ps);
        if (!parse_indirect(ps, o) || !parse_region(ps, n, false, o) ||
            !xk_isa_parse_type(ps, &o->type))
            return false;
    } else if (!parse_direct(ps, n, o)) {
        return false;
    }
    return !bar || xk_isa_parse_want(ps, '|', "'|' after the operand");
}

static bool parse_immediate(struct xk_parser *ps, struct xk_operand *o)
{
    struct xk_value v;

    o->file = XK_FILE_IMM;
    return xk_isa_parse_value(ps, &v) && xk_isa_parse_type(ps, &o->type) &&
           xk_value_imm(ps, &v, o->type, &o->imm);
}

/* mov takes the offset of a label, counted from the program's start. */
static bool parse_label_immediate(struct xk_parser *ps, struct xk_operand *o)
{
    const struct xk_token *const t = &ps->tok;

    ps->use[0] = (struct xk_label_use){t->s, t->n_b, t->line, t->col};
    o->file = XK_FILE_IMM;
    o->type = XK_RT_UD;
    xk_isa_parse_skip(ps);
    return ps->tok.kind != ':' || xk_isa_parse_type(ps, &o->type);
}

/* Tokens of source modifiers before the operand itself. */
static unsigned count_modifiers(const struct xk_parser *ps)
{
    struct xk_token t = ps->tok;
    unsigned n = t.kind == '-' || t.kind == '~';

    if (n)
        t = xk_isa_parse_peek(ps, n);
    return n + (t.kind == XK_TOK_ABS || t.kind == '|');
}

bool xk_isa_parse_src(struct xk_parser *ps, unsigned n)
{
    struct xk_operand *const o = &ps->i->src[n];
    const unsigned mods = count_modifiers(ps);
    const struct xk_token first = xk_isa_parse_peek(ps, mods);
    char what[40];

    if (xk_isa_parse_at_reg(&first))
        return parse_register_source(ps, n, o);
    if (xk_isa_parse_at_value(ps))
        return parse_immediate(ps, o);
    if (ps->i->op == XK_OPC_MOV && ps->labels && ps->tok.kind == XK_TOK_IDENT)
        return parse_label_immediate(ps, o);
    snprintf(what, sizeof(what), "source %u, a register or a number", n);
    return xk_isa_parse_expected(ps, what);
}

static bool sbid_set(struct xk_parser *ps, uint64_t *mask)
{
    unsigned sbid;

    xk_isa_parse_skip(ps);
    if (ps->tok.kind == ')') {
        xk_isa_parse_skip(ps);
        return true;
    }
    do {
        if (!xk_isa_parse_want(ps, '$', "'$' and an SBID") ||
            !xk_isa_parse_int(ps, "SBID", 31, &sbid)) /* the mask's bits */
            return false;
        *mask |= UINT64_C(1) << sbid;
    } while (xk_isa_parse_accept(ps, ','));
    return xk_isa_parse_want(ps, ')', "')'");
}

/* A flag that names the barrier of sync.bar; the type counts its halves. */
static bool sync_flag(struct xk_parser *ps, struct xk_operand *o)
{
    const struct xk_token at = ps->tok;
    unsigned sub;
    bool given;

    o->type = XK_RT_UB;
    if (!xk_isa_parse_reg(ps, o) || !xk_isa_parse_sub(ps, &sub, &given))
        return false;
    if (ps->tok.kind == ':' && !xk_isa_parse_type(ps, &o->type))
        return false;
    return set_sub(ps, &at, sub, o);
}

bool xk_isa_parse_sync_operand(struct xk_parser *ps)
{
    struct xk_operand *const o = &ps->i->src[0];
    const bool barrier =
        ps->i->sync_fn == XK_SYNC_BAR && ps->t->sync_bar_operand;
    const struct xk_token at = ps->tok, next = xk_isa_parse_peek(ps, 1);
    struct xk_value v;

    o->file = XK_FILE_ARF;
    if (xk_isa_parse_accept_word(ps, "null"))
        return xk_isa_parse_skip_type(ps);
    if (barrier && xk_isa_parse_at_reg(&at))
        return sync_flag(ps, o);
    if (!xk_isa_parse_at_value(ps))
        return true; /* nothing is as good as null */
    o->file = XK_FILE_IMM;
    o->type = XK_RT_UD;
    if (!barrier && ps->i->sync_fn != XK_SYNC_ALLRD &&
        ps->i->sync_fn != XK_SYNC_ALLWR)
        return xk_isa_parse_fail(ps, &at, "sync.%s takes no number",
                                 xk_sync_name(ps->i->sync_fn));
    if (!barrier && at.kind == '(' && (next.kind == '$' || next.kind == ')'))
        return sbid_set(ps, &o->imm);
    return xk_isa_parse_value(ps, &v) && xk_isa_parse_skip_type(ps) &&
           xk_value_imm(ps, &v, XK_RT_UD, &o->imm);
}

/* GRFs, and null as the addend. */
static bool parse_dpas_operand(struct xk_parser *ps, struct xk_operand *o)
{
    const struct xk_token at = ps->tok;
    unsigned sub;
    bool given;

    if (!xk_isa_parse_reg(ps, o))
        return false;
    if (o->file != XK_FILE_GRF &&
        (o->arf != XK_ARF_NULL || o != &ps->i->src[0]))
        return xk_isa_parse_fail(ps, &at, "'%.*s' in %s: need a GRF%s",
                                 (int)(at.n_b < 40 ? at.n_b : 40), at.s,
                                 xk_opcode_name(ps->i->op),
                                 o == &ps->i->src[0] ? " or null" : "");
    return xk_isa_parse_sub(ps, &sub, &given) &&
           xk_isa_parse_type(ps, &o->type) && set_sub(ps, &at, sub, o);
}

bool xk_isa_parse_dpas_operands(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;

    if (ps->tok.kind == XK_TOK_SAT)
        return xk_isa_parse_fail(ps, &ps->tok, "%s does not saturate",
                                 xk_opcode_name(i->op));
    return parse_dpas_operand(ps, &i->dst) &&
           parse_dpas_operand(ps, &i->src[0]) &&
           parse_dpas_operand(ps, &i->src[1]) &&
           parse_dpas_operand(ps, &i->src[2]);
}
