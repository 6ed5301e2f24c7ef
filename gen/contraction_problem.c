/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/contraction_problem.h"

#include <string.h>

#include "gen/gen.h"
#include "views/access.h"
#include "views/split_dims.h"

/* Sets of types: bit of each enum xk_dtype. */
#define BIT(type) (1u << (type))
#define BYTES (BIT(XK_DT_S8) | BIT(XK_DT_U8))

/* A's type, and those of B that go with it. */
static const struct type_row {
    enum xk_dtype a;
    uint32_t b;
} type_rows[] = {
    {XK_DT_F32, BIT(XK_DT_F32)},
    {XK_DT_F16, BIT(XK_DT_F16)},
    {XK_DT_BF16, BIT(XK_DT_BF16)},
    {XK_DT_U8, BYTES},
    {XK_DT_S8, BYTES},
};
/* What C is converted to, and what right-hand sides are made f32 of. */
static const uint32_t outer_types =
    BIT(XK_DT_F32) | BIT(XK_DT_F16) | BIT(XK_DT_BF16) | BIT(XK_DT_S32) | BYTES;

static enum xk_status check_types(xk_ctx *c, const struct xk_contraction *p)
{
    const enum xk_dtype a = p->a.layout.dt, b = p->b.layout.dt;
    for (size_t i = 0; i < XK_COUNTOF(type_rows); i++) {
        const struct type_row *const r = &type_rows[i];
        if (r->a == a && r->b & BIT(b) && outer_types & BIT(p->c.layout.dt))
            return XK_OK;
    }
    return xk_fail(c, XK_EUNSUPPORTED,
                   "contraction: no kernel multiplies %s by %s into %s",
                   xk_dtype_name(a), xk_dtype_name(b),
                   xk_dtype_name(p->c.layout.dt));
}

static enum xk_status close_layout(xk_ctx *c, struct xk_access *a)
{
    if (!xk_access_is_open(a))
        return XK_OK;
    const char *const why = xk_layout_make_dense(&a->layout);
    return why ? xk_fail(c, XK_EINVAL, "%s: %s", a->name, why) : XK_OK;
}

enum xk_status xk_contraction_close(xk_ctx *c, struct xk_contraction *p)
{
    XK_TRY(close_layout(c, &p->a));
    XK_TRY(close_layout(c, &p->b));
    for (unsigned i = 0; i < p->n_inputs; i++)
        XK_TRY(close_layout(c, &p->input[i]));
    return close_layout(c, &p->c);
}

/* Bytes to the furthest place along a dim, inside the tensor or not: as many of
 * its outermost block as there are, and the last place of those inside it. */
static bool reach_b(const struct xk_contraction *p, const struct xk_access *a,
                    unsigned d, int64_t *out)
{
    const struct xk_layout *const l = &a->layout;
    const struct xk_block *outer = NULL;
    struct xk_range r;
    int64_t inside = 1, inner_e = 0, outer_e;
    if (!xk_coord_range(p, &a->at[d], &r))
        return false;
    for (unsigned n = l->n_blocks; n-- > 0;) {
        if (l->block[n].dim != d)
            continue;
        if (outer) {
            inside *= outer->size;
            inner_e += (outer->size - 1) * outer->stride;
        }
        outer = &l->block[n];
    }
    const int64_t lo = r.lo < 0 ? inside - 1 - r.lo : 0;
    int64_t most = lo > r.hi ? lo : r.hi;
    most = most > l->padded[d] - 1 ? most : l->padded[d] - 1;
    return outer &&
           !__builtin_mul_overflow(most / inside, outer->stride, &outer_e) &&
           !__builtin_add_overflow(outer_e, inner_e, &outer_e) &&
           !__builtin_mul_overflow(outer_e, xk_dtype_b(l->dt), out);
}

/* Offsets are s32, and so is every part of their sum. An open layout is checked
 * when it is chosen. */
static enum xk_status check_reach(xk_ctx *c, const struct xk_contraction *p,
                                  const struct xk_access *a)
{
    int64_t sum = 0;
    if (xk_access_is_open(a))
        return XK_OK;
    for (unsigned d = 0; d < a->layout.n_dims; d++) {
        int64_t part;
        if (!reach_b(p, a, d, &part) ||
            __builtin_add_overflow(sum, part, &sum) || sum > INT32_MAX)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "%s with what lies beside it spans more than "
                           "2^31-1 bytes, which is not implemented",
                           a->name);
    }
    return XK_OK;
}

