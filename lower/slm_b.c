/* SPDX-License-Identifier: Apache-2.0 */
/* B in shared local memory (plan.h, struct xk_plan_shared_b). Each tile of the
 * group's columns comes once, a message a unit, and lies in SLM as in registers;
 * a dpasw pair's halves count as tiles of two owners. */
#include "lower/slm.h"
#include "lower/taps.h"

static const struct xk_plan_list *messages(const struct xk_slm_loop *g)
{
    return &g->l->p->seg[0].b;
}

/* Owners of a thread's columns: both halves of a pair, else itself. */
static unsigned halves(const struct xk_slm_loop *g)
{
    return xk_plan_is_wide(g->l->p) ? 2 : 1;
}

/* First column of an owner, inside B as the threads' own (lower.c). */
static const xk_expr *column(struct xk_slm_loop *g, const xk_expr *owner)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan *const p = l->p;
    const xk_expr *const thread = xk_bin_imm(l->c, XK_OP_DIV, owner, halves(g));
    const xk_expr *const half = xk_bin_imm(l->c, XK_OP_MOD, owner, halves(g));
    const xk_expr *const own =
        xk_bin_imm(l->c, XK_OP_MUL, l->thread_n, p->s.n_thr);
    const xk_expr *const group = xk_sub(l->c, l->n0, own);
    const xk_expr *n = xk_add(
        l->c, group, xk_bin_imm(l->c, XK_OP_MUL, thread, p->s.n_thr));
    if (p->b.clamp_rows)
        n = xk_bin_imm(l->c, XK_OP_MIN, n, p->b.rows_padded - p->s.n_thr);
    return xk_add(l->c, n,
                  xk_bin_imm(l->c, XK_OP_MUL, half, p->s.n_thr / halves(g)));
}

/* Where the unit is in memory, in front of the first step. */
static const xk_expr *unit_offset(struct xk_slm_loop *g, const xk_expr *unit)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_shared_b *const b = &g->s->b;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const unsigned n = messages(g)->n;
    const xk_expr *const in = xk_bin_imm(l->c, XK_OP_MIN, unit, b->units - 1);
    const xk_expr *const owner = xk_bin_imm(l->c, XK_OP_DIV, in, n);
    const xk_expr *const item = xk_bin_imm(l->c, XK_OP_MOD, in, n);
    const xk_expr *const row = xk_bin_imm(l->c, XK_OP_MUL, item, b->row);
    xk_lower_tap(l, 0, at);
    at[xk_lower_k_inner(l)] =
        xk_bin_imm(l->c, XK_OP_MUL, item, b->k);
    const xk_expr *const first = column(g, owner);
    xk_lower_set_n(l, xk_add(l->c, first, row), at);
    const xk_expr *const off = xk_lower_offset(l, &l->p->con->b.view, at);
    return xk_add(l->c, xk_slm_start_b(g), xk_cast(l->c, XK_DT_U32, off));
}

/* A place in SLM, in u32. */
static const xk_expr *place(struct xk_slm_loop *g, const xk_expr *unit,
                            uint32_t flip)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_shared_b *const b = &g->s->b;
    const xk_expr *const byte = xk_cast(
        l->c, XK_DT_U32, xk_bin_imm(l->c, XK_OP_MUL, unit, b->unit_b));
    return xk_bin_imm(l->c, XK_OP_ADD, byte, b->at_b + flip);
}

void xk_slm_prepare_shared_b(struct xk_slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_shared_b *const b = &g->s->b;
    const unsigned n = messages(g)->n;
    g->staged_b =
        xk_block_alloc(&l->w, "staged_b", b->per_thread * b->unit_b, 0);
    g->from_b = xk_block_alloc(&l->w, "from_b", b->per_thread * XK_HEADER_B, 0);
    g->to_b = xk_block_alloc(&l->w, "to_b", b->per_thread * XK_HEADER_B, 0);
    g->out_of_b = xk_block_alloc(&l->w, "out_of_b", n * XK_HEADER_B, 0);
    for (unsigned u = 0; u < b->per_thread; u++) {
        const xk_expr *const unit = xk_block_let(
            &l->w, "unit", xk_slm_unit(g, b->per_thread, u));
        xk_lower_set_header(l, g->from_b, u * XK_HEADER_B,
                            unit_offset(g, unit));
        xk_lower_set_header(l, g->to_b, u * XK_HEADER_B,
                            place(g, unit, xk_slm_store_flip(g)));
    }
    const xk_expr *owner =
        xk_bin_imm(l->c, XK_OP_MUL, l->thread_n, halves(g));
    if (halves(g) > 1)
        owner = xk_add(l->c, owner, xk_bin_imm(l->c, XK_OP_MOD, l->tid, 2));
    const xk_expr *const first = xk_block_let(
        &l->w, "own", xk_bin_imm(l->c, XK_OP_MUL, owner, n));
    for (unsigned k = 0; k < n; k++)
        xk_lower_set_header(l, g->out_of_b, k * XK_HEADER_B,
                            place(g, xk_bin_imm(l->c, XK_OP_ADD, first, k),
                                  xk_slm_read_flip(g, 0)));
}

static const xk_expr *header(struct xk_slm_loop *g, const xk_expr *buf,
                             unsigned k)
{
    return xk_lower_reg(g->l, buf, k * XK_HEADER_B);
}

static struct xk_send slm_send(const struct xk_slm_loop *g, enum xk_send_op op)
{
    return xk_lower_slm_send(op, g->s->b.unit_b / 4, 1);
}

void xk_slm_gather_b(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_shared_b *const b = &g->s->b;
    const struct xk_send s =
        xk_lower_through_surface(l, &messages(g)->item[0].msg.send, l->arg_b);
    xk_slm_move(g, w, g->from_b, b->per_thread, XK_OP_ADD,
                xk_slm_b_move(g, 0));
    for (unsigned u = 0; u < b->per_thread; u++)
        xk_lower_sendh(l, w, &s, header(g, g->from_b, u),
                       xk_lower_reg(l, g->staged_b, u * b->unit_b));
}

void xk_slm_store_b(struct xk_slm_loop *g, struct xk_block_writer *w,
                    const xk_expr *flip)
{
    const struct xk_plan_shared_b *const b = &g->s->b;
    const struct xk_send s = slm_send(g, XK_SEND_STORE);
    xk_slm_move(g, w, g->to_b, b->per_thread, XK_OP_XOR, flip);
    for (unsigned u = 0; u < b->per_thread; u++)
        xk_lower_sendh(g->l, w, &s, header(g, g->to_b, u),
                       xk_lower_reg(g->l, g->staged_b, u * b->unit_b));
}

void xk_slm_fetch_b(struct xk_slm_loop *g, struct xk_block_writer *w,
                    const xk_expr *flip)
{
    const unsigned n = messages(g)->n;
    const struct xk_send s = slm_send(g, XK_SEND_LOAD);
    xk_slm_move(g, w, g->out_of_b, n, XK_OP_XOR, flip);
    for (unsigned k = 0; k < n; k++)
        xk_lower_sendh(g->l, w, &s, header(g, g->out_of_b, k),
                       xk_lower_reg(g->l, g->l->b,
                                    messages(g)->item[k].msg.reg_b));
}
