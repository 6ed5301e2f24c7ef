/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer keeps no memory: tokens point into the text. */
#include "ir/syntax.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/stmt.h"
#include "base/text.h"

void xk_lexer_init(struct xk_lexer *l, const char *text)
{
    l->at = text;
    l->line_start = text;
    l->line = 1;
}

static void skip_ir_space(struct xk_lexer *l)
{
    for (;; l->at++) {
        if (*l->at == ';')
            l->at += strcspn(l->at, "\n");
        if (*l->at == '\n') {
            l->line++;
            l->line_start = l->at + 1;
        } else if (*l->at != ' ' && *l->at != '\t' && *l->at != '\r') {
            return;
        }
    }
}

/* Letters and digits, then any number of ".more" that are not "..". */
static void lex_word(struct xk_lexer *l, struct xk_token *t)
{
    t->kind = XK_TOKEN_WORD;
    while (xk_is_name_char(*l->at))
        l->at++;
    while (*l->at == '.' && xk_is_name_char(l->at[1])) {
        l->at++;
        while (xk_is_name_char(*l->at))
            l->at++;
    }
}

static int digit_value(char ch)
{
    if (xk_is_digit(ch))
        return ch - '0';
    if (ch >= 'a' && ch <= 'f')
        return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : 99;
}

static void lex_int(struct xk_lexer *l, struct xk_token *t, int base)
{
    uint64_t v = 0;
    const char *const first = l->at;
    t->kind = XK_TOKEN_INT;
    for (; digit_value(*l->at) < base; l->at++) {
        const uint64_t d = (uint64_t)digit_value(*l->at);
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
            __builtin_add_overflow(v, d, &v)) {
            t->kind = XK_TOKEN_BAD;
            t->u.why = "integer above 64 bits";
            return;
        }
    }
    if (l->at == first) {
        t->kind = XK_TOKEN_BAD;
        t->u.why = "digits missing";
        return;
    }
    t->u.integer = v;
}

/* Length of [0-9]+ ( . [0-9]+ )? ( e [+-]? [0-9]+ )? if it has a point or an
 * exponent, else 0. "0..3" is no float. */
static size_t float_length(const char *s)
{
    size_t n = strspn(s, "0123456789");
    const size_t whole = n;
    if (s[n] == '.' && xk_is_digit(s[n + 1]))
        n += 1 + strspn(s + n + 1, "0123456789");
    if (s[n] == 'e') {
        const size_t sign = s[n + 1] == '-' || s[n + 1] == '+';
        if (xk_is_digit(s[n + 1 + sign]))
            n += 1 + sign + strspn(s + n + 1 + sign, "0123456789");
    }
    return n == whole ? 0 : n;
}

static void lex_float(struct xk_lexer *l, struct xk_token *t, size_t n)
{
    char text[64];
    l->at += n;
    if (n >= sizeof(text)) {
        t->kind = XK_TOKEN_BAD;
        t->u.why = "number too long";
        return;
    }
    memcpy(text, t->s, n);
    text[n] = 0;
    t->kind = XK_TOKEN_FLOAT;
    t->u.real = xk_syntax_double(text);
}

static void lex_ir_number(struct xk_lexer *l, struct xk_token *t)
{
    const size_t n = float_length(l->at);
    if (l->at[0] == '0' && l->at[1] == 'x') {
        l->at += 2;
        lex_int(l, t, 16);
    } else if (n) {
        lex_float(l, t, n);
    } else {
        lex_int(l, t, 10);
    }
    if (t->kind != XK_TOKEN_BAD && xk_is_name_char(*l->at)) {
        t->kind = XK_TOKEN_BAD;
        t->u.why = "letters after a number";
    }
}

