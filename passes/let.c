/* SPDX-License-Identifier: Apache-2.0 */
/* Let clean-up: drops lets, loads and allocations that nothing uses, replaces
 * variables bound to a variable or a constant, and puts the value of a let
 * that is used once in its place, unless that place is inside a loop that the
 * let is not in. Statements that became empty go too.
 *
 * One scan counts uses, one backward look over the binders decides, one
 * rebuild carries it out. Backward, because a binder's value only uses earlier
 * binders: when it is looked at, all uses of its variable are decided.
 *
 * Few variables are replaced, so the rebuild goes to the statements where they
 * are used and leaves the rest as it is. For that the scan numbers statements
 * in its order, which is that of the rebuild, and notes where lets are used. */
#include "passes/walk.h"

enum fate { KEEP, DROP, REPLACE };

struct binder {
    const xk_expr *var;
    const xk_expr *value;       /* of a LET; LOAD: the address; or NULL */
    const xk_expr *replacement; /* REPLACE, once its binder was rebuilt */
    uint32_t uses, at;          /* at: number of its statement */
    uint16_t depth, use_depth;  /* loops around it, most around a use */
    uint8_t fate;               /* enum fate */
    bool is_let;
};

/* A statement, by its number; there is one more behind the last. */
struct place {
    uint32_t end;       /* number after those inside */
    uint32_t n_changed; /* statements before it that change themselves */
    bool changes;       /* itself, whatever is inside */
};

/* Where the variable of a let is used. */
struct let_use {
    uint32_t binder, at; /* at: number of the statement */
};

struct pass {
    xk_ctx *c;
    struct binder *binder; /* in order of appearance */
    uint32_t n, cap;
    struct place *place;
    uint32_t n_places, places_cap;
    struct let_use *let_use;
    uint32_t n_let_uses, let_uses_cap;
    uint32_t at;  /* number of the statement that is scanned, or rebuilt next */
    bool changes; /* the statement whose expressions are rebuilt */
    uint32_t *number; /* of a variable's binder + 1, by variable id */
    uint32_t n_ids;
    struct xk_memo done; /* rebuilt expressions */
    const xk_stmt **out; /* statements of the SEQs that are being rebuilt */
    uint32_t n_out, out_cap;
    bool failed;
};

static struct binder *find_binder(const struct pass *p, const xk_expr *var)
{
    const uint32_t id = xk_var_id(var);
    return id < p->n_ids && p->number[id] ? &p->binder[p->number[id] - 1]
                                          : NULL;
}

static void add_binder(struct pass *p, const xk_stmt *s, unsigned depth)
{
    const xk_expr *const var = xk_kid(s, 0);
    if (!xk_grow(p->c, &p->binder, p->n, &p->cap, sizeof(*p->binder))) {
        p->failed = true;
        return;
    }
    p->binder[p->n++] =
        (struct binder){.var = var,
                        .at = p->at,
                        .value = xk_op(s) == XK_OP_ALLOC ? NULL : xk_kid(s, 1),
                        .depth = (uint16_t)depth,
                        .is_let = xk_op(s) == XK_OP_LET};
    p->number[xk_var_id(var)] = p->n;
}

static void add_uses(struct binder *b, uint32_t n, unsigned depth)
{
    b->uses += n;
    if (depth > b->use_depth)
        b->use_depth = (uint16_t)depth;
}

static void note_let_use(struct pass *p, const struct binder *b)
{
    if (!b->is_let)
        return;
    if (!xk_grow(p->c, &p->let_use, p->n_let_uses, &p->let_uses_cap,
                 sizeof(*p->let_use))) {
        p->failed = true;
        return;
    }
    p->let_use[p->n_let_uses++] =
        (struct let_use){(uint32_t)(b - p->binder), p->at};
}

struct counting {
    struct pass *p;
    unsigned depth;
    int sign;
    int fuel;
};

static void count_var(const struct counting *s, const xk_expr *var, uint32_t n)
{
    struct binder *const b = find_binder(s->p, var);
    if (!b)
        return;
    add_uses(b, n, s->depth);
    if (s->sign > 0)
        note_let_use(s->p, b);
}

static void count_tree(struct counting *s, const xk_expr *e)
{
    if (xk_op(e) == XK_OP_VAR)
        count_var(s, e, (uint32_t)s->sign);
    for (unsigned i = 0; i < xk_n_kids(e) && s->fuel > 0; i++) {
        const xk_expr *const k = xk_kid(e, i);
        s->fuel--;
        if (xk_op(k) == XK_OP_VAR)
            count_var(s, k, (uint32_t)s->sign);
        else if (xk_n_kids(k))
            count_tree(s, k);
    }
}

