/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts for "any": what a schedule reads and writes with the fewest and
 * largest messages. */
#include <stdio.h>

#include "plan/plan.h"

void xk_plan_any_tags(const struct xk_schedule *s, unsigned n_spatial,
                      struct xk_any_tags *out)
{
    /* The spatial dims' letters, after a (outer) and b (channels). */
    const char *const inner = n_spatial == 3 ? "cde" : "cd";
    snprintf(out->plain, sizeof(out->plain), "a%sb", inner);
    if (s->fma != XK_FMA_MAD) {
        /* Blocks of one dpas depth: no row of a step is ragged. Through SLM
         * only whole steps go, and channels innermost keep them close. */
        if (s->slm)
            snprintf(out->act, sizeof(out->act), "%s", out->plain);
        else
            snprintf(out->act, sizeof(out->act), "aB%s%ub", inner, s->k_step);
        /* Weights in the order of the loops: filter taps inside a step of K
         * where A goes through SLM. */
        snprintf(out->wei, sizeof(out->wei), "A%s%s%s%ua%ub",
                 s->slm ? "B" : "", inner, s->slm ? "" : "B", s->n_thr,
                 s->k_step);
    } else {
        snprintf(out->act, sizeof(out->act), "%s", out->plain);
        snprintf(out->wei, sizeof(out->wei), "A%sb%ua", inner, s->n_thr);
    }
}
