/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/tiles.h"

#include <string.h>

const char xk_role_letter[XK_N_ROLES] = {[XK_ROLE_M] = 'm',
                                         [XK_ROLE_N] = 'n',
                                         [XK_ROLE_K] = 'k',
                                         [XK_ROLE_BATCH] = 'b'};
const uint8_t xk_role_order[XK_N_ROLES] = {XK_ROLE_BATCH, XK_ROLE_M, XK_ROLE_N,
                                           XK_ROLE_K};

int xk_tiling_view(const struct xk_tiling *t, const char *name)
{
    for (unsigned i = 0; i < t->n_views; i++)
        if (!strcmp(t->view[i].name, name))
            return (int)i;
    return -1;
}

int xk_tiling_tile(const struct xk_tiling *t, const char *name)
{
    for (unsigned i = 0; i < t->n_tiles; i++)
        if (!strcmp(t->tile[i].name, name))
            return (int)i;
    return -1;
}

int xk_tiling_index(const struct xk_tiling *t, const char *name)
{
    for (unsigned i = 0; i < t->n_index; i++)
        if (!strcmp(t->index[i].name, name))
            return (int)i;
    return -1;
}

int64_t xk_digit_extent(const struct xk_tiling *t, const struct xk_digit *d)
{
    const int64_t all = t->index[d->index].extent;
    return d->mod ? d->mod : (all + d->div - 1) / d->div;
}

int64_t xk_walk_extent(const struct xk_tiling *t, enum xk_role role)
{
    int64_t all = 1;
    for (unsigned i = 0; i < t->walk[role].n; i++)
        if (__builtin_mul_overflow(
                all, xk_digit_extent(t, &t->walk[role].at[i]), &all))
            return INT64_MAX;
    return all;
}

void xk_walk_place(const struct xk_tiling *t, enum xk_role role,
                   int64_t position, int64_t *at)
{
    const struct xk_digits *const w = &t->walk[role];
    for (unsigned i = 0; i < w->n; i++)
        at[w->at[i].index] = 0;
    for (unsigned i = w->n; i-- > 0;) {
        const int64_t extent = i ? xk_digit_extent(t, &w->at[i]) : INT64_MAX;
        at[w->at[i].index] += position % extent * w->at[i].div;
        position /= extent;
    }
}

struct xk_tile_share xk_tile_share_of(int64_t rows, int64_t unit,
                                      int64_t threads)
{
    const int64_t units = rows / unit;
    int64_t each = (units + threads - 1) / threads;
    while (units % each)
        each++;
    each *= unit;
    return (struct xk_tile_share){each, each * threads > rows ? each * threads
                                                              : rows};
}

int xk_tile_dim(const struct xk_tile_decl *d, enum xk_role role)
{
    for (unsigned i = 0; i < d->layout.n_dims; i++)
        if (d->role[i] == role)
            return (int)i;
    return -1;
}

/* The digit of the index whose div is this, in any walk; its role. */
static const struct xk_digit *digit_at(const struct xk_tiling *t,
                                       unsigned index, int64_t div,
                                       enum xk_role role)
{
    for (unsigned i = 0; i < t->walk[role].n; i++) {
        const struct xk_digit *const d = &t->walk[role].at[i];
        if (d->index == index && d->div == div)
            return d;
    }
    return NULL;
}

/* Whether the role's walk has all of the index: from its fastest digit on each
 * begins where the one before ends, and the last takes the rest. */
static bool walks_all(const struct xk_tiling *t, unsigned index)
{
    const enum xk_role role = (enum xk_role)t->index[index].role;
    unsigned n = 0, all = 0;
    int64_t div = 1;
    for (unsigned i = 0; i < t->walk[role].n; i++)
        all += t->walk[role].at[i].index == index;
    for (const struct xk_digit *d;
         n < all && (d = digit_at(t, index, div, role)); n++) {
        if (!d->mod)
            return n + 1 == all;
        if (__builtin_mul_overflow(div, d->mod, &div))
            return false;
    }
    return all && n == all && div >= t->index[index].extent;
}

