/* SPDX-License-Identifier: Apache-2.0 */
/* What a formula leaves out follows from what it says. */
#include <string.h>

#include "base/integer.h"
#include "views/access.h"
#include "views/formula_text.h"

struct xk_access *xk_formula_operand(struct xk_contraction *p, unsigned k)
{
    struct xk_access *const all[] = {&p->a, &p->b, &p->c};
    if (k < XK_COUNTOF(all))
        return all[k];
    k -= (unsigned)XK_COUNTOF(all);
    return k < p->n_inputs ? &p->input[k] : NULL;
}

/* Whether the text has one; the parser leaves 0 in both ends. */
static bool has_interval(const struct xk_coord *x)
{
    return x->lo < x->hi;
}

/* Places a coordinate has: of the interval, else of the dim; 0: not known. */
static int64_t places_of(const struct xk_access *a, unsigned d)
{
    if (has_interval(&a->at[d]))
        return a->at[d].hi;
    return d < a->layout.n_dims ? a->layout.dim[d] : 0;
}

/* Indices that are dims alone get those extents. */
static enum xk_status from_dims(xk_ctx *c, struct xk_contraction *p,
                                const bool *given)
{
    struct xk_access *a;
    for (unsigned n = 0; (a = xk_formula_operand(p, n)); n++)
        for (unsigned i = 0; i < p->n_index; i++) {
            const int d = xk_access_dim_of(a, i);
            const int64_t places = d < 0 ? 0 : places_of(a, (unsigned)d);
            int64_t *const extent = &p->index[i].extent;
            if (!places || given[i] || a->at[d].lo)
                continue;
            if (*extent && *extent != places)
                return xk_fail(c, XK_EINVAL,
                               "formula: index %s is %lld along a dim and "
                               "%lld along dim %d of %s; declare it",
                               p->index[i].name, (long long)*extent,
                               (long long)places, d, a->name);
            *extent = places;
        }
    return XK_OK;
}

/* The one index of the coordinate whose extent is not known; -1: none, or
 * several. */
