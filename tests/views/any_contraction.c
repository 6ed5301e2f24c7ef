/* SPDX-License-Identifier: Apache-2.0 */
#include "any_contraction.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int any_below(unsigned *seed, int n)
{
    return rand_r(seed) % n;
}

bool any_next(const struct xk_contraction *p, int64_t *at)
{
    for (unsigned i = p->n_index; i-- > 0;) {
        if (++at[i] < p->index[i].extent)
            return true;
        at[i] = 0;
    }
    return false;
}

/* A tag of so many dims in any order, perhaps with one block inside. */
static void any_tag(unsigned *seed, unsigned n, char *out)
{
    char order[XK_LAYOUT_MAX_DIMS];
    for (unsigned i = 0; i < n; i++)
        order[i] = (char)('a' + i);
    for (unsigned i = n; i > 1; i--) {
        const int k = any_below(seed, (int)i);
        const char t = order[i - 1];
        order[i - 1] = order[k];
        order[k] = t;
    }
    memcpy(out, order, n);
    out[n] = 0;
    if (any_below(seed, 2))
        return;
    const int block = any_below(seed, (int)n);
    sprintf(out + n, "%d%c", 2 << any_below(seed, 3), out[block]);
    out[block] = (char)(out[block] - 'a' + 'A');
}

/* A dim for a coordinate: as large as it reaches, or a little off. */
static void any_dim(const struct xk_contraction *p, unsigned *seed,
                    struct xk_coord *x, int64_t *dim)
{
    int64_t hi = x->base;
    for (unsigned i = 0; i < p->n_index; i++)
        hi += x->coef[i] > 0 ? x->coef[i] * (p->index[i].extent - 1) : 0;
    *dim = hi + 1 - (any_below(seed, 3) ? 0 : any_below(seed, 4));
    if (*dim < 1)
        *dim = 1;
    x->lo = 0;
    x->hi = *dim;
    if (*dim > 1 && any_below(seed, 8) == 0)
        x->hi--;
}

static void any_access(xk_ctx *c, struct xk_contraction *p, unsigned *seed,
                       const char *name, uint32_t of, struct xk_access *a)
{
    char tag[32];
    strcpy(a->name, name);
    a->layout.dt = XK_DT_F32;
    const unsigned dims = 1 + (unsigned)any_below(seed, 4);
    for (unsigned d = 0; d < dims; d++) {
        struct xk_coord *const x = xk_access_add(a, -1, 1);
        x->base = any_below(seed, 3) ? 0 : any_below(seed, 5) - 2;
    }
    for (unsigned i = 0; i < p->n_index; i++) /* each index somewhere */
        if (of >> i & 1) {
            const int far = 1 + (any_below(seed, 2) ? 0 : any_below(seed, 3));
            struct xk_coord *const x = &a->at[any_below(seed, (int)dims)];
            const bool down = any_below(seed, 6) == 0;
            x->coef[i] = down ? -far : far;
            x->base += down ? far * (p->index[i].extent - 1) : 0;
        }
    a->layout.n_dims = (uint8_t)dims;
    for (unsigned d = 0; d < dims; d++)
        any_dim(p, seed, &a->at[d], &a->layout.dim[d]);
    any_tag(seed, dims, tag);
    const struct xk_layout l = a->layout;
    ck_assert_int_eq(
        xk_layout_from_tag(c, name, (struct xk_tensor_dims){l.dt, dims, l.dim},
                           tag, &a->layout),
        XK_OK);
    if (any_below(seed, 6) == 0 && of) { /* a condition alone */
        struct xk_coord *const x = xk_access_add(a, -1, 1);
        for (unsigned i = 0; i < p->n_index; i++)
            x->coef[i] = of >> i & 1 ? any_below(seed, 3) - 1 : 0;
        x->lo = -any_below(seed, 3);
        x->hi = x->lo + 1 + any_below(seed, 4);
    }
    a->fill = any_below(seed, 4) ? 0 : any_below(seed, 9) - 4;
}

/* C has a dim for each of its indices, or two of them in one. */
static void any_result(xk_ctx *c, struct xk_contraction *p, unsigned *seed)
{
    struct xk_access *const a = &p->c;
    char tag[32];
    strcpy(a->name, "C");
    a->layout.dt = XK_DT_F32;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (p->index[i].role == XK_ROLE_K)
            continue;
        struct xk_coord *const last =
            a->n_coord ? &a->at[a->n_coord - 1] : NULL;
        if (last && (a->n_coord == 4 || any_below(seed, 4) == 0)) {
            for (unsigned k = 0; k < i; k++)
                last->coef[k] *= p->index[i].extent;
            last->coef[i] = 1;
        } else {
            xk_access_add(a, (int)i, 1);
        }
    }
    if (!a->n_coord)
        xk_access_add(a, -1, 1);
    a->layout.n_dims = a->n_coord;
    for (unsigned d = 0; d < a->n_coord; d++)
        any_dim(p, seed, &a->at[d], &a->layout.dim[d]);
    any_tag(seed, a->n_coord, tag);
    const struct xk_layout l = a->layout;
    ck_assert_int_eq(xk_layout_from_tag(
                         c, "C", (struct xk_tensor_dims){l.dt, l.n_dims, l.dim},
                         tag, &a->layout),
                     XK_OK);
}

/* A K index whose extent and some of whose bases differ. */
static void any_classes(struct xk_contraction *p, unsigned *seed)
{
    static int64_t extents[2][3], bases[2][3];
    for (unsigned i = 0; i < p->n_index && p->n_class_dims < 2; i++) {
        if (p->index[i].role != XK_ROLE_K)
            continue;
        const unsigned d = p->n_class_dims++;
        struct xk_class_dim *const x = &p->class_dim[d];
        *x = (struct xk_class_dim){1 + (uint32_t)any_below(seed, 3), (uint8_t)i,
                                   extents[d]};
        p->index[i].extent = 1;
        for (uint32_t r = 0; r < x->n; r++) {
            extents[d][r] = any_below(seed, 4);
            bases[d][r] = any_below(seed, 5) - 2;
            if (extents[d][r] > p->index[i].extent)
                p->index[i].extent = extents[d][r];
        }
        struct xk_coord *const at = &p->a.at[any_below(seed, p->a.n_coord)];
        if (!at->class_base) {
            at->class_dim = (uint8_t)d;
            at->class_base = bases[d];
        }
    }
}

void any_contraction(xk_ctx *c, unsigned *seed, bool classes,
                     struct xk_contraction *p)
{
    uint32_t in_a = 0, in_b = 0;
    int64_t terms = 1;
    memset(p, 0, sizeof(*p));
    const int n = 1 + any_below(seed, 6);
    for (int i = 0; i < n; i++) {
        char name[8];
        const enum xk_role role = (enum xk_role)any_below(seed, 4);
        int64_t extent = 1 + any_below(seed, 9);
        if (terms * extent > 4000)
            extent = 1;
        terms *= extent;
        sprintf(name, "%c%d", "mnkb"[role], i);
        xk_contraction_add(p, name, extent, role);
        in_a |= (uint32_t)(role != XK_ROLE_N) << i;
        in_b |= (uint32_t)(role != XK_ROLE_M) << i;
    }
    p->acc_dt = XK_DT_F32;
    any_access(c, p, seed, "A", in_a, &p->a);
    any_access(c, p, seed, "B", in_b, &p->b);
    any_result(c, p, seed);
    p->b.arg = 1;
    p->c.arg = 2;
    if (classes)
        any_classes(p, seed);
    ck_assert_msg(xk_contraction_check(c, p) == XK_OK, "%s", c->error.message);
}
