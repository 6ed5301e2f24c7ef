/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/product.h"

#include <stdio.h>

#include "base/alloc.h"

static const struct product {
    const char *name;
    uint32_t family;
    enum xk_platform_id platform;
} products[] = {
#define XK_PRODUCT(name_, family_, platform_, text)                            \
    [XK_##name_] = {text, family_, XK_PLATFORM_##platform_},
#define XK_REVISION(...)
#include "isa/product.def"
#undef XK_PRODUCT
#undef XK_REVISION
};

static const struct revision {
    enum xk_product product;
    uint32_t revision;
    enum xk_stepping stepping;
} revisions[] = {
#define XK_PRODUCT(...)
#define XK_REVISION(product_, revision_, stepping_)                            \
    {XK_##product_, revision_, XK_STEP_##stepping_},
#include "isa/product.def"
#undef XK_PRODUCT
#undef XK_REVISION
};

const char *xk_product_name(enum xk_product product)
{
    return product < XK_N_PRODUCTS ? products[product].name : "";
}

enum xk_platform_id xk_product_platform(enum xk_product product)
{
    return products[product].platform;
}

const struct xk_platform *xk_product_family(uint32_t family)
{
    for (unsigned k = 0; family && k < XK_N_PRODUCTS; k++)
        if (products[k].family == family)
            return xk_platform_get(products[k].platform);
    return NULL;
}

/* The product if the family has but one. */
static enum xk_product only_one(uint32_t family)
{
    enum xk_product found = XK_PRODUCT_ANY;

    for (unsigned k = 0; family && k < XK_N_PRODUCTS; k++) {
        if (products[k].family != family)
            continue;
        if (found != XK_PRODUCT_ANY)
            return XK_PRODUCT_ANY;
        found = (enum xk_product)k;
    }
    return found;
}

struct xk_wa_device xk_product_device(const struct xk_platform *p,
                                      uint32_t family, uint32_t revision)
{
    struct xk_wa_device d = {p->id, only_one(family), XK_STEP_SOLD};
    unsigned n = 0;

    for (unsigned k = 0; revision && k < XK_COUNTOF(revisions); k++) {
        const struct revision *const r = &revisions[k];
        if (products[r->product].family != family || r->revision != revision)
            continue;
        d.product = n++ ? XK_PRODUCT_ANY : r->product;
        d.stepping = r->stepping;
    }
    return d;
}

void xk_product_device_name(const struct xk_wa_device *d, char *out,
                            size_t size_b)
{
    static const char *const steps[] = {[XK_STEP_A0] = "A0",
                                        [XK_STEP_A1] = "A1",
                                        [XK_STEP_B0] = "B0",
                                        [XK_STEP_B1] = "B1",
                                        [XK_STEP_C0] = "C0",
                                        [XK_STEP_C1] = "C1",
                                        [XK_STEP_ANY] = "all steppings",
                                        [XK_STEP_SOLD] = "all steppings sold"};
    const char *product = xk_product_name(d->product);
    const bool one = d->stepping < XK_STEP_ANY;

    if (!*product)
        product = one ? "any product" : NULL;
    snprintf(out, size_b, "%s%s%s", product ? product : "",
             !product ? ""
             : one    ? " "
                      : ", ",
             steps[d->stepping]);
}
