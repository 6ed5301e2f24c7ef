/* SPDX-License-Identifier: Apache-2.0 */
/* Which messages move a tile: by the tile's layout, the strides of memory along
 * its dims, and what is known of where it begins. */
#include <string.h>

#include "base/integer.h"
#include "isa/isa.h"
#include "passes/expand.h"
#include "views/access.h"

#define MAX_BLOCK_B 256  /* bytes of a block message: 64 dwords */
#define MAX_GATHER_GRF 8 /* registers of a gather's data */
#define RUN_B 8          /* bytes of a lane of runs */

/* What divides every position at which the part can begin; 0: it is 0. */
static int64_t alignment(struct xk_expand *x, const struct xk_tile_move *m,
                         unsigned d)
{
    int64_t mod, rem;
    xk_facts_divisibility(x->facts, m->pos[d], &mod, &rem);
    return xk_gcd(mod, rem + m->part.first[d]);
}

/* Whether each q positions of dim d that a message takes lie in one run. */
static bool is_whole(struct xk_expand *x, const struct xk_tile_move *m,
                     unsigned d, int64_t q)
{
    const enum xk_role role = (enum xk_role)m->part.tile->role[d];
    if (m->part.n[d] % q || m->part.first[d] % q)
        return false;
    if (q == 1 || m->run[d] >= xk_walk_extent(x->t, role))
        return true;
    return m->run[d] && m->run[d] % q == 0 && alignment(x, m, d) % q == 0;
}

/* The most positions of a block of the tile, a power of two of them, that lie
 * in memory `stride_b` apart; inner: positions of the dim further in. */
static int64_t take_of(struct xk_expand *x, const struct xk_tile_move *m,
                       const struct xk_block *b, int64_t inner,
                       int64_t stride_b, int64_t most)
{
    int64_t f = 1;
    if (m->stride_b[b->dim] * inner != stride_b || !m->run[b->dim])
        return 1;
    while (b->size % (2 * f) == 0 && 2 * f <= most &&
           is_whole(x, m, b->dim, inner * 2 * f))
        f *= 2;
    return f;
}

static void no_positions(const struct xk_tile_move *m, struct xk_tile_shape *s)
{
    memset(s, 0, sizeof(*s));
    s->lane_dim = -1;
    s->lanes = s->vec = 1;
    for (unsigned d = 0; d < m->n_dims; d++)
        s->n[d] = 1;
}

/* Elements of the tile between neighbours of a run in memory: of its innermost
 * blocks a load may take one position each. *from: blocks in front of those. */
static int64_t stride_in_tile(const struct xk_tile_move *m, unsigned *from)
{
    const struct xk_layout *const l = &m->part.tile->layout;
    int64_t stride = 1;
    *from = l->n_blocks;
    for (unsigned i = l->n_blocks; i-- > 0 && m->f->op == XK_TILE_LOAD;) {
        const struct xk_block *const b = &l->block[i];
        if (b->stride != stride || (b->size > 1 && m->part.n[b->dim] > 1))
            break;
        stride *= b->size;
        *from = i;
    }
    return stride;
}

static bool block_shape(struct xk_expand *x, const struct xk_tile_move *m,
                        struct xk_tile_shape *s)
{
    const struct xk_layout *const l = &m->part.tile->layout;
    const unsigned elem_b = xk_dtype_b(m->access->layout.dt);
    unsigned i;
    int64_t all = 1;
    no_positions(m, s);
    s->kind = XK_SHAPE_BLOCK;
    s->reg_stride = (uint16_t)stride_in_tile(m, &i);
    while (i-- > 0) {
        const struct xk_block *const b = &l->block[i];
        if (b->size == 1)
            continue;
        if (b->stride != all * s->reg_stride)
            break;
        const int64_t f = take_of(x, m, b, s->n[b->dim], all * elem_b,
                                  MAX_BLOCK_B / (all * elem_b));
        s->n[b->dim] = (uint16_t)(s->n[b->dim] * f);
        all *= f;
        if (f < b->size)
            break;
    }
    s->vec = (uint8_t)(all * elem_b / 4);
    if ((xk_expand_converts(m) || s->reg_stride > 1) &&
        all * s->reg_stride * xk_dtype_b(l->dt) % x->platform->grf_b)
        return false; /* what is left of a register could not be converted */
    return all * elem_b % 4 == 0;
}

/* Short blocks of several places of K as one message: a message takes the time
 * of two lines of the cache, if it brings no more than one, too. */
