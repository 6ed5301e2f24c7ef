/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the epilogue on C: to f32, the operations, zeros for padding. */
#include "lower/epilogue.h"

/* x where columns n (one, or one a lane) are inside N, else zero: columns
 * behind N are padding of C's layout, whatever rows of B stood in for them. */
static const xk_expr *zero_padding(struct xk_lowering *l, const xk_expr *x,
                                   const xk_expr *n)
{
    const bool is_float = xk_dtype_is_float((enum xk_dtype)xk_type_of(x).dt);
    const xk_expr *const zero =
        is_float ? xk_fimm(l->c, XK_DT_F32, 0) : xk_imm(l->c, XK_DT_S32, 0);
    const xk_expr *const in = xk_bin_imm(l->c, XK_OP_LT, n, l->p->n_extent);
    return xk_select(l->c, in, x, zero);
}

unsigned xk_epi_steps(const struct xk_lowering *l)
{
    return l->p->con->n_epi + 2u;
}

/* Zeros for padding. */
static bool is_last(const struct xk_lowering *l, unsigned step)
{
    return step + 1 == xk_epi_steps(l);
}

bool xk_epi_has_step(const struct xk_lowering *l, unsigned step)
{
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (step == 0)
        return p->in_f32;
    return !is_last(l, step) || p->n_extent > l->p->n_extent;
}

bool xk_epi_has_steps(const struct xk_lowering *l, unsigned first, unsigned end)
{
    bool any = false;
    for (unsigned i = first; i < end; i++)
        any |= xk_epi_has_step(l, i);
    return any;
}

enum xk_epi_operand xk_epi_operand(const struct xk_lowering *l, unsigned step)
{
    if (step == 0 || is_last(l, step))
        return step ? XK_EPI_COLUMN : XK_EPI_NONE;
    const struct xk_epi_op *const op = &l->p->con->epi[step - 1];
    if (xk_epi_reads_rhs(op))
        return XK_EPI_COLUMN;
    return xk_epi_reads_old(op) ? XK_EPI_OLD : XK_EPI_NONE;
}

/* What an operation reads besides C; NULL: nothing. */
static const xk_expr *operand_of(struct xk_epilogue *e,
                                 const struct xk_epi_op *op,
                                 const struct xk_epi_vector *v)
{
    struct xk_lowering *const l = e->l;
    if (xk_epi_reads_old(op))
        return xk_block_load(&l->w, "old", xk_type_vec(XK_DT_F32, v->lanes),
                             v->old);
    if (!xk_epi_reads_rhs(op))
        return NULL;
    const xk_expr *const from = xk_lower_reg(l, e->input[op->input], 4 * v->n);
    const struct xk_type type =
        xk_type_vec(XK_DT_F32, e->f->n_lanes ? v->lanes : 1);
    return xk_lower_widen(l, xk_block_load(&l->w, "rhs", type, from), v->lanes);
}

static const xk_expr *do_step(struct xk_epilogue *e, unsigned step,
                              const struct xk_epi_vector *v, const xk_expr *x)
{
    struct xk_lowering *const l = e->l;
    if (step == 0)
        return xk_cast(l->c, XK_DT_F32, x);
    if (!is_last(l, step)) {
        const struct xk_epi_op *const op = &l->p->con->epi[step - 1];
        return e->code ? xk_epi_apply(l->c, &e->code[step - 1], x,
                                      operand_of(e, op, v))
                       : NULL; /* out of memory */
    }
    return zero_padding(l, x,
                        e->f->n_lanes
                            ? xk_lower_out_columns(l, v->n)
                            : xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, v->n));
}

void xk_epi_operate(struct xk_epilogue *e, unsigned first, unsigned end,
                    const struct xk_epi_vector *v)
{
    struct xk_lowering *const l = e->l;
    const bool in_f32 = first > 0 && l->p->epi.in_f32;
    const enum xk_dtype dt = in_f32 ? XK_DT_F32 : (enum xk_dtype)l->p->acc.dt;
    if (!xk_epi_has_steps(l, first, end))
        return;
    const xk_expr *x =
        xk_block_load(&l->w, "x", xk_type_vec(dt, v->lanes), v->from);
    for (unsigned i = first; x && i < end; i++)
        if (xk_epi_has_step(l, i))
            x = do_step(e, i, v, x);
    if (x)
        xk_block_add(&l->w, xk_store(l->c, v->to, x));
}