static enum xk_status check_index(xk_ctx *c, const struct xk_tiling *t,
                                  unsigned i)
{
    const struct xk_index *const x = &t->index[i];
    if (xk_tiling_index(t, x->name) != (int)i)
        return xk_fail(c, XK_EINVAL, "tiling: index %s is declared twice",
                       x->name);
    if (x->extent < 1 || x->extent > INT32_MAX)
        return xk_fail(c, XK_EINVAL,
                       "tiling: index %s has an extent of %lld, needs 1 to "
                       "2147483647",
                       x->name, (long long)x->extent);
    if (!walks_all(t, i))
        return xk_fail(c, XK_EINVAL,
                       "tiling: walk %c does not have each part of index %s "
                       "once",
                       xk_role_letter[x->role], x->name);
    return XK_OK;
}

static enum xk_status check_walk(xk_ctx *c, const struct xk_tiling *t,
                                 unsigned role)
{
    const struct xk_digits *const w = &t->walk[role];
    for (unsigned i = 0; i < w->n; i++)
        if (t->index[w->at[i].index].role != role)
            return xk_fail(c, XK_EINVAL,
                           "tiling: index %s is in walk %c and in walk %c",
                           t->index[w->at[i].index].name, xk_role_letter[role],
                           xk_role_letter[t->index[w->at[i].index].role]);
    if (xk_walk_extent(t, (enum xk_role)role) > INT32_MAX)
        return xk_fail(c, XK_EINVAL,
                       "tiling: walk %c has more than 2147483647 positions",
                       xk_role_letter[role]);
    return XK_OK;
}

static enum xk_status check_view(xk_ctx *c, const struct xk_tiling *t,
                                 unsigned i)
{
    const struct xk_access *const a = &t->view[i].access;
    const char *const name = t->view[i].name;
    if (xk_tiling_view(t, name) != (int)i)
        return xk_fail(c, XK_EINVAL, "tiling: view %s is declared twice", name);
    if (a->n_coord < a->layout.n_dims)
        return xk_fail(c, XK_EINVAL,
                       "tiling: view %s has %u coordinates for %u dims", name,
                       a->n_coord, a->layout.n_dims);
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const x = &a->at[d];
        if (x->lo >= x->hi || (d < a->layout.n_dims &&
                               (x->lo < 0 || x->hi > a->layout.padded[d])))
            return xk_fail(c, XK_EINVAL,
                           "tiling: view %s: %lld..%lld is no interval of its "
                           "coordinate %u",
                           name, (long long)x->lo, (long long)x->hi, d);
    }
    return XK_OK;
}

/* The block of the least stride of those left; NULL: there is none. */
static const struct xk_block *block_from(const struct xk_layout *l,
                                         uint32_t left)
{
    const struct xk_block *least = NULL;
    for (unsigned i = 0; i < l->n_blocks; i++)
        if (left >> i & 1 && (!least || l->block[i].stride < least->stride))
            least = &l->block[i];
    return least;
}

/* Whether a tile's blocks, by their strides, do not reach into each other. */
static bool has_no_overlap(const struct xk_layout *l)
{
    uint32_t left = 0;
    int64_t end = 1;
    for (unsigned i = 0; i < l->n_blocks; i++)
        left |= (uint32_t)(l->block[i].size > 1) << i;
    for (const struct xk_block *b; (b = block_from(l, left));) {
        if (b->stride < end)
            return false;
        end = b->stride * b->size;
        left &= ~(UINT32_C(1) << (b - l->block));
    }
    return l->n_blocks > 0;
}

static enum xk_status check_tile(xk_ctx *c, const struct xk_tiling *t,
                                 unsigned i)
{
    const struct xk_tile_decl *const d = &t->tile[i];
    if (xk_tiling_tile(t, d->name) != (int)i)
        return xk_fail(c, XK_EINVAL, "tiling: tile %s is declared twice",
                       d->name);
    if (!has_no_overlap(&d->layout))
        return xk_fail(c, XK_EINVAL,
                       "tiling: elements of tile %s share a place", d->name);
    return XK_OK;
}

