/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions without the variables of lets, as a thread sees them. */
#include "passes/nest_pass.h"

static bool remember_let(const xk_expr *s, void *user)
{
    struct xk_pass_lets *const l = user;
    if (xk_is_expr(s))
        return false;
    if (xk_op(s) == XK_OP_LET)
        xk_memo_set(&l->value, xk_serial(xk_kid(s, 0)), xk_kid(s, 1));
    return true;
}

void xk_pass_lets_init(struct xk_pass_lets *l, xk_ctx *c, const xk_stmt *body)
{
    xk_memo_init(&l->value, c);
    xk_visit(body, remember_let, NULL, l);
}

void xk_pass_lets_fini(struct xk_pass_lets *l)
{
    xk_memo_fini(&l->value);
}

struct view {
    const struct xk_pass_lets *lets;
    const xk_expr *thread, *as;
};

static const xk_expr *as_thread_sees(xk_ctx *c, const xk_expr *e, void *user)
{
    const struct view *const v = user;
    const void *value;
    if (e == v->thread)
        return v->as;
    if (xk_op(e) == XK_OP_VAR &&
        xk_memo_get(&v->lets->value, xk_serial(e), &value))
        return xk_rewrite(c, value, as_thread_sees, user);
    return e;
}

const xk_expr *xk_pass_seen(xk_ctx *c, const struct xk_pass_lets *l,
                            const xk_expr *e, const xk_expr *thread,
                            const xk_expr *as)
{
    struct view v = {l, thread, as};
    return xk_rewrite(c, e, as_thread_sees, &v);
}
