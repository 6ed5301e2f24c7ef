/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors above 2 GiB. Kernels reach no further from where a tensor begins, so
 * the minibatch is cut into parts, and each part has launches of its own
 * that begin inside the caller's buffers (gen/join_parts.h). */
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
 * One: nothing is too large, or there are no such parts, and *full stays.
 * Gradients of weights add the minibatch up and have one. */
struct xk_conv_parts xk_conv_take_part(struct xk_conv_desc *full);
/* Where part i begins in the minibatch. */
int64_t xk_conv_part_at(const struct xk_conv_parts *p, unsigned i);
/* Layouts of src and dst that are "any" get channels innermost, so that part
 * lies behind part. Tags are over our dims. */
void xk_conv_close_parts(struct xk_conv_desc *full);

#endif
