/* SPDX-License-Identifier: Apache-2.0 */
#include "views/access.h"

#include <string.h>

#include "base/half.h"
#include "base/integer.h"

/* Least and greatest base of all classes. */
static struct xk_range bases_of(const struct xk_contraction *p,
                                const struct xk_coord *x)
{
    struct xk_range b = {x->base, x->base};
    if (!x->class_base)
        return b;
    b = (struct xk_range){INT64_MAX, INT64_MIN};
    for (uint32_t r = 0; r < p->class_dim[x->class_dim].n; r++) {
        const int64_t v = x->base + x->class_base[r];
        b.lo = v < b.lo ? v : b.lo;
        b.hi = v > b.hi ? v : b.hi;
    }
    return b;
}

/* The most places that the index has in any class. */
static int64_t extent_of(const struct xk_contraction *p, unsigned i)
{
    int64_t most = p->index[i].extent;
    for (unsigned d = 0; d < p->n_class_dims; d++)
        for (uint32_t r = 0; p->class_dim[d].k == i && r < p->class_dim[d].n;
             r++)
            if (p->class_dim[d].k_extent[r] > most)
                most = p->class_dim[d].k_extent[r];
    return most;
}

bool xk_coord_range(const struct xk_contraction *p, const struct xk_coord *x,
                    struct xk_range *out)
{
    struct xk_range r = bases_of(p, x);
    if (r.lo < -INT32_MAX || r.hi > INT32_MAX)
        return false;
    int64_t all = xk_magnitude(r.lo) > xk_magnitude(r.hi) ? xk_magnitude(r.lo)
                                                          : xk_magnitude(r.hi);
    for (unsigned i = 0; i < p->n_index; i++) {
        int64_t reach;
        if (__builtin_mul_overflow(x->coef[i], extent_of(p, i) - 1, &reach) ||
            reach == INT64_MIN ||
            __builtin_add_overflow(all, xk_magnitude(reach), &all))
            return false;
        if (reach < 0)
            r.lo += reach;
        else
            r.hi += reach;
    }
    *out = r;
    return all <= INT32_MAX;
}

bool xk_coord_leaves(const struct xk_contraction *p, const struct xk_coord *x)
{
    struct xk_range r;
    return !xk_coord_range(p, x, &r) || r.lo < x->lo || r.hi >= x->hi;
}

uint32_t xk_coord_indices(const struct xk_coord *x)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < XK_MAX_INDEX; i++)
        set |= (uint32_t)(x->coef[i] != 0) << i;
    return set;
}

uint32_t xk_access_uses(const struct xk_access *a)
{
    uint32_t set = 0;
    for (unsigned d = 0; d < a->n_coord; d++)
        set |= xk_coord_indices(&a->at[d]);
    return set;
}

uint32_t xk_access_masks(const struct xk_contraction *p,
                         const struct xk_access *a)
{
    uint32_t set = 0;
    for (unsigned d = 0; d < a->n_coord; d++)
        if (xk_coord_leaves(p, &a->at[d]))
            set |= xk_coord_indices(&a->at[d]);
    return set;
}

bool xk_access_leaves(const struct xk_contraction *p, const struct xk_access *a)
{
    for (unsigned d = 0; d < a->n_coord; d++)
        if (xk_coord_leaves(p, &a->at[d]))
            return true;
    return false;
}

bool xk_access_misses(const struct xk_contraction *p, const struct xk_access *a)
{
    for (unsigned d = 0; d < a->n_coord; d++) {
        struct xk_range r;
        if (xk_coord_range(p, &a->at[d], &r) &&
            (r.hi < a->at[d].lo || r.lo >= a->at[d].hi))
            return true;
    }
    return false;
}

int xk_access_coord_of(const struct xk_access *a, unsigned index)
{
    int found = -1;
    for (unsigned d = 0; d < a->n_coord; d++) {
        if (!a->at[d].coef[index])
            continue;
        if (found >= 0)
            return -1;
        found = (int)d;
    }
    return found;
}

int xk_access_dim_of(const struct xk_access *a, unsigned index)
{
    const int d = xk_access_coord_of(a, index);
    if (d < 0 || d >= a->layout.n_dims)
        return -1;
    const struct xk_coord *const x = &a->at[d];
    const bool alone = xk_coord_indices(x) == UINT32_C(1) << index;
    return alone && x->coef[index] == 1 && !x->base && !x->class_base ? d : -1;
}

int64_t xk_access_steps_alike(const struct xk_access *a, unsigned m, unsigned k)
{
    int64_t n = 0;
    for (unsigned i = 0; i < a->n_coord; i++) {
        const int64_t by_m = a->at[i].coef[m], by_k = a->at[i].coef[k];
        if (!by_m && !by_k)
            continue;
        if (!by_m || !by_k || by_k % by_m || (n && n != by_k / by_m))
            return 0;
        n = by_k / by_m;
    }
    return n;
}

