/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/taps.h"

#include "lower/headers.h"

void xk_lower_tap(const struct xk_lowering *l, unsigned tap, const xk_expr **at)
{
    const struct xk_contraction *const con = l->p->con;
    int64_t k[XK_VIEW_MAX_DIMS];
    xk_contraction_tap(con, tap, k);
    for (unsigned x = 0; x < con->n_index; x++)
        if (con->index[x].role == XK_ROLE_K)
            at[x] = xk_s32(l->c, k[x]);
}

int64_t xk_lower_slice_steps(const struct xk_lowering *l)
{
    return xk_plan_k_inner(l->p)->extent / l->p->s.k_step / l->p->s.slices;
}

const xk_expr *xk_lower_of_slice(struct xk_lowering *l, const xk_expr *at,
                                 int64_t slice_b)
{
    if (!l->slice)
        return at;
    const xk_expr *const by = xk_bin_imm(l->c, XK_OP_MUL, l->slice, slice_b);
    return xk_add(l->c, at, xk_cast(l->c, XK_DT_U32, by));
}

const xk_expr *xk_lower_start_a(struct xk_lowering *l, int64_t before_b,
                                int64_t step_b)
{
    const xk_expr *const at = xk_add(
        l->c, xk_lower_surface_at(l, l->arg_a), xk_lower_u32(l, -before_b));
    return xk_lower_of_slice(l, at, xk_lower_slice_steps(l) * step_b);
}

/* Whether offsets go from tap to tap by constants. */
static bool tap_strides(struct xk_lowering *l, int64_t *stride_b)
{
    const struct xk_contraction *const con = l->p->con;
    for (unsigned x = 0; x < con->n_index; x++) {
        const struct xk_index *const d = &con->index[x];
        int64_t run;
        stride_b[x] = 0;
        if (d->role != XK_ROLE_K || d->extent == 1 ||
            d == xk_plan_k_inner(l->p))
            continue;
        if (!xk_view_stride_b(l->c, &con->a.view, d->name, &stride_b[x],
                              &run) ||
            run < d->extent)
            return false;
    }
    return true;
}

void xk_lower_tap_rows(struct xk_lowering *l, const xk_expr *m,
                       const xk_expr *k, int64_t step_b, struct xk_tap_rows *r)
{
    const struct xk_plan *const p = l->p;
    *r = (struct xk_tap_rows){.m = m, .step_b = step_b};
    xk_lower_unpack_m(l, m, r->at);
    xk_lower_tap(l, 0, r->at);
    r->at[xk_lower_k_inner(l)] = k;
    r->even = tap_strides(l, r->stride_b);
    /* One after the other: compilers differ in the order of arguments. */
    const xk_expr *const from = xk_lower_start_a(l, step_b, step_b);
    const xk_expr *const off =
        xk_cast(l->c, XK_DT_U32, xk_lower_offset(l, &p->con->a.view, r->at));
    const xk_expr *const sum = xk_add(l->c, from, off);
    r->first = xk_block_let(
        &l->w, "first", xk_lower_widen(l, sum, xk_type_of(m).lanes));
}

/* Bytes from the first tap, whose coordinates stand in at[]. */
static const xk_expr *tap_b(struct xk_lowering *l, const struct xk_tap_rows *r,
                            const xk_expr *const *at)
{
    const struct xk_contraction *const con = l->p->con;
    int64_t sum_b = 0, v;
    if (!r->even) { /* the whole offset less the first */
        const xk_expr *const off = xk_lower_offset(l, &con->a.view, at);
        const xk_expr *const first = xk_lower_offset(l, &con->a.view, r->at);
        return xk_cast(l->c, XK_DT_U32, xk_sub(l->c, off, first));
    }
    for (unsigned x = 0; x < con->n_index; x++)
        if (r->stride_b[x] && xk_is_const(at[x], &v))
            sum_b += v * r->stride_b[x];
    return xk_lower_u32(l, sum_b);
}

const xk_expr *xk_lower_tap_offset(struct xk_lowering *l,
                                   const struct xk_tap_rows *r, unsigned tap)
{
    const struct xk_plan *const p = l->p;
    const unsigned k = xk_lower_k_inner(l);
    const xk_expr *at[XK_VIEW_MAX_DIMS];
    for (unsigned x = 0; x < p->con->n_index; x++)
        at[x] = r->at[x];
    xk_lower_tap(l, tap, at);
    at[k] = r->at[k];
    const xk_expr *const off = xk_add(l->c, r->first, tap_b(l, r, at));
    const xk_expr *const mask = xk_lower_mask(l, &p->con->a.view, at);
    return xk_lower_or_beside(l, r->m, mask, off,
                              p->flat.beside - r->step_b);
}

/* Coordinates of step i: i / taps steps into the inner K, tap i % taps. */
static void step_index(struct xk_lowering *l, const xk_expr *i, unsigned taps,
                       const xk_expr **at)
{
    const struct xk_contraction *const con = l->p->con;
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
