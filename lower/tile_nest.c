/* SPDX-License-Identifier: Apache-2.0 */
/* K's loops as a nest of tile functions (ir/tiles.h): loads of A and B, and the
 * multiply, over the views of the contraction. What a load is, and what is
 * loaded when, the plan's calls of passes decide later.
 *
 * K is walked in the digits that the plan lists: the first ones are loops of
 * their own, around one over the places of all others, whose short last step
 * stands behind it. */
#include <string.h>

#include "ir/tiles.h"
#include "lower/nest_tiling.h"
#include "views/access.h"

enum { MAX_ROWS = 8 };
enum { VIEW_A, VIEW_B };
enum { TILE_A, TILE_B, TILE_C, TILE_RAW };

/* An operand in a step: its tile, and the one that it comes in, if that is
 * another one. */
struct operand {
    unsigned tile, raw, view;
    const xk_expr *reg, *raw_reg; /* raw_reg NULL: it comes as the tile */
};

struct nest {
    struct xk_lowering *l;
    struct xk_tiling t;
    int k_inner; /* the last K index, the fastest in a step */
    int k_few;   /* the index in front of it, if a step has several of its
                    places with all of the last index's; -1: it has one */
    bool has_batch;
    struct operand a, b;
    struct xk_lower_sums sums;
    struct xk_lower_totals totals;
    const xk_expr *rows[MAX_ROWS]; /* of slices that have their own rows first:
                                      positions of each message's rows of A */
};

static int64_t padded(const struct xk_access *a, const struct xk_coord *x)
{
    return a->layout.padded[x - a->at];
}

/* The padding of memory is zeros: what ends with the dim is loaded with it, up
 * to `end`. */
static void reach_padding(struct xk_access *a, struct xk_coord *x, int64_t end)
{
    if (x->hi == a->layout.dim[x - a->at])
        x->hi = padded(a, x) < end ? padded(a, x) : end;
}

/* Whole steps of the last K: behind its end one operand is 0, and the other 0
 * or beyond its interval, so that no mask of its own is needed. */
static void complete_steps(struct nest *g)
{
    struct xk_access *const a = &g->t.view[VIEW_A].access;
    struct xk_access *const b = &g->t.view[VIEW_B].access;
    const int64_t end = g->l->p->walk.last;
    if (end == g->t.index[g->k_inner].extent)
        return;
    reach_padding(a, xk_lower_coordinate(a, g->k_inner), end);
    reach_padding(b, xk_lower_coordinate(b, g->k_inner), end);
    g->t.index[g->k_inner].extent = end;
}

/* The places of an index that a step has with all of the last one's. */
static int64_t few_of(const struct nest *g)
{
    return xk_plan_few(g->l->p);
}

/* Whole steps of the index in front of the last one: B has zeros behind its
 * end, and A a condition. */
static void complete_few(struct nest *g)
{
    struct xk_access *const a = &g->t.view[VIEW_A].access;
    struct xk_access *const b = &g->t.view[VIEW_B].access;
    struct xk_index *const x = &g->t.index[g->k_few];
    struct xk_coord *const in_b = xk_lower_coordinate(b, g->k_few);
    const int64_t end = xk_ceil_div(x->extent, few_of(g)) * few_of(g);
    if (x->extent == end || !in_b || in_b->hi < x->extent ||
        padded(b, in_b) < end || a->n_coord == XK_MAX_COORD)
        return;
    struct xk_coord *const in_a = &a->at[a->n_coord++];
    *in_a = (struct xk_coord){.hi = x->extent};
    in_a->coef[g->k_few] = 1;
    reach_padding(b, in_b, end);
    x->extent = end;
}

/* All columns that B has in memory. */
static void complete_columns(struct nest *g)
{
    struct xk_access *const b = &g->t.view[VIEW_B].access;
    const int n = xk_lower_last_of(&g->t, XK_ROLE_N);
    struct xk_coord *const x = xk_lower_coordinate(b, n);
    if (!x || g->l->p->b.access != XK_ACCESS_BLOCK)
        return;
    reach_padding(b, x, padded(b, x));
    if (g->t.index[n].extent < x->hi)
        g->t.index[n].extent = x->hi;
}

