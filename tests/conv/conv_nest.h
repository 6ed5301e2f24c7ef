/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution's nest, as create makes it. */
#ifndef XK_TESTS_CONV_NEST_H
#define XK_TESTS_CONV_NEST_H

#include "conv/conv.h"
#include "views/nest.h"

static inline enum xk_status test_conv_nest(xk_ctx *c,
                                            const struct xk_conv_desc *full,
                                            const struct xk_conv_info *info,
                                            struct xk_nest *out)
{
    struct xk_contraction con;
    XK_TRY(xk_conv_contraction(c, full, info, &con));
    XK_TRY(xk_contraction_check(c, &con));
    return xk_nest_make(c, &con, out);
}

#endif
