/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a contraction's parts fit together. */
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "views/access.h"

static enum xk_status check_index_list(xk_ctx *c,
                                       const struct xk_contraction *p)
{
    if (p->n_index > XK_MAX_INDEX)
        return xk_fail(c, XK_EINVAL, "contraction: %u indices, at most %d",
                       p->n_index, XK_MAX_INDEX);
    for (unsigned i = 0; i < p->n_index; i++) {
        const struct xk_index *const x = &p->index[i];
        if (!xk_is_identifier(x->name, sizeof(x->name)))
            return xk_fail(c, XK_EINVAL, "index %u: \"%.8s\" is no name", i,
                           x->name);
        if (xk_contraction_find(p, x->name) != (int)i)
            return xk_fail(c, XK_EINVAL, "index %s is there twice", x->name);
        if (x->extent < 1 || x->extent > INT32_MAX)
            return xk_fail(c, XK_EINVAL,
                           "index %s: extent %lld, want 1 to 2147483647",
                           x->name, (long long)x->extent);
    }
    return XK_OK;
}

/* Every part of the sum stays within 2^31-1. */
static enum xk_status check_coord(xk_ctx *c, const struct xk_contraction *p,
                                  const struct xk_access *a, unsigned d)
{
    const struct xk_coord *const x = &a->at[d];
    struct xk_range r;
    if (x->lo >= x->hi ||
        (d < a->layout.n_dims && (x->lo < 0 || x->hi > a->layout.dim[d])))
        return xk_fail(c, XK_EINVAL, "%s: coordinate %u: interval %lld..%lld",
                       a->name, d, (long long)x->lo, (long long)x->hi);
    if (x->class_base && x->class_dim >= p->n_class_dims)
        return xk_fail(c, XK_EINVAL, "%s: coordinate %u: class dim %u of %u",
                       a->name, d, x->class_dim, p->n_class_dims);
    if (!xk_coord_range(p, x, &r))
        return xk_fail(c, XK_EUNSUPPORTED, "%s: coordinate %u exceeds 2^31-1",
                       a->name, d);
    return XK_OK;
}

/* The integers that a type has without a gap. */
static enum xk_status check_fill(xk_ctx *c, const struct xk_access *a)
{
    static const struct {
        uint8_t dt;
        int32_t lo, hi;
    } rows[] = {
        {XK_DT_U8, 0, 255},
        {XK_DT_S8, -128, 127},
        {XK_DT_F16, -2048, 2048},
        {XK_DT_BF16, -256, 256},
        {XK_DT_F32, -16777216, 16777216},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].dt == a->layout.dt &&
            (a->fill < rows[i].lo || a->fill > rows[i].hi))
            return xk_fail(c, XK_EINVAL, "%s: fill %d, want %d to %d of %s",
                           a->name, a->fill, rows[i].lo, rows[i].hi,
                           xk_dtype_name((enum xk_dtype)rows[i].dt));
    return XK_OK;
}

static enum xk_status check_tensor_access(xk_ctx *c,
                                          const struct xk_contraction *p,
                                          const struct xk_access *a)
{
    if (!xk_is_identifier(a->name, sizeof(a->name)))
        return xk_fail(c, XK_EINVAL, "access: \"%.16s\" is no name", a->name);
    if (a->n_coord > XK_MAX_COORD || a->n_coord < a->layout.n_dims ||
        a->layout.n_dims == 0)
        return xk_fail(c, XK_EINVAL, "%s: %u coordinates of %u dims", a->name,
                       a->n_coord, a->layout.n_dims);
    for (unsigned d = 0; d < a->n_coord; d++)
        XK_TRY(check_coord(c, p, a, d));
    return check_fill(c, a);
}

enum xk_role xk_role_of(bool in_a, bool in_b, bool in_c)
{
    if (!in_c)
        return XK_ROLE_K;
    if (in_a)
        return in_b ? XK_ROLE_BATCH : XK_ROLE_M;
    return XK_ROLE_N;
}

