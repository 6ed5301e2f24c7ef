/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule's fields from text, for tests that make schedules by hand. */
#ifndef XK_TESTS_SET_SCHEDULE_H
#define XK_TESTS_SET_SCHEDULE_H

#include <stdio.h>

#include "schedule/schedule.h"

/* Sets the fields that the text names, word by word: of a field that stands
 * there twice, which a schedule's own text may not, the last counts. */
static inline enum xk_status test_set_schedule(xk_ctx *c, const char *text,
                                               struct xk_schedule *io)
{
    char word[80];
    for (int n = 0; sscanf(text, "%79s%n", word, &n) == 1; text += n) {
        struct xk_schedule_fixed fixed = {0};
        XK_TRY(xk_schedule_parse(c, word, &fixed));
        xk_schedule_fix(&fixed, io);
    }
    return XK_OK;
}

#endif
