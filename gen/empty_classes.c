/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/empty_classes.h"

#include <string.h>

#include "views/access.h"
#include "xekern/launches.h"

/* Whether class r of a class dim has elements of C, as far as that dim says. */
static bool has_elements(const struct xk_contraction *p, unsigned d, uint32_t r)
{
    for (unsigned i = 0; i < p->c.n_coord; i++) {
        const struct xk_coord *const x = &p->c.at[i];
        if (!x->class_base || x->class_dim != d)
            continue;
        struct xk_coord one = *x;
        struct xk_range range;
        one.base += x->class_base[r];
        one.class_base = NULL;
        if (xk_coord_range(p, &one, &range) &&
            (range.hi < one.lo || range.lo >= one.hi))
            return false;
    }
    return true;
}

/* While boxes are listed: those with no term because of class dim `zero`, with
 * terms in those in front of it, whatever is behind it. */
struct list {
    const struct xk_contraction *p;
    struct xk_class_box *out;
    unsigned n, most, zero;
};

/* Whether class r of dim d may be in such a box. */
static bool may_be(const struct list *l, unsigned d, uint32_t r)
{
    const bool terms = l->p->class_dim[d].k_extent[r] > 0;
    return has_elements(l->p, d, r) && (d > l->zero || terms == (d < l->zero));
}

/* Whether class r of dim d lies behind the one in front of it as that does
 * behind its own. */
static bool has_even_base(const struct xk_access *a, unsigned d, uint32_t r)
{
    for (unsigned i = 0; i < a->n_coord; i++) {
        const int64_t *const base = a->at[i].class_base;
        if (base && a->at[i].class_dim == d &&
            base[r] - base[r - 1] != base[r - 1] - base[r - 2])
            return false;
    }
    return true;
}

/* Whether a run of classes from `first` on goes on to class r. */
static bool run_goes_on(const struct list *l, unsigned d, uint32_t first,
                        uint32_t r)
{
    bool even = true;
    if (r >= l->p->class_dim[d].n || !may_be(l, d, r))
        return false;
    if (r < first + 2)
        return true;
    for (unsigned i = 0; i < l->p->n_inputs; i++)
        even = even && has_even_base(&l->p->input[i], d, r);
    return even && has_even_base(&l->p->c, d, r);
}

static void list_from(struct list *l, unsigned d, struct xk_class_box *box)
{
    if (d == l->p->n_class_dims) {
        if (l->n < l->most)
            l->out[l->n] = *box;
        l->n += l->n <= l->most;
        return;
    }
    const uint32_t n = l->p->class_dim[d].n;
    for (uint32_t r = 0; r < n; r++) {
        if (!may_be(l, d, r))
            continue;
        box->first[d] = r;
        while (run_goes_on(l, d, box->first[d], r + 1))
            r++;
        box->n[d] = r + 1 - box->first[d];
        list_from(l, d + 1, box);
    }
}

unsigned xk_empty_classes_list(const struct xk_contraction *p,
                               struct xk_class_box *out, unsigned most)
{
    struct list l = {.p = p, .out = out, .most = most};
    struct xk_class_box box;
    memset(&box, 0, sizeof(box));
    for (l.zero = 0; l.zero < p->n_class_dims; l.zero++)
        list_from(&l, 0, &box);
    return l.n;
}

void xk_contraction_empty_operands(const struct xk_contraction *p,
                                   struct xk_contraction *out)
{
    const int n = xk_contraction_last(p, XK_ROLE_N);
    int64_t stride_b, run;
    const bool rows =
        p->acc_dt == XK_DT_F32 && n >= 0 &&
        xk_access_stride_b(p, &p->c, (unsigned)n, &stride_b, &run) &&
        stride_b == xk_dtype_b(p->c.layout.dt);
    memcpy(out->a.at, p->c.at, sizeof(out->a.at));
    out->a.n_coord = p->c.n_coord;
    out->a.layout = p->c.layout;
    out->a.layout.dt = p->a.layout.dt;
    out->a.fill = out->b.fill = 0;
    out->b.n_coord = 0;
    for (unsigned d = 0; d < out->b.layout.n_dims; d++)
        xk_access_add(&out->b, -1, out->b.layout.dim[d]);
    if (rows)
        out->a.layout.dt = out->b.layout.dt = XK_DT_F32;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (p->index[i].role == XK_ROLE_K)
            out->index[i].extent = 1;
        for (unsigned d = 0;
             p->index[i].role == XK_ROLE_N && d < out->a.n_coord; d++)
            out->a.at[d].coef[i] = 0;
    }
}

