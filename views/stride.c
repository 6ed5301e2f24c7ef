/* SPDX-License-Identifier: Apache-2.0 */
/* Strides along a view dim. Each part of the offset is abstracted to a step
 * form: within aligned runs of `run` values of the variable, every step adds
 * `coef`. Sums, products with constants, floor divisions and remainders of step
 * forms are step forms again, or the analysis gives up. */
#include "views/view.h"

#include "ir/fold.h"

/* run 0: without end. At the first value of each run, the expression is a
 * multiple of `base` (0: it is 0 there). Without end there is one run, from 0.
 * ok is false if nothing is known.
 *
 * Runs are steps too: inside aligned spans of `span` values (0: without end;
 * run: a span is one run) each begins `jump` behind the one before. The first
 * values of spans are multiples of span_base. Where the jump is what the run's
 * steps come to, the span is a longer run: that of K indices that were
 * merged. */
struct step {
    bool ok;
    int64_t coef, run, base;
    int64_t jump, span, span_base;
};

/* Runs without an order. */
static struct step step_runs(bool ok, int64_t coef, int64_t run, int64_t base)
{
    return (struct step){ok, coef, run, base, 0, run, base};
}

/* The same with shorter runs; run divides s.run. */
static struct step shorten(struct step s, int64_t run)
{
    if (run != s.run) {
        s.jump = s.coef * run;
        s.span = s.run;
        s.span_base = s.base;
        s.base = xk_gcd(s.base, s.jump);
        s.run = run;
    }
    return s;
}

static struct step shorten_span(struct step s, int64_t span)
{
    if (span != s.span)
        s.span_base = xk_gcd(s.span_base, s.jump * (span / s.run));
    s.span = span;
    return s;
}

static struct step step_add(struct step a, struct step b, int64_t sign)
{
    const int64_t run = xk_gcd(a.run, b.run);
    a = shorten(a, run);
    b = shorten(b, run);
    const int64_t span = xk_gcd(a.span, b.span);
    a = shorten_span(a, span);
    b = shorten_span(b, span);
    struct step s = {a.ok && b.ok,
                     a.coef + sign * b.coef,
                     run,
                     xk_gcd(a.base, b.base),
                     a.jump + sign * b.jump,
                     span,
                     xk_gcd(a.span_base, b.span_base)};
    if (s.jump == s.coef * run && span != run)
        s = step_runs(s.ok, s.coef, span, s.span_base);
    return s;
}

static struct step step_mul(struct step a, int64_t k)
{
    return (struct step){a.ok,       a.coef * k, a.run,          a.base * k,
                         a.jump * k, a.span,     a.span_base * k};
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

/* How far runs stay inside one multiple of k, if spans begin at one; 0 with
 * *ok: without end, each is a multiple further. */
static int64_t runs_within(const struct step *a, int64_t k, bool *ok)
{
    *ok = a->jump > 0 && k % a->jump == 0 && a->span_base % k == 0;
    if (!*ok || a->jump == k)
        return a->span;
    const int64_t span = k / a->jump * a->run;
    *ok = a->span % span == 0;
    return span;
}

static struct step step_div(struct step a, int64_t k)
{
    bool even;
    if (a.ok && a.coef && a.coef % k == 0)
        return step_runs(true, a.coef / k, a.run, 1);
    const bool ok = within_one(&a, k);
    const int64_t base = a.base == 0 && a.run == 0 ? 0 : 1;
    const int64_t span = runs_within(&a, k, &even);
    if (!even)
        return step_runs(ok, 0, a.run, base);
    if (a.jump < k)
        return step_runs(ok, 0, span, 1);
    return (struct step){ok, 0, a.run, base, 1, span, a.span_base / k};
}

static struct step step_mod(struct step a, int64_t k)
{
    bool even;
    if (a.ok && a.coef && a.coef % k == 0)
        return step_runs(true, 0, a.run, 1);
    const bool ok = within_one(&a, k);
    const int64_t base = xk_gcd(a.base, k);
    const int64_t span = runs_within(&a, k, &even);
    if (!even)
        return step_runs(ok, a.coef, a.run, base);
    return (struct step){ok, a.coef, a.run, base, a.jump % k, span, 0};
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
        return step_runs(true, 1, 0, 0);
    if (xk_is_const(e, &k))
        return step_runs(true, 0, 0, k);
    if (xk_op(e) == XK_OP_VAR)
        return step_runs(true, 0, 0, 1);
    if (xk_n_kids(e) == 2)
        return step_of_bin(e, var);
    return (struct step){.ok = false};
}

/* The offset in elements, block by block as xk_view_offset_b builds it. */
static struct step offset_step(const struct xk_view *v, const xk_expr *var)
{
    const struct xk_layout *const l = &v->layout;
    int64_t div[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    struct step sum = step_runs(true, 0, 0, 0);
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
    const int t = xk_view_tensor_dim(v, d->name);
    return t < 0 ? d->extent : v->layout.padded[t];
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