static enum xk_status check_roles(xk_ctx *c, const struct xk_contraction *p)
{
    static const char *const names[] = {"M", "N", "K", "batch"};
    const uint32_t a = xk_access_uses(&p->a), b = xk_access_uses(&p->b);
    const uint32_t in_c = xk_access_uses(&p->c);
    uint32_t inputs = 0;
    for (unsigned i = 0; i < p->n_inputs; i++)
        inputs |= xk_access_uses(&p->input[i]);
    for (unsigned i = 0; i < p->n_index; i++) {
        const struct xk_index *const x = &p->index[i];
        const unsigned want = xk_role_of(a >> i & 1, b >> i & 1, in_c >> i & 1);
        if (x->extent > 1 && want != x->role)
            return xk_fail(c, XK_EINVAL, "index %s: role %s, accesses say %s",
                           x->name, names[x->role & 3], names[want]);
        if (x->extent > 1 && want == XK_ROLE_K && inputs >> i & 1)
            return xk_fail(c, XK_EINVAL,
                           "index %s is summed over, but in an input", x->name);
    }
    return XK_OK;
}

/* Whether places that the coordinate does not tell apart have the same place of
 * index i, of the set: its steps pass all that the others reach, or only a
 * multiple of its extent is a multiple of what divides the others' steps. */
static bool tells(const struct xk_contraction *p, const struct xk_coord *x,
                  uint32_t set, unsigned i)
{
    int64_t reach = 0, divides = 0;
    for (unsigned k = 0; k < p->n_index; k++) {
        if (k == i || !(set >> k & 1))
            continue;
        reach += xk_magnitude(x->coef[k]) * (p->index[k].extent - 1);
        divides = xk_gcd(divides, x->coef[k]);
    }
    const int64_t step = xk_magnitude(x->coef[i]);
    return step > reach ||
           p->index[i].extent <= divides / xk_gcd(divides, step);
}

/* Whether the coordinate tells apart all places of a set of indices. */
static bool tells_apart(const struct xk_contraction *p,
                        const struct xk_coord *x, uint32_t left)
{
    uint32_t before;
    do {
        before = left;
        for (unsigned i = 0; i < p->n_index; i++)
            if (left >> i & 1 && tells(p, x, left, i))
                left &= ~(1u << i);
    } while (left != before);
    return !left;
}

/* C's indices are told apart by its tensor coordinates: one by itself, or one
 * of whose indices the others say enough, so that what they add is known. */
static bool is_one_to_one(const struct xk_contraction *p)
{
    uint32_t known = 0, all = 0, before;
    for (unsigned i = 0; i < p->n_index; i++)
        all |= (uint32_t)(p->index[i].extent > 1) << i;
    all &= xk_access_uses(&p->c);
    do {
        before = known;
        for (unsigned d = 0; d < p->c.layout.n_dims; d++) {
            const struct xk_coord *const x = &p->c.at[d];
            const uint32_t left = xk_coord_indices(x) & all & ~known;
            if (tells_apart(p, x, left))
                known |= left;
        }
    } while (known != before);
    return known == all;
}

static enum xk_status check_classes(xk_ctx *c, const struct xk_contraction *p)
{
    if (p->n_class_dims > XK_MAX_CLASS_DIMS)
        return xk_fail(c, XK_EINVAL, "contraction: %u class dims, at most %d",
                       p->n_class_dims, XK_MAX_CLASS_DIMS);
    for (unsigned d = 0; d < p->n_class_dims; d++) {
        const struct xk_class_dim *const x = &p->class_dim[d];
        if (!x->n || x->k >= p->n_index || !x->k_extent ||
            p->index[x->k].role != XK_ROLE_K)
            return xk_fail(c, XK_EINVAL, "class dim %u: %u classes of index %u",
                           d, x->n, x->k);
        for (uint32_t r = 0; r < x->n; r++)
            if (x->k_extent[r] < 0 || x->k_extent[r] > INT32_MAX)
                return xk_fail(c, XK_EINVAL,
                               "class dim %u: extent %lld of class %u", d,
                               (long long)x->k_extent[r], r);
    }
    return XK_OK;
}

/* Whether a step on the accumulators is one that is known. */
static bool is_acc_step(const struct xk_contraction *p, unsigned i)
{
    const struct xk_epi_op *const e = &p->epi[i];
    const struct xk_access *const a = &p->input[e->input];
    if (!e->in_acc)
        return true;
    return p->acc_dt == XK_DT_S32 &&
           (e->kind == XK_EPI_SUB || e->kind == XK_EPI_ADD) &&
           a->layout.dt == XK_DT_S32 && (e->times_b || !a->by_value) &&
           (!i || p->epi[i - 1].in_acc);
}

