/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/taps.h"

#include "lower/headers.h"

void xk_lower_tap(const struct xk_lowering *l, unsigned tap, const xk_expr **at)
{
    const struct xk_nest *const con = l->p->con;
    int64_t k[XK_VIEW_MAX_DIMS];
    xk_contraction_tap(con->index, con->n_index, tap, k);
    for (unsigned x = 0; x < con->n_index; x++)
        if (con->index[x].role == XK_ROLE_K)
            at[x] = xk_s32(l->c, k[x]);
}

const xk_expr *xk_lower_tap_of(const struct xk_lowering *l, const xk_expr *i)
{
    return xk_bin_imm(l->c, XK_OP_MOD, i, l->p->flat.taps);
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
    const struct xk_nest *const con = l->p->con;
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
    const xk_expr *const from =
        xk_lower_start_a(l, step_b, step_b);
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
    const struct xk_nest *const con = l->p->con;
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
