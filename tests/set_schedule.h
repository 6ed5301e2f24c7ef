/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule's fields from text, for tests that make schedules by hand. */
#ifndef XK_TESTS_SET_SCHEDULE_H
#define XK_TESTS_SET_SCHEDULE_H

#include "schedule/schedule.h"

/* Sets the fields that the text names. */
static inline enum xk_status test_set_schedule(xk_ctx *c, const char *text,
                                               struct xk_schedule *io)
{
    struct xk_schedule_fixed fixed = {0};
    XK_TRY(xk_schedule_parse(c, text, &fixed));
    xk_schedule_fix(&fixed, io);
    return XK_OK;
}

#endif
