/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate transforms: each replaces view dims by others and rewrites the
 * coordinates and masks that use them. Invariant: for every index inside the
 * extents, the masks hold exactly where all coordinates, also those between
 * two transforms, are inside what they index. */
#include "views/view.h"

#include <string.h>

static enum xk_status find_dim(xk_ctx *c, const struct xk_view *v,
                               const char *name, unsigned *d)
{
    const int found = xk_view_find(v, name);
    *d = 0;
    if (found < 0)
        return xk_fail(c, XK_EINVAL, "view: there is no dim \"%.20s\"", name);
    *d = (unsigned)found;
    return XK_OK;
}

static enum xk_status check_new_dim(xk_ctx *c, const char *name, int64_t extent)
{
    const size_t n = strnlen(name, sizeof(((struct xk_view_dim *)0)->name));
    if (n == 0 || n >= sizeof(((struct xk_view_dim *)0)->name))
        return xk_fail(c, XK_EINVAL,
                       "view: dim name \"%.8s\" is empty or longer than 7",
                       name);
    if (extent < 1)
        return xk_fail(c, XK_EINVAL, "view: dim %s=%lld must be positive", name,
                       (long long)extent);
    if (extent > INT32_MAX)
        return xk_fail(c, XK_EUNSUPPORTED, "view: dim %s=%lld is above 2^31-1",
                       name, (long long)extent);
    return XK_OK;
}

static enum xk_status init_dim(xk_ctx *c, struct xk_view_dim *d,
                               const char *name, int64_t extent)
{
    XK_TRY(check_new_dim(c, name, extent));
    memset(d, 0, sizeof(*d));
    memcpy(d->name, name, strlen(name) + 1);
    d->extent = extent;
    d->var = xk_var(c, xk_type_vec(XK_DT_S32, 1), name);
    return d->var ? XK_OK : xk_ctx_status(c);
}

/* Dims [at, at + n_old) become the n_new given ones. */
static enum xk_status splice_dims(xk_ctx *c, struct xk_view *v, unsigned at,
                                  unsigned n_old, unsigned n_new,
                                  const struct xk_view_dim *dims)
{
    const unsigned n = v->n_dims - n_old + n_new, tail = v->n_dims - at - n_old;
    if (n > XK_VIEW_MAX_DIMS)
        return xk_fail(c, XK_EUNSUPPORTED, "view: %u dims, at most %d", n,
                       XK_VIEW_MAX_DIMS);
    memmove(&v->dim[at + n_new], &v->dim[at + n_old], tail * sizeof(v->dim[0]));
    memcpy(&v->dim[at], dims, n_new * sizeof(v->dim[0]));
    v->n_dims = (uint8_t)n;
    for (unsigned i = 0; i < n; i++) {
        if (xk_view_find(v, v->dim[i].name) != (int)i)
            return xk_fail(c, XK_EINVAL, "view: dim name \"%s\" is used twice",
                           v->dim[i].name);
    }
    return XK_OK;
}

/* Every use of vars[i] becomes values[i]; *changed gets a bit for each mask
 * that had one. */
static enum xk_status replace(xk_ctx *c, struct xk_view *v, unsigned n,
                              const xk_expr *const *vars,
                              const xk_expr *const *values, uint32_t *changed)
{
    *changed = 0;
    for (unsigned i = 0; i < v->layout.n_dims; i++) {
        v->coord[i] = xk_substitute(c, v->coord[i], n, vars, values);
        if (!v->coord[i])
            return xk_ctx_status(c);
    }
    for (unsigned i = 0; i < v->n_masks; i++) {
        const xk_expr *const before = v->mask[i];
        v->mask[i] = xk_substitute(c, before, n, vars, values);
        if (!v->mask[i])
            return xk_ctx_status(c);
        if (v->mask[i] != before)
            *changed |= 1u << i;
    }
    return XK_OK;
}

static enum xk_status add_mask(xk_ctx *c, struct xk_view *v,
                               const xk_expr *cond)
{
    if (!cond)
        return xk_ctx_status(c);
    for (unsigned i = 0; i < v->n_masks; i++) {
        if (v->mask[i] == cond)
            return XK_OK;
    }
    if (v->n_masks == XK_COUNTOF(v->mask))
        return xk_fail(c, XK_EUNSUPPORTED, "view: more than %zu masks",
                       XK_COUNTOF(v->mask));
    v->mask[v->n_masks++] = cond;
    return XK_OK;
}