/* The access's bases begin with those of the box's first classes. */
static void move_to_box(struct xk_access *a, const struct xk_class_box *box)
{
    for (unsigned i = 0; i < a->n_coord; i++)
        if (a->at[i].class_base)
            a->at[i].class_base += box->first[a->at[i].class_dim];
}

/* Extents of K that is a single place in each class. */
#define ONES 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
static const int64_t one_each[XK_MAX_LAUNCHES] = {ONES, ONES, ONES, ONES};

/* The box's classes alone, in none of which anything is summed. */
static void set_box(const struct xk_contraction *p,
                    const struct xk_class_box *box, struct xk_contraction *out)
{
    xk_contraction_copy(out, p);
    xk_contraction_empty_operands(p, out);
    move_to_box(&out->a, box);
    move_to_box(&out->c, box);
    for (unsigned i = 0; i < out->n_inputs; i++)
        move_to_box(&out->input[i], box);
    for (unsigned i = 0; i < out->n_index; i++) /* B has no group any more */
        if (out->index[i].role == XK_ROLE_BATCH)
            out->index[i].role = XK_ROLE_M;
    for (unsigned d = 0; d < out->n_class_dims; d++) {
        out->class_dim[d].n = box->n[d];
        out->class_dim[d].k_extent = one_each;
    }
}

static void leave_classes(struct xk_access *a)
{
    for (unsigned i = 0; i < a->n_coord; i++) {
        struct xk_coord *const x = &a->at[i];
        x->base += x->class_base ? x->class_base[0] : 0;
        x->class_base = NULL;
        x->class_dim = 0;
    }
}

/* One place of K in each class, and operands that no class moves. */
static void empty_all(struct xk_contraction *p)
{
    leave_classes(&p->a);
    leave_classes(&p->b);
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K)
            p->index[i].extent = 1;
    for (unsigned d = 0; d < p->n_class_dims; d++)
        p->class_dim[d].k_extent = one_each;
}

/* The joined contraction whose last class dim is index 0. */
static void batch_classes(struct xk_contraction *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        p->index[i].role = XK_ROLE_BATCH;
        xk_contraction_move(p, i, 0);
    }
}

enum xk_status xk_empty_classes_batch(xk_ctx *c, const struct xk_contraction *p,
                                      struct xk_contraction *out)
{
    static const uint32_t first[XK_MAX_CLASS_DIMS];
    struct xk_contraction *const all = xk_malloc(c, sizeof(*all));
    if (!all)
        return xk_ctx_status(c);
    xk_contraction_copy(all, p);
    empty_all(all);
    const enum xk_status status = xk_contraction_join_classes(c, all, 1);
    if (status == XK_OK) {
        xk_contraction_class(all, first, out);
        batch_classes(out, all->n_index - p->n_index);
    }
    xk_free(c, all);
    return status;
}

enum xk_status xk_empty_classes_contraction(xk_ctx *c,
                                            const struct xk_contraction *p,
                                            const struct xk_class_box *box,
                                            struct xk_contraction *out)
{
    static const uint32_t first[XK_MAX_CLASS_DIMS];
    struct xk_contraction *const all = xk_malloc(c, sizeof(*all));
    if (!all)
        return xk_ctx_status(c);
    set_box(p, box, all);
    const enum xk_status status = xk_contraction_join_classes(c, all, 1);
    if (status == XK_OK) /* dims of one class are left */
        xk_contraction_class(all, first, out);
    xk_free(c, all);
    return status;
}
