/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: bottom up with a memo by serial, to a fixpoint at each node.
 * Order at a node: constant by range, constant by folding, canonical operand
 * order, then the rules. Termination: text rules lower the cost, the rules in C
 * reach a normal form; a step budget backs that up. */
#include "simplify/simplify.h"

#include "ir/memo.h"
#include "simplify/rules.h"
#include "simplify/sum.h"

enum { MAX_STEPS = 64, MAX_DEPTH = 1000 };

struct driver {
    xk_ctx *c;
    struct xk_facts *f;
    struct xk_memo memo; /* sums in their final form */
    unsigned depth;
    /* Statements around the one that is visited: for each its kids, then it. */
    const xk_expr **around;
    uint32_t n_around, cap_around;
};

static const xk_expr *simplify(struct driver *d, const xk_expr *e);

static bool is_count(struct xk_type t)
{
    return !t.space &&
           (t.dt == XK_DT_BOOL || xk_dtype_is_int((enum xk_dtype)t.dt));
}

/* The constant that e must be by ranges; NULL if it is not known or e is one
 * already. */
static const xk_expr *by_range(struct driver *d, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    if (!is_count(t) || xk_is_const(e, NULL))
        return NULL;
    const struct xk_info i = xk_info_of(d->f, e);
    if (i.mod != 0 ||
        (t.dt != XK_DT_U64 && xk_imm_wrap((enum xk_dtype)t.dt, i.rem) != i.rem))
        return NULL;
    return xk_constant_of(d->c, t, i.rem);
}

static const xk_expr *by_folding(struct driver *d, const xk_expr *e)
{
    int64_t k[3], v;
    const unsigned n = xk_n_kids(e);
    const enum xk_op op = xk_op(e);
    if (!is_count(xk_type_of(e)) || n > 3 || op < XK_OP_ADD || op >= XK_OP_CAST)
        return NULL;
    for (unsigned i = 0; i < n; i++) {
        if (!xk_is_const(xk_kid(e, i), &k[i]))
            return NULL;
    }
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(xk_kid(e, n - 1)).dt;
    return xk_fold(op, dt, k, &v) ? xk_constant_of(d->c, xk_type_of(e), v)
                                  : NULL;
}

/* Commuting operands by structure, constants right. A compare has its constant
 * right, and is < or <= if it has none. */
static const xk_expr *by_order(struct driver *d, const xk_expr *e)
{
    const enum xk_op op = xk_op(e);
    if (xk_n_kids(e) != 2)
        return NULL;
    const xk_expr *const a = xk_kid(e, 0), *const b = xk_kid(e, 1);
    if (xk_op_flags(op) & XK_EF_C)
        return xk_expr_cmp(a, b) > 0 ? xk_bin(d->c, op, b, a) : NULL;
    if (op < XK_OP_LT || op > XK_OP_GE)
        return NULL;
    const bool greater = op == XK_OP_GT || op == XK_OP_GE;
    const bool left = xk_is_const(a, NULL), right = xk_is_const(b, NULL);
    if (left ? !right : greater && !right)
        return xk_bin(d->c, xk_compare_swapped(op), b, a);
    return NULL;
}

static const xk_expr *step_node(struct driver *d, const xk_expr *e)
{
    const xk_expr *r = by_range(d, e);
    if (!r)
        r = by_folding(d, e);
    if (!r)
        r = by_order(d, e);
    return r ? r : xk_rules_apply(d->f, e);
}

static const xk_expr *simplify_kids(struct driver *d, const xk_expr *e)
{
    const xk_expr *k[3];
    const unsigned n = xk_n_kids(e);
    for (unsigned i = 0; i < n; i++) {
        k[i] = simplify(d, xk_kid(e, i));
        if (!k[i])
            return NULL;
    }
    return n ? xk_with_kids(d->c, e, k, n) : e;
}

