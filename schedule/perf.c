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
     .latency = 260,
     .slm_latency = 45,
     .barrier = 190,
     .exposed = 100,
     .exposed_dpas = 242,
     .launch = 400,
     .launch_dpas = 3020,
     .exchange = 830,
     .lines_cyc = 2,
     .slm_b_cyc = 128,
     .l2_b_cyc = 64,
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
