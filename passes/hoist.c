/* SPDX-License-Identifier: Apache-2.0 */
/* Loop-invariant hoisting: lets whose value does not vary with the loops they
 * are in move out of these, and invariant parts of expressions are bound to
 * lets in front of the outermost loop in which they are invariant.
 *
 * What is hoisted out of a loop occupies registers all through that loop and
 * the loops in it. So each loop has a budget, and what is used in the deepest
 * loops is served first. Addresses of registers (PTR) are left alone: they have
 * to stay foldable. */
#include <stdlib.h>

#include "isa/isa.h"
#include "passes/regroup.h"

/* Bool values of a whole hardware thread that may be hoisted on top of each
 * other: a platform has four flag registers, codegen needs some itself. */
enum { MAX_FLAGS = 2 };

struct loop {
    struct loop *outer;
    unsigned level;
    bool open;                  /* while it is being rewritten */
    uint32_t used_b, deepest_b; /* hoisted before it; with inner loops */
    uint32_t flags, deepest_flags;
    bool shares_mask; /* one that varies in it, used more than once */
    struct hoisted *first, **last;
};

/* Something that goes before a loop. */
struct hoisted {
    const xk_expr *var, *value;
    struct hoisted *next; /* of the same loop */
};

/* An invariant expression and the loop it could be moved out of. */
struct candidate {
    const xk_expr *e, *var; /* var: NULL if it stays */
    struct loop *loop;
    unsigned used_at; /* level */
    uint32_t number;
    struct candidate *same; /* the same expression, another loop */
};

struct pass {
    xk_ctx *c;
    uint32_t grf_b, budget_b;
    struct xk_arena arena;
    struct xk_levels levels;
    struct xk_regroup regroup;
    struct xk_memo loops;      /* loop statement: struct loop */
    struct xk_memo moved;      /* variable of a let that moved */
    struct xk_memo candidates; /* expression: struct candidate */
    struct xk_memo visited;    /* expression: loop it was last looked at in */
    struct xk_memo *done;      /* rewritten expressions of this loop body */
    struct candidate **list;
    uint32_t n, cap;
    uint32_t n_bools; /* lets of bools that stay */
    struct loop *at;
    bool failed;
};

/* Budget. */

static bool take_registers(struct pass *p, struct loop *l, struct xk_type t,
                           uint32_t flags_taken)
{
    const bool flag = t.dt == XK_DT_BOOL;
    const uint32_t cost_b = xk_pass_value_b(t, p->grf_b);
    uint32_t sum_b = l->deepest_b + cost_b;
    uint32_t flags = l->deepest_flags + flag + flags_taken;
    for (const struct loop *o = l->outer; o; o = o->outer) {
        sum_b += o->used_b;
        flags += o->flags;
    }
    if ((cost_b && sum_b > p->budget_b) || (flag && flags > MAX_FLAGS))
        return false;
    l->used_b += cost_b;
    l->deepest_b += cost_b;
    l->flags += flag;
    l->deepest_flags += flag;
    for (struct loop *o = l->outer; o; l = o, o = o->outer) {
        if (o->deepest_b < o->used_b + l->deepest_b)
            o->deepest_b = o->used_b + l->deepest_b;
        if (o->deepest_flags < o->flags + l->deepest_flags)
            o->deepest_flags = o->flags + l->deepest_flags;
    }
    return true;
}

static void push_hoisted(struct pass *p, struct loop *l, const xk_expr *var,
                         const xk_expr *value)
{
    struct hoisted *const h = xk_arena_alloc(&p->arena, sizeof(*h));
    if (!h) {
        p->failed = true;
        return;
    }
    h->var = var;
    h->value = value;
    *l->last = h;
    l->last = &h->next;
}

/* The loop around `at` that has this level. */
static struct loop *loop_of_level(struct loop *at, unsigned level)
{
    while (at->level > level)
        at = at->outer;
    return at;
}