static bool runs_shape(struct xk_expand *x, const struct xk_tile_move *m,
                       const struct xk_tile_shape *block,
                       struct xk_tile_shape *s)
{
    const struct xk_layout *const l = &m->part.tile->layout;
    const unsigned lanes = x->platform->message_lanes, all_b = lanes * RUN_B;
    const unsigned run_b = 4u * block->vec;
    const int64_t run = run_b / xk_dtype_b(l->dt), n = all_b / run_b;
    if (m->f->op != XK_TILE_LOAD || xk_expand_converts(m) || m->access->fill ||
        block->reg_stride > 1 || run_b % RUN_B || all_b % run_b || n < 2 ||
        !xk_expand_has_surface(x, m->mem))
        return false;
    for (unsigned i = 0; i < l->n_blocks; i++) {
        const struct xk_block *const b = &l->block[i];
        if (b->stride != run || block->n[b->dim] != 1 || b->size % n ||
            m->part.tile->role[b->dim] != XK_ROLE_K ||
            !is_whole(x, m, b->dim, n) || !m->run[b->dim] ||
            m->stride_b[b->dim] % RUN_B || m->stride_b[b->dim] < run_b ||
            m->stride_b[b->dim] * n >= XK_RUNS_MOST_B)
            continue;
        *s = *block;
        s->kind = XK_SHAPE_RUNS;
        s->lanes = (uint8_t)lanes;
        s->vec = 1;
        s->run_dim = (uint8_t)b->dim;
        s->n[b->dim] = (uint16_t)n;
        return true;
    }
    return false;
}

/* The tile's blocks from the inside, size 1 left out. */
static const struct xk_block *block_from_inside(const struct xk_layout *l,
                                                unsigned number)
{
    for (unsigned i = l->n_blocks; i-- > 0;)
        if (l->block[i].size > 1 && number-- == 0)
            return &l->block[i];
    return NULL;
}

static unsigned lanes_in_block(const struct xk_expand *x,
                               const struct xk_tile_move *m,
                               const struct xk_block *b)
{
    const unsigned n = m->part.n[b->dim], first = m->part.first[b->dim];
    for (unsigned lanes = x->platform->message_lanes;
         lanes >= xk_platform_dwords(x->platform); lanes /= 2)
        if (b->size % lanes == 0 && n % lanes == 0 && first % lanes == 0)
            return lanes;
    return 0;
}

/* Positions of a block that the part has, in the block's own numbers. */
static int64_t left_of_block(const struct xk_tile_move *m,
                             const struct xk_block *b, int64_t inner)
{
    const int64_t all = b->size * inner, n = m->part.n[b->dim];
    return n < all && m->part.first[b->dim] % all + n <= all ? n / inner
                                                             : b->size;
}

/* Dwords of a lane, at most so many: those of the next block, if they follow
 * each other in memory and come to whole registers. */
static unsigned vector_in_block(struct xk_expand *x,
                                const struct xk_tile_move *m,
                                const struct xk_block *b, int64_t inner,
                                unsigned lanes, unsigned most)
{
    static const uint8_t vectors[] = {8, 4, 3, 2};
    const unsigned dword_b = 4 * lanes, grf_b = x->platform->grf_b;
    const unsigned elem_b = xk_dtype_b(m->part.tile->layout.dt);
    if (!b || b->stride * elem_b != dword_b || dword_b % grf_b ||
        m->stride_b[b->dim] * inner != inner * elem_b || !m->run[b->dim])
        return 1;
    const int64_t left = left_of_block(m, b, inner);
    for (unsigned i = 0; i < XK_COUNTOF(vectors); i++) {
        const unsigned v = vectors[i];
        if (v <= most && v * dword_b <= MAX_GATHER_GRF * grf_b &&
            left % v == 0 && is_whole(x, m, b->dim, inner * v))
            return v;
    }
    return 1;
}

static bool gather_shape(struct xk_expand *x, const struct xk_tile_move *m,
                         unsigned most, struct xk_tile_shape *s)
{
    const struct xk_layout *const l = &m->part.tile->layout;
    const unsigned elem_b = xk_dtype_b(l->dt), per_dw = 4 / elem_b;
    unsigned number = 0;
    int64_t inner = 1;
    no_positions(m, s);
    s->kind = XK_SHAPE_GATHER;
    const struct xk_block *b = block_from_inside(l, number);
    int vec_dim = -1;
    if (per_dw > 1) {
        if (!b || b->size != per_dw || b->stride != 1 ||
            take_of(x, m, b, 1, elem_b, per_dw) != per_dw)
            return false;
        vec_dim = b->dim;
        inner = s->n[vec_dim] = (uint16_t)per_dw;
        b = block_from_inside(l, ++number);
    }
    if (!b || b->stride != per_dw || (int)b->dim == vec_dim)
        return false;
    s->lanes = (uint8_t)lanes_in_block(x, m, b);
    s->lane_dim = (int8_t)b->dim;
    s->n[b->dim] = s->lanes;
    if (!s->lanes)
        return false;
    const struct xk_block *const next = block_from_inside(l, number + 1);
    if (next && b->size == s->lanes && (int)next->dim != s->lane_dim &&
        (vec_dim < 0 || (int)next->dim == vec_dim)) {
        s->vec = (uint8_t)vector_in_block(x, m, next, inner, s->lanes, most);
        s->n[next->dim] = (uint16_t)(inner * s->vec);
    }
    return true;
}

