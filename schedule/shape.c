/* SPDX-License-Identifier: Apache-2.0 */
/* What the search reads of a contraction. */
#include "schedule/schedule.h"

#include <string.h>

#include "base/integer.h"
#include "views/access.h"
#include "views/row_order.h"

#define MOST_POSITIONS (1 << 24) /* beyond any cache */

static int64_t at_most(int64_t v, int64_t most)
{
    return v < most ? v : most;
}

static void set_shape_extents(const struct xk_contraction *p,
                              struct xk_shape *s)
{
    const int inner = xk_contraction_last(p, XK_ROLE_K);
    s->m = xk_contraction_extent(p, XK_ROLE_M);
    s->n = xk_contraction_extent(p, XK_ROLE_N);
    s->batch = xk_contraction_extent(p, XK_ROLE_BATCH);
    s->k_inner = inner < 0 ? 1 : p->index[inner].extent;
    s->k_outer = xk_contraction_extent(p, XK_ROLE_K) / s->k_inner;
    s->elem_b = xk_dtype_b(p->a.layout.dt);
}

/* Whether A's innermost K is in blocks of its own, and neighbours in memory. */
static void set_a(const struct xk_contraction *p, struct xk_shape *s)
{
    const struct xk_layout *const l = &p->a.layout;
    const int k = xk_contraction_last(p, XK_ROLE_K);
    const int dim = k < 0 ? -1 : xk_access_dim_of(&p->a, (unsigned)k);
    if (xk_access_is_open(&p->a))
        return;
    const bool inside = l->block[l->n_blocks - 1].dim == dim;
    s->plain_a = !inside || l->n_blocks == l->n_dims;
    s->loose_a = s->plain_a && s->k_inner > 1 && !inside;
}

/* Rows of a role that lie side by side from the innermost index on, as far as
 * no condition of the access asks for them; 0: not even eight. */
static int64_t rows_beside(const struct xk_contraction *p,
                           const struct xk_access *a, enum xk_role role)
{
    const uint32_t masks = xk_access_masks(p, a);
    int64_t rows = 1;
    for (unsigned i = p->n_index; i-- > 0;) {
        int64_t stride_b, run;
        if (p->index[i].role != role || p->index[i].extent == 1)
            continue;
        if (masks >> i & 1 || !xk_access_stride_b(p, a, i, &stride_b, &run) ||
            run < p->index[i].extent ||
            stride_b != rows * (int64_t)xk_dtype_b(a->layout.dt))
            break;
        rows *= p->index[i].extent;
    }
    return rows % 8 ? 0 : rows;
}

/* The last index of K with several places; -1: there is none. */
static int last_of_k(const struct xk_contraction *p)
{
    int last = -1;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K && p->index[i].extent > 1)
            last = (int)i;
    return last;
}

/* Whether neighbours along the innermost K are not so in memory. */
static bool is_loose(const struct xk_contraction *p, const struct xk_access *a)
{
    const int k = last_of_k(p);
    int64_t stride_b, run;
    if (k < 0 || xk_access_is_open(a) || !(xk_access_uses(a) >> k & 1))
        return false;
    return !xk_access_stride_b(p, a, (unsigned)k, &stride_b, &run) ||
           stride_b != xk_dtype_b(a->layout.dt);
}

/* Places of the last K index that are an even stride apart and that no
 * condition of A asks for. */
static int64_t even_places(const struct xk_contraction *p)
{
    const int k = last_of_k(p);
    int64_t stride_b, run;
    if (k < 0 || xk_access_is_open(&p->a) ||
        xk_access_masks(p, &p->a) >> k & 1 ||
        !xk_access_stride_b(p, &p->a, (unsigned)k, &stride_b, &run) ||
        stride_b <= 0 || run < p->index[k].extent)
        return 1;
    return p->index[k].extent;
}

static void set_runs(const struct xk_contraction *p, struct xk_shape *s)
{
    const bool loose_b = is_loose(p, &p->b);
    s->leaves_a = xk_access_leaves(p, &p->a);
    s->leaves_b = xk_access_leaves(p, &p->b);
    s->loose_b = loose_b && s->k_inner > 1;
    s->even_a = even_places(p);
    if (is_loose(p, &p->a))
        s->runs_a = rows_beside(p, &p->a, XK_ROLE_M);
    if (loose_b)
        s->runs_b = rows_beside(p, &p->b, XK_ROLE_N);
}

