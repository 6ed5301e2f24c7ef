/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over an index that was taken apart. A merged index x is unpacked into
 * digits (x / c) % n, each of which is multiplied by its stride:
 *
 *   (x / 3136) * A + (x / 56 % 56) * B + (x % 56) * C
 *
 * With x % 56 = x - (x / 56) * 56 and so on that is
 *
 *   x * C + (x / 56) * (B - 56 * C) + (x / 3136) * (A - 56 * B)
 *
 * in which what is dense in memory drops out. It is taken where it leaves fewer
 * products and no coefficient is negative: then every part is at most what the
 * whole was, and nothing can leave s32 that did not before.
 *
 * Loop-carried addresses are reduced to additions by the header pass. */
#include "passes/walk.h"

enum { MAX_TERMS = 24 };

/* coef * (x / div), or with mod > 0 of that modulo mod; div 1: x itself. */
struct quotient {
    const xk_expr *x;
    int64_t div, coef, mod;
};

struct sum {
    unsigned n_plain, n_digits, n_quot;
    struct {
        const xk_expr *e;
        int64_t coef;
    } plain[MAX_TERMS];
    struct quotient quot[MAX_TERMS];
    int64_t constant;
    bool overflow;
};

/* (x / div) % mod; mod 0: x / div. */
struct digit {
    const xk_expr *x;
    int64_t div, mod;
};

struct pass {
    xk_ctx *c;
    struct xk_memo lets; /* variable: value of its LET */
    struct xk_memo done;
};

/* The value of a let that is a quotient or a remainder; else e. */
static const xk_expr *quotient_value(struct pass *p, const xk_expr *e)
{
    const void *v;
    if (xk_op(e) != XK_OP_VAR || !xk_memo_get(&p->lets, xk_serial(e), &v))
        return e;
    const enum xk_op op = xk_op((const xk_expr *)v);
    return op == XK_OP_DIV || op == XK_OP_MOD ? v : e;
}

static bool by_constant(const xk_expr *e, enum xk_op op, int64_t *k)
{
    return xk_op(e) == op && xk_is_const(xk_kid(e, 1), k) && *k > 0 &&
           *k <= INT32_MAX;
}

static bool is_div_mod(struct pass *p, const xk_expr *e, struct digit *d)
{
    e = quotient_value(p, e);
    *d = (struct digit){.div = 1};
    if (by_constant(e, XK_OP_MOD, &d->mod))
        e = quotient_value(p, xk_kid(e, 0));
    d->x = e;
    if (by_constant(e, XK_OP_DIV, &d->div))
        d->x = xk_kid(e, 0);
    return d->mod > 0 || d->div > 1;
}

static void add_quotient_term(struct sum *s, const xk_expr *x, int64_t div,
                              int64_t coef)
{
    for (unsigned i = 0; i < s->n_quot; i++)
        if (s->quot[i].x == x && s->quot[i].div == div) {
            s->quot[i].coef += coef;
            return;
        }
    if (s->n_quot == MAX_TERMS)
        s->overflow = true;
    else
        s->quot[s->n_quot++] = (struct quotient){x, div, coef, 0};
}

static void add_strength_term(struct pass *p, struct sum *s, const xk_expr *e,
                              int64_t coef)
{
    struct digit d;
    if (is_div_mod(p, e, &d)) {
        s->n_digits++;
        add_quotient_term(s, d.x, d.div, coef);
        if (d.mod)
            add_quotient_term(s, d.x, d.div * d.mod, -coef * d.mod);
        s->overflow |= d.mod && d.div * d.mod > INT32_MAX;
    } else if (s->n_plain == MAX_TERMS) {
        s->overflow = true;
    } else {
        s->plain[s->n_plain].e = e;
        s->plain[s->n_plain++].coef = coef;
    }
}

static void gather_sum(struct pass *p, struct sum *s, const xk_expr *e,
                       int64_t coef)
{
    int64_t k;
    s->overflow |= coef > INT32_MAX || coef < INT32_MIN;
    if (s->overflow)
        return;
    if (xk_is_const(e, &k)) {
        s->constant += coef * k;
        return;
    }
    switch (xk_op(e)) {
    case XK_OP_ADD:
    case XK_OP_SUB:
        gather_sum(p, s, xk_kid(e, 0), coef);
        gather_sum(p, s, xk_kid(e, 1), xk_op(e) == XK_OP_SUB ? -coef : coef);
        return;
    case XK_OP_MUL:
        if (xk_is_const(xk_kid(e, 1), &k) && k >= INT32_MIN && k <= INT32_MAX) {
            gather_sum(p, s, xk_kid(e, 0), coef * k);
            return;
        }
        break;
    default:
        break;
    }
    add_strength_term(p, s, e, coef);
}

