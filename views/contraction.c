/* SPDX-License-Identifier: Apache-2.0 */
#include "views/contraction.h"

#include <stddef.h>
#include <string.h>

void xk_contraction_clear(struct xk_contraction *p)
{
    memset(p, 0, offsetof(struct xk_contraction, input));
}

void xk_contraction_copy(struct xk_contraction *out,
                         const struct xk_contraction *p)
{
    if (out == p)
        return;
    memcpy(out, p,
           offsetof(struct xk_contraction, input) +
               p->n_inputs * sizeof(p->input[0]));
}

struct xk_access *xk_contraction_add_input(struct xk_contraction *p)
{
    if (p->n_inputs == XK_MAX_INPUTS)
        return NULL;
    struct xk_access *const a = &p->input[p->n_inputs++];
    memset(a, 0, sizeof(*a));
    return a;
}

unsigned xk_contraction_add(struct xk_contraction *p, const char *name,
                            int64_t extent, enum xk_role role)
{
    struct xk_index *const x = &p->index[p->n_index];
    strcpy(x->name, name);
    x->extent = extent;
    x->role = (uint8_t)role;
    return p->n_index++;
}

int xk_contraction_find(const struct xk_contraction *p, const char *name)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (strcmp(p->index[i].name, name) == 0)
            return (int)i;
    return -1;
}

int xk_contraction_last(const struct xk_contraction *p, enum xk_role role)
{
    int found = -1;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == role)
            found = (int)i;
    return found;
}

int xk_contraction_before(const struct xk_contraction *p, int index)
{
    int i = index - 1;
    while (i >= 0 && p->index[i].role != p->index[index].role)
        i--;
    return i < 0 ? -1 : i;
}

int64_t xk_contraction_extent(const struct xk_contraction *p, enum xk_role role)
{
    int64_t all = 1;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == role &&
            __builtin_mul_overflow(all, p->index[i].extent, &all))
            return INT64_MAX;
    return all;
}

struct xk_coord *xk_access_add(struct xk_access *a, int index, int64_t extent)
{
    struct xk_coord *const x = &a->at[a->n_coord++];
    *x = (struct xk_coord){.hi = extent};
    if (index >= 0)
        x->coef[index] = 1;
    return x;
}

/* The accesses, one after the other; NULL behind the last. */
static struct xk_access *access_at(struct xk_contraction *p, unsigned i)
{
    struct xk_access *const first[] = {&p->a, &p->b, &p->c};
    if (i < 3)
        return first[i];
    return i - 3 < p->n_inputs ? &p->input[i - 3] : NULL;
}

static void access_of_class(struct xk_access *a, const uint32_t *r)
{
    for (unsigned i = 0; i < a->n_coord; i++) {
        struct xk_coord *const x = &a->at[i];
        if (x->class_base)
            x->base += x->class_base[r[x->class_dim]];
        x->class_base = NULL;
        x->class_dim = 0;
    }
}

uint64_t xk_contraction_classes(const struct xk_contraction *p)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < p->n_class_dims; d++)
        if (__builtin_mul_overflow(n, p->class_dim[d].n, &n))
            return UINT64_MAX;
    return n;
}

void xk_contraction_class_at(const struct xk_contraction *p, uint64_t number,
                             uint32_t *r)
{
    for (unsigned d = p->n_class_dims; d-- > 0;) {
        r[d] = (uint32_t)(number % p->class_dim[d].n);
        number /= p->class_dim[d].n;
    }
}

bool xk_contraction_class(const struct xk_contraction *p, const uint32_t *r,
                          struct xk_contraction *out)
{
    bool terms = true;
    xk_contraction_copy(out, p);
    out->n_class_dims = 0;
    memset(out->class_dim, 0, sizeof(out->class_dim));
    struct xk_access *a;
    for (unsigned i = 0; (a = access_at(out, i)); i++)
        access_of_class(a, r);
    for (unsigned d = 0; d < p->n_class_dims; d++) {
        const struct xk_class_dim *const x = &p->class_dim[d];
        const int64_t extent = x->k_extent[r[d]];
        out->index[x->k].extent = extent ? extent : 1;
        terms = terms && extent;
    }
    return terms;
}

/* Coefficients of the indices from `from` on move to those from `to` on. */
static void move_coefs(struct xk_contraction *p, unsigned from, unsigned to,
                       unsigned n)
{
    struct xk_access *a;
    for (unsigned i = 0; (a = access_at(p, i)); i++)
        for (unsigned d = 0; d < a->n_coord; d++)
            memmove(&a->at[d].coef[to], &a->at[d].coef[from],
                    n * sizeof(int64_t));
}

void xk_contraction_split(struct xk_contraction *p, unsigned i, int64_t size,
                          const char *outer, const char *inner)
{
    const unsigned behind = p->n_index - i - 1u;
    memmove(&p->index[i + 2], &p->index[i + 1], behind * sizeof(p->index[0]));
    move_coefs(p, i, i + 1, behind + 1);
    p->n_index++;
    p->index[i + 1] = p->index[i];
    strcpy(p->index[i].name, outer);
    strcpy(p->index[i + 1].name, inner);
    p->index[i].extent /= size;
    p->index[i + 1].extent = size;
    struct xk_access *a;
    for (unsigned n = 0; (a = access_at(p, n)); n++)
        for (unsigned d = 0; d < a->n_coord; d++)
            a->at[d].coef[i] = a->at[d].coef[i + 1] * size;
    for (unsigned d = 0; d < p->n_class_dims; d++)
        p->class_dim[d].k += p->class_dim[d].k > i;
}

/* The place of an index behind the move. */
static unsigned moved(unsigned i, unsigned from, unsigned to)
{
    if (i == from)
        return to;
    if (from < to)
        return i > from && i <= to ? i - 1 : i;
    return i >= to && i < from ? i + 1 : i;
}

static void move_coef(int64_t *coef, unsigned from, unsigned to)
{
    const int64_t v = coef[from];
    if (from < to)
        memmove(&coef[from], &coef[from + 1], (to - from) * sizeof(*coef));
    else
        memmove(&coef[to + 1], &coef[to], (from - to) * sizeof(*coef));
    coef[to] = v;
}

void xk_contraction_move(struct xk_contraction *p, unsigned from, unsigned to)
{
    const struct xk_index index = p->index[from];
    if (from < to)
        memmove(&p->index[from], &p->index[from + 1],
                (to - from) * sizeof(index));
    else
        memmove(&p->index[to + 1], &p->index[to], (from - to) * sizeof(index));
    p->index[to] = index;
    struct xk_access *a;
    for (unsigned n = 0; (a = access_at(p, n)); n++)
        for (unsigned d = 0; d < a->n_coord; d++)
            move_coef(a->at[d].coef, from, to);
    for (unsigned d = 0; d < p->n_class_dims; d++)
        p->class_dim[d].k = (uint8_t)moved(p->class_dim[d].k, from, to);
}
