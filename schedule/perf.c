/* SPDX-License-Identifier: Apache-2.0 */
/* Performance facts of the products that scores aim at. */
#include "schedule/schedule.h"

static const struct xk_perf rows[] = {
    /* Arc A770. Latencies as in the vendor compiler's scheduler model, with
     * what a load costs that misses L1 (200) and its way there. */
    {.id = XK_PLATFORM_XEHPG,
     .n_eu = 512,
     .eu_per_core = 16,
     .mad_lanes = 8,
     .dpas_row = 2,
     .latency = 210,
     .slm_latency = 47,
     .barrier = 289,
     .exposed = 150,
     .exposed_dpas = 154,
     .launch = 353,
     .launch_dpas = 1393,
     .round = 48,
     .round_dpas = 255,
     .exchange = 1552,
     .exchange_dpas = 1810,
     .refill = 63,
     .rows_pct = 34,
     .first_pct = 164,
     .later_pct = 91,
     .memory_b_cyc = 215,
     .overlap_pct = 11,
     .single_pct = 14,
     .alone_pct = 608,
     .wait_pct = 122,
     .straight_pct = 9,
     .lines_cyc = 2,
     .slm_b_cyc = 128,
     .l2_b_cyc = 80,
     .slm_core_b = 131072,
     .source = "isa.md 13.1-13.3: vISA LatencyTable, product tables"},
};

const struct xk_perf *xk_perf_get(enum xk_platform_id id)
{
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}