static void make_tile(struct nest *g, unsigned number, const char *name,
                      const struct xk_layout *l, enum xk_role rows,
                      enum xk_role columns)
{
    xk_lower_tile(&g->t.tile[number], name, l, rows, columns,
                  g->has_batch && number != TILE_C);
}

/* The sum's tile as a multiply takes it: of a part of B's columns, if they come
 * so. */
static struct xk_layout sum_layout(const struct xk_plan *p)
{
    struct xk_layout l = p->acc;
    if (p->t.n_part == p->t.n)
        return l;
    l.dim[1] = l.padded[1] = p->t.n_part;
    l.block[0].size = p->t.n_part / p->platform->dpas_rows;
    return l;
}

/* Tiles that operands come in, if these are others. */
static void make_raw_tiles(struct nest *g)
{
    const struct xk_plan *const p = g->l->p;
    g->t.n_tiles = TILE_RAW;
    if (p->a.raw_b)
        make_tile(g, g->a.raw = g->t.n_tiles++, "x", &p->a.raw, XK_ROLE_M,
                  XK_ROLE_K);
    if (p->b.raw_b)
        make_tile(g, g->b.raw = g->t.n_tiles++, "y", &p->b.raw, XK_ROLE_N,
                  XK_ROLE_K);
}

static void make_tiling(struct nest *g)
{
    const struct xk_plan *const p = g->l->p;
    const struct xk_contraction *const con = &p->con->walked;
    struct xk_tiling *const t = &g->t;
    xk_lower_tiling_begin(g->l, t);
    t->walk[XK_ROLE_K] = p->walk.digits;
    t->n_views = 2;
    strcpy(t->view[VIEW_A].name, "A");
    t->view[VIEW_A].access = con->a;
    strcpy(t->view[VIEW_B].name, "B");
    t->view[VIEW_B].access = con->b;
    g->k_inner = xk_lower_last_of(t, XK_ROLE_K);
    g->has_batch = xk_lower_has_batch(g->l);
    g->k_few =
        p->t.k_last < p->t.k ? xk_contraction_before(con, g->k_inner) : -1;
    complete_steps(g);
    if (g->k_few >= 0)
        complete_few(g);
    complete_columns(g);
    make_tile(g, TILE_A, "a", &p->a.tile, XK_ROLE_M, XK_ROLE_K);
    make_tile(g, TILE_B, "b", &p->b.tile, XK_ROLE_N, XK_ROLE_K);
    const struct xk_layout sum = sum_layout(p);
    make_tile(g, TILE_C, "c", &sum, XK_ROLE_M, XK_ROLE_N);
    make_raw_tiles(g);
    xk_lower_sums_tiles(g->l, t);
    xk_lower_totals_tiles(g->l, t);
}

/* Some of K's places in the tiles; n 0: all. */
static struct xk_func tile_call(enum xk_tile_op op, unsigned k_len)
{
    struct xk_func f = {.kind = XK_FUNC_TILE, .u.tile = {.op = (uint8_t)op}};
    if (k_len) {
        f.u.tile.n_parts = 1;
        f.u.tile.part[0].role = XK_ROLE_K;
        f.u.tile.part[0].n = (uint16_t)k_len;
    }
    return f;
}

/* A step of K: where it begins, and how many places it has; 0: all. */
struct step {
    const xk_expr *k;
    unsigned k_len;
};

/* Some of a tile's rows; n 0: all. */
struct rows {
    unsigned first, n;
};

static void only_rows(struct xk_tile_call *f, enum xk_role role, struct rows r)
{
    if (!r.n)
        return;
    f->part[f->n_parts].role = (uint8_t)role;
    f->part[f->n_parts].first = (uint16_t)r.first;
    f->part[f->n_parts++].n = (uint16_t)r.n;
}

