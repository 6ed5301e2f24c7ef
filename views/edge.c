/* SPDX-License-Identifier: Apache-2.0 */
#include "views/edge.h"

/* The outermost M index that has more than one place; -1: none. */
static int outermost_m(const struct xk_contraction *con, int64_t *rows)
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
static bool read_coord(const struct xk_contraction *con,
                       const struct xk_linear *l, struct xk_edge *e)
{
    bool has_m = false, has_k = false;
    for (unsigned t = 0; t < l->n; t++) {
        const int i = xk_contraction_index_of(con, l->term[t]);
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

bool xk_edge_of(xk_ctx *c, const struct xk_contraction *con, struct xk_edge *e)
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
