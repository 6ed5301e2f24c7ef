/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/: the pieces of which the text of an instruction is made. All
 * of them write into a line of fixed size, which needs no call and no printf
 * for each token. The longest instruction needs less than half of it; what
 * would not fit is dropped. */
#ifndef XK_ISA_INST_PRINT_H
#define XK_ISA_INST_PRINT_H

#include "isa/format.h"

#define XK_LINE_MAX 640

struct xk_line {
    size_t n;
    char s[XK_LINE_MAX];
};

static inline void xk_put_c(struct xk_line *l, char ch)
{
    if (l->n < XK_LINE_MAX)
        l->s[l->n++] = ch;
}

static inline void xk_put_s(struct xk_line *l, const char *s)
{
    while (*s)
        xk_put_c(l, *s++);
}

static inline void xk_put_u(struct xk_line *l, uint64_t v)
{
    char digits[20];
    unsigned n = 0;

    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        xk_put_c(l, digits[--n]);
}

static inline void xk_put_i(struct xk_line *l, int64_t v)
{
    if (v < 0)
        xk_put_c(l, '-');
    xk_put_u(l, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* "0x", capital letters, at least min_digits. */
static inline void xk_put_x(struct xk_line *l, uint64_t v, unsigned min_digits)
{
    unsigned n = 1;

    while (n < 16 && v >> 4 * n)
        n++;
    if (n < min_digits)
        n = min_digits;
    xk_put_s(l, "0x");
    while (n--)
        xk_put_c(l, "0123456789ABCDEF"[v >> 4 * n & 15]);
}

/* What may stand in braces beside the scoreboard. */
enum xk_inst_option {
#define XK_OPTION_WORD(id, word) XK_OPTION_##id,
#include "isa/words.def"
    XK_N_OPTIONS
};

/* What the text of a platform differs in. */
struct xk_print_traits {
    const char *const *sfid; /* [16] */
    uint8_t raw_sub_b;       /* xk_raw_sub_bits, in bytes */
    bool src1_len; /* a send's second payload carries its length: r10:2 */
    bool ldst;     /* messages can be spelled out */
};
const struct xk_print_traits *xk_print_traits_get(const struct xk_platform *p);

/* An instruction on its way: text that is not in out yet is in l. */
struct xk_printer {
    const struct xk_platform *p;
    const struct xk_print_traits *t;
    const struct xk_print_opts *o;
    struct xk_str *out;
    unsigned indent; /* columns for predicates, so that mnemonics line up */
    struct xk_line l;
};
/* Appends what xk_inst_print_as appends; p and t may be prepared once for many
 * instructions, l.n must be 0 or count text that goes before it. */
void xk_print_inst(struct xk_printer *w, const struct xk_inst *i);

/* Bits by which the text counts subregisters of ce, msg, ip and fc, whatever
 * the type; 0: another register, it counts elements. */
unsigned xk_raw_sub_bits(const struct xk_print_traits *t,
                         const struct xk_operand *o);
/* The register without subregister: "r10", "acc2", "null". */
void xk_print_reg(struct xk_line *l, const struct xk_operand *o);
/* The same with a subregister counted in elements of elem_bits; zero is left
 * out if it is optional. */
void xk_print_reg_sub(struct xk_printer *w, const struct xk_operand *o,
                      unsigned elem_bits, bool optional);
void xk_print_dst(struct xk_printer *w, const struct xk_inst *i);
void xk_print_src(struct xk_printer *w, const struct xk_inst *i, unsigned n);
/* A floating-point immediate. */
void xk_print_float(struct xk_line *l, const struct xk_operand *o);
void xk_print_pred(struct xk_line *l, const struct xk_inst *i);
/* "(16|M0)", if the form has one. */
void xk_print_exec(struct xk_line *l, const struct xk_inst *i);

/* True and the text from the mnemonic to the last payload, if *i is a message
 * that iga64 spells out; else nothing is written. */
bool xk_print_message(struct xk_line *l, const struct xk_platform *p,
                      const struct xk_inst *i);

/* The function as iga64 writes it: "s0&s1|s2"; table bit s0 + 2*s1 + 4*s2. */
const char *xk_bfn_text(unsigned table);

#endif
