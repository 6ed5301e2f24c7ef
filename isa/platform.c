/* SPDX-License-Identifier: Apache-2.0 */
/* The platform table: what differs between machines, as numbers. Sources:
 * isa.md section 1; product families as in the driver's notes. */
#include "isa/isa.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const struct xk_platform platforms[] = {
    {
        .id = XK_PLATFORM_XELP,
        .name = "xelp",
        .iga_name = "12p1",
        .grf_b = 32,
        .threads_per_eu = 7,
        .n_flag_regs = 2,
        .n_acc = 8,
        .n_sbid = 16,
        .chan_off_unit = 4,
        .has_sampler = true,
        .fused_eu = true,
        .has_acc_wr_en = true,
        .product_family = 29,
        .gfx_core = 18,
        .slm_max_b = 64 * 1024,
        .line_b = 64,
        .message_lanes = 16,
        .lane_dwords = 4,
    },
    {
        .id = XK_PLATFORM_XEHPG,
        .name = "xehpg",
        .iga_name = "12p71",
        .grf_b = 32,
        .threads_per_eu = 8,
        .n_flag_regs = 2,
        .n_acc = 8,
        .n_sbid = 16,
        .chan_off_unit = 4,
        .has_dpasw = true,
        .has_sampler = true,
        .fused_eu = true,
        .has_acc_wr_en = true,
        .has_add3 = true,
        .ternary_anywhere = true,
        .dpas_exec = 8,
        .dpas_rows = 8,
        .dpas_depth_b = 32,
        .product_family = 1270,
        .gfx_core = 3079,
        .inline_data_b = 32,
        .slm_max_b = 64 * 1024,
        .line_b = 64,
        .message_lanes = 16,
        .lane_dwords = 8,
    },
    {
        .id = XK_PLATFORM_XEHPC,
        .name = "xehpc",
        .iga_name = "12p72",
        .grf_b = 64,
        .threads_per_eu = 8,
        .n_flag_regs = 4,
        .n_acc = 16,
        .n_sbid = 32,
        .chan_off_unit = 8,
        .has_int64 = true,
        .has_fp64 = true,
        .has_add3 = true,
        .ternary_anywhere = true,
        .dpas_exec = 16,
        .dpas_rows = 8,
        .dpas_depth_b = 32,
        .product_family = 1271,
        .gfx_core = 3080,
        .inline_data_b = 32,
        .slm_max_b = 128 * 1024,
        .line_b = 64,
        .message_lanes = 32,
        .lane_dwords = 8,
    },
};

const struct xk_platform *xk_platform_get(enum xk_platform_id id)
{
    for (unsigned k = 0; k < XK_COUNTOF(platforms); k++) {
        if (platforms[k].id == id)
            return &platforms[k];
    }
    return NULL;
}

const struct xk_platform *xk_platform_find(const char *name)
{
    for (unsigned k = 0; name && k < XK_COUNTOF(platforms); k++) {
        if (!strcmp(platforms[k].name, name))
            return &platforms[k];
    }
    return NULL;
}

void xk_platform_names(char *out, size_t out_b)
{
    out[0] = 0;
    for (unsigned k = 0; k < XK_COUNTOF(platforms); k++)
        xk_text_add_word(out, out_b, platforms[k].name);
}