/* Analysis: what could move, and where to. */

/* Values that cost nothing, or at most one instruction to make again without
 * any variable: constants, the address of a buffer. */
static bool is_cheap(const xk_expr *e)
{
    bool constants = true;
    if (xk_pass_is_trivial(e) || xk_op(e) == XK_OP_PTR ||
        (xk_op(e) == XK_OP_CAST && xk_type_of(xk_kid(e, 0)).space))
        return true;
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        constants = constants && xk_is_const(xk_kid(e, i), NULL);
    return constants;
}

static void add_candidate(struct pass *p, const xk_expr *e, struct loop *l,
                          unsigned used_at)
{
    const void *known = NULL;
    xk_memo_get(&p->candidates, xk_serial(e), &known);
    for (struct candidate *k = (struct candidate *)known; k; k = k->same) {
        if (k->loop == l) {
            k->used_at = k->used_at > used_at ? k->used_at : used_at;
            return;
        }
    }
    if (!xk_grow(p->c, &p->list, p->n, &p->cap, sizeof(*p->list))) {
        p->failed = true;
        return;
    }
    struct candidate *const k = xk_arena_alloc(&p->arena, sizeof(*k));
    if (!k || !xk_memo_set(&p->candidates, xk_serial(e), k)) {
        p->failed = true;
        return;
    }
    *k = (struct candidate){.e = e,
                            .loop = l,
                            .used_at = used_at,
                            .number = p->n,
                            .same = (struct candidate *)known};
    p->list[p->n++] = k;
}

/* Common subexpressions, a later pass, want a flag for a mask that varies in
 * the loop and is used more than once: all its comparisons for one of them, so
 * the flag is taken first. Without one no hoisted part of a mask gets it. */
static void leave_flag(struct pass *p, const xk_expr *e, struct loop *at)
{
    const struct xk_type t = xk_type_of(e);
    if (at->shares_mask || xk_op(e) != XK_OP_AND || t.dt != XK_DT_BOOL ||
        xk_levels_of(&p->levels, e) < at->level)
        return;
    at->shares_mask = true;
    take_registers(p, at, t, p->n_bools);
}

/* e is evaluated in the body of the loop `at`. */
static void collect_candidates(struct pass *p, const xk_expr *e,
                               struct loop *at)
{
    const void *last;
    if (!at || is_cheap(e))
        return;
    if (xk_memo_get(&p->visited, xk_serial(e), &last) && last == at) {
        leave_flag(p, e, at);
        return;
    }
    xk_memo_set(&p->visited, xk_serial(e), at);
    const unsigned level = xk_levels_of(&p->levels, e);
    if (level < at->level && xk_op(e) != XK_OP_BCAST) {
        struct loop *const l = loop_of_level(at, level + 1);
        add_candidate(p, e, l, at->level);
        at = l->outer; /* its parts are evaluated there */
    }
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        collect_candidates(p, xk_kid(e, i), at);
}

static void analyse_expr(struct pass *p, const xk_expr *e)
{
    const xk_expr *const g = p->at ? xk_regroup(&p->regroup, e) : e;
    if (g)
        collect_candidates(p, g, p->at);
    else
        p->failed = true;
}

static void analyse_let(struct pass *p, const xk_expr *var,
                        const xk_expr *value)
{
    const xk_expr *const g = p->at ? xk_regroup(&p->regroup, value) : value;
    struct loop *const at = p->at;
    const unsigned here = at ? at->level : 0;
    if (!g) {
        p->failed = true;
        return;
    }
    const unsigned level = xk_levels_of(&p->levels, g);
    struct loop *const l = level < here ? loop_of_level(at, level + 1) : NULL;
    if (l && take_registers(p, l, xk_type_of(g), 0)) {
        push_hoisted(p, l, var, g);
        xk_levels_set(&p->levels, var, level);
        if (!xk_memo_set(&p->moved, xk_serial(var), l))
            p->failed = true;
        collect_candidates(p, g, l->outer);
        return;
    }
    p->n_bools += xk_type_of(var).dt == XK_DT_BOOL;
    xk_levels_set(&p->levels, var, here);
    if (l) /* refused: do not ask again for the whole value */
        for (unsigned i = 0; i < xk_n_kids(g); i++)
            collect_candidates(p, xk_kid(g, i), at);
    else
        collect_candidates(p, g, at);
}

