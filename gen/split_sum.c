/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/split_sum.h"

#include <stdio.h>
#include <string.h>

#include "gen/contraction_problem.h"
#include "views/access.h"

enum {
    MOST_PARTS = 64,
    WORTH_PCT = 3 /* less than that saved, and the sum stays whole */
};

/* C's memory parts times, f32, with the index of parts as the dim in front.
 * False: there is no room for it, or it is too large. */
static bool add_part_dim(struct xk_contraction *p, unsigned index,
                         int64_t parts)
{
    struct xk_access *const a = &p->c;
    struct xk_layout *const l = &a->layout;
    const int64_t part_e = xk_layout_size_b(l) / xk_dtype_b(l->dt);
    if (l->n_dims == XK_LAYOUT_MAX_DIMS || a->n_coord == XK_MAX_COORD ||
        l->n_blocks == XK_LAYOUT_MAX_BLOCKS || l->offset_e ||
        part_e > INT32_MAX / 4 / parts)
        return false;
    memmove(&l->dim[1], l->dim, l->n_dims * sizeof(l->dim[0]));
    memmove(&l->padded[1], l->padded, l->n_dims * sizeof(l->padded[0]));
    memmove(&l->block[1], l->block, l->n_blocks * sizeof(l->block[0]));
    memmove(&a->at[1], a->at, a->n_coord * sizeof(a->at[0]));
    for (unsigned i = 1; i <= l->n_blocks; i++)
        l->block[i].dim++;
    l->dt = XK_DT_F32;
    l->dim[0] = l->padded[0] = parts;
    l->block[0] = (struct xk_block){.size = parts, .stride = part_e};
    l->n_dims++;
    l->n_blocks++;
    a->n_coord++;
    a->at[0] = (struct xk_coord){.hi = parts};
    a->at[0].coef[index] = 1;
    strcpy(a->name, "part");
    return true;
}

/* p with K index i in so many parts. */
static bool split(const struct xk_contraction *p, unsigned i, int64_t parts,
                  struct xk_contraction *out)
{
    char name[sizeof(p->index[i].name)];
    memcpy(name, p->index[i].name, sizeof(name));
    xk_contraction_copy(out, p);
    if (out->n_index == XK_MAX_INDEX)
        return false;
    xk_contraction_split(out, i, p->index[i].extent / parts, "part", name);
    if (!add_part_dim(out, i, parts))
        return false;
    out->index[i].role =
        (uint8_t)xk_role_of(xk_access_uses(&out->a) >> i & 1,
                            xk_access_uses(&out->b) >> i & 1, true);
    return true;
}

/* Cycles of the launch that adds parts up: it reads them once. */
static int64_t sum_cyc(const struct xk_perf *f, const struct xk_contraction *p,
                       int64_t parts)
{
    const int64_t out_b = xk_layout_size_b(&p->c.layout);
    const int64_t part_b = out_b / xk_dtype_b(p->c.layout.dt) * 4;
    return f->launch + (parts * part_b + out_b) / f->memory_b_cyc;
}

/* What is tried, and the best of it so far. */
struct search {
    xk_ctx *c;
    const struct xk_platform *platform;
    const struct xk_contraction *p;
    struct xk_split_sum *best;
    struct xk_contraction *one; /* room for a split */
    int64_t score, most;        /* of the best; a split must be below `most` */
};

/* Its cycles; INT64_MAX if none of its schedules is valid, as may be with one
 * whose fields are given. */
static enum xk_status score_of(const struct search *s,
                               const struct xk_contraction *p, int64_t *out)
{
    const enum xk_status status =
        xk_contraction_problem_score(s->c, s->platform, p, out);
    if (status != XK_EINVAL)
        return status;
    xk_ctx_clear(s->c);
    *out = INT64_MAX;
    return XK_OK;
}

static enum xk_status try_split(struct search *s, unsigned i, int64_t parts)
{
    const struct xk_perf *const f = xk_perf_get(s->platform->id);
    int64_t score;
    if (!split(s->p, i, parts, s->one))
        return XK_OK;
    XK_TRY(score_of(s, s->one, &score));
    const int64_t sum = sum_cyc(f, s->p, parts);
    if (score >= s->score - sum || score >= s->most - sum)
        return XK_OK;
    score += sum;
    s->score = score;
    s->best->parts = (uint32_t)parts;
    xk_contraction_copy(&s->best->of, s->one);
    return XK_OK;
}

static enum xk_status try_index(struct search *s, unsigned i)
{
    const int64_t extent = s->p->index[i].extent;
    for (int64_t parts = 2; parts <= MOST_PARTS && parts <= extent; parts++)
        if (extent % parts == 0)
            XK_TRY(try_split(s, i, parts));
    return XK_OK;
}

static enum xk_status try_all(struct search *s)
{
    const struct xk_contraction *const p = s->p;
    XK_TRY(score_of(s, p, &s->score));
    s->most = s->score / 100 * (100 - WORTH_PCT);
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K)
            XK_TRY(try_index(s, i));
    return XK_OK;
}

enum xk_status xk_split_sum_choose(xk_ctx *c,
                                   const struct xk_platform *platform,
                                   const struct xk_contraction *p,
                                   struct xk_split_sum *out)
{
    struct search s = {.c = c, .platform = platform, .p = p, .best = out};
    out->parts = 1;
    out->part_e = xk_layout_size_b(&p->c.layout) / xk_dtype_b(p->c.layout.dt);
    if (p->acc_dt != XK_DT_F32)
        return XK_OK;
    s.one = xk_malloc(c, sizeof(*s.one));
    const enum xk_status status = s.one ? try_all(&s) : XK_ENOMEM;
    xk_free(c, s.one);
    return status;
}
