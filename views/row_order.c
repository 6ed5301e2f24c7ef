/* SPDX-License-Identifier: Apache-2.0 */
#include "views/row_order.h"

#include <string.h>

#include "base/integer.h"
#include "views/access.h"

#define STEP_B 32 /* bytes of K in a dpas depth: what a row of M brings */

bool xk_slide_of(const struct xk_contraction *p, unsigned m, struct xk_slide *s)
{
    const int d = xk_access_coord_of(&p->a, m);
    *s = (struct xk_slide){.m = (int)m, .k = -1, .k_places = 1};
    if (d < 0)
        return false;
    const struct xk_coord *const x = &p->a.at[d];
    s->m_step = x->coef[m];
    s->start = x->base;
    s->lo = x->lo;
    s->hi = x->hi;
    s->places = p->index[m].extent;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (i == m || !x->coef[i])
            continue;
        if (s->k >= 0 || p->index[i].role != XK_ROLE_K)
            return false;
        s->k = (int)i;
        s->k_step = x->coef[i];
        s->k_places = p->index[i].extent;
    }
    return true;
}

static int64_t clamp(int64_t v, int64_t most)
{
    return v < 0 ? 0 : v < most ? v : most;
}

/* Sum over j in [0, n) of floor((a + j * d) / s); nothing is negative. Like
 * Euclid's algorithm: each round exchanges d and s and takes a remainder. */
static int64_t floor_sum(int64_t n, int64_t a, int64_t d, int64_t s)
{
    int64_t sum = 0;
    while (n > 0) {
        sum += n * (a / s) + n * (n - 1) / 2 * (d / s);
        a %= s;
        d %= s;
        const int64_t end = a + n * d; /* at j = n */
        n = end / s;
        a = end % s;
        const int64_t t = d;
        d = s;
        s = t;
    }
    return sum;
}

/* Pairs of a place of M and one of K that come to less than t, each times its
 * step; both steps are positive. */
static int64_t pairs_below(const struct xk_slide *s, int64_t t)
{
    const int64_t far = (s->places - 1) * s->m_step;
    /* Places of K that leave room for all of M; for some. */
    const int64_t all = clamp(-xk_floor_div(far - t, s->k_step), s->k_places);
    const int64_t some = clamp(-xk_floor_div(-t, s->k_step), s->k_places);
    const int64_t least = t - (some - 1) * s->k_step + s->m_step - 1;
    return all * s->places + floor_sum(some - all, least, s->k_step, s->m_step);
}

/* The same places with positive steps. */
static struct xk_slide upright(const struct xk_slide *of)
{
    struct xk_slide s = *of;
    if (s.m_step < 0) {
        s.start += (s.places - 1) * s.m_step;
        s.m_step = -s.m_step;
    }
    if (s.k_step < 0) {
        s.start += (s.k_places - 1) * s.k_step;
        s.k_step = -s.k_step;
    }
    if (!s.k_step) { /* K's do nothing: each of M's counts so often */
        s.k_step = 1;
        s.k_places = 1;
    }
    return s;
}

int64_t xk_slide_outside(const struct xk_slide *of)
{
    const struct xk_slide s = upright(of);
    const int64_t inside =
        pairs_below(&s, s.hi - s.start) - pairs_below(&s, s.lo - s.start);
    return s.places * s.k_places - inside;
}

/* The first M index whose place is a tensor's place. */
static int free_index(const struct xk_contraction *p)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_M && xk_access_dim_of(&p->a, i) >= 0)
            return (int)i;
    return -1;
}

bool xk_row_order_edge(const struct xk_contraction *p, int free,
                       struct xk_slide *out)
{
    int found = -1;
    for (unsigned i = p->n_index; i-- > 0;)
        if (p->index[i].role == XK_ROLE_M && (int)i != free &&
            (found < 0 || p->index[i].extent > 1))
            found = (int)i;
    return found >= 0 && p->index[found].extent > 1 &&
           xk_slide_of(p, (unsigned)found, out);
}

bool xk_row_order_window(const struct xk_contraction *p, int free,
                         struct xk_slide *out)
{
    for (unsigned i = p->n_index; i-- > 0;)
        if (p->index[i].role == XK_ROLE_M && (int)i != free)
            return xk_slide_of(p, i, out) && out->places > 1 &&
                   out->k_places > 1 &&
                   xk_magnitude(out->m_step) == xk_magnitude(out->k_step);
    return false;
}

/* Is the index innermost of what is not in blocks? */
static bool is_inside(const struct xk_access *a, unsigned index)
{
    const struct xk_layout *const l = &a->layout;
    return l->block[l->n_dims - 1].dim == xk_access_dim_of(a, index);
}

/* Has A its K innermost, dwords of it and so much that rows are apart in any
 * order, and is there padding that eight rows might meet together? */
static bool is_apart(const struct xk_contraction *p, unsigned free)
{
    const struct xk_layout *const l = &p->a.layout;
    const int k = xk_contraction_last(p, XK_ROLE_K);
    const unsigned elem_b = xk_dtype_b(l->dt);
    const int64_t row_b = k < 0 ? 0 : p->index[k].extent * elem_b;
    struct xk_slide edge;
    return k >= 0 && l->n_blocks == l->n_dims && elem_b < 4 &&
           l->block[l->n_dims - 1].dim ==
               xk_access_dim_of(&p->a, (unsigned)k) &&
           row_b >= STEP_B && row_b % 4 == 0 &&
           p->index[free].extent % 8 == 0 &&
           xk_row_order_edge(p, (int)free, &edge) && xk_slide_outside(&edge);
}

static int64_t block_of(const struct xk_contraction *p, unsigned free)
{
    const int64_t extent = p->index[free].extent;
    struct xk_slide window;
    if (extent % 8 || !xk_row_order_window(p, (int)free, &window))
        return extent;
    return 8;
}

struct xk_row_order xk_row_order_of(const struct xk_contraction *p)
{
    struct xk_row_order o = {.free = free_index(p)};
    if (o.free < 0)
        return o;
    const unsigned free = (unsigned)o.free;
    const int64_t extent = p->index[free].extent;
    const bool open = xk_access_is_open(&p->a);
    o.block = block_of(p, free);
    o.together = open || is_inside(&p->a, free);
    if (open)
        o.last = extent % 8 == 0 && xk_dtype_b(p->a.layout.dt) < 4;
    else
        o.last = o.together || is_apart(p, free);
    return o;
}

/* "mb" as "mbo", if there is room and no index is called so. */
static void name_part(const struct xk_contraction *p, const char *of, char end,
                      char out[8])
{
    const size_t n = strlen(of) < 6 ? strlen(of) : 6;
    memcpy(out, of, n);
    out[n] = end;
    out[n + 1] = 0;
    while (xk_contraction_find(p, out) >= 0)
        out[n]++;
}

void xk_row_order_apply(struct xk_contraction *p)
{
    const struct xk_row_order o = xk_row_order_of(p);
    if (!o.last)
        return;
    unsigned free = (unsigned)o.free;
    const unsigned last = (unsigned)xk_contraction_last(p, XK_ROLE_M);
    if (o.block < p->index[free].extent) {
        char outer[8], inner[8];
        name_part(p, p->index[free].name, 'o', outer);
        name_part(p, p->index[free].name, 'i', inner);
        xk_contraction_split(p, free, o.block, outer, inner);
        xk_contraction_move(p, free + 1, last + 1);
        if (free < last)
            xk_contraction_move(p, free, last - 1);
        return;
    }
    xk_contraction_move(p, free, last);
}
