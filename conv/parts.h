/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors above 2 GiB. Kernels reach no further from where a tensor begins, so
 * the minibatch is cut into parts, and each part has launches of its own
 * that begin inside the caller's buffers (gen/join_parts.h). Where
 * images have no such parts, pixels take their place if each output sees one;
 * else, but by data, each image is cut along its outermost spatial dim, where
 * that meets no padding: all parts have the same kernel. Gradients of weights
 * and bias are sums over parts, which then do not overlap. */
#ifndef XK_CONV_PARTS_H
#define XK_CONV_PARTS_H

#include "conv/ways.h"

/* Bytes of a tensor that need no parts, and of one in a part. Tests have
 * smaller ones. */
struct xk_conv_part_limits {
    int64_t whole_b, part_b;
};
struct xk_conv_part_limits xk_conv_part_limits(void);
/* The parts that make src, dst and right-hand sides small enough; *full becomes
 * one of them. Each begins at a multiple of XK_PART_ALIGN_B in every tensor.
 * One: nothing is too large, or there are no such parts, and *full stays. */
struct xk_conv_parts xk_conv_take_part(xk_ctx *c, struct xk_conv_desc *full);
/* The bit of a spatial dim (0 d, 1 h, 2 w) in masks of right-hand sides. */
uint32_t xk_conv_axis_bit(const struct xk_conv_desc *f, unsigned axis);
/* Bytes of a tensor from one of the minibatch to the next, and from a place to
 * the next along the dim that is cut. */
struct xk_conv_part_bytes {
    uint64_t one_b, place_b;
};
/* Byte of it at which part i begins. */
uint64_t xk_conv_part_at_b(const struct xk_conv_parts *p, unsigned i,
                           const struct xk_conv_part_bytes *b);
/* Layouts of src and dst that are "any" get channels innermost, so that part
 * lies behind part. Tags are over our dims. */
void xk_conv_close_parts(struct xk_conv_desc *full);

#endif
