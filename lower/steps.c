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

/* Steps on the accumulators come first; the next one makes f32 of them. */
static unsigned cast_step(const struct xk_lowering *l)
{
    unsigned n = 0;
    while (n < l->p->con->n_epi && l->p->con->epi[n].in_acc)
        n++;
    return n;
}

/* Zeros for padding. */
static bool is_last(const struct xk_lowering *l, unsigned step)
{
    return step + 1 == xk_epi_steps(l);
}

/* The number of the operation that a step is; -1: it is none. */
static int op_of(const struct xk_lowering *l, unsigned step)
{
    const unsigned cast = cast_step(l);
    if (step == cast || is_last(l, step))
        return -1;
    return (int)step - (step > cast);
}

bool xk_epi_has_step(const struct xk_lowering *l, unsigned step)
{
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (step == cast_step(l))
        return p->in_f32;
    const int op = op_of(l, step);
    if (op >= 0)
        return !l->p->con->epi[op].times_b; /* nest_sums.c */
    return p->n_extent > l->p->n_extent;
}

bool xk_epi_has_steps(const struct xk_lowering *l, unsigned first, unsigned end)
{
    bool any = false;
    for (unsigned i = first; i < end; i++)
        any |= xk_epi_has_step(l, i);
    return any;
}

unsigned xk_epi_step_of(const struct xk_lowering *l, unsigned op)
{
    return op + (op >= cast_step(l));
}

const struct xk_plan_side *xk_epi_side(const struct xk_lowering *l,
                                       unsigned step)
{
    const int op = op_of(l, step);
    const unsigned side = op < 0 ? 0 : l->p->epi.side_of[op];
    return side ? &l->p->epi.side[side - 1] : NULL;
}

enum xk_epi_operand xk_epi_operand(const struct xk_lowering *l, unsigned step)
{
    const int op = op_of(l, step);
    if (op < 0)
        return is_last(l, step) ? XK_EPI_COLUMN : XK_EPI_NONE;
    return xk_plan_operand(l->p, (unsigned)op);
}

/* So many dwords from there, in all lanes of v if it is one. */
static const xk_expr *load_dwords(struct xk_epilogue *e, struct xk_type type,
                                  const char *name, const xk_expr *from,
                                  const struct xk_epi_vector *v)
{
    const xk_expr *const x = xk_block_load(&e->l->w, name, type, from);
    return xk_lower_widen(e->l, x, v->lanes);
}

/* What an operation's operand is when it is used. */
static enum xk_dtype used_type(const struct xk_epi_op *op)
{
    return op->in_acc ? XK_DT_S32 : XK_DT_F32;
}

static const xk_expr *side_operand(struct xk_epilogue *e,
                                   const struct xk_plan_side *s,
                                   enum xk_dtype dt,
                                   const struct xk_epi_vector *v)
{
    const bool alone = e->f->n_lanes ? s->one : s->late;
    const uint32_t at_b = s->one    ? 0
                          : s->late ? 4 * v->column
                                    : e->f->place(e->l, s, v->column);
    return load_dwords(e, xk_type_vec(dt, alone ? 1 : v->lanes),
                       s->input == XK_SIDE_C ? "old" : "rhs",
                       xk_lower_reg(e->l, e->held, at_b), v);
}

/* What the operation of a step reads besides C; NULL: nothing. */
static const xk_expr *operand_of(struct xk_epilogue *e, unsigned step,
                                 unsigned number, const struct xk_epi_vector *v)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_side *const s = xk_epi_side(l, step);
    const struct xk_epi_op *const op = &l->p->con->epi[number];
    const enum xk_dtype dt = used_type(op);
    if (s)
        return side_operand(e, s, dt, v);
    if (!xk_epi_reads_rhs(op))
        return NULL;
    const bool one = l->p->epi.input[op->input] == XK_INPUT_ONE;
    return load_dwords(
        e, xk_type_vec(dt, e->f->n_lanes && !one ? v->lanes : 1), "rhs",
        xk_lower_reg(l, e->input[op->input], one ? 0 : 4 * v->n), v);
}

static const xk_expr *do_step(struct xk_epilogue *e, unsigned step,
                              const struct xk_epi_vector *v, const xk_expr *x)
{
    struct xk_lowering *const l = e->l;
    const int op = op_of(l, step);
    if (step == cast_step(l))
        return xk_cast(l->c, XK_DT_F32, x);
    if (op >= 0 && l->p->con->epi[op].in_acc)
        return xk_bin(
            l->c, l->p->con->epi[op].kind == XK_EPI_ADD ? XK_OP_ADD : XK_OP_SUB,
            x, operand_of(e, step, (unsigned)op, v));
    if (op >= 0)
        return e->code ? xk_epi_apply(l->c, &e->code[op], x,
                                      operand_of(e, step, (unsigned)op, v))
                       : NULL; /* out of memory */
    return zero_padding(l, x,
                        e->f->n_lanes
                            ? xk_lower_out_columns(l, v->n)
                            : xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, v->n));
}

/* What a step made; by a name if it is an operation and so is the next one,
 * which may use it several times: a text of the whole would double with each.
 */
static const xk_expr *named(struct xk_lowering *l, unsigned step, unsigned end,
                            const xk_expr *x)
{
    const bool again =
        step + 1 < end && op_of(l, step) >= 0 && op_of(l, step + 1) >= 0;
    return x && again ? xk_block_let(&l->w, "x", x) : x;
}

void xk_epi_operate(struct xk_epilogue *e, unsigned first, unsigned end,
                    const struct xk_epi_vector *v)
{
    struct xk_lowering *const l = e->l;
    const bool in_f32 = first > cast_step(l) && l->p->epi.in_f32;
    const enum xk_dtype dt = in_f32 ? XK_DT_F32 : (enum xk_dtype)l->p->acc.dt;
    if (!xk_epi_has_steps(l, first, end))
        return;
    const xk_expr *x =
        xk_block_load(&l->w, "x", xk_type_vec(dt, v->lanes), v->from);
    for (unsigned i = first; x && i < end; i++)
        if (xk_epi_has_step(l, i))
            x = named(l, i, end, do_step(e, i, v, x));
    if (x)
        xk_block_add(&l->w, xk_store(l->c, v->to, x));
}
