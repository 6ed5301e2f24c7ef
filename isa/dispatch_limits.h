/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch may ask of a product (isa/dispatch_limits.def). */
#ifndef XK_ISA_DISPATCH_LIMITS_H
#define XK_ISA_DISPATCH_LIMITS_H

#include "isa/product.h"

/* A raw buffer's surface state holds its size less one in 32 bits, on all
 * products (NEO e37c60bf, encodeBuffer). */
#define XK_DISPATCH_SURFACE_B (UINT64_C(1) << 32)

struct xk_dispatch {
    uint32_t threads;   /* in a group */
    uint32_t grf_count; /* 128 or 256 */
    uint32_t barriers;
    uint32_t slm_b;
    uint32_t inline_b;
    uint32_t walk_order; /* 0..5, 0 is xyz */
    uint32_t items;      /* work items of a group; 0: not known */
    uint32_t simd;       /* matters for items alone */
};

/* XK_EINVAL with the field, its value and the limit. XK_PRODUCT_ANY: every
 * product of the platform must take it. */
enum xk_status xk_dispatch_check(const struct xk_platform *p,
                                 enum xk_product product,
                                 const struct xk_dispatch *d,
                                 struct xk_error *err);
/* Work items that a group of all products of the platform may have. */
uint32_t xk_dispatch_items(const struct xk_platform *p, uint32_t grf_count,
                           uint32_t simd);
/* Bytes that must be readable behind the last instruction: on the product, or
 * on all of the platform. */
uint32_t xk_dispatch_padding_b(const struct xk_platform *p,
                               enum xk_product product);

#endif