/* An operand at a row and a step, into registers, as it comes. */
static void load_operand(struct nest *g, struct xk_block_writer *w,
                         const struct operand *o, const xk_expr *row,
                         struct rows r, struct step s)
{
    struct xk_lowering *const l = g->l;
    struct xk_func f = tile_call(XK_TILE_LOAD, s.k_len);
    only_rows(&f.u.tile, o->view == VIEW_A ? XK_ROLE_M : XK_ROLE_N, r);
    const unsigned tile = o->raw_reg ? o->raw : o->tile;
    const xk_expr *args[4] = {
        xk_lower_reg(l, o->raw_reg ? o->raw_reg : o->reg, 0)};
    unsigned n = 1;
    strcpy(f.u.tile.view, g->t.view[o->view].name);
    strcpy(f.u.tile.tile[0], g->t.tile[tile].name);
    if (g->has_batch)
        args[n++] = l->group_z;
    args[n++] = row;
    args[n++] = s.k;
    xk_block_call(w, &f, args, n);
}

/* What came is put in order, if that is another one. */
static void order_operand(struct nest *g, struct xk_block_writer *w,
                          const struct operand *o, struct rows r,
                          unsigned k_len)
{
    struct xk_func f = tile_call(XK_TILE_COPY, k_len);
    if (!o->raw_reg)
        return;
    only_rows(&f.u.tile, XK_ROLE_M, r);
    strcpy(f.u.tile.tile[0], g->t.tile[o->tile].name);
    strcpy(f.u.tile.tile[1], g->t.tile[o->raw].name);
    const xk_expr *const both[] = {xk_lower_reg(g->l, o->reg, 0),
                                   xk_lower_reg(g->l, o->raw_reg, 0)};
    xk_block_call(w, &f, both, XK_COUNTOF(both));
}

/* Bytes of the sum in front of a part's. */
static uint32_t sum_b(const struct nest *g, unsigned part)
{
    return part * (uint32_t)xk_tile_size_b(&g->t.tile[TILE_C]);
}

static void multiply_tiles(struct nest *g, struct xk_block_writer *w,
                           unsigned part, struct rows r, unsigned k_len)
{
    struct xk_lowering *const l = g->l;
    struct xk_func f = tile_call(XK_TILE_MUL, k_len);
    only_rows(&f.u.tile, XK_ROLE_M, r);
    f.u.tile.family = l->p->t.family;
    strcpy(f.u.tile.tile[0], g->t.tile[TILE_C].name);
    strcpy(f.u.tile.tile[1], g->t.tile[TILE_A].name);
    strcpy(f.u.tile.tile[2], g->t.tile[TILE_B].name);
    const xk_expr *const args[] = {xk_lower_reg(l, l->acc, sum_b(g, part)),
                                   xk_lower_reg(l, g->a.reg, 0),
                                   xk_lower_reg(l, g->b.reg, 0)};
    xk_block_call(w, &f, args, XK_COUNTOF(args));
}

static unsigned parts_of(const struct xk_plan *p)
{
    return p->t.n / p->t.n_part;
}

/* A's rows; of slices that have their own first those of a message at a time.
 */
static void load_a(struct nest *g, struct xk_block_writer *w, struct step s)
{
    const struct xk_plan *const p = g->l->p;
    const unsigned n = p->t.lanes;
    if (!g->rows[0])
        load_operand(g, w, &g->a, g->l->m0, (struct rows){0, 0}, s);
    for (unsigned i = 0; g->rows[0] && i < p->t.m / n; i++)
        load_operand(g, w, &g->a, g->rows[i], (struct rows){i * n, n}, s);
}

/* B's columns of a part; of slices that have their own first a place at a time,
 * which is where the part that lies there is in memory. */
