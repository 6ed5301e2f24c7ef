/* SPDX-License-Identifier: Apache-2.0 */
/* A run of functions on all of C. It needs no place in memory, so a loop can do
 * it: each time the functions change the first vectors of C's registers, and
 * all registers move by so many, the first to the end. When it ends each is
 * back. */
#include "lower/epilogue.h"

#define MAX_VECTORS 256

/* Vectors of C's registers that hold elements of the thread's part. */
struct ring {
    unsigned lanes, n;
    uint32_t at_b[MAX_VECTORS];
};

static struct ring ring_of(const struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    struct ring r = {.lanes = p->acc_b % 64 ? 8 : 16};
    const uint32_t vector_b = 4 * r.lanes;
    bool used[MAX_VECTORS] = {false};
    for (unsigned i = 0; i < (unsigned)p->epi.m * p->epi.n; i++) {
        const int64_t at[2] = {i / p->epi.n, i % p->epi.n};
        const int64_t b = 4 * xk_layout_offset_e(&p->part, at);
        used[b / vector_b % MAX_VECTORS] = true;
    }
    for (unsigned i = 0; i < MAX_VECTORS; i++)
        if (used[i])
            r.at_b[r.n++] = i * vector_b;
    return r;
}

/* Vectors of each time: as many as there are registers for, so that all times
 * are alike. */
static unsigned step_of(const struct ring *r, unsigned cost)
{
    unsigned n = xk_plan_loop_vectors(cost);
    while (r->n % n)
        n--;
    return n;
}

static const xk_expr *vector_at(struct xk_lowering *l, const struct ring *r,
                                unsigned i)
{
    return xk_lower_reg(l, l->acc, r->at_b[i]);
}

static void copy(struct xk_lowering *l, const struct ring *r,
                 const xk_expr *from, const xk_expr *to)
{
    const struct xk_type type = xk_type_vec(XK_DT_F32, r->lanes);
    const xk_expr *const x = xk_block_load(&l->w, "turned", type, from);
    xk_block_add(&l->w, xk_store(l->c, to, x));
}

/* All vectors by n places. */
static void turn(struct xk_epilogue *e, const struct ring *r, unsigned n)
{
    struct xk_lowering *const l = e->l;
    for (unsigned i = 0; i < n; i++)
        copy(l, r, vector_at(l, r, i),
             xk_lower_reg(l, e->turned, 4 * i * r->lanes));
    for (unsigned i = n; i < r->n; i++)
        copy(l, r, vector_at(l, r, i), vector_at(l, r, i - n));
    for (unsigned i = 0; i < n; i++)
        copy(l, r, xk_lower_reg(l, e->turned, 4 * i * r->lanes),
             vector_at(l, r, r->n - n + i));
}

void xk_epi_loop(struct xk_epilogue *e, unsigned first, unsigned end,
                 unsigned cost)
{
    struct xk_lowering *const l = e->l;
    const struct ring r = ring_of(l);
    const unsigned n = step_of(&r, cost);
    const bool once = n == r.n;
    const xk_expr *const i = xk_lower_counter(l, "turn", r.n / n);
    if (!i)
        return;
    if (!once)
        xk_block_for(&l->w, i, r.n / n);
    for (unsigned v = 0; v < n; v++) {
        const xk_expr *const at = vector_at(l, &r, v);
        const struct xk_epi_vector x = {.lanes = r.lanes, .from = at, .to = at};
        xk_epi_operate(e, first, end, &x);
    }
    if (once)
        return;
    turn(e, &r, n);
    xk_block_end_for(&l->w);
}
