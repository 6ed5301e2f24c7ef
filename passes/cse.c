/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: an expression that is evaluated in several places is
 * bound to a let at their nearest common statement, as long as registers are
 * to spare. Since values are pure and every use lies in the scope of all the
 * variables used, that place does too: a let can never pass a load.
 *
 * A statement's place is its path in the tree. One scan in program order keeps,
 * for each expression, the nearest common place of what was seen so far; the
 * places on the way to the current statement are marked open, so the common
 * place is found by walking up to the first open one. The stages of a PIPE
 * belong to different iterations: what varies with the PIPE is never shared
 * between them. */
#include <stdlib.h>

#include "isa/isa.h"
#include "passes/walk.h"

enum { MAX_FLAGS = 2 };
#define NO_PLACE UINT32_MAX

/* Places are numbered in the order of the walk; the rewrite walks likewise. */
struct place {
    uint32_t parent, kid;       /* which kid of its parent */
    uint32_t used_b, deepest_b; /* bound here; with the places below */
    uint16_t flags, deepest_flags;
    uint8_t op;
    uint8_t level; /* loops around it */
    bool open;
    bool stages;        /* the SEQ of a PIPE */
    uint32_t n_lets;    /* bound here */
    uint32_t first_let; /* in pass.list */
};

struct common {
    const xk_expr *e, *var;
    uint32_t place, first; /* of a SEQ: bound before this kid */
    uint32_t count, number;
    uint8_t used_at; /* level of the deepest use */
    bool open;       /* while the statements that may use var are rewritten */
    struct common *same; /* the same expression in another stage */
    /* What e was rewritten to, valid while the same lets are open. */
    const xk_expr *out;
    uint64_t epoch;
};

struct pass {
    xk_ctx *c;
    uint32_t grf_b, budget_b;
    struct xk_arena arena;
    struct xk_levels levels;
    struct xk_memo commons; /* expression: struct common */
    struct place *place;
    uint32_t n_places, places_cap, next_place;
    struct common **list;
    uint32_t n, cap;
    uint64_t epoch, last_epoch;
    uint8_t level;
    bool failed;
};

/* Scan. */

static uint32_t add_place(struct pass *p, const xk_stmt *s, uint32_t parent,
                          uint32_t kid)
{
    if (!xk_grow(p->c, &p->place, p->n_places, &p->places_cap,
                 sizeof(*p->place))) {
        p->failed = true;
        return 0;
    }
    p->place[p->n_places] =
        (struct place){.parent = parent,
                       .kid = kid,
                       .op = (uint8_t)xk_op(s),
                       .level = p->level,
                       .open = true,
                       .stages = parent != NO_PLACE && xk_op(s) == XK_OP_SEQ &&
                                 p->place[parent].op == XK_OP_PIPE};
    return p->n_places++;
}

static bool is_worth_a_let(const xk_expr *e)
{
    bool constants = true;
    if (xk_op(e) == XK_OP_BCAST ||
        (xk_op(e) == XK_OP_CAST && xk_type_of(xk_kid(e, 0)).space))
        return false;
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        constants = constants && xk_is_const(xk_kid(e, i), NULL);
    return !constants;
}

/* Extends k to a use at place; false if the two cannot share a let. */
static bool join_uses(struct pass *p, struct common *k, uint32_t place)
{
    uint32_t at = k->place, first = k->first;
    while (!p->place[at].open) {
        first = p->place[at].kid;
        at = p->place[at].parent;
    }
    if (p->place[at].stages && at != k->place) {
        if (xk_levels_of(&p->levels, k->e) >= p->place[at].level)
            return false;
        at = p->place[at].parent;
    }
    k->place = at;
    k->first = first;
    k->count++;
    if (k->used_at < p->place[place].level)
        k->used_at = p->place[place].level;
    return true;
}

static void add_common(struct pass *p, const xk_expr *e, uint32_t place,
                       struct common *same)
{
    if (!xk_grow(p->c, &p->list, p->n, &p->cap, sizeof(*p->list))) {
        p->failed = true;
        return;
    }
    struct common *const k = xk_arena_alloc(&p->arena, sizeof(*k));
    if (!k || !xk_memo_set(&p->commons, xk_serial(e), k)) {
        p->failed = true;
        return;
    }
    *k = (struct common){.e = e,
                         .place = place,
                         .count = 1,
                         .number = p->n,
                         .used_at = p->place[place].level,
                         .same = same};
    p->list[p->n++] = k;
}

/* Parts are entered before the whole, so that the list is in an order in which
 * lets can be bound. What is met again is not entered again. */
static void scan_expr(struct pass *p, const xk_expr *e, uint32_t place)
{
    const void *known = NULL;
    if (!xk_n_kids(e) || xk_op(e) == XK_OP_PTR || p->failed)
        return;
    const bool worth = is_worth_a_let(e);
    if (worth && xk_memo_get(&p->commons, xk_serial(e), &known) &&
        join_uses(p, (struct common *)known, place))
        return;
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        scan_expr(p, xk_kid(e, i), place);
    if (worth)
        add_common(p, e, place, (struct common *)known);
}

