/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts for tensors that leave them open: what a schedule reads and writes
 * with the fewest and largest messages. */
#include <string.h>

#include "plan/plan.h"
#include "views/access.h"
#include "views/row_order.h"

/* The dims of A, B and C that are an index: the innermost K, the K in front of
 * it, N, and the M that eight rows share a position along; -1: none is. */
struct dims {
    int a_k, a_m, b_k, b_outer, b_n, c_n, c_m;
};

static int dim_of(const struct xk_access *a, int index)
{
    return index < 0 ? -1 : xk_access_dim_of(a, (unsigned)index);
}

static struct dims dims_of(const struct xk_contraction *con)
{
    const int k = xk_contraction_last(con, XK_ROLE_K);
    const int outer = xk_contraction_before(con, k);
    const int n = xk_contraction_last(con, XK_ROLE_N);
    const int m = xk_row_order_of(con).free;
    return (struct dims){.a_k = dim_of(&con->a, k),
                         .a_m = dim_of(&con->a, m),
                         .b_k = dim_of(&con->b, k),
                         .b_outer = dim_of(&con->b, outer),
                         .b_n = dim_of(&con->b, n),
                         .c_n = dim_of(&con->c, n),
                         .c_m = dim_of(&con->c, m)};
}

/* No blocks yet. */
static void begin_unblocked(struct xk_layout *l, const struct xk_access *a)
{
    memset(l, 0, sizeof(*l));
    l->dt = a->layout.dt;
    l->n_dims = a->layout.n_dims;
    memcpy(l->dim, a->layout.dim, sizeof(l->dim));
}

/* A block of the dim behind those that are there; of size 0 as large as the
 * dim's others leave. */
static void put_layout_block(struct xk_layout *l, int dim, int64_t size)
{
    if (dim >= 0)
        l->block[l->n_blocks++] =
            (struct xk_block){.dim = (uint8_t)dim, .size = size};
}

/* All dims that have none, but for two of them (-1: no such). */
static void put_others(struct xk_layout *l, int but, int or_but)
{
    unsigned there = 0;
    for (unsigned i = 0; i < l->n_blocks; i++)
        there |= 1u << l->block[i].dim;
    for (int d = 0; d < l->n_dims; d++)
        if (!(there >> d & 1) && d != but && d != or_but)
            put_layout_block(l, d, 0);
}

/* A or C with the dim innermost. */
static void plain(struct xk_layout *l, const struct xk_access *a, int inner)
{
    begin_unblocked(l, a);
    put_others(l, inner, -1);
    put_layout_block(l, inner, 0);
}

/* A or C in blocks of that dim. Inside a position its rows, where eight rows of
 * M are then one run of memory: no gather has half lines, whatever the stride
 * is. */
static void blocks_of(struct xk_layout *l, const struct xk_access *a, int inner,
                      int m, bool together, int64_t block)
{
    begin_unblocked(l, a);
    put_layout_block(l, together ? inner : m, 0);
    if (together)
        put_others(l, m, -1);
    put_layout_block(l, together ? m : inner, 0);
    put_others(l, -1, -1);
    put_layout_block(l, inner, block);
}

/* Columns of a block of B: the tile's, or of them the largest power of two that
 * divides them and that there are kernels for. */
static unsigned columns(const struct xk_schedule *s, unsigned most)
{
    const unsigned n = s->n_thr & -s->n_thr;
    return n < most ? n : most;
}

/* Batch outermost, then N; K last or behind it: outer indices around a step of
 * K, or inside all of it. */
static void begin_b(struct xk_layout *l, const struct xk_contraction *con,
                    const struct dims *d, bool k_first)
{
    begin_unblocked(l, &con->b);
    for (unsigned i = 0; i < con->n_index; i++)
        if (con->index[i].role == XK_ROLE_BATCH)
            put_layout_block(l, xk_access_dim_of(&con->b, i), 0);
    put_layout_block(l, d->b_n, 0);
    if (k_first)
        put_layout_block(l, d->b_k, 0);
    put_others(l, d->b_k, -1);
    if (!k_first)
        put_layout_block(l, d->b_k, 0);
}

/* In the order of the loops; or some outer places with the little K of each.
 */