/* C * (x / a) - C * n * (x / (a * n)) is C times a remainder. */
static void make_remainders(struct sum *s)
{
    for (unsigned i = 0; i < s->n_quot; i++)
        for (unsigned k = 0; k < s->n_quot; k++) {
            struct quotient *const q = &s->quot[i], *const less = &s->quot[k];
            if (q->x != less->x || q->mod || q->coef <= 0 || less->coef >= 0 ||
                less->div <= q->div || less->div % q->div ||
                less->coef != -q->coef * (less->div / q->div))
                continue;
            q->mod = less->div / q->div;
            less->coef = 0;
        }
}

static bool pays(struct sum *s)
{
    unsigned n = 0;
    if (s->overflow || s->n_digits < 2)
        return false;
    make_remainders(s);
    for (unsigned i = 0; i < s->n_quot; i++) {
        if (s->quot[i].coef < 0 || s->quot[i].coef > INT32_MAX)
            return false;
        n += s->quot[i].coef != 0;
    }
    return n < s->n_digits;
}

static const xk_expr *rewrite_strength(void *user, const xk_expr *e);

static const xk_expr *plus_term(struct pass *p, const xk_expr *acc,
                                const xk_expr *e, int64_t coef)
{
    const bool minus = acc && coef < 0;
    const int64_t k = minus ? -coef : coef;
    if (!e || !k)
        return e ? acc : NULL;
    if (k != 1)
        e = xk_bin_imm(p->c, XK_OP_MUL, e, k);
    if (!acc)
        return e;
    return minus ? xk_sub(p->c, acc, e) : xk_add(p->c, acc, e);
}

static const xk_expr *rebuilt(struct pass *p, const struct sum *s,
                              unsigned lanes)
{
    const xk_expr *acc = NULL;
    for (unsigned i = 0; i < s->n_quot; i++) {
        const struct quotient *const q = &s->quot[i];
        const xk_expr *x = q->x;
        if (q->div > 1)
            x = xk_bin_imm(p->c, XK_OP_DIV, x, q->div);
        if (q->mod)
            x = xk_bin_imm(p->c, XK_OP_MOD, x, q->mod);
        acc = plus_term(p, acc, rewrite_strength(p, x), q->coef);
    }
    for (unsigned i = 0; i < s->n_plain; i++)
        acc = plus_term(p, acc, rewrite_strength(p, s->plain[i].e),
                        s->plain[i].coef);
    const bool minus = acc && s->constant < 0;
    const xk_expr *const k =
        xk_bcast(p->c, xk_s32(p->c, minus ? -s->constant : s->constant), lanes);
    return s->constant || !acc ? plus_term(p, acc, k, minus ? -1 : 1) : acc;
}

static const xk_expr *rewrite_sum(struct pass *p, const xk_expr *e)
{
    struct sum s;
    s.n_plain = s.n_digits = s.n_quot = 0;
    s.constant = 0;
    s.overflow = false;
    gather_sum(p, &s, e, 1);
    s.overflow |= s.constant > INT32_MAX || s.constant < -INT32_MAX;
    return pays(&s) ? rebuilt(p, &s, xk_type_of(e).lanes)
                    : xk_pass_map_kids(p->c, e, rewrite_strength, p);
}

static const xk_expr *rewrite_strength(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    const void *known;
    if (!e || !xk_has(e, XK_HAS_SUM))
        return e;
    if (xk_op(e) == XK_OP_LET)
        xk_memo_set(&p->lets, xk_serial(xk_kid(e, 0)), xk_kid(e, 1));
    if (!xk_is_expr(e))
        return xk_pass_map_kids(p->c, e, rewrite_strength, p);
    if (xk_memo_get(&p->done, xk_serial(e), &known))
        return known;
    const bool is_sum = (xk_op(e) == XK_OP_ADD || xk_op(e) == XK_OP_SUB) &&
                        xk_type_of(e).dt == XK_DT_S32;
    const xk_expr *const out =
        is_sum ? rewrite_sum(p, e)
               : xk_pass_map_kids(p->c, e, rewrite_strength, p);
    if (!out || !xk_memo_set(&p->done, xk_serial(e), out))
        return NULL;
    return out;
}

enum xk_status xk_pass_strength(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env)
{
    struct pass p = {.c = c};
    (void)env;
    xk_memo_init(&p.lets, c);
    xk_memo_init(&p.done, c);
    const xk_stmt *const body = rewrite_strength(&p, k->body);
    xk_memo_fini(&p.done);
    xk_memo_fini(&p.lets);
    return xk_pass_end(c, k, body);
}
