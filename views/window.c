/* SPDX-License-Identifier: Apache-2.0 */
#include "views/window.h"

/* The M index outside the innermost one, among those with more than one place;
 * NULL: there is none. *rows: of M that share a place of it. */
static const struct xk_index *second_m(const struct xk_nest *con, int64_t *rows)
{
    *rows = 1;
    for (unsigned i = con->n_index; i-- > 0;) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_M || x->extent == 1)
            continue;
        if (*rows > 1)
            return x;
        *rows = x->extent;
    }
    return NULL;
}

/* The fastest of the taps' indices that has more than one place. */
static const struct xk_index *last_tap(const struct xk_nest *con)
{
    const struct xk_index *const inner = xk_nest_k_inner(con);
    const struct xk_index *found = NULL;
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        if (x->role == XK_ROLE_K && x != inner && x->extent > 1)
            found = x;
    }
    return found;
}

/* Whether e depends on m and k by their sum alone: with m - k for m, k is gone.
 */
static bool by_sum(xk_ctx *c, const xk_expr *e, const xk_expr *m,
                   const xk_expr *k)
{
    const xk_expr *const less = xk_sub(c, m, k);
    const xk_expr *const at = xk_substitute(c, e, 1, &m, &less);
    const xk_expr *const simple = at ? xk_simplify(c, at, NULL) : NULL;
    return simple && !xk_depends_on(simple, k);
}

bool xk_window_of(xk_ctx *c, const struct xk_nest *con, struct xk_window *out)
{
    const struct xk_view *const v = &con->a.view;
    const struct xk_index *const m = second_m(con, &out->rows);
    const struct xk_index *const k = last_tap(con);
    if (!m || !k)
        return false;
    const int at_m = xk_view_find(v, m->name), at_k = xk_view_find(v, k->name);
    if (at_m < 0 || at_k < 0)
        return false;
    const xk_expr *const var_m = v->dim[at_m].var, *const var_k =
                                                       v->dim[at_k].var;
    for (unsigned i = 0; i < v->layout.n_dims; i++)
        if (!by_sum(c, v->coord[i], var_m, var_k))
            return false;
    for (unsigned i = 0; i < v->n_masks; i++)
        if (!by_sum(c, v->mask[i], var_m, var_k))
            return false;
    out->places = m->extent;
    out->taps = k->extent;
    return true;
}
