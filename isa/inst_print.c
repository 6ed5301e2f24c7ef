/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction as text, in the syntax iga64 writes and reads: the same
 * tokens, single spaces between them, no trailing comment. Two departures: a
 * bfn function is a number, and a negative second target stands in parentheses
 * because iga64 cannot read back what it prints there. Prints every record,
 * also one the encoder refuses. */
#include "isa/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/half.h"

/* clang-format off */
static const char *const cond_names[16] = {
    [XK_COND_EQ] = "eq", [XK_COND_NE] = "ne", [XK_COND_GT] = "gt",
    [XK_COND_GE] = "ge", [XK_COND_LT] = "lt", [XK_COND_LE] = "le",
    [XK_COND_OV] = "ov", [XK_COND_UN] = "un", [XK_COND_EO] = "eo",
};

static const char *const pred_names[] = {
    [XK_PRED_NONE] = "",         [XK_PRED_NORMAL] = "",
    [XK_PRED_ANYV] = ".anyv",    [XK_PRED_ALLV] = ".allv",
    [XK_PRED_ANY2H] = ".any2h",  [XK_PRED_ALL2H] = ".all2h",
    [XK_PRED_ANY4H] = ".any4h",  [XK_PRED_ALL4H] = ".all4h",
    [XK_PRED_ANY8H] = ".any8h",  [XK_PRED_ALL8H] = ".all8h",
    [XK_PRED_ANY16H] = ".any16h", [XK_PRED_ALL16H] = ".all16h",
    [XK_PRED_ANY32H] = ".any32h", [XK_PRED_ALL32H] = ".all32h",
    [XK_PRED_ANY] = ".any",      [XK_PRED_ALL] = ".all",
};

static const char *const sfid_names[16] = {
    "null", "ugml", "smpl", "gtwy", "dc2",  "rc",  "urb", "btd",
    "rta",  "dcro", "dc0",  "pixi", "dc1", "tgm", "slm", "ugm",
};

/* clang-format on */

static void print_pred(struct xk_str *b, const struct xk_inst *i)
{
    if (!i->pred && !i->no_mask)
        return;
    xk_str_putc(b, '(');
    if (i->no_mask)
        xk_str_puts(b, i->pred ? "W&" : "W");
    if (i->pred)
        xk_str_printf(
            b, "%sf%u.%u%s", i->pred_inv ? "~" : "", i->flag_reg, i->flag_sub,
            i->pred < XK_COUNTOF(pred_names) ? pred_names[i->pred] : ".?");
    xk_str_puts(b, ") ");
}

static void print_mnemonic(struct xk_str *b, const struct xk_inst *i)
{
    const char *sub = NULL;

    xk_str_puts(b, xk_opcode_name(i->op));
    switch (xk_opcode_format(i->op)) {
    case XK_FMT_SYNC:
        sub = xk_sync_name(i->sync_fn);
        xk_str_printf(b, ".%s", sub ? sub : "?");
        break;
    case XK_FMT_DPAS:
        xk_str_printf(b, ".%ux%u", i->sdepth, i->rcount);
        break;
    case XK_FMT_SEND:
        xk_str_printf(b, ".%s", sfid_names[i->send.sfid & 15]);
        break;
    default:
        break;
    }
    if (i->op == XK_OPC_MATH) {
        sub = xk_math_name(i->math_fn);
        xk_str_printf(b, ".%s", sub ? sub : "?");
    } else if (i->op == XK_OPC_BFN) {
        xk_str_printf(b, ".0x%02X", i->bfn);
    }
    if (i->branch_ctrl)
        xk_str_puts(b, ".b");
}

/* Execution size and condition; absent where the form has none. */
static void print_exec(struct xk_str *b, const struct xk_inst *i)
{
    const enum xk_format f = xk_opcode_format(i->op);

    if (f == XK_FMT_NULLARY || f == XK_FMT_SYNC ||
        (f == XK_FMT_BRANCH && xk_branch_shape(i->op) & XK_BR_SCALAR))
        return;
    xk_str_printf(b, " (%u|M%u)", i->exec, i->chan_off);
    if (i->cond) {
        const char *const name = cond_names[i->cond & 15];

        xk_str_printf(b, " (%s)f%u.%u", name ? name : "?", i->flag_reg,
                      i->flag_sub);
    }
}

