/* SPDX-License-Identifier: Apache-2.0 */
/* From a record to what is told about a launch: the core's cycles extrapolated
 * to all groups, limits of the machine, the loop that matters. */
#ifndef XK_SIM_TIMING_REPORT_H
#define XK_SIM_TIMING_REPORT_H

#include "sim/timing/timing_core.h"
#include "xekern/timing.h"

/* Models what was recorded and hands it to fn; if that cannot be done, fn gets
 * the reason. */
void xk_timing_tell(const struct xk_timing_record *r, xk_timing_fn *fn,
                    void *user);

/* The loop of struct xk_timing; x: of r. */
struct xk_timing_loop xk_timing_find_loop(const struct xk_timing_record *r,
                                          const struct xk_tm_result *x);

#endif
