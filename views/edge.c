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
        if (x->coef[i] < 1)
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
        const int64_t far = (con->index[m].extent - 1) * e->m_step +
                            (con->index[e->k].extent - 1) * e->k_step;
        return e->start < 0 || e->start + far >= e->extent;
    }
    return false;
}

/* Whether the coordinate stays inside for all of M and of the innermost K; k:
 * the other K indices' places. */
static bool stays_inside(const struct xk_contraction *con,
                         const struct xk_coord *x, const int64_t *k)
{
    const int inner = xk_contraction_last(con, XK_ROLE_K);
    int64_t least = x->base, most = x->base;
    for (unsigned i = 0; i < con->n_index; i++) {
        const bool tap = con->index[i].role == XK_ROLE_K && (int)i != inner;
        const int64_t first = tap ? k[i] : 0;
        const int64_t last = tap ? k[i] : con->index[i].extent - 1;
        least += x->coef[i] * (x->coef[i] > 0 ? first : last);
        most += x->coef[i] * (x->coef[i] > 0 ? last : first);
    }
    return least >= x->lo && most < x->hi;
}

uint32_t xk_edge_inner_taps(const struct xk_contraction *con, unsigned taps)
{
    const unsigned n = taps < 32 ? taps : 32;
    uint32_t inside = UINT32_MAX >> (32 - n);
    for (unsigned d = 0; d < con->a.n_coord; d++) {
        for (unsigned tap = 0; tap < n; tap++) {
            int64_t k[XK_MAX_INDEX];
            xk_contraction_tap(con->index, con->n_index, tap, k);
            if (!stays_inside(con, &con->a.at[d], k))
                inside &= ~(UINT32_C(1) << tap);
        }
    }
    return inside;
}
