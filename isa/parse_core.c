/* SPDX-License-Identifier: Apache-2.0 */
/* What all parts of the parser use: tokens, errors with their place, names of
 * registers, flags and types. */
#include "isa/parse_core.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

bool xk_isa_parse_fail_at(struct xk_parser *ps, enum xk_status status,
                          uint32_t line, uint32_t col, const char *fmt, ...)
{
    char words[420];
    va_list ap;

    if (ps->status < 0)
        return false;
    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    ps->status = status;
    xk_isa_fail(ps->err, status, "%.200s%s%u:%u: %.270s",
                ps->file ? ps->file : "", ps->file ? ":" : "", line, col,
                words);
    return false;
}

bool xk_isa_parse_fail(struct xk_parser *ps, const struct xk_token *at,
                       const char *fmt, ...)
{
    char words[420];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    return xk_isa_parse_fail_at(ps, XK_EPARSE, at->line, at->col, "%s", words);
}

bool xk_isa_parse_expected(struct xk_parser *ps, const char *what)
{
    const struct xk_token *const t = &ps->tok;
    const int n = t->n_b < 40 ? (int)t->n_b : 40;

    switch (t->kind) {
    case XK_TOK_END:
        return xk_isa_parse_fail(ps, t, "expected %s, found the end", what);
    case XK_TOK_NEWLINE:
        return xk_isa_parse_fail(
            ps, t, "expected %s, found the end of the line", what);
    case XK_TOK_BAD:
        return xk_isa_parse_fail(ps, t, "%s: '%.*s'", t->bad,
                                 t->n_b && (uint8_t)t->s[0] < 0x80 ? n : 0,
                                 t->s);
    default:
        return xk_isa_parse_fail(ps, t, "expected %s, found '%.*s'", what, n,
                                 t->s);
    }
}

void xk_isa_parse_skip(struct xk_parser *ps)
{
    xk_lex_next(&ps->lex, &ps->tok);
}

struct xk_token xk_isa_parse_peek(const struct xk_parser *ps, unsigned n)
{
    struct xk_lexer ahead = ps->lex;
    struct xk_token t = ps->tok;

    while (n--)
        xk_lex_next(&ahead, &t);
    return t;
}

bool xk_isa_parse_accept(struct xk_parser *ps, unsigned kind)
{
    if (ps->tok.kind != kind)
        return false;
    xk_isa_parse_skip(ps);
    return true;
}

bool xk_isa_parse_accept_word(struct xk_parser *ps, const char *word)
{
    if (!xk_isa_token_is(&ps->tok, word))
        return false;
    xk_isa_parse_skip(ps);
    return true;
}

bool xk_isa_parse_want(struct xk_parser *ps, unsigned kind, const char *what)
{
    return xk_isa_parse_accept(ps, kind) || xk_isa_parse_expected(ps, what);
}

bool xk_isa_parse_int(struct xk_parser *ps, const char *what, unsigned max,
                      unsigned *out)
{
    if (ps->tok.kind != XK_TOK_INT)
        return xk_isa_parse_expected(ps, what);
    if (ps->tok.value > max)
        return xk_isa_parse_fail(ps, &ps->tok, "%s %llu: need 0..%u", what,
                                 (unsigned long long)ps->tok.value, max);
    *out = (unsigned)ps->tok.value;
    xk_isa_parse_skip(ps);
    return true;
}

/* Splits "acc12" into letters and number; false if it is neither that nor
 * letters alone, or the number is beyond all register files. */
static bool split_name(const struct xk_token *t, size_t *letters, unsigned *nr,
                       bool *numbered)
{
    size_t k = 0;

    while (k < t->n_b && (t->s[k] < '0' || t->s[k] > '9'))
        k++;
    *letters = k;
    *numbered = k < t->n_b;
    for (*nr = 0; k < t->n_b; k++) {
        if (t->s[k] < '0' || t->s[k] > '9')
            return false;
        if (*nr < 100000)
            *nr = *nr * 10 + (unsigned)(t->s[k] - '0');
    }
    return *letters > 0;
}

/* The row of the name's letters; XK_ARF_MME + 1 for "r", beyond: none. */
static unsigned find_file(const struct xk_token *t, size_t letters)
{
    unsigned k = 0;

    if (letters == 1 && t->s[0] == 'r')
        return XK_ARF_MME + 1;
    while (k <= XK_ARF_MME && (strlen(xk_arf_rows[k].text) != letters ||
                               memcmp(xk_arf_rows[k].text, t->s, letters)))
        k++;
    return k <= XK_ARF_MME ? k : XK_ARF_MME + 2;
}

bool xk_isa_parse_at_reg(const struct xk_token *t)
{
    size_t letters;
    unsigned nr, file;
    bool numbered;

    if (t->kind != XK_TOK_IDENT || !split_name(t, &letters, &nr, &numbered))
        return false;
    file = find_file(t, letters);
    if (file > XK_ARF_MME + 1)
        return false;
    /* "r" alone begins an indirect operand, "a", "f" and so on are labels */
    return numbered || file == XK_ARF_MME + 1 || !xk_arf_rows[file].indexed;
}

static bool check_number(struct xk_parser *ps, unsigned file, unsigned nr,
                         struct xk_operand *o)
{
    unsigned n = 256;

