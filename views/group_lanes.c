/* SPDX-License-Identifier: Apache-2.0 */
#include "views/group_lanes.h"

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "views/access.h"
#include "views/row_order.h"

/* The only index of a role with several places; XK_NO_INDEX: there is none.
 * False: there are more. */
static bool only_long_index(const struct xk_contraction *p, enum xk_role role,
                            uint8_t *out)
{
    *out = XK_NO_INDEX;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (p->index[i].role != role || p->index[i].extent == 1)
            continue;
        if (*out != XK_NO_INDEX)
            return false;
        *out = (uint8_t)i;
    }
    return true;
}

static int64_t coef_of(const struct xk_coord *x, uint8_t index)
{
    return index == XK_NO_INDEX ? 0 : x->coef[index];
}

/* Whether a coordinate is size * batch + inner and nothing else, as far as the
 * indices have several places. */
static bool counts_groups(const struct xk_contraction *p,
                          const struct xk_coord *x, uint8_t batch,
                          uint8_t inner, int64_t size)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (i != batch && i != inner && x->coef[i] && p->index[i].extent > 1)
            return false;
    return !x->base && !x->class_base && x->coef[batch] == size &&
           (size == 1 || coef_of(x, inner) == 1);
}

/* Whether groups move the access along one coordinate at most, in which their
 * columns of C count, and these nowhere else. */
static bool has_columns(const struct xk_contraction *p,
                        const struct xk_group_lanes *l,
                        const struct xk_access *a)
{
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const x = &a->at[d];
        const bool moves = x->coef[l->batch] || coef_of(x, l->n);
        if (moves && !counts_groups(p, x, l->batch, l->n, l->group_n))
            return false;
    }
    return true;
}

/* The K index of a group's own: with groups in one coordinate. */
static bool find_group_k(const struct xk_contraction *p,
                         struct xk_group_lanes *l)
{
    const int d = xk_access_coord_of(&p->a, l->batch);
    if (d < 0)
        return false;
    l->k = XK_NO_INDEX;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K && p->index[i].extent > 1 &&
            p->a.at[d].coef[i]) {
            if (l->k != XK_NO_INDEX)
                return false;
            l->k = (uint8_t)i;
        }
    l->group_k = l->k == XK_NO_INDEX ? 1 : p->index[l->k].extent;
    return counts_groups(p, &p->a.at[d], l->batch, l->k, l->group_k) &&
           (l->k == XK_NO_INDEX || xk_access_coord_of(&p->a, l->k) == d);
}

/* Elements from place to place, of M and of K: then positions of a window,
 * whose places of K all have registers, are far below 2^31. */
#define MOST_STEP 1024

/* The index of K that stands with index m in a coordinate of A, in which there
 * may be parts of it that are a batch; XK_NO_INDEX: none. False: there is
 * something else. */
static bool find_axis_k(const struct xk_contraction *p, unsigned m,
                        const struct xk_coord *x, uint8_t *k)
{
    *k = XK_NO_INDEX;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (i == m || !x->coef[i] || p->index[i].role == XK_ROLE_BATCH)
            continue;
        if (*k != XK_NO_INDEX || p->index[i].role != XK_ROLE_K)
            return false;
        *k = (uint8_t)i;
    }
    return true;
}

/* Places of such an index; one if there is none. */
static int64_t places_of_k(const struct xk_contraction *p, uint8_t k)
{
    return k == XK_NO_INDEX ? 1 : p->index[k].extent;
}

static bool set_axis(const struct xk_contraction *p, unsigned m,
                     struct xk_lanes_axis *out)
{
    const int d = xk_access_coord_of(&p->a, m);
    uint8_t k;
    if (d < 0 || !find_axis_k(p, m, &p->a.at[d], &k))
        return false;
    *out = (struct xk_lanes_axis){
        .m = (uint8_t)m,
        .k = k,
        .places = p->index[m].extent,
        .k_places = places_of_k(p, k),
        .step = p->a.at[d].coef[m],
        .apart = k == XK_NO_INDEX ? 1 : p->a.at[d].coef[k]};
    return out->step > 0 && out->step <= MOST_STEP && out->apart > 0 &&
           out->apart <= MOST_STEP;
}

