/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/model.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t pick(unsigned *seed, int64_t lo, int64_t hi)
{
    return lo + rand_r(seed) % (hi - lo + 1);
}

/* One new index -> the old dim's index. */
static bool undo_embed(const struct model_step *s, const int64_t *in,
                       int64_t *old)
{
    *old = s->start;
    for (unsigned i = 0; i < s->n; i++)
        *old += s->coef[i] * in[s->dim + i];
    return *old >= 0 && *old < s->old_extent[s->dim];
}

static void undo_merge(const struct model_step *s, const int64_t *in,
                       int64_t *out)
{
    bool merged[XK_VIEW_MAX_DIMS] = {false};
    unsigned next = 0;
    int64_t left = 0;
    for (unsigned i = 0; i < s->n; i++)
        merged[s->from[i]] = true;
    for (unsigned i = 0; i < s->n_old; i++) {
        if (i == s->from[0])
            left = in[next++];
        else if (!merged[i])
            out[i] = in[next++];
    }
    for (unsigned i = s->n; i-- > 0;) {
        out[s->from[i]] = left % s->old_extent[s->from[i]];
        left /= s->old_extent[s->from[i]];
    }
}

/* The other dim's index -> that of the dim which is gone. */
static bool undo_share(const struct model_step *s, const int64_t *in,
                       int64_t *out)
{
    memcpy(out, in, s->dim * sizeof(out[0]));
    memcpy(out + s->dim + 1, in + s->dim,
           (s->n_old - s->dim - 1) * sizeof(out[0]));
    out[s->dim] = s->coef[0] * out[s->from[0]] + s->start;
    return out[s->dim] >= 0 && out[s->dim] < s->old_extent[s->dim];
}

/* Index after the step -> index before it; whether it exists. */
static bool undo(const struct model_step *s, const int64_t *in, int64_t *out)
{
    if (s->kind == MERGE) {
        undo_merge(s, in, out);
        return true;
    }
    if (s->kind == BROADCAST) {
        memcpy(out, in, s->n_old * sizeof(out[0]));
        return true;
    }
    if (s->kind == SHARE)
        return undo_share(s, in, out);
    memcpy(out, in, s->dim * sizeof(out[0]));
    memcpy(out + s->dim + 1, in + s->dim + s->n,
           (s->n_old - s->dim - 1) * sizeof(out[0]));
    return undo_embed(s, in, &out[s->dim]);
}

bool model_at(const struct model *m, const int64_t *index, int64_t *off_e)
{
    int64_t a[XK_VIEW_MAX_DIMS], b[XK_VIEW_MAX_DIMS];
    bool ok = true;
    memcpy(a, index, m->n_dims * sizeof(a[0]));
    for (unsigned i = m->n_steps; i-- > 0;) {
        ok = undo(&m->step[i], a, b) && ok;
        memcpy(a, b, sizeof(a));
        if (!ok)
            return false;
    }
    *off_e = xk_layout_offset_e(&m->layout, a);
    return true;
}

bool model_next(const struct model *m, int64_t *index)
{
    for (unsigned i = m->n_dims; i-- > 0;) {
        if (++index[i] < m->extent[i])
            return true;
        index[i] = 0;
    }
    return false;
}

