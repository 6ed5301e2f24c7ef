/* SPDX-License-Identifier: Apache-2.0 */
/* From positions to addresses: the digits of a position give indices, indices
 * give the offset in memory and the mask. */
#include "passes/expand.h"

#include "base/integer.h"
#include "views/access_expr.h"

/* So many of a vector's positions from the tile's position `at` on. Lanes
 * behind the last one stand where that does. */
static const xk_expr *own_positions(struct xk_expand *x,
                                    const struct xk_tile_move *m, unsigned d,
                                    int64_t at, unsigned lanes)
{
    const unsigned all = xk_type_of(m->pos[d]).lanes;
    uint16_t index[32];
    if (lanes == all)
        return m->pos[d];
    for (unsigned i = 0; i < lanes && i < XK_COUNTOF(index); i++) {
        const unsigned k = (unsigned)at - m->pos_first[d] + i;
        index[i] = (uint16_t)(k < all ? k : all - 1);
    }
    return xk_shuffle(x->c, m->pos[d], index, lanes);
}

/* The position as the lanes of a message see it. */
static const xk_expr *position(struct xk_expand *x,
                               const struct xk_tile_move *m,
                               const struct xk_tile_shape *s, unsigned d,
                               int64_t at)
{
    if (xk_type_of(m->pos[d]).lanes > 1)
        return own_positions(x, m, d, at, (int)d == s->lane_dim ? s->lanes : 1);
    const xk_expr *const first =
        xk_simplify(x->c, xk_bin_imm(x->c, XK_OP_ADD, m->pos[d], at), x->facts);
    if ((int)d != s->lane_dim)
        return first;
    return xk_ramp(x->c, first, xk_s32(x->c, 1), s->lanes);
}

/* A position that has the same quotient by n: without what it is known to be
 * beyond a multiple of one of n's divisors, so that a tile's rows share it. */
static const xk_expr *at_multiple(struct xk_expand *x, const xk_expr *pos,
                                  int64_t n)
{
    int64_t mod, rem;
    if (!pos || xk_type_of(pos).lanes > 1)
        return pos;
    xk_facts_divisibility(x->facts, pos, &mod, &rem);
    const int64_t of = xk_gcd(mod, n);
    return of > 1 && rem % of ? xk_bin_imm(x->c, XK_OP_SUB, pos, rem % of)
                              : pos;
}

/* What a digit adds to its index, from the position over the extents of the
 * digits further in; the outermost takes the rest. */
static const xk_expr *digit_of_position(struct xk_expand *x,
                                        const struct xk_digit *d,
                                        const xk_expr *pos, int64_t inner,
                                        bool outermost)
{
    const int64_t extent = xk_digit_extent(x->t, d);
    const xk_expr *v = pos;
    if (extent == 1 && !outermost)
        return NULL;
    if (inner > 1)
        v = xk_bin_imm(x->c, XK_OP_DIV, at_multiple(x, v, inner), inner);
    if (!outermost)
        v = xk_bin_imm(x->c, XK_OP_MOD, v, extent);
    return d->div > 1 ? xk_bin_imm(x->c, XK_OP_MUL, v, d->div) : v;
}

/* A role's position below its extent, NULL where that is certain. */
static const xk_expr *inside_walk(struct xk_expand *x, const xk_expr *v,
                                  int64_t extent)
{
    int64_t known, lo, hi;
    if (xk_facts_range(x->facts, v, &lo, &hi) && hi < extent)
        return NULL;
    const xk_expr *const e =
        xk_simplify(x->c, xk_bin_imm(x->c, XK_OP_LT, v, extent), x->facts);
    return xk_is_const(e, &known) && known ? NULL : e;
}

static const xk_expr *both_masks(xk_ctx *c, const xk_expr *a, const xk_expr *b)
{
    return a && b ? xk_and(c, a, b) : a ? a : b;
}

/* An index's value. One that divisions made becomes a variable: beyond the walk
 * lanes are masked, so that it is known to be below its extent. tail: its
 * digits reach further than that. */
static const xk_expr *bind_tile_index(struct xk_expand *x,
                                      const struct xk_index *k,
                                      const xk_expr *value, const xk_expr *pos,
                                      bool tail, const xk_expr **mask)
{
    if (!value)
        return xk_s32(x->c, 0);
    const xk_expr *const v =
        value == pos ? value
                     : xk_expand_bind(x, k->name, value, tail ? 0 : k->extent);
    if (v && tail)
        *mask = both_masks(x->c, *mask, inside_walk(x, v, k->extent));
    return v;
}