/* The only index of a role; -1: there is none, -2: there are several. */
static int only_index(const struct xk_contraction *p, enum xk_role role)
{
    int only = -1;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == role)
            only = only == -1 ? (int)i : -2;
    return only;
}

/* No load of B is a block where no index of N moves it, as in a launch that
 * has N's one place dropped. */
static void set_b(const struct xk_contraction *p, struct xk_shape *s)
{
    const struct xk_layout *const l = &p->b.layout;
    const int n = only_index(p, XK_ROLE_N);
    s->rows_b = 0;
    s->plain_b = false;
    if (xk_access_is_open(&p->b))
        return;
    s->plain_b = l->n_blocks == l->n_dims || n == -1;
    if (n >= 0) {
        const int dim = xk_access_dim_of(&p->b, (unsigned)n);
        s->rows_b = dim < 0 ? 0 : l->padded[dim];
    }
}

/* Positions of A, padding included: for 1024 rows, and from a first place of K
 * to the last (views/halo.h has them exactly). */
static void set_positions(const struct xk_contraction *p, int free,
                          struct xk_shape *s)
{
    s->reach = 0;
    s->positions_1k = 1024;
    for (unsigned i = 0; i < p->n_index; i++) {
        struct xk_slide x;
        if (p->index[i].role != XK_ROLE_M || (int)i == free)
            continue;
        if (!xk_slide_of(p, i, &x)) {
            s->reach = s->positions_1k = 0;
            return;
        }
        const int64_t step = x.k_places > 1 ? xk_magnitude(x.m_step) : 1;
        const int64_t far = (x.k_places - 1) * xk_magnitude(x.k_step);
        const int64_t extent = (x.places - 1) * step + far + 1;
        s->reach = at_most(s->reach * extent + far, MOST_POSITIONS);
        s->positions_1k =
            at_most(s->positions_1k * extent / x.places, MOST_POSITIONS);
        s->stride = xk_magnitude(x.m_step);
    }
}

/* The last K index but the last of all that has several places; -1: none. */
static int innermost_outer(const struct xk_contraction *p)
{
    int k = xk_contraction_before(p, xk_contraction_last(p, XK_ROLE_K));
    while (k >= 0 && p->index[k].extent == 1)
        k = xk_contraction_before(p, k);
    return k;
}

/* What neighbours along the innermost M index share. */
static void set_window(const struct xk_contraction *p,
                       const struct xk_row_order *o, struct xk_shape *s)
{
    struct xk_slide x;
    if (!s->eights || !xk_row_order_window(p, o->free, &x))
        return;
    s->window.rows = o->block;
    s->window.places = x.k_places;
}

/* What neighbouring steps of K share. */
static void set_shared(const struct xk_contraction *p,
                       const struct xk_row_order *o, struct xk_shape *s)
{
    const int k = innermost_outer(p);
    int m = xk_contraction_last(p, XK_ROLE_M);
    while (m >= 0 && (m == o->free || p->index[m].extent == 1))
        m = xk_contraction_before(p, m);
    const int64_t n =
        m < 0 || k < 0 ? 0
                       : xk_access_steps_alike(&p->a, (unsigned)m, (unsigned)k);
    if (!s->eights || !n || p->index[m].extent > MOST_POSITIONS / o->block ||
        xk_magnitude(n) > MOST_POSITIONS / o->block)
        return;
    s->shared.rows = xk_magnitude(n) * o->block;
    s->shared.steps = p->index[k].extent;
    s->shared.line = p->index[m].extent * o->block;
}

/* Whether eight rows of M share a position, and whether they are neighbours in
 * A. */
static void set_row_facts(const struct xk_contraction *p, struct xk_shape *s)
{
    const struct xk_row_order o = xk_row_order_of(p);
    const int64_t items = o.free < 0 ? 1 : p->index[o.free].extent;
    set_positions(p, o.free, s);
    s->eights = o.last && items % 8 == 0;
    s->together = s->eights && o.together && !s->loose_a;
    set_window(p, &o, s);
    set_shared(p, &o, s);
    if (o.last)
        s->reach = at_most(s->reach * items, MOST_POSITIONS);
    if (s->together) /* neighbours along M are those of a position */
        s->stride = 1;
}