enum xk_status xk_tiling_check(xk_ctx *c, const struct xk_tiling *t)
{
    for (unsigned i = 0; i < t->n_index; i++)
        XK_TRY(check_index(c, t, i));
    for (unsigned r = 0; r < XK_N_ROLES; r++)
        XK_TRY(check_walk(c, t, r));
    for (unsigned i = 0; i < t->n_views; i++)
        XK_TRY(check_view(c, t, i));
    for (unsigned i = 0; i < t->n_tiles; i++)
        XK_TRY(check_tile(c, t, i));
    return XK_OK;
}

bool xk_tile_part_of(const struct xk_tiling *t, const struct xk_tile_call *f,
                     unsigned operand, struct xk_tile_part *out)
{
    const int n = xk_tiling_tile(t, f->tile[operand]);
    if (n < 0)
        return false;
    const struct xk_tile_decl *const d = out->tile = &t->tile[n];
    for (unsigned i = 0; i < d->layout.n_dims; i++) {
        out->first[i] = 0;
        out->n[i] = (uint16_t)d->layout.dim[i];
        for (unsigned k = 0; k < f->n_parts; k++) {
            if (f->part[k].role != d->role[i])
                continue;
            const bool whole = f->part[k].n == d->layout.dim[i];
            out->first[i] = whole ? 0 : f->part[k].first;
            out->n[i] = f->part[k].n;
        }
        if (!out->n[i] || out->first[i] + out->n[i] > d->layout.dim[i])
            return false;
    }
    return true;
}

static bool part_has_role(const struct xk_tiling *t,
                          const struct xk_tile_call *f, unsigned part)
{
    for (unsigned i = 0; i < xk_tile_call_tiles(f); i++) {
        const int n = xk_tiling_tile(t, f->tile[i]);
        if (n >= 0 &&
            xk_tile_dim(&t->tile[n], (enum xk_role)f->part[part].role) >= 0)
            return true;
    }
    return false;
}

/* Two roles, and no more than one place of the batch. */
static bool has_two_roles(const struct xk_tile_part *p)
{
    const int b = xk_tile_dim(p->tile, XK_ROLE_BATCH);
    return p->tile->layout.n_dims == (b < 0 ? 2 : 3) && (b < 0 || p->n[b] == 1);
}

/* c has m and n, a m and k, b n and k, with equal extents; dpasw's b has half
 * of the columns. */
static const char *bad_product(const struct xk_tile_part *p, bool halves)
{
    static const struct {
        uint8_t role, left, right;
    } pairs[] = {{XK_ROLE_M, 0, 1}, {XK_ROLE_N, 0, 2}, {XK_ROLE_K, 1, 2}};
    for (unsigned i = 0; i < 3; i++)
        if (!has_two_roles(&p[i]))
            return "tile.mul: its tiles have two roles each, besides one place "
                   "of b";
    for (unsigned i = 0; i < 3; i++) {
        const int l = xk_tile_dim(p[pairs[i].left].tile, pairs[i].role);
        const int r = xk_tile_dim(p[pairs[i].right].tile, pairs[i].role);
        if (l < 0 || r < 0)
            return "tile.mul: c has m and n, a m and k, b n and k";
        const unsigned by = halves && pairs[i].role == XK_ROLE_N ? 2 : 1;
        if (p[pairs[i].left].n[l] != by * p[pairs[i].right].n[r])
            return "tile.mul: its tiles differ in a role's extent";
    }
    return NULL;
}

