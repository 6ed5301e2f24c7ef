/* SPDX-License-Identifier: Apache-2.0 */
/* Classes whose constants are linear in the class are places of an index. */
#include <inttypes.h>
#include <stdio.h>

#include "base/integer.h"
#include "views/access.h"
#include "views/formula_text.h"

/* The numbers of a class dim's classes as first + step * class. */
struct line {
    int64_t first, step;
};

static bool is_line(const int64_t *v, uint32_t n, struct line *out)
{
    *out = (struct line){v[0], n > 1 ? v[1] - v[0] : 0};
    for (uint32_t r = 2; r < n; r++)
        if (v[r] - v[r - 1] != out->step)
            return false;
    return true;
}

static bool has_class(const struct xk_coord *x, unsigned d)
{
    return x->class_base && x->class_dim == d;
}

/* A class dim that may become an index. */
struct dim {
    unsigned d;
    struct line extent; /* of its K index */
    bool in_a, in_c;    /* whether classes differ in what they read, write */
};

/* The operand outside of which terms lie that a class does not have: one that
 * the class moves anyway, if there is such a one. */
static struct xk_access *ended_in(struct xk_contraction *p, const struct dim *x)
{
    return x->in_a ? &p->a : &p->b;
}

/* Whether the bases of an access are lines. */
static bool read_bases(const struct xk_access *a, const struct xk_class_dim *of,
                       unsigned d, bool *differ)
{
    struct line l;
    *differ = false;
    for (unsigned i = 0; i < a->n_coord; i++)
        if (has_class(&a->at[i], d)) {
            if (!is_line(a->at[i].class_base, of->n, &l))
                return false;
            *differ |= l.step != 0;
        }
    return true;
}

/* Why it is no index; NULL: it is. *whose: of which tensor or index. */
static const char *read_dim(struct xk_contraction *p, struct dim *x,
                            const char **whose)
{
    const struct xk_class_dim *const of = &p->class_dim[x->d];
    struct xk_access *a;
    bool differ;
    for (unsigned n = 0; (a = xk_formula_operand(p, n)); n++) {
        *whose = a->name;
        if (!read_bases(a, of, x->d, &differ))
            return "the bases are not linear in the class";
        x->in_a |= a == &p->a && differ;
        x->in_c |= a == &p->c && differ;
    }
    if (!x->in_c) {
        *whose = p->c.name;
        return "classes write the same elements";
    }
    *whose = p->index[of->k].name;
    if (!is_line(of->k_extent, of->n, &x->extent))
        return "the extents are not linear in the class";
    a = ended_in(p, x);
    if (x->extent.step && (a->fill || a->n_coord == XK_MAX_COORD)) {
        *whose = a->name;
        return "it has a fill that is not 0, or no room for a condition";
    }
    return p->n_index < XK_MAX_INDEX ? NULL : "there is no room for an index";
}

/* Behind a class's extent the terms of index k are 0. */
static void end_terms(struct xk_contraction *p, const struct dim *x, unsigned k,
                      unsigned i)
{
    const int64_t first = x->extent.first,
                  last = first + x->extent.step * (p->index[i].extent - 1);
    p->index[k].extent = last > first ? last : first;
    if (!x->extent.step)
        return;
    struct xk_coord *const end = xk_access_add(ended_in(p, x), (int)k, first);
    end->coef[i] = -x->extent.step;
    end->lo = first < last ? first - last : 0;
}

/* The bases of class dim d are coefficients of index i; the dim is gone. */
static void move_bases(struct xk_contraction *p, unsigned d, unsigned i)
{
    struct xk_access *a;
    struct line l;
    for (unsigned n = 0; (a = xk_formula_operand(p, n)); n++)
        for (unsigned k = 0; k < a->n_coord; k++) {
            struct xk_coord *const at = &a->at[k];
            if (has_class(at, d)) {
                is_line(at->class_base, p->class_dim[d].n, &l);
                at->base += l.first;
                at->coef[i] = l.step;
                at->class_base = NULL;
                at->class_dim = 0;
            } else if (at->class_base && at->class_dim > d) {
                at->class_dim--;
            }
        }
    p->n_class_dims--;
    for (unsigned k = d; k < p->n_class_dims; k++)
        p->class_dim[k] = p->class_dim[k + 1];
}

static bool uses(const struct xk_access *a, unsigned i)
{
    return xk_access_uses(a) >> i & 1;
}

/* The class dim becomes the outermost index. */
static void join_class_dim(struct xk_contraction *p, const struct dim *x)
{
    const struct xk_class_dim of = p->class_dim[x->d];
    char name[8];
    unsigned n = 0;
    do
        snprintf(name, sizeof(name), "class%u", n++ % 100);
    while (xk_contraction_find(p, name) >= 0);
    const unsigned i = xk_contraction_add(p, name, of.n, XK_ROLE_N);
    move_bases(p, x->d, i);
    end_terms(p, x, of.k, i);
    p->index[i].role =
        (uint8_t)xk_role_of(uses(&p->a, i), uses(&p->b, i), true);
    xk_contraction_move(p, i, 0);
}

enum xk_status xk_contraction_join_classes(xk_ctx *c, struct xk_contraction *p,
                                           uint64_t most)
{
    const uint64_t all = xk_contraction_classes(p);
    const char *why = "", *whose = "";
    if (all <= most)
        return XK_OK;
    for (unsigned d = 0; d < p->n_class_dims;) {
        struct dim x = {.d = d++};
        const char *of;
        const char *const not = read_dim(p, &x, &of);
        if (not ) {
            why = not ;
            whose = of;
            continue;
        }
        join_class_dim(p, &x);
        d--;
        if (xk_contraction_classes(p) <= most)
            return xk_contraction_check(c, p);
    }
    return xk_fail(c, XK_EUNSUPPORTED,
                   "%s: %" PRIu64 " classes, a program has at most %" PRIu64
                   " launches, and they are no index: %s: %s",
                   p->c.name, all, most, whose, why);
}
