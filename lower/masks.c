/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/masks.h"

#include "lower/headers.h"

bool xk_lower_loads_zero(const struct xk_lowering *l,
                         const struct xk_operand_view *v)
{
    return l->p->t.dpas && l->p->t.surfaces && !v->fill;
}

static unsigned row_blocks(const struct xk_lowering *l)
{
    return l->p->t.m / l->p->t.lanes;
}

static unsigned col_blocks(const struct xk_lowering *l)
{
    return l->p->t.n / l->p->t.lanes;
}

static bool is_true(const xk_expr *mask)
{
    int64_t v = 0;
    return mask && xk_is_const(mask, &v) && v == 1;
}

static const xk_expr *let_mask(struct xk_lowering *l, const char *name,
                               const xk_expr *mask)
{
    return xk_block_let(&l->w, name, xk_lower_widen(l, mask, l->p->t.lanes));
}

/* Whether masks of B's view wait for the K loops. */
static bool b_leaves(const struct xk_lowering *l)
{
    return l->p->con->b.leaves && l->p->b.row_lanes;
}

/* Columns inside N. */
static void mask_columns(struct xk_lowering *l, unsigned j)
{
    l->mask_b[j] = xk_bin_imm(l->c, XK_OP_LT, l->cols[j], l->p->n_extent);
    if (!b_leaves(l))
        l->mask_b[j] = let_mask(l, "mask_b", l->mask_b[j]);
}

void xk_lower_columns(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    bool masked = false;
    for (unsigned j = 0; j < col_blocks(l); j++) {
        l->mask_b[j] = xk_lower_true(l, p->t.lanes);
        if (!p->b.row_lanes)
            continue;
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->n0_b, j * p->t.lanes);
        l->cols[j] = xk_block_let(&l->w, "n", xk_lower_lanes(l, first));
        if (p->b.row_masked)
            mask_columns(l, j);
        masked |= !is_true(l->mask_b[j]);
    }
    if (!masked || b_leaves(l) || xk_lower_loads_zero(l, &p->con->b))
        return;
    if (p->b.staging_b)
        xk_lower_zero(l, &l->w, l->stage_b, 0, p->b.staging_b);
    else
        xk_lower_zero(l, &l->w, l->b, 0, xk_plan_slots_b(&p->b));
}

/* K loop variables exist before their loops, so that masks can be looked at
 * to see which loops they depend on. Extent 1: the constant 0. */
static void make_k_vars(struct xk_lowering *l)
{
    const struct xk_nest *const con = l->p->con;
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_K)
            continue;
        l->k[i] = xk_s32(l->c, 0);
        if (x->extent == 1 || x == xk_plan_k_inner(l->p))
            continue;
        l->k[i] = xk_lower_counter(l, x->name, x->extent);
    }
}

void xk_lower_a_index(struct xk_lowering *l, unsigned i, const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        at[x] = l->k[x] ? l->k[x] : l->lane[i][x];
}

void xk_lower_b_index(struct xk_lowering *l, const xk_expr *n,
                      const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        at[x] = l->k[x];
    xk_lower_set_n(l, n, at);
}

static void leave_columns(struct xk_lowering *l)
{
    for (unsigned j = 0; j < col_blocks(l); j++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        xk_lower_b_index(l, l->cols[j], at);
        const xk_expr *const mask = xk_lower_mask(l, &l->p->con->b.view, at);
        l->mask_b[j] =
            xk_and(l->c, l->mask_b[j], xk_lower_widen(l, mask, l->p->t.lanes));
    }
}

void xk_lower_rows(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    make_k_vars(l);
    for (unsigned i = 0; i < row_blocks(l); i++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->m0, i * p->t.lanes);
        const xk_expr *const m =
            xk_block_let(&l->w, "m", xk_lower_lanes(l, first));
        l->row_m[i] = m;
        xk_lower_unpack_m(l, m, l->lane[i]);
        xk_lower_a_index(l, i, at);
        l->mask_a[i] = xk_lower_mask(l, &p->con->a.view, at);
        if (p->con->place_e) /* each place has its own */
            l->mask_a[i] = xk_lower_true(l, p->t.lanes);
        else if (p->a.row_masked && l->mask_a[i])
            l->mask_a[i] = xk_and(l->c, xk_lower_below_m(l, m), l->mask_a[i]);
    }
    if (b_leaves(l))
        leave_columns(l);
    if (p->con->place_e)
        l->heads = xk_block_alloc(&l->w, "heads",
                                  XK_LOWER_PLACE_HEADERS * XK_HEADER_B, 0);
}

static bool depends_on_k(const struct xk_lowering *l, const xk_expr *mask)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        if (l->k[x] && xk_op(l->k[x]) == XK_OP_VAR &&
            xk_depends_on(mask, l->k[x]))
            return true;
    return false;
}

/* An operand whose rows are lanes. */
struct masked {
    const char *name;
    const struct xk_operand_view *v;
    const struct xk_plan_operand *o;
    const xk_expr **mask; /* per block of lanes */
    const xk_expr *buf, *staging;
    unsigned blocks;
};

static void fill_block(struct xk_lowering *l, const struct masked *x,
                       unsigned block)
{
    const bool staged = x->o->staging_b != 0;
    const xk_expr *const outside = xk_lower_outside(l, x->v);
    const uint32_t slot_b = staged ? x->o->staging_b : x->o->tile_b;
    struct xk_lower_part part = {.buf = staged ? x->staging : x->buf,
                                 .size_b = slot_b / x->blocks};
    for (unsigned s = 0; s < (staged ? 1u : x->o->slots); s++) {
        part.first_b = s * slot_b + block * part.size_b;
        xk_lower_fill_part(l, &l->w, &part, outside);
    }
}

/* Whether a mask is bound inside the K loops: it depends on them, or what it
 * masks is not 0, which a short last step overwrites with zeros. */
static bool is_inner(const struct xk_lowering *l, const struct masked *x,
                     const xk_expr *mask)
{
    return x->v->fill || depends_on_k(l, mask);
}

static void bind(struct xk_lowering *l, const struct masked *x, bool inner)
{
    for (unsigned i = 0; i < x->blocks; i++) {
        const xk_expr *const m = x->mask[i];
        if (!m || xk_op(m) == XK_OP_VAR || is_inner(l, x, m) != inner)
            continue;
        x->mask[i] = let_mask(l, x->name, m);
        if (!is_true(x->mask[i]) && !xk_lower_loads_zero(l, x->v))
            fill_block(l, x, i);
    }
}

void xk_lower_bind_masks(struct xk_lowering *l, bool inner)
{
    const struct xk_plan *const p = l->p;
    const struct masked a = {"mask_a", &p->con->a, &p->a,        l->mask_a,
                             l->a,     l->stage_a, row_blocks(l)};
    const struct masked b = {"mask_b", &p->con->b, &p->b,        l->mask_b,
                             l->b,     l->stage_b, col_blocks(l)};
    bind(l, &a, inner);
    if (b_leaves(l))
        bind(l, &b, inner);
}
