/* SPDX-License-Identifier: Apache-2.0 */
/* How much a context's kernels have cost, in a number that no machine and no
 * load changes. A unit is a node that was made. */
#ifndef XK_BASE_BUDGET_H
#define XK_BASE_BUDGET_H

#include "base/ctx.h"

/* All that was done since the context began. */
uint32_t xk_budget_spent(const xk_ctx *c);
/* Instructions of a kernel that was made, or lost. */
void xk_budget_spend(xk_ctx *c, uint32_t instructions);

/* From now on at most so much, and a kernel has at most so many instructions;
 * 0: as much, and as many, as it takes. */
void xk_budget_limit(xk_ctx *c, uint32_t most, uint32_t most_instructions);
/* XK_ENOFIT: a kernel of so many instructions, or of more, goes beyond the
 * limits. 0: there are none yet, and what is to come costs as much as what was
 * done. */
enum xk_status xk_budget_check(xk_ctx *c, uint32_t instructions);
/* Whether it failed since the limits were set. */
bool xk_budget_is_over(const xk_ctx *c);
/* Whether the work did, and not the number of instructions. */
bool xk_budget_is_short(const xk_ctx *c);

#endif
