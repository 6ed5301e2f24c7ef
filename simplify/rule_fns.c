/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that need more than a pattern: linear forms of whole sums, vectors,
 * casts. Each gets a node with simplified kids and returns NULL if it has
 * nothing to say. Sub-sums of s32 and s64 are taken to be representable. */
#include "simplify/rules.h"

#include "simplify/sum.h"

static bool is_nowrap_int(const xk_expr *e)
{
    return !xk_type_of(e).space &&
           xk_dtype_nowrap((enum xk_dtype)xk_type_of(e).dt);
}

const xk_expr *xk_constant_of(xk_ctx *c, struct xk_type t, int64_t v)
{
    return xk_bcast(c, xk_imm(c, (enum xk_dtype)t.dt, v), t.lanes);
}

static bool is_elementwise(enum xk_op op)
{
    return op >= XK_OP_ADD && op <= XK_OP_CAST;
}

const xk_expr *xk_rule_hoist_bcast(struct xk_facts *f, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    const unsigned n = xk_n_kids(e);
    const xk_expr *k[3];
    if (t.lanes == 1 || n > 3 || !is_elementwise(xk_op(e)))
        return NULL;
    for (unsigned i = 0; i < n; i++) {
        if (xk_op(xk_kid(e, i)) != XK_OP_BCAST)
            return NULL;
        k[i] = xk_kid(xk_kid(e, i), 0);
    }
    const xk_expr *s;
    if (xk_op(e) == XK_OP_CAST)
        s = xk_cast(f->c, (enum xk_dtype)t.dt, k[0]);
    else if (n == 1)
        s = xk_un(f->c, xk_op(e), k[0]);
    else if (n == 2)
        s = xk_bin(f->c, xk_op(e), k[0], k[1]);
    else
        s = xk_ternary(f->c, xk_op(e), k[0], k[1], k[2]);
    return xk_bcast(f->c, s, t.lanes);
}

/* The sum that e is; false if it has none. */
static bool sum_of_expr(struct xk_facts *f, const xk_expr *e, struct xk_sum *s)
{
    xk_sum_init(s, e);
    return xk_sum_add(f->c, s, e, 1, NULL, NULL);
}

const xk_expr *xk_rule_linear(struct xk_facts *f, const xk_expr *e)
{
    struct xk_sum s;
    return xk_is_int(e) && sum_of_expr(f, e, &s) ? xk_sum_finish(f, &s) : NULL;
}

/* Moves what d divides from r to q, divided. */
static void split_terms(struct xk_sum *r, struct xk_sum *q, int64_t d)
{
    struct xk_linear *const a = &r->l, *const b = &q->l;
    unsigned n = 0;
    for (unsigned i = 0; i < a->n; i++) {
        if (a->coef[i] % d == 0) {
            b->term[b->n] = a->term[i];
            b->coef[b->n++] = a->coef[i] / d;
        } else {
            a->term[n] = a->term[i];
            a->coef[n++] = a->coef[i];
        }
    }
    a->n = n;
    if (r->ramp % d == 0) {
        q->ramp = r->ramp / d;
        r->ramp = 0;
    }
}

static bool is_number(const struct xk_sum *s)
{
    return !s->l.n && !s->ramp;
}

static int64_t coef_gcd(const struct xk_sum *s)
{
    int64_t g = xk_gcd(s->ramp, 0);
    for (unsigned i = 0; i < s->l.n; i++)
        g = xk_gcd(g, s->l.coef[i]);
    return g ? g : 1;
}

static void divide_coefs(struct xk_sum *s, int64_t g)
{
    for (unsigned i = 0; i < s->l.n; i++)
        s->l.coef[i] /= g;
    s->ramp /= g;
}