/* Drops those of the changed masks that the extents alone prove: a later slice
 * may stay inside what an earlier pad guards. */
static enum xk_status prune_masks(xk_ctx *c, struct xk_view *v,
                                  uint32_t changed)
{
    unsigned kept = 0;
    enum xk_status st = XK_OK;
    if (!changed)
        return XK_OK;
    xk_facts *const f = xk_facts_create(c);
    if (!f)
        return xk_ctx_status(c);
    for (unsigned i = 0; i < v->n_dims && st == XK_OK; i++)
        st = xk_facts_set(f, v->dim[i].var, 0, v->dim[i].extent - 1, 1, 0);
    for (unsigned i = 0; i < v->n_masks; i++) {
        if (!(changed >> i & 1) || st != XK_OK || !xk_prove(c, v->mask[i], f))
            v->mask[kept++] = v->mask[i];
    }
    v->n_masks = (uint8_t)kept;
    xk_facts_unref(f);
    return st == XK_OK ? xk_ctx_status(c) : st;
}

/* Values a sum takes over the whole box, and the largest magnitude that any
 * part of it can reach. */
struct bounds {
    int64_t lo, hi, magnitude;
};

static bool bound_sum(unsigned n, const struct xk_embed *upper, int64_t start,
                      struct bounds *b)
{
    b->lo = b->hi = start;
    b->magnitude = start < 0 ? -start : start;
    for (unsigned i = 0; i < n; i++) {
        int64_t reach;
        if (__builtin_mul_overflow(upper[i].coef, upper[i].extent - 1, &reach))
            return false;
        int64_t *const side = reach < 0 ? &b->lo : &b->hi;
        if (__builtin_add_overflow(*side, reach, side) || reach == INT64_MIN ||
            __builtin_add_overflow(b->magnitude, reach < 0 ? -reach : reach,
                                   &b->magnitude))
            return false;
    }
    return b->magnitude <= INT32_MAX;
}

/* sum coef[i] * dims[i] + start, without the parts that do nothing. */
static const xk_expr *sum_of(xk_ctx *c, unsigned n,
                             const struct xk_embed *upper,
                             const struct xk_view_dim *dims, int64_t start)
{
    const xk_expr *sum = NULL;
    for (unsigned i = 0; i < n; i++) {
        const xk_expr *term = dims[i].var;
        if (upper[i].coef == 0)
            continue;
        if (upper[i].coef != 1)
            term = xk_bin_imm(c, XK_OP_MUL, term, upper[i].coef);
        sum = sum ? xk_add(c, sum, term) : term;
    }
    if (!sum)
        return xk_s32(c, start);
    if (start < 0)
        return xk_bin_imm(c, XK_OP_SUB, sum, -start);
    return start ? xk_bin_imm(c, XK_OP_ADD, sum, start) : sum;
}

/* The dims of a sum's indices; those of them that the view has not yet. */
struct sum_dims {
    unsigned n_added;
    struct xk_view_dim at[XK_VIEW_MAX_DIMS], added[XK_VIEW_MAX_DIMS];
};

/* The dim with that name, if it is not dim `but`; -1: none. */
static int find_other(const struct xk_view *v, unsigned but, const char *name)
{
    const int found = xk_view_find(v, name);
    return found == (int)but ? -1 : found;
}

/* Dim i of the sum that replaces dim `old`. */
static enum xk_status add_sum_dim(xk_ctx *c, const struct xk_view *v,
                                  unsigned old, const struct xk_embed *index,
                                  struct xk_view_dim *dim, struct sum_dims *s)
{
    const int found = find_other(v, old, index->name);
    if (found < 0) {
        XK_TRY(init_dim(c, dim, index->name, index->extent));
        s->added[s->n_added++] = *dim;
        return XK_OK;
    }
    *dim = v->dim[found];
    if (dim->extent != index->extent)
        return xk_fail(c, XK_EINVAL, "view: dim %s=%lld was %lld before",
                       index->name, (long long)index->extent,
                       (long long)dim->extent);
    return XK_OK;
}

