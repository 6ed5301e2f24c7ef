/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products with constants. A vector sum consists of vector terms,
 * broadcast scalar terms, and the unit ramp (0, 1, 2, ...), so that
 * ramp(a, 4) + bcast(b) becomes ramp(a + b, 4).
 *
 * In s32 and s64 an overflow of a coefficient gives up; the other types wrap,
 * there coefficients are kept as signed numbers of the type's width. */
#include "simplify/sum.h"

#include <limits.h>

#include "simplify/rules.h"

enum { MAX_VISITS = 400 };

struct collector {
    xk_ctx *c;
    struct xk_sum *s;
    xk_leaf_fn leaf; /* NULL: terms are taken as they are */
    void *user;
    unsigned fuel; /* visits left: shared sums must not take forever */
    bool wraps;
};

static bool collect_terms(struct collector *k, const xk_expr *e, int64_t coef);

/* The signed number of dt's width that is congruent to v. */
static int64_t wrap_signed(enum xk_dtype dt, int64_t v)
{
    const unsigned shift = 64 - xk_dtype_bits(dt);
    return (int64_t)((uint64_t)v << shift) >> shift;
}

static bool mul_coef(const struct collector *k, int64_t a, int64_t b,
                     int64_t *out)
{
    if (!k->wraps)
        return !__builtin_mul_overflow(a, b, out);
    *out = wrap_signed(k->s->dt, (int64_t)((uint64_t)a * (uint64_t)b));
    return true;
}

static bool add_coef(const struct collector *k, int64_t a, int64_t b,
                     int64_t *out)
{
    if (!k->wraps)
        return !__builtin_add_overflow(a, b, out);
    *out = wrap_signed(k->s->dt, (int64_t)((uint64_t)a + (uint64_t)b));
    return true;
}

static bool add_linear_term(struct collector *k, const xk_expr *t, int64_t coef)
{
    struct xk_linear *const l = &k->s->l;
    if (!t)
        return false;
    for (unsigned i = 0; i < l->n; i++) {
        if (l->term[i] == t)
            return add_coef(k, l->coef[i], coef, &l->coef[i]);
    }
    if (l->n == XK_LINEAR_MAX)
        return false;
    l->term[l->n] = t;
    l->coef[l->n++] = coef;
    return true;
}

/* A term that is not a sum: simplified first, which may make it one. */
static bool add_leaf(struct collector *k, const xk_expr *e, int64_t coef)
{
    if (!k->leaf)
        return add_linear_term(k, e, coef);
    const xk_expr *const r = k->leaf(k->user, e);
    const xk_leaf_fn leaf = k->leaf;
    if (r == e)
        return add_linear_term(k, e, coef);
    if (!r)
        return false;
    k->leaf = NULL;
    const bool ok = collect_terms(k, r, coef);
    k->leaf = leaf;
    return ok;
}

static bool collect_ramp(struct collector *k, const xk_expr *e, int64_t coef)
{
    const xk_expr *stride = xk_kid(e, 1);
    int64_t s;
    if (!collect_terms(k, xk_kid(e, 0), coef))
        return false;
    if (k->leaf)
        stride = k->leaf(k->user, stride);
    if (!stride)
        return false;
    if (xk_op(stride) == XK_OP_IMM)
        return mul_coef(k, coef, xk_imm_value(stride), &s) &&
               add_coef(k, k->s->ramp, s, &k->s->ramp);
    const xk_expr *const zero = xk_imm(k->c, k->s->dt, 0);
    return add_linear_term(k, xk_ramp(k->c, zero, stride, k->s->lanes), coef);
}

const xk_expr *xk_linear_strip(const xk_expr *e, int64_t *coef)
{
    *coef = 1;
    if (xk_op(e) == XK_OP_NEG) {
        *coef = -1;
        return xk_kid(e, 0);
    }
    if (xk_op(e) == XK_OP_MUL && xk_is_const(xk_kid(e, 1), coef))
        return xk_kid(e, 0);
    return e;
}

/* Product of two that are not constants: their factors come out. */
static bool collect_product(struct collector *k, const xk_expr *e, int64_t coef)
{
    int64_t ca, cb;
    if (k->leaf)
        return add_leaf(k, e, coef);
    const xk_expr *a = xk_linear_strip(xk_kid(e, 0), &ca);
    const xk_expr *b = xk_linear_strip(xk_kid(e, 1), &cb);
    if (!mul_coef(k, coef, ca, &coef) || !mul_coef(k, coef, cb, &coef))
        return false;
    if (xk_expr_cmp(a, b) > 0) {
        const xk_expr *const t = a;
        a = b;
        b = t;
    }
    if (a == xk_kid(e, 0) && b == xk_kid(e, 1))
        return add_linear_term(k, e, coef);
    return add_linear_term(k, xk_mul(k->c, a, b), coef);
}

