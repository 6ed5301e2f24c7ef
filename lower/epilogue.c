/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue's order, and its operations on C, in place in f32. Inputs are
 * the same for all rows and loaded once. What memory held of a part (a sum) is
 * asked for `ahead` parts before it is added, into buffers that take turns, so
 * that the others' latency passes while one is computed. */
#include "lower/epilogue.h"

void xk_lower_n_only(const struct xk_lowering *l, const xk_expr *n,
                     const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        at[x] = xk_s32(l->c, 0);
    xk_lower_set_n(l, n, at);
}

const xk_expr *xk_lower_out_columns(struct xk_lowering *l, unsigned first)
{
    return xk_lower_lanes(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first));
}

/* An input that is broadcast over M: epi.n elements, zero beyond N. */
static const xk_expr *load_input(struct xk_lowering *l, unsigned input)
{
    const struct xk_plan *const p = l->p;
    const struct xk_operand_view *const v = &p->con->input[input];
    const unsigned simd = p->s.simd;
    const bool ragged =
        (int64_t)xk_plan_groups_n(p) * p->s.tg_n * p->s.n_thr > p->n_extent;
    const xk_expr *const buf = xk_block_alloc(&l->w, v->name, 4u * p->epi.n, 0);
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)simd};
    if (ragged)
        xk_lower_zero(l, &l->w, buf, 0, 4u * p->epi.n);
    for (unsigned first = 0; first < p->epi.n; first += simd) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const n = xk_lower_out_columns(l, first);
        const xk_expr *mask = xk_lower_true(l, simd);
        if (ragged)
            mask = xk_block_let(&l->w, "in_n",
                                xk_bin_imm(l->c, XK_OP_LT, n, p->n_extent));
        xk_lower_n_only(l, n, at);
        xk_lower_send(l, &l->w, &send, l->arg_in[input],
                      xk_lower_offset(l, &v->view, at), buf, 4 * first, NULL,
                      mask);
    }
    return buf;
}

/* A float constant for x's lanes. */
static const xk_expr *constant(struct xk_lowering *l, const xk_expr *x,
                               double v)
{
    return xk_bcast(l->c, xk_fimm(l->c, XK_DT_F32, v), xk_type_of(x).lanes);
}

/* One step on a value. */
static const xk_expr *apply(struct xk_lowering *l, const struct xk_epi_op *op,
                            const xk_expr *x, const xk_expr *rhs)
{
    switch (op->kind) {
    case XK_EPI_ADD:
        return xk_add(l->c, x, rhs);
    case XK_EPI_SCALE:
        return xk_mul(l->c, x, constant(l, x, (double)op->alpha));
    case XK_EPI_SUM:
        if (op->alpha != 1 && rhs)
            rhs = xk_mul(l->c, rhs, constant(l, x, (double)op->alpha));
        return xk_add(l->c, x, rhs);
    default: /* RELU: a slope other than 0 is refused before it gets here */
        return xk_max(l->c, x, constant(l, x, 0));
    }
}

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

static unsigned lanes_of(const struct xk_epilogue *e)
{
    return e->f->lanes(e->l);
}

/* First column of vector v of a part. */
static unsigned column_of(const struct xk_epilogue *e,
                          const struct xk_epi_part *at, unsigned v)
{
    return at->n + v * (e->f->n_lanes ? lanes_of(e) : 1);
}

/* Right-hand side of a step for vector v; old: the part that memory held. */
static const xk_expr *rhs_of(struct xk_epilogue *e, const struct xk_epi_op *op,
                             const struct xk_epi_part *at, const xk_expr *old,
                             unsigned v)
{
    struct xk_lowering *const l = e->l;
    const unsigned lanes = lanes_of(e);
    if (op->kind == XK_EPI_SUM)
        return xk_block_load(&l->w, "old", xk_type_vec(XK_DT_F32, lanes),
                             xk_lower_reg(l, old, 4 * v * lanes));
    if (op->kind != XK_EPI_ADD)
        return NULL;
    const xk_expr *const from =
        xk_lower_reg(l, e->input[op->input], 4 * column_of(e, at, v));
    const struct xk_type type =
        xk_type_vec(XK_DT_F32, e->f->n_lanes ? lanes : 1);
    return xk_lower_widen(l, xk_block_load(&l->w, "rhs", type, from), lanes);
}