enum xk_status xk_view_embed(xk_ctx *c, struct xk_view *v, const char *dim,
                             unsigned n, const struct xk_embed *upper,
                             int64_t start)
{
    struct sum_dims dims = {0};
    struct bounds b;
    unsigned d;
    XK_TRY(find_dim(c, v, dim, &d));
    if (n == 0 || n > XK_VIEW_MAX_DIMS)
        return xk_fail(c, XK_EINVAL, "view: dim %s becomes %u dims, 1 to %d",
                       dim, n, XK_VIEW_MAX_DIMS);
    for (unsigned i = 0; i < n; i++)
        XK_TRY(add_sum_dim(c, v, d, &upper[i], &dims.at[i], &dims));
    if (start < -INT32_MAX || start > INT32_MAX ||
        !bound_sum(n, upper, start, &b))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "view: the coordinate of dim %s exceeds 2^31-1", dim);
    const struct xk_view_dim old = v->dim[d];
    const xk_expr *const sum = sum_of(c, n, upper, dims.at, start);
    if (!sum)
        return xk_ctx_status(c);
    uint32_t changed;
    XK_TRY(splice_dims(c, v, d, 1, dims.n_added, dims.added));
    XK_TRY(replace(c, v, 1, &old.var, &sum, &changed));
    if (b.lo < 0)
        XK_TRY(add_mask(c, v, xk_bin_imm(c, XK_OP_GE, sum, 0)));
    if (b.hi >= old.extent)
        XK_TRY(add_mask(c, v, xk_bin_imm(c, XK_OP_LT, sum, old.extent)));
    return prune_masks(c, v, changed);
}

/* One dim over another, shifted: pad and slice. */
static enum xk_status shift(xk_ctx *c, struct xk_view *v, const char *dim,
                            int64_t start, int64_t extent)
{
    struct xk_embed upper = {.extent = extent, .coef = 1};
    unsigned d;
    XK_TRY(find_dim(c, v, dim, &d));
    memcpy(upper.name, v->dim[d].name, sizeof(upper.name));
    return xk_view_embed(c, v, upper.name, 1, &upper, start);
}

enum xk_status xk_view_pad(xk_ctx *c, struct xk_view *v, const char *dim,
                           int64_t lo, int64_t hi)
{
    unsigned d;
    XK_TRY(find_dim(c, v, dim, &d));
    if (lo < -INT32_MAX || lo > INT32_MAX || hi < -INT32_MAX || hi > INT32_MAX)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "view: padding %lld, %lld of dim %s exceeds 2^31-1",
                       (long long)lo, (long long)hi, dim);
    return shift(c, v, dim, -lo, v->dim[d].extent + lo + hi);
}

enum xk_status xk_view_slice(xk_ctx *c, struct xk_view *v, const char *dim,
                             int64_t start, int64_t extent)
{
    return shift(c, v, dim, start, extent);
}

enum xk_status xk_view_unmerge(xk_ctx *c, struct xk_view *v, const char *dim,
                               unsigned n, const struct xk_embed *upper)
{
    struct xk_embed parts[XK_VIEW_MAX_DIMS];
    int64_t total = 1;
    unsigned d;
    XK_TRY(find_dim(c, v, dim, &d));
    if (n == 0 || n > XK_VIEW_MAX_DIMS)
        return xk_fail(c, XK_EINVAL, "view: dim %s becomes %u dims, 1 to %d",
                       dim, n, XK_VIEW_MAX_DIMS);
    for (unsigned i = n; i-- > 0;) {
        XK_TRY(check_new_dim(c, upper[i].name, upper[i].extent));
        if (find_other(v, d, upper[i].name) >= 0)
            return xk_fail(c, XK_EINVAL, "view: dim name \"%s\" is used twice",
                           upper[i].name);
        parts[i] = upper[i];
        parts[i].coef = total;
        if (__builtin_mul_overflow(total, upper[i].extent, &total) ||
            total > INT32_MAX)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "view: the parts of dim %s exceed 2^31-1", dim);
    }
    if (total < v->dim[d].extent)
        return xk_fail(c, XK_EINVAL,
                       "view: the parts of dim %s multiply to %lld, less than "
                       "its extent %lld",
                       dim, (long long)total, (long long)v->dim[d].extent);
    return xk_view_embed(c, v, dim, n, parts, 0);
}

/* The old dims as functions of the merged one. The outermost dim that has more
 * than one element takes the quotient as it is: an index beyond the merged
 * extent moves on, it does not wrap. */
