/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the operands of sums and of conjunctions in the order of their loop
 * levels, so that what is invariant in a loop stands together: (a + k) + b with
 * k a loop variable becomes (a + b) + k. Values that are equal for all lanes
 * are summed as scalars. Integers only: their sums do not depend on order. */
#include "passes/regroup.h"

enum { MAX_TERMS = 32 };

struct term {
    const xk_expr *e;
    unsigned level;
    bool minus;
};

struct terms {
    unsigned n;
    struct term t[MAX_TERMS];
};

struct gathered {
    struct terms vec, scalar; /* of a scalar expression: all in vec */
    int64_t constant;
    bool overflow;
};

void xk_regroup_init(struct xk_regroup *r, xk_ctx *c, struct xk_levels *l)
{
    r->c = c;
    r->levels = l;
    xk_memo_init(&r->done, c);
}

void xk_regroup_fini(struct xk_regroup *r)
{
    xk_memo_fini(&r->done);
}

/* Inserts behind all terms of the same or a lower level. */
static void insert_term(struct xk_regroup *r, struct gathered *g,
                        struct terms *to, const xk_expr *e, bool minus)
{
    const xk_expr *const x = xk_regroup(r, e);
    if (to->n == MAX_TERMS || !x) {
        g->overflow = true;
        return;
    }
    const unsigned level = xk_levels_of(r->levels, x);
    unsigned i = to->n++;
    for (; i && to->t[i - 1].level > level; i--)
        to->t[i] = to->t[i - 1];
    to->t[i] = (struct term){x, level, minus};
}

static void gather_terms(struct xk_regroup *r, struct gathered *g,
                         const xk_expr *e, bool minus, bool scalar)
{
    int64_t v;
    if (g->overflow)
        return;
    if (xk_is_const(e, &v)) {
        g->constant = minus ? g->constant - v : g->constant + v;
        return;
    }
    switch (xk_op(e)) {
    case XK_OP_ADD:
    case XK_OP_SUB:
        gather_terms(r, g, xk_kid(e, 0), minus, scalar);
        gather_terms(r, g, xk_kid(e, 1), minus != (xk_op(e) == XK_OP_SUB),
                     scalar);
        return;
    case XK_OP_BCAST:
        gather_terms(r, g, xk_kid(e, 0), minus, true);
        return;
    default:
        insert_term(r, g, scalar ? &g->scalar : &g->vec, e, minus);
        return;
    }
}

/* Sum of terms[0..n) in order, a positive one first; *minus if there is none
 * and the sum is to be subtracted. */
static const xk_expr *sum_of_terms(xk_ctx *c, const struct terms *s,
                                   bool *minus)
{
    unsigned first = 0;
    while (first < s->n && s->t[first].minus)
        first++;
    *minus = first == s->n;
    if (*minus)
        first = 0;
    const xk_expr *acc = s->t[first].e;
    for (unsigned i = 0; i < s->n; i++) {
        if (i == first)
            continue;
        acc = s->t[i].minus != *minus ? xk_sub(c, acc, s->t[i].e)
                                      : xk_add(c, acc, s->t[i].e);
    }
    return acc;
}

static const xk_expr *plus_constant(xk_ctx *c, const xk_expr *e, int64_t v)
{
    if (!v || !e)
        return e;
    return v < 0 && v != INT64_MIN ? xk_bin_imm(c, XK_OP_SUB, e, -v)
                                   : xk_bin_imm(c, XK_OP_ADD, e, v);
}

/* The constant joins the terms of the lowest level, as one term. */
static bool absorb_constant(xk_ctx *c, struct terms *s, int64_t v)
{
    struct terms low = {0};
    bool minus;
    if (!v)
        return true;
    while (low.n < s->n && s->t[low.n].level == s->t[0].level) {
        low.t[low.n] = s->t[low.n];
        low.n++;
    }
    const xk_expr *const e = sum_of_terms(c, &low, &minus);
    const xk_expr *const with = plus_constant(c, e, minus ? -v : v);
    if (!with)
        return false;
    s->t[0] = (struct term){with, s->t[0].level, minus};
    for (unsigned i = low.n; i < s->n; i++)
        s->t[i - low.n + 1] = s->t[i];
    s->n -= low.n - 1;
    return true;
}

