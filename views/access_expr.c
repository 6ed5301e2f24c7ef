/* SPDX-License-Identifier: Apache-2.0 */
#include "views/access_expr.h"

/* A coordinate: a scalar if nothing else is in it. */
static const xk_expr *coordinate(xk_ctx *c, const struct xk_coord *x,
                                 unsigned n, const xk_expr *const *at)
{
    const xk_expr *sum = NULL;
    for (unsigned i = 0; i < n; i++) {
        if (!x->coef[i])
            continue;
        const xk_expr *const term =
            x->coef[i] == 1 ? at[i]
                            : xk_bin_imm(c, XK_OP_MUL, at[i], x->coef[i]);
        sum = sum ? xk_add(c, sum, term) : term;
    }
    if (!sum)
        return xk_s32(c, x->base);
    return x->base ? xk_bin_imm(c, XK_OP_ADD, sum, x->base) : sum;
}

/* What block i of the layout adds to the offset, bytes; div: elements of the
 * dim in the blocks further in. */
static const xk_expr *block_offset_b(xk_ctx *c, const struct xk_layout *l,
                                     unsigned i, int64_t div,
                                     const xk_expr *coord)
{
    const struct xk_block *const b = &l->block[i];
    const xk_expr *e = coord;
    if (div > 1)
        e = xk_bin_imm(c, XK_OP_DIV, e, div);
    if (div * b->size < l->padded[b->dim])
        e = xk_bin_imm(c, XK_OP_MOD, e, b->size);
    return xk_bin_imm(c, XK_OP_MUL, e, b->stride * xk_dtype_b(l->dt));
}

const xk_expr *xk_layout_place_b(xk_ctx *c, const struct xk_layout *l,
                                 const xk_expr *const *coord)
{
    int64_t div[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    const xk_expr *sum = xk_s32(c, l->offset_e * xk_dtype_b(l->dt));
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        if (b->size > 1)
            sum = xk_add(c, sum,
                         block_offset_b(c, l, i, div[b->dim], coord[b->dim]));
        div[b->dim] *= b->size;
    }
    return sum;
}

const xk_expr *xk_access_offset_b(xk_ctx *c, const struct xk_access *a,
                                  unsigned n, const xk_expr *const *at,
                                  xk_facts *f)
{
    const struct xk_layout *const l = &a->layout;
    const xk_expr *coord[XK_LAYOUT_MAX_DIMS];
    for (unsigned d = 0; d < l->n_dims; d++)
        coord[d] = coordinate(c, &a->at[d], n, at);
    const xk_expr *const sum = xk_layout_place_b(c, l, coord);
    return sum ? xk_simplify(c, sum, f) : NULL;
}

/* Whether a coordinate is in its interval: what its range does not say. NULL:
 * nothing. An expression whose answer is known costs as much as another. */
static const xk_expr *coordinate_mask(xk_ctx *c, const struct xk_coord *x,
                                      const xk_expr *v, xk_facts *f)
{
    int64_t lo = INT64_MIN, hi = INT64_MAX;
    if (f)
        xk_facts_range(f, v, &lo, &hi);
    const xk_expr *const from =
        lo >= x->lo ? NULL : xk_bin_imm(c, XK_OP_GE, v, x->lo);
    const xk_expr *const to =
        hi < x->hi ? NULL : xk_bin_imm(c, XK_OP_LT, v, x->hi);
    return from && to ? xk_and(c, from, to) : from ? from : to;
}

const xk_expr *xk_access_mask(xk_ctx *c, const struct xk_access *a, unsigned n,
                              const xk_expr *const *at, xk_facts *f)
{
    int64_t known;
    const xk_expr *all = NULL;
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const x = &a->at[d];
        const xk_expr *const in =
            coordinate_mask(c, x, coordinate(c, x, n, at), f);
        all = all && in ? xk_and(c, all, in) : all ? all : in;
    }
    if (!all)
        all = xk_imm(c, XK_DT_BOOL, 1);
    all = all ? xk_simplify(c, all, f) : NULL;
    if (all && xk_is_const(all, &known) && known)
        all = xk_imm(c, XK_DT_BOOL, 1); /* a scalar, as promised */
    return all;
}