static int unknown_of(const struct xk_contraction *p, const struct xk_coord *x)
{
    int found = -1;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (!x->coef[i] || p->index[i].extent)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* The most places of index i with which the coordinate stays inside; 0: not
 * even one, or the others reach beyond 64 bits. */
static int64_t most_places(const struct xk_contraction *p,
                           const struct xk_coord *x, unsigned i, int64_t end)
{
    int64_t lo = x->base, hi = x->base, room;
    for (unsigned k = 0; k < p->n_index; k++) {
        int64_t far;
        if (k == i || !x->coef[k])
            continue;
        if (__builtin_mul_overflow(x->coef[k], p->index[k].extent - 1, &far) ||
            (far < 0 ? __builtin_add_overflow(lo, far, &lo)
                     : __builtin_add_overflow(hi, far, &hi)))
            return 0;
    }
    const int64_t step = x->coef[i];
    if (step > 0 ? __builtin_sub_overflow(end - 1, hi, &room)
                 : __builtin_sub_overflow(lo, x->lo, &room))
        return 0;
    return room < 0 ? 0 : room / (step < 0 ? -step : step) + 1;
}

/* One round: each index that stands alone unknown in coordinates gets the
 * least of what they allow. Whether any did. */
static enum xk_status solve(xk_ctx *c, struct xk_contraction *p, bool *any)
{
    int64_t most[XK_MAX_INDEX];
    *any = false;
    for (unsigned i = 0; i < XK_MAX_INDEX; i++)
        most[i] = INT64_MAX;
    struct xk_access *a;
    for (unsigned n = 0; (a = xk_formula_operand(p, n)); n++)
        for (unsigned d = 0; d < a->n_coord; d++) {
            const int i = unknown_of(p, &a->at[d]);
            const int64_t end = places_of(a, d);
            if (i < 0 || !end)
                continue;
            const int64_t m = most_places(p, &a->at[d], (unsigned)i, end);
            if (!m)
                return xk_fail(c, XK_EINVAL,
                               "formula: %s: coordinate %u leaves no place "
                               "for index %s",
                               a->name, d, p->index[i].name);
            most[i] = m < most[i] ? m : most[i];
        }
    for (unsigned i = 0; i < p->n_index; i++)
        if (most[i] != INT64_MAX) {
            p->index[i].extent = most[i];
            *any = true;
        }
    return XK_OK;
}

static enum xk_status infer_extents(xk_ctx *c, struct xk_contraction *p)
{
    bool given[XK_MAX_INDEX] = {false}, any = true;
    for (unsigned i = 0; i < p->n_index; i++)
        given[i] = p->index[i].extent;
    XK_TRY(from_dims(c, p, given));
    while (any)
        XK_TRY(solve(c, p, &any));
    for (unsigned i = 0; i < p->n_index; i++)
        if (!p->index[i].extent)
            return xk_fail(c, XK_EINVAL,
                           "formula: the extent of index %s does not follow; "
                           "declare it",
                           p->index[i].name);
    return XK_OK;
}

/* Dims that are as large as the statement reaches. */
static enum xk_status infer_dims(xk_ctx *c, const struct xk_contraction *p,
                                 struct xk_access *a)
{
    for (unsigned d = 0; d < a->layout.n_dims; d++) {
        struct xk_range r;
        const struct xk_coord *const x = &a->at[d];
        if (!xk_coord_range(p, x, &r))
            return xk_fail(c, XK_EUNSUPPORTED,
                           "%s: coordinate %u exceeds 2^31-1", a->name, d);
        const int64_t end = has_interval(x) ? x->hi : r.hi + 1;
        if (end < 1)
            return xk_fail(c, XK_EINVAL,
                           "formula: %s: coordinate %u is never an element",
                           a->name, d);
        a->layout.dim[d] = end;
    }
    return XK_OK;
}

static enum xk_status make_layout(xk_ctx *c, const struct xk_formula_tensor *t,
                                  struct xk_access *a)
{
    static const char *const dense[] = {"",     "a",     "ab",    "abc",
                                        "abcd", "abcde", "abcdef"};
    const struct xk_layout l = a->layout;
    memcpy(a->layout.padded, l.dim, sizeof(l.dim));
    for (unsigned d = 0; d < l.n_dims; d++)
        if (!has_interval(&a->at[d]))
            a->at[d].hi = l.dim[d];
    if (strcmp(t->tag, "any") == 0)
        return XK_OK;
    return xk_layout_from_tag(c, t->name,
                              (struct xk_tensor_dims){l.dt, l.n_dims, l.dim},
                              t->tag[0] ? t->tag : dense[l.n_dims], &a->layout);
}

static enum xk_status set_types(xk_ctx *c, struct xk_contraction *p)
{
    const enum xk_dtype a = p->a.layout.dt, b = p->b.layout.dt;
    if (xk_dtype_is_int(a) != xk_dtype_is_int(b))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "formula: %s is %s and %s is %s: both are integers or "
                       "none",
                       p->a.name, xk_dtype_name(a), p->b.name,
                       xk_dtype_name(b));
    p->acc_dt = xk_dtype_is_int(a) ? XK_DT_S32 : XK_DT_F32;
    return XK_OK;
}

static void set_roles(struct xk_contraction *p)
{
    const uint32_t a = xk_access_uses(&p->a), b = xk_access_uses(&p->b);
    const uint32_t in_c = xk_access_uses(&p->c);
    for (unsigned i = 0; i < p->n_index; i++)
        p->index[i].role =
            (uint8_t)xk_role_of(a >> i & 1, b >> i & 1, in_c >> i & 1);
}

enum xk_status xk_formula_infer(xk_ctx *c, struct xk_formula *f)
{
    struct xk_contraction *const p = &f->con;
    struct xk_access *a;
    XK_TRY(infer_extents(c, p));
    for (unsigned n = 0; (a = xk_formula_operand(p, n)); n++) {
        if (!f->tensor[n].has_dims)
            XK_TRY(infer_dims(c, p, a));
        XK_TRY(make_layout(c, &f->tensor[n], a));
    }
    XK_TRY(set_types(c, p));
    set_roles(p);
    return xk_contraction_check(c, p);
}