static bool count_often(const xk_expr *e, void *user)
{
    if (xk_op(e) == XK_OP_VAR)
        count_var(user, e, 1u << 20);
    return true;
}

/* Adds sign to the uses of the variables in e, as often as they are written.
 * A graph whose tree is too large to be walked counts as many uses, and is
 * never taken back. */
static void count_uses(struct pass *p, const xk_expr *e, unsigned depth,
                       int sign)
{
    struct counting s = {p, depth, sign, 4096};
    if (!xk_n_kids(e) && xk_op(e) != XK_OP_VAR)
        return;
    count_tree(&s, e);
    if (s.fuel <= 0 && xk_walk(p->c, e, count_often, &s) < 0)
        p->failed = true;
}

static bool is_void(const xk_stmt *s);

/* Numbers s; false if there is no room. */
static bool enter_stmt(struct pass *p, const xk_stmt *s)
{
    p->failed = p->failed || !xk_grow(p->c, &p->place, p->n_places + 1,
                                      &p->places_cap, sizeof(*p->place));
    if (p->failed)
        return false;
    p->at = p->n_places++;
    p->place[p->at] = (struct place){.changes = is_void(s)};
    return true;
}

static void scan_lets(struct pass *p, const xk_stmt *s, unsigned depth)
{
    unsigned first = 0;
    unsigned inner = depth;
    if (!enter_stmt(p, s))
        return;
    const uint32_t at = p->at;
    switch (xk_op(s)) {
    case XK_OP_LET:
    case XK_OP_LOAD:
    case XK_OP_ALLOC:
        add_binder(p, s, depth);
        first = 1;
        break;
    case XK_OP_FOR:
    case XK_OP_PIPE:
        first = 1;
        inner++;
        break;
    default:
        break;
    }
    for (unsigned i = first; i < xk_n_kids(s); i++) {
        const xk_expr *const k = xk_kid(s, i);
        if (xk_is_expr(k))
            count_uses(p, k, depth, 1);
        else
            scan_lets(p, k, inner);
    }
    if (!p->failed)
        p->place[at].end = p->n_places;
}

/* The variable that a trivial value copies; NULL: it is a constant. */
static struct binder *source_of(const struct pass *p, const xk_expr *value)
{
    if (xk_op(value) == XK_OP_BCAST)
        value = xk_kid(value, 0);
    return xk_op(value) == XK_OP_VAR ? find_binder(p, value) : NULL;
}

static void decide_fate(struct pass *p, struct binder *b)
{
    if (b->uses == 0) {
        b->fate = DROP;
        if (b->value)
            count_uses(p, b->value, 0, -1);
        return;
    }
    if (!b->is_let)
        return;
    if (xk_pass_is_trivial(b->value)) {
        struct binder *const from = source_of(p, b->value);
        b->fate = REPLACE;
        if (from)
            add_uses(from, b->uses - 1, b->use_depth);
        return;
    }
    if (b->uses == 1 && b->use_depth == b->depth)
        b->fate = REPLACE;
}

/* What is dropped or replaced changes where it is bound and where it is used.
 */
static void find_changes(struct pass *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        p->place[p->binder[i].at].changes |= p->binder[i].fate != KEEP;
    for (uint32_t i = 0; i < p->n_let_uses; i++)
        p->place[p->let_use[i].at].changes |=
            p->binder[p->let_use[i].binder].fate == REPLACE;
    for (uint32_t i = 0; i < p->n_places; i++) {
        p->place[i].n_changed = n;
        n += p->place[i].changes;
    }
    p->place[p->n_places].n_changed = n;
    p->at = 0;
}

/* Whether the next statement stays, and all inside; if so, goes past it. */
static bool stays(struct pass *p)
{
    const struct place *const s = &p->place[p->at];
    if (p->place[s->end].n_changed != s->n_changed)
        return false;
    p->at = s->end;
    return true;
}

static const xk_expr *rebuild_without_lets(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    const void *known;
    if (xk_op(e) == XK_OP_VAR) {
        const struct binder *const b = find_binder(p, e);
        return b && b->replacement ? b->replacement : e;
    }
    if (!xk_n_kids(e) || xk_is_place(e)) /* no let binds a buffer */
        return e;
    if (xk_memo_get(&p->done, xk_serial(e), &known))
        return known;
    const xk_expr *const out =
        xk_pass_map_kids(p->c, e, rebuild_without_lets, p);
    if (!out || !xk_memo_set(&p->done, xk_serial(e), out))
        return NULL;
    return out;
}

static const xk_stmt *rebuild(struct pass *p, const xk_stmt *s);

static const xk_expr *rebuild_kid(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    if (!xk_is_expr(e))
        return rebuild(p, e);
    return p->changes ? rebuild_without_lets(p, e) : e;
}

