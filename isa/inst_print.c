/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction as text, in the syntax that iga64 writes and reads: the same
 * tokens, single spaces between them, no trailing comment. It departs from that
 * only on request: then a negative second branch offset is in parentheses,
 * because iga64 cannot read back what it prints there. Every record is printed,
 * even one that the encoder refuses. */
#include "isa/inst_print.h"

#include "base/alloc.h"

/* clang-format off */
static const char *const cond_names[16] = {
#define XK_COND_WORD(id, word) [XK_COND_##id] = word,
#include "isa/words.def"
};

static const char *const pred_names[] = {
    [XK_PRED_NONE] = "", [XK_PRED_NORMAL] = "",
#define XK_PRED_WORD(id, word) [XK_PRED_##id] = "." word,
#include "isa/words.def"
};

static const char *const sfids_xelp[16] = {
#define XK_SFID_WORD(number, xelp, lsc, message) xelp,
#include "isa/words.def"
};

static const char *const sfids_lsc[16] = {
#define XK_SFID_WORD(number, xelp, lsc, message) lsc,
#include "isa/words.def"
};

static const struct xk_print_traits traits[] = {
    [XK_PLATFORM_XELP] = {sfids_xelp, 1, .src1_len = false, .ldst = false},
    [XK_PLATFORM_XEHPG] = {sfids_lsc, 1, .src1_len = true, .ldst = true},
    [XK_PLATFORM_XEHPC] = {sfids_lsc, 2, .src1_len = true, .ldst = true},
};
/* clang-format on */

const struct xk_print_traits *xk_print_traits_get(const struct xk_platform *p)
{
    const unsigned id =
        p->id && p->id < XK_COUNTOF(traits) ? p->id : XK_PLATFORM_XEHPG;

    return &traits[id];
}

static void print_flag(struct xk_line *l, const struct xk_inst *i)
{
    xk_put_c(l, 'f');
    xk_put_u(l, i->flag_reg);
    xk_put_c(l, '.');
    xk_put_u(l, i->flag_sub);
}

void xk_print_pred(struct xk_line *l, const struct xk_inst *i)
{
    if (!i->pred && !i->no_mask)
        return;
    xk_put_c(l, '(');
    if (i->no_mask)
        xk_put_s(l, i->pred ? "W&" : "W");
    if (i->pred) {
        if (i->pred_inv)
            xk_put_c(l, '~');
        print_flag(l, i);
        xk_put_s(l,
                 i->pred < XK_COUNTOF(pred_names) ? pred_names[i->pred] : ".?");
    }
    xk_put_s(l, ") ");
}

static void print_bfn(const struct xk_printer *w, struct xk_line *l,
                      unsigned table)
{
    if (w->o->bfn_numbers) {
        xk_put_x(l, table, 2);
        return;
    }
    xk_put_c(l, '(');
    xk_put_s(l, xk_bfn_text(table));
    xk_put_c(l, ')');
}

/* What follows the opcode's name and a dot. */
static void print_function(const struct xk_printer *w, struct xk_line *l,
                           const struct xk_inst *i)
{
    const enum xk_format f = xk_opcode_format(i->op);
    const char *name = NULL;

    if (f == XK_FMT_SEND)
        name = w->t->sfid[i->send.sfid & 15];
    else if (f == XK_FMT_SYNC)
        name = xk_sync_name(i->sync_fn);
    else if (i->op == XK_OPC_MATH)
        name = xk_math_name(i->math_fn);
    xk_put_c(l, '.');
    if (f == XK_FMT_DPAS) {
        xk_put_u(l, i->sdepth);
        xk_put_c(l, 'x');
        xk_put_u(l, i->rcount);
    } else if (i->op == XK_OPC_BFN) {
        print_bfn(w, l, i->bfn);
    } else {
        xk_put_s(l, name ? name : "?");
    }
}

static void print_mnemonic(const struct xk_printer *w, struct xk_line *l,
                           const struct xk_inst *i)
{
    const enum xk_format f = xk_opcode_format(i->op);

    xk_put_s(l, xk_opcode_name(i->op));
    if (f == XK_FMT_SEND || f == XK_FMT_SYNC || f == XK_FMT_DPAS ||
        i->op == XK_OPC_MATH || i->op == XK_OPC_BFN)
        print_function(w, l, i);
    if (i->branch_ctrl)
        xk_put_s(l, ".b");
}

void xk_print_exec(struct xk_line *l, const struct xk_inst *i)
{
    const enum xk_format f = xk_opcode_format(i->op);

    if (f == XK_FMT_NULLARY || f == XK_FMT_SYNC ||
        (f == XK_FMT_BRANCH && xk_branch_shape(i->op) & XK_BR_SCALAR))
        return;
    xk_put_s(l, " (");
    xk_put_u(l, i->exec);
    xk_put_s(l, "|M");
    xk_put_u(l, i->chan_off);
    xk_put_c(l, ')');
}