/* What e becomes, of this call or an earlier one; NULL: not known. */
static const xk_expr *known_result(const struct driver *d, const xk_expr *e)
{
    const void *done;
    const xk_expr *const simple = xk_facts_simple(d->f, e);
    return simple                                       ? simple
           : xk_memo_get(&d->memo, xk_serial(e), &done) ? done
                                                        : NULL;
}

/* e's kids are simplified. */
static const xk_expr *fixpoint(struct driver *d, const xk_expr *e)
{
    for (unsigned i = 0; e && i < MAX_STEPS; i++) {
        const xk_expr *const r = step_node(d, e);
        if (!r || r == e)
            return e;
        const xk_expr *const known = known_result(d, r);
        if (known)
            return known;
        e = simplify_kids(d, r);
    }
    return e;
}

static bool is_sum(const xk_expr *e)
{
    switch (xk_op(e)) {
    case XK_OP_ADD:
    case XK_OP_SUB:
    case XK_OP_NEG:
        return xk_is_int(e);
    case XK_OP_MUL:
        return xk_is_int(e) && (xk_is_const(xk_kid(e, 1), NULL) ||
                                xk_is_const(xk_kid(e, 0), NULL));
    default:
        return false;
    }
}

static const xk_expr *simplify_leaf(void *user, const xk_expr *e)
{
    return simplify(user, e);
}

/* A whole sum at once, instead of a normal form of each part of it. NULL if it
 * has none, or a rule is off (bisection goes the plain way). */
static const xk_expr *simplify_sum(struct driver *d, const xk_expr *e)
{
    struct xk_sum s;
    if (d->f->off)
        return NULL;
    xk_sum_init(&s, e);
    if (!xk_sum_add(d->c, &s, e, 1, simplify_leaf, d))
        return NULL;
    const xk_expr *const sum = xk_sum_finish(d->f, &s);
    const xk_expr *const r = sum ? xk_rules_apply_text(d->f, sum) : NULL;
    return r ? simplify(d, r) : sum;
}

/* No rule has a variable or a broadcast at its root: ranges alone speak, and
 * are quicker asked again than looked up. */
static const xk_expr *by_range_alone(struct driver *d, const xk_expr *e)
{
    const xk_expr *const r = e ? by_range(d, e) : NULL;
    return r ? r : e;
}

static const xk_expr *simplify_bcast(struct driver *d, const xk_expr *e)
{
    const xk_expr *const k = simplify(d, xk_kid(e, 0));
    return by_range_alone(d, k ? xk_with_kids(d->c, e, &k, 1) : NULL);
}

static const xk_expr *simplify(struct driver *d, const xk_expr *e)
{
    const enum xk_op op = xk_op(e);
    if (!xk_has(e, XK_HAS_MATH | XK_HAS_COUNT | XK_HAS_INDEX))
        return e;
    if (op == XK_OP_VAR)
        return by_range_alone(d, e);
    if (op == XK_OP_BCAST)
        return simplify_bcast(d, e);
    const xk_expr *const known = known_result(d, e);
    if (known)
        return known;
    if (d->depth >= MAX_DEPTH)
        return e;
    d->depth++;
    const xk_expr *r = is_sum(e) ? simplify_sum(d, e) : NULL;
    if (!r) {
        r = simplify_kids(d, e);
        r = r && op != XK_OP_PTR ? fixpoint(d, r) : r;
    }
    d->depth--;
    return r && xk_facts_set_simple(d->f, e, r) ? r : NULL;
}

static void init_driver(struct driver *d, xk_ctx *c, struct xk_facts *f)
{
    d->c = c;
    d->f = f;
    d->depth = 0;
    d->around = NULL;
    d->n_around = d->cap_around = 0;
    xk_memo_init(&d->memo, c);
    f->done = &d->memo;
}

static void fini_driver(struct driver *d)
{
    d->f->done = NULL;
    xk_memo_fini(&d->memo);
    xk_free(d->c, d->around);
}