static void systolic_b(struct xk_layout *l, const struct xk_contraction *con,
                       const struct dims *d, const struct xk_schedule *s)
{
    const bool inner = xk_schedule_is_one_loop(s);
    const unsigned n = columns(s, inner || xk_schedule_packs(s) ? 64 : 32);
    begin_b(l, con, d, inner);
    put_layout_block(l, d->b_n, n);
    if (xk_schedule_packs(s))
        put_layout_block(l, d->b_outer, xk_schedule_gathers(s));
    put_layout_block(l, d->b_k, xk_schedule_packs(s) ? XK_PACK_FEW : s->k_step);
}

/* B with a batch in the lanes: blocks of it inside; with several columns of
 * each place of the batch, these inside. */
static void batch_b(struct xk_layout *l, const struct xk_contraction *con,
                    const struct dims *d)
{
    int batch = -1;
    for (unsigned i = 0; i < con->n_index; i++)
        if (con->index[i].role == XK_ROLE_BATCH && con->index[i].extent > 1)
            batch = xk_access_dim_of(&con->b, i);
    begin_unblocked(l, &con->b);
    if (d->b_n >= 0) {
        put_others(l, batch, d->b_n);
        put_layout_block(l, batch, 0);
        put_layout_block(l, d->b_n, 0);
        return;
    }
    put_layout_block(l, batch, 0);
    put_others(l, batch, -1);
    put_layout_block(l, batch, 16);
}

/* B where N is in the lanes; dwords of four bytes, a run of them along N. */
static void lanes_b(struct xk_layout *l, const struct xk_contraction *con,
                    const struct dims *d, const struct xk_schedule *s)
{
    begin_b(l, con, d, false);
    put_layout_block(l, d->b_n, columns(s, 32));
    if (s->fma == XK_FMA_DP4A)
        put_layout_block(l, d->b_k, 4);
}

static void choose_any_layouts(const struct xk_contraction *con,
                               const struct xk_schedule *s,
                               const struct xk_shape *shape,
                               struct xk_any_layouts *out)
{
    const struct dims d = dims_of(con);
    const bool systolic = xk_fma_family_of(s->fma)->dpas;
    const bool together = shape->together;
    /* Blocks of one dpas depth: no row of a step is ragged. Through SLM only
     * whole steps go, and K innermost keeps them close. */
    const bool steps = systolic && (!s->slm || together);
    /* So little K, or N, is padded to no more: neighbouring positions share
     * cache lines, and no group has padding alone to write. */
    const bool few_k = s->fma != XK_FMA_MAD && shape->k_inner <= XK_PACK_FEW;
    const int64_t n =
        d.c_n < 0 ? shape->n
                  : con->c.layout.dim[d.c_n] /* of several N the last */;
    const bool few_n = s->fma != XK_FMA_MAD && n <= XK_PACK_FEW;
    plain(&out->plain_a, &con->a, d.a_k);
    plain(&out->plain_c, &con->c, d.c_n);
    out->a = out->plain_a;
    out->c = out->plain_c;
    if (few_k || steps)
        blocks_of(&out->a, &con->a, d.a_k, d.a_m, together,
                  few_k ? XK_PACK_FEW : s->k_step);
    if (few_n || steps)
        blocks_of(&out->c, &con->c, d.c_n, d.c_m, together,
                  few_n ? XK_PACK_FEW : s->k_step);
    if (s->fma == XK_FMA_LANES)
        batch_b(&out->b, con, &d);
    else if (systolic)
        systolic_b(&out->b, con, &d, s);
    else
        lanes_b(&out->b, con, &d, s);
}

enum xk_status xk_plan_any_layouts(xk_ctx *c, const struct xk_contraction *con,
                                   const struct xk_schedule *s,
                                   const struct xk_shape *shape,
                                   struct xk_any_layouts *out)
{
    struct xk_layout *const all[] = {&out->a, &out->b, &out->c, &out->plain_a,
                                     &out->plain_c};
    choose_any_layouts(con, s, shape, out);
    for (unsigned i = 0; i < XK_COUNTOF(all); i++) {
        const char *const why = xk_layout_complete(all[i]);
        if (why)
            return xk_fail(c, XK_EUNSUPPORTED, "plan: in blocks %s", why);
    }
    return XK_OK;
}
