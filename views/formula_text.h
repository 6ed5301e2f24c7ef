/* SPDX-License-Identifier: Apache-2.0 */
/* Inside views/: a formula between its text and the contraction. */
#ifndef XK_VIEWS_FORMULA_TEXT_H
#define XK_VIEWS_FORMULA_TEXT_H

#include "views/formula.h"

/* A tensor as declared. */
struct xk_formula_tensor {
    char name[16];
    char tag[32]; /* "": dense */
    bool has_dims;
};

/* A, B, C, and what the epilogue reads. */
#define XK_FORMULA_MAX_TENSORS (3 + XK_MAX_INPUTS)

struct xk_formula {
    struct xk_contraction con; /* extents 0, dims 0 and roles are to follow */
    struct xk_formula_tensor tensor[XK_FORMULA_MAX_TENSORS];
};

/* While a text is read. */
struct xk_formula_parser {
    xk_ctx *c;
    struct xk_arena *arena;
    const char *text, *s;
    struct xk_formula *f;
    unsigned n_tensors; /* declared */
    struct xk_formula_tensor tensor[XK_FORMULA_MAX_TENSORS];
    struct xk_access access[XK_FORMULA_MAX_TENSORS]; /* type, dims and fill */
};

/* XK_EPARSE with the place. */
enum xk_status xk_formula_fail(const struct xk_formula_parser *p,
                               const char *why);
/* The same, of a limit: "there are more than 12 indices". */
enum xk_status xk_formula_too_many(const struct xk_formula_parser *p, int most,
                                   const char *what);
/* The sign itself, blanks around it skipped. */
bool xk_formula_take(struct xk_formula_parser *p, const char *sign);
/* Letters and digits, at most size - 1 of them. */
enum xk_status xk_formula_take_name(struct xk_formula_parser *p, char *out,
                                    size_t size);
/* The access of tensor `which`: A, B, C, or a right-hand side from 3 on. */
enum xk_status xk_formula_take_access(struct xk_formula_parser *p,
                                      unsigned which, struct xk_access *a);
/* An operation of the epilogue, the arrow in front of it already taken. */
enum xk_status xk_formula_take_step(struct xk_formula_parser *p);
/* The k-th operand: A, B, C, then right-hand sides; NULL behind the last. */
struct xk_access *xk_formula_operand(struct xk_contraction *p, unsigned k);

/* Extents, dims, layouts, intervals, roles. */
enum xk_status xk_formula_infer(xk_ctx *c, struct xk_formula *f);

#endif