const xk_expr *xk_simplify(xk_ctx *c, const xk_expr *e, xk_facts *f)
{
    struct xk_facts none;
    struct driver d;
    const xk_expr *const before = e && f ? xk_facts_simple(f, e) : NULL;
    if (!e || before)
        return before;
    if (!f)
        xk_facts_init(&none, c);
    init_driver(&d, c, f ? f : &none);
    const xk_expr *const r = simplify(&d, e);
    fini_driver(&d);
    if (!f)
        xk_facts_fini(&none);
    return r;
}

bool xk_prove(xk_ctx *c, const xk_expr *cond, xk_facts *f)
{
    int64_t v = 0;
    if (!cond || xk_type_of(cond).dt != XK_DT_BOOL)
        return false;
    const xk_scope s = xk_scope_begin(c);
    const bool proven = xk_is_const(xk_simplify(c, cond, f), &v) && v;
    xk_scope_end(c, s, NULL);
    return proven;
}

/* Statements: a variable has a fact while its scope is visited. */
static void learn(struct xk_facts *f, const xk_expr *var, struct xk_info i)
{
    const struct xk_info t = xk_info_type((enum xk_dtype)xk_type_of(var).dt);
    if (!is_count(xk_type_of(var)))
        return;
    if (i.mod != 0) {
        i.lo = i.lo < t.lo ? t.lo : i.lo;
        i.hi = i.hi > t.hi ? t.hi : i.hi;
    }
    /* A fact that cannot hold: the code is not reached. Say nothing. */
    if (i.lo <= i.hi)
        xk_facts_set(f, var, i.lo, i.hi, i.mod, i.rem);
}

static struct xk_info loop_info(struct xk_info lo, struct xk_info hi,
                                int32_t by)
{
    struct xk_info i = {lo.lo, hi.hi == XK_INF_HI ? hi.hi : hi.hi - 1, 1, 0};
    i.mod = xk_gcd(lo.mod, by);
    i.rem = lo.rem;
    if (i.mod > 1 && i.hi != XK_INF_HI)
        i.hi -= xk_floor_mod(i.hi - i.rem, i.mod);
    if (i.lo == i.hi) {
        i.mod = 0;
        i.rem = i.lo;
    }
    return i;
}

static const xk_stmt *simplify_stmt(struct driver *d, const xk_stmt *s);

/* Body of a binder of kid 0, with what is known inside. */
static const xk_stmt *in_scope(struct driver *d, const xk_stmt *s,
                               const xk_stmt *body, struct xk_info i)
{
    const xk_expr *const var = xk_kid(s, 0);
    learn(d->f, var, i);
    const xk_stmt *const r = simplify_stmt(d, body);
    xk_facts_forget(d->f, var);
    return r;
}

static const xk_stmt *simplify_for(struct driver *d, const xk_stmt *s)
{
    const xk_expr *const lo = simplify(d, xk_kid(s, 1));
    const xk_expr *const hi = lo ? simplify(d, xk_kid(s, 2)) : NULL;
    if (!hi)
        return NULL;
    const struct xk_info a = xk_info_of(d->f, lo), b = xk_info_of(d->f, hi);
    if (a.lo >= b.hi)
        return xk_seq(d->c, NULL, 0);
    const xk_expr *const k[] = {
        xk_kid(s, 0), lo, hi,
        in_scope(d, s, xk_kid(s, 3), loop_info(a, b, xk_for_step(s)))};
    return xk_with_kids(d->c, s, k, 4);
}

/* What a let's variable is from then on; NULL: an error. */
static const xk_expr *begin_let(struct driver *d, const xk_stmt *s)
{
    const xk_expr *const value = simplify(d, xk_kid(s, 1));
    if (!value)
        return NULL;
    const struct xk_info i =
        is_count(xk_type_of(value)) && xk_op(s) == XK_OP_LET
            ? xk_info_of(d->f, value)
            : xk_info_type((enum xk_dtype)xk_type_of(xk_kid(s, 0)).dt);
    learn(d->f, xk_kid(s, 0), i);
    return value;
}

