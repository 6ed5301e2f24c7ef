/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a plan down as IR; decides nothing. The kernel's pointer parameters
 * come in the order of the contraction's argument numbers. */
#ifndef XK_LOWER_LOWER_H
#define XK_LOWER_LOWER_H

#include "ir/stmt.h"
#include "plan/plan.h"

enum xk_status xk_lower(xk_ctx *c, const struct xk_plan *p, const char *name,
                        struct xk_kernel *out);

#endif