static void load_b(struct nest *g, struct xk_block_writer *w, unsigned part,
                   struct step s)
{
    struct xk_lowering *const l = g->l;
    const unsigned all = (unsigned)l->p->b.tile.dim[0];
    const xk_expr *n = l->n0_b;
    if (part)
        n = xk_bin_imm(l->c, XK_OP_ADD, n, part * l->p->t.n_part);
    if (!l->place_n[0]) {
        load_operand(g, w, &g->b, n, (struct rows){0, 0}, s);
        return;
    }
    const unsigned rows = xk_plan_place_rows(l->p);
    for (unsigned at = 0; at < all; at += rows) {
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->place_n[at / rows], -(int64_t)at);
        load_operand(g, w, &g->b, xk_add(l->c, n, first),
                     (struct rows){at, all > rows ? rows : 0}, s);
    }
}

/* Rows in order at a time, and their products. */
static void put_rows(struct nest *g, struct xk_block_writer *w, unsigned part,
                     unsigned k_len)
{
    const struct xk_plan *const p = g->l->p;
    const unsigned n = (unsigned)p->a.tile.dim[0];
    const bool turns = g->a.raw_reg && n < p->t.m;
    for (unsigned at = 0; at < p->t.m; at += n) {
        const struct rows r = {at, turns ? n : 0};
        if (part == 0 || turns)
            order_operand(g, w, &g->a, r, k_len);
        multiply_tiles(g, w, part, r, k_len);
    }
}

static void put_step(struct nest *g, struct xk_block_writer *w, struct step s)
{
    load_a(g, w, s);
    for (unsigned part = 0; part < parts_of(g->l->p); part++) {
        load_b(g, w, part, s);
        order_operand(g, w, &g->b, (struct rows){0, 0}, s.k_len);
        xk_lower_sums_add(g->l, &g->sums, w, part, g->t.tile[TILE_B].name,
                          g->b.reg);
        xk_lower_totals_add(
            g->l, &g->totals, w, part,
            (struct xk_lower_b){g->t.tile[TILE_B].name, g->b.reg, s.k_len});
        put_rows(g, w, part, s.k_len);
    }
}

/* So many steps of k_len places (0: all) from `first` on. */
static void put_steps(struct nest *g, struct xk_block_writer *w,
                      const xk_expr *first, uint32_t n, unsigned k_len)
{
    struct xk_lowering *const l = g->l;
    const int64_t step = l->p->t.k, places = n * step;
    struct xk_block_writer in;
    if (n == 0)
        return;
    if (n == 1) {
        put_step(g, w, (struct step){first, k_len});
        return;
    }
    const xk_expr *const k = xk_lower_counter(l, "k0", places);
    xk_block_init(&in, l->c, l->facts);
    put_step(g, &in, (struct step){k ? xk_add(l->c, first, k) : NULL, k_len});
    xk_block_add(w, xk_for(l->c, k, xk_s32(l->c, 0), xk_s32(l->c, places),
                           (int32_t)step, xk_block_end(&in)));
}

/* Places of a short step that are multiplied: of dwords whole ones, of a dpas
 * all. 0: all. */
static unsigned rest_of(const struct xk_plan *p)
{
    const unsigned deep = p->t.family == XK_FAMILY_DP4A ? 4 : 1;
    const unsigned n = (p->walk.rest_e + deep - 1) / deep * deep;
    return p->t.dpas || n == p->t.k ? 0 : n;
}

/* A loop for each of K's first digits; position of their places. */
static const xk_expr *begin_loops(struct nest *g, unsigned *depth)
{
    struct xk_lowering *const l = g->l;
    const struct xk_digits *const w = &g->t.walk[XK_ROLE_K];
    const xk_expr *at = NULL;
    *depth = 0;
    for (unsigned i = 0; i < l->p->walk.loops; i++) {
        const int64_t extent = xk_digit_extent(&g->t, &w->at[i]);
        if (extent == 1)
            continue;
        const xk_expr *const k =
            xk_lower_counter(l, g->t.index[w->at[i].index].name, extent);
        xk_block_for(&l->w, k, extent);
        at = at ? xk_add(l->c, xk_bin_imm(l->c, XK_OP_MUL, at, extent), k) : k;
        (*depth)++;
    }
    return at;
}