/* The register's name; subregister in elements of elem_bits, omitted if that is
 * 0 or if it is zero and optional. */
static void print_reg(struct xk_str *b, const struct xk_operand *o,
                      unsigned elem_bits, bool optional)
{
    const unsigned sub = elem_bits ? o->sub_b * 8u / elem_bits : 0;
    bool indexed = true;

    if (o->file == XK_FILE_ARF && o->arf <= XK_ARF_MME) {
        indexed = xk_arf_rows[o->arf].indexed;
        xk_str_puts(b, xk_arf_rows[o->arf].text);
    } else {
        xk_str_puts(b, o->file == XK_FILE_GRF    ? "r"
                       : o->file == XK_FILE_TILE ? "t"
                       : o->file == XK_FILE_NONE ? "null"
                                                 : "?");
        indexed = o->file != XK_FILE_NONE;
    }
    if (indexed)
        xk_str_printf(b, "%u", o->reg);
    if (elem_bits && (sub || (indexed && !optional)))
        xk_str_printf(b, ".%u", sub);
}

static void print_indirect(struct xk_str *b, const struct xk_operand *o)
{
    if (o->a0_off_b)
        xk_str_printf(b, "r[a0.%u,%d]", o->a0_sub, o->a0_off_b);
    else
        xk_str_printf(b, "r[a0.%u]", o->a0_sub);
}

/* value as %g or %.6e, if that reads back as the same number. */
static bool try_format(char *text, size_t cap, bool long_form, double value,
                       bool single)
{
    double back;
    char *comma;

    snprintf(text, cap, long_form ? "%.6e" : "%g", value);
    back = single ? (double)strtof(text, NULL) : strtod(text, NULL);
    comma = strchr(text, ','); /* some locales */
    if (comma)
        *comma = '.';
    return memcmp(&back, &value, sizeof(back)) == 0;
}

/* Six digits, seven digits or the bits: the first that reads back as the same
 * number. single: it is read back as a float. */
static void print_number(struct xk_str *b, double value, bool single,
                         uint64_t bits)
{
    char text[40];

    if (try_format(text, sizeof(text), false, value, single)) {
        xk_str_puts(b, text);
        if (!strpbrk(text, ".e"))
            xk_str_puts(b, ".0");
    } else if (try_format(text, sizeof(text), true, value, single)) {
        xk_str_puts(b, text);
    } else {
        xk_str_printf(b, "0x%llX", (unsigned long long)bits);
    }
}

/* n_bits wide, of which frac_bits fraction. */
static void print_float_bits(struct xk_str *b, uint64_t bits, unsigned n_bits,
                             unsigned frac_bits, double value)
{
    const uint64_t frac = bits & ((UINT64_C(1) << frac_bits) - 1);
    const uint64_t quiet = UINT64_C(1) << (frac_bits - 1);
    const char *const sign = bits >> (n_bits - 1) & 1 ? "-" : "";

    if (isinf(value))
        xk_str_printf(b, "%sinf", sign);
    else if (isnan(value))
        xk_str_printf(b, "%s%cnan(0x%llX)", sign, frac & quiet ? 'q' : 's',
                      (unsigned long long)(frac & ~quiet));
    else
        print_number(b, value, n_bits != 64, bits);
}

static void print_float(struct xk_str *b, const struct xk_operand *o)
{
    const uint32_t bits = (uint32_t)o->imm;
    double wide;
    float f;

    if (o->type == XK_RT_HF) {
        print_float_bits(b, bits & 0xffff, 16, 10,
                         (double)xk_half_to_float((uint16_t)bits));
    } else if (o->type == XK_RT_DF) {
        memcpy(&wide, &o->imm, sizeof(wide));
        print_float_bits(b, o->imm, 64, 52, wide);
    } else {
        memcpy(&f, &bits, sizeof(f));
        print_float_bits(b, bits, 32, 23, (double)f);
    }
}

static void print_imm(struct xk_str *b, const struct xk_operand *o)
{
    switch (o->type) {
    case XK_RT_W:
        xk_str_printf(b, "%d", (int16_t)o->imm);
        break;
    case XK_RT_D:
        xk_str_printf(b, "%d", (int32_t)o->imm);
        break;
    case XK_RT_Q:
        xk_str_printf(b, "%lld", (long long)(int64_t)o->imm);
        break;
    case XK_RT_HF:
    case XK_RT_F:
    case XK_RT_DF:
        print_float(b, o);
        break;
    default:
        xk_str_printf(b, "0x%llX", (unsigned long long)o->imm);
        break;
    }
}

