/* SPDX-License-Identifier: Apache-2.0 */
#include "views/edge.h"

/* The outermost M index that has more than one place; -1: none. */
static int outermost_m(const struct xk_nest *con, int64_t *rows)
{
    int found = -1;
    *rows = 1;
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_M || x->extent == 1)
            continue;
        if (found < 0)
            found = (int)i;
        else
            *rows *= x->extent;
    }
    return found;
}

/* Whether the coordinate is a sum of e->m and one K index. */
static bool read_coord(const struct xk_nest *con, const struct xk_linear *l,
                       struct xk_edge *e)
{
    bool has_m = false, has_k = false;
    for (unsigned t = 0; t < l->n; t++) {
        const int i = xk_nest_index_of(con, l->term[t]);
        if (i < 0 || l->coef[t] < 1)
            return false;
        if (i == e->m) {
            has_m = true;
            e->m_step = l->coef[t];
        } else if (con->index[i].role == XK_ROLE_K) {
            has_k = true;
            e->k = (uint8_t)i;
            e->k_step = l->coef[t];
        }
    }
    e->start = l->constant;
    return has_m && has_k && l->n == 2;
}

bool xk_edge_of(xk_ctx *c, const struct xk_nest *con, struct xk_edge *e)
{
    const struct xk_view *const v = &con->a.view;
    *e = (struct xk_edge){0};
    const int m = outermost_m(con, &e->rows);
    if (m < 0)
        return false;
    e->m = (uint8_t)m;
    for (unsigned d = 0; d < v->layout.n_dims; d++) {
        struct xk_linear l;
        if (!xk_linear_from(c, v->coord[d], &l) || !read_coord(con, &l, e))
            continue;
        const int64_t far = (con->index[m].extent - 1) * e->m_step +
                            (con->index[e->k].extent - 1) * e->k_step;
        e->extent = v->layout.dim[d];
        return e->start < 0 || e->start + far >= e->extent;
    }
    return false;
}

/* Whether the coordinate stays inside for all of M and of the innermost K; k:
 * the other K indices' places. */
static bool stays_inside(const struct xk_nest *con, const struct xk_linear *l,
                         const int64_t *k, int64_t extent)
{
    const struct xk_index *const inner = xk_nest_k_inner(con);
    int64_t least = l->constant, most = l->constant;
    for (unsigned t = 0; t < l->n; t++) {
        const int i = xk_nest_index_of(con, l->term[t]);
        if (i < 0)
            return false;
        const struct xk_index *const x = &con->index[i];
        const bool tap = x->role == XK_ROLE_K && x != inner;
        const int64_t first = tap ? k[i] : 0;
        const int64_t last = tap ? k[i] : x->extent - 1;
        least += l->coef[t] * (l->coef[t] > 0 ? first : last);
        most += l->coef[t] * (l->coef[t] > 0 ? last : first);
    }
    return least >= 0 && most < extent;
}

uint32_t xk_edge_inner_taps(xk_ctx *c, const struct xk_nest *con, unsigned taps)
{
    const struct xk_view *const v = &con->a.view;
    const unsigned n = taps < 32 ? taps : 32;
    uint32_t inside = UINT32_MAX >> (32 - n);
    for (unsigned d = 0; d < v->layout.n_dims; d++) {
        struct xk_linear l;
        const bool read = xk_linear_from(c, v->coord[d], &l);
        for (unsigned tap = 0; tap < n; tap++) {
            int64_t k[XK_VIEW_MAX_DIMS];
            xk_nest_tap(con, tap, k);
            if (!read || !stays_inside(con, &l, k, v->layout.dim[d]))
                inside &= ~(UINT32_C(1) << tap);
        }
    }
    return inside;
}