/* q + r / d */
static const xk_expr *add_quotient(struct xk_facts *f, const xk_expr *e,
                                   struct xk_sum *q, struct xk_sum *r,
                                   int64_t d)
{
    const xk_expr *const top = xk_sum_finish(f, r);
    if (!top)
        return NULL;
    const xk_expr *const quotient =
        d == 1 ? top
               : xk_div(f->c, top, xk_constant_of(f->c, xk_type_of(e), d));
    if (!quotient)
        return NULL;
    if (is_number(q) && !q->l.constant)
        return quotient;
    const xk_expr *const sum = xk_sum_emit(f->c, q);
    return xk_add(f->c, sum, quotient);
}

/* Moves the terms that d is known to divide, by their values, from r to e. */
static void split_multiples(struct xk_facts *f, struct xk_sum *r,
                            struct xk_sum *e, int64_t d)
{
    struct xk_linear *const a = &r->l, *const b = &e->l;
    unsigned n = 0;
    for (unsigned i = 0; i < a->n; i++) {
        const struct xk_info k[] = {xk_info_of(f, a->term[i]),
                                    xk_info_const(a->coef[i])};
        const struct xk_info v = xk_info_op(XK_OP_MUL, XK_DT_S64, k);
        if (v.mod % d == 0 && v.rem % d == 0) {
            b->term[b->n] = a->term[i];
            b->coef[b->n++] = a->coef[i];
        } else {
            a->term[n] = a->term[i];
            a->coef[n++] = a->coef[i];
        }
    }
    a->n = n;
}

/* (multiples of d + r) / d where r / d is known: multiples / d + r / d. */
static const xk_expr *div_known_rest(struct xk_facts *f, const xk_expr *e,
                                     struct xk_sum r, int64_t d)
{
    struct xk_sum multiples, q;
    xk_sum_init(&multiples, e);
    xk_sum_init(&q, e);
    split_multiples(f, &r, &multiples, d);
    if (!multiples.l.n || (is_number(&r) && !r.l.constant))
        return NULL;
    const struct xk_info k[] = {xk_sum_info(f, &r), xk_info_const(d)};
    const struct xk_info v = xk_info_op(XK_OP_DIV, XK_DT_S64, k);
    if (v.mod != 0)
        return NULL;
    q.l.constant = v.rem;
    return add_quotient(f, e, &q, &multiples, d);
}

/* (sum of terms) / d: what d divides comes out of the division. */
const xk_expr *xk_rule_div_linear(struct xk_facts *f, const xk_expr *e)
{
    struct xk_sum r, q;
    int64_t d;
    if (!is_nowrap_int(e) || !xk_is_const(xk_kid(e, 1), &d) || d <= 0 ||
        !sum_of_expr(f, xk_kid(e, 0), &r))
        return NULL;
    xk_sum_init(&q, e);
    split_terms(&r, &q, d);
    if (is_number(&r) || r.l.constant % d == 0) {
        q.l.constant = xk_floor_div(r.l.constant, d);
        r.l.constant = xk_floor_mod(r.l.constant, d);
    }
    if (is_number(&r))
        return xk_sum_finish(f, &q);
    /* The constant rounds down, which floor division allows. */
    const int64_t g = xk_gcd(coef_gcd(&r), d);
    if (is_number(&q) && !q.l.constant && g == 1)
        return div_known_rest(f, e, r, d);
    divide_coefs(&r, g);
    r.l.constant = xk_floor_div(r.l.constant, g);
    return add_quotient(f, e, &q, &r, d / g);
}

/* (sum of terms) % d: multiples of d go away. */
const xk_expr *xk_rule_mod_linear(struct xk_facts *f, const xk_expr *e)
{
    struct xk_sum r, q;
    int64_t d;
    if (!is_nowrap_int(e) || !xk_is_const(xk_kid(e, 1), &d) || d <= 0 ||
        !sum_of_expr(f, xk_kid(e, 0), &r))
        return NULL;
    xk_sum_init(&q, e);
    split_terms(&r, &q, d);
    split_multiples(f, &r, &q, d);
    bool changed = !is_number(&q) || r.l.constant / d || r.ramp / d;
    for (unsigned i = 0; i < r.l.n; i++) {
        changed = changed || r.l.coef[i] / d != 0;
        r.l.coef[i] %= d;
    }
    r.ramp %= d;
    r.l.constant %= d;
    if (!changed)
        return NULL;
    const xk_expr *const top = xk_sum_finish(f, &r);
    return xk_mod(f->c, top, xk_kid(e, 1));
}

