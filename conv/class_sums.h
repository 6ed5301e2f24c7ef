/* SPDX-License-Identifier: Apache-2.0 */
/* What zero points take away from a deconvolution (zero_sums.h). Which taps
 * reach a pixel differs from class to class (residues.h), so that the sums over
 * taps are made by a launch for each class, all in one tensor. */
#ifndef XK_CONV_CLASS_SUMS_H
#define XK_CONV_CLASS_SUMS_H

#include "conv/zero_sums.h"

struct xk_conv_class_sums {
    unsigned n;
    struct xk_conv_sum **at; /* the arena's */
    int64_t size_b;          /* of the tensor */
    bool whole;              /* each element is written; else some stay, which
                                must be zero */
};
/* of: sums over channels, of wei's taps or of src's pixels. */
enum xk_status xk_conv_class_sums_make(xk_ctx *c, struct xk_arena *arena,
                                       const struct xk_conv_desc *full,
                                       const struct xk_conv_sum *of,
                                       bool of_src,
                                       struct xk_conv_class_sums *out);
/* The inputs of them and steps that subtract them: the first of p's epilogue. p
 * has C's coordinates. */
enum xk_status xk_conv_add_class_sums(xk_ctx *c,
                                      const struct xk_conv_desc *full,
                                      struct xk_contraction *p);

#endif
