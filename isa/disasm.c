/* SPDX-License-Identifier: Apache-2.0 */
/* A whole program as text, in two passes. The first decodes and marks where
 * labels are, the second prints. Labels are where iga64 puts them: at the
 * start, at targets, behind each branch and behind the end of the thread. They
 * are named after their byte offset. A target that is not the start of an
 * instruction is printed as a number, which needs no label. */
#include "isa/disasm.h"

#include <string.h>

#include "isa/inst_print.h"

/* Labels and instructions start at multiples of 8 bytes. */
#define SLOT_B 8
#define INDENT 8 /* columns, as iga64 has them */

enum { SLOT_START = 1, SLOT_LABEL = 2 };

struct piece {
    size_t at_b, size_b;
    bool good;
    struct xk_inst inst;
};

struct disasm {
    xk_ctx *c;
    const struct xk_platform *p;
    const struct xk_disasm_opts *o;
    const uint8_t *code;
    size_t code_b;
    uint8_t *slot; /* SLOT_*, of each 8 bytes and of the end */
    struct piece *piece;
    size_t n_pieces;
    unsigned n_bad;
    struct xk_print_opts print;
    struct xk_printer w;
};

static void mark_label(struct disasm *d, int64_t at_b)
{
    if (at_b >= 0 && (uint64_t)at_b <= d->code_b && at_b % SLOT_B == 0)
        d->slot[at_b / SLOT_B] |= SLOT_LABEL;
}

static void mark_target_labels(struct disasm *d, const struct piece *s)
{
    const struct xk_inst *const i = &s->inst;
    const bool branch = xk_inst_is_branch(i);
    const int64_t base_b = i->op == XK_OPC_CALLA ? 0 : (int64_t)s->at_b;

    if (branch || i->send.eot)
        mark_label(d, (int64_t)(s->at_b + s->size_b));
    if (!branch || i->src[0].file != XK_FILE_NONE)
        return;
    mark_label(d, base_b + i->jip_b);
    if (xk_branch_shape(i->op) & XK_BR_UIP)
        mark_label(d, base_b + i->uip_b);
}

static void read_piece(struct disasm *d, struct piece *s, size_t at_b)
{
    struct xk_error err;

    s->at_b = at_b;
    s->good = xk_inst_decode(d->p, d->code + at_b, d->code_b - at_b, &s->inst,
                             &s->size_b, &err) == XK_OK;
    if (!s->size_b) /* the code ends inside an instruction */
        s->size_b = d->code_b - at_b;
    d->slot[at_b / SLOT_B] |= SLOT_START;
}

static void decode_pieces(struct disasm *d)
{
    size_t at_b = 0;

    mark_label(d, 0);
    while (at_b < d->code_b) {
        struct piece *const s = &d->piece[d->n_pieces++];

        read_piece(d, s, at_b);
        at_b += s->size_b;
        if (s->good)
            mark_target_labels(d, s);
    }
    if (d->code_b % SLOT_B == 0)
        d->slot[d->code_b / SLOT_B] |= SLOT_START;
}

static bool has_label(const struct disasm *d, int64_t at_b)
{
    return at_b >= 0 && (uint64_t)at_b <= d->code_b && at_b % SLOT_B == 0 &&
           d->slot[at_b / SLOT_B] == (SLOT_START | SLOT_LABEL);
}

static void print_label(void *user, int64_t at_b, struct xk_str *out)
{
    struct disasm *const d = user;
    struct xk_line l = {.n = 0};

    if (has_label(d, at_b)) {
        xk_put_c(&l, 'L');
        xk_put_i(&l, at_b);
    } else {
        /* one negative number behind another would read as a difference */
        xk_put_c(&l, '(');
        xk_put_i(&l, at_b - d->print.at_b);
        xk_put_c(&l, ')');
    }
    xk_str_write(out, l.s, l.n);
}

static void print_label_line(struct disasm *d, size_t at_b)
{
    if (d->o->numeric || !has_label(d, (int64_t)at_b))
        return;
    print_label(d, (int64_t)at_b, d->w.out);
    xk_str_write(d->w.out, ":\n", 2);
}

static void put_offset(struct xk_line *l, size_t at_b)
{
    xk_put_s(l, "/* ");
    xk_put_x(l, at_b, 4);
    xk_put_s(l, " */ ");
}

/* Why these bytes are none of the instructions, and the bytes. */
static void print_bad(struct disasm *d, const struct piece *s)
{
    struct xk_error err = {XK_OK, ""};
    struct xk_inst i;
    size_t used_b;

    xk_inst_decode(d->p, d->code + s->at_b, s->size_b, &i, &used_b, &err);
    xk_str_printf(d->w.out, "        // offset 0x%04zX: %s:", s->at_b,
                  err.message);
    for (size_t k = 0; k < s->size_b; k++)
        xk_str_printf(d->w.out, " %02X", d->code[s->at_b + k]);
    xk_str_write(d->w.out, "\n", 1);
    d->n_bad++;
}

/* Eight zero bytes behind the last instruction: the compiler's kernels end so,
 * and they are not printed. */
static bool is_tail(const struct disasm *d, const struct piece *s)
{
    static const uint8_t zero[SLOT_B];

    return s->size_b == SLOT_B && s->at_b + SLOT_B == d->code_b &&
           !memcmp(d->code + s->at_b, zero, SLOT_B);
}

static void print_piece(struct disasm *d, const struct piece *s)
{
    struct xk_line *const l = &d->w.l;

    print_label_line(d, s->at_b);
    if (!s->good && is_tail(d, s)) {
        xk_str_printf(d->w.out, "        // 8 bytes of padding\n");
        return;
    }
    if (!s->good) {
        print_bad(d, s);
        return;
    }
    if (d->o->offsets)
        put_offset(l, s->at_b);
    d->print.at_b = (int64_t)s->at_b;
    xk_print_inst(&d->w, &s->inst);
    xk_str_write(d->w.out, "\n", 1);
}

static void print_all(struct disasm *d, struct xk_str *out)
{
    d->print =
        (struct xk_print_opts){.ldst = d->o->ldst,
                               .bfn_numbers = d->o->bfn_numbers,
                               .plain_second = true,
                               .target = d->o->numeric ? NULL : print_label,
                               .target_user = d};
    d->w.p = d->p;
    d->w.t = xk_print_traits_get(d->p);
    d->w.o = &d->print;
    d->w.out = out;
    d->w.indent = INDENT;
    d->w.l.n = 0;
    for (size_t k = 0; k < d->n_pieces; k++)
        print_piece(d, &d->piece[k]);
    print_label_line(d, d->code_b);
}

unsigned xk_disassemble_code(xk_ctx *c, const struct xk_platform *p,
                             const uint8_t *code, size_t code_b,
                             const struct xk_disasm_opts *o, struct xk_str *out)
{
    struct disasm d = {.c = c, .p = p, .o = o, .code = code, .code_b = code_b};
    const size_t n_slots = code_b / SLOT_B + 1;

    d.slot = xk_malloc(c, n_slots);
    d.piece = xk_malloc(c, n_slots * sizeof(*d.piece));
    if (d.slot && d.piece) {
        memset(d.slot, 0, n_slots);
        decode_pieces(&d);
        print_all(&d, out);
    }
    xk_free(c, d.slot);
    xk_free(c, d.piece);
    if (out->failed)
        xk_fail(c, XK_ENOMEM, "out of memory");
    return d.n_bad;
}