/* Whether B has so many places of the K index `outer` in its innermost block,
 * with few of the innermost K each. */
static bool has_places_inside(const struct xk_contraction *p, unsigned outer,
                              int64_t places)
{
    const struct xk_layout *const l = &p->b.layout;
    const int k = xk_contraction_last(p, XK_ROLE_K);
    const int dim = xk_access_dim_of(&p->b, (unsigned)k);
    if (dim < 0 || l->n_blocks <= l->n_dims + 2)
        return false;
    const struct xk_block *const b = &l->block[l->n_blocks - 2];
    return b->dim == xk_access_dim_of(&p->b, outer) && b->size == places &&
           l->padded[dim] == XK_PACK_FEW;
}

/* Places of the last outer K index go inside a short innermost K where that is
 * innermost in A, and padded for that in B, or may be. */
static void set_line_places(const struct xk_contraction *p, struct xk_shape *s)
{
    const int k = xk_contraction_last(p, XK_ROLE_K);
    const int outer = xk_contraction_before(p, k);
    if (s->k_inner > XK_PACK_FEW || s->elem_b > 2 || s->loose_a || outer < 0 ||
        p->index[outer].extent < 2)
        return;
    const int dim = xk_access_dim_of(&p->a, (unsigned)k);
    const bool open = xk_access_is_open(&p->a) || dim < 0;
    s->used_e = open ? XK_PACK_FEW : p->a.layout.padded[dim];
    if (s->used_e <= XK_PACK_FEW &&
        (xk_access_is_open(&p->b) ||
         has_places_inside(p, (unsigned)outer, 8 / s->elem_b)))
        s->line_places = p->index[outer].extent;
}

/* Whether the M indices of C are one, as they stand: each stride is the next
 * one's times its extent. */
static void set_row(const struct xk_contraction *walked, struct xk_shape *s)
{
    int64_t first_b = 0, want_b = 0;
    for (unsigned i = walked->n_index; i-- > 0;) {
        const struct xk_index *const x = &walked->index[i];
        int64_t b = 0, run = 0;
        if (x->role != XK_ROLE_M || x->extent == 1)
            continue;
        if (!xk_access_stride_b(walked, &walked->c, i, &b, &run) ||
            run < x->extent || (want_b && b != want_b))
            return;
        first_b = want_b ? first_b : b;
        want_b = b * x->extent;
    }
    s->even_c = true;
    s->row_b = first_b;
}

/* The same in the order of loops, with these layouts. */
static enum xk_status set_c(xk_ctx *c, const struct xk_contraction *p,
                            struct xk_shape *s)
{
    if (xk_access_is_open(&p->a) || xk_access_is_open(&p->c))
        return XK_OK;
    if (!xk_row_order_of(p).last) {
        set_row(p, s);
        return XK_OK;
    }
    struct xk_contraction *const walked = xk_malloc(c, sizeof(*walked));
    if (!walked)
        return XK_ENOMEM;
    xk_contraction_copy(walked, p);
    xk_row_order_apply(walked);
    set_row(walked, s);
    xk_free(c, walked);
    return XK_OK;
}

/* Places of a tile along the columns: at most so many, as even as can be. */
#define MOST_COLUMNS 8

static int64_t largest_divisor(int64_t n, int64_t most)
{
    int64_t d = xk_smaller(n, most);
    while (n % d)
        d--;
    return d;
}

void xk_shape_add_lanes(struct xk_shape *s, const struct xk_group_lanes *l)
{
    struct xk_lanes_shape *const x = &s->lanes;
    const int64_t columns = l->axis[1].places;
    const int64_t tiles = xk_ceil_div(columns, MOST_COLUMNS);
    x->n = l->groups * l->group_n;
    x->outer_m = l->outer_m;
    x->outer_k = at_most(l->outer_k, MOST_POSITIONS);
    x->group_n = l->group_n;
    x->group_k = l->group_k;
    x->tile_columns = xk_ceil_div(columns, tiles);
    x->axis[0] = l->axis[0];
    x->axis[1] = l->axis[1];
    x->parts = l->parts;
    x->k_columns = largest_divisor(l->axis[1].k_places, MOST_COLUMNS);
    x->k = x->outer_k *
           at_most(l->axis[0].k_places * l->axis[1].k_places, MOST_POSITIONS) *
           l->group_k;
}

