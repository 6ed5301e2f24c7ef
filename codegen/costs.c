/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: Intel's compiler, visa/LocalScheduler/LatencyTable (latencies),
 * visa/GraphColor.h get_bank and get_bundle with visa/HWCaps.inc (banks; none
 * are to be avoided on xehpg); lanes by the data sheets. A load that finds its
 * data in L2 takes 200 cycles, which others' cycles hide in part; one that does
 * not takes what sim/timing/timing_table.def says of memory. */
#include "codegen/costs.h"

static const struct xk_cg_costs costs[] = {
    [XK_PLATFORM_XELP] = {.alu_cyc = 10,
                          .arf_cyc = 16,
                          .math_cyc = 17,
                          .load_cyc = 150,
                          .far_cyc = 350,
                          .slm_cyc = 28,
                          .payload_cyc = 8,
                          .lanes = 8,
                          .math_lanes = 2,
                          .one_port = true,
                          .bank_grf = 1,
                          .bundle_grf = 4,
                          .bundles = 16},
    [XK_PLATFORM_XEHPG] = {.alu_cyc = 10,
                           .arf_cyc = 16,
                           .math_cyc = 17,
                           .dpas1_cyc = 21,
                           .dpas8_cyc = 32,
                           .load_cyc = 150,
                           .far_cyc = 500,
                           .slm_cyc = 28,
                           .payload_cyc = 8,
                           .row_cyc = 2,
                           .lanes = 8,
                           .math_lanes = 2},
    [XK_PLATFORM_XEHPC] = {.alu_cyc = 10,
                           .arf_cyc = 16,
                           .math_cyc = 17,
                           .dpas1_cyc = 21,
                           .dpas8_cyc = 28,
                           .load_cyc = 150,
                           .far_cyc = 500,
                           .slm_cyc = 28,
                           .payload_cyc = 8,
                           .row_cyc = 1,
                           .lanes = 16,
                           .math_lanes = 4,
                           .bank_grf = 1,
                           .bundle_grf = 2,
                           .bundles = 16},
};

const struct xk_cg_costs *xk_cg_costs_get(const struct xk_platform *p)
{
    const unsigned n = sizeof costs / sizeof costs[0];
    return p->id < n && costs[p->id].alu_cyc ? &costs[p->id] : NULL;
}