static void print_type(struct xk_str *b, const struct xk_operand *o)
{
    xk_str_printf(b, ":%s", xk_reg_type_name(o->type));
}

/* Math macros name an extended accumulator where others have a subregister. */
static void print_macro_operand(struct xk_str *b, const struct xk_operand *o)
{
    print_reg(b, o, 0, true);
    if (o->sub_b < 8)
        xk_str_printf(b, ".mme%u", o->sub_b);
    else
        xk_str_puts(b, ".nomme");
    print_type(b, o);
}

static bool is_bitwise(enum xk_opcode op)
{
    return op == XK_OPC_NOT || op == XK_OPC_AND || op == XK_OPC_OR ||
           op == XK_OPC_XOR;
}

static void print_dst(struct xk_str *b, const struct xk_inst *i)
{
    const struct xk_operand *const o = &i->dst;

    xk_str_puts(b, i->sat ? " (sat)" : " ");
    if (xk_math_is_macro(i)) {
        print_macro_operand(b, o);
        return;
    }
    if (o->indirect)
        print_indirect(b, o);
    else
        print_reg(b, o, 8 * xk_reg_type_b(o->type), false);
    xk_str_printf(b, "<%u>", o->rgn.hs);
    print_type(b, o);
}

static void print_region(struct xk_str *b, const struct xk_inst *i, unsigned n)
{
    const struct xk_region *const r = &i->src[n].rgn;

    if (xk_opcode_format(i->op) == XK_FMT_TERNARY) {
        if (n == 2)
            xk_str_printf(b, "<%u>", r->hs);
        else
            xk_str_printf(b, "<%u;%u>", r->vs, r->hs);
    } else if (r->vs == XK_VS_VXH) {
        xk_str_printf(b, "<%u,%u>", r->width, r->hs);
    } else {
        xk_str_printf(b, "<%u;%u,%u>", r->vs, r->width, r->hs);
    }
}

static void print_src(struct xk_str *b, const struct xk_inst *i, unsigned n)
{
    const struct xk_operand *const o = &i->src[n];

    xk_str_putc(b, ' ');
    if (o->file == XK_FILE_IMM) {
        print_imm(b, o);
        print_type(b, o);
        return;
    }
    if (o->neg)
        xk_str_putc(b, is_bitwise(i->op) && !o->abs ? '~' : '-');
    if (o->abs)
        xk_str_puts(b, "(abs)");
    if (xk_math_is_macro(i)) {
        print_macro_operand(b, o);
        return;
    }
    if (o->indirect)
        print_indirect(b, o);
    else
        print_reg(b, o, 8 * xk_reg_type_b(o->type), false);
    print_region(b, i, n);
    print_type(b, o);
}

static void print_dpas_operands(struct xk_str *b, const struct xk_inst *i)
{
    static const uint8_t sub_byte_bits[] = {4, 4, 2, 2};

    for (int k = -1; k < 3; k++) {
        const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
        const bool sub = o->type >= XK_RT_U4 && o->type <= XK_RT_S2;

        xk_str_putc(b, ' ');
        print_reg(b, o,
                  sub ? sub_byte_bits[o->type - XK_RT_U4]
                      : 8 * xk_reg_type_b(o->type),
                  k < 2);
        print_type(b, o);
    }
}

static void print_send_operands(struct xk_str *b, const struct xk_inst *i)
{
    const struct xk_send_info *const s = &i->send;

    xk_str_putc(b, ' ');
    print_reg(b, &i->dst, 0, true);
    xk_str_putc(b, ' ');
    print_reg(b, &i->src[0], 0, true);
    xk_str_putc(b, ' ');
    print_reg(b, &i->src[1], 0, true);
    if (!s->exdesc_reg || s->exbso)
        xk_str_printf(b, ":%u", s->src1_len);
    if (s->exdesc_reg)
        xk_str_printf(b, " a0.%u", s->exdesc_sub);
    else
        xk_str_printf(b, " 0x%X", s->exdesc & ~0x7c0u);
    if (s->desc_reg)
        xk_str_puts(b, " a0.0");
    else
        xk_str_printf(b, " 0x%08X", s->desc);
}