int64_t xk_lanes_b_vectors(const struct xk_lanes_shape *s,
                           const struct xk_schedule *c)
{
    const int64_t rows = s->axis[0].k_places;
    if (xk_schedule_is_walk(c))
        return c->k_step;
    return c->k_step == 1 || s->k > XK_LANES_MOST_K
               ? s->k
               : s->k / rows *
                     xk_lanes_n_dots(&s->axis[0], xk_lanes_rows(s, c->m_thr));
}

struct xk_lanes_size xk_schedule_lanes_size(const struct xk_shape *s,
                                            const struct xk_schedule *c)
{
    const struct xk_lanes_shape *const l = &s->lanes;
    struct xk_lanes_size r = {.rows = (uint16_t)xk_lanes_rows(l, c->m_thr),
                              .columns = (uint16_t)l->tile_columns,
                              .lanes = c->simd,
                              .deep = c->k_step};
    if (xk_schedule_is_walk(c)) {
        r.deep = 1;
        r.k_columns = (uint16_t)l->k_columns;
        r.k_rows = (uint16_t)(c->k_step / l->k_columns);
    }
    return r;
}

static bool is_filled(const struct xk_contraction *p)
{
    return xk_access_leaves(p, &p->b) ||
           (p->a.fill && xk_access_leaves(p, &p->a));
}

/* Whether the operation reads elements beside those of C's rows. */
static bool reads_beside(const struct xk_contraction *p,
                         const struct xk_epi_op *e)
{
    const uint32_t uses =
        xk_epi_reads_rhs(e) ? xk_access_uses(&p->input[e->input]) : 0;
    bool moves =
        xk_epi_reads_old(e) ||
        (xk_epi_reads_rhs(e) && xk_access_leaves(p, &p->input[e->input]));
    for (unsigned i = 0; i < p->n_index; i++)
        moves |= uses >> i & 1 && p->index[i].role == XK_ROLE_M;
    return moves;
}

/* Masks cost most; of several N indices each column's place is computed.
 * Measured on random formulas. What a step reads beside C's rows comes by a
 * message and a conversion; what all rows share is loaded once. */
static void set_epilogue(const struct xk_contraction *p, struct xk_shape *s)
{
    enum { SEVERAL = 16, READ = 2 };
    unsigned columns = 0;
    bool masked = xk_access_leaves(p, &p->c);
    struct xk_epi_run run = {0};
    while (xk_epi_next_run(p->epi, p->n_epi, &run)) {
        s->epilogue += run.cost;
        /* of a loop one instruction remains, which moves the vector */
        s->looped += run.loops ? run.cost - 1 : 0;
    }
    s->moves = 1;
    s->totals = p->totals;
    for (unsigned i = 0; i < p->n_epi; i++)
        s->sums |= p->epi[i].times_b;
    for (unsigned i = 0; i < p->n_epi; i++)
        if (reads_beside(p, &p->epi[i])) {
            s->epilogue += READ;
            s->moves++;
        }
    for (unsigned i = 0; i < p->n_index; i++)
        columns += p->index[i].role == XK_ROLE_N && p->index[i].extent > 1;
    for (unsigned i = 0; i < p->n_inputs; i++)
        masked |= xk_access_leaves(p, &p->input[i]);
    if (masked)
        s->scatter = XK_MOST_SCATTER;
    else if (columns > 1)
        s->scatter = SEVERAL;
}

enum xk_status xk_shape_of(xk_ctx *c, const struct xk_contraction *p,
                           struct xk_shape *out)
{
    memset(out, 0, sizeof(*out));
    set_shape_extents(p, out);
    set_a(p, out);
    set_b(p, out);
    set_runs(p, out);
    set_row_facts(p, out);
    set_line_places(p, out);
    out->filled = is_filled(p);
    set_epilogue(p, out);
    return set_c(c, p, out);
}