static void count_flag(struct pass *p, uint32_t place, const xk_expr *var)
{
    if (xk_type_of(var).dt == XK_DT_BOOL)
        p->place[place].flags = p->place[place].deepest_flags = 1;
}

/* Nothing to share and no flag taken: gets no place, is not rewritten. */
static bool has_no_place(const xk_stmt *s)
{
    return !xk_has(s, XK_HAS_MATH | XK_HAS_FLAG);
}

static void scan_places(struct pass *p, const xk_stmt *s, uint32_t parent,
                        uint32_t kid)
{
    if (has_no_place(s))
        return;
    const enum xk_op op = xk_op(s);
    const bool loop = op == XK_OP_FOR || op == XK_OP_PIPE;
    const bool binds =
        loop || op == XK_OP_LET || op == XK_OP_LOAD || op == XK_OP_ALLOC;
    const uint32_t place = add_place(p, s, parent, kid);
    if (p->failed)
        return;
    if (op == XK_OP_LET || op == XK_OP_LOAD)
        count_flag(p, place, xk_kid(s, 0));
    if (binds)
        xk_levels_set(&p->levels, xk_kid(s, 0), p->level + loop);
    for (unsigned i = binds; i < xk_n_kids(s); i++) {
        if (xk_is_expr(xk_kid(s, i))) {
            scan_expr(p, xk_kid(s, i), place);
            continue;
        }
        p->level += loop;
        scan_places(p, xk_kid(s, i), place, i);
        p->level -= loop;
    }
    if (!p->failed)
        p->place[place].open = false;
}

/* Choice. */

static bool reserve_registers(struct pass *p, const struct common *k)
{
    struct place *at = &p->place[k->place];
    const struct xk_type t = xk_type_of(k->e);
    const bool flag = t.dt == XK_DT_BOOL;
    const uint32_t cost_b = xk_pass_value_b(t, p->grf_b);
    uint32_t sum_b = at->deepest_b + cost_b;
    uint32_t flags = at->deepest_flags + flag;
    for (uint32_t i = at->parent; i != NO_PLACE; i = p->place[i].parent) {
        sum_b += p->place[i].used_b;
        flags += p->place[i].flags;
    }
    if ((cost_b && sum_b > p->budget_b) || (flag && flags > MAX_FLAGS))
        return false;
    at->used_b += cost_b;
    at->deepest_b += cost_b;
    at->flags += flag;
    at->deepest_flags += flag;
    while (at->parent != NO_PLACE) {
        struct place *const up = &p->place[at->parent];
        if (up->deepest_b < up->used_b + at->deepest_b)
            up->deepest_b = up->used_b + at->deepest_b;
        if (up->deepest_flags < up->flags + at->deepest_flags)
            up->deepest_flags = (uint16_t)(up->flags + at->deepest_flags);
        at = up;
    }
    return true;
}

/* Flags of existing lets below a place count as well. */
static void sum_flags(struct pass *p)
{
    for (uint32_t i = p->n_places; i-- > 1;) {
        struct place *const up = &p->place[p->place[i].parent];
        const uint16_t sum = (uint16_t)(up->flags + p->place[i].deepest_flags);
        if (up->deepest_flags < sum)
            up->deepest_flags = sum;
    }
}

static int by_uses(const void *a, const void *b)
{
    const struct common *const x = *(struct common *const *)a;
    const struct common *const y = *(struct common *const *)b;
    if (x->used_at != y->used_at)
        return x->used_at > y->used_at ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
    const struct common *const x = *(struct common *const *)a;
    const struct common *const y = *(struct common *const *)b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Leaves in the list what gets a let, in the order of places. */
static void choose_lets(struct pass *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->list[i]->count > 1)
            p->list[n++] = p->list[i];
    }
    if (n)
        qsort(p->list, n, sizeof(struct common *), by_uses);
    p->n = 0;
    for (uint32_t i = 0; i < n && !p->failed; i++) {
        struct common *const k = p->list[i];
        if (!reserve_registers(p, k))
            continue;
        k->var = xk_var(p->c, xk_type_of(k->e), "cse");
        p->failed |= !k->var;
        p->list[p->n++] = k;
    }
    if (p->n)
        qsort(p->list, p->n, sizeof(struct common *), by_place);
    for (uint32_t i = p->n; i-- > 0;) {
        p->place[p->list[i]->place].first_let = i;
        p->place[p->list[i]->place].n_lets++;
    }
}

/* Rewrite. */

static const xk_expr *share_expr(void *user, const xk_expr *e);

static const xk_expr *share_kids(struct pass *p, const xk_expr *e)
{
    return xk_pass_map_kids(p->c, e, share_expr, p);
}

