/* SPDX-License-Identifier: Apache-2.0 */
/* Writes IR in program order although statements nest: a block collects
 * statements and the heads of nested ones (let, alloc, load, for); when it
 * ends, each head takes what follows it as its body. */
#ifndef XK_SIMPLIFY_WRITER_H
#define XK_SIMPLIFY_WRITER_H

#include "simplify/simplify.h"

struct xk_item; /* one statement or head */

struct xk_block_writer {
    xk_ctx *c;
    xk_facts *facts; /* grows with every integer let */
    struct xk_item *items;
    unsigned n, cap;
};

/* facts is borrowed. Ends with xk_block_end. */
void xk_block_init(struct xk_block_writer *w, xk_ctx *c, xk_facts *facts);

void xk_block_add(struct xk_block_writer *w, const xk_stmt *s);
/* Simplifies the value, binds it to a new variable and tells the facts its
 * range; a constant or a variable is returned as it is. */
const xk_expr *xk_block_let(struct xk_block_writer *w, const char *name,
                            const xk_expr *value);
/* The registers at ptr as a value. */
const xk_expr *xk_block_load(struct xk_block_writer *w, const char *name,
                             struct xk_type type, const xk_expr *ptr);
/* A register buffer that lives to the end of the block. */
const xk_expr *xk_block_alloc(struct xk_block_writer *w, const char *name,
                              uint32_t size_b, uint8_t bank);
void xk_block_call(struct xk_block_writer *w, const struct xk_func *f,
                   const xk_expr *const *args, unsigned n);
/* Opens a loop over var, whose range the facts know already; close it by
 * xk_block_end_for. */
void xk_block_for(struct xk_block_writer *w, const xk_expr *var,
                  int64_t extent);
void xk_block_end_for(struct xk_block_writer *w);
/* Everything as one statement; NULL on error. The writer holds nothing then. */
const xk_stmt *xk_block_end(struct xk_block_writer *w);

#endif