/* The steps on vector v, in place. */
static void operate(struct xk_epilogue *e, const struct xk_epi_part *at,
                    const xk_expr *old, unsigned v)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan *const p = l->p;
    const xk_expr *const reg =
        xk_lower_reg(l, l->acc, e->f->vector_b(l, at, v));
    const xk_expr *x =
        xk_block_load(&l->w, "x", xk_type_vec(p->acc.dt, lanes_of(e)), reg);
    if (p->epi.in_f32 && x)
        x = xk_cast(l->c, XK_DT_F32, x);
    for (unsigned i = 0; x && i < p->con->n_epi; i++) {
        const struct xk_epi_op *const op = &p->con->epi[i];
        x = apply(l, op, x, rhs_of(e, op, at, old, v));
    }
    if (x && p->epi.n_extent > p->n_extent) {
        const unsigned n = column_of(e, at, v);
        x = zero_padding(l, x,
                         e->f->n_lanes
                             ? xk_lower_out_columns(l, n)
                             : xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, n));
    }
    if (x)
        xk_block_add(&l->w, xk_store(l->c, reg, x));
}

/* Asks for what memory holds of a part. Masked lanes read as zero. */
static void load_part(struct xk_epilogue *e, unsigned number)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    const xk_expr *const raw = e->raw[number % p->ahead];
    const struct xk_epi_part at = e->f->part(e->l, number);
    if (number < p->ahead && (p->m_masked || p->n_masked))
        xk_lower_zero(e->l, &e->l->w, raw, 0, p->part_b);
    e->f->move(e, XK_SEND_LOAD, &at, raw, 0);
}

static void finish_part(struct xk_epilogue *e, unsigned number)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan *const p = l->p;
    const struct xk_epi_part at = e->f->part(l, number);
    const xk_expr *const out =
        p->epi.turns ? e->out[number % p->epi.turns] : NULL;
    const unsigned vectors = xk_plan_part_elements(&p->epi) / lanes_of(e);
    const xk_expr *old = NULL;
    if (p->epi.ahead) {
        const xk_expr *const raw = e->raw[number % p->epi.ahead];
        if (e->old)
            e->f->convert(e, false, &at, raw);
        old = e->old ? e->old : raw;
    }
    if (p->con->n_epi || p->epi.in_f32 || p->epi.n_extent > p->n_extent)
        for (unsigned v = 0; v < vectors; v++)
            operate(e, &at, old, v);
    if (out)
        e->f->convert(e, true, &at, out);
    e->f->move(e, XK_SEND_STORE, &at, out ? out : l->acc, out ? 0 : at.acc_b);
}

/* Asks for all that can be under way from here on. */
static void preload(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    for (unsigned i = 0; i < l->p->con->n_inputs; i++)
        e->input[i] = load_input(l, i);
    e->f->prepare(e);
    for (unsigned i = 0; i < p->ahead; i++)
        e->raw[i] = xk_block_alloc(&l->w, "raw", p->part_b, 0);
    if (p->ahead > 1)
        for (unsigned i = 0; i < p->ahead; i++)
            load_part(e, i);
}

/* Registers of conversions. */
static void buffers(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (p->ahead && p->dst != XK_DT_F32)
        e->old = xk_block_alloc(&l->w, "old", 4 * xk_plan_part_elements(p), 0);
    for (unsigned i = 0; i < p->turns; i++) {
        e->out[i] = xk_block_alloc(&l->w, "out", p->part_b, 0);
        if (!xk_plan_stores_dense(p)) /* the rest of each lane's dword */
            xk_lower_zero(l, &l->w, e->out[i], 0, p->part_b);
    }
}

void xk_lower_epilogue(struct xk_lowering *l)
{
    const struct xk_plan_epilogue *const p = &l->p->epi;
    struct xk_epilogue e = {.l = l, .f = &xk_epi_rows};
    if (xk_fma_is_systolic(l->p->s.fma))
        e.f = &xk_epi_columns;
    preload(&e);
    buffers(&e);
    for (unsigned i = 0; i < p->parts; i++) {
        if (p->ahead == 1)
            load_part(&e, i);
        finish_part(&e, i);
        if (p->ahead > 1 && i + p->ahead < p->parts)
            load_part(&e, i + p->ahead);
    }
}