/* The statement inside the binders that vanish around it. NULL on failure. */
static const xk_stmt *peel(struct pass *p, const xk_stmt *s)
{
    while (s && (xk_op(s) == XK_OP_LET || xk_op(s) == XK_OP_LOAD ||
                 xk_op(s) == XK_OP_ALLOC)) {
        struct binder *const b = find_binder(p, xk_kid(s, 0));
        if (b->fate == KEEP)
            break;
        if (b->fate == REPLACE) {
            b->replacement = rebuild_without_lets(p, b->value);
            if (!b->replacement)
                return NULL;
        }
        s = xk_kid(s, xk_n_kids(s) - 1);
        p->at++;
    }
    return s;
}

static bool push_stmt(struct pass *p, const xk_stmt *s)
{
    if (!xk_grow(p->c, &p->out, p->n_out, &p->out_cap, sizeof(*p->out)))
        return false;
    p->out[p->n_out++] = s;
    return s != NULL;
}

static const xk_stmt *rebuild_one(struct pass *p, const xk_stmt *s);

/* Appends what s becomes. A SEQ that comes to light in a SEQ is dissolved at
 * once: a chain of lets that vanish must not copy its tail at each of them. */
static bool emit_stmt(struct pass *p, const xk_stmt *s)
{
    if (stays(p))
        return push_stmt(p, s);
    s = peel(p, s);
    if (!s || xk_op(s) != XK_OP_SEQ)
        return s && push_stmt(p, rebuild_one(p, s));
    p->at++;
    for (unsigned i = 0; i < xk_n_kids(s); i++) {
        if (!emit_stmt(p, xk_kid(s, i)))
            return false;
    }
    return true;
}

static const xk_stmt *rebuild(struct pass *p, const xk_stmt *s)
{
    const uint32_t mark = p->n_out;
    if (stays(p))
        return s;
    s = peel(p, s);
    if (!s || xk_op(s) != XK_OP_SEQ)
        return s ? rebuild_one(p, s) : NULL;
    const bool ok = emit_stmt(p, s);
    const uint32_t n = p->n_out - mark;
    bool same = n == xk_n_kids(s);
    for (uint32_t i = 0; ok && same && i < n; i++)
        same = p->out[mark + i] == xk_kid(s, i);
    p->n_out = mark;
    if (!ok)
        return NULL;
    return same ? s : xk_seq(p->c, p->out + mark, n);
}

static bool all_stages_empty(const xk_stmt *body)
{
    for (unsigned i = 0; i < xk_n_kids(body); i++) {
        if (!xk_pass_is_empty(xk_kid(xk_kid(body, i), 0)))
            return false;
    }
    return true;
}

/* Whether s, whose kids are rebuilt, does nothing. */
static bool is_void(const xk_stmt *s)
{
    switch (xk_op(s)) {
    case XK_OP_LET:
    case XK_OP_LOAD:
    case XK_OP_ALLOC:
    case XK_OP_FOR:
        return xk_pass_is_empty(xk_kid(s, xk_n_kids(s) - 1));
    case XK_OP_PIPE:
        return all_stages_empty(xk_kid(s, 2));
    case XK_OP_IF:
        return xk_pass_is_empty(xk_kid(s, 1)) && xk_pass_is_empty(xk_kid(s, 2));
    default:
        return false;
    }
}

/* A statement that is no SEQ and stays, unless nothing is left inside. */
static const xk_stmt *rebuild_one(struct pass *p, const xk_stmt *s)
{
    p->changes = p->place[p->at++].changes;
    const xk_stmt *const out = xk_pass_map_kids(p->c, s, rebuild_kid, p);
    return out && is_void(out) ? xk_seq(p->c, NULL, 0) : out;
}

enum xk_status xk_pass_let(xk_ctx *c, struct xk_kernel *k,
                           const struct xk_pass_env *env)
{
    struct pass p = {.c = c, .n_ids = c->next_var_id};
    const xk_stmt *body = NULL;
    (void)env;
    p.number = xk_calloc(c, p.n_ids + 1u, sizeof(*p.number));
    if (!p.number)
        return XK_ENOMEM;
    xk_memo_init(&p.done, c);
    scan_lets(&p, k->body, 0);
    for (uint32_t i = p.n; i-- > 0 && !p.failed;)
        decide_fate(&p, &p.binder[i]);
    if (!p.failed) {
        find_changes(&p);
        body = rebuild(&p, k->body);
    }
    xk_memo_fini(&p.done);
    xk_free(c, p.number);
    xk_free(c, p.binder);
    xk_free(c, p.place);
    xk_free(c, p.let_use);
    xk_free(c, p.out);
    return xk_pass_end(c, k, body);
}