static bool collect_mul(struct collector *k, const xk_expr *e, int64_t coef)
{
    int64_t v;
    unsigned other;
    if (xk_is_const(xk_kid(e, 1), &v))
        other = 0;
    else if (xk_is_const(xk_kid(e, 0), &v))
        other = 1;
    else
        return collect_product(k, e, coef);
    return mul_coef(k, coef, v, &v) && collect_terms(k, xk_kid(e, other), v);
}

static bool collect_shl(struct collector *k, const xk_expr *e, int64_t coef)
{
    int64_t v;
    if (!xk_is_const(xk_kid(e, 1), &v) || v < 0 ||
        v >= xk_dtype_bits(k->s->dt) - 1)
        return add_leaf(k, e, coef);
    return mul_coef(k, coef, (int64_t)1 << v, &v) &&
           collect_terms(k, xk_kid(e, 0), v);
}

static bool collect_terms(struct collector *k, const xk_expr *e, int64_t coef)
{
    int64_t v;
    if (!k->fuel--)
        return false;
    switch (xk_op(e)) {
    case XK_OP_IMM:
        return mul_coef(k, coef, xk_imm_value(e), &v) &&
               add_coef(k, k->s->l.constant, v, &k->s->l.constant);
    case XK_OP_ADD:
        return collect_terms(k, xk_kid(e, 0), coef) &&
               collect_terms(k, xk_kid(e, 1), coef);
    case XK_OP_SUB:
        return collect_terms(k, xk_kid(e, 0), coef) &&
               mul_coef(k, coef, -1, &v) && collect_terms(k, xk_kid(e, 1), v);
    case XK_OP_NEG:
        return mul_coef(k, coef, -1, &v) && collect_terms(k, xk_kid(e, 0), v);
    case XK_OP_MUL:
        return collect_mul(k, e, coef);
    case XK_OP_SHL:
        return collect_shl(k, e, coef);
    case XK_OP_BCAST:
        return collect_terms(k, xk_kid(e, 0), coef);
    case XK_OP_RAMP:
        return collect_ramp(k, e, coef);
    default:
        return add_leaf(k, e, coef);
    }
}

static void remove_term(struct xk_linear *l, unsigned i)
{
    l->n--;
    l->term[i] = l->term[l->n];
    l->coef[i] = l->coef[l->n];
}

/* Whether x and y have the same remainder of `by`, since multiples of it are
 * all that they differ in. */
static bool are_congruent(xk_ctx *c, const xk_expr *x, const xk_expr *y,
                          int64_t by)
{
    struct xk_linear d;
    if (x == y)
        return true;
    if (!xk_linear_from(c, xk_sub(c, x, y), &d) || d.constant % by != 0)
        return false;
    for (unsigned i = 0; i < d.n; i++)
        if (d.coef[i] % by != 0)
            return false;
    return true;
}

/* For x % c, where x is y / b or y, and a term z / (b * c) of a z that has y's
 * remainder: z / b, which has that of x. NULL: it is none. */
static const xk_expr *dividend(xk_ctx *ctx, const xk_expr *mod, int64_t c,
                               const xk_expr *term)
{
    const xk_expr *y = xk_kid(mod, 0), *z;
    int64_t b = 1, by, all;
    if (xk_op(term) != XK_OP_DIV || !xk_is_const(xk_kid(term, 1), &by) ||
        c <= 0)
        return NULL;
    if (by != c && xk_op(y) == XK_OP_DIV && xk_is_const(xk_kid(y, 1), &b))
        y = xk_kid(y, 0);
    z = xk_kid(term, 0);
    if (b <= 0 || __builtin_mul_overflow(b, c, &all) || by != all ||
        !are_congruent(ctx, z, y, all))
        return NULL;
    return b == 1 ? z : xk_bin_imm(ctx, XK_OP_DIV, z, b);
}

/* (x / c) * (c * m) + (x % c) * m is x * m. One change a call. */
static bool merge_div_mod(struct collector *k, bool *changed)
{
    struct xk_linear *const l = &k->s->l;
    for (unsigned i = 0; i < l->n; i++) {
        const xk_expr *const t = l->term[i];
        const int64_t m = l->coef[i];
        int64_t c, want;
        if (xk_op(t) != XK_OP_MOD || !xk_is_const(xk_kid(t, 1), &c) ||
            __builtin_mul_overflow(c, m, &want))
            continue;
        for (unsigned j = 0; j < l->n; j++) {
            const xk_expr *const x =
                l->coef[j] == want ? dividend(k->c, t, c, l->term[j]) : NULL;
            if (!x)
                continue;
            const unsigned last = i > j ? i : j;
            remove_term(l, last);
            remove_term(l, i + j - last);
            *changed = true;
            return collect_terms(k, x, m);
        }
    }
    return true;
}

