/* SPDX-License-Identifier: Apache-2.0 */
/* The simplifier on the whole kernel, knowing the parameters' ranges. */
#include "passes/walk.h"

enum xk_status xk_pass_simplify(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env)
{
    (void)env;
    xk_facts *const f = xk_pass_facts(c, k);
    if (!f)
        return XK_ENOMEM;
    const xk_stmt *const body = xk_simplify_stmt(c, k->body, f);
    xk_facts_unref(f);
    return xk_pass_end(c, k, body);
}