/* Whether an index of M counts a group's own rows in A, of which there is one.
 */
static bool is_of_group(const struct xk_contraction *p,
                        const struct xk_group_lanes *l, unsigned i)
{
    const int d = xk_access_coord_of(&p->a, l->batch);
    return p->index[i].extent == 1 && d >= 0 &&
           xk_access_coord_of(&p->a, i) == d;
}

static bool set_axes(const struct xk_contraction *p, struct xk_group_lanes *l)
{
    int w = -1, h = -1;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_M && !is_of_group(p, l, i)) {
            h = w;
            w = (int)i;
        }
    if (h < 0 || !set_axis(p, (unsigned)h, &l->axis[0]) ||
        !set_axis(p, (unsigned)w, &l->axis[1]))
        return false;
    l->outer_m = xk_contraction_extent(p, XK_ROLE_M) / l->axis[0].places /
                 l->axis[1].places;
    l->outer_k = xk_contraction_extent(p, XK_ROLE_K) / l->group_k /
                 l->axis[0].k_places / l->axis[1].k_places;
    return xk_contraction_extent(p, XK_ROLE_M) < INT32_MAX &&
           l->axis[0].k != l->axis[1].k;
}

/* The first batch index of several places. */
static bool find_groups(const struct xk_contraction *p,
                        struct xk_group_lanes *l)
{
    unsigned i = 0;
    while (i < p->n_index &&
           (p->index[i].role != XK_ROLE_BATCH || p->index[i].extent == 1))
        i++;
    if (i == p->n_index)
        return false;
    l->batch = (uint8_t)i;
    l->groups = p->index[i].extent;
    l->parts = xk_contraction_extent(p, XK_ROLE_BATCH) / l->groups;
    return true;
}

bool xk_group_lanes_of(const struct xk_contraction *p, struct xk_group_lanes *l)
{
    if (p->n_class_dims || !find_groups(p, l) ||
        !only_long_index(p, XK_ROLE_N, &l->n))
        return false;
    l->group_n = l->n == XK_NO_INDEX ? 1 : p->index[l->n].extent;
    if (!find_group_k(p, l) || !set_axes(p, l) || !has_columns(p, l, &p->c) ||
        xk_access_coord_of(&p->c, l->batch) < 0 || p->a.fill ||
        xk_access_leaves(p, &p->b) || l->group_n > INT32_MAX / l->groups)
        return false;
    for (unsigned i = 0; i < p->n_inputs; i++)
        if (!has_columns(p, l, &p->input[i]))
            return false;
    return true;
}

int64_t xk_lanes_next(const struct xk_lanes_axis *x, int64_t places, int64_t at)
{
    int64_t least = -1;
    for (int64_t p = 0; p < places; p++) {
        const int64_t k = xk_floor_div(at - p * x->step, x->apart) + 1;
        const int64_t next = p * x->step + (k > 0 ? k : 0) * x->apart;
        if (k < x->k_places && (least < 0 || next < least))
            least = next;
    }
    return least;
}

bool xk_lanes_next_block(const struct xk_lanes_axis *y, int64_t places,
                         struct xk_lanes_block *b)
{
    const bool first = b->row[0] < 0;
    int64_t at = first ? -1 : b->row[XK_LANES_DEEP - 1];
    bool more = first || at >= 0;
    for (unsigned i = 0; i < XK_LANES_DEEP; i++) {
        at = more ? xk_lanes_next(y, places, at) : -1;
        b->row[i] = at;
        more = at >= 0;
    }
    return b->row[0] >= 0;
}

bool xk_lanes_dots(const struct xk_lanes_axis *y, int64_t place,
                   const struct xk_lanes_block *b, int64_t by[XK_LANES_DEEP])
{
    bool any = false;
    for (unsigned i = 0; i < XK_LANES_DEEP; i++) {
        const int64_t far = b->row[i] - place * y->step;
        const bool met = b->row[i] >= 0 && far >= 0 && far % y->apart == 0 &&
                         far / y->apart < y->k_places;
        by[i] = met ? far / y->apart : -1;
        any |= met;
    }
    return any;
}

