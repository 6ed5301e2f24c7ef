/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions by their definition, element by element. */
#include "tests/ir_interp_state.h"

/* Whether all indices are below their extents. */
static bool is_inside(const struct xk_tiling *t, const int64_t *at)
{
    for (unsigned i = 0; i < t->n_index; i++)
        if (at[i] < 0 || at[i] >= t->index[i].extent)
            return false;
    return true;
}

/* Whether the indices are an element of the view's tensor, and where. */
static bool element_of(const struct xk_tiling *t, const struct xk_access *a,
                       const int64_t *at, int64_t *element)
{
    int64_t place[XK_LAYOUT_MAX_DIMS] = {0};
    for (unsigned d = 0; d < a->n_coord; d++) {
        int64_t v = a->at[d].base;
        for (unsigned i = 0; i < t->n_index; i++)
            v += a->at[d].coef[i] * at[i];
        if (v < a->at[d].lo || v >= a->at[d].hi)
            return false;
        if (d < a->layout.n_dims)
            place[d] = v;
    }
    *element = xk_layout_offset_e(&a->layout, place);
    return true;
}

/* The next element of a part; false behind the last. */
static bool next_element(const struct xk_tile_part *p, int64_t *at)
{
    for (unsigned d = p->tile->layout.n_dims; d-- > 0;) {
        if (++at[d] < p->first[d] + p->n[d])
            return true;
        at[d] = p->first[d];
    }
    return false;
}

static void first_element(const struct xk_tile_part *p, int64_t *at)
{
    for (unsigned d = 0; d < p->tile->layout.n_dims; d++)
        at[d] = p->first[d];
}

static union lane number(enum xk_dtype dt, int64_t v)
{
    union lane r = {.i = v};
    if (xk_dtype_is_float(dt))
        r.f = (double)v;
    return r;
}

static void write_view(struct interp *s, const xk_stmt *st, struct place mem,
                       int64_t element, union lane v)
{
    const struct xk_tile_call *const f = &xk_func_of(st)->u.tile;
    const int view = xk_tiling_view(s->tiling, f->view);
    const enum xk_dtype dt = s->tiling->view[view].access.layout.dt;
    if (f->op == XK_TILE_ADD) {
        v.f += xk_interp_read_lane(s, mem, element, dt, "tile.add").f;
        v = xk_interp_fit(dt, v);
    }
    xk_interp_write_lane(s, mem, element, dt, v, "tile.store");
}

/* One element between a tile and its view. */
static void move_tile_element(struct interp *s, const xk_stmt *st,
                              const struct xk_tile_part *p,
                              const struct place *tile, const int64_t *in_tile)
{
    const struct xk_tile_call *const f = &xk_func_of(st)->u.tile;
    const int view = xk_tiling_view(s->tiling, f->view);
    const struct xk_access *const a = &s->tiling->view[view].access;
    const enum xk_dtype dt = a->layout.dt;
    int64_t at[XK_MAX_INDEX] = {0}, element = 0;
    for (unsigned d = 0; d < p->tile->layout.n_dims; d++) {
        struct value v;
        xk_interp_eval(s, xk_kid(st, 1 + d), &v);
        const int64_t n = in_tile[d] - p->first[d]; /* of those moved */
        const int64_t position = xk_type_of(xk_kid(st, 1 + d)).lanes > 1
                                     ? v.l[n].i
                                     : v.l[0].i + in_tile[d];
        xk_walk_place(s->tiling, (enum xk_role)p->tile->role[d], position, at);
    }
    const bool inside = is_inside(s->tiling, at);
    const bool there = inside && element_of(s->tiling, a, at, &element);
    const int64_t in_reg = xk_layout_offset_e(&p->tile->layout, in_tile);
    const struct place mem = {
        xk_interp_slot_of(s, xk_tiling_mem(s->tiling_stmt, (unsigned)view))
            ->region,
        0};
    if (f->op == XK_TILE_LOAD)
        xk_interp_write_lane(
            s, *tile, in_reg, p->tile->layout.dt,
            xk_interp_convert(
                s, p->tile->layout.dt, dt,
                there ? xk_interp_read_lane(s, mem, element, dt, "tile.load")
                      : number(dt, inside ? a->fill : 0)),
            "tile.load");
    else if (there)
        write_view(s, st, mem, element,
                   xk_interp_convert(s, dt, p->tile->layout.dt,
                                     xk_interp_read_lane(s, *tile, in_reg,
                                                         p->tile->layout.dt,
                                                         "tile.store")));
}

