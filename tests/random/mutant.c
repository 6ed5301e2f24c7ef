/* SPDX-License-Identifier: Apache-2.0 */
/* A generator with one mask dropped: linked with --wrap=xk_view_mask, so that
 * views never report that a coordinate leaves its tensor. The random problems
 * must FAIL with it, or they prove nothing about masks. */
#include "views/view.h"

const xk_expr *__wrap_xk_view_mask(xk_ctx *c, const struct xk_view *v,
                                   const xk_expr *const *index, xk_facts *f);

const xk_expr *__wrap_xk_view_mask(xk_ctx *c, const struct xk_view *v,
                                   const xk_expr *const *index, xk_facts *f)
{
    (void)v;
    (void)index;
    (void)f;
    return xk_imm(c, XK_DT_BOOL, 1);
}