int64_t xk_lanes_n_dots(const struct xk_lanes_axis *y, int64_t places)
{
    struct xk_lanes_block b = xk_lanes_no_block();
    int64_t by[XK_LANES_DEEP], n = 0;
    while (xk_lanes_next_block(y, places, &b))
        for (int64_t p = 0; p < places; p++)
            n += xk_lanes_dots(y, p, &b, by);
    return n;
}

/* New indices for the old ones: index i is the sum of to[i][j] * j. */
struct map {
    const struct xk_contraction *from;
    int64_t to[XK_MAX_INDEX][XK_MAX_INDEX];
};

static void map_coord(const struct map *m, const struct xk_coord *x,
                      struct xk_coord *out)
{
    *out = *x;
    memset(out->coef, 0, sizeof(out->coef));
    for (unsigned i = 0; i < m->from->n_index; i++)
        for (unsigned j = 0; x->coef[i] && j < XK_MAX_INDEX; j++)
            out->coef[j] += x->coef[i] * m->to[i][j];
}

static void map_access(const struct map *m, const struct xk_access *a,
                       struct xk_access *out)
{
    *out = *a;
    for (unsigned d = 0; d < a->n_coord; d++)
        map_coord(m, &a->at[d], &out->at[d]);
}

/* Index i as one of role `as`, if it has this role and several places; under a
 * name that nothing else has. */
static void map_one(struct map *m, struct xk_contraction *q, enum xk_role role,
                    unsigned i, enum xk_role as)
{
    const struct xk_index *const x = &m->from->index[i];
    char name[8];
    snprintf(name, sizeof(name), "x%u", i % 100);
    if (x->role == role && x->extent > 1)
        m->to[i][xk_contraction_add(q, name, x->extent, as)] = 1;
}

/* The batch's indices but for the groups. */
static void map_parts(struct map *m, struct xk_contraction *q, unsigned groups)
{
    for (unsigned i = 0; i < m->from->n_index; i++)
        if (i != groups)
            map_one(m, q, XK_ROLE_BATCH, i, XK_ROLE_BATCH);
}

/* The M indices in front of the axes, then tiles along both; in the nest
 * (inner) also places in a tile. */
static void map_rows(const struct xk_lanes_nest *t, struct map *m,
                     struct xk_contraction *q, bool inner)
{
    const struct xk_contraction *const p = m->from;
    const uint16_t size[2] = {t->rows, t->columns};
    unsigned tile[2];
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_M && i != t->of.axis[0].m &&
            i != t->of.axis[1].m && p->index[i].extent > 1)
            m->to[i][xk_contraction_add(q, p->index[i].name, p->index[i].extent,
                                        XK_ROLE_M)] = 1;
    for (unsigned x = 0; x < 2; x++) {
        tile[x] = xk_contraction_add(
            q, x ? "t1" : "t0", (t->of.axis[x].places + size[x] - 1) / size[x],
            XK_ROLE_M);
        m->to[t->of.axis[x].m][tile[x]] = size[x];
    }
    for (unsigned x = 0; x < 2 && inner; x++)
        m->to[t->of.axis[x].m]
             [xk_contraction_add(q, x ? "p1" : "p0", size[x], XK_ROLE_M)] = 1;
}

/* C and inputs: a coordinate that counts a group's own is the column. */
static void map_columns(const struct xk_lanes_nest *t, const struct map *m,
                        unsigned n, const struct xk_access *a,
                        struct xk_access *out)
{
    map_access(m, a, out);
    for (unsigned d = 0; d < a->n_coord; d++)
        if (a->at[d].coef[t->of.batch])
            out->at[d].coef[n] = 1;
}