static void print_cond(struct xk_line *l, const struct xk_inst *i)
{
    const char *const name = cond_names[i->cond & 15];

    if (!i->cond)
        return;
    xk_put_s(l, " (");
    xk_put_s(l, name ? name : "?");
    xk_put_c(l, ')');
    print_flag(l, i);
}

static void print_dpas_operands(struct xk_printer *w, const struct xk_inst *i)
{
    struct xk_line *const l = &w->l;
    static const uint8_t sub_byte_bits[] = {4, 4, 2, 2};

    for (int k = -1; k < 3; k++) {
        const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
        const bool sub = o->type >= XK_RT_U4 && o->type <= XK_RT_S2;

        xk_put_c(l, ' ');
        xk_print_reg_sub(w, o,
                         sub ? sub_byte_bits[o->type - XK_RT_U4]
                             : 8 * xk_reg_type_b(o->type),
                         k < 2);
        xk_put_c(l, ':');
        xk_put_s(l, xk_reg_type_name(o->type));
    }
}

static void print_exdesc(const struct xk_printer *w, struct xk_line *l,
                         const struct xk_send_info *s)
{
    const uint32_t len_bits = 0x7c0;
    const bool len_in_text = w->t->src1_len && !s->exdesc_reg;

    if (len_in_text || s->exbso) {
        xk_put_c(l, ':');
        xk_put_u(l, s->src1_len);
    }
    if (s->exdesc_reg) {
        xk_put_s(l, " a0.");
        xk_put_u(l, s->exdesc_sub);
    } else {
        xk_put_c(l, ' ');
        xk_put_x(l, len_in_text ? s->exdesc & ~len_bits : s->exdesc, 1);
    }
}

static void print_send_operands(const struct xk_printer *w, struct xk_line *l,
                                const struct xk_inst *i)
{
    const struct xk_send_info *const s = &i->send;

    xk_put_c(l, ' ');
    xk_print_reg(l, &i->dst);
    xk_put_c(l, ' ');
    xk_print_reg(l, &i->src[0]);
    xk_put_c(l, ' ');
    xk_print_reg(l, &i->src[1]);
    print_exdesc(w, l, s);
    if (s->desc_reg) {
        xk_put_s(l, " a0.0");
    } else {
        xk_put_c(l, ' ');
        xk_put_x(l, s->desc, 8);
    }
}

/* SBIDs to wait for. */
static void print_sbid_mask(struct xk_line *l, uint32_t mask)
{
    const char *sep = "$";

    xk_put_s(l, " (");
    for (unsigned k = 0; k < 32; k++) {
        if (mask >> k & 1) {
            xk_put_s(l, sep);
            xk_put_u(l, k);
            sep = ",$";
        }
    }
    xk_put_c(l, ')');
}

/* A mask, or a barrier's number: immediate or in a flag. */
static void print_sync_operand(struct xk_printer *w, const struct xk_inst *i)
{
    struct xk_line *const l = &w->l;
    const struct xk_operand *const o = &i->src[0];

    if (o->file == XK_FILE_IMM &&
        (i->sync_fn == XK_SYNC_ALLRD || i->sync_fn == XK_SYNC_ALLWR)) {
        print_sbid_mask(l, (uint32_t)o->imm);
    } else if (o->file == XK_FILE_IMM) {
        xk_put_c(l, ' ');
        xk_put_x(l, o->imm, 1);
    } else if (o->file == XK_FILE_ARF && o->arf != XK_ARF_NULL) {
        xk_put_c(l, ' ');
        xk_print_reg_sub(w, o, 8 * xk_reg_type_b(o->type), false);
        xk_put_c(l, ':');
        xk_put_s(l, xk_reg_type_name(o->type));
    } else {
        xk_put_s(l, " null");
    }
}

static void flush_line(struct xk_printer *w)
{
    xk_str_write(w->out, w->l.s, w->l.n);
    w->l.n = 0;
}

/* Offsets are relative to the branch; those of calla are relative to the
 * program. */
static void print_target(struct xk_printer *w, const struct xk_inst *i,
                         int32_t off_b, bool second)
{
    struct xk_line *const l = &w->l;
    /* "-16 -32" would read as a difference */
    const bool quote = second && off_b < 0 && w->o->plain_second;

    xk_put_c(l, ' ');
    if (w->o->target) {
        flush_line(w);
        w->o->target(w->o->target_user,
                     (i->op == XK_OPC_CALLA ? 0 : w->o->at_b) + off_b, w->out);
        return;
    }
    if (quote)
        xk_put_c(l, '(');
    xk_put_i(l, off_b);
    if (quote)
        xk_put_c(l, ')');
}