static enum xk_status check_input(xk_ctx *c, const struct xk_contraction *p,
                                  const struct xk_access *a)
{
    if (!(outer_types & BIT(a->layout.dt)))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s: no kernel reads %s behind the sum", a->name,
                       xk_dtype_name(a->layout.dt));
    return check_reach(c, p, a);
}

static enum xk_status
check_contraction_implemented(xk_ctx *c, const struct xk_contraction *p)
{
    XK_TRY(check_types(c, p));
    if (xk_contraction_extent(p, XK_ROLE_BATCH) > INT32_MAX)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "contraction: more than 2^31-1 places of a batch");
    for (unsigned i = 0; i < p->n_inputs; i++)
        XK_TRY(check_input(c, p, &p->input[i]));
    XK_TRY(check_reach(c, p, &p->a));
    XK_TRY(check_reach(c, p, &p->b));
    return check_reach(c, p, &p->c);
}

/* An index of one place moves nothing; summed over, it changes nothing. */
static void drop_unit(struct xk_contraction *p, unsigned i)
{
    struct xk_access *const all[] = {&p->a, &p->b, &p->c};
    p->index[i].role = XK_ROLE_K;
    for (unsigned n = 0; n < XK_COUNTOF(all) + p->n_inputs; n++) {
        struct xk_access *const a =
            n < XK_COUNTOF(all) ? all[n] : &p->input[n - XK_COUNTOF(all)];
        for (unsigned d = 0; d < a->n_coord; d++)
            a->at[d].coef[i] = 0;
    }
}

static void drop_units(struct xk_contraction *p)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].extent == 1)
            drop_unit(p, i);
}

/* Whether a step may walk along the K index: in A it is a dim of its own, so
 * that rows begin where memory's do, or nothing; no condition depends on it.
 * *stride_b: what is better is less. */
static bool may_be_inner(const struct xk_contraction *p, unsigned i,
                         int64_t *stride_b)
{
    const bool moves = xk_access_uses(&p->a) >> i & 1;
    int64_t run;
    if (p->index[i].role != XK_ROLE_K ||
        (moves && xk_access_dim_of(&p->a, i) < 0) ||
        (xk_access_masks(p, &p->a) | xk_access_masks(p, &p->b)) >> i & 1)
        return false;
    if (!xk_access_stride_b(p, &p->a, i, stride_b, &run) || *stride_b < 0 ||
        p->index[i].extent == 1)
        *stride_b = INT64_MAX;
    return true;
}

/* Whether an index is walked in whole dpas depths, or they in several of its
 * places. */
static bool has_whole_depths(const struct xk_contraction *p, unsigned i)
{
    enum { DEPTH_B = 32 };
    const int64_t index_b =
        p->index[i].extent * (int64_t)xk_dtype_b(p->a.layout.dt);
    return xk_dtype_b(p->a.layout.dt) < 4 && p->index[i].extent > 1 &&
           (index_b % DEPTH_B == 0 || DEPTH_B % index_b == 0);
}

/* The K index whose neighbours are closest in A comes last; of those whose
 * neighbours do not lie side by side, one of whole dpas depths, or of which a
 * depth has several: a step crosses the places of another index evenly then.
 * Where none may, one of a single place does.
 */
static enum xk_status choose_inner(xk_ctx *c, struct xk_contraction *p)
{
    int found = -1;
    int64_t least = 0;
    bool whole = false;
    for (unsigned i = 0; i < p->n_index; i++) {
        int64_t stride_b;
        if (!may_be_inner(p, i, &stride_b))
            continue;
        const bool is_whole =
            has_whole_depths(p, i) || stride_b == xk_dtype_b(p->a.layout.dt);
        if (found < 0 || is_whole > whole ||
            (is_whole == whole && stride_b <= least)) {
            found = (int)i;
            least = stride_b;
            whole = is_whole;
        }
    }
    if (found >= 0) {
        xk_contraction_move(p, (unsigned)found, p->n_index - 1u);
        return XK_OK;
    }
    if (p->n_index == XK_MAX_INDEX)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "contraction: conditions of %s and %s depend on all of "
                       "K, and there is no room for an index more",
                       p->a.name, p->b.name);
    xk_contraction_add(p, "#k", 1, XK_ROLE_K);
    return XK_OK;
}

enum xk_status xk_contraction_prepare(xk_ctx *c, struct xk_contraction *p)
{
    XK_TRY(check_contraction_implemented(c, p));
    drop_units(p);
    xk_access_split_dims(p, &p->a);
    xk_access_split_dims(p, &p->b);
    xk_access_split_dims(p, &p->c);
    for (unsigned i = 0; i < p->n_inputs; i++)
        xk_access_split_dims(p, &p->input[i]);
    return choose_inner(c, p);
}

