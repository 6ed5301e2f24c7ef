/* SPDX-License-Identifier: Apache-2.0 */
/* Parser state, shared by the two halves: expressions (parse.c) and statements
 * (parse_stmt.c). Internal to ir/. */
#ifndef XK_IR_PARSE_H
#define XK_IR_PARSE_H

#include "ir/stmt.h"
#include "ir/syntax.h"
#include "ir/tiles.h"

/* Bounds on what text may ask for, so that recursion stays within any stack. */
enum { XK_PARSE_MAX_DEPTH = 200, XK_PARSE_MAX_SYMBOLS = 4000 };

struct xk_parse_symbol {
    const char *s; /* the word as written, n characters */
    uint32_t n;
    const xk_expr *var;
};

struct xk_parse {
    xk_ctx *c;
    struct xk_lexer lexer;
    struct xk_token tok;            /* the current one */
    struct xk_parse_symbol *symbol; /* in scope, innermost last */
    uint32_t n_symbols, symbols_cap;
    uint32_t depth;
};

void xk_parse_init(struct xk_parse *p, xk_ctx *c, const char *text);
void xk_parse_fini(struct xk_parse *p);
void xk_parse_advance(struct xk_parse *p);
/* Consumes the token if it is this one. */
bool xk_parse_accept(struct xk_parse *p, const char *text);
/* Records line, column and sentence unless an error is recorded; false. */
bool xk_parse_fail(struct xk_parse *p, const char *what);
/* accept, or an error that says what was expected. */
bool xk_parse_expect(struct xk_parse *p, const char *text);
/* Puts the position in front of a builder's error; false. */
bool xk_parse_wrap(struct xk_parse *p, struct xk_token at);
bool xk_parse_uint(struct xk_parse *p, uint64_t max, uint64_t *v);
bool xk_parse_type(struct xk_parse *p, struct xk_type *t);
/* Makes a variable for the word and brings it into scope. */
const xk_expr *xk_parse_bind(struct xk_parse *p, struct xk_token word,
                             struct xk_type t);
bool xk_parse_push(struct xk_parse *p, struct xk_token word,
                   const xk_expr *var);
/* The variable in scope that the token names, consumed; NULL with the error. */
const xk_expr *xk_parse_symbol(struct xk_parse *p);
/* One line that declares a part of a tiling; *any: there was one. mem[]: the
 * views' pointers. */
bool xk_parse_tiling(struct xk_parse *p, struct xk_tiling *t,
                     const xk_expr **mem, bool *any);
/* "[m 8+8, k 0+16]" behind a tile function, if it is there. */
bool xk_parse_tile_parts(struct xk_parse *p, struct xk_tile_call *f);
/* One expression; NULL with the error recorded. */
const xk_expr *xk_parse_value(struct xk_parse *p);
/* The same, where a bare number takes the type dt. */
const xk_expr *xk_parse_value_as(struct xk_parse *p, struct xk_type t);

#endif
