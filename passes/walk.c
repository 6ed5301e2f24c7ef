/* SPDX-License-Identifier: Apache-2.0 */
#include "passes/walk.h"

xk_facts *xk_pass_facts(xk_ctx *c, const struct xk_kernel *k)
{
    xk_facts *const f = xk_facts_create(c);
    for (unsigned i = 0; f && i < k->n_params; i++) {
        if (k->extent[i] <= 0 || xk_type_of(k->params[i].var).space)
            continue;
        if (xk_facts_set(f, k->params[i].var, 0, k->extent[i] - 1, 1, 0) < 0) {
            xk_facts_unref(f);
            return NULL;
        }
    }
    return f;
}

enum xk_status xk_pass_end(xk_ctx *c, struct xk_kernel *k, const xk_stmt *body)
{
    const enum xk_status status = xk_ctx_status(c);
    if (!body || status < 0)
        return status < 0 ? status : XK_ENOMEM;
    k->body = body;
    return XK_OK;
}

/* Room for the kids of e: few, or from the heap. NULL: there is none. */
static const xk_expr **copy_kids(xk_ctx *c, const xk_expr *e,
                                 const xk_expr **few, unsigned n_few)
{
    const unsigned n = xk_n_kids(e);
    const xk_expr **const kids =
        n <= n_few ? few : xk_malloc(c, n * sizeof(*kids));
    for (unsigned i = 0; kids && i < n; i++)
        kids[i] = xk_kid(e, i);
    return kids;
}

/* Code is as deep as it is long, and a long epilogue is a deep expression: a
 * level takes little of the stack. */
const xk_expr *xk_pass_map_kids(xk_ctx *c, const xk_expr *e, xk_pass_map_fn fn,
                                void *user)
{
    const xk_expr *few[3], **kids = NULL; /* NULL: the same so far, as mostly */
    bool ok = true;
    for (unsigned i = 0; ok && i < xk_n_kids(e); i++) {
        const xk_expr *const one = fn(user, xk_kid(e, i));
        if (one && one != xk_kid(e, i) && !kids)
            kids = copy_kids(c, e, few, XK_COUNTOF(few));
        ok = one && (kids || one == xk_kid(e, i));
        if (ok && kids)
            kids[i] = one;
    }
    const xk_expr *const out =
        ok && kids ? xk_with_kids(c, e, kids, xk_n_kids(e)) : e;
    if (kids != few)
        xk_free(c, kids);
    return ok ? out : NULL;
}

int64_t xk_pass_every(const xk_expr *e, const xk_expr *var, int64_t step)
{
    int64_t n, rest, by = 1;
    if (xk_op(e) != XK_OP_EQ || xk_op(xk_kid(e, 0)) != XK_OP_MOD ||
        !xk_is_const(xk_kid(e, 1), &rest) || rest ||
        !xk_is_const(xk_kid(xk_kid(e, 0), 1), &n) || n < 1)
        return 0;
    const xk_expr *at = xk_kid(xk_kid(e, 0), 0);
    if (xk_op(at) == XK_OP_DIV && xk_is_const(xk_kid(at, 1), &by))
        at = xk_kid(at, 0);
    return at == var && by == step ? n : 0;
}

bool xk_pass_is_trivial(const xk_expr *e)
{
    if (xk_op(e) == XK_OP_BCAST)
        e = xk_kid(e, 0);
    return xk_n_kids(e) == 0;
}

unsigned xk_pass_value_b(struct xk_type t, unsigned grf_b)
{
    const unsigned n_b = t.lanes * xk_dtype_b((enum xk_dtype)t.dt);
    return t.lanes == 1 ? n_b : (n_b + grf_b - 1) / grf_b * grf_b;
}

void xk_levels_init(struct xk_levels *l, xk_ctx *c)
{
    xk_memo_init(&l->memo, c);
}

void xk_levels_fini(struct xk_levels *l)
{
    xk_memo_fini(&l->memo);
}

/* A level is kept as the address of that byte. */
static const char numbers[256];

static void keep_level(struct xk_levels *l, const xk_expr *e, unsigned level)
{
    xk_memo_set(&l->memo, xk_serial(e), &numbers[level & 255]);
}

void xk_levels_set(struct xk_levels *l, const xk_expr *var, unsigned level)
{
    if (level) /* else it is that of a variable that is not set */
        keep_level(l, var, level);
}

unsigned xk_levels_of(struct xk_levels *l, const xk_expr *e)
{
    const void *known;
    unsigned level = 0;
    if (xk_op(e) == XK_OP_IMM || xk_op(e) == XK_OP_FIMM)
        return 0;
    if (xk_memo_get(&l->memo, xk_serial(e), &known))
        return (unsigned)((const char *)known - numbers);
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        const unsigned k = xk_levels_of(l, xk_kid(e, i));
        if (k > level)
            level = k;
    }
    if (xk_n_kids(e))
        keep_level(l, e, level);
    return level;
}