static const xk_stmt *simplify_pipe(struct driver *d, const xk_stmt *s)
{
    const struct xk_info trip = xk_info_const(xk_imm_value(xk_kid(s, 1)));
    const xk_expr *const k[] = {
        xk_kid(s, 0), xk_kid(s, 1),
        in_scope(d, s, xk_kid(s, 2), loop_info(xk_info_const(0), trip, 1))};
    return xk_with_kids(d->c, s, k, 3);
}

static const xk_stmt *simplify_if(struct driver *d, const xk_stmt *s)
{
    int64_t v;
    const xk_expr *const cond = simplify(d, xk_kid(s, 0));
    if (!cond)
        return NULL;
    if (xk_is_const(cond, &v))
        return simplify_stmt(d, xk_kid(s, v ? 1 : 2));
    const xk_expr *const then_s = simplify_stmt(d, xk_kid(s, 1));
    const xk_expr *const else_s =
        then_s ? simplify_stmt(d, xk_kid(s, 2)) : NULL;
    const xk_expr *const k[] = {cond, then_s, else_s};
    return xk_with_kids(d->c, s, k, 3);
}

/* STORE, CALL, STAGE, ALLOC, SEQ of nothing: every kid for itself. */
static const xk_stmt *simplify_plain(struct driver *d, const xk_stmt *s)
{
    const xk_expr *small[16];
    const unsigned n = xk_n_kids(s);
    const xk_expr **const k =
        n <= XK_COUNTOF(small) ? small : xk_malloc(d->c, n * sizeof(*k));
    if (!k)
        return NULL;
    bool ok = true;
    for (unsigned i = 0; i < n; i++) {
        const xk_expr *const e = xk_kid(s, i);
        k[i] = NULL;
        if (ok && !xk_is_expr(e))
            k[i] = simplify_stmt(d, e);
        else if (ok)
            k[i] = xk_op(e) == XK_OP_VAR && xk_type_of(e).space
                       ? e
                       : simplify(d, e);
        ok = ok && k[i];
    }
    const xk_stmt *const r = ok ? xk_with_kids(d->c, s, k, n) : NULL;
    if (k != small)
        xk_free(d->c, k);
    return r;
}

/* Constants and floats moved about: no rule has anything to say. */
static bool has_no_rule(const xk_stmt *s)
{
    return !xk_has(s, XK_HAS_MATH | XK_HAS_COUNT | XK_HAS_INDEX | XK_HAS_LOOP |
                          XK_HAS_IF);
}

static bool is_let(const xk_stmt *s)
{
    return xk_op(s) == XK_OP_LET || xk_op(s) == XK_OP_LOAD;
}

/* Whether the rest of the code is the statement's last kid. Code is as deep as
 * it is long, so such statements are no recursion. */
static bool goes_on(const xk_stmt *s)
{
    return !has_no_rule(s) &&
           (is_let(s) || (xk_op(s) == XK_OP_SEQ && xk_n_kids(s)));
}

/* Puts it around what follows, with its kids but for the last. */
static bool enter(struct driver *d, const xk_stmt *s)
{
    const unsigned n = xk_n_kids(s);
    const uint32_t at = d->n_around;
    for (unsigned i = 0; i <= n; i++) {
        if (!xk_grow(d->c, &d->around, d->n_around, &d->cap_around,
                     sizeof(*d->around)))
            break;
        d->around[d->n_around++] = i < n ? xk_kid(s, i) : s;
    }
    bool ok = d->n_around == at + n + 1;
    for (unsigned i = is_let(s); ok && i + 1 < n; i++) {
        const xk_expr *const e =
            is_let(s) ? begin_let(d, s) : simplify_stmt(d, xk_kid(s, i));
        d->around[at + i] = e;
        ok = e != NULL;
    }
    if (!ok)
        d->n_around = at;
    return ok;
}