static void print_branch_operands(struct xk_printer *w, const struct xk_inst *i)
{
    const unsigned shape = xk_branch_shape(i->op);
    struct xk_line *const l = &w->l;

    if (shape & XK_BR_DST) {
        xk_put_c(l, ' ');
        xk_print_reg_sub(w, &i->dst, 32, false);
    }
    if (i->src[0].file != XK_FILE_NONE) {
        xk_put_c(l, ' ');
        xk_print_reg_sub(w, &i->src[0], 32, false);
        return;
    }
    print_target(w, i, i->jip_b, false);
    if (shape & XK_BR_UIP)
        print_target(w, i, i->uip_b, true);
}

static void print_operands(struct xk_printer *w, const struct xk_inst *i)
{
    unsigned n;

    switch (xk_opcode_format(i->op)) {
    case XK_FMT_BASIC:
    case XK_FMT_TERNARY:
        n = xk_inst_n_srcs(i);
        xk_print_dst(w, i);
        for (unsigned k = 0; k < n; k++)
            xk_print_src(w, i, k);
        break;
    case XK_FMT_SYNC:
        print_sync_operand(w, i);
        break;
    case XK_FMT_DPAS:
        print_dpas_operands(w, i);
        break;
    case XK_FMT_SEND:
        print_send_operands(w, &w->l, i);
        break;
    case XK_FMT_BRANCH:
        print_branch_operands(w, i);
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
static void print_option(struct xk_line *l, bool *any, const char *text)
{
    xk_put_s(l, *any ? "," : " {");
    xk_put_s(l, text);
    *any = true;
}

static void print_swsb(struct xk_line *l, bool *any, const struct xk_swsb *s)
{
    static const char *const pipe[] = {"@", "A@", "F@", "I@", "L@", "M@", "S@"};
    static const char *const mode[] = {"", "", ".dst", ".src"};

    if (s->dist) {
        print_option(l, any, s->pipe < XK_COUNTOF(pipe) ? pipe[s->pipe] : "?@");
        xk_put_u(l, s->dist);
    }
    if (s->mode) {
        print_option(l, any, "$");
        xk_put_u(l, s->sbid);
        xk_put_s(l, s->mode < XK_COUNTOF(mode) ? mode[s->mode] : ".?");
    }
    if (s->no_acc_sb)
        print_option(l, any, "NoAccSBSet");
}

static void print_options(struct xk_line *l, const struct xk_inst *i)
{
    const struct xk_send_info *const s = &i->send;
    static const char *const words[XK_N_OPTIONS] = {
#define XK_OPTION_WORD(id, word) [XK_OPTION_##id] = word,
#include "isa/words.def"
    };
    const bool on[XK_N_OPTIONS] = {
        [XK_OPTION_ACC_WR_EN] = i->acc_wr_en,
        [XK_OPTION_ATOMIC] = i->atomic,
        [XK_OPTION_DEBUG] = i->debug,
        [XK_OPTION_COMPACTED] = i->compacted,
        [XK_OPTION_EOT] = s->eot,
        [XK_OPTION_SERIALIZE] = s->fused_serialize,
        [XK_OPTION_EXBSO] = s->exbso,
    };
    bool any = false;

    for (unsigned k = 0; k < XK_N_OPTIONS; k++) {
        if (on[k])
            print_option(l, &any, words[k]);
    }
    print_swsb(l, &any, &i->swsb);
    if (any)
        xk_put_c(l, '}');
}

void xk_print_inst(struct xk_printer *w, const struct xk_inst *i)
{
    struct xk_line *const l = &w->l;
    const size_t mnemonic = l->n + w->indent;

    xk_print_pred(l, i);
    while (l->n < mnemonic)
        xk_put_c(l, ' ');
    if (!w->o->ldst || !w->t->ldst || i->op != XK_OPC_SEND ||
        !xk_print_message(l, w->p, i)) {
        print_mnemonic(w, l, i);
        xk_print_exec(l, i);
        print_cond(l, i);
        print_operands(w, i);
    }
    print_options(l, i);
    flush_line(w);
}

void xk_inst_print_as(const struct xk_platform *p, const struct xk_inst *i,
                      const struct xk_print_opts *o, struct xk_str *out)
{
    struct xk_printer w;

    w.p = p;
    w.t = xk_print_traits_get(p);
    w.o = o;
    w.out = out;
    w.indent = 0;
    w.l.n = 0;
    xk_print_inst(&w, i);
}

void xk_inst_print(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_str *out)
{
    static const struct xk_print_opts plain = {.bfn_numbers = true,
                                               .plain_second = true};

    xk_inst_print_as(p, i, &plain, out);
}