static void random_tensor(xk_ctx *c, unsigned *seed, struct model *m,
                          struct xk_view *v)
{
    static const char *const tags[][4] = {
        {"a", "A4a", "A2a2a", "a"},
        {"ab", "ba", "Ab4a", "bA2a"},
        {"abc", "acb", "Acb4a", "aBc2b3b"},
        {"abcd", "acdb", "Acdb4a", "ABcd2a3b2a"},
    };
    static const enum xk_dtype types[] = {XK_DT_F32, XK_DT_F16, XK_DT_U8};
    static const char *const names[] = {"t0", "t1", "t2", "t3"};
    int64_t dims[4];
    const unsigned n = (unsigned)pick(seed, 1, 4);
    for (unsigned i = 0; i < n; i++)
        dims[i] = pick(seed, 1, 7);
    const enum xk_dtype dt = types[pick(seed, 0, 2)];
    ck_assert_int_eq(
        xk_layout_from_tag(c, "t", (struct xk_tensor_dims){dt, n, dims},
                           tags[n - 1][pick(seed, 0, 3)], &m->layout),
        XK_OK);
    m->layout.offset_e = pick(seed, 0, 1) ? 0 : 11;
    ck_assert_int_eq(xk_view_init(c, v, &m->layout, names), XK_OK);
    m->n_dims = n;
    memcpy(m->extent, dims, n * sizeof(dims[0]));
}

static void fill_parts(unsigned *seed, const struct model *m,
                       struct model_step *s)
{
    const int64_t old = m->extent[s->dim];
    s->n = (unsigned)pick(seed, 1, s->kind == EMBED ? 2 : 3);
    s->start = s->kind == EMBED ? pick(seed, -4, 3) : 0;
    int64_t product = 1;
    for (unsigned i = s->n; i-- > 0;) {
        s->extent[i] = pick(seed, 1, 5);
        if (s->kind == UNMERGE && i == 0) /* covers the dim, and more */
            s->extent[i] = (old - 1) / product + 1 + pick(seed, 0, 1);
        s->coef[i] = s->kind == EMBED ? pick(seed, -1, 3) : product;
        product *= s->extent[i];
    }
}

static void fill_merge(unsigned *seed, const struct model *m,
                       struct model_step *s)
{
    unsigned order[XK_VIEW_MAX_DIMS];
    s->n = (unsigned)pick(seed, 1, m->n_dims < 3 ? m->n_dims : 3);
    for (unsigned i = 0; i < m->n_dims; i++)
        order[i] = i;
    for (unsigned i = 0; i < s->n; i++) {
        const unsigned j = (unsigned)pick(seed, i, m->n_dims - 1);
        const unsigned t = order[i];
        order[i] = order[j];
        order[j] = t;
        s->from[i] = order[i];
    }
}

/* False: there is no other dim. */
static bool fill_share(unsigned *seed, const struct model *m,
                       struct model_step *s)
{
    if (m->n_dims < 2)
        return false;
    s->from[0] = (s->dim + (unsigned)pick(seed, 1, m->n_dims - 1)) % m->n_dims;
    s->coef[0] = pick(seed, 0, 2) ? 1 : pick(seed, -1, 3);
    s->start = pick(seed, 0, 1) ? 0 : pick(seed, -2, 2);
    return true;
}

static enum xk_status apply_share(xk_ctx *c, struct xk_view *v,
                                  const struct model_step *s)
{
    const struct xk_view_dim *const other = &v->dim[s->from[0]];
    struct xk_embed part = {"", other->extent, s->coef[0]};
    memcpy(part.name, other->name, sizeof(part.name));
    return xk_view_embed(c, v, v->dim[s->dim].name, 1, &part, s->start);
}

static enum xk_status apply(xk_ctx *c, struct xk_view *v,
                            const struct model_step *s, unsigned serial)
{
    const char *dims[XK_VIEW_MAX_DIMS];
    struct xk_embed parts[XK_VIEW_MAX_DIMS];
    char name[8];
    const char *const dim = v->dim[s->dim].name;
    for (unsigned i = 0; i < s->n; i++) {
        snprintf(parts[i].name, sizeof(parts[i].name), "s%u_%u", serial % 10,
                 i % 10);
        parts[i].extent = s->extent[i];
        parts[i].coef = s->kind == EMBED ? s->coef[i] : -99;
        dims[i] = v->dim[s->from[i]].name;
    }
    snprintf(name, sizeof(name), "s%u", serial % 10);
    switch (s->kind) {
    case PAD:
        return xk_view_pad(c, v, dim, -s->start,
                           s->extent[0] - s->old_extent[s->dim] + s->start);
    case EMBED:
        return xk_view_embed(c, v, dim, s->n, parts, s->start);
    case MERGE:
        return xk_view_merge(c, v, s->n, dims, name);
    case UNMERGE:
        return xk_view_unmerge(c, v, dim, s->n, parts);
    case SHARE:
        return apply_share(c, v, s);
    case SLICE:
        return xk_view_slice(c, v, dim, s->start, s->extent[0]);
    default:
        return xk_view_broadcast(c, v, name, s->extent[0]);
    }
}