/* The innermost statement around r, which is its last kid. */
static const xk_stmt *leave(struct driver *d, const xk_stmt *r)
{
    const xk_stmt *const s = d->around[d->n_around - 1];
    const unsigned n = xk_n_kids(s);
    d->n_around -= n + 1;
    const xk_expr **const k = &d->around[d->n_around];
    k[n - 1] = r;
    if (is_let(s))
        xk_facts_forget(d->f, xk_kid(s, 0));
    return r ? xk_with_kids(d->c, s, k, n) : NULL;
}

static const xk_stmt *simplify_last(struct driver *d, const xk_stmt *s)
{
    if (has_no_rule(s))
        return s;
    switch (xk_op(s)) {
    case XK_OP_FOR:
        return simplify_for(d, s);
    case XK_OP_PIPE:
        return simplify_pipe(d, s);
    case XK_OP_IF:
        return simplify_if(d, s);
    default:
        return simplify_plain(d, s);
    }
}

static const xk_stmt *simplify_stmt(struct driver *d, const xk_stmt *s)
{
    const uint32_t outer = d->n_around;
    bool ok = true;
    while (ok && goes_on(s)) {
        ok = enter(d, s);
        s = xk_kid(s, xk_n_kids(s) - 1);
    }
    const xk_stmt *r = ok ? simplify_last(d, s) : NULL;
    while (d->n_around > outer)
        r = leave(d, r);
    return r;
}

const xk_stmt *xk_simplify_stmt(xk_ctx *c, const xk_stmt *s, xk_facts *f)
{
    struct xk_facts none;
    struct driver d;
    if (!s || xk_is_expr(s))
        return xk_simplify(c, s, f);
    if (!f)
        xk_facts_init(&none, c);
    init_driver(&d, c, f ? f : &none);
    const xk_scope scope = xk_scope_begin(c);
    const xk_stmt *const r = simplify_stmt(&d, s);
    fini_driver(&d);
    if (!f)
        xk_facts_fini(&none);
    return xk_scope_end(c, scope, r);
}

/* What a binder says about its variable; false if it binds none that counts.
 * Outer binders come first in a walk, so their facts are there. */
static bool binder_info(struct xk_facts *f, const xk_stmt *s, struct xk_info *i)
{
    switch (xk_op(s)) {
    case XK_OP_LET:
        *i = xk_info_of(f, xk_kid(s, 1));
        return is_count(xk_type_of(xk_kid(s, 0)));
    case XK_OP_FOR:
        *i = loop_info(xk_info_of(f, xk_kid(s, 1)), xk_info_of(f, xk_kid(s, 2)),
                       xk_for_step(s));
        return true;
    case XK_OP_PIPE:
        *i = loop_info(xk_info_const(0),
                       xk_info_const(xk_imm_value(xk_kid(s, 1))), 1);
        return true;
    default:
        return false;
    }
}

static bool learn_one(const xk_expr *e, void *user)
{
    struct xk_info i;
    if (xk_is_expr(e))
        return false;
    if (binder_info(user, e, &i))
        learn(user, xk_kid(e, 0), i);
    return true;
}

enum xk_status xk_facts_learn(xk_facts *f, const xk_stmt *s)
{
    xk_visit(s, learn_one, NULL, f);
    return xk_ctx_status(f->c);
}

enum xk_status xk_kernel_check(xk_ctx *c, const struct xk_kernel *k)
{
    struct xk_facts f;
    xk_facts_init(&f, c);
    enum xk_status st = xk_facts_set_kernel(&f, k);
    if (st == XK_OK && k->body)
        st = xk_facts_learn(&f, k->body);
    if (st == XK_OK)
        st = xk_kernel_verify(c, k, xk_facts_range, &f);
    xk_facts_fini(&f);
    return st;
}