/* One element, which no index moves. */
static void stand_still(const struct xk_access *a, struct xk_access *out)
{
    *out = *a;
    out->n_coord = 0;
    for (unsigned d = 0; d < a->layout.n_dims; d++)
        xk_access_add(out, -1, a->layout.dim[d]);
}

static enum xk_status make_nest(xk_ctx *c, const struct xk_contraction *p,
                                struct xk_lanes_nest *t,
                                struct xk_contraction *q)
{
    struct map m = {.from = p};
    xk_contraction_clear(q);
    q->acc_dt = t->dots ? XK_DT_S32 : XK_DT_F32;
    map_parts(&m, q, t->of.batch);
    const unsigned n =
        xk_contraction_add(q, "n", t->of.groups * t->of.group_n, XK_ROLE_N);
    map_rows(t, &m, q, true);
    xk_contraction_add(q, "k", 1, XK_ROLE_K);
    map_columns(t, &m, n, &p->c, &q->c);
    stand_still(&p->a, &q->a);
    stand_still(&p->b, &q->b);
    for (unsigned i = 0; i < p->n_inputs; i++)
        map_columns(t, &m, n, &p->input[i], xk_contraction_add_input(q));
    q->n_epi = p->n_epi;
    memcpy(q->epi, p->epi, sizeof(q->epi));
    return xk_nest_make(c, q, &t->nest);
}

static void walk_add(struct xk_digits *w, unsigned index)
{
    w->at[w->n++] = (struct xk_digit){.index = (uint8_t)index, .div = 1};
}

/* The window instead of the axes' places of M and K. */
static void map_window(struct xk_lanes_nest *t, struct map *m,
                       struct xk_contraction *q)
{
    const struct xk_contraction *const p = m->from;
    const uint16_t size[2] = {t->rows, t->columns};
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K && i != t->of.k &&
            i != t->of.axis[0].k && i != t->of.axis[1].k &&
            p->index[i].extent > 1)
            m->to[i][xk_contraction_add(q, p->index[i].name, p->index[i].extent,
                                        XK_ROLE_K)] = 1;
    for (unsigned x = 0; x < 2; x++)
        xk_contraction_add(q, x ? "w1" : "w0",
                           xk_lanes_window(&t->of.axis[x], size[x]), XK_ROLE_K);
    if (t->of.k != XK_NO_INDEX)
        m->to[t->of.k][xk_contraction_add(q, "i", t->of.group_k, XK_ROLE_K)] =
            1;
}

/* A's: its windows begin where their tile does. */
static void set_view_a(const struct xk_lanes_nest *t, const struct map *m,
                       const struct xk_contraction *q, struct xk_view_decl *v)
{
    strcpy(v->name, "A");
    map_access(m, &m->from->a, &v->access);
    for (unsigned x = 0; x < 2; x++) {
        const int d = xk_access_coord_of(&m->from->a, t->of.axis[x].m);
        v->access.at[d].coef[xk_contraction_find(q, x ? "w1" : "w0")] = 1;
    }
}

/* A tile of `outer` positions of a role, a vector of n each: of f32, or of
 * dwords of four elements, then with k innermost. */
static void set_tile(struct xk_tile_decl *t, const char *name, enum xk_dtype dt,
                     const unsigned size[2], bool of_a)
{
    struct xk_layout *const l = &t->layout;
    const unsigned deep = 4u / xk_dtype_b(dt), outer = size[0], lanes = size[1];
    const unsigned n = 1, first = of_a ? XK_ROLE_M : XK_ROLE_BATCH;
    strcpy(t->name, name);
    t->role[0] = (uint8_t)first;
    t->role[1] = XK_ROLE_N;
    t->role[2] = XK_ROLE_K;
    l->dt = dt;
    l->n_dims = of_a || deep > 1 ? 3 : 2;
    const unsigned of_outer = of_a ? 2 : 0;
    for (unsigned d = 0; d < 3; d++)
        l->dim[d] = d == n ? lanes : d == of_outer ? outer : 1;
    l->dim[2] *= deep;
    memcpy(l->padded, l->dim, sizeof(l->padded));
    l->block[l->n_blocks++] =
        (struct xk_block){(uint8_t)of_outer, outer, lanes * deep};
    if (of_a)
        l->block[l->n_blocks++] = (struct xk_block){0, 1, lanes * deep};
    l->block[l->n_blocks++] = (struct xk_block){(uint8_t)n, lanes, deep};
    if (deep > 1)
        l->block[l->n_blocks++] = (struct xk_block){2, deep, 1};
}