/* Extents after the step: n_new at `at` instead of n_old. */
static void splice(struct model *m, unsigned at, unsigned n_new,
                   const int64_t *extent)
{
    memmove(&m->extent[at + n_new], &m->extent[at + 1],
            (m->n_dims - at - 1) * sizeof(m->extent[0]));
    memcpy(&m->extent[at], extent, n_new * sizeof(extent[0]));
    m->n_dims += n_new - 1;
}

static void update_extents(struct model *m, const struct model_step *s)
{
    if (s->kind == BROADCAST) {
        m->extent[m->n_dims++] = s->extent[0];
    } else if (s->kind != MERGE) {
        splice(m, s->dim, s->n, s->extent);
    } else {
        int64_t left[XK_VIEW_MAX_DIMS], product = 1;
        unsigned n = 0;
        for (unsigned i = 0; i < s->n; i++)
            product *= m->extent[s->from[i]];
        for (unsigned i = 0; i < m->n_dims; i++) {
            bool drop = false;
            for (unsigned j = 1; j < s->n; j++)
                drop = drop || s->from[j] == i;
            if (!drop)
                left[n++] = i == s->from[0] ? product : m->extent[i];
        }
        memcpy(m->extent, left, n * sizeof(left[0]));
        m->n_dims = n;
    }
}

static void random_step(xk_ctx *c, unsigned *seed, struct model *m,
                        struct xk_view *v)
{
    struct model_step s = {.kind = (enum model_kind)pick(seed, 0, N_KINDS - 1)};
    s.n_old = m->n_dims;
    memcpy(s.old_extent, m->extent, sizeof(s.old_extent));
    s.dim = (unsigned)pick(seed, 0, m->n_dims - 1);
    if (s.kind == EMBED || s.kind == UNMERGE)
        fill_parts(seed, m, &s);
    else if (s.kind == MERGE)
        fill_merge(seed, m, &s);
    else if (s.kind != SHARE)
        s.n = 1;
    else if (!fill_share(seed, m, &s))
        return;
    if (s.kind == PAD || s.kind == SLICE || s.kind == BROADCAST) {
        s.coef[0] = 1;
        s.start = pick(seed, -3, 3);
        s.extent[0] = pick(seed, 1, m->extent[s.dim] + 3);
    }
    if (s.kind == MERGE)
        s.dim = 0;
    if (m->n_dims + s.n > XK_VIEW_MAX_DIMS)
        return;
    ck_assert_msg(apply(c, v, &s, m->n_steps) == XK_OK, "%s", c->error.message);
    update_extents(m, &s);
    m->step[m->n_steps++] = s;
}

bool model_random(xk_ctx *c, unsigned *seed, struct model *m, struct xk_view *v,
                  int64_t max_points)
{
    int64_t points = 1;
    memset(m, 0, sizeof(*m));
    random_tensor(c, seed, m, v);
    for (int64_t i = pick(seed, 0, MODEL_MAX_STEPS - 1); i > 0; i--)
        random_step(c, seed, m, v);
    ck_assert_uint_eq(v->n_dims, m->n_dims);
    for (unsigned i = 0; i < m->n_dims; i++) {
        ck_assert_int_eq(v->dim[i].extent, m->extent[i]);
        points *= m->extent[i];
        if (points > max_points)
            return false;
    }
    return true;
}