/* What divides everything in a coordinate but one index's part; 0: there is
 * nothing else. */
static int64_t others_gcd(const struct xk_contraction *p,
                          const struct xk_coord *x, unsigned index)
{
    int64_t g = x->base;
    for (uint32_t r = 0; x->class_base && r < p->class_dim[x->class_dim].n; r++)
        g = xk_gcd(g, x->class_base[r]);
    for (unsigned i = 0; i < p->n_index; i++)
        if (i != index)
            g = xk_gcd(g, x->coef[i]);
    return g;
}

/* A piece of a dim: blocks that continue each other without a gap. */
struct piece {
    unsigned next;           /* the block outside it, to go on with */
    int64_t end_e, stride_e; /* elements of the dim up to its end; of memory */
};

/* The piece that begins inside block n - 1 or further out. False: there is
 * none. */
static bool next_piece(const struct xk_layout *l, unsigned dim, unsigned n,
                       int64_t inside, struct piece *out)
{
    *out = (struct piece){0, inside, 0};
    while (n-- > 0) {
        const struct xk_block *const b = &l->block[n];
        if (b->dim != dim || b->size == 1)
            continue;
        if (out->end_e == inside)
            out->stride_e = b->stride;
        else if (b->stride != out->stride_e * (out->end_e / inside))
            break;
        out->end_e *= b->size;
        out->next = n;
    }
    return out->end_e > inside;
}

/* Steps along a dim whose other parts are multiples of `others` (0: none). In
 * elements; *run 0: without end. A step that passes whole pieces leaves their
 * part of the place alone. */
static bool stride_in_dim(const struct xk_layout *l, unsigned dim, int64_t step,
                          int64_t others, int64_t *stride_e, int64_t *run)
{
    int64_t inside = 1;
    struct piece x = {l->n_blocks, 1, 0};
    *stride_e = *run = 0;
    while (step && next_piece(l, dim, x.next, inside, &x)) {
        const bool last = x.end_e == l->padded[dim];
        if (last || step % x.end_e) {
            *stride_e = step / inside * x.stride_e;
            const int64_t whole = xk_gcd(x.end_e, others);
            *run = last ? 0 : whole % step ? 1 : whole / step;
            return last || step > 0;
        }
        others = others % x.end_e ? x.end_e : others;
        inside = x.end_e;
    }
    return true;
}

/* How far an endless run really goes: padding is memory too. */
static int64_t index_memory_extent(const struct xk_contraction *p,
                                   const struct xk_access *a, unsigned index)
{
    const int d = xk_access_dim_of(a, index);
    const int64_t extent = p->index[index].extent;
    return d < 0 || a->layout.padded[d] < extent ? extent : a->layout.padded[d];
}

bool xk_access_stride_b(const struct xk_contraction *p,
                        const struct xk_access *a, unsigned index,
                        int64_t *stride_b, int64_t *run)
{
    const int64_t elem_b = xk_dtype_b(a->layout.dt);
    *stride_b = *run = 0;
    if (xk_access_is_open(a))
        return false;
    for (unsigned d = 0; d < a->layout.n_dims; d++) {
        const struct xk_coord *const x = &a->at[d];
        int64_t stride_e, part;
        if (!stride_in_dim(&a->layout, d, x->coef[index],
                           others_gcd(p, x, index), &stride_e, &part))
            return false;
        *stride_b += stride_e * elem_b;
        *run = xk_gcd(*run, part);
    }
    if (*run == 1 && p->index[index].extent > 1)
        return false;
    if (!*run)
        *run = index_memory_extent(p, a, index);
    return true;
}

bool xk_access_element(const struct xk_contraction *p,
                       const struct xk_access *a, const int64_t *at,
                       int64_t *element)
{
    int64_t place[XK_LAYOUT_MAX_DIMS] = {0};
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const x = &a->at[d];
        int64_t v = x->base;
        for (unsigned i = 0; i < p->n_index; i++)
            v += x->coef[i] * at[i];
        if (v < x->lo || v >= x->hi)
            return false;
        if (d < a->layout.n_dims)
            place[d] = v;
    }
    *element = xk_layout_offset_e(&a->layout, place);
    return true;
}

uint32_t xk_fill_dword(enum xk_dtype dt, int32_t value)
{
    const float f = (float)value;
    uint32_t bits = (uint32_t)value;
    if (dt == XK_DT_F32)
        memcpy(&bits, &f, sizeof(bits));
    else if (dt == XK_DT_F16)
        bits = xk_half_from_float(f);
    else if (dt == XK_DT_BF16)
        bits = xk_bf16_from_float(f);
    if (xk_dtype_b(dt) == 1)
        return (bits & 0xff) * 0x01010101u;
    return xk_dtype_b(dt) == 2 ? (bits & 0xffff) * 0x00010001u : bits;
}