/* Whether the batch may be in the lanes. */
static bool batch_in_lanes(const struct xk_contraction *p,
                           struct xk_group_lanes *out)
{
    return xk_contraction_extent(p, XK_ROLE_BATCH) > 1 &&
           xk_group_lanes_of(p, out);
}

enum xk_status xk_contraction_shape(xk_ctx *c, const struct xk_contraction *p,
                                    const struct xk_group_lanes *lanes,
                                    struct xk_shape *out)
{
    XK_TRY(xk_shape_of(c, p, out));
    if (lanes)
        xk_shape_add_lanes(out, lanes);
    out->lanes.exact = xk_contraction_wants_s32(p);
    return XK_OK;
}

static enum xk_status find_score(xk_ctx *c, const struct xk_platform *platform,
                                 struct xk_contraction *p, int64_t *out)
{
    struct xk_schedule candidate[XK_MAX_CANDIDATES];
    struct xk_group_lanes lanes;
    struct xk_shape s;
    unsigned n;
    XK_TRY(xk_contraction_close(c, p));
    const bool has_lanes = batch_in_lanes(p, &lanes);
    XK_TRY(xk_contraction_prepare(c, p));
    XK_TRY(xk_contraction_shape(c, p, has_lanes ? &lanes : NULL, &s));
    XK_TRY(xk_candidates_of(c, platform, &s, candidate, &n));
    *out = candidate[0].score;
    return XK_OK;
}

enum xk_status xk_contraction_problem_score(xk_ctx *c,
                                            const struct xk_platform *platform,
                                            const struct xk_contraction *con,
                                            int64_t *score)
{
    struct xk_contraction *const p = xk_malloc(c, sizeof(*p));
    if (!p)
        return XK_ENOMEM;
    xk_contraction_copy(p, con);
    const enum xk_status status = find_score(c, platform, p, score);
    xk_free(c, p);
    return status;
}

enum xk_status xk_contraction_problem_search(xk_ctx *c,
                                             const struct xk_platform *platform,
                                             const struct xk_contraction *con,
                                             bool empty,
                                             struct xk_contraction_problem *out)
{
    struct xk_contraction *const p = &out->nest.of;
    out->nest.empty = empty;
    xk_contraction_copy(p, con);
    XK_TRY(xk_contraction_close(c, p));
    out->has_lanes = !empty && batch_in_lanes(p, &out->lanes);
    if (out->has_lanes)
        xk_contraction_copy(&out->whole, p);
    XK_TRY(xk_contraction_prepare(c, p));
    XK_TRY(xk_contraction_shape(c, p, out->has_lanes ? &out->lanes : NULL,
                                &out->shape));
    return xk_candidates_of(c, platform, &out->shape, out->candidate,
                            &out->n_candidates);
}

enum xk_status
xk_contraction_problem_use_addresses(xk_ctx *c,
                                     const struct xk_platform *platform,
                                     struct xk_contraction_problem *p)
{
    const struct xk_schedule_rule *const broken = xk_candidates_keep(
        platform, &p->shape, false, p->candidate, &p->n_candidates);
    return broken
               ? xk_fail(c, XK_EINVAL,
                         "XK_SCHEDULE: with XK_CREATE_A64 it breaks the rule "
                         "%s: %s",
                         broken->name, broken->why)
               : XK_OK;
}

enum xk_status
xk_contraction_problem_empty(xk_ctx *c, const struct xk_platform *platform,
                             const struct xk_schedule_fixed *fixed,
                             const char *does,
                             struct xk_contraction_problem *out)
{
    const struct xk_schedule_rule *broken = NULL;
    const struct xk_contraction *const con = &out->nest.of;
    XK_TRY(xk_nest_make(c, con, &out->nest));
    out->nest.empty = true;
    out->has_lanes = false;
    XK_TRY(xk_shape_of(c, con, &out->shape));
    out->n_candidates = xk_schedule_candidates(platform, &out->shape, fixed,
                                               out->candidate, &broken);
    return out->n_candidates
               ? XK_OK
               : xk_fail(c, XK_EUNSUPPORTED,
                         "%s: no candidate %s; the best one breaks the rule "
                         "%s: %s",
                         con->c.name, does, broken ? broken->name : "",
                         broken ? broken->why : "");
}
