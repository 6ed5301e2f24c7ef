/* SPDX-License-Identifier: Apache-2.0 */
/* Lexer of the IR text, and what printer and parser must agree on. */
#ifndef XK_IR_SYNTAX_H
#define XK_IR_SYNTAX_H

#include "ir/expr.h"

enum xk_token_kind {
    XK_TOKEN_END,
    XK_TOKEN_WORD,  /* name, keyword or dotted word: "send.load.a64" */
    XK_TOKEN_INT,   /* without a sign */
    XK_TOKEN_FLOAT, /* without a sign */
    XK_TOKEN_PUNCT, /* one to three characters */
    XK_TOKEN_BAD    /* `why` says what is wrong */
};

struct xk_token {
    uint8_t kind;  /* enum xk_token_kind */
    const char *s; /* in the text; n characters */
    uint32_t n;
    uint32_t line, column; /* from 1 */
    union {
        uint64_t integer;
        double real;
        const char *why;
    } u;
};

struct xk_lexer {
    const char *at;
    const char *line_start;
    uint32_t line;
};

void xk_lexer_init(struct xk_lexer *l, const char *text);
/* Spaces, line ends and comments (from ; to the end of the line) separate. */
struct xk_token xk_lexer_next(struct xk_lexer *l);
bool xk_token_is(const struct xk_token *t, const char *text);

/* Binding strength of an infix operator, as in C; 1 is the weakest. 0 if the
 * op is not infix. */
int xk_syntax_precedence(enum xk_op op);
/* The infix operator of a token; XK_N_OPS if there is none. */
enum xk_op xk_syntax_infix(const struct xk_token *t);
/* strtod of a whole string with '.' whatever the locale; NaN if it is no
 * number. */
double xk_syntax_double(const char *s);
/* snprintf("%.*g") with '.' whatever the locale. */
void xk_syntax_print_double(char *out, size_t cap, int digits, double v);
/* "group_x"; NULL for kinds that print their type, or beyond. */
const char *xk_syntax_param_kind(unsigned kind);

#endif