static void move_tile(struct interp *s, const xk_stmt *st)
{
    const struct place tile = xk_interp_place_of(s, xk_kid(st, 0));
    struct xk_tile_part p;
    int64_t at[XK_N_ROLES];
    xk_tile_part_of(s->tiling, &xk_func_of(st)->u.tile, 0, &p);
    first_element(&p, at);
    do
        if (xk_func_of(st)->u.tile.op == XK_TILE_ZERO)
            xk_interp_write_lane(
                s, tile, xk_layout_offset_e(&p.tile->layout, at),
                p.tile->layout.dt, number(p.tile->layout.dt, 0), "tile.zero");
        else
            move_tile_element(s, st, &p, &tile, at);
    while (!s->fault && next_element(&p, at));
}

/* Element (row, column) of a product's operand, by the roles. */
static int64_t tile_place(const struct xk_tile_part *p, enum xk_role r,
                          int64_t row, enum xk_role q, int64_t column)
{
    int64_t at[XK_N_ROLES];
    for (unsigned d = 0; d < p->tile->layout.n_dims; d++)
        at[d] = p->first[d];
    const int dr = xk_tile_dim(p->tile, r), dq = xk_tile_dim(p->tile, q);
    at[dr] = p->first[dr] + row;
    at[dq] = p->first[dq] + column;
    return xk_layout_offset_e(&p->tile->layout, at);
}

static double tile_number(struct interp *s, struct place p, int64_t at,
                          enum xk_dtype dt)
{
    const union lane v = xk_interp_read_lane(s, p, at, dt, "tile.mul");
    return xk_dtype_is_float(dt) ? v.f : (double)v.i;
}

static void multiply_tiles(struct interp *s, const xk_stmt *st)
{
    struct xk_tile_part p[3];
    struct place at[3];
    for (unsigned i = 0; i < 3; i++) {
        xk_tile_part_of(s->tiling, &xk_func_of(st)->u.tile, i, &p[i]);
        at[i] = xk_interp_place_of(s, xk_kid(st, i));
    }
    const int64_t rows = p[0].n[xk_tile_dim(p[0].tile, XK_ROLE_M)];
    const int64_t columns = p[0].n[xk_tile_dim(p[0].tile, XK_ROLE_N)];
    const int64_t deep = p[1].n[xk_tile_dim(p[1].tile, XK_ROLE_K)];
    const enum xk_dtype dt = p[0].tile->layout.dt;
    for (int64_t m = 0; m < rows; m++)
        for (int64_t n = 0; n < columns && !s->fault; n++) {
            const int64_t c = tile_place(&p[0], XK_ROLE_M, m, XK_ROLE_N, n);
            double sum = tile_number(s, at[0], c, dt);
            for (int64_t k = 0; k < deep; k++)
                sum +=
                    tile_number(s, at[1],
                                tile_place(&p[1], XK_ROLE_M, m, XK_ROLE_K, k),
                                p[1].tile->layout.dt) *
                    tile_number(s, at[2],
                                tile_place(&p[2], XK_ROLE_N, n, XK_ROLE_K, k),
                                p[2].tile->layout.dt);
            const union lane v = {.i = (int64_t)sum};
            const union lane w = {.f = sum};
            xk_interp_write_lane(
                s, at[0], c, dt,
                xk_interp_fit(dt, xk_dtype_is_float(dt) ? w : v), "tile.mul");
        }
}