/* A lane an element, along the first block from the inside that fills a
 * register of dwords; else along the longest that is all of its dim, by fewer
 * lanes at last. */
static void element_shape(const struct xk_expand *x,
                          const struct xk_tile_move *m, struct xk_tile_shape *s)
{
    const struct xk_layout *const l = &m->part.tile->layout;
    const struct xk_block *b, *longest = NULL;
    unsigned seen = 0, lanes = 0;
    no_positions(m, s);
    s->kind = XK_SHAPE_ELEMENTS;
    for (unsigned i = 0; (b = block_from_inside(l, i)) && !lanes; i++) {
        if (seen & 1u << b->dim)
            continue;
        seen |= 1u << b->dim;
        lanes = lanes_in_block(x, m, b);
        if (lanes || (b->size == l->dim[b->dim] &&
                      (!longest || b->size > longest->size)))
            longest = b;
    }
    s->lanes = (uint8_t)(lanes ? lanes : xk_platform_dwords(x->platform));
    if (!longest)
        return;
    s->lane_dim = (int8_t)longest->dim;
    s->n[longest->dim] = s->lanes;
    s->reg_stride = (uint16_t)longest->stride;
    s->alone = true;
    for (unsigned i = 0; (b = block_from_inside(l, i)); i++)
        s->alone = s->alone && b->stride >= longest->stride;
}

static int64_t elements(const struct xk_tile_move *m,
                        const struct xk_tile_shape *s)
{
    int64_t all = 1;
    for (unsigned d = 0; d < m->n_dims; d++)
        all *= s->n[d];
    return all;
}

void xk_expand_shape(struct xk_expand *x, const struct xk_tile_move *m,
                     unsigned best, unsigned most, struct xk_tile_shape *out)
{
    struct xk_tile_shape block;
    const bool has_block = best <= XK_SHAPE_BLOCK && block_shape(x, m, &block);
    const bool has_gather = best <= XK_SHAPE_GATHER && !xk_expand_converts(m) &&
                            gather_shape(x, m, most, out);
    if (has_block && best == XK_SHAPE_RUNS && !has_gather &&
        runs_shape(x, m, &block, out))
        return;
    if (has_block && (!has_gather || elements(m, &block) >= elements(m, out))) {
        block.alone = !has_gather;
        *out = block;
        return;
    }
    if (!has_gather)
        element_shape(x, m, out);
}

bool xk_expand_next(const struct xk_tile_move *m, const struct xk_tile_shape *s,
                    int64_t *at)
{
    for (unsigned d = m->n_dims; d-- > 0;) {
        at[d] += s->n[d];
        if (at[d] < m->part.first[d] + m->part.n[d])
            return true;
        at[d] = m->part.first[d];
    }
    return false;
}

bool xk_expand_move_of(struct xk_expand *x, const xk_stmt *call,
                       struct xk_tile_move *out)
{
    const struct xk_tile_call *const f = &xk_func_of(call)->u.tile;
    memset(out, 0, sizeof(*out));
    const int view = xk_tiling_view(x->t, f->view);
    if (view < 0 || !xk_tile_part_of(x->t, f, 0, &out->part)) {
        xk_fail(x->c, XK_EINVAL, "expand: %s: no such view or tile",
                f->op == XK_TILE_LOAD    ? "tile.load"
                : f->op == XK_TILE_STORE ? "tile.store"
                                         : "tile.add");
        return false;
    }
    out->f = f;
    out->n_dims = out->part.tile->layout.n_dims;
    out->access = &x->t->view[view].access;
    out->masks = xk_access_masks(&x->indices, out->access);
    out->mem = xk_tiling_mem(x->tiling, (unsigned)view);
    out->buf = xk_kid(xk_kid(call, 0), 0);
    out->buf_off = xk_kid(xk_kid(call, 0), 1);
    for (unsigned d = 0; d < out->n_dims; d++) {
        out->pos[d] = xk_kid(call, 1 + d);
        out->pos_first[d] = out->part.first[d];
        const unsigned lanes = xk_type_of(out->pos[d]).lanes;
        if (lanes > 1 && lanes != out->part.n[d]) {
            xk_fail(x->c, XK_EINVAL,
                    "expand: tile %s: %u positions for %u rows",
                    out->part.tile->name, lanes, out->part.n[d]);
            return false;
        }
        if (lanes > 1) /* in any order */
            continue;
        if (!xk_walk_stride_b(&x->indices, x->t, out->access,
                              (enum xk_role)out->part.tile->role[d],
                              &out->stride_b[d], &out->run[d]))
            out->run[d] = 0;
    }
    return true;
}
