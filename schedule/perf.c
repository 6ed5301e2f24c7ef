/* SPDX-License-Identifier: Apache-2.0 */
/* Performance facts of the products that scores aim at. */
#include "schedule/schedule.h"

static const struct xk_perf rows[] = {
    /* Arc A770: 32 cores of 16 XVEs, 8 f32 lanes and a dpas row in 2
     * cycles each; L1 latency as in the
     * vendor compiler's scheduler model. */
    {XK_PLATFORM_XEHPG, 512, 16, 8, 2, 45,
     "isa.md 13.1-13.3: vISA LatencyTable, product tables"},
};

const struct xk_perf *xk_perf_get(enum xk_platform_id id)
{
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}
