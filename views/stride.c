/* SPDX-License-Identifier: Apache-2.0 */
/* Strides along a view dim. Each part of the offset is abstracted to a step
 * form: within aligned runs of `run` values of the variable, every step adds
 * `coef`. Sums, products with constants, floor divisions and remainders of step
 * forms are step forms again, or the analysis gives up. */
#include "views/view.h"

#include "ir/fold.h"

/* run 0: without end. At the first value of each run, the expression is a
 * multiple of `base` (0: it is 0 there). Without end there is one run, from 0.
 * ok is false if nothing is known. */
struct step {
    bool ok;
    int64_t coef, run, base;
};

/* The same with shorter runs; run divides s.run. */
static struct step shorten(struct step s, int64_t run)
{
    if (run != s.run) {
        s.base = xk_gcd(s.base, s.coef * run);
        s.run = run;
    }
    return s;
}

static struct step step_add(struct step a, struct step b, int64_t sign)
{
    const int64_t run = xk_gcd(a.run, b.run);
    a = shorten(a, run);
    b = shorten(b, run);
    return (struct step){a.ok && b.ok, a.coef + sign * b.coef, run,
                         xk_gcd(a.base, b.base)};
}

static struct step step_mul(struct step a, int64_t k)
{
    return (struct step){a.ok, a.coef * k, a.run, a.base * k};
}

/* Runs in which floor(a / k) stays the same and a % k moves by a's coef. */
static bool within_one(struct step *a, int64_t k)
{
    const int64_t coef = a->coef < 0 ? -a->coef : a->coef;
    if (!a->ok || coef == 0)
        return a->ok;
    if (a->coef < 0 || k % coef)
        return false;
    *a = shorten(*a, xk_gcd(a->run, k / coef));
    return a->base % (coef * a->run) == 0;
}

static struct step step_div(struct step a, int64_t k)
{
    if (a.ok && a.coef && a.coef % k == 0)
        return (struct step){true, a.coef / k, a.run, 1};
    const bool ok = within_one(&a, k);
    return (struct step){ok, 0, a.run, a.base == 0 && a.run == 0 ? 0 : 1};
}

static struct step step_mod(struct step a, int64_t k)
{
    if (a.ok && a.coef && a.coef % k == 0)
        return (struct step){true, 0, a.run, 1};
    const bool ok = within_one(&a, k);
    return (struct step){ok, a.coef, a.run, xk_gcd(a.base, k)};
}

static struct step step_of(const xk_expr *e, const xk_expr *var);

static struct step step_of_bin(const xk_expr *e, const xk_expr *var)
{
    const struct step unknown = {.ok = false};
    const struct step a = step_of(xk_kid(e, 0), var);
    int64_t k;
    if (xk_op(e) == XK_OP_ADD)
        return step_add(a, step_of(xk_kid(e, 1), var), 1);
    if (xk_op(e) == XK_OP_SUB)
        return step_add(a, step_of(xk_kid(e, 1), var), -1);
    if (!xk_is_const(xk_kid(e, 1), &k))
        return unknown;
    switch (xk_op(e)) {
    case XK_OP_MUL:
        return step_mul(a, k);
    case XK_OP_DIV:
        return k > 0 ? step_div(a, k) : unknown;
    case XK_OP_MOD:
        return k > 0 ? step_mod(a, k) : unknown;
    default:
        return unknown;
    }
}

/* Coordinates are small: as deep as the chain of transforms. */
static struct step step_of(const xk_expr *e, const xk_expr *var)
{
    int64_t k;
    if (e == var)
        return (struct step){true, 1, 0, 0};
    if (xk_is_const(e, &k))
        return (struct step){true, 0, 0, k};
    if (xk_op(e) == XK_OP_VAR)
        return (struct step){true, 0, 0, 1};
    if (xk_n_kids(e) == 2)
        return step_of_bin(e, var);
    return (struct step){.ok = false};
}

/* The offset in elements, block by block as xk_view_offset_b builds it. */
static struct step offset_step(const struct xk_view *v, const xk_expr *var)
{
    const struct xk_layout *const l = &v->layout;
    int64_t div[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    struct step sum = {true, 0, 0, 0};
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        struct step s = step_of(v->coord[b->dim], var);
        if (b->size == 1)
            continue;
        if (div[b->dim] > 1)
            s = step_div(s, div[b->dim]);
        div[b->dim] *= b->size;
        if (div[b->dim] < l->padded[b->dim])
            s = step_mod(s, b->size);
        sum = step_add(sum, step_mul(s, b->stride), 1);
    }
    return sum;
}

/* How far an endless run really goes: to the end of memory where the dim is
 * the tensor's own, else to the dim's end. */
static int64_t memory_extent(const struct xk_view *v,
                             const struct xk_view_dim *d)
{
    for (unsigned i = 0; i < v->layout.n_dims; i++) {
        if (v->coord[i] == d->var)
            return v->layout.padded[i];
    }
    return d->extent;
}

bool xk_view_stride_b(xk_ctx *c, const struct xk_view *v, const char *dim,
                      int64_t *stride_b, int64_t *run)
{
    const int found = xk_view_find(v, dim);
    (void)c;
    if (found < 0)
        return false;
    const struct xk_view_dim *const d = &v->dim[found];
    const struct step s = offset_step(v, d->var);
    if (!s.ok || (s.run == 1 && d->extent > 1))
        return false;
    *stride_b = s.coef * xk_dtype_b(v->layout.dt);
    *run = s.run ? s.run : memory_extent(v, d);
    return true;
}
