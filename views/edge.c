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
                       const struct xk_coord *x, struct xk_edge *e)
{
    unsigned terms = 0, taps = 0;
    for (unsigned i = 0; i < con->n_index; i++) {
        if (!x->coef[i])
            continue;
        if (x->coef[i] < 1 && i == e->m)
            return false;
        terms++;
        if (i == e->m) {
            e->m_step = x->coef[i];
        } else if (con->index[i].role == XK_ROLE_K) {
            taps++;
            e->k = (uint8_t)i;
            e->k_step = x->coef[i];
        }
    }
    e->start = x->base - x->lo;
    e->extent = x->hi - x->lo;
    return x->coef[e->m] && taps == 1 && terms == 2;
}

bool xk_edge_of(const struct xk_contraction *con, struct xk_edge *e)
{
    *e = (struct xk_edge){0};
    const int m = outermost_m(con, &e->rows);
    if (m < 0)
        return false;
    e->m = (uint8_t)m;
    for (unsigned d = 0; d < con->a.layout.n_dims; d++) {
        if (!read_coord(con, &con->a.at[d], e))
            continue;
        const int64_t m_far = (con->index[m].extent - 1) * e->m_step;
        const int64_t k_far = (con->index[e->k].extent - 1) * e->k_step;
        const int64_t least = e->start + (k_far < 0 ? k_far : 0);
        const int64_t most = e->start + m_far + (k_far > 0 ? k_far : 0);
        return least < 0 || most >= e->extent;
    }
    return false;
}
