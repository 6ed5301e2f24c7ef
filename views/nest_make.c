/* SPDX-License-Identifier: Apache-2.0 */
/* A contraction's accesses as views: each tensor dim passes an index through,
 * or is embedded in the indices of its coordinate. */
#include <stddef.h>
#include <string.h>

#include "ir/tiles.h"
#include "views/access.h"
#include "views/nest.h"
#include "views/row_order.h"

/* Whether index places are all of the dim's places. */
static bool passes_through(const struct xk_contraction *p,
                           const struct xk_access *a, unsigned d, unsigned i)
{
    const struct xk_coord *const x = &a->at[d];
    return xk_access_dim_of(a, i) == (int)d &&
           p->index[i].extent == a->layout.dim[d] && x->lo == 0 &&
           x->hi == a->layout.dim[d];
}

/* The view's first names: the index's, or "#0" of a dim to be embedded. */
static enum xk_status init_view(xk_ctx *c, const struct xk_contraction *p,
                                const struct xk_access *a, struct xk_view *v)
{
    static const char *const dims[] = {"#0", "#1", "#2", "#3", "#4", "#5"};
    const char *names[XK_LAYOUT_MAX_DIMS];
    for (unsigned d = 0; d < a->layout.n_dims; d++) {
        names[d] = dims[d];
        for (unsigned i = 0; i < p->n_index; i++)
            if (passes_through(p, a, d, i))
                names[d] = p->index[i].name;
    }
    return xk_view_init(c, v, &a->layout, names);
}

static enum xk_status embed(xk_ctx *c, const struct xk_contraction *p,
                            const struct xk_access *a, unsigned d,
                            struct xk_view *v)
{
    const struct xk_coord *const x = &a->at[d];
    struct xk_embed upper[XK_MAX_INDEX];
    unsigned n = 0;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (!x->coef[i])
            continue;
        upper[n] = (struct xk_embed){"", p->index[i].extent, x->coef[i]};
        strcpy(upper[n++].name, p->index[i].name);
    }
    if (!n) /* one place */
        upper[n++] = (struct xk_embed){{'#', 'a', (char)('0' + d)}, 1, 0};
    const char dim[] = {'#', (char)('0' + d), 0};
    if (x->lo || x->hi < a->layout.dim[d])
        XK_TRY(xk_view_slice(c, v, dim, x->lo, x->hi - x->lo));
    return xk_view_embed(c, v, dim, n, upper, x->base - x->lo);
}

static enum xk_status add_condition(xk_ctx *c, const struct xk_contraction *p,
                                    const struct xk_access *a, unsigned d,
                                    struct xk_view *v)
{
    const struct xk_coord *const x = &a->at[d];
    struct xk_condition cond = {0, {{"", 0, 0}}, x->base, x->lo, x->hi};
    for (unsigned i = 0; i < p->n_index; i++) {
        const struct xk_index *const k = &p->index[i];
        if (!x->coef[i])
            continue;
        if (xk_view_find(v, k->name) < 0)
            XK_TRY(xk_view_broadcast(c, v, k->name, k->extent));
        struct xk_embed *const term = &cond.sum[cond.n++];
        *term = (struct xk_embed){"", k->extent, x->coef[i]};
        strcpy(term->name, k->name);
    }
    return xk_view_condition(c, v, &cond);
}

static enum xk_status make_view(xk_ctx *c, const struct xk_contraction *p,
                                const struct xk_access *a,
                                struct xk_operand_view *out)
{
    struct xk_view *const v = &out->view;
    memcpy(out->name, a->name, sizeof(out->name));
    out->arg = a->arg;
    out->by_value = a->by_value;
    out->inverse = a->inverse;
    out->leaves = xk_access_leaves(p, a);
    out->fill = out->leaves ? a->fill : 0;
    if (xk_access_is_open(a))
        return xk_fail(c, XK_EUNSUPPORTED, "%s: no layout is chosen", a->name);
    XK_TRY(init_view(c, p, a, v));
    for (unsigned d = 0; d < a->layout.n_dims; d++) {
        const char dim[] = {'#', (char)('0' + d), 0};
        if (xk_view_find(v, dim) >= 0)
            XK_TRY(embed(c, p, a, d, v));
    }
    for (unsigned d = a->layout.n_dims; d < a->n_coord; d++)
        XK_TRY(add_condition(c, p, a, d, v));
    return XK_OK;
}

static struct xk_operand_view *view_at(struct xk_nest *n, unsigned i)
{
    struct xk_operand_view *const first[] = {&n->a, &n->b, &n->c};
    if (i < 3)
        return first[i];
    return i - 3 < n->n_inputs ? &n->input[i - 3] : NULL;
}

/* N's indices as one, "n", in every view that has any of them, and in B and C.
 */
static enum xk_status merge_columns(xk_ctx *c, struct xk_nest *n)
{
    const char *names[XK_MAX_INDEX];
    int64_t extents[XK_MAX_INDEX], all = 1;
    unsigned count = 0, kept = 0;
    struct xk_operand_view *o;
    for (unsigned i = 0; i < n->n_index; i++) {
        if (n->index[i].role != XK_ROLE_N)
            continue;
        names[count] = n->walked.index[i].name;
        extents[count++] = n->index[i].extent;
        all *= n->index[i].extent;
    }
    if (count < 2)
        return XK_OK;
    for (unsigned i = 1; (o = view_at(n, i)); i++) {
        for (unsigned k = 0; k < count; k++)
            if (xk_view_find(&o->view, names[k]) < 0)
                XK_TRY(xk_view_broadcast(c, &o->view, names[k], extents[k]));
        XK_TRY(xk_view_merge(c, &o->view, count, names, "#n"));
    }
    bool first = true;
    for (unsigned i = 0; i < n->n_index; i++) {
        const bool column = n->index[i].role == XK_ROLE_N;
        if (column && !first)
            continue;
        n->index[kept] = n->index[i];
        if (column) {
            strcpy(n->index[kept].name, "#n");
            n->index[kept].extent = all;
            first = false;
        }
        kept++;
    }
    n->n_index = (uint8_t)kept;
    return XK_OK;
}

