/* SPDX-License-Identifier: Apache-2.0 */
/* A run of functions on all of C. It needs no place in memory, so a loop can do
 * it: each time the functions change the first vectors of C's registers, and
 * all registers move by so many, the first to the end. When it ends each is
 * back. */
#include "lower/epilogue.h"

enum xk_status xk_epi_ring_init(struct xk_lowering *l, struct xk_epi_ring *r)
{
    const struct xk_plan *const p = l->p;
    bool used[XK_EPI_MAX_RING] = {false};
    *r = (struct xk_epi_ring){.lanes = p->acc_b % 64 ? 8 : 16};
    const uint32_t vector_b = 4 * r->lanes;
    if (p->acc_b > XK_EPI_MAX_RING * vector_b)
        return xk_fail(l->c, XK_EINTERNAL, "lower: C of %u bytes in a loop",
                       p->acc_b);
    for (unsigned i = 0; i < (unsigned)p->epi.m * p->epi.n; i++) {
        const int64_t at[2] = {i / p->epi.n, i % p->epi.n};
        used[4 * xk_layout_offset_e(&p->part, at) / vector_b] = true;
    }
    for (unsigned i = 0; i < XK_EPI_MAX_RING; i++)
        if (used[i])
            r->at_b[r->n++] = i * vector_b;
    r->step = p->epi.loop_vectors;
    while (r->n % r->step)
        r->step--;
    r->turned = xk_block_alloc(&l->w, "turned", r->step * vector_b, 0);
    return XK_OK;
}

static const xk_expr *vector_at(struct xk_lowering *l,
                                const struct xk_epi_ring *r, unsigned i)
{
    return xk_lower_reg(l, l->acc, r->at_b[i]);
}

static void copy(struct xk_lowering *l, const struct xk_epi_ring *r,
                 const xk_expr *from, const xk_expr *to)
{
    const struct xk_type type = xk_type_vec(XK_DT_F32, r->lanes);
    const xk_expr *const x = xk_block_load(&l->w, "turned", type, from);
    xk_block_add(&l->w, xk_store(l->c, to, x));
}

static void turn_ring(struct xk_lowering *l, const struct xk_epi_ring *r)
{
    const unsigned n = r->step;
    for (unsigned i = 0; i < n; i++)
        copy(l, r, vector_at(l, r, i),
             xk_lower_reg(l, r->turned, 4 * i * r->lanes));
    for (unsigned i = n; i < r->n; i++)
        copy(l, r, vector_at(l, r, i), vector_at(l, r, i - n));
    for (unsigned i = 0; i < n; i++)
        copy(l, r, xk_lower_reg(l, r->turned, 4 * i * r->lanes),
             vector_at(l, r, r->n - n + i));
}

void xk_epi_loop(struct xk_epilogue *e, const struct xk_epi_ring *r,
                 unsigned first, unsigned end)
{
    struct xk_lowering *const l = e->l;
    const bool once = r->step == r->n;
    const xk_expr *const i = xk_lower_counter(l, "turn", r->n / r->step);
    if (!i)
        return;
    if (!once)
        xk_block_for(&l->w, i, r->n / r->step);
    for (unsigned v = 0; v < r->step; v++) {
        const xk_expr *const at = vector_at(l, r, v);
        const struct xk_epi_vector x = {
            .lanes = r->lanes, .from = at, .to = at};
        xk_epi_operate(e, first, end, &x);
    }
    if (once)
        return;
    turn_ring(l, r);
    xk_block_end_for(&l->w);
}
