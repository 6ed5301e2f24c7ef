/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/: assembler text to tokens, one at a time. White space and
 * comments separate tokens and are otherwise dropped; new lines are tokens,
 * because they end an instruction. Reads only text[0..n_b). */
#ifndef XK_ISA_PARSE_LEX_H
#define XK_ISA_PARSE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Below 256: the character itself. */
enum xk_isa_token_kind {
    XK_TOK_END = 256,
    XK_TOK_NEWLINE,
    XK_TOK_IDENT, /* also 8x8 */
    XK_TOK_INT,
    XK_TOK_FLOAT,
    XK_TOK_ABS, /* "(abs)" */
    XK_TOK_SAT, /* "(sat)" */
    XK_TOK_SHL,
    XK_TOK_SHR,
    XK_TOK_BAD, /* bad says why */
};

struct xk_token {
    const char *s; /* its text, in the source */
    const char *bad;
    size_t n_b;
    uint32_t line, col; /* from 1; columns in bytes */
    uint16_t kind;
    bool spaced;    /* white space stands before it */
    bool decimal;   /* an integer in decimal notation */
    uint64_t value; /* of an integer */
};

struct xk_lexer {
    const char *at, *end, *line_start;
    uint32_t line;
};

void xk_lex_init(struct xk_lexer *l, const char *text, size_t n_b);
void xk_lex_next(struct xk_lexer *l, struct xk_token *t);

/* Whether an identifier reads exactly so. */
bool xk_isa_token_is(const struct xk_token *t, const char *word);

#endif