static void print_sync_operand(struct xk_str *b, const struct xk_inst *i)
{
    const uint32_t mask = (uint32_t)i->src[0].imm;
    const char *sep = "";

    if (i->src[0].file != XK_FILE_IMM) {
        xk_str_puts(b, " null");
        return;
    }
    xk_str_puts(b, " (");
    for (unsigned k = 0; k < 32; k++) {
        if (mask >> k & 1) {
            xk_str_printf(b, "%s$%u", sep, k);
            sep = ",";
        }
    }
    xk_str_putc(b, ')');
}

static void print_branch_operands(struct xk_str *b, const struct xk_inst *i)
{
    const unsigned shape = xk_branch_shape(i->op);

    if (shape & XK_BR_DST) {
        xk_str_putc(b, ' ');
        print_reg(b, &i->dst, 32, false);
    }
    xk_str_putc(b, ' ');
    if (i->src[0].file != XK_FILE_NONE) {
        print_reg(b, &i->src[0], 32, false);
        return;
    }
    xk_str_printf(b, "%d", i->jip_b);
    /* "-16 -32" would read as a difference */
    if (shape & XK_BR_UIP)
        xk_str_printf(b, i->uip_b < 0 ? " (%d)" : " %d", i->uip_b);
}

static void print_operands(struct xk_str *b, const struct xk_inst *i)
{
    unsigned n;

    switch (xk_opcode_format(i->op)) {
    case XK_FMT_BASIC:
    case XK_FMT_TERNARY:
        n = xk_inst_n_srcs(i);
        print_dst(b, i);
        for (unsigned k = 0; k < n; k++)
            print_src(b, i, k);
        break;
    case XK_FMT_SYNC:
        print_sync_operand(b, i);
        break;
    case XK_FMT_DPAS:
        print_dpas_operands(b, i);
        break;
    case XK_FMT_SEND:
        print_send_operands(b, i);
        break;
    case XK_FMT_BRANCH:
        print_branch_operands(b, i);
        break;
    case XK_FMT_NULLARY:
    case XK_FMT_HEADER:
    case XK_FMT_COMPACT2:
    case XK_FMT_COMPACT3:
    case XK_N_FORMATS:
        break;
    }
}

/* One {option}; the first opens the braces. */
static void print_option(struct xk_str *b, bool *any, const char *text)
{
    xk_str_puts(b, *any ? "," : " {");
    xk_str_puts(b, text);
    *any = true;
}

static void print_swsb(struct xk_str *b, bool *any, const struct xk_swsb *s)
{
    static const char *const pipe[] = {"", "A", "F", "I", "L", "M", "S"};
    static const char *const mode[] = {"", "", ".dst", ".src"};
    char text[32];

    if (s->dist) {
        snprintf(text, sizeof(text), "%s@%u",
                 s->pipe < XK_COUNTOF(pipe) ? pipe[s->pipe] : "?", s->dist);
        print_option(b, any, text);
    }
    if (s->mode) {
        snprintf(text, sizeof(text), "$%u%s", s->sbid,
                 s->mode < XK_COUNTOF(mode) ? mode[s->mode] : ".?");
        print_option(b, any, text);
    }
    if (s->no_acc_sb)
        print_option(b, any, "NoAccSBSet");
}

static void print_options(struct xk_str *b, const struct xk_inst *i)
{
    const struct xk_send_info *const s = &i->send;
    const struct {
        bool on;
        const char *text;
    } options[] = {
        {i->acc_wr_en, "AccWrEn"}, {i->atomic, "Atomic"},
        {i->debug, "Breakpoint"},  {i->compacted, "Compacted"},
        {s->eot, "EOT"},           {s->fused_serialize, "Serialize"},
        {s->exbso, "ExBSO"},
    };
    bool any = false;

    for (unsigned k = 0; k < XK_COUNTOF(options); k++) {
        if (options[k].on)
            print_option(b, &any, options[k].text);
    }
    print_swsb(b, &any, &i->swsb);
    if (any)
        xk_str_putc(b, '}');
}

void xk_inst_print(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_str *out)
{
    (void)p; /* the syntax is the same on all platforms so far */
    print_pred(out, i);
    print_mnemonic(out, i);
    print_exec(out, i);
    print_operands(out, i);
    print_options(out, i);
}