/* What is not worth a let has one kid or only constants: no need to remember
 * it. */
static const xk_expr *share_expr(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    const void *known;
    if (!xk_n_kids(e) || xk_op(e) == XK_OP_PTR)
        return e;
    if (!xk_memo_get(&p->commons, xk_serial(e), &known))
        return share_kids(p, e);
    struct common *const last = (struct common *)known;
    for (const struct common *k = last; k; k = k->same) {
        if (k->open)
            return k->var;
    }
    if (last->epoch != p->epoch) {
        last->out = share_kids(p, e);
        last->epoch = p->epoch;
    }
    return last->out;
}

static const xk_stmt *rewrite_stmt(struct pass *p, const xk_stmt *s);

static const xk_expr *share_kid(void *user, const xk_expr *e)
{
    return xk_is_expr(e) ? share_expr(user, e) : rewrite_stmt(user, e);
}

/* Lets [from, to) of the list. */
struct lets {
    uint32_t from, to;
    uint64_t outer_epoch;
    const xk_expr **values;
};

/* Makes the values and lets the statements that follow use them. */
static bool open_lets(struct pass *p, struct lets *l)
{
    const uint32_t n = l->to - l->from;
    l->outer_epoch = p->epoch;
    l->values = n ? xk_arena_alloc(&p->arena, n * sizeof(*l->values)) : NULL;
    if (n && !l->values)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        struct common *const k = p->list[l->from + i];
        l->values[i] = share_kids(p, k->e);
        k->open = true;
        p->epoch = ++p->last_epoch;
    }
    return true;
}

static const xk_stmt *close_lets(struct pass *p, const struct lets *l,
                                 const xk_stmt *body)
{
    for (uint32_t i = l->to; i-- > l->from;) {
        p->list[i]->open = false;
        body = xk_let(p->c, p->list[i]->var, l->values[i - l->from], body);
    }
    p->epoch = l->outer_epoch;
    return body;
}

/* The kids of a SEQ from `first` on; lets from `let` on belong to it and to
 * kids that follow. */
static const xk_stmt *rewrite_seq(struct pass *p, const xk_stmt *s,
                                  uint32_t first, struct lets *all)
{
    struct lets here = {.from = all->from, .to = all->from};
    while (here.to < all->to && p->list[here.to]->first == first)
        here.to++;
    all->from = here.to;
    const uint32_t n = xk_n_kids(s) - first;
    const xk_stmt **const kids = xk_malloc(p->c, (n + 1) * sizeof(*kids));
    if (!kids || !open_lets(p, &here)) {
        xk_free(p->c, kids);
        return NULL;
    }
    uint32_t m = 0;
    for (uint32_t i = first; i < first + n; i++) {
        const bool lets =
            i > first && all->from < all->to && p->list[all->from]->first == i;
        kids[m++] =
            lets ? rewrite_seq(p, s, i, all) : rewrite_stmt(p, xk_kid(s, i));
        if (lets || !kids[m - 1])
            break;
    }
    const xk_stmt *const body = xk_seq(p->c, kids, m);
    xk_free(p->c, kids);
    return close_lets(p, &here, body);
}

static const xk_stmt *rewrite_stmt(struct pass *p, const xk_stmt *s)
{
    if (has_no_place(s))
        return s;
    const struct place *const at = &p->place[p->next_place++];
    if (!at->n_lets) /* which takes less of the stack */
        return xk_pass_map_kids(p->c, s, share_kid, p);
    struct lets l = {.from = at->first_let, .to = at->first_let + at->n_lets};
    if (xk_op(s) == XK_OP_SEQ)
        return rewrite_seq(p, s, 0, &l);
    if (!open_lets(p, &l))
        return NULL;
    return close_lets(p, &l, xk_pass_map_kids(p->c, s, share_kid, p));
}

static const xk_stmt *share_all(struct pass *p, const xk_stmt *body)
{
    scan_places(p, body, NO_PLACE, 0);
    if (p->failed)
        return NULL;
    sum_flags(p);
    choose_lets(p);
    if (p->failed)
        return NULL;
    return p->n ? rewrite_stmt(p, body) : body;
}

enum xk_status xk_pass_cse(xk_ctx *c, struct xk_kernel *k,
                           const struct xk_pass_env *env)
{
    struct pass p = {.c = c, .grf_b = env->platform->grf_b};
    p.budget_b = xk_pass_cse_grf(env) * p.grf_b;
    p.epoch = p.last_epoch = 1;
    xk_arena_init(&p.arena, c);
    xk_levels_init(&p.levels, c);
    xk_memo_init(&p.commons, c);
    const xk_stmt *const body = share_all(&p, k->body);
    xk_memo_fini(&p.commons);
    xk_levels_fini(&p.levels);
    xk_arena_fini(&p.arena);
    xk_free(c, p.place);
    xk_free(c, p.list);
    return xk_pass_end(c, k, body);
}
