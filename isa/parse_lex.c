/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer: hand-written, no state but a position. */
#include "isa/parse_lex.h"
#include "base/text.h"

#include <string.h>

void xk_lex_init(struct xk_lexer *l, const char *text, size_t n_b)
{
    l->at = l->line_start = text;
    l->end = text + n_b;
    l->line = 1;
}

bool xk_isa_token_is(const struct xk_token *t, const char *word)
{
    const size_t n_b = strlen(word);

    return t->kind == XK_TOK_IDENT && t->n_b == n_b && !memcmp(t->s, word, n_b);
}

static int hex_digit(char ch)
{
    if (xk_is_digit(ch))
        return ch - '0';
    if (ch >= 'a' && ch <= 'f')
        return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* The character k ahead, 0 past the end. */
static char char_ahead(const struct xk_lexer *l, size_t k)
{
    return (size_t)(l->end - l->at) > k ? l->at[k] : 0;
}

/* A comment of several lines counts as white space, as in C. */
static bool skip_comment(struct xk_lexer *l)
{
    for (l->at += 2; l->at < l->end; l->at++) {
        if (*l->at == '*' && char_ahead(l, 1) == '/') {
            l->at += 2;
            return true;
        }
        if (*l->at == '\n') {
            l->line++;
            l->line_start = l->at + 1;
        }
    }
    return false;
}

/* False if a comment does not end. */
static bool skip_space(struct xk_lexer *l)
{
    for (;;) {
        const char ch = char_ahead(l, 0);

        if (l->at == l->end) {
            return true;
        } else if (ch == ' ' || ch == '\t' || ch == '\r') {
            l->at++;
        } else if (ch == '/' && char_ahead(l, 1) == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (ch == '/' && char_ahead(l, 1) == '*') {
            if (!skip_comment(l))
                return false;
        } else {
            return true;
        }
    }
}

static size_t count_digits(const struct xk_lexer *l, size_t k, bool hex)
{
    size_t n = 0;

    while (hex ? hex_digit(char_ahead(l, k + n)) >= 0
               : xk_is_digit(char_ahead(l, k + n)))
        n++;
    return n;
}

/* Length of an exponent part at k, 0 if there is none. */
static size_t exponent(const struct xk_lexer *l, size_t k, char mark)
{
    const size_t sign =
        char_ahead(l, k + 1) == '+' || char_ahead(l, k + 1) == '-';
    size_t n;

    if ((char_ahead(l, k) | 0x20) != mark)
        return 0;
    n = count_digits(l, k + 1 + sign, false);
    return n ? 1 + sign + n : 0;
}

/* base is 2, 10 or 16; the digits are valid. */
static void set_int(struct xk_token *t, const char *s, size_t n, unsigned base)
{
    uint64_t v = 0;

    t->kind = XK_TOK_INT;
    t->decimal = base == 10;
    for (size_t k = 0; k < n; k++) {
        const unsigned d = (unsigned)hex_digit(s[k]);

        if (v > (UINT64_MAX - d) / base) {
            t->kind = XK_TOK_BAD;
            t->bad = "a number that does not fit 64 bits";
            return;
        }
        v = v * base + d;
    }
    t->value = v;
}

/* 0x1F, or a hexadecimal float: 0x1.8p3. */
static size_t lex_hex(const struct xk_lexer *l, struct xk_token *t)
{
    const size_t whole = count_digits(l, 2, true);
    const size_t dot = char_ahead(l, 2 + whole) == '.';
    const size_t frac = dot ? count_digits(l, 3 + whole, true) : 0;
    const size_t n = 2 + whole + dot + frac;
    const size_t exp = whole + frac ? exponent(l, n, 'p') : 0;

    if (exp) {
        t->kind = XK_TOK_FLOAT;
        return n + exp;
    }
    if (!whole) {
        t->kind = XK_TOK_BAD;
        t->bad = "0x without digits";
        return 2;
    }
    set_int(t, l->at + 2, whole, 16);
    return 2 + whole;
}

static size_t lex_binary(const struct xk_lexer *l, struct xk_token *t)
{
    size_t n = 2;

    while (char_ahead(l, n) == '0' || char_ahead(l, n) == '1')
        n++;
    set_int(t, l->at + 2, n - 2, 2);
    return n;
}

static size_t lex_number(const struct xk_lexer *l, struct xk_token *t)
{
    const size_t whole = count_digits(l, 0, false);
    size_t n = whole, exp;

    if (char_ahead(l, 0) == '0' && (char_ahead(l, 1) | 0x20) == 'x')
        return lex_hex(l, t);
    if (char_ahead(l, 0) == '0' && (char_ahead(l, 1) | 0x20) == 'b' &&
        (char_ahead(l, 2) == '0' || char_ahead(l, 2) == '1'))
        return lex_binary(l, t);
    if (char_ahead(l, 0) != '0' && char_ahead(l, whole) == 'x' &&
        count_digits(l, whole + 1, false)) {
        t->kind = XK_TOK_IDENT;
        return whole + 1 + count_digits(l, whole + 1, false);
    }
    /* "0." is no number here: r[a0.0.  and f0.0.any8h must come apart */
    if (char_ahead(l, n) == '.' && count_digits(l, n + 1, false))
        n += 1 + count_digits(l, n + 1, false);
    exp = exponent(l, n, 'e');
    if (exp || n > whole) {
        t->kind = XK_TOK_FLOAT;
        return n + exp;
    }
    set_int(t, l->at, whole, 10);
    return whole;
}

static size_t lex_punctuation(const struct xk_lexer *l, struct xk_token *t)
{
    static const char accepted[] = "<>[]{}().,;:~!@#=%*/+-&^|$";
    const char ch = char_ahead(l, 0), next = char_ahead(l, 1);
    const size_t left = (size_t)(l->end - l->at);

    if (left >= 5 &&
        (!memcmp(l->at, "(abs)", 5) || !memcmp(l->at, "(sat)", 5))) {
        t->kind = l->at[1] == 'a' ? XK_TOK_ABS : XK_TOK_SAT;
        return 5;
    }
    if ((ch == '<' || ch == '>') && next == ch) {
        t->kind = ch == '<' ? XK_TOK_SHL : XK_TOK_SHR;
        return 2;
    }
    if (ch && strchr(accepted, ch)) {
        t->kind = (uint16_t)ch;
    } else {
        t->kind = XK_TOK_BAD;
        t->bad = "a character that means nothing here";
    }
    return 1;
}

static size_t lex_token(struct xk_lexer *l, struct xk_token *t)
{
    size_t n = 1;

    if (l->at == l->end) {
        t->kind = XK_TOK_END;
        return 0;
    }
    if (*l->at == '\n') {
        t->kind = XK_TOK_NEWLINE;
        return 1;
    }
    if (xk_is_digit(*l->at))
        return lex_number(l, t);
    if (!xk_is_name_char(*l->at))
        return lex_punctuation(l, t);
    t->kind = XK_TOK_IDENT;
    while (xk_is_name_char(char_ahead(l, n)))
        n++;
    return n;
}

void xk_lex_next(struct xk_lexer *l, struct xk_token *t)
{
    const char *const from = l->at;
    const bool whole = skip_space(l);

    memset(t, 0, sizeof(*t));
    t->s = l->at;
    t->spaced = l->at != from;
    t->line = l->line;
    t->col = (uint32_t)(l->at - l->line_start) + 1;
    if (!whole) {
        t->kind = XK_TOK_BAD;
        t->bad = "a comment that does not end";
        return;
    }
    t->n_b = lex_token(l, t);
    l->at += t->n_b;
    if (t->kind == XK_TOK_NEWLINE) {
        l->line++;
        l->line_start = l->at;
    }
}