/* The same roles, and as many positions of each. */
static const char *bad_copy(const struct xk_tile_part *p)
{
    const struct xk_layout *const to = &p[0].tile->layout;
    const struct xk_layout *const from = &p[1].tile->layout;
    bool same = to->n_dims == from->n_dims;
    for (unsigned d = 0; same && d < to->n_dims; d++)
        same =
            p[0].tile->role[d] == p[1].tile->role[d] && p[0].n[d] == p[1].n[d];
    return same ? NULL : "tile.copy: its tiles differ in a role or its extent";
}

/* s and b have n and k; b has four places of k for each of s. */
static const char *bad_dot(const struct xk_tile_part *p)
{
    int n[2], k[2];
    for (unsigned i = 0; i < 2; i++) {
        n[i] = xk_tile_dim(p[i].tile, XK_ROLE_N);
        k[i] = xk_tile_dim(p[i].tile, XK_ROLE_K);
        if (!has_two_roles(&p[i]) || n[i] < 0 || k[i] < 0)
            return "tile.dot: its tiles have n and k";
    }
    if (p[0].n[n[0]] != p[1].n[n[1]] || 4 * p[0].n[k[0]] != p[1].n[k[1]])
        return "tile.dot: b has four places of k for each of s, and as many "
               "columns";
    return NULL;
}

/* Whether the tile has a position for each index that moves the view. */
static bool has_positions(const struct xk_tiling *t, const char *view,
                          const struct xk_tile_decl *tile)
{
    const struct xk_access *const a = &t->view[xk_tiling_view(t, view)].access;
    for (unsigned i = 0; i < t->n_index; i++)
        for (unsigned d = 0; d < a->n_coord; d++)
            if (a->at[d].coef[i] && t->index[i].extent > 1 &&
                xk_tile_dim(tile, (enum xk_role)t->index[i].role) < 0)
                return false;
    return true;
}

static bool adds_f32(const struct xk_tiling *t, const char *view,
                     const struct xk_tile_decl *tile)
{
    const struct xk_access *const a = &t->view[xk_tiling_view(t, view)].access;
    return a->layout.dt == XK_DT_F32 && tile->layout.dt == XK_DT_F32;
}

const char *xk_tile_call_bad(const struct xk_tiling *t,
                             const struct xk_tile_call *f, unsigned n_args)
{
    struct xk_tile_part p[3];
    if (f->op >= XK_N_TILE_OPS || f->family >= XK_N_TILE_FAMILIES)
        return "tile: no such operation";
    for (unsigned i = 0; i < xk_tile_call_tiles(f); i++)
        if (!xk_tile_part_of(t, f, i, &p[i]))
            return "tile: no such tile, or the part is beyond it";
    for (unsigned i = 0; i < f->n_parts; i++)
        if (!part_has_role(t, f, i))
            return "tile: a part names a role that its tiles do not have";
    switch ((enum xk_tile_op)f->op) {
    case XK_TILE_ZERO:
        return n_args == 1 ? NULL : "tile.zero: needs the tile alone";
    case XK_TILE_LOAD:
    case XK_TILE_STORE:
    case XK_TILE_ADD:
        if (xk_tiling_view(t, f->view) < 0)
            return "tile: no such view";
        if (!has_positions(t, f->view, p[0].tile))
            return "tile: an index moves the view, whose role the tile does "
                   "not "
                   "have";
        if (f->op == XK_TILE_ADD && !adds_f32(t, f->view, p[0].tile))
            return "tile.add: adds f32 to f32";
        return n_args == 1u + p[0].tile->layout.n_dims
                   ? NULL
                   : "tile: needs the tile and a position for each of its "
                     "roles, in the order b, m, n, k";
    case XK_TILE_MUL:
        return n_args == 3 ? bad_product(p, f->family == XK_FAMILY_DPASW)
                           : "tile.mul: needs c, a and b";
    case XK_TILE_COPY:
        return n_args == 2 ? bad_copy(p) : "tile.copy: needs two tiles";
    case XK_TILE_DOT:
        return n_args == 3 ? bad_dot(p)
                           : "tile.dot: needs two tiles and four bytes";
    case XK_N_TILE_OPS:
        break;
    }
    return "tile: no such operation";
}
