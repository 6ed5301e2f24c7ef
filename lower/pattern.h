/* SPDX-License-Identifier: Apache-2.0 */
/* The nest that fills a region of a buffer with a pattern of four bytes. */
#ifndef XK_LOWER_PATTERN_H
#define XK_LOWER_PATTERN_H

#include "lower/flat_nest.h"

/* Bytes first_b .. first_b + size_b - 1 of dst; first_b is a multiple of 4. The
 * pattern's lowest byte comes first; a last part of it may be cut off. */
struct xk_fill {
    int64_t first_b, size_b;
    uint32_t pattern;
};

/* The kernel `name` (dst). XK_EINVAL and XK_EUNSUPPORTED name the size. */
enum xk_status xk_lower_fill(xk_ctx *c, const struct xk_fill *f,
                             const char *name, bool surfaces,
                             struct xk_flat_nest *out);

#endif