/* Element by element; the tiles may share no register. */
static void copy_tile(struct interp *s, const xk_stmt *st)
{
    const struct xk_tile_call *const f = &xk_func_of(st)->u.tile;
    const struct place to = xk_interp_place_of(s, xk_kid(st, 0));
    const struct place from = xk_interp_place_of(s, xk_kid(st, 1));
    struct xk_tile_part a, b;
    int64_t at[XK_N_ROLES], in_b[XK_N_ROLES];
    xk_tile_part_of(s->tiling, f, 0, &a);
    xk_tile_part_of(s->tiling, f, 1, &b);
    first_element(&a, at);
    do {
        for (unsigned d = 0; d < a.tile->layout.n_dims; d++)
            in_b[d] = at[d] - a.first[d] + b.first[d];
        const enum xk_dtype dt = b.tile->layout.dt;
        const union lane v = xk_interp_read_lane(
            s, from, xk_layout_offset_e(&b.tile->layout, in_b), dt,
            "tile.copy");
        xk_interp_write_lane(
            s, to, xk_layout_offset_e(&a.tile->layout, at), a.tile->layout.dt,
            xk_interp_convert(s, a.tile->layout.dt, dt, v), "tile.copy");
    } while (!s->fault && next_element(&a, at));
}

/* Each element of the sums and its four places of k. */
static void dot_tiles(struct interp *s, const xk_stmt *st)
{
    const struct xk_tile_call *const f = &xk_func_of(st)->u.tile;
    const struct place sums = xk_interp_place_of(s, xk_kid(st, 0));
    const struct place b = xk_interp_place_of(s, xk_kid(st, 1));
    const struct place four = xk_interp_place_of(s, xk_kid(st, 2));
    struct xk_tile_part p[2];
    for (unsigned i = 0; i < 2; i++)
        xk_tile_part_of(s->tiling, f, i, &p[i]);
    const enum xk_dtype dt = p[1].tile->layout.dt;
    const int64_t columns = p[0].n[xk_tile_dim(p[0].tile, XK_ROLE_N)];
    const int64_t deep = p[0].n[xk_tile_dim(p[0].tile, XK_ROLE_K)];
    for (int64_t n = 0; n < columns; n++)
        for (int64_t k = 0; k < deep && !s->fault; k++) {
            const int64_t at = tile_place(&p[0], XK_ROLE_N, n, XK_ROLE_K, k);
            union lane v =
                xk_interp_read_lane(s, sums, at, XK_DT_S32, "tile.dot");
            for (int64_t i = 0; i < 4; i++)
                v.i += xk_interp_read_lane(s, b,
                                           tile_place(&p[1], XK_ROLE_N, n,
                                                      XK_ROLE_K, 4 * k + i),
                                           dt, "tile.dot")
                           .i *
                       xk_interp_read_lane(s, four, i, XK_DT_U8, "tile.dot").i;
            xk_interp_write_lane(s, sums, at, XK_DT_S32,
                                 xk_interp_fit(XK_DT_S32, v), "tile.dot");
        }
}

void xk_interp_tile(struct interp *s, const xk_stmt *st)
{
    if (!s->tiling)
        xk_interp_fault(s, "a tile function without a tiling around it");
    else if (xk_func_of(st)->u.tile.op == XK_TILE_MUL)
        multiply_tiles(s, st);
    else if (xk_func_of(st)->u.tile.op == XK_TILE_COPY)
        copy_tile(s, st);
    else if (xk_func_of(st)->u.tile.op == XK_TILE_DOT)
        dot_tiles(s, st);
    else
        move_tile(s, st);
}

void xk_interp_tiling(struct interp *s, const xk_stmt *st)
{
    const struct xk_tiling *const outer = s->tiling;
    const xk_stmt *const outer_stmt = s->tiling_stmt;
    s->tiling = xk_tiling_of(st);
    s->tiling_stmt = st;
    xk_interp_run_stmt(s, xk_tiling_body(st));
    s->tiling = outer;
    s->tiling_stmt = outer_stmt;
}
