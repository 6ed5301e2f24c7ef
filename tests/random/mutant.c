/* SPDX-License-Identifier: Apache-2.0 */
/* A generator with masks dropped: linked with --wrap, so that neither views nor
 * accesses report that a coordinate leaves its tensor. The random problems must
 * FAIL with it, or they prove nothing about masks. */
#include "views/access_expr.h"
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

const xk_expr *__wrap_xk_access_mask(xk_ctx *c, const struct xk_access *a,
                                     unsigned n_index,
                                     const xk_expr *const *index, xk_facts *f);

const xk_expr *__wrap_xk_access_mask(xk_ctx *c, const struct xk_access *a,
                                     unsigned n_index,
                                     const xk_expr *const *index, xk_facts *f)
{
    (void)a;
    (void)n_index;
    (void)index;
    (void)f;
    return xk_imm(c, XK_DT_BOOL, 1);
}
