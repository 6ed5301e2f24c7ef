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

struct xk_formula {
    struct xk_contraction con; /* extents 0, dims 0 and roles are to follow */
    struct xk_formula_tensor tensor[3]; /* of A, B, C */
};

/* Extents, dims, layouts, intervals, roles. */
enum xk_status xk_formula_infer(xk_ctx *c, struct xk_formula *f);

#endif
