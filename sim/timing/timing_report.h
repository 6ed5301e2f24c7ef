/* SPDX-License-Identifier: Apache-2.0 */
/* From a record to the report of a launch: the core's cycles extrapolated to
 * all groups, the limits of the machine, and the loop that matters. */
#ifndef XK_SIM_TIMING_REPORT_H
#define XK_SIM_TIMING_REPORT_H

#include "sim/timing/timing_core.h"
#include "xekern/timing.h"

/* Models what was recorded and gives it to fn. If that is not possible, fn gets
 * the reason. r[0] is of the machine that is asked for. all: also with each
 * other value of each hypothesis; the n records are of one launch, one for each
 * order in which groups are dispatched. */
void xk_timing_tell(const struct xk_timing_record *r, unsigned n, bool all,
                    xk_timing_fn *fn, void *user);

/* The loop of struct xk_timing; x: of r. */
struct xk_timing_loop xk_timing_find_loop(const struct xk_timing_record *r,
                                          const struct xk_tm_result *x);

#endif
