/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of post_op.def as IR. */
#ifndef XK_VIEWS_EPI_OP_H
#define XK_VIEWS_EPI_OP_H

#include "ir/stmt.h"
#include "views/epi_kind.h"

/* The text that is generated for a step: its form, else its meaning; and the
 * vectors that it has at once beside x. */
const char *xk_epi_text(const struct xk_epi_op *op);
unsigned xk_epi_temps(const struct xk_epi_op *op);

/* A step as a list of operators on f32 scalars, ready to be written for vectors
 * of any length. */
#define XK_EPI_MAX_NODES 80
struct xk_epi_node {
    const xk_expr *e;
    const xk_expr
        *held;      /* of a number: a scalar that holds it; NULL: none does */
    uint8_t kid[3]; /* before it in the list */
};
struct xk_epi_code {
    unsigned n;
    struct xk_epi_node node[XK_EPI_MAX_NODES]; /* the value is the last */
    const xk_expr *x, *operand; /* its variables; operand: rhs or old */
};
/* XK_EINTERNAL if the row's text is none. */
enum xk_status xk_epi_compile(xk_ctx *c, const struct xk_epi_op *op,
                              struct xk_epi_code *code);
/* The value of a step for the lanes of x; operand has as many lanes (NULL: the
 * step reads none). */
const xk_expr *xk_epi_apply(xk_ctx *c, const struct xk_epi_code *code,
                            const xk_expr *x, const xk_expr *operand);
/* "add src1", "relu 0.5": a step for dumps; rhs: the right-hand side's name. */
void xk_epi_print(const struct xk_epi_op *op, const char *rhs,
                  struct xk_str *out);

#endif
