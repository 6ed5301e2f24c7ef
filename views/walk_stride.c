/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/integer.h"
#include "views/walk_stride.h"

void xk_walk_indices(const struct xk_tiling *t, struct xk_contraction *out)
{
    memset(out, 0, sizeof(*out));
    out->n_index = t->n_index;
    memcpy(out->index, t->index, sizeof(out->index));
}

/* Along one digit: bytes from value to value, and values in a run. */
static bool digit_stride(const struct xk_contraction *indices,
                         const struct xk_access *a, const struct xk_digit *d,
                         int64_t extent, int64_t *stride_b, int64_t *run)
{
    int64_t places;
    if (!xk_access_stride_b(indices, a, d->index, stride_b, &places))
        return false;
    *stride_b *= d->div;
    /* Digits further out move the first value to any multiple of all values. */
    const bool whole = places % (extent * d->div) == 0 ||
                       places >= indices->index[d->index].extent;
    *run = whole             ? extent
           : places % d->div ? 1
                             : xk_gcd(places / d->div, extent);
    return *run > 1 || extent == 1;
}

bool xk_walk_stride_b(const struct xk_contraction *indices,
                      const struct xk_tiling *t, const struct xk_access *a,
                      enum xk_role role, int64_t *stride_b, int64_t *run)
{
    const struct xk_digits *const w = &t->walk[role];
    *stride_b = 0;
    *run = 1;
    for (unsigned i = w->n; i-- > 0;) {
        const int64_t extent = xk_digit_extent(t, &w->at[i]);
        int64_t step_b, part;
        if (extent == 1)
            continue;
        if (!digit_stride(indices, a, &w->at[i], extent, &step_b, &part))
            return *run > 1;
        if (*run > 1 && step_b != *stride_b * *run)
            return true;
        if (*run == 1)
            *stride_b = step_b;
        *run *= part;
        if (part < extent)
            return true;
    }
    *run = INT64_MAX;
    return true;
}