/* Binds the indices of one role at a position into at[]; *mask gains what says
 * that they are below their extents. */
static void bind_indices(struct xk_expand *x, enum xk_role role,
                         const xk_expr *pos, const xk_expr **at,
                         const xk_expr **mask)
{
    const struct xk_digits *const w = &x->t->walk[role];
    const xk_expr *value[XK_MAX_INDEX] = {NULL};
    int64_t inner = 1, reach[XK_MAX_INDEX] = {0};
    *mask = both_masks(x->c, *mask,
                       inside_walk(x, pos, xk_walk_extent(x->t, role)));
    for (unsigned i = w->n; i-- > 0;) {
        const struct xk_digit *const d = &w->at[i];
        const xk_expr *const v = digit_of_position(x, d, pos, inner, i == 0);
        const int64_t extent = xk_digit_extent(x->t, d);
        if (v)
            value[d->index] =
                value[d->index] ? xk_add(x->c, value[d->index], v) : v;
        reach[d->index] += (extent - 1) * d->div;
        inner *= extent;
    }
    for (unsigned i = 0; i < x->t->n_index; i++)
        if (x->t->index[i].role == role)
            at[i] = bind_tile_index(x, &x->t->index[i], value[i], pos,
                                    reach[i] >= x->t->index[i].extent, mask);
}

/* The same of a dim's position, which many messages have: those of a move, and
 * those of the next moves of the block. */
static const struct xk_expand_seen *indices_at(struct xk_expand *x,
                                               const struct xk_tile_move *m,
                                               const struct xk_tile_shape *s,
                                               unsigned d, int64_t at)
{
    const struct xk_expand_seen key = {
        .block = x->n_blocks,
        .role = m->part.tile->role[d],
        .lanes = (int)d == s->lane_dim ? s->lanes : 0,
        .pos = m->pos[d],
        .at = xk_type_of(m->pos[d]).lanes > 1 ? at - m->pos_first[d] : at};
    const uint32_t hash = (uint32_t)key.at + key.role * 29u +
                          xk_serial(key.pos) * 2654435761u / XK_EXPAND_SEEN;
    struct xk_expand_seen *const e = &x->seen[hash % XK_EXPAND_SEEN];
    if (e->block == key.block && e->role == key.role && e->lanes == key.lanes &&
        e->pos == key.pos && e->at == key.at)
        return e;
    *e = key;
    bind_indices(x, (enum xk_role)key.role, position(x, m, s, d, at), e->index,
                 &e->in);
    return e;
}

/* Whether a message's lanes are there together, each as far behind the one
 * before: then one position speaks for all. */
static bool lanes_together(struct xk_expand *x, const struct xk_tile_move *m,
                           const struct xk_tile_shape *s, const int64_t *at)
{
    const int d = s->lane_dim;
    if (d < 0)
        return false;
    const int64_t last = at[d] + s->lanes - 1;
    return m->stride_b[d] <= INT32_MAX && m->stride_b[d] >= INT32_MIN &&
           xk_expand_is_alike(x, m, (unsigned)d, at[d], last) &&
           xk_expand_is_even(x, m, (unsigned)d, at[d], last);
}

/* Divisions that the terms of a sum are. */
static unsigned divisions_in(struct xk_expand *x, const xk_expr *sum)
{
    struct xk_linear l;
    unsigned n = 0;
    if (!xk_linear_from(x->c, sum, &l))
        return 0;
    for (unsigned i = 0; i < l.n; i++)
        n += xk_op(l.term[i]) == XK_OP_DIV || xk_op(l.term[i]) == XK_OP_MOD;
    return n;
}

/* Once: every place of the level and of those further in asks. */
static void count_divisions(struct xk_expand *x, struct xk_expand_bound *b)
{
    if (b->divisions >= 0)
        return;
    b->divisions = b->extent && xk_type_of(b->value).lanes == 1
                       ? (int)divisions_in(x, b->value)
                       : 0;
}

/* An offset without the indices that lie in memory as their walk goes: the
 * position says as much as they do, and takes fewer divisions. */
