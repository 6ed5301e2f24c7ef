/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_table.h"

#include <stdio.h>
#include <string.h>

static const struct xk_timing_product products[] = {
    {
        .name = "a770",
        .text = "Arc A770, 512 XVE at 2.4 GHz",
        .platform = XK_PLATFORM_XEHPG,
#define XK_TM_FIELD(name, a770, max1550, iris_xe, source) .name = a770,
#include "sim/timing/timing_table.def"
#undef XK_TM_FIELD
    },
    {
        .name = "max1550",
        .text = "Data Center GPU Max 1550, one stack of 448 XVE at 1.5 GHz",
        .platform = XK_PLATFORM_XEHPC,
#define XK_TM_FIELD(name, a770, max1550, iris_xe, source) .name = max1550,
#include "sim/timing/timing_table.def"
#undef XK_TM_FIELD
    },
    {
        .name = "iris-xe",
        .text = "Iris Xe, 96 EU at 1.35 GHz",
        .platform = XK_PLATFORM_XELP,
#define XK_TM_FIELD(name, a770, max1550, iris_xe, source) .name = iris_xe,
#include "sim/timing/timing_table.def"
#undef XK_TM_FIELD
    },
};
#define N_PRODUCTS (sizeof products / sizeof products[0])

static const struct {
    const char *name, *source;
    size_t at;
} fields[] = {
#define XK_TM_FIELD(name, a770, max1550, iris_xe, source)                      \
    {#name, source, offsetof(struct xk_timing_product, name)},
#include "sim/timing/timing_table.def"
#undef XK_TM_FIELD
};

const struct xk_timing_product *xk_timing_product_at(unsigned k)
{
    return k < N_PRODUCTS ? &products[k] : NULL;
}

const struct xk_timing_product *xk_timing_product_find(const char *name)
{
    for (size_t k = 0; k < N_PRODUCTS; k++)
        if (!strcmp(products[k].name, name))
            return &products[k];
    return NULL;
}

const struct xk_timing_product *xk_timing_product_of(enum xk_platform_id id)
{
    for (size_t k = 0; k < N_PRODUCTS; k++)
        if (products[k].platform == id)
            return &products[k];
    return NULL;
}

static void list_products(char *out, size_t out_b)
{
    size_t at = 0;
    *out = '\0';
    for (size_t k = 0; k < N_PRODUCTS && at < out_b; k++) {
        const struct xk_platform *const p =
            xk_platform_get((enum xk_platform_id)products[k].platform);
        const int n = snprintf(out + at, out_b - at, "%s%s (%s)", k ? ", " : "",
                               products[k].name, p->name);
        at += n > 0 ? (size_t)n : out_b;
    }
}

enum xk_status xk_timing_product_pick(const char *name,
                                      enum xk_platform_id platform,
                                      const struct xk_timing_product **out,
                                      struct xk_error *err)
{
    const struct xk_timing_product *const m =
        *name ? xk_timing_product_find(name) : xk_timing_product_of(platform);
    char all[200];
    if (m && m->platform == (uint32_t)platform) {
        *out = m;
        return XK_OK;
    }
    list_products(all, sizeof all);
    err->status = XK_EINVAL;
    snprintf(err->message, sizeof err->message,
             "timing: '%.100s' is no machine%s; there are %s", name,
             m ? " of the kernel's platform" : "", all);
    return XK_EINVAL;
}

bool xk_timing_parameter_at(const struct xk_timing_product *p, unsigned k,
                            struct xk_timing_parameter *out)
{
    if (k >= sizeof fields / sizeof fields[0])
        return false;
    out->name = fields[k].name;
    out->source = fields[k].source;
    memcpy(&out->value, (const char *)p + fields[k].at, sizeof out->value);
    return true;
}
