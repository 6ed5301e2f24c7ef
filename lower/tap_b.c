/* SPDX-License-Identifier: Apache-2.0 */
/* B in loops over all of K with filter taps innermost. */
#include "lower/headers.h"
#include "lower/taps.h"

/* Coordinates of step i: i / taps steps into the inner K, tap i % taps. */
static void step_index(struct xk_lowering *l, const xk_expr *i, unsigned taps,
                       const xk_expr **at)
{
    const struct xk_nest *const con = l->p->con;
    const xk_expr *tap = xk_bin_imm(l->c, XK_OP_MOD, i, taps);
    const xk_expr *step = xk_bin_imm(l->c, XK_OP_DIV, i, taps);
    if (l->slice)
        step = xk_add(l->c, step,
                      xk_bin_imm(l->c, XK_OP_MUL, l->slice,
                                 xk_lower_slice_steps(l)));
    for (int x = (int)con->n_index - 1; x >= 0; x--) {
        const struct xk_index *const d = &con->index[x];
        if (d->role != XK_ROLE_K)
            continue;
        if (d == xk_plan_k_inner(l->p)) {
            at[x] = xk_bin_imm(l->c, XK_OP_MUL, step, l->p->s.k_step);
            continue;
        }
        at[x] = xk_bin_imm(l->c, XK_OP_MOD, tap, d->extent);
        tap = xk_bin_imm(l->c, XK_OP_DIV, tap, d->extent);
    }
}

/* Bytes of one step of a whole tile of B. */
static int64_t step_b_of(const struct xk_plan *p)
{
    return (int64_t)p->s.n_thr * p->s.k_step *
           xk_dtype_b(p->con->b.view.layout.dt);
}

/* In the loop's order only the step moves the offset, by as much each time. */
static const xk_expr *b_offset(struct xk_lowering *l, const xk_expr *i,
                               const struct xk_plan_msg *m)
{
    const struct xk_plan *const p = l->p;
    const unsigned taps = p->flat.taps;
    const bool in_order = p->flat.b_in_order;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const xk_expr *const row = xk_lower_b_column(l, m->row);
    const unsigned k = xk_lower_k_inner(l);
    const xk_expr *step = i;
    if (in_order)
        xk_lower_tap(l, 0, at);
    else
        step_index(l, i, taps, at);
    xk_lower_set_n(l, row, at);
    at[k] = xk_bin_imm(l->c, XK_OP_ADD, at[k], m->k);
    const xk_expr *const off = xk_lower_offset(l, &p->con->b.view, at);
    if (!in_order)
        return off;
    if (l->slice)
        step = xk_add(l->c, step,
                      xk_bin_imm(l->c, XK_OP_MUL, l->slice,
                                 xk_lower_slice_steps(l) * taps));
    return xk_add(l->c, off, xk_bin_imm(l->c, XK_OP_MUL, step, step_b_of(p)));
}

void xk_lower_tap_b(struct xk_lowering *l, struct xk_block_writer *w,
                    const xk_expr *i)
{
    const struct xk_plan_list *const list = &l->p->seg[0].b;
    const xk_expr *const slot = xk_lower_slot_b(l, i, &l->p->b);
    for (unsigned n = 0; n < list->n; n++) {
        const struct xk_plan_msg *const m = &list->item[n].msg;
        xk_lower_send(l, w, &m->send, l->arg_b,
                      b_offset(l, i, m), l->b, m->reg_b, slot,
                      xk_lower_true(l, 1));
    }
}
