/* SPDX-License-Identifier: Apache-2.0 */
#include "views/halo.h"

static struct xk_halo_dim *dim_of(struct xk_halo *f, int m)
{
    for (unsigned d = 0; d < f->n; d++)
        if (f->dim[d].m == m)
            return &f->dim[d];
    return NULL;
}

/* One coordinate: an M index and perhaps a K index, or the inner K alone. A
 * batch index moves all pixels alike. */
static bool add_coord(const struct xk_contraction *con,
                      const struct xk_coord *x, struct xk_halo *f,
                      unsigned *taps)
{
    const int inner = xk_contraction_last(con, XK_ROLE_K);
    int m = -1, k = -1;
    for (int i = 0; i < con->n_index; i++) {
        if (!x->coef[i] || i == inner || con->index[i].role == XK_ROLE_BATCH)
            continue;
        int *const of = con->index[i].role == XK_ROLE_M ? &m : &k;
        if (*of >= 0 || x->coef[i] < 1)
            return false;
        *of = i;
    }
    if (inner >= 0 && x->coef[inner])
        return m < 0 && k < 0;
    struct xk_halo_dim *const d = m < 0 ? NULL : dim_of(f, m);
    if (!d || d->m_step)
        return m < 0 && k < 0;
    d->m_step = 1;
    d->extent = con->index[m].extent;
    if (k < 0 || con->index[k].extent == 1)
        return true;
    d->k = (int8_t)k;
    d->m_step = x->coef[m];
    d->k_step = x->coef[k];
    d->extent = (con->index[m].extent - 1) * d->m_step +
                (con->index[k].extent - 1) * d->k_step + 1;
    *taps += 1;
    return d->m_step == 1 || d->k_step == 1;
}

/* False: an index that A does not have. */
static bool set_pitches(struct xk_halo *f)
{
    for (unsigned d = 0; d < f->n; d++)
        if (!f->dim[d].m_step)
            return false;
    if (!f->n)
        return false;
    xk_halo_in_order(f);
    struct xk_halo_dim *const line = &f->dim[f->n - 1];
    f->columns = line->m_step & -line->m_step;
    line->pitch = (line->extent + f->columns - 1) / f->columns * f->columns;
    return true;
}

void xk_halo_in_order(struct xk_halo *f)
{
    f->columns = 1;
    for (unsigned d = 0; d < f->n; d++)
        f->dim[d].pitch = f->dim[d].extent;
}

bool xk_halo_of(const struct xk_contraction *con, struct xk_halo *f)
{
    const int inner = xk_contraction_last(con, XK_ROLE_K);
    unsigned taps = 0, want = 0;
    *f = (struct xk_halo){0};
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        want += x->role == XK_ROLE_K && (int)i != inner && x->extent > 1;
        if (x->role != XK_ROLE_M)
            continue;
        if (f->n == XK_HALO_MAX_DIMS)
            return false;
        f->dim[f->n++] = (struct xk_halo_dim){(uint8_t)i, -1, 0, 0, 1, 1};
    }
    for (unsigned d = 0; d < con->a.layout.n_dims; d++)
        if (!add_coord(con, &con->a.at[d], f, &taps))
            return false;
    return set_pitches(f) && taps == want;
}

/* The outermost dim that counts rows: those beyond M go on along it, as lower/
 * unpacks them. */
static unsigned first_dim(const struct xk_contraction *con,
                          const struct xk_halo *f)
{
    unsigned first = 0;
    while (first + 1 < f->n && con->index[f->dim[first].m].extent == 1)
        first++;
    return first;
}

int64_t xk_halo_pixel(const struct xk_contraction *con, const struct xk_halo *f,
                      int64_t m)
{
    int64_t sum = 0, size = 1;
    const unsigned first = first_dim(con, f);
    for (unsigned d = f->n; d-- > first;) {
        const int64_t extent = con->index[f->dim[d].m].extent;
        sum += (d > first ? m % extent : m) * f->dim[d].m_step * size;
        m /= extent;
        size *= f->dim[d].pitch;
    }
    return sum;
}

int64_t xk_halo_tap(const struct xk_contraction *con, const struct xk_halo *f,
                    int64_t tap)
{
    int64_t at[XK_MAX_INDEX] = {0}, sum = 0, size = 1;
    xk_contraction_tap(con->index, con->n_index, tap, at);
    for (unsigned d = f->n; d-- > 0;) {
        if (f->dim[d].k >= 0)
            sum += at[f->dim[d].k] * f->dim[d].k_step * size;
        size *= f->dim[d].pitch;
    }
    return sum;
}

int64_t xk_halo_pixels(const struct xk_contraction *con,
                       const struct xk_halo *f, int64_t rows)
{
    const int inner = xk_contraction_last(con, XK_ROLE_K);
    int64_t m = 1, taps = 1, image = 1, most = 0;
    for (unsigned i = 0; i < con->n_index; i++) {
        if (con->index[i].role == XK_ROLE_M)
            m *= con->index[i].extent;
        if (con->index[i].role == XK_ROLE_K && (int)i != inner)
            taps *= con->index[i].extent;
    }
    for (unsigned d = first_dim(con, f) + 1; d < f->n; d++)
        image *= con->index[f->dim[d].m].extent;
    for (int64_t g = 0; g * rows < m; g++) {
        if (g && g * rows % image == 0)
            break; /* the pattern repeats */
        const int64_t last = xk_halo_pixel(con, f, g * rows + rows - 1);
        const int64_t n = last - xk_halo_pixel(con, f, g * rows);
        most = n > most ? n : most;
    }
    return most + xk_halo_tap(con, f, taps - 1) + 1;
}