/* g * S + k op 0 as S op bound; false if no such bound (== and !=). */
static bool divide_bound(enum xk_op op, int64_t k, int64_t g, int64_t *bound)
{
    int64_t minus_k;
    if (__builtin_sub_overflow((int64_t)0, k, &minus_k))
        return false;
    const bool up = op == XK_OP_LT || op == XK_OP_GE;
    if ((op == XK_OP_EQ || op == XK_OP_NE) && minus_k % g != 0)
        return false;
    *bound = xk_floor_div(minus_k, g) + (up && minus_k % g != 0);
    return true;
}

static void put_side(struct xk_sum *a, struct xk_sum *b, const xk_expr *t,
                     int64_t coef)
{
    struct xk_linear *const to = coef > 0 ? &a->l : &b->l;
    to->term[to->n] = t;
    to->coef[to->n++] = coef > 0 ? coef : -coef;
}

/* sum of terms op bound, with negative terms moved to the right. */
static const xk_expr *build_compare(struct xk_facts *f, enum xk_op op,
                                    const struct xk_sum *d, int64_t bound)
{
    struct xk_sum side[2] = {{.dt = d->dt, .lanes = d->lanes},
                             {.dt = d->dt, .lanes = d->lanes}};
    struct xk_sum *a = &side[0], *b = &side[1];
    for (unsigned i = 0; i < d->l.n; i++)
        put_side(a, b, d->l.term[i], d->l.coef[i]);
    if (d->ramp > 0)
        a->ramp = d->ramp;
    else
        b->ramp = -d->ramp;
    /* The constant goes right, unless it would be alone on the left. */
    if (is_number(a)) {
        a->l.constant = -bound;
        a = &side[1];
        b = &side[0];
        op = xk_compare_swapped(op);
    } else {
        b->l.constant = bound;
    }
    if (is_number(a))
        return NULL;
    const xk_expr *const left = xk_sum_finish(f, a);
    const xk_expr *const right = xk_sum_finish(f, b);
    return xk_bin(f->c, op, left, right);
}

static const xk_expr *bool_constant(struct xk_facts *f, const xk_expr *e,
                                    int64_t v)
{
    return xk_constant_of(f->c, xk_type_of(e), v);
}

static bool has_negative(const struct xk_sum *s)
{
    for (unsigned i = 0; i < s->l.n; i++) {
        if (s->l.coef[i] < 0)
            return true;
    }
    return s->ramp < 0;
}

static unsigned count_terms(const struct xk_sum *s)
{
    return s->l.n + (s->ramp != 0);
}

/* Nothing cancels between the sides a and b with the difference d, and
 * constants and signs are where build_compare puts them. */
static bool is_settled(const struct xk_sum *a, const struct xk_sum *b,
                       const struct xk_sum *d)
{
    return count_terms(d) == count_terms(a) + count_terms(b) &&
           !a->l.constant && !is_number(a) && !has_negative(a) &&
           !has_negative(b);
}

/* d op 0, which is not known, as a compare; NULL if a op b is as good. */
static const xk_expr *normal_compare(struct xk_facts *f, const xk_expr *e,
                                     const struct xk_sum *a,
                                     const struct xk_sum *b, struct xk_sum *d)
{
    const enum xk_op op = xk_op(e);
    const int64_t g = coef_gcd(d);
    int64_t bound;
    for (unsigned i = 0; i < d->l.n; i++) {
        if (d->l.coef[i] == INT64_MIN)
            return NULL;
    }
    if (d->l.constant == INT64_MIN || d->ramp == INT64_MIN)
        return NULL;
    if (!divide_bound(op, d->l.constant, g, &bound))
        return op == XK_OP_EQ || op == XK_OP_NE
                   ? bool_constant(f, e, op == XK_OP_NE)
                   : NULL;
    if (g == 1 && is_settled(a, b, d))
        return NULL;
    divide_coefs(d, g);
    return build_compare(f, op, d, bound);
}