static void analyse_stmt(struct pass *p, const xk_stmt *s);

static void analyse_loop(struct pass *p, const xk_stmt *s)
{
    const unsigned last = xk_n_kids(s) - 1;
    struct loop *const l = xk_arena_alloc(&p->arena, sizeof(*l));
    if (!l || !xk_memo_set(&p->loops, xk_serial(s), l)) {
        p->failed = true;
        return;
    }
    for (unsigned i = 1; i < last; i++)
        analyse_expr(p, xk_kid(s, i));
    l->outer = p->at;
    l->level = p->at ? p->at->level + 1 : 1;
    l->last = &l->first;
    xk_levels_set(&p->levels, xk_kid(s, 0), l->level);
    p->at = l;
    analyse_stmt(p, xk_kid(s, last));
    p->at = l->outer;
}

/* Outside of loops nothing moves, but lets of flags count. */
static bool stays_as_is(const struct pass *p, const xk_stmt *s)
{
    return !xk_has(s, p->at ? XK_HAS_MATH | XK_HAS_LET | XK_HAS_LOOP
                            : XK_HAS_FLAG | XK_HAS_LOOP);
}

static void analyse_stmt(struct pass *p, const xk_stmt *s)
{
    if (p->failed || stays_as_is(p, s))
        return;
    switch (xk_op(s)) {
    case XK_OP_LET:
        analyse_let(p, xk_kid(s, 0), xk_kid(s, 1));
        analyse_stmt(p, xk_kid(s, 2));
        return;
    case XK_OP_LOAD:
        xk_levels_set(&p->levels, xk_kid(s, 0), p->at ? p->at->level : 0);
        analyse_stmt(p, xk_kid(s, 2));
        return;
    case XK_OP_FOR:
    case XK_OP_PIPE:
        analyse_loop(p, s);
        return;
    default:
        for (unsigned i = 0; i < xk_n_kids(s); i++) {
            if (xk_is_expr(xk_kid(s, i)))
                analyse_expr(p, xk_kid(s, i));
            else
                analyse_stmt(p, xk_kid(s, i));
        }
        return;
    }
}

/* Choice. */