/* x * m - (x / c) * (c * m) is (x % c) * m. One change a call. */
static bool merge_x_div(struct collector *k, bool *changed)
{
    struct xk_linear *const l = &k->s->l;
    for (unsigned i = 0; i < l->n; i++) {
        const xk_expr *const t = l->term[i];
        int64_t c, want;
        if (xk_op(t) != XK_OP_DIV || !xk_is_const(xk_kid(t, 1), &c) || !c ||
            c == INT64_MIN)
            continue;
        for (unsigned j = 0; j < l->n; j++) {
            if (l->term[j] != xk_kid(t, 0) ||
                __builtin_mul_overflow(-c, l->coef[j], &want) ||
                l->coef[i] != want)
                continue;
            const int64_t m = l->coef[j];
            const unsigned last = i > j ? i : j;
            remove_term(l, last);
            remove_term(l, i + j - last);
            *changed = true;
            return add_linear_term(k, xk_mod(k->c, xk_kid(t, 0), xk_kid(t, 1)),
                                   m);
        }
    }
    return true;
}

static bool merge_terms(struct collector *k)
{
    bool changed = true;
    while (changed && !k->wraps && k->s->l.n > 1) {
        changed = false;
        if (!merge_div_mod(k, &changed) ||
            (!changed && !merge_x_div(k, &changed)))
            return false;
    }
    return true;
}

static void sort_terms(struct xk_linear *l)
{
    unsigned n = 0;
    for (unsigned i = 0; i < l->n; i++) {
        const xk_expr *const t = l->term[i];
        const int64_t coef = l->coef[i];
        unsigned j = n;
        if (!coef)
            continue;
        for (; j > 0 && xk_expr_cmp(l->term[j - 1], t) > 0; j--) {
            l->term[j] = l->term[j - 1];
            l->coef[j] = l->coef[j - 1];
        }
        l->term[j] = t;
        l->coef[j] = coef;
        n++;
    }
    l->n = n;
}

bool xk_is_int(const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    return !t.space && xk_dtype_is_int((enum xk_dtype)t.dt);
}

void xk_sum_init(struct xk_sum *s, const xk_expr *e)
{
    s->l.n = 0;
    s->l.constant = 0;
    s->ramp = 0;
    s->dt = (enum xk_dtype)xk_type_of(e).dt;
    s->lanes = xk_type_of(e).lanes;
}

bool xk_sum_add(xk_ctx *c, struct xk_sum *s, const xk_expr *e, int64_t coef,
                xk_leaf_fn leaf, void *user)
{
    struct collector k = {.c = c,
                          .s = s,
                          .leaf = leaf,
                          .user = user,
                          .fuel = MAX_VISITS,
                          .wraps = !xk_dtype_nowrap(s->dt)};
    if (!collect_terms(&k, e, coef))
        return false;
    k.leaf = NULL;
    if (!merge_terms(&k))
        return false;
    sort_terms(&s->l);
    return true;
}

bool xk_linear_from(xk_ctx *c, const xk_expr *e, struct xk_linear *out)
{
    struct xk_sum s;
    out->n = 0;
    out->constant = 0;
    if (!e || !xk_is_int(e))
        return false;
    xk_sum_init(&s, e);
    if (!xk_sum_add(c, &s, e, 1, NULL, NULL))
        return false;
    *out = s.l;
    for (unsigned i = 0; i < out->n; i++) {
        if (xk_type_of(out->term[i]).lanes != s.lanes)
            out->term[i] = xk_bcast(c, out->term[i], s.lanes);
        if (!out->term[i])
            return false;
    }
    if (!s.ramp)
        return true;
    if (out->n == XK_LINEAR_MAX)
        return false;
    out->coef[out->n] = s.ramp;
    out->term[out->n] =
        xk_ramp(c, xk_imm(c, s.dt, 0), xk_imm(c, s.dt, 1), s.lanes);
    return out->term[out->n++] != NULL;
}

struct emitter {
    xk_ctx *c;
    enum xk_dtype dt;
    unsigned lanes;
    const xk_expr *acc; /* NULL: nothing yet */
    bool failed;        /* out of memory on the way */
};

