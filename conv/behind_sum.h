/* SPDX-License-Identifier: Apache-2.0 */
/* What follows the sum of a forward direction, as steps of a contraction. */
#ifndef XK_CONV_BEHIND_SUM_H
#define XK_CONV_BEHIND_SUM_H

#include "conv/tensors.h"

/* Scales, bias, post-ops and zero point of dst. C is dst and has its
 * coordinates: each input stands where C does. */
enum xk_status xk_conv_add_epilogue(xk_ctx *c, const struct xk_conv_desc *full,
                                    const struct xk_conv_info *info,
                                    struct xk_contraction *p);

#endif