static void lex_punct(struct xk_lexer *l, struct xk_token *t)
{
    static const char *const two[] = {
        "<<", ">>", "==", "!=", "<=", ">=", "&&", "||", ".."};
    t->kind = XK_TOKEN_PUNCT;
    for (unsigned i = 0; i < XK_COUNTOF(two); i++) {
        if (!strncmp(l->at, two[i], 2)) {
            l->at += 2;
            return;
        }
    }
    if (!strchr("+-*/%&|^<>=(){}[],:!", *l->at)) {
        t->kind = XK_TOKEN_BAD;
        t->u.why = "unexpected character";
    }
    l->at++;
}

struct xk_token xk_lexer_next(struct xk_lexer *l)
{
    skip_ir_space(l);
    struct xk_token t = {.s = l->at,
                         .line = l->line,
                         .column = (uint32_t)(l->at - l->line_start) + 1};
    if (xk_is_letter(*l->at))
        lex_word(l, &t);
    else if (xk_is_digit(*l->at))
        lex_ir_number(l, &t);
    else if (*l->at)
        lex_punct(l, &t);
    t.n = (uint32_t)(l->at - t.s);
    return t;
}

bool xk_token_is(const struct xk_token *t, const char *text)
{
    return (t->kind == XK_TOKEN_WORD || t->kind == XK_TOKEN_PUNCT) &&
           strlen(text) == t->n && !memcmp(t->s, text, t->n);
}

int xk_syntax_precedence(enum xk_op op)
{
    switch (op) {
    case XK_OP_OR:
        return 1;
    case XK_OP_XOR:
        return 2;
    case XK_OP_AND:
        return 3;
    case XK_OP_EQ:
    case XK_OP_NE:
        return 4;
    case XK_OP_LT:
    case XK_OP_LE:
    case XK_OP_GT:
    case XK_OP_GE:
        return 5;
    case XK_OP_SHL:
    case XK_OP_SHR:
        return 6;
    case XK_OP_ADD:
    case XK_OP_SUB:
        return 7;
    case XK_OP_MUL:
    case XK_OP_DIV:
    case XK_OP_MOD:
        return 8;
    default:
        return 0;
    }
}

enum xk_op xk_syntax_infix(const struct xk_token *t)
{
    if (t->kind != XK_TOKEN_PUNCT || !strchr("+-*/%&|^<>=!", t->s[0]))
        return XK_N_OPS;
    if (xk_token_is(t, "&&"))
        return XK_OP_AND;
    if (xk_token_is(t, "||"))
        return XK_OP_OR;
    for (unsigned op = XK_OP_ADD; op <= XK_OP_GE; op++) {
        const char *const text = xk_op_text((enum xk_op)op);
        if (text[0] == t->s[0] && (xk_op_flags((enum xk_op)op) & XK_EF_T) &&
            xk_token_is(t, text))
            return (enum xk_op)op;
    }
    return XK_N_OPS;
}

static char decimal_point(void)
{
    const struct lconv *const l = localeconv();
    return l->decimal_point[0] ? l->decimal_point[0] : '.';
}

double xk_syntax_double(const char *s)
{
    char text[64];
    const size_t n = strlen(s);
    if (!n || n >= sizeof(text))
        return NAN;
    memcpy(text, s, n + 1);
    char *const dot = strchr(text, '.');
    if (dot)
        *dot = decimal_point();
    char *end;
    const double v = strtod(text, &end);
    return *end ? NAN : v;
}

void xk_syntax_print_double(char *out, size_t cap, int digits, double v)
{
    snprintf(out, cap, "%.*g", digits, v);
    char *const comma = strchr(out, decimal_point());
    if (comma)
        *comma = '.';
}

const char *xk_syntax_param_kind(unsigned kind)
{
    static const char *const names[] = {
        [XK_PARAM_GROUP_X] = "group_x", [XK_PARAM_GROUP_Y] = "group_y",
        [XK_PARAM_GROUP_Z] = "group_z", [XK_PARAM_THREAD] = "thread",
        [XK_PARAM_SURFACE] = "surface",
    };
    return kind < XK_COUNTOF(names) ? names[kind] : NULL;
}
