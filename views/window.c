/* SPDX-License-Identifier: Apache-2.0 */
#include "views/window.h"

/* The M index outside the innermost one, among those with more than one place;
 * -1: there is none. *rows: of M that share a place of it. */
static int second_m(const struct xk_contraction *con, int64_t *rows)
{
    *rows = 1;
    for (unsigned i = con->n_index; i-- > 0;) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_M || x->extent == 1)
            continue;
        if (*rows > 1)
            return (int)i;
        *rows = x->extent;
    }
    return -1;
}

/* The fastest of the taps' indices that has more than one place. */
static int last_tap(const struct xk_contraction *con)
{
    const int inner = xk_contraction_last(con, XK_ROLE_K);
    int found = -1;
    for (int i = 0; i < inner; i++)
        if (con->index[i].role == XK_ROLE_K && con->index[i].extent > 1)
            found = i;
    return found;
}

bool xk_window_of(const struct xk_contraction *con, struct xk_window *out)
{
    const int m = second_m(con, &out->rows), k = last_tap(con);
    bool moves = false;
    if (m < 0 || k < 0)
        return false;
    for (unsigned d = 0; d < con->a.n_coord; d++) {
        const struct xk_coord *const x = &con->a.at[d];
        if (x->coef[m] != x->coef[k])
            return false;
        moves = moves || x->coef[m];
    }
    out->places = con->index[m].extent;
    out->taps = con->index[k].extent;
    return moves;
}
