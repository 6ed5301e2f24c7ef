/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points that kernels read, as plain values: which there are,
 * and how many values each has. */
#ifndef XK_CONV_QUANTS_H
#define XK_CONV_QUANTS_H

#include "conv/tensors.h"

/* In the order of their arguments' numbers. The epilogue applies the scales of
 * src and wei to the sum, before the bias, scale and zero point of dst behind
 * the post-ops. Zero points of src and wei go into sums of their own
 * (conv/zero_sums.h). */
enum xk_conv_quant {
    XK_SCALE_OF_SRC,
    XK_SCALE_OF_WEI,
    XK_SCALE_OF_DST,
    XK_ZERO_POINT_OF_SRC,
    XK_ZERO_POINT_OF_WEI,
    XK_ZERO_POINT_OF_DST,
    XK_N_CONV_QUANTS
};

struct xk_conv_quant_row {
    const char *name;     /* of the argument */
    enum xk_conv_arg arg; /* whose */
    bool is_zero_point;   /* else a scale */
    uint8_t number;       /* of the argument */
    const struct xk_quant
        *of;        /* the descriptor's; source NONE: there is none */
    int64_t extent; /* values: 1, or the tensor's channels: of src input
                       channels, else output channels */
};
/* From a checked descriptor, which must outlive *out. */
void xk_conv_quant_row(const struct xk_conv_desc *full, enum xk_conv_quant q,
                       struct xk_conv_quant_row *out);
/* Where device memory has the values. */
enum xk_status xk_conv_quant_layout(xk_ctx *c,
                                    const struct xk_conv_quant_row *row,
                                    struct xk_layout *out);
/* Whether a scale or zero point is one of those. */
bool xk_conv_quant_is_read(const struct xk_conv_desc *full,
                           enum xk_conv_arg arg, bool is_zero_point);

#endif
