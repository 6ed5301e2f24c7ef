/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue's order. Inputs are the same for all rows and loaded once. What
 * memory held of a part (a sum) is asked for `ahead` parts before it is added, into
 * buffers that take turns, so that the others' latency passes while one is
 * computed. */
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

/* Elements n of an input, where mask says. */
static void load_elements(struct xk_lowering *l, unsigned input,
                          const struct xk_send *send, const xk_expr *n,
                          const xk_expr *reg, uint32_t reg_b,
                          const xk_expr *mask)
{
    const struct xk_operand_view *const v = &l->p->con->input[input];
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    xk_lower_n_only(l, n, at);
    xk_lower_send(l, &l->w, send, l->arg_in[input],
                  xk_lower_offset(l, &v->view, at), reg, reg_b, NULL, mask);
}

/* As it lies in memory. */
static void load_blocks(struct xk_lowering *l, unsigned input,
                        const xk_expr *buf)
{
    struct xk_send send = {.op = XK_SEND_LOAD,
                           .space = XK_SPACE_GLOBAL,
                           .data_b = 4,
                           .lanes = 1,
                           .block = true};
    const unsigned n = l->p->epi.n;
    const xk_expr *const all = xk_lower_true(l, 1);
    for (unsigned first = 0; first < n; first += send.vec) {
        const xk_expr *const at = xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first);
        send.vec = (uint8_t)xk_plan_block_vec(n - first);
        load_elements(l, input, &send, at, buf, 4 * first, all);
    }
}

/* An input that is broadcast over M: epi.n elements, zero beyond N. */
static const xk_expr *load_input(struct xk_lowering *l, unsigned input)
{
    const struct xk_plan *const p = l->p;
    const unsigned simd = p->s.simd;
    const xk_expr *const buf =
        xk_block_alloc(&l->w, p->con->input[input].name, 4u * p->epi.n, 0);
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)simd};
    if (p->epi.input_blocks) {
        load_blocks(l, input, buf);
        return buf;
    }
    if (p->epi.input_masked)
        xk_lower_zero(l, &l->w, buf, 0, 4u * p->epi.n);
    for (unsigned first = 0; first < p->epi.n; first += simd) {
        const xk_expr *const n = xk_lower_out_columns(l, first);
        const xk_expr *mask = xk_lower_true(l, simd);
        if (p->epi.input_masked)
            mask = xk_block_let(&l->w, "in_n",
                                xk_bin_imm(l->c, XK_OP_LT, n, p->n_extent));
        load_elements(l, input, &send, n, buf, 4 * first, mask);
    }
    return buf;
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
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    const struct xk_epi_part at = e->f->part(e->l, number);
    const xk_expr *const out = p->turns ? e->out[number % p->turns] : NULL;
    const xk_expr *old = NULL;
    if (p->ahead) {
        old = e->raw[number % p->ahead];
        if (e->old)
            e->f->widen(e, old);
        old = e->old ? e->old : old;
    }
    e->f->finish(e, &at, old, out);
    e->f->move(e, XK_SEND_STORE, &at, out ? out : e->l->acc,
               out ? 0 : at.acc_b);
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
    for (unsigned i = 0; i < p->wide; i++)
        e->wide[i] = xk_block_alloc(&l->w, "wide", XK_EPI_WIDE_B, 0);
    for (unsigned i = 0; i < p->turns; i++) {
        e->out[i] = xk_block_alloc(&l->w, "out", p->part_b, 0);
        if (!xk_plan_stores_dense(p)) /* the rest of each lane's dword */
            xk_lower_zero(l, &l->w, e->out[i], 0, p->part_b);
    }
}

/* The operations' texts as lists of operators. */
static void compile(struct xk_epilogue *e)
{
    const struct xk_nest *const con = e->l->p->con;
    if (con->n_epi)
        e->code = xk_malloc(e->l->c, con->n_epi * sizeof(*e->code));
    for (unsigned i = 0; e->code && i < con->n_epi; i++)
        if (xk_epi_compile(e->l->c, &con->epi[i], &e->code[i]) < 0)
            e->code[i].n = 0;
}

void xk_lower_epilogue_begin(struct xk_lowering *l, struct xk_epilogue *e)
{
    *e = (struct xk_epilogue){.l = l, .f = &xk_epi_rows};
    if (xk_fma_is_systolic(l->p->s.fma))
        e->f = &xk_epi_columns;
    compile(e);
    preload(e);
}

void xk_lower_epilogue_end(struct xk_epilogue *e)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    buffers(e);
    for (unsigned i = 0; i < p->parts; i++) {
        if (p->ahead == 1)
            load_part(e, i);
        finish_part(e, i);
        if (p->ahead > 1 && i + p->ahead < p->parts)
            load_part(e, i + p->ahead);
    }
    xk_free(e->l->c, e->code);
}
