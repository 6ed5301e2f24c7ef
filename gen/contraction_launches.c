/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/contraction_launches.h"

#include <inttypes.h>
#include <stdio.h>

#include "views/access.h"

/* The classes of a contraction, and room for one at a time. */
struct classes {
    xk_ctx *c;
    const struct xk_platform *platform;
    const struct xk_contraction *con;
    struct xk_contraction *one;
};

/* One place of each K index: nothing is summed anyway. */
static void empty_k(struct xk_contraction *p)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K)
            p->index[i].extent = 1;
}

/* Where an index moves a coordinate of C beyond its interval nothing is stored:
 * the class has as many places as elements, and inputs, which stand where C
 * does, stay inside. */
static void cut_places(struct xk_contraction *p)
{
    for (unsigned d = 0; d < p->c.n_coord; d++) {
        const struct xk_coord *const x = &p->c.at[d];
        const uint32_t moved_by = xk_coord_indices(x);
        if (!moved_by || moved_by & (moved_by - 1))
            continue;
        const int i = __builtin_ctz(moved_by);
        const int64_t step = x->coef[i], room = x->hi - 1 - x->base;
        if (step > 0 && room >= 0 && room / step + 1 < p->index[i].extent)
            p->index[i].extent = room / step + 1;
    }
}

/* Class `number`, which has so many places as elements, in *one. *terms:
 * something is summed. False: it has no element of C. */
static bool set_class(const struct classes *k, uint64_t number, bool *terms)
{
    struct xk_contraction *const one = k->one;
    uint32_t r[XK_MAX_CLASS_DIMS];
    xk_contraction_class_at(k->con, number, r);
    *terms = xk_contraction_class(k->con, r, one);
    if (xk_access_misses(one, &one->c))
        return false;
    cut_places(one);
    if (!*terms)
        empty_k(one);
    return true;
}

/* Makes it in *one. *stores: whether the class has an element of C at all; if
 * not, it is no problem. */
static enum xk_status make_class(const struct classes *k, uint64_t number,
                                 struct xk_contraction_problem *out,
                                 bool *stores)
{
    struct xk_contraction *const one = k->one;
    bool terms;
    *stores = set_class(k, number, &terms);
    if (!*stores)
        return XK_OK;
    XK_TRY(xk_contraction_problem_make(k->c, k->platform, one, out));
    out->nest.empty = !terms;
    return XK_OK;
}

static void set_launch(const struct xk_contraction_problem *p, unsigned number,
                       bool several, struct xk_launch *out)
{
    char tail[12] = "";
    if (several)
        snprintf(tail, sizeof(tail), "_%u", number);
    *out = (struct xk_launch){.kind = XK_LAUNCH_CONTRACT,
                              .u.contract = {.nest = &p->nest,
                                             .candidate = p->candidate,
                                             .n_candidates = p->n_candidates}};
    snprintf(out->name, sizeof(out->name), "xk_%s%s", p->nest.c.name, tail);
}

enum xk_status xk_contraction_launches_make(xk_ctx *c, struct xk_arena *arena,
                                            const struct xk_platform *platform,
                                            const struct xk_contraction *con,
                                            bool addresses,
                                            struct xk_contraction_launches *out)
{
    const uint64_t n = xk_contraction_classes(con);
    *out = (struct xk_contraction_launches){0};
    if (n > XK_MAX_LAUNCHES)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s: %" PRIu64 " classes, a program has at most %d "
                       "launches",
                       con->c.name, n, XK_MAX_LAUNCHES);
    out->problem = xk_arena_alloc(arena, n * sizeof(*out->problem));
    out->launch = xk_arena_alloc(arena, n * sizeof(*out->launch));
    const struct classes k = {
        c, platform, con, xk_arena_alloc(arena, sizeof(struct xk_contraction))};
    XK_TRY(xk_ctx_status(c));
    for (uint64_t i = 0; i < n; i++) {
        struct xk_contraction_problem *const p = &out->problem[out->n];
        bool stores;
        XK_TRY(make_class(&k, i, p, &stores));
        if (!stores)
            continue;
        if (addresses)
            XK_TRY(xk_contraction_problem_use_addresses(c, platform, p));
        set_launch(p, (unsigned)i, n > 1, &out->launch[out->n++]);
    }
    return out->n ? XK_OK
                  : xk_fail(c, XK_EINVAL, "%s: no coordinates are an element",
                            con->c.name);
}

enum xk_status xk_contraction_launches_score(xk_ctx *c, struct xk_arena *arena,
                                             const struct xk_platform *platform,
                                             const struct xk_contraction *con,
                                             int64_t *score)
{
    const struct classes k = {
        c, platform, con, xk_arena_alloc(arena, sizeof(struct xk_contraction))};
    const uint64_t n = xk_contraction_classes(con);
    *score = 0;
    XK_TRY(xk_ctx_status(c));
    if (n > XK_MAX_LAUNCHES) {
        *score = INT64_MAX;
        return XK_OK;
    }
    for (uint64_t i = 0; i < n; i++) {
        int64_t one;
        bool terms;
        if (!set_class(&k, i, &terms))
            continue;
        XK_TRY(xk_contraction_problem_score(c, platform, k.one, &one));
        *score += one;
    }
    return XK_OK;
}

bool xk_contraction_pads(const struct xk_contraction *con)
{
    const struct xk_layout *const l = &con->c.layout;
    const int n = xk_contraction_last(con, XK_ROLE_N);
    const bool one =
        n >= 0 && con->index[n].extent > 1 && xk_contraction_before(con, n) < 0;
    const int written = one ? xk_access_dim_of(&con->c, (unsigned)n) : -1;
    for (int d = 0; d < l->n_dims; d++)
        if (l->padded[d] != l->dim[d] && d != written)
            return false;
    return true;
}
