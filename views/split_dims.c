/* SPDX-License-Identifier: Apache-2.0 */
#include "views/split_dims.h"

#include <string.h>

#include "base/integer.h"
#include "views/access.h"

/* The index with the largest step, if that is above 1; -1: none. */
static int outermost(const struct xk_contraction *p, const struct xk_coord *x)
{
    int found = -1;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].extent > 1 && x->coef[i] > 1 &&
            (found < 0 || x->coef[i] > x->coef[found]))
            found = (int)i;
    return found;
}

/* The coordinate as size * index + base of `outer`, and `inner` in [0, size).
 * False: it is not so. */
static bool split_coord(const struct xk_contraction *p,
                        const struct xk_coord *x, struct xk_coord *outer,
                        struct xk_coord *inner)
{
    const int i = outermost(p, x);
    struct xk_range r;
    if (i < 0)
        return false;
    const int64_t size = x->coef[i];
    *inner = *x;
    inner->coef[i] = 0;
    if (!xk_coord_range(p, inner, &r))
        return false;
    const int64_t first = xk_floor_div(r.lo, size);
    *outer = (struct xk_coord){.base = first, .lo = 0, .hi = x->hi / size};
    outer->coef[i] = 1;
    inner->base -= first * size;
    inner->lo = 0;
    inner->hi = size;
    return x->lo == 0 && x->hi % size == 0 && r.hi - first * size < size;
}

static bool split_dim(const struct xk_contraction *p, struct xk_access *a,
                      unsigned d)
{
    struct xk_coord outer, inner;
    struct xk_layout l;
    if (a->n_coord == XK_MAX_COORD || a->at[d].hi != a->layout.dim[d] ||
        !split_coord(p, &a->at[d], &outer, &inner) ||
        !xk_layout_split(&a->layout, d, inner.hi, &l))
        return false;
    memmove(&a->at[d + 2], &a->at[d + 1],
            (a->n_coord - d - 1u) * sizeof(a->at[0]));
    a->at[d] = outer;
    a->at[d + 1] = inner;
    a->n_coord++;
    a->layout = l;
    return true;
}

void xk_access_split_dims(const struct xk_contraction *p, struct xk_access *a)
{
    for (unsigned d = 0; d < a->layout.n_dims; d++)
        while (split_dim(p, a, d))
            d++;
}
