/* SPDX-License-Identifier: Apache-2.0 */
/* Operands as text: registers, regions, types, integer immediates. */
#include "isa/inst_print.h"

static bool is_indexed(const struct xk_operand *o)
{
    if (o->file == XK_FILE_ARF && o->arf <= XK_ARF_MME)
        return xk_arf_rows[o->arf].indexed;
    return o->file != XK_FILE_NONE;
}

static bool has_sub(const struct xk_operand *o)
{
    if (o->file == XK_FILE_ARF && o->arf <= XK_ARF_MME)
        return xk_arf_rows[o->arf].sub;
    return o->file != XK_FILE_NONE;
}

void xk_print_reg(struct xk_line *l, const struct xk_operand *o)
{
    if (o->file == XK_FILE_GRF)
        xk_put_c(l, 'r');
    else if (o->file == XK_FILE_ARF && o->arf <= XK_ARF_MME)
        xk_put_s(l, xk_arf_rows[o->arf].text);
    else
        xk_put_s(l, o->file == XK_FILE_TILE   ? "t"
                    : o->file == XK_FILE_NONE ? "null"
                                              : "?");
    if (is_indexed(o))
        xk_put_u(l, o->reg);
}

unsigned xk_raw_sub_bits(const struct xk_print_traits *t,
                         const struct xk_operand *o)
{
    const bool raw = o->file == XK_FILE_ARF &&
                     (o->arf == XK_ARF_CE || o->arf == XK_ARF_MSG ||
                      o->arf == XK_ARF_IP || o->arf == XK_ARF_FC);

    return raw ? t->raw_sub_b * 8u : 0;
}

void xk_print_reg_sub(struct xk_printer *w, const struct xk_operand *o,
                      unsigned elem_bits, bool optional)
{
    struct xk_line *const l = &w->l;
    const unsigned raw = xk_raw_sub_bits(w->t, o);
    const unsigned sub =
        elem_bits ? o->sub_b * 8u / (raw ? raw : elem_bits) : 0;

    xk_print_reg(l, o);
    if (elem_bits && (sub || (has_sub(o) && !optional))) {
        xk_put_c(l, '.');
        xk_put_u(l, sub);
    }
}

static void print_indirect(struct xk_line *l, const struct xk_operand *o)
{
    xk_put_s(l, "r[a0.");
    xk_put_u(l, o->a0_sub);
    if (o->a0_off_b) {
        xk_put_c(l, ',');
        xk_put_i(l, o->a0_off_b);
    }
    xk_put_c(l, ']');
}

static void print_operand_type(struct xk_line *l, const struct xk_operand *o)
{
    xk_put_c(l, ':');
    xk_put_s(l, xk_reg_type_name(o->type));
}

static void print_immediate(struct xk_line *l, const struct xk_operand *o)
{
    switch (o->type) {
    case XK_RT_B:
        xk_put_i(l, (int8_t)o->imm);
        break;
    case XK_RT_W:
        xk_put_i(l, (int16_t)o->imm);
        break;
    case XK_RT_D:
        xk_put_i(l, (int32_t)o->imm);
        break;
    case XK_RT_Q:
        xk_put_i(l, (int64_t)o->imm);
        break;
    case XK_RT_HF:
    case XK_RT_F:
    case XK_RT_DF:
        xk_print_float(l, o);
        break;
    default:
        xk_put_x(l, o->imm, 1);
        break;
    }
    print_operand_type(l, o);
}

/* Math macros name an extended accumulator where others have a subregister. */
static void print_macro(struct xk_line *l, const struct xk_operand *o)
{
    xk_print_reg(l, o);
    if (o->sub_b < 8) {
        xk_put_s(l, ".mme");
        xk_put_u(l, o->sub_b);
    } else {
        xk_put_s(l, ".nomme");
    }
}

static void print_direct(struct xk_printer *w, const struct xk_operand *o)
{
    if (o->indirect)
        print_indirect(&w->l, o);
    else
        xk_print_reg_sub(w, o, 8 * xk_reg_type_b(o->type), false);
}

void xk_print_dst(struct xk_printer *w, const struct xk_inst *i)
{
    const struct xk_operand *const o = &i->dst;
    const bool macro = xk_math_is_macro(i);
    struct xk_line *const l = &w->l;

    xk_put_s(l, i->sat ? " (sat)" : " ");
    if (macro)
        print_macro(l, o);
    else
        print_direct(w, o);
    if (!macro || o->rgn.hs != 1) {
        xk_put_c(l, '<');
        xk_put_u(l, o->rgn.hs);
        xk_put_c(l, '>');
    }
    print_operand_type(l, o);
}

static void print_region(struct xk_line *l, const struct xk_inst *i, unsigned n)
{
    const struct xk_region *const r = &i->src[n].rgn;
    const bool ternary = xk_opcode_is_ternary(i->op);
    const bool has_vs = ternary ? n < 2 : r->vs != XK_VS_VXH;

    xk_put_c(l, '<');
    if (has_vs) {
        xk_put_u(l, r->vs);
        xk_put_c(l, ';');
    }
    if (!ternary) {
        xk_put_u(l, r->width);
        xk_put_c(l, ',');
    }
    xk_put_u(l, r->hs);
    xk_put_c(l, '>');
}

static bool is_bitwise(enum xk_opcode op)
{
    return op == XK_OPC_NOT || op == XK_OPC_AND || op == XK_OPC_OR ||
           op == XK_OPC_XOR;
}

void xk_print_src(struct xk_printer *w, const struct xk_inst *i, unsigned n)
{
    const struct xk_operand *const o = &i->src[n];
    struct xk_line *const l = &w->l;

    xk_put_c(l, ' ');
    if (o->file == XK_FILE_IMM) {
        print_immediate(l, o);
        return;
    }
    if (o->neg)
        xk_put_c(l, is_bitwise(i->op) && !o->abs ? '~' : '-');
    if (o->abs)
        xk_put_s(l, "(abs)");
    if (xk_math_is_macro(i)) {
        print_macro(l, o);
    } else {
        print_direct(w, o);
        print_region(l, i, n);
    }
    print_operand_type(l, o);
}