static unsigned count_role(const struct xk_nest *n, unsigned role)
{
    unsigned of = 0;
    for (unsigned i = 0; i < n->n_index; i++)
        of += n->index[i].role == role;
    return of;
}

/* An index for a role without one, of a single place: a new one or, where there
 * is no room, one that another role can do without. NULL: there is none. */
static struct xk_index *index_for(struct xk_nest *n, const char *name,
                                  enum xk_role role)
{
    struct xk_index *x = NULL;
    if (n->n_index < XK_VIEW_MAX_DIMS) {
        x = &n->index[n->n_index++];
        *x = (struct xk_index){"", 1, 0};
        strcpy(x->name, name);
    }
    for (unsigned i = 0; !x && i < n->n_index; i++)
        if (n->index[i].extent == 1 && count_role(n, n->index[i].role) > 1)
            x = &n->index[i];
    if (x)
        x->role = (uint8_t)role;
    return x;
}

bool xk_nest_has_room(const struct xk_contraction *p, unsigned more)
{
    unsigned of[XK_N_ROLES] = {[XK_ROLE_M] = more};
    for (unsigned i = 0; i < p->n_index; i++)
        of[p->index[i].role]++;
    const unsigned merged = of[XK_ROLE_N] > 1 ? of[XK_ROLE_N] - 1 : 0;
    const unsigned added = !of[XK_ROLE_M] + !of[XK_ROLE_N] + !of[XK_ROLE_K];
    return p->n_index + more - merged + added <= XK_VIEW_MAX_DIMS;
}

/* A role without an index gets one of a single place; N's is a dim of B and C,
 * M's of A and C, K's of A and B, so that they have a step of 0. */
static enum xk_status complete_roles(xk_ctx *c, struct xk_nest *n)
{
    static const struct {
        char name[8];
        enum xk_role role;
        uint8_t of[2];
    } rows[] = {{"#m1", XK_ROLE_M, {0, 2}},
                {"#n1", XK_ROLE_N, {1, 2}},
                {"#k1", XK_ROLE_K, {0, 1}}};
    for (unsigned r = 0; r < XK_COUNTOF(rows); r++) {
        if (count_role(n, rows[r].role))
            continue;
        const struct xk_index *const x =
            index_for(n, rows[r].name, rows[r].role);
        if (!x)
            return xk_fail(c, XK_EUNSUPPORTED, "nest: more than %d indices",
                           XK_VIEW_MAX_DIMS);
        for (unsigned i = 0; i < 2; i++) {
            struct xk_view *const v = &view_at(n, rows[r].of[i])->view;
            if (xk_view_find(v, x->name) < 0)
                XK_TRY(xk_view_broadcast(c, v, x->name, 1));
        }
    }
    return XK_OK;
}

static enum xk_status make_views(xk_ctx *c, struct xk_nest *n)
{
    const struct xk_contraction *const p = &n->walked;
    XK_TRY(make_view(c, p, &p->a, &n->a));
    XK_TRY(make_view(c, p, &p->b, &n->b));
    XK_TRY(make_view(c, p, &p->c, &n->c));
    for (unsigned i = 0; i < p->n_inputs; i++)
        XK_TRY(make_view(c, p, &p->input[i], &n->input[i]));
    return XK_OK;
}

/* Several N indices go behind the others: then merging them moves no other. */
static void columns_last(struct xk_contraction *p)
{
    unsigned columns = 0;
    for (unsigned i = 0; i < p->n_index; i++)
        columns += p->index[i].role == XK_ROLE_N;
    for (unsigned i = 0, n = 0; columns > 1 && n < columns; n++) {
        while (p->index[i].role != XK_ROLE_N)
            i++;
        xk_contraction_move(p, i, p->n_index - 1u);
    }
}

/* A and B have the innermost K, if only to stand still along it. */
static enum xk_status complete_inner(xk_ctx *c, struct xk_nest *n)
{
    const struct xk_index *const k = xk_nest_k_inner(n);
    struct xk_view *const v[] = {&n->a.view, &n->b.view};
    for (unsigned i = 0; i < 2; i++)
        if (xk_view_find(v[i], k->name) < 0)
            XK_TRY(xk_view_broadcast(c, v[i], k->name, k->extent));
    return XK_OK;
}

enum xk_status xk_nest_make(xk_ctx *c, const struct xk_contraction *of,
                            struct xk_nest *out)
{
    memset(out, 0, offsetof(struct xk_nest, of));
    if (of->n_class_dims)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "nest: the classes of a contraction are one each");
    if (xk_access_is_open(&of->a))
        return xk_fail(c, XK_EUNSUPPORTED, "%s: no layout is chosen",
                       of->a.name);
    xk_contraction_copy(&out->of, of);
    xk_contraction_copy(&out->walked, of);
    xk_row_order_apply(&out->walked);
    columns_last(&out->walked);
    out->n_index = out->walked.n_index;
    out->n_inputs = of->n_inputs;
    out->n_epi = of->n_epi;
    out->totals = of->totals;
    out->acc_dt = of->acc_dt;
    memcpy(out->index, out->walked.index, sizeof(out->walked.index));
    memcpy(out->epi, of->epi, sizeof(of->epi));
    XK_TRY(make_views(c, out));
    XK_TRY(merge_columns(c, out));
    XK_TRY(complete_roles(c, out));
    return complete_inner(c, out);
}