/* B's K: of the other K indices, rows, columns, a group's. The number of
 * them. */
static unsigned map_k(const struct xk_lanes_nest *t, struct map *m,
                      struct xk_contraction *q)
{
    const struct xk_contraction *const p = m->from;
    const uint8_t last[] = {t->of.axis[0].k, t->of.axis[1].k, t->of.k};
    unsigned n = 1;
    for (unsigned i = 0; i < p->n_index + XK_COUNTOF(last); i++) {
        const unsigned of = i < p->n_index ? i : last[i - p->n_index];
        const bool is_last = of == last[0] || of == last[1] || of == last[2];
        if (of == XK_NO_INDEX || is_last != (i >= p->n_index) ||
            p->index[of].role != XK_ROLE_K || p->index[of].extent == 1)
            continue;
        char name[8];
        snprintf(name, sizeof(name), "b%u", of % 100);
        m->to[of][xk_contraction_add(q, name, p->index[of].extent,
                                     XK_ROLE_BATCH)] = 1;
        n *= (unsigned)p->index[of].extent;
    }
    return n;
}

static void set_tiles(const struct xk_contraction *p, struct xk_lanes_nest *t,
                      unsigned k_places, unsigned lanes)
{
    const struct xk_lanes_axis *const y = &t->of.axis[0];
    const unsigned pairs =
        t->dots ? (unsigned)xk_lanes_n_dots(y, t->rows) : (unsigned)y->k_places;
    const unsigned a[] = {
        (unsigned)(xk_lanes_window(&t->of.axis[1], t->columns) * t->of.group_k),
        lanes};
    const unsigned b[] = {k_places / (unsigned)y->k_places * pairs, lanes};
    set_tile(&t->tiling.tile[0], "a", t->dots ? p->a.layout.dt : XK_DT_F32, a,
             true);
    set_tile(&t->tiling.tile[1], "b", t->dots ? p->b.layout.dt : XK_DT_F32, b,
             false);
}

/* Whether there is room for the tiling's indices: tiles and window take the
 * place of the axes; K's indices are there for A and for B. */
static bool has_index_room(const struct xk_contraction *p,
                           const struct xk_group_lanes *l)
{
    unsigned n = 2; /* the window's */
    for (unsigned i = 0; i < p->n_index; i++) {
        const bool twice = p->index[i].role == XK_ROLE_K && i != l->axis[0].k &&
                           i != l->axis[1].k;
        const bool tiles = i == l->axis[0].m || i == l->axis[1].m;
        if (p->index[i].extent > 1 || tiles)
            n += twice ? 2 : 1;
    }
    return n <= XK_MAX_INDEX;
}

static enum xk_status make_lanes_tiling(xk_ctx *c,
                                        const struct xk_contraction *p,
                                        unsigned lanes, struct xk_lanes_nest *t,
                                        struct xk_contraction *q)
{
    struct xk_tiling *const g = &t->tiling;
    struct map a = {.from = p}, b = {.from = p};
    if (!has_index_room(p, &t->of))
        return xk_fail(c, XK_ENOFIT, "nest: no room for the K of %s",
                       p->b.name);
    xk_contraction_clear(q);
    memset(g, 0, sizeof(*g));
    const unsigned group = xk_contraction_add(q, "g", t->of.groups, XK_ROLE_N);
    a.to[t->of.batch][group] = b.to[t->of.batch][group] = 1;
    if (t->of.n != XK_NO_INDEX)
        b.to[t->of.n][xk_contraction_add(q, "o", t->of.group_n, XK_ROLE_N)] = 1;
    map_rows(t, &a, q, false);
    map_window(t, &a, q);
    const unsigned k_places = map_k(t, &b, q);
    g->n_index = q->n_index;
    memcpy(g->index, q->index, sizeof(q->index));
    for (unsigned i = 0; i < q->n_index; i++)
        walk_add(&g->walk[q->index[i].role], i);
    g->n_views = g->n_tiles = 2;
    set_view_a(t, &a, q, &g->view[0]);
    strcpy(g->view[1].name, "B");
    map_access(&b, &p->b, &g->view[1].access);
    set_tiles(p, t, k_places, lanes);
    return xk_tiling_check(c, g);
}

