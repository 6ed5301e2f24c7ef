/* SPDX-License-Identifier: Apache-2.0 */
/* What a context has searched schedules for: one creation asks about the same
 * shapes while it compares ways, chooses layouts and makes launches. */
#ifndef XK_GEN_SEARCHES_H
#define XK_GEN_SEARCHES_H

#include "schedule/schedule.h"

/* As xk_schedule_candidates with nothing fixed, whose answer it keeps: *n of
 * them, 0 if no schedule is valid, where *broken is set. XK_ENOMEM. */
enum xk_status xk_searches_ask(xk_ctx *c, const struct xk_platform *platform,
                               const struct xk_shape *s,
                               struct xk_schedule *candidate, unsigned *n,
                               const struct xk_schedule_rule **broken);

#endif
