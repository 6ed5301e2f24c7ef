/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic rounding, as oneDNN does it (src/common/math_utils.hpp of main,
 * 3f27bec2): numbers of Philox4x32-10 (Salmon and others, "Parallel Random
 * Numbers: As Easy as 1, 2, 3", 2011) are added below the bits that stay. */
#ifndef XK_LOWER_PHILOX_H
#define XK_LOWER_PHILOX_H

#include "lower/number.h"

/* x, f32, becomes one of its two neighbours in a format of floats: below the
 * smallest normal number 0, beyond the largest one that; a NaN stays. number:
 * u32 a lane, of the element; seed: an s32. */
const xk_expr *xk_round_at_random(struct xk_number_room *r, enum xk_format f,
                                  const xk_expr *x, const xk_expr *number,
                                  const xk_expr *seed);

#endif
