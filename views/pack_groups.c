/* SPDX-License-Identifier: Apache-2.0 */
#include "views/pack_groups.h"

#include <stdio.h>
#include <string.h>

static int column_index(const struct xk_contraction *p,
                        const struct xk_group_lanes *l)
{
    return l->n != XK_NO_INDEX ? l->n : xk_contraction_last(p, XK_ROLE_N);
}

/* A K index of several places that is not the groups'. */
static bool is_outer_k(const struct xk_contraction *p,
                       const struct xk_group_lanes *l, unsigned i)
{
    return p->index[i].role == XK_ROLE_K && i != l->k && p->index[i].extent > 1;
}

int64_t xk_pack_of_groups(const struct xk_contraction *p,
                          const struct xk_group_lanes *l, int64_t step,
                          int64_t most)
{
    unsigned n_outer = 0;
    for (unsigned i = 0; i < p->n_index; i++)
        n_outer += is_outer_k(p, l, i);
    if (l->k == XK_NO_INDEX || n_outer > 3 || column_index(p, l) < 0)
        return 1;
    for (int64_t n = most; n > 1; n--)
        if (l->groups % n == 0 && n * l->group_k <= most &&
            n * l->group_n <= most && n * l->group_k % step == 0 &&
            n * l->group_n % 8 == 0)
            return n;
    return 1;
}

static void scale_batch(struct xk_access *a, unsigned batch, int64_t pack)
{
    for (unsigned d = 0; d < a->n_coord; d++)
        a->at[d].coef[batch] *= pack;
}

void xk_pack_groups(struct xk_contraction *p, const struct xk_group_lanes *l,
                    int64_t pack)
{
    const int n = column_index(p, l);
    struct xk_access *const b = &p->b;
    const enum xk_dtype dt = b->layout.dt;
    p->index[l->batch].extent /= pack;
    p->index[l->k].extent *= pack;
    p->index[n].extent *= pack;
    scale_batch(&p->a, l->batch, pack);
    scale_batch(&p->c, l->batch, pack);
    for (unsigned i = 0; i < p->n_inputs; i++)
        scale_batch(&p->input[i], l->batch, pack);
    memset(&b->layout, 0, sizeof(b->layout));
    strcpy(b->name, "packed");
    b->n_coord = 0;
    b->fill = 0;
    b->layout.dt = dt;
    const int front[] = {l->batch, n, l->k};
    for (unsigned i = 0; i < XK_COUNTOF(front); i++)
        xk_access_add(b, front[i], p->index[front[i]].extent);
    for (unsigned i = 0; i < p->n_index; i++)
        if (is_outer_k(p, l, i))
            xk_access_add(b, (int)i, p->index[i].extent);
    b->layout.n_dims = b->n_coord;
    for (unsigned d = 0; d < b->n_coord; d++)
        b->layout.dim[d] = b->layout.padded[d] = b->at[d].hi;
}

/* Numbers of the tiling's indices. */
struct numbers {
    unsigned packs, group, column, k, outer[3], n_outer;
    uint8_t of_outer[3]; /* p's */
};

static struct numbers add_pack_indices(const struct xk_contraction *p,
                                       const struct xk_group_lanes *l,
                                       int64_t pack, struct xk_contraction *q)
{
    struct numbers x = {.n_outer = 0};
    xk_contraction_clear(q);
    x.packs = xk_contraction_add(q, "g", l->groups / pack, XK_ROLE_BATCH);
    for (unsigned i = 0; i < p->n_index; i++) {
        if (!is_outer_k(p, l, i))
            continue;
        x.of_outer[x.n_outer] = (uint8_t)i;
        x.outer[x.n_outer++] = xk_contraction_add(
            q, p->index[i].name, p->index[i].extent, XK_ROLE_BATCH);
    }
    x.group = xk_contraction_add(q, "q", pack, XK_ROLE_N);
    x.column = xk_contraction_add(q, "o", l->group_n, XK_ROLE_N);
    x.k = xk_contraction_add(q, "k", pack * l->group_k, XK_ROLE_K);
    return x;
}

/* Group q of a pack has the elements of K from q * group_k on; others are
 * beside it. */
static void set_from(const struct xk_contraction *p,
                     const struct xk_group_lanes *l, int64_t pack,
                     const struct numbers *x, struct xk_access *a)
{
    *a = p->b;
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const from = &p->b.at[d];
        struct xk_coord *const to = &a->at[d];
        memset(to->coef, 0, sizeof(to->coef));
        to->coef[x->packs] = from->coef[l->batch] * pack;
        to->coef[x->group] =
            from->coef[l->batch] - from->coef[l->k] * l->group_k;
        to->coef[x->k] = from->coef[l->k];
        if (l->n != XK_NO_INDEX)
            to->coef[x->column] = from->coef[l->n];
        for (unsigned i = 0; i < x->n_outer; i++)
            to->coef[x->outer[i]] = from->coef[x->of_outer[i]];
    }
}

static void set_to(const struct xk_group_lanes *l, const struct numbers *x,
                   const struct xk_layout *packed, struct xk_access *a)
{
    a->layout = *packed;
    xk_access_add(a, (int)x->packs, packed->dim[0]);
    xk_access_add(a, (int)x->column, packed->dim[1])->coef[x->group] =
        l->group_n;
    xk_access_add(a, (int)x->k, packed->dim[2]);
    for (unsigned i = 0; i < x->n_outer; i++)
        xk_access_add(a, (int)x->outer[i], packed->dim[3 + i]);
}

enum xk_status xk_pack_tiling(xk_ctx *c, const struct xk_contraction *p,
                              const struct xk_group_lanes *l, int64_t pack,
                              const struct xk_layout *packed,
                              struct xk_tiling *t)
{
    struct xk_contraction *const q = xk_malloc(c, sizeof(*q));
    if (!q)
        return XK_ENOMEM;
    memset(t, 0, sizeof(*t));
    const struct numbers x = add_pack_indices(p, l, pack, q);
    t->n_index = q->n_index;
    memcpy(t->index, q->index, sizeof(t->index));
    xk_free(c, q);
    for (unsigned i = 0; i < t->n_index; i++) {
        struct xk_digits *const w = &t->walk[t->index[i].role];
        w->at[w->n++] = (struct xk_digit){.index = (uint8_t)i, .div = 1};
    }
    t->n_views = 2;
    t->n_tiles = 1;
    strcpy(t->view[0].name, "A");
    strcpy(t->view[1].name, "B");
    set_from(p, l, pack, &x, &t->view[0].access);
    set_to(l, &x, packed, &t->view[1].access);
    t->tile[0] = (struct xk_tile_decl){
        .name = "t",
        .role = {XK_ROLE_BATCH, XK_ROLE_N, XK_ROLE_K},
        .layout = {.dt = p->b.layout.dt,
                   .n_dims = 3,
                   .n_blocks = 3,
                   .dim = {1, 8, 16},
                   .padded = {1, 8, 16},
                   .block = {{0, 1, 128}, {1, 8, 16}, {2, 16, 1}}}};
    return xk_tiling_check(c, t);
}