static const xk_expr *part_of(xk_ctx *c, const struct xk_view_dim *merged,
                              int64_t inner, int64_t extent)
{
    const xk_expr *e = merged->var;
    if (extent == 1 && merged->extent > 1)
        return xk_s32(c, 0);
    if (inner > 1)
        e = xk_bin_imm(c, XK_OP_DIV, e, inner);
    if (inner * extent < merged->extent)
        e = xk_bin_imm(c, XK_OP_MOD, e, extent);
    return e;
}

static enum xk_status find_merged(xk_ctx *c, const struct xk_view *v,
                                  unsigned n, const char *const *dims,
                                  unsigned *at, int64_t *total)
{
    unsigned seen = 0;
    *total = 1;
    if (n == 0 || n > XK_VIEW_MAX_DIMS)
        return xk_fail(c, XK_EINVAL, "view: merge of %u dims, 1 to %d", n,
                       XK_VIEW_MAX_DIMS);
    for (unsigned i = 0; i < n; i++) {
        XK_TRY(find_dim(c, v, dims[i], &at[i]));
        if (seen & 1u << at[i])
            return xk_fail(c, XK_EINVAL, "view: dim %s is merged twice",
                           dims[i]);
        seen |= 1u << at[i];
        if (__builtin_mul_overflow(*total, v->dim[at[i]].extent, total) ||
            *total > INT32_MAX)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "view: the merge with dim %s exceeds 2^31-1",
                           dims[i]);
    }
    return XK_OK;
}

static void remove_dim(struct xk_view *v, const xk_expr *var)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < v->n_dims; i++) {
        if (v->dim[i].var != var)
            v->dim[kept++] = v->dim[i];
    }
    v->n_dims = (uint8_t)kept;
}

enum xk_status xk_view_merge(xk_ctx *c, struct xk_view *v, unsigned n,
                             const char *const *dims, const char *merged)
{
    const xk_expr *vars[XK_VIEW_MAX_DIMS], *values[XK_VIEW_MAX_DIMS];
    unsigned at[XK_VIEW_MAX_DIMS];
    struct xk_view_dim m;
    int64_t total, inner = 1;
    uint32_t changed;
    XK_TRY(find_merged(c, v, n, dims, at, &total));
    XK_TRY(init_dim(c, &m, merged, total));
    for (unsigned i = n; i-- > 0;) {
        vars[i] = v->dim[at[i]].var;
        values[i] = part_of(c, &m, inner, v->dim[at[i]].extent);
        inner *= v->dim[at[i]].extent;
    }
    for (unsigned i = 1; i < n; i++)
        remove_dim(v, vars[i]);
    for (unsigned i = 0; i < v->n_dims; i++) {
        if (v->dim[i].var == vars[0])
            XK_TRY(splice_dims(c, v, i, 1, 1, &m));
    }
    return replace(c, v, n, vars, values, &changed);
}

enum xk_status xk_view_broadcast(xk_ctx *c, struct xk_view *v, const char *dim,
                                 int64_t extent)
{
    struct xk_view_dim d;
    XK_TRY(init_dim(c, &d, dim, extent));
    return splice_dims(c, v, v->n_dims, 0, 1, &d);
}

enum xk_status xk_view_condition(xk_ctx *c, struct xk_view *v,
                                 const struct xk_condition *x)
{
    struct xk_view_dim dims[XK_VIEW_MAX_DIMS];
    struct bounds b;
    for (unsigned i = 0; i < x->n; i++) {
        unsigned d;
        XK_TRY(find_dim(c, v, x->sum[i].name, &d));
        dims[i] = v->dim[d];
    }
    if (!bound_sum(x->n, x->sum, x->start, &b))
        return xk_fail(c, XK_EUNSUPPORTED, "view: a condition exceeds 2^31-1");
    const xk_expr *const e = sum_of(c, x->n, x->sum, dims, x->start);
    if (!e)
        return xk_ctx_status(c);
    if (b.lo < x->lo)
        XK_TRY(add_mask(c, v, xk_bin_imm(c, XK_OP_GE, e, x->lo)));
    if (b.hi >= x->hi)
        XK_TRY(add_mask(c, v, xk_bin_imm(c, XK_OP_LT, e, x->hi)));
    return XK_OK;
}
