/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/dispatch_limits.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/ctx.h"

#define WALK_ORDERS 6

static const struct limit {
    uint32_t threads_128, threads_256, barriers, slm_kib, inline_b, padding_b,
        items;
} limits[XK_N_PRODUCTS] = {
#define XK_DISPATCH_LIMIT(product, ...) [XK_##product] = {__VA_ARGS__},
#include "isa/dispatch_limits.def"
#undef XK_DISPATCH_LIMIT
};

static uint32_t most_items(enum xk_product product, uint32_t grf_count,
                           uint32_t simd)
{
    return limits[product].items / (grf_count == 256 && simd != 32 ? 2 : 1);
}

static enum xk_status refuse_limit(enum xk_product product, const char *field,
                                   uint32_t value, uint32_t most,
                                   struct xk_error *err)
{
    err->status = XK_EINVAL;
    snprintf(err->message, sizeof err->message,
             "dispatch: %s=%u, but %s takes at most %u", field, value,
             xk_product_name(product), most);
    return XK_EINVAL;
}

static enum xk_status check_limits(enum xk_product product,
                                   const struct xk_dispatch *d,
                                   struct xk_error *err)
{
    const struct limit *const l = &limits[product];
    const bool wide = d->grf_count == 256;
    const struct {
        const char *field;
        uint32_t value, most;
    } rows[] = {
        {"grf_count", d->grf_count, l->threads_256 ? 256 : 128},
        {wide ? "threads of 256 registers in a group"
              : "threads of 128 registers in a group",
         d->threads, wide ? l->threads_256 : l->threads_128},
        {"barriers", d->barriers, l->barriers},
        {"bytes of shared local memory", d->slm_b, l->slm_kib * 1024},
        {"inline_b", d->inline_b, l->inline_b},
        {"walk_order", d->walk_order, WALK_ORDERS - 1},
        {"work items of a group", d->items,
         most_items(product, d->grf_count, d->simd)},
    };

    for (unsigned k = 0; k < XK_COUNTOF(rows); k++)
        if (rows[k].value > rows[k].most)
            return refuse_limit(product, rows[k].field, rows[k].value,
                                rows[k].most, err);
    return XK_OK;
}

/* Products of the platform that are meant. */
static bool meant(const struct xk_platform *p, enum xk_product product,
                  unsigned k)
{
    return (product == XK_PRODUCT_ANY || product == k) &&
           xk_product_platform((enum xk_product)k) == p->id;
}

enum xk_status xk_dispatch_check(const struct xk_platform *p,
                                 enum xk_product product,
                                 const struct xk_dispatch *d,
                                 struct xk_error *err)
{
    for (unsigned k = 0; k < XK_N_PRODUCTS; k++)
        if (meant(p, product, k))
            XK_TRY(check_limits((enum xk_product)k, d, err));
    return XK_OK;
}

uint32_t xk_dispatch_items(const struct xk_platform *p, uint32_t grf_count,
                           uint32_t simd)
{
    uint32_t most = UINT32_MAX;
    for (unsigned k = 0; k < XK_N_PRODUCTS; k++)
        if (meant(p, XK_PRODUCT_ANY, k) &&
            most_items((enum xk_product)k, grf_count, simd) < most)
            most = most_items((enum xk_product)k, grf_count, simd);
    return most;
}

uint32_t xk_dispatch_padding_b(const struct xk_platform *p,
                               enum xk_product product)
{
    uint32_t most = 0;
    for (unsigned k = 0; k < XK_N_PRODUCTS; k++)
        if (meant(p, product, k) && limits[k].padding_b > most)
            most = limits[k].padding_b;
    return most;
}