/* Whether a step takes sums over B as kernels can. */
static bool may_sum_b(const struct xk_contraction *p, const struct xk_epi_op *e)
{
    return !e->times_b || (e->in_acc && e->kind == XK_EPI_SUB &&
                           !xk_access_uses(&p->input[e->input]) &&
                           xk_dtype_b(p->b.layout.dt) == 1);
}

static enum xk_status check_epilogue(xk_ctx *c, const struct xk_contraction *p)
{
    const unsigned b = xk_dtype_b(p->c.layout.dt);
    if (p->n_epi > XK_MAX_EPI)
        return xk_fail(c, XK_EINVAL, "contraction: %u operations, at most %d",
                       p->n_epi, XK_MAX_EPI);
    for (unsigned i = 0; i < p->n_epi; i++) {
        const struct xk_epi_op *const e = &p->epi[i];
        const struct xk_post_op_row *const row = xk_post_op_row(e->kind);
        if (!row)
            return xk_fail(c, XK_EINVAL, "operation %u: kind %u", i, e->kind);
        if (!row->is_within(e->alpha, e->beta))
            return xk_fail(c, XK_EINVAL, "operation %u, %s: %s", i, row->name,
                           row->why);
        if (xk_epi_reads_rhs(e) && e->input >= p->n_inputs)
            return xk_fail(c, XK_EINVAL, "operation %u, %s: input %u of %u", i,
                           row->name, e->input, p->n_inputs);
        if (!is_acc_step(p, i))
            return xk_fail(c, XK_EINVAL,
                           "operation %u, %s: only what is an s32 is added to "
                           "s32 accumulators or subtracted, before all else",
                           i, row->name);
        if (!may_sum_b(p, e))
            return xk_fail(c, XK_EINVAL,
                           "operation %u, %s: only one number times sums over "
                           "a B of bytes is subtracted, from accumulators",
                           i, row->name);
        if (e->old_dt && xk_dtype_b((enum xk_dtype)e->old_dt) != b)
            return xk_fail(
                c, XK_EINVAL, "operation %u, %s: %s is not as large as %s", i,
                row->name, xk_dtype_name((enum xk_dtype)e->old_dt), p->c.name);
    }
    return XK_OK;
}

/* Sums of B over K are f32, of floats; each of them is B's along N and a batch.
 */
static enum xk_status check_totals(xk_ctx *c, const struct xk_contraction *p)
{
    if (!p->totals)
        return XK_OK;
    if (!p->n_inputs)
        return xk_fail(c, XK_EINVAL, "contraction: B's sums go nowhere");
    const struct xk_access *const a = &p->input[p->n_inputs - 1];
    uint32_t moved = xk_access_uses(a);
    bool right = true;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].extent > 1 && p->index[i].role != XK_ROLE_K)
            right =
                right && (moved >> i & 1) == (xk_access_uses(&p->b) >> i & 1);
        else
            right = right && (p->index[i].extent == 1 || !(moved >> i & 1));
    for (unsigned i = 0; i < p->n_epi; i++)
        right = right && !(xk_epi_reads_rhs(&p->epi[i]) &&
                           p->epi[i].input + 1 == p->n_inputs);
    if (right && p->acc_dt == XK_DT_F32 && a->layout.dt == XK_DT_F32 &&
        xk_dtype_b(p->b.layout.dt) >= 2 && !a->by_value && !p->n_class_dims)
        return XK_OK;
    return xk_fail(
        c, XK_EINVAL,
        "%s: sums of B over K are f32, of floats, one for each place "
        "that B has besides, and read by no operation",
        a->name);
}

enum xk_status xk_contraction_check(xk_ctx *c, const struct xk_contraction *p)
{
    XK_TRY(check_index_list(c, p));
    XK_TRY(check_classes(c, p));
    XK_TRY(check_tensor_access(c, p, &p->a));
    XK_TRY(check_tensor_access(c, p, &p->b));
    XK_TRY(check_tensor_access(c, p, &p->c));
    if (p->n_inputs > XK_MAX_INPUTS)
        return xk_fail(c, XK_EINVAL, "contraction: %u inputs, at most %d",
                       p->n_inputs, XK_MAX_INPUTS);
    for (unsigned i = 0; i < p->n_inputs; i++)
        XK_TRY(check_tensor_access(c, p, &p->input[i]));
    XK_TRY(check_epilogue(c, p));
    XK_TRY(check_totals(c, p));
    XK_TRY(check_roles(c, p));
    if (!is_one_to_one(p))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s: two places of its indices may be one element",
                       p->c.name);
    return XK_OK;
}