const xk_expr *xk_rule_compare_linear(struct xk_facts *f, const xk_expr *e)
{
    struct xk_sum a, b, d;
    if (!is_nowrap_int(xk_kid(e, 0)) || !sum_of_expr(f, xk_kid(e, 0), &a) ||
        !sum_of_expr(f, xk_kid(e, 1), &b))
        return NULL;
    d = a;
    if (!xk_sum_add(f->c, &d, xk_kid(e, 1), -1, NULL, NULL))
        return NULL;
    const struct xk_info k[] = {xk_sum_info(f, &d), xk_info_const(0)};
    const struct xk_info known = xk_info_op(xk_op(e), XK_DT_S64, k);
    if (known.mod == 0)
        return bool_constant(f, e, known.rem);
    return normal_compare(f, e, &a, &b, &d);
}

const xk_expr *xk_rule_min_linear(struct xk_facts *f, const xk_expr *e)
{
    struct xk_sum d;
    const xk_expr *const a = xk_kid(e, 0), *const b = xk_kid(e, 1);
    if (!is_nowrap_int(e) || !sum_of_expr(f, a, &d) ||
        !xk_sum_add(f->c, &d, b, -1, NULL, NULL))
        return NULL;
    const struct xk_info k = xk_sum_info(f, &d);
    const bool is_min = xk_op(e) == XK_OP_MIN;
    if (k.hi <= 0)
        return is_min ? a : b;
    if (k.lo >= 0)
        return is_min ? b : a;
    return NULL;
}

static const xk_expr *cast_constant(xk_ctx *c, enum xk_dtype to,
                                    const xk_expr *a)
{
    const enum xk_dtype from = (enum xk_dtype)xk_type_of(a).dt;
    if (xk_op(a) == XK_OP_IMM) {
        const int64_t v = xk_imm_value(a);
        if (!xk_dtype_is_float(to))
            return xk_imm(c, to, v);
        if (from == XK_DT_U64 && v < 0)
            return NULL;
        /* Exact as a double, so there is one rounding only. */
        if (v > (int64_t)1 << 53 || v < -((int64_t)1 << 53))
            return NULL;
        return xk_fimm(c, to, (double)v);
    }
    const double v = xk_fimm_value(a);
    if (xk_dtype_is_float(to)) {
        /* double to half goes through float: only exact values are safe. */
        const bool safe = from != XK_DT_F64 || to == XK_DT_F32;
        return safe ? xk_fimm(c, to, v) : NULL;
    }
    if (to == XK_DT_BOOL || !(v > -2147483648.0 && v < 2147483647.0))
        return NULL;
    const int64_t i = (int64_t)v;
    return xk_imm_wrap(to, i) == i ? xk_imm(c, to, i) : NULL;
}

static bool all_within(struct xk_facts *f, const xk_expr *e, enum xk_dtype dt)
{
    const struct xk_info a = xk_info_of(f, e), t = xk_info_type(dt);
    if (xk_type_of(e).dt == XK_DT_U64 && a.hi == XK_INF_HI)
        return dt == XK_DT_U64;
    return a.lo >= t.lo && a.hi <= t.hi;
}

/* Two casts of integers: the inner one changes nothing, or the outer one
 * throws away what it changed. */
