/* SPDX-License-Identifier: Apache-2.0 */
/* Generic traversal and rewriting. The IR is a DAG: rewriting and walking
 * remember nodes by serial, so the work is linear in distinct nodes. */
#include "ir/expr.h"

#include <string.h>

#include "ir/memo.h"

struct rewriter {
    xk_ctx *c;
    xk_rewrite_fn visit;
    void *user;
    struct xk_memo memo;
    const xk_expr **stack; /* kids of the nodes being rewritten */
    uint32_t n, cap;
    const xk_expr *first[64]; /* the stack of small ones */
};

static void init_rewriter(struct rewriter *r, xk_ctx *c)
{
    r->c = c;
    r->stack = r->first;
    r->n = 0;
    r->cap = XK_COUNTOF(r->first);
    xk_memo_init(&r->memo, c);
}

static void fini_rewriter(struct rewriter *r)
{
    xk_memo_fini(&r->memo);
    if (r->stack != r->first)
        xk_free(r->c, r->stack);
}

static const xk_expr *rewrite_node(struct rewriter *r, const xk_expr *e);

static bool grow_stack(struct rewriter *r)
{
    const bool first = r->stack == r->first;
    const uint32_t cap = r->cap * 4;
    const xk_expr **const s =
        xk_realloc(r->c, first ? NULL : r->stack, cap * sizeof(*s));
    if (!s)
        return false;
    if (first)
        memcpy(s, r->first, sizeof(r->first));
    r->stack = s;
    r->cap = cap;
    return true;
}

static bool push_node(struct rewriter *r, const xk_expr *e)
{
    if (r->n == r->cap && !grow_stack(r))
        return false;
    r->stack[r->n++] = e;
    return true;
}

/* A binder's variable may be renamed but not become a value. */
static bool binds_kid0(const xk_expr *e)
{
    switch (xk_op(e)) {
    case XK_OP_LET:
    case XK_OP_LOAD:
    case XK_OP_ALLOC:
    case XK_OP_FOR:
    case XK_OP_PIPE:
        return true;
    default:
        return false;
    }
}

static const xk_expr *rewrite_kids(struct rewriter *r, const xk_expr *e)
{
    const uint32_t base = r->n;
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        const xk_expr *k = rewrite_node(r, xk_kid(e, i));
        if (!k)
            return NULL;
        if (i == 0 && xk_op(k) != XK_OP_VAR && binds_kid0(e))
            k = xk_kid(e, 0);
        if (!push_node(r, k))
            return NULL;
    }
    const xk_expr *const out =
        xk_with_kids(r->c, e, r->stack + base, r->n - base);
    r->n = base;
    return out;
}

static const xk_expr *rewrite_node(struct rewriter *r, const xk_expr *e)
{
    const void *known;
    if (xk_memo_get(&r->memo, xk_serial(e), &known))
        return known;
    const xk_expr *out = xk_n_kids(e) ? rewrite_kids(r, e) : e;
    if (out)
        out = r->visit(r->c, out, r->user);
    if (!out || !xk_memo_set(&r->memo, xk_serial(e), out))
        return NULL;
    return out;
}

const xk_expr *xk_rewrite(xk_ctx *c, const xk_expr *root, xk_rewrite_fn visit,
                          void *user)
{
    if (!root)
        return NULL;
    struct rewriter r;
    init_rewriter(&r, c);
    r.visit = visit;
    r.user = user;
    const xk_scope s = xk_scope_begin(c);
    const xk_expr *const out = rewrite_node(&r, root);
    fini_rewriter(&r);
    return xk_scope_end(c, s, out);
}

static enum xk_status walk_all(struct rewriter *r, xk_walk_fn visit, void *user)
{
    while (r->n) {
        const xk_expr *const e = r->stack[--r->n];
        const void *seen;
        if (xk_memo_get(&r->memo, xk_serial(e), &seen))
            continue;
        if (!xk_memo_set(&r->memo, xk_serial(e), e))
            return XK_ENOMEM;
        if (!visit(e, user))
            continue;
        for (unsigned i = xk_n_kids(e); i-- > 0;) {
            if (!push_node(r, xk_kid(e, i)))
                return XK_ENOMEM;
        }
    }
    return XK_OK;
}

enum xk_status xk_walk(xk_ctx *c, const xk_expr *root, xk_walk_fn visit,
                       void *user)
{
    if (!root)
        return XK_OK;
    struct rewriter r;
    init_rewriter(&r, c);
    const enum xk_status st =
        push_node(&r, root) ? walk_all(&r, visit, user) : XK_ENOMEM;
    fini_rewriter(&r);
    return st;
}

void xk_visit(const xk_expr *root, xk_walk_fn enter, xk_leave_fn leave,
              void *user)
{
    if (!root)
        return;
    if (!enter || enter(root, user)) {
        for (unsigned i = 0; i < xk_n_kids(root); i++)
            xk_visit(xk_kid(root, i), enter, leave, user);
    }
    if (leave)
        leave(root, user);
}

struct substitution {
    unsigned n;
    const xk_expr *const *vars, *const *values;
};

static const xk_expr *substitute_one(xk_ctx *c, const xk_expr *e, void *user)
{
    const struct substitution *const s = user;
    (void)c;
    if (xk_op(e) != XK_OP_VAR)
        return e;
    for (unsigned i = 0; i < s->n; i++) {
        if (s->vars[i] == e)
            return s->values[i];
    }
    return e;
}

const xk_expr *xk_substitute(xk_ctx *c, const xk_expr *root, unsigned n,
                             const xk_expr *const *vars,
                             const xk_expr *const *values)
{
    struct substitution s = {n, vars, values};
    for (unsigned i = 0; i < n; i++) {
        if (!vars[i] || !values[i])
            return NULL;
    }
    return n ? xk_rewrite(c, root, substitute_one, &s) : root;
}

/* Serials of nodes known not to contain the variable; direct mapped, so it
 * forgets, which costs time and nothing else. */
#define N_SEEN 512

static bool depends(const xk_expr *e, const xk_expr *var, uint32_t *seen)
{
    if (e == var)
        return true;
    /* Kids are older than their parents. */
    if (xk_serial(e) < xk_serial(var) ||
        seen[xk_serial(e) % N_SEEN] == xk_serial(e))
        return false;
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (depends(xk_kid(e, i), var, seen))
            return true;
    }
    seen[xk_serial(e) % N_SEEN] = xk_serial(e);
    return false;
}

bool xk_depends_on(const xk_expr *e, const xk_expr *var)
{
    uint32_t seen[N_SEEN];
    if (!e || !var)
        return false;
    if (!xk_n_kids(e) || xk_serial(e) < xk_serial(var))
        return e == var;
    for (unsigned i = 0; i < N_SEEN; i++)
        seen[i] = 0;
    return depends(e, var, seen);
}
