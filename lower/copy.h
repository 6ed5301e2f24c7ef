/* SPDX-License-Identifier: Apache-2.0 */
/* The nest that copies a tensor to another layout or another format, an element
 * a lane. Any blocks and strides; what kernels do not take directly goes
 * through it. */
#ifndef XK_LOWER_COPY_H
#define XK_LOWER_COPY_H

#include "layout/number_format.h"
#include "layout/layout.h"
#include "lower/flat_nest.h"

/* A tensor: its dims and blocks in elements; the layout's own type means
 * nothing. */
struct xk_copied {
    struct xk_layout layout;
    enum xk_format format;
};

/* dst[i] = src[i] for each element that the dims have. dst's padding becomes
 * zero, memory between its elements stays as it is. Formats that differ are
 * converted by way of f32 (lower/number.h), the same ones bit by bit. Where dst
 * has half bytes it is dense. */
struct xk_copy {
    struct xk_copied src, dst;
    /* Floats are rounded at random by a seed, the value `seed`, and the number
     * of the element in the order of its dims (lower/philox.h). */
    bool stochastic;
};

/* Bytes of memory from the first element to the end of the last. */
int64_t xk_copied_size_b(const struct xk_copied *t);

/* The kernel `name` (src, dst[, seed]). XK_EINVAL, XK_EUNSUPPORTED: layouts of
 * different dims, a size or a format. */
enum xk_status xk_lower_copy(xk_ctx *c, const struct xk_copy *x,
                             const char *name, bool surfaces,
                             struct xk_flat_nest *out);

#endif