static bool fits_type(enum xk_dtype dt, int64_t v)
{
    return !xk_dtype_nowrap(dt) || xk_imm_wrap(dt, v) == v;
}

/* coef * t is added; coef > 0, or the smallest number of its type. */
static const xk_expr *scaled_term(const struct emitter *m, const xk_expr *t,
                                  int64_t coef)
{
    if (coef == 1)
        return t;
    return xk_mul(m->c, t, xk_bcast(m->c, xk_imm(m->c, m->dt, coef), m->lanes));
}

static void emit_term(struct emitter *m, const xk_expr *t, int64_t coef)
{
    if (m->failed)
        return;
    if (!m->acc)
        m->acc =
            coef == -1 ? xk_un(m->c, XK_OP_NEG, t) : scaled_term(m, t, coef);
    else if (coef < 0 && coef != INT64_MIN && fits_type(m->dt, -coef))
        m->acc = xk_sub(m->c, m->acc, scaled_term(m, t, -coef));
    else
        m->acc = xk_add(m->c, m->acc, scaled_term(m, t, coef));
    m->failed = !m->acc;
}

static void emit_constant(struct emitter *m, int64_t v)
{
    const bool minus =
        m->acc && v < 0 && v != INT64_MIN && fits_type(m->dt, -v);
    const xk_expr *const k =
        xk_bcast(m->c, xk_imm(m->c, m->dt, minus ? -v : v), m->lanes);
    if (m->failed)
        return;
    if (!m->acc)
        m->acc = k;
    else
        m->acc = minus ? xk_sub(m->c, m->acc, k) : xk_add(m->c, m->acc, k);
    m->failed = !m->acc;
}

static void emit_signed(struct emitter *m, const struct xk_linear *l,
                        bool negative)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (l->coef[i] && (l->coef[i] < 0) == negative)
            emit_term(m, l->term[i], l->coef[i]);
    }
}

static const xk_expr *scalar_sum(xk_ctx *c, enum xk_dtype dt,
                                 const struct xk_linear *l)
{
    struct emitter m = {c, dt, 1, NULL, false};
    bool constant_done = l->constant == 0;
    emit_signed(&m, l, false);
    if (!m.acc && !constant_done) {
        emit_constant(&m, l->constant);
        constant_done = true;
    }
    emit_signed(&m, l, true);
    if (!constant_done || !m.acc)
        emit_constant(&m, l->constant);
    return m.acc;
}

/* The scalar terms and the constant go to scalar, the others to vector. */
static void split_vector(const struct xk_sum *s, struct xk_linear *vector,
                         struct xk_linear *scalar)
{
    vector->n = scalar->n = 0;
    vector->constant = 0;
    scalar->constant = s->l.constant;
    for (unsigned i = 0; i < s->l.n; i++) {
        const xk_expr *const t = s->l.term[i];
        struct xk_linear *const to = xk_type_of(t).lanes == 1 ? scalar : vector;
        to->term[to->n] = t;
        to->coef[to->n++] = s->l.coef[i];
    }
}

/* Whether every term is negative and so can be subtracted: then the terms are
 * positive. Nothing else changes. */
static bool negate_terms(enum xk_dtype dt, struct xk_linear *l)
{
    if (l->constant)
        return false;
    for (unsigned i = 0; i < l->n; i++)
        if (l->coef[i] >= 0 || l->coef[i] == INT64_MIN ||
            !fits_type(dt, -l->coef[i]))
            return false;
    for (unsigned i = 0; i < l->n; i++)
        l->coef[i] = -l->coef[i];
    return true;
}

/* Scalars, the constant and the ramp join the vector's positive terms. */
static void emit_rest(struct emitter *m, const struct xk_sum *s,
                      struct xk_linear *scalar)
{
    const bool minus = m->acc && !s->ramp && negate_terms(s->dt, scalar);
    const xk_expr *rest = scalar_sum(m->c, s->dt, scalar);
    rest = s->ramp ? xk_ramp(m->c, rest, xk_imm(m->c, s->dt, s->ramp), s->lanes)
                   : xk_bcast(m->c, rest, s->lanes);
    emit_term(m, rest, minus ? -1 : 1);
}

static const xk_expr *vector_sum(xk_ctx *c, const struct xk_sum *s)
{
    struct xk_linear vector, scalar;
    split_vector(s, &vector, &scalar);
    struct emitter m = {c, s->dt, s->lanes, NULL, false};
    emit_signed(&m, &vector, false);
    if (!s->ramp && !scalar.n && (m.acc || !vector.n)) {
        emit_signed(&m, &vector, true);
        if (!m.acc || scalar.constant)
            emit_constant(&m, scalar.constant);
        return m.acc;
    }
    if (s->ramp || scalar.n || scalar.constant)
        emit_rest(&m, s, &scalar);
    emit_signed(&m, &vector, true);
    return m.acc;
}

