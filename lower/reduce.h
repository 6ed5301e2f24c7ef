/* SPDX-License-Identifier: Apache-2.0 */
/* The nest that adds parts up in a fixed order: dst[i] = convert(((0 +
 * part[0][i])
 * + part[1][i]) + ... + part[parts - 1][i]). */
#ifndef XK_LOWER_REDUCE_H
#define XK_LOWER_REDUCE_H

#include "layout/dtype.h"
#include "lower/flat_nest.h"

enum { XK_REDUCE_SLOTS = 4 }; /* parts that are under way together */

/* part: [parts][stride_e] of f32, of which the first n of each row count; dst:
 * [n] of type dst, f32, f16, bf16, s32, s8 or u8. Sums are rounded to nearest
 * even; a float that is too large becomes infinite, integers are saturated. */
struct xk_reduce {
    int64_t n, stride_e; /* elements; stride_e >= n */
    uint32_t parts;
    enum xk_dtype dst;
};

/* The kernel `name` (part, dst). XK_EINVAL and XK_EUNSUPPORTED name the size or
 * the type. */
enum xk_status xk_lower_reduce(xk_ctx *c, const struct xk_reduce *r,
                               const char *name, bool surfaces,
                               struct xk_flat_nest *out);

#endif