static bool one_level(const struct gathered *g)
{
    const struct terms *const s = g->vec.n ? &g->vec : &g->scalar;
    for (unsigned i = 0; i < g->vec.n; i++) {
        if (g->vec.t[i].level != s->t[0].level)
            return false;
    }
    for (unsigned i = 0; i < g->scalar.n; i++) {
        if (g->scalar.t[i].level != s->t[0].level)
            return false;
    }
    return true;
}

/* Scalars become one term of the vector sum. */
static bool add_scalars(xk_ctx *c, struct terms *vec,
                        const struct terms *scalar, unsigned lanes)
{
    bool minus;
    if (!scalar->n)
        return true;
    const xk_expr *const sum = sum_of_terms(c, scalar, &minus);
    const xk_expr *const e = sum ? xk_bcast(c, sum, lanes) : NULL;
    const unsigned level = scalar->t[scalar->n - 1].level;
    if (!e || vec->n == MAX_TERMS)
        return false;
    unsigned i = vec->n++;
    for (; i && vec->t[i - 1].level > level; i--)
        vec->t[i] = vec->t[i - 1];
    vec->t[i] = (struct term){e, level, minus};
    return true;
}

/* NULL: leave the sum as it is. */
static const xk_expr *regroup_sum(struct xk_regroup *r, const xk_expr *e)
{
    struct gathered g = {0};
    const struct xk_type t = xk_type_of(e);
    bool minus;
    gather_terms(r, &g, e, false, false);
    if (g.overflow || one_level(&g) ||
        g.vec.n + g.scalar.n + (g.constant != 0) < 3)
        return NULL;
    const bool to_scalars =
        g.scalar.n &&
        (!g.vec.n || g.scalar.t[g.scalar.n - 1].level < g.vec.t[0].level);
    if (!absorb_constant(r->c, to_scalars ? &g.scalar : &g.vec, g.constant) ||
        !add_scalars(r->c, &g.vec, &g.scalar, t.lanes))
        return NULL;
    const xk_expr *const sum = sum_of_terms(r->c, &g.vec, &minus);
    return minus ? NULL : sum;
}

static void gather_and(struct xk_regroup *r, struct gathered *g,
                       const xk_expr *e)
{
    if (xk_op(e) != XK_OP_AND) {
        insert_term(r, g, &g->vec, e, false);
        return;
    }
    gather_and(r, g, xk_kid(e, 0));
    gather_and(r, g, xk_kid(e, 1));
}

static const xk_expr *regroup_and(struct xk_regroup *r, const xk_expr *e)
{
    struct gathered g = {0};
    gather_and(r, &g, e);
    if (g.overflow || one_level(&g) || g.vec.n < 3)
        return NULL;
    const xk_expr *acc = g.vec.t[0].e;
    for (unsigned i = 1; i < g.vec.n; i++)
        acc = xk_and(r->c, acc, g.vec.t[i].e);
    return acc;
}

static const xk_expr *visit_regroup(void *user, const xk_expr *e)
{
    return xk_regroup(user, e);
}

const xk_expr *xk_regroup(struct xk_regroup *r, const xk_expr *e)
{
    const void *known;
    const xk_expr *out = NULL;
    if (!xk_n_kids(e) || xk_op(e) == XK_OP_PTR ||
        xk_levels_of(r->levels, e) == 0)
        return e;
    if (xk_memo_get(&r->done, xk_serial(e), &known))
        return known;
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    if ((xk_op(e) == XK_OP_ADD || xk_op(e) == XK_OP_SUB) && xk_dtype_is_int(dt))
        out = regroup_sum(r, e);
    else if (xk_op(e) == XK_OP_AND && dt == XK_DT_BOOL)
        out = regroup_and(r, e);
    if (!out)
        out = xk_pass_map_kids(r->c, e, visit_regroup, r);
    if (!out || !xk_memo_set(&r->done, xk_serial(e), out))
        return NULL;
    return out;
}