static const xk_expr *undivided(struct xk_expand *x, const xk_expr *off)
{
    const xk_expr *var[XK_MAX_INDEX], *value[XK_MAX_INDEX];
    unsigned n = 0, divisions = 0;
    for (uint32_t i = 0; off && i < x->n_levels; i++)
        for (uint32_t k = 0; k < x->level[i].n && n < XK_COUNTOF(var); k++) {
            struct xk_expand_bound *const b = &x->level[i].bound[k];
            count_divisions(x, b);
            if (!b->divisions || !xk_depends_on(off, b->var))
                continue;
            var[n] = b->var;
            value[n++] = b->value;
            divisions += (unsigned)b->divisions;
        }
    if (divisions < 2)
        return off;
    const xk_expr *const e =
        xk_simplify(x->c, xk_substitute(x->c, off, n, var, value), x->facts);
    return e && !divisions_in(x, e) ? e : off;
}

/* Whether an index's digits reach its extent and further. */
static bool has_tail(const struct xk_tiling *t, enum xk_role role,
                     unsigned index)
{
    int64_t reach = 0;
    for (unsigned i = 0; i < t->walk[role].n; i++)
        if (t->walk[role].at[i].index == index)
            reach += (xk_digit_extent(t, &t->walk[role].at[i]) - 1) *
                     t->walk[role].at[i].div;
    return reach >= t->index[index].extent;
}

/* Whether memory moves evenly along all of a dim's walk, and nothing asks for
 * its indices, no condition and no end of their own: then the position says
 * where an element lies. */
static bool needs_no_index(const struct xk_expand *x,
                           const struct xk_tile_move *m, unsigned d)
{
    const enum xk_role role = (enum xk_role)m->part.tile->role[d];
    bool asked = false;
    for (unsigned i = 0; i < x->t->n_index; i++)
        asked |= x->t->index[i].role == role &&
                 (m->masks >> i & 1 || has_tail(x->t, role, i));
    return !asked && m->run[d] && m->run[d] >= xk_walk_extent(x->t, role) &&
           m->stride_b[d] <= INT32_MAX && m->stride_b[d] >= INT32_MIN;
}

/* Indices of the places of a message, NULL: they say nothing of where it is;
 * what positions alone say of that, and whether they are in their walks. */
struct lane_place {
    const xk_expr *index[XK_MAX_INDEX], *moved, *in;
};

static void place_dim(struct xk_expand *x, const struct xk_tile_move *m,
                      const struct xk_tile_shape *s, const int64_t *at,
                      unsigned d, struct lane_place *p)
{
    const enum xk_role role = (enum xk_role)m->part.tile->role[d];
    if (needs_no_index(x, m, d)) {
        const xk_expr *const pos = position(x, m, s, d, at[d]);
        const xk_expr *const by =
            xk_bin_imm(x->c, XK_OP_MUL, pos, m->stride_b[d]);
        p->in = inside_walk(x, pos, xk_walk_extent(x->t, role));
        if (m->stride_b[d])
            p->moved = p->moved ? xk_add(x->c, p->moved, by) : by;
        return;
    }
    const struct xk_expand_seen *const e = indices_at(x, m, s, d, at[d]);
    for (unsigned i = 0; i < x->t->n_index; i++)
        if (e->index[i])
            p->index[i] = e->index[i];
    p->in = e->in;
}

/* The place of the first lane, or of each. */
static bool place_of_lanes(struct xk_expand *x, const struct xk_tile_move *m,
                           const struct xk_tile_shape *s, const int64_t *at,
                           struct xk_tile_place *out)
{
    struct lane_place p = {{NULL}, NULL, NULL};
    const xk_expr *mask = NULL;
    int64_t known;
    out->inside = NULL;
    for (unsigned d = 0; d < m->n_dims; d++) {
        place_dim(x, m, s, at, d, &p);
        mask = both_masks(x->c, mask, p.in);
        if (m->part.tile->role[d] == XK_ROLE_K)
            out->inside = p.in;
    }
    for (unsigned i = 0; i < x->t->n_index; i++)
        if (!p.index[i])
            p.index[i] = xk_s32(x->c, 0);
    const xk_expr *const there =
        xk_access_mask(x->c, m->access, x->t->n_index, p.index, x->facts);
    if (!(xk_is_const(there, &known) && known))
        mask = both_masks(x->c, mask, there);
    out->off =
        xk_access_offset_b(x->c, m->access, x->t->n_index, p.index, x->facts);
    if (p.moved)
        out->off = xk_simplify(x->c, xk_add(x->c, p.moved, out->off), x->facts);
    if (!out->inside)
        out->off = undivided(x, out->off);
    out->mask =
        mask ? xk_simplify(x->c, mask, x->facts) : xk_imm(x->c, XK_DT_BOOL, 1);
    return out->off && out->mask;
}

