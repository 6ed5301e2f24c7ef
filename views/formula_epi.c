/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue's part of a formula's text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/formula_text.h"

/* ":" and a number, if they are next. *has: whether they are. */
static enum xk_status take_float(struct xk_formula_parser *p, float *out,
                                 bool *has)
{
    char *end;
    *has = xk_formula_take(p, ":");
    if (!*has)
        return XK_OK;
    const float v = strtof(p->s, &end);
    if (end == p->s || !isfinite(v))
        return xk_formula_fail(p, "expected a number");
    p->s = end;
    *out = v;
    return XK_OK;
}

static enum xk_status take_numbers(struct xk_formula_parser *p,
                                   const struct xk_post_op_row *row,
                                   struct xk_epi_op *op)
{
    float *const to[] = {&op->alpha, &op->beta};
    bool has = true;
    for (unsigned i = 0; has && i < row->n_numbers; i++)
        XK_TRY(take_float(p, to[i], &has));
    return XK_OK;
}

/* [:alpha[:zero[:type]]] */
static enum xk_status take_sum(struct xk_formula_parser *p,
                               struct xk_epi_op *op)
{
    char type[16];
    bool has;
    op->alpha = 1;
    XK_TRY(take_float(p, &op->alpha, &has));
    if (has)
        XK_TRY(take_float(p, &op->zero, &has));
    if (!has || !xk_formula_take(p, ":"))
        return XK_OK;
    XK_TRY(xk_formula_take_name(p, type, sizeof(type)));
    op->old_dt = (uint8_t)xk_dtype_find(type, (uint32_t)strlen(type));
    return op->old_dt ? XK_OK
                      : xk_formula_fail(p, "there is no such type in front of "
                                           "this");
}

static enum xk_status take_rhs(struct xk_formula_parser *p,
                               struct xk_epi_op *op)
{
    struct xk_contraction *const con = &p->f->con;
    if (con->n_inputs == XK_MAX_INPUTS)
        return xk_formula_too_many(p, XK_MAX_INPUTS, "right-hand sides");
    op->input = con->n_inputs++;
    return xk_formula_take_access(p, 3u + op->input, &con->input[op->input]);
}

enum xk_status xk_formula_take_step(struct xk_formula_parser *p)
{
    struct xk_contraction *const con = &p->f->con;
    char name[40];
    if (con->n_epi == XK_MAX_EPI)
        return xk_formula_too_many(p, XK_MAX_EPI, "operations");
    struct xk_epi_op *const op = &con->epi[con->n_epi++];
    XK_TRY(xk_formula_take_name(p, name, sizeof(name)));
    op->kind = (uint8_t)xk_post_op_named(name, strlen(name));
    const struct xk_post_op_row *const row = xk_post_op_row(op->kind);
    if (!row)
        return xk_formula_fail(p, "there is no such operation in front of "
                                  "this");
    switch ((enum xk_post_syntax)row->syntax) {
    case XK_SYNTAX_ELTWISE:
        return take_numbers(p, row, op);
    case XK_SYNTAX_SUM:
        return take_sum(p, op);
    case XK_SYNTAX_BINARY:
    case XK_SYNTAX_PRELU:
        return take_rhs(p, op);
    }
    return xk_formula_fail(p, "an operation of an unknown form");
}