const xk_expr *xk_sum_emit(xk_ctx *c, const struct xk_sum *s)
{
    if (!fits_type(s->dt, s->l.constant) || !fits_type(s->dt, s->ramp))
        return NULL;
    for (unsigned i = 0; i < s->l.n; i++) {
        if (!fits_type(s->dt, s->l.coef[i]))
            return NULL;
    }
    return s->lanes == 1 ? scalar_sum(c, s->dt, &s->l) : vector_sum(c, s);
}

struct xk_info xk_sum_info(struct xk_facts *f, const struct xk_sum *s)
{
    struct xk_info sum = xk_info_const(s->l.constant);
    for (unsigned i = 0; i < s->l.n; i++) {
        const struct xk_info p[] = {xk_info_of(f, s->l.term[i]),
                                    xk_info_const(s->l.coef[i])};
        const struct xk_info a[] = {sum, xk_info_op(XK_OP_MUL, XK_DT_S64, p)};
        sum = xk_info_op(XK_OP_ADD, XK_DT_S64, a);
    }
    if (!s->ramp)
        return sum;
    const struct xk_info lane = {0, s->lanes - 1, 1, 0};
    const struct xk_info p[] = {lane, xk_info_const(s->ramp)};
    const struct xk_info a[] = {sum, xk_info_op(XK_OP_MUL, XK_DT_S64, p)};
    return xk_info_op(XK_OP_ADD, XK_DT_S64, a);
}

const xk_expr *xk_linear_to(xk_ctx *c, enum xk_dtype dt, unsigned lanes,
                            const struct xk_linear *l)
{
    struct xk_sum s = {
        .l = {.n = 0, .constant = l->constant}, .dt = dt, .lanes = lanes};
    struct collector k = {
        .c = c, .s = &s, .fuel = MAX_VISITS, .wraps = !xk_dtype_nowrap(dt)};
    for (unsigned i = 0; i < l->n; i++) {
        if (!l->term[i] || !collect_terms(&k, l->term[i], l->coef[i]))
            return NULL;
    }
    sort_terms(&s.l);
    return xk_sum_emit(c, &s);
}

/* What the sum is, if its range says so; NULL otherwise. */
static const xk_expr *known_constant(xk_ctx *c, const struct xk_sum *s,
                                     struct xk_info i)
{
    if (i.mod != 0 || !fits_type(s->dt, i.rem))
        return NULL;
    return xk_bcast(c, xk_imm(c, s->dt, i.rem), s->lanes);
}

/* Whether (x / c) * coef is x * (coef / c), as far as ranges know. */
static bool is_exact_division(struct xk_facts *f, const xk_expr *t,
                              int64_t coef, int64_t *c)
{
    if (xk_op(t) != XK_OP_DIV || !xk_is_const(xk_kid(t, 1), c) || *c <= 0 ||
        coef % *c != 0)
        return false;
    const struct xk_info x = xk_info_of(f, xk_kid(t, 0));
    return x.mod % *c == 0 && x.rem % *c == 0;
}

/* Puts x for exact (x / c) * c. */
static bool undo_divisions(struct xk_facts *f, struct xk_sum *s)
{
    for (unsigned i = 0; i < s->l.n; i++) {
        int64_t c;
        const xk_expr *const t = s->l.term[i];
        const int64_t coef = s->l.coef[i];
        if (!is_exact_division(f, t, coef, &c))
            continue;
        remove_term(&s->l, i);
        if (!xk_sum_add(f->c, s, xk_kid(t, 0), coef / c, NULL, NULL))
            return false;
        i = UINT_MAX; /* from the start: the terms were sorted anew */
    }
    return true;
}

const xk_expr *xk_sum_finish(struct xk_facts *f, struct xk_sum *s)
{
    const bool nowrap = xk_dtype_nowrap(s->dt);
    struct xk_info i = {0, 0, 1, 0};
    if (nowrap) {
        if (!undo_divisions(f, s))
            return NULL;
        i = xk_sum_info(f, s);
        const xk_expr *const k = known_constant(f->c, s, i);
        if (k)
            return k;
    }
    const xk_expr *const r = xk_sum_emit(f->c, s);
    if (!r)
        return NULL;
    if (nowrap && xk_n_kids(r))
        xk_facts_remember(f, xk_serial(r), i);
    if (f->done && !xk_memo_set(f->done, xk_serial(r), r))
        return NULL;
    return r;
}
