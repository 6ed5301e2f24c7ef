/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution's tensors and its nest, as create makes them. */
#ifndef XK_TESTS_CONV_NEST_H
#define XK_TESTS_CONV_NEST_H

#include "conv/tensors.h"
#include "conv/zero_sums.h"
#include "views/nest.h"

/* xk_conv_tensors with the layouts of these tags for "any". */
static inline enum xk_status test_conv_tensors(xk_ctx *c,
                                               const struct xk_conv_desc *full,
                                               const char *const tags[3],
                                               struct xk_conv_info *info)
{
    static const enum xk_conv_arg args[3] = {XK_ARG_SRC, XK_ARG_WEI,
                                             XK_ARG_DST};
    const char *const given[3] = {full->src_tag, full->wei_tag, full->dst_tag};
    const struct xk_layout *any[3] = {0};
    struct xk_layout l[3];
    for (unsigned i = 0; i < 3; i++) {
        int64_t dims[XK_LAYOUT_MAX_DIMS];
        const unsigned n = xk_conv_dims(full, args[i], dims);
        if (!xk_conv_tag_is_any(given[i]))
            continue;
        XK_TRY(xk_layout_from_tag(
            c, xk_conv_tensor_field(args[i]),
            (struct xk_tensor_dims){
                xk_conv_dtype(xk_conv_type_of(full, args[i])), n, dims},
            tags[i], &l[i]));
        any[i] = &l[i];
    }
    return xk_conv_tensors(c, full, any, info);
}

static inline enum xk_status test_conv_nest(xk_ctx *c,
                                            const struct xk_conv_desc *full,
                                            const struct xk_conv_info *info,
                                            struct xk_nest *out)
{
    struct xk_contraction con;
    XK_TRY(xk_conv_contraction(c, full, info, &con));
    if (xk_conv_may_sum_inside(full))
        XK_TRY(xk_conv_sum_inside(c, full, &con));
    XK_TRY(xk_contraction_check(c, &con));
    return xk_nest_make(c, &con, out);
}

#endif