/* Places of the digits that have no loops of their own. */
static int64_t places_inside(const struct nest *g)
{
    const struct xk_digits *const w = &g->t.walk[XK_ROLE_K];
    int64_t n = 1;
    for (unsigned i = g->l->p->walk.loops; i < w->n; i++)
        n *= xk_digit_extent(&g->t, &w->at[i]);
    return n;
}

/* Where this thread's slice of K begins. Slices that have their own rows first
 * load each message's rows at its own position. */
static const xk_expr *begin_slice(struct nest *g, int64_t places)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan *const p = l->p;
    const unsigned n = p->t.lanes;
    for (unsigned i = 0; p->slices.n > 1 && p->slices.by_rows && i < p->t.m / n;
         i++)
        g->rows[i] = xk_block_let(&l->w, "m", xk_lower_a_rows(l, i * n, n));
    return l->slice ? xk_bin_imm(l->c, XK_OP_MUL, l->slice, places)
                    : xk_s32(l->c, 0);
}

/* K's loops; short steps stand behind the inner one. With several slices there
 * are none. */
static void put_walk(struct nest *g)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_walk *const w = &l->p->walk;
    const int64_t inside = places_inside(g);
    unsigned depth;
    const xk_expr *const outer = begin_loops(g, &depth);
    const xk_expr *const first =
        outer ? xk_bin_imm(l->c, XK_OP_MUL, outer, inside)
              : begin_slice(g, inside / l->p->slices.n);
    put_steps(g, &l->w, first, w->trip, 0);
    if (w->rest) {
        const xk_expr *const behind =
            xk_bin_imm(l->c, XK_OP_ADD, first, (int64_t)w->trip * l->p->t.k);
        put_steps(g, &l->w, behind, w->rest, rest_of(l->p));
    }
    while (depth--)
        xk_block_end_for(&l->w);
}

static void alloc_operand(struct nest *g, struct operand *o,
                          const struct xk_plan_operand *p, uint8_t bank)
{
    struct xk_block_writer *const w = &g->l->w;
    const bool is_a = o->view == VIEW_A;
    o->reg = xk_block_alloc(w, is_a ? "ra" : "rb", p->tile_b, bank);
    if (p->raw_b)
        o->raw_reg = xk_block_alloc(w, is_a ? "xa" : "xb", p->raw_b, 0);
}

void xk_lower_nest(struct xk_lowering *l)
{
    struct nest g = {.l = l,
                     .a = {.tile = TILE_A, .view = VIEW_A},
                     .b = {.tile = TILE_B, .view = VIEW_B}};
    const xk_expr *const mem[] = {l->arg_a, l->arg_b};
    struct xk_block_writer outer;
    make_tiling(&g);
    xk_lower_sums_begin(l, &g.sums);
    xk_lower_totals_begin(l, &g.totals);
    outer = l->w;
    xk_block_init(&l->w, l->c, l->facts);
    for (unsigned part = 0; part < parts_of(l->p); part++) {
        struct xk_func zero = tile_call(XK_TILE_ZERO, 0);
        const xk_expr *const sum = xk_lower_reg(l, l->acc, sum_b(&g, part));
        strcpy(zero.u.tile.tile[0], g.t.tile[TILE_C].name);
        xk_block_call(&l->w, &zero, &sum, 1);
    }
    alloc_operand(&g, &g.a, &l->p->a, 1);
    alloc_operand(&g, &g.b, &l->p->b, 2);
    put_walk(&g);
    xk_lower_sums_end(l, &g.sums);
    const xk_stmt *const body = xk_block_end(&l->w);
    l->w = outer;
    xk_block_add(&l->w, xk_tiling_stmt(l->c, &g.t, mem, body));
    xk_lower_totals_end(l, &g.totals);
    if (l->p->flat.ahead.groups)
        xk_lower_prefetch(l);
}