/* ---- in steps ---- */

/* An index of several places; XK_MAX_INDEX: there is one place. */
static unsigned add_long(struct xk_contraction *q, const char *name,
                         int64_t extent, enum xk_role role)
{
    return extent > 1 ? xk_contraction_add(q, name, extent, role)
                      : XK_MAX_INDEX;
}

/* Tiles along an axis, and steps. */
static void map_axis(const struct xk_lanes_nest *t, unsigned x, struct map *m,
                     struct xk_contraction *q)
{
    const struct xk_lanes_axis *const a = &t->of.axis[x];
    const int64_t size = x ? t->columns : t->rows;
    const unsigned tile = add_long(
        q, x ? "t1" : "t0", xk_round_up(a->places, size) / size, XK_ROLE_M);
    const unsigned step =
        add_long(q, x ? "c1" : "c0", places_of_k(m->from, a->k) / a->k_places,
                 XK_ROLE_BATCH);
    if (tile < XK_MAX_INDEX)
        m->to[a->m][tile] = size;
    if (step < XK_MAX_INDEX)
        m->to[a->k][step] = a->k_places;
}

/* A's window; then K of a step, which B has. */
static void map_step(const struct xk_lanes_nest *t, struct map *m,
                     struct xk_contraction *q, struct xk_access *a)
{
    const uint16_t size[2] = {t->rows, t->columns};
    for (unsigned x = 0; x < 2; x++) {
        const int d = xk_access_coord_of(&m->from->a, t->of.axis[x].m);
        const unsigned w =
            add_long(q, x ? "w1" : "w0",
                     xk_lanes_window(&t->of.axis[x], size[x]), XK_ROLE_K);
        if (w < XK_MAX_INDEX)
            a->at[d].coef[w] = 1;
    }
    for (unsigned x = 0; x < 2; x++) {
        const unsigned k =
            add_long(q, x ? "b1" : "b0", t->of.axis[x].k_places, XK_ROLE_K);
        if (k < XK_MAX_INDEX)
            m->to[t->of.axis[x].k][k] = 1;
    }
}

/* As many f32 vectors as there are positions of K. */
static void set_step_tile(struct xk_tile_decl *t, const char *name,
                          int64_t places, unsigned lanes, bool of_a)
{
    struct xk_layout *const l = &t->layout;
    const uint8_t last = of_a ? 3 : 2;
    strcpy(t->name, name);
    t->role[0] = XK_ROLE_BATCH;
    t->role[1] = of_a ? XK_ROLE_M : XK_ROLE_N;
    t->role[2] = of_a ? XK_ROLE_N : XK_ROLE_K;
    t->role[3] = XK_ROLE_K;
    l->dt = XK_DT_F32;
    l->n_dims = last + 1;
    for (unsigned d = 0; d < last; d++)
        l->dim[d] = 1;
    l->dim[last - 1] = lanes;
    l->dim[last] = places;
    memcpy(l->padded, l->dim, sizeof(l->padded));
    for (unsigned d = 0; d + 1 < last; d++)
        l->block[l->n_blocks++] =
            (struct xk_block){(uint8_t)d, 1, lanes * places};
    l->block[l->n_blocks++] = (struct xk_block){last, places, lanes};
    l->block[l->n_blocks++] = (struct xk_block){last - 1, lanes, 1};
}

