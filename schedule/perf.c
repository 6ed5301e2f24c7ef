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
     .latency = 169,
     .slm_latency = 102,
     .barrier = 70,
     .barrier_thread = 27,
     .exposed = 60,
     .exposed_dpas = 56,
     .launch = 228,
     .launch_dpas = 360,
     .launch_alone = 1000,
     .round = 41,
     .round_dpas = 476,
     .exchange = 706,
     .exchange_dpas = 163,
     .exchange_later = 603,
     .refill = 67,
     .first_pct = 6,
     .later_pct = 3,
     .memory_b_cyc = 220,
     .overlap_pct = 20,
     .overlap_dpas_pct = 7,
     .single_pct = 84,
     .send_cyc = 7,
     .cold_a = 36,
     .cold_b = 21,
     .rows_cyc = 333,
     .late_cyc = 546,
     .both_pct = 6,
     .tail_pct = 28,
     .port_pct = 8,
     .port_dpas_pct = 17,
     .l2_pct = 7,
     .bare_pct = 378,
     .bare_dpas_pct = 528,
     .straight_1k = 75,
     .lines_cyc = 2,
     .slm_b_cyc = 128,
     .l2_b_cyc = 64,
     .slm_core_b = 131072,
     .l1_b = 196608,
     .kept_b = 32768,
     .source = "isa.md 13.1-13.3: vISA LatencyTable, product tables"},
};

const struct xk_perf *xk_perf_get(enum xk_platform_id id)
{
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}
