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
     .latency = 320,
     .slm_latency = 55,
     .barrier = 55,
     .barrier_thread = 18,
     .exposed = 116,
     .exposed_dpas = 96,
     .launch = 228,
     .launch_dpas = 400,
     .round = 41,
     .round_dpas = 67,
     .exchange = 706,
     .exchange_dpas = 1091,
     .refill = 211,
     .rows_pct = 21,
     .first_pct = 60,
     .later_pct = 40,
     .memory_b_cyc = 215,
     .overlap_pct = 5,
     .overlap_dpas_pct = 36,
     .single_pct = 84,
     .bare_pct = 100,
     .alone_pct = 448,
     .late_pct = 1000,
     .chain_pct = 224,
     .wait_pct = 49,
     .straight_pct = 9,
     .lines_cyc = 2,
     .slm_b_cyc = 128,
     .l2_b_cyc = 64,
     .slm_core_b = 131072,
     .l1_b = 196608,
     .source = "isa.md 13.1-13.3: vISA LatencyTable, product tables"},
};

const struct xk_perf *xk_perf_get(enum xk_platform_id id)
{
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}