static int by_use(const void *a, const void *b)
{
    const struct candidate *const x = *(struct candidate *const *)a;
    const struct candidate *const y = *(struct candidate *const *)b;
    if (x->used_at != y->used_at)
        return x->used_at > y->used_at ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void choose_candidates(struct pass *p)
{
    if (p->n)
        qsort(p->list, p->n, sizeof(struct candidate *), by_use);
    for (uint32_t i = 0; i < p->n && !p->failed; i++) {
        struct candidate *const k = p->list[i];
        if (!take_registers(p, k->loop, xk_type_of(k->e), p->n_bools))
            continue;
        k->var = xk_var(p->c, xk_type_of(k->e), "inv");
        p->failed |= !k->var;
        push_hoisted(p, k->loop, k->var, k->e);
    }
}

/* Rewriting. */

static const xk_expr *place_expr(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    const void *known;
    if (!xk_n_kids(e) || xk_op(e) == XK_OP_PTR)
        return e;
    if (xk_memo_get(p->done, xk_serial(e), &known))
        return known;
    const xk_expr *out = NULL;
    if (xk_memo_get(&p->candidates, xk_serial(e), &known)) {
        for (const struct candidate *k = known; k && !out; k = k->same)
            out = k->loop->open ? k->var : NULL;
    }
    if (!out)
        out = xk_pass_map_kids(p->c, e, place_expr, p);
    if (!out || !xk_memo_set(p->done, xk_serial(e), out))
        return NULL;
    return out;
}

static const xk_stmt *place_stmt(struct pass *p, const xk_stmt *s);

static const xk_expr *place_kid(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    if (!xk_is_expr(e))
        return place_stmt(p, e);
    const xk_expr *const g = p->at ? xk_regroup(&p->regroup, e) : e;
    return g ? place_expr(p, g) : NULL;
}

/* Lets in the order in which they were found, then the rest. */
static const xk_stmt *place_lets(struct pass *p, const struct hoisted *h,
                                 const xk_stmt *body)
{
    if (!h || !body)
        return body;
    return xk_let(p->c, h->var, place_expr(p, h->value),
                  place_lets(p, h->next, body));
}

static const xk_stmt *place_loop(struct pass *p, const xk_stmt *s)
{
    const void *known = NULL;
    const unsigned last = xk_n_kids(s) - 1;
    const xk_expr *kids[4];
    struct xk_memo done, *const outer_done = p->done;
    xk_memo_get(&p->loops, xk_serial(s), &known);
    struct loop *const l = (struct loop *)known;
    kids[0] = xk_kid(s, 0);
    for (unsigned i = 1; i < last; i++)
        kids[i] = place_kid(p, xk_kid(s, i));
    xk_memo_init(&done, p->c);
    p->done = &done;
    p->at = l;
    l->open = true;
    kids[last] = place_stmt(p, xk_kid(s, last));
    l->open = false;
    p->at = l->outer;
    p->done = outer_done;
    xk_memo_fini(&done);
    return place_lets(p, l->first, xk_with_kids(p->c, s, kids, last + 1));
}

static const xk_stmt *place_stmt(struct pass *p, const xk_stmt *s)
{
    const void *l;
    if (stays_as_is(p, s))
        return s;
    switch (xk_op(s)) {
    case XK_OP_FOR:
    case XK_OP_PIPE:
        return place_loop(p, s);
    case XK_OP_LET:
        if (xk_memo_get(&p->moved, xk_serial(xk_kid(s, 0)), &l))
            return place_stmt(p, xk_kid(s, 2));
        return xk_pass_map_kids(p->c, s, place_kid, p);
    default:
        return xk_pass_map_kids(p->c, s, place_kid, p);
    }
}

static const xk_stmt *hoist_all(struct pass *p, const xk_stmt *body)
{
    struct xk_memo done;
    analyse_stmt(p, body);
    if (p->failed)
        return NULL;
    choose_candidates(p);
    if (p->failed)
        return NULL;
    xk_memo_init(&done, p->c);
    p->done = &done;
    const xk_stmt *const out = place_stmt(p, body);
    xk_memo_fini(&done);
    return out;
}

enum xk_status xk_pass_hoist(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env)
{
    struct pass p = {.c = c, .grf_b = env->platform->grf_b};
    struct xk_memo *const memos[] = {&p.loops, &p.moved, &p.candidates,
                                     &p.visited};
    p.budget_b = xk_pass_hoist_grf(env) * p.grf_b;
    xk_arena_init(&p.arena, c);
    xk_levels_init(&p.levels, c);
    xk_regroup_init(&p.regroup, c, &p.levels);
    for (unsigned i = 0; i < XK_COUNTOF(memos); i++)
        xk_memo_init(memos[i], c);
    const xk_stmt *const body = hoist_all(&p, k->body);
    for (unsigned i = 0; i < XK_COUNTOF(memos); i++)
        xk_memo_fini(memos[i]);
    xk_regroup_fini(&p.regroup);
    xk_levels_fini(&p.levels);
    xk_arena_fini(&p.arena);
    xk_free(c, p.list);
    return xk_pass_end(c, k, body);
}
