/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops of a descriptor: text, checks. The public functions of
 * xekern/post_op.h have the contracts of the first two. */
#ifndef XK_CONV_POST_OPS_H
#define XK_CONV_POST_OPS_H

#include "base/ctx.h"
#include "base/str.h"
#include "xekern/xekern.h"

enum xk_status xk_conv_parse_post_ops(xk_ctx *c, const char *text,
                                      struct xk_post_op *ops, uint32_t *n);
void xk_conv_print_post_ops(const struct xk_post_op *ops, uint32_t n,
                            struct xk_str *out);
/* The shortest decimal that is read back as v, without a plus. */
void xk_conv_print_number(float v, struct xk_str *out);

/* XK_EINVAL names the post-op, the field and its value; defaults become
 * explicit (the factor of a sum, the type of a right-hand side). */
enum xk_status xk_conv_check_post_ops(xk_ctx *c, struct xk_conv_desc *f);
/* Right-hand sides, when the sizes have been checked: XK_EINVAL for a mask or a
 * tag that dst's dims contradict, XK_EUNSUPPORTED for a type. */
enum xk_status xk_conv_check_rhs(xk_ctx *c, struct xk_conv_desc *full);
/* XK_EUNSUPPORTED: no kernel reads a bias or a right-hand side of that type;
 * DEFAULT is f32. */
enum xk_status xk_conv_check_rhs_type(xk_ctx *c, const char *field,
                                      uint32_t type);
/* XK_EUNSUPPORTED: what is right and not done. */
enum xk_status xk_conv_post_ops_implemented(xk_ctx *c,
                                            const struct xk_conv_desc *f);

#endif