/* Whether a tiling has room for them all. */
static bool has_step_room(const struct xk_contraction *p,
                          const struct xk_lanes_nest *t)
{
    const struct xk_lanes_axis *const axis = t->of.axis;
    const uint16_t size[2] = {t->rows, t->columns};
    unsigned n = 0;
    for (unsigned i = 0; i < p->n_index; i++)
        n += p->index[i].extent > 1 && i != axis[0].m && i != axis[1].m &&
             i != axis[0].k && i != axis[1].k;
    for (unsigned x = 0; x < 2; x++) {
        n += axis[x].places > size[x];
        n += places_of_k(p, axis[x].k) > axis[x].k_places;
        n += xk_lanes_window(&axis[x], size[x]) > 1;
        n += axis[x].k_places > 1;
    }
    return n <= XK_MAX_INDEX;
}

static enum xk_status make_step_tiling(xk_ctx *c,
                                       const struct xk_contraction *p,
                                       unsigned lanes, struct xk_lanes_nest *t,
                                       struct xk_contraction *q)
{
    struct xk_tiling *const g = &t->tiling;
    struct map m = {.from = p};
    if (!has_step_room(p, t))
        return xk_fail(c, XK_ENOFIT, "nest: no room for the steps of %s",
                       p->b.name);
    xk_contraction_clear(q);
    memset(g, 0, sizeof(*g));
    m.to[t->of.batch][xk_contraction_add(q, "g", t->of.groups, XK_ROLE_N)] = 1;
    map_parts(&m, q, t->of.batch);
    for (unsigned i = 0; i < p->n_index; i++)
        if (i != t->of.axis[0].m && i != t->of.axis[1].m)
            map_one(&m, q, XK_ROLE_M, i, XK_ROLE_M);
    for (unsigned i = 0; i < p->n_index; i++)
        if (i != t->of.axis[0].k && i != t->of.axis[1].k)
            map_one(&m, q, XK_ROLE_K, i, XK_ROLE_BATCH);
    map_axis(t, 0, &m, q);
    map_axis(t, 1, &m, q);
    map_access(&m, &p->a, &g->view[0].access);
    map_step(t, &m, q, &g->view[0].access);
    map_access(&m, &p->b, &g->view[1].access);
    strcpy(g->view[0].name, "A");
    strcpy(g->view[1].name, "B");
    g->n_index = q->n_index;
    memcpy(g->index, q->index, sizeof(q->index));
    for (unsigned i = 0; i < q->n_index; i++)
        walk_add(&g->walk[q->index[i].role], i);
    g->n_views = g->n_tiles = 2;
    t->steps = xk_contraction_extent(q, XK_ROLE_BATCH) / t->of.parts;
    set_step_tile(&g->tile[0], "a", xk_lanes_window(&t->of.axis[1], t->columns),
                  lanes, true);
    set_step_tile(&g->tile[1], "b",
                  t->of.axis[0].k_places * t->of.axis[1].k_places, lanes,
                  false);
    return xk_tiling_check(c, g);
}

enum xk_status xk_lanes_nest_make(xk_ctx *c, const struct xk_contraction *p,
                                  const struct xk_group_lanes *of,
                                  const struct xk_lanes_size *size,
                                  struct xk_lanes_nest *out)
{
    struct xk_contraction *const q = xk_malloc(c, sizeof(*q));
    if (!q)
        return XK_ENOMEM;
    out->of = *of;
    out->rows = size->rows;
    out->columns = size->columns;
    out->dots = size->deep > 1;
    out->walked = size->k_columns > 0;
    if (out->walked) {
        out->of.axis[0].k_places = size->k_rows;
        out->of.axis[1].k_places = size->k_columns;
        out->of.outer_k = 1;
    }
    enum xk_status status = out->walked
                                ? make_step_tiling(c, p, size->lanes, out, q)
                                : make_lanes_tiling(c, p, size->lanes, out, q);
    if (status == XK_OK)
        status = make_nest(c, p, out, q);
    xk_free(c, q);
    out->nest.lanes = out;
    return status;
}
