/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of a loop stands behind it, where it is a constant: so what is
 * shorter there, or partly outside, costs the other steps nothing. */
#include <string.h>

#include "passes/nest_pass.h"

struct peel {
    xk_ctx *c;
    char name[16]; /* of the loop's variable */
    bool found;
};

static bool declares(const xk_expr *s, void *user)
{
    bool *const any = user;
    if (xk_is_expr(s))
        return false;
    switch (xk_op(s)) {
    case XK_OP_LET:
    case XK_OP_LOAD:
    case XK_OP_ALLOC:
    case XK_OP_FOR:
    case XK_OP_PIPE:
        *any = true;
        break;
    default:
        break;
    }
    return !*any;
}

/* The steps but the last, then that. */
static const xk_stmt *peel_loop(struct peel *p, const xk_stmt *s)
{
    xk_ctx *const c = p->c;
    const xk_expr *const var = xk_kid(s, 0);
    const xk_stmt *const body = xk_kid(s, 3);
    int64_t lo, hi;
    bool any = false;
    p->found = true;
    xk_visit(body, declares, NULL, &any);
    if (any || !xk_is_const(xk_kid(s, 1), &lo) ||
        !xk_is_const(xk_kid(s, 2), &hi) || hi <= lo) {
        xk_fail(c, XK_EUNSUPPORTED,
                any ? "peel: something is declared inside of loop %s"
                    : "peel: the bounds of loop %s are not constant, or it is "
                      "empty",
                xk_var_name(var));
        return NULL;
    }
    const int64_t step = xk_for_step(s),
                  last = lo + (hi - 1 - lo) / step * step;
    const xk_expr *const value = xk_s32(c, last);
    const xk_stmt *const end = xk_substitute(c, body, 1, &var, &value);
    if (last == lo)
        return end;
    const xk_stmt *const both[] = {
        xk_for(c, var, xk_kid(s, 1), value, (int32_t)step, body), end};
    return xk_seq(c, both, 2);
}

static const xk_expr *peel_stmt(void *user, const xk_expr *s)
{
    struct peel *const p = user;
    if (xk_is_expr(s))
        return s;
    if (xk_op(s) == XK_OP_FOR && !strcmp(xk_var_name(xk_kid(s, 0)), p->name))
        return peel_loop(p, s);
    return xk_pass_map_kids(p->c, s, peel_stmt, p);
}

enum xk_status xk_pass_peel(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env)
{
    struct peel p = {.c = c};
    struct xk_pass_arg a = {.name = ""}, more;
    const char *args = env->args ? env->args : "";
    if (!xk_pass_next_arg(&args, 0, &a) || a.bad || a.has_value ||
        xk_pass_next_arg(&args, 0, &more))
        return xk_fail(c, XK_EPARSE, "peel: needs the name of one loop");
    memcpy(p.name, a.name, sizeof(p.name));
    const xk_stmt *const body = peel_stmt(&p, k->body);
    if (body && !p.found)
        return xk_fail(c, XK_EINVAL, "peel: no loop is called %s", p.name);
    return xk_pass_end(c, k, body);
}
