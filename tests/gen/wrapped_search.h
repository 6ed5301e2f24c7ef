/* SPDX-License-Identifier: Apache-2.0 */
/* The search for schedules as the linker's --wrap=xk_schedule_candidates sees
 * it: a test defines the second, and calls the first. */
#ifndef XK_TESTS_WRAPPED_SEARCH_H
#define XK_TESTS_WRAPPED_SEARCH_H

#include "schedule/schedule.h"

unsigned __real_xk_schedule_candidates(const struct xk_platform *p,
                                       const struct xk_shape *s,
                                       const struct xk_schedule_fixed *fixed,
                                       struct xk_schedule *out,
                                       const struct xk_schedule_rule **broken);
unsigned __wrap_xk_schedule_candidates(const struct xk_platform *p,
                                       const struct xk_shape *s,
                                       const struct xk_schedule_fixed *fixed,
                                       struct xk_schedule *out,
                                       const struct xk_schedule_rule **broken);

#endif
