/* SPDX-License-Identifier: Apache-2.0 */
/* tile.copy as one reorder: a box of elements whose dims are those parts of the
 * tiles' dims along which both have one stride. */
#include "passes/expand.h"

enum { TO, FROM };

struct copy {
    struct xk_tile_part part[2];
    struct xk_reorder box;
};

/* Elements from the part's first place to position i of dim d. */
static int64_t away_e(const struct xk_tile_part *p, unsigned d, int64_t i)
{
    int64_t at[XK_N_ROLES];
    for (unsigned k = 0; k < p->tile->layout.n_dims; k++)
        at[k] = p->first[k];
    const int64_t first = xk_layout_offset_e(&p->tile->layout, at);
    at[d] += i;
    return xk_layout_offset_e(&p->tile->layout, at) - first;
}

/* Whether n positions of dim d, `unit` of them apart, are even in both tiles.
 */
static bool is_even(const struct copy *x, unsigned d, int64_t unit, int64_t n)
{
    for (unsigned t = TO; t <= FROM; t++)
        for (int64_t i = 2; i < n; i++)
            if (away_e(&x->part[t], d, i * unit) !=
                i * away_e(&x->part[t], d, unit))
                return false;
    return true;
}

/* Puts a dim of the box in front of those that lie closer in the source. */
static bool add_box_dim(struct xk_reorder *r, int64_t n, int64_t to,
                        int64_t from)
{
    unsigned at = 0;
    if (r->n_dims == XK_REORDER_MAX_DIMS || to < 0 || from < 0 ||
        to > UINT16_MAX || from > UINT16_MAX)
        return false;
    while (at < r->n_dims && r->src_stride[at] >= from)
        at++;
    for (unsigned i = r->n_dims++; i > at; i--) {
        r->extent[i] = r->extent[i - 1];
        r->dst_stride[i] = r->dst_stride[i - 1];
        r->src_stride[i] = r->src_stride[i - 1];
    }
    r->extent[at] = (uint16_t)n;
    r->dst_stride[at] = (uint16_t)to;
    r->src_stride[at] = (uint16_t)from;
    return true;
}

/* Whether position i of dim d lies where its digits say: those over `unit`
 * positions count so many, those below it what is left. */
static bool is_digit_sum(const struct copy *x, unsigned d, int64_t unit,
                         int64_t i)
{
    for (unsigned t = TO; t <= FROM; t++)
        if (away_e(&x->part[t], d, i) !=
            away_e(&x->part[t], d, i / unit * unit) +
                away_e(&x->part[t], d, i % unit))
            return false;
    return true;
}

/* Dim d as dims of the box: the most positions that are even, then what counts
 * these. False: some positions are in no such order. */
static bool take_dim(struct copy *x, unsigned d)
{
    const int64_t n = x->part[TO].n[d];
    for (int64_t unit = 1; unit < n;) {
        int64_t f = n / unit;
        for (int64_t i = 0; i < n; i++)
            if (!is_digit_sum(x, d, unit, i))
                return false;
        while (f > 1 && (n / unit % f || !is_even(x, d, unit, f)))
            f--;
        if (f == 1 || !add_box_dim(&x->box, f, away_e(&x->part[TO], d, unit),
                                   away_e(&x->part[FROM], d, unit)))
            return false;
        unit *= f;
    }
    return true;
}

/* A dim that goes on in both tiles where the next one ends is one with it, so
 * that a move takes more lanes. */
static void join_box_dims(struct xk_reorder *r)
{
    for (unsigned i = 0; i + 1 < r->n_dims;) {
        const unsigned n = r->extent[i + 1];
        if (r->dst_stride[i] != n * r->dst_stride[i + 1] ||
            r->src_stride[i] != n * r->src_stride[i + 1] ||
            n * r->extent[i] > UINT16_MAX) {
            i++;
            continue;
        }
        r->extent[i + 1] = (uint16_t)(n * r->extent[i]);
        r->n_dims--;
        for (unsigned k = i; k < r->n_dims; k++) {
            r->extent[k] = r->extent[k + 1];
            r->dst_stride[k] = r->dst_stride[k + 1];
            r->src_stride[k] = r->src_stride[k + 1];
        }
    }
}

static const xk_expr *first_of(struct xk_expand *x, const xk_stmt *call,
                               const struct copy *y, unsigned t)
{
    const struct xk_tile_move m = {.part = y->part[t],
                                   .buf = xk_kid(xk_kid(call, t), 0),
                                   .buf_off = xk_kid(xk_kid(call, t), 1)};
    int64_t at[XK_N_ROLES];
    for (unsigned d = 0; d < y->part[t].tile->layout.n_dims; d++)
        at[d] = y->part[t].first[d];
    return xk_expand_reg(x, &m, at);
}

void xk_expand_copy(struct xk_expand *x, const xk_stmt *call)
{
    const struct xk_tile_call *const f = &xk_func_of(call)->u.tile;
    struct xk_func r = {.kind = XK_FUNC_REORDER};
    struct copy y = {0};
    const char *const bad = xk_tile_call_bad(x->t, f, xk_n_kids(call));
    if (bad) {
        xk_fail(x->c, XK_EINVAL, "expand: %s", bad);
        return;
    }
    for (unsigned t = TO; t <= FROM; t++)
        xk_tile_part_of(x->t, f, t, &y.part[t]);
    for (unsigned d = 0; d < y.part[TO].tile->layout.n_dims; d++)
        if (!take_dim(&y, d)) {
            xk_fail(
                x->c, XK_EUNSUPPORTED,
                "expand: tile.copy of %s to %s is no box of at most %d dims",
                f->tile[FROM], f->tile[TO], XK_REORDER_MAX_DIMS);
            return;
        }
    join_box_dims(&y.box);
    if (!y.box.n_dims) /* one element */
        add_box_dim(&y.box, 1, 1, 1);
    y.box.dst = (uint8_t)y.part[TO].tile->layout.dt;
    y.box.src = (uint8_t)y.part[FROM].tile->layout.dt;
    r.u.reorder = y.box;
    const xk_expr *const args[] = {first_of(x, call, &y, TO),
                                   first_of(x, call, &y, FROM)};
    if (args[TO] && args[FROM])
        xk_block_call(&x->w, &r, args, 2);
}