static const xk_expr *cast_of_cast(struct xk_facts *f, enum xk_dtype to,
                                   const xk_expr *inner)
{
    const xk_expr *const x = xk_kid(inner, 0);
    const enum xk_dtype mid = (enum xk_dtype)xk_type_of(inner).dt;
    const enum xk_dtype from = (enum xk_dtype)xk_type_of(x).dt;
    if (!xk_dtype_is_int(mid) || !xk_dtype_is_int(from))
        return NULL;
    const bool cut =
        xk_dtype_is_int(to) && xk_dtype_bits(to) <= xk_dtype_bits(mid);
    return cut || all_within(f, x, mid) ? xk_cast(f->c, to, x) : NULL;
}

const xk_expr *xk_rule_cast(struct xk_facts *f, const xk_expr *e)
{
    xk_ctx *const c = f->c;
    const xk_expr *const a = xk_kid(e, 0);
    const enum xk_dtype to = (enum xk_dtype)xk_type_of(e).dt;
    switch (xk_op(a)) {
    case XK_OP_IMM:
    case XK_OP_FIMM:
        return cast_constant(c, to, a);
    case XK_OP_CAST:
        return cast_of_cast(f, to, a);
    case XK_OP_RAMP:
        if (!is_nowrap_int(a) || !xk_dtype_nowrap(to) ||
            (to == XK_DT_S32 && !all_within(f, a, to)))
            return NULL;
        return xk_ramp(c, xk_cast(c, to, xk_kid(a, 0)),
                       xk_cast(c, to, xk_kid(a, 1)), xk_type_of(a).lanes);
    default:
        return NULL;
    }
}

static const xk_expr *shuffle_of_shuffle(xk_ctx *c, const xk_expr *e)
{
    uint16_t index[1024];
    const unsigned n = xk_type_of(e).lanes;
    const xk_expr *const a = xk_kid(e, 0);
    for (unsigned i = 0; i < n; i++)
        index[i] = (uint16_t)xk_shuffle_index(a, xk_shuffle_index(e, i));
    return xk_shuffle(c, xk_kid(a, 0), index, n);
}

/* True if index i is first + step * i. */
static bool is_progression(const xk_expr *e, int64_t *first, int64_t *step)
{
    const unsigned n = xk_type_of(e).lanes;
    *first = xk_shuffle_index(e, 0);
    *step = n > 1 ? (int64_t)xk_shuffle_index(e, 1) - *first : 0;
    for (unsigned i = 0; i < n; i++) {
        if (xk_shuffle_index(e, i) != *first + *step * i)
            return false;
    }
    return true;
}

static const xk_expr *shuffle_of_ramp(xk_ctx *c, const xk_expr *e)
{
    int64_t first, step;
    const xk_expr *const a = xk_kid(e, 0);
    const struct xk_type t = xk_type_of(e);
    const enum xk_dtype dt = (enum xk_dtype)t.dt;
    if (!is_progression(e, &first, &step))
        return NULL;
    const xk_expr *const stride = xk_kid(a, 1);
    const xk_expr *const base =
        xk_add(c, xk_kid(a, 0), xk_mul(c, stride, xk_imm(c, dt, first)));
    if (step == 0)
        return xk_bcast(c, base, t.lanes);
    return xk_ramp(c, base, xk_mul(c, stride, xk_imm(c, dt, step)), t.lanes);
}

const xk_expr *xk_rule_shuffle(struct xk_facts *f, const xk_expr *e)
{
    int64_t first, step;
    const xk_expr *const a = xk_kid(e, 0);
    const unsigned n = xk_type_of(e).lanes;
    if (e->type == a->type && is_progression(e, &first, &step) && first == 0 &&
        (step == 1 || n == 1))
        return a;
    switch (xk_op(a)) {
    case XK_OP_BCAST:
        return xk_bcast(f->c, xk_kid(a, 0), n);
    case XK_OP_RAMP:
        return shuffle_of_ramp(f->c, e);
    case XK_OP_SHUFFLE:
        return shuffle_of_shuffle(f->c, e);
    default:
        return xk_type_of(a).lanes == 1 ? xk_bcast(f->c, a, n) : NULL;
    }
}