bool xk_expand_place(struct xk_expand *x, const struct xk_tile_move *m,
                     const struct xk_tile_shape *s, const int64_t *at,
                     struct xk_tile_place *out)
{
    if (!lanes_together(x, m, s, at))
        return place_of_lanes(x, m, s, at, out);
    struct xk_tile_shape first = *s;
    first.lane_dim = -1;
    if (!place_of_lanes(x, m, &first, at, out))
        return false;
    const xk_expr *const lane_b =
        xk_s32(x->c, (int32_t)m->stride_b[s->lane_dim]);
    out->off = xk_ramp(x->c, out->off, lane_b, s->lanes);
    return out->off;
}

/* Whether positions first to last of a dim lie between two multiples of `size`.
 */
static bool is_in_one(struct xk_expand *x, const struct xk_tile_move *m,
                      unsigned d, int64_t first, int64_t last, int64_t size)
{
    int64_t mod, rem;
    xk_facts_divisibility(x->facts, m->pos[d], &mod, &rem);
    const int64_t sure = xk_gcd(xk_gcd(mod, rem), size);
    return sure && first / sure == last / sure;
}

/* Positions that follow each other and differ in digits alone of which no
 * condition asks. */
static int64_t unasked_run(const struct xk_tiling *t,
                           const struct xk_tile_move *m, enum xk_role role)
{
    const struct xk_digits *const w = &t->walk[role];
    int64_t run = 1;
    for (unsigned i = w->n; i-- > 0;) {
        const int64_t extent = xk_digit_extent(t, &w->at[i]);
        const unsigned index = w->at[i].index;
        if (extent > 1 && (m->masks >> index & 1 || has_tail(t, role, index)))
            break;
        run *= extent;
    }
    return run;
}

bool xk_expand_is_alike(struct xk_expand *x, const struct xk_tile_move *m,
                        unsigned d, int64_t first, int64_t last)
{
    const enum xk_role role = (enum xk_role)m->part.tile->role[d];
    int64_t lo, hi;
    if (first == last)
        return true;
    if (xk_type_of(m->pos[d]).lanes > 1)
        return false;
    const int64_t all = xk_walk_extent(x->t, role);
    if (!xk_facts_range(x->facts, m->pos[d], &lo, &hi) || lo < 0 ||
        (hi + last >= all && !is_in_one(x, m, d, first, last, all)))
        return false; /* some may lie beyond the walk, and others not */
    const int64_t run = unasked_run(x->t, m, role);
    return run == all || is_in_one(x, m, d, first, last, run);
}

/* Positions that follow each other and differ in digits of which no condition
 * asks, and in those of one index of which one does: without a carry to another
 * index. */
static int64_t straight_run(const struct xk_tiling *t,
                            const struct xk_tile_move *m, enum xk_role role)
{
    const struct xk_digits *const w = &t->walk[role];
    const int64_t unasked = unasked_run(t, m, role);
    int64_t run = 1, next_div = 0;
    unsigned index = XK_MAX_INDEX;
    for (unsigned i = w->n; i-- > 0;) {
        const struct xk_digit *const d = &w->at[i];
        const int64_t extent = xk_digit_extent(t, d);
        if (run >= unasked && extent > 1) {
            if (index != XK_MAX_INDEX &&
                (d->index != index || d->div != next_div))
                break;
            index = d->index;
            next_div = d->div * extent;
        }
        run *= extent;
    }
    return run;
}

bool xk_expand_is_straight(struct xk_expand *x, const struct xk_tile_move *m,
                           unsigned d, int64_t first, int64_t last)
{
    const enum xk_role role = (enum xk_role)m->part.tile->role[d];
    const int64_t run = straight_run(x->t, m, role);
    return first == last || run == xk_walk_extent(x->t, role) ||
           (xk_type_of(m->pos[d]).lanes == 1 &&
            is_in_one(x, m, d, first, last, run));
}

bool xk_expand_is_even(struct xk_expand *x, const struct xk_tile_move *m,
                       unsigned d, int64_t first, int64_t last)
{
    const enum xk_role role = (enum xk_role)m->part.tile->role[d];
    return first == last ||
           (m->run[d] && (m->run[d] >= xk_walk_extent(x->t, role) ||
                          is_in_one(x, m, d, first, last, m->run[d])));
}
