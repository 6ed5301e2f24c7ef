/* SPDX-License-Identifier: Apache-2.0 */
/* A post-op's operators on one value, in f32 as the hardware rounds. */
#ifndef XK_TESTS_VIEWS_EPI_EVAL_H
#define XK_TESTS_VIEWS_EPI_EVAL_H

#include "views/epi_op.h"

/* By how many units in the last place exp2, log2 (of 1, where it is less), inv
 * and sqrt are wrong; what has no last place (0, infinities, NaN) is right. */
struct epi_error {
    int exp2, log2, inv, sqrt;
};

/* The value for x and an operand. Ends the test at an operator that it does not
 * know. */
float epi_eval(const struct xk_epi_code *code, const struct epi_error *err,
               float x, float operand);

#endif