    if (file == XK_ARF_MME + 1) {
        o->file = XK_FILE_GRF;
    } else {
        o->file = XK_FILE_ARF;
        o->arf = (uint8_t)file;
        n = ps->t->n_arf[file];
    }
    if (!n)
        return xk_isa_parse_fail(ps, &ps->tok,
                                 "register '%s': %s has none of "
                                 "this kind",
                                 xk_arf_rows[file].text, ps->p->name);
    if (nr >= n)
        return xk_isa_parse_fail(ps, &ps->tok,
                                 "register '%.*s': %s has %u registers of this "
                                 "kind, 0..%u",
                                 (int)(ps->tok.n_b < 40 ? ps->tok.n_b : 40),
                                 ps->tok.s, ps->p->name, n, n - 1);
    o->reg = (uint16_t)nr;
    return true;
}

bool xk_isa_parse_reg(struct xk_parser *ps, struct xk_operand *o)
{
    size_t letters;
    unsigned nr;
    bool numbered;

    if (!xk_isa_parse_at_reg(&ps->tok) ||
        !split_name(&ps->tok, &letters, &nr, &numbered))
        return xk_isa_parse_expected(ps, "a register");
    if (!check_number(ps, find_file(&ps->tok, letters), nr, o))
        return false;
    xk_isa_parse_skip(ps);
    return true;
}

/* Other names of types, beside those of the printer's table. */
static const struct {
    const char *text;
    uint8_t type;
} type_synonyms[] = {
    {"u8", XK_RT_UB},  {"u16", XK_RT_UW}, {"u32", XK_RT_UD}, {"u64", XK_RT_UQ},
    {"s8", XK_RT_B},   {"s16", XK_RT_W},  {"s32", XK_RT_D},  {"s64", XK_RT_Q},
    {"f16", XK_RT_HF}, {"f32", XK_RT_F},  {"f64", XK_RT_DF}, {"bf16", XK_RT_BF},
};

/* XK_N_REG_TYPES: none. */
static unsigned type_of_token(const struct xk_token *t)
{
    for (unsigned k = 0; k < XK_N_REG_TYPES; k++) {
        if (xk_isa_token_is(t, xk_reg_type_name(k)))
            return k;
    }
    for (unsigned k = 0; k < XK_COUNTOF(type_synonyms); k++) {
        if (xk_isa_token_is(t, type_synonyms[k].text))
            return type_synonyms[k].type;
    }
    return XK_N_REG_TYPES;
}

bool xk_isa_parse_type(struct xk_parser *ps, uint8_t *type)
{
    unsigned found;

    if (!xk_isa_parse_want(ps, ':', "a type such as ':ud'"))
        return false;
    found = type_of_token(&ps->tok);
    if (found == XK_N_REG_TYPES)
        return xk_isa_parse_expected(ps, "the name of a type");
    if (!xk_isa_parse_exists(ps, &ps->tok, XK_THING_TYPE, found))
        return false;
    *type = (uint8_t)found;
    xk_isa_parse_skip(ps);
    return true;
}

bool xk_isa_parse_skip_type(struct xk_parser *ps)
{
    uint8_t ignored;
    const struct xk_token next = xk_isa_parse_peek(ps, 1);

    if (ps->tok.kind != ':' || next.kind != XK_TOK_IDENT)
        return true;
    return xk_isa_parse_type(ps, &ignored);
}

bool xk_isa_parse_sub(struct xk_parser *ps, unsigned *sub, bool *given)
{
    *sub = 0;
    *given = xk_isa_parse_accept(ps, '.');
    return !*given || xk_isa_parse_int(ps, "subregister", 1023, sub);
}

bool xk_isa_parse_flag(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;
    const struct xk_token at = ps->tok;
    struct xk_operand o = {0};
    unsigned sub = 0;

    if (!xk_isa_parse_at_reg(&at) || at.s[0] != 'f' || at.n_b < 2 ||
        at.s[1] == 'c')
        return xk_isa_parse_expected(ps, "a flag register such as 'f0.0'");
    if (!xk_isa_parse_reg(ps, &o))
        return false;
    if (ps->tok.kind == '.' && xk_isa_parse_peek(ps, 1).kind == XK_TOK_INT) {
        xk_isa_parse_skip(ps);
        if (!xk_isa_parse_int(ps, "flag subregister", 1, &sub))
            return false;
    }
    if (ps->flag_named && (i->flag_reg != o.reg || i->flag_sub != sub))
        return xk_isa_parse_fail(ps, &at,
                                 "flag f%u.%u: predicate and condition of one "
                                 "instruction share the flag, f%u.%u",
                                 o.reg, sub, i->flag_reg, i->flag_sub);
    i->flag_reg = (uint8_t)o.reg;
    i->flag_sub = (uint8_t)sub;
    ps->flag_named = true;
    return true;
}

bool xk_isa_parse_a0(struct xk_parser *ps, unsigned max, uint8_t *sub)
{
    unsigned v = 0;

    if (!xk_isa_parse_accept_word(ps, "a0"))
        return xk_isa_parse_expected(ps, "the address register 'a0'");
    if (!xk_isa_parse_want(ps, '.', "'.' and a subregister of a0") ||
        !xk_isa_parse_int(ps, "subregister of a0", max, &v))
        return false;
    *sub = (uint8_t)v;
    return true;
}
