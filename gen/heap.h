/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what generation holds of the caller's heap: each block carries its
 * size in front. */
#ifndef XK_GEN_HEAP_H
#define XK_GEN_HEAP_H

#include "base/alloc.h"
#include "xekern/xekern.h"

struct xk_counted_heap {
    struct xk_alloc below;
    size_t live_b, peak_b;
};

void xk_counted_heap_init(struct xk_counted_heap *h, const struct xk_heap *u);
/* The allocator that counts into *h, which must outlive it. */
struct xk_alloc xk_counted_alloc(struct xk_counted_heap *h);

#endif
