/* SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

#include "base/pool.h"

/* An instruction costs as much as 6.5 nodes: the fit over 3,800 kernels of
 * random problems (docs/measurements.md, "Generation"). */
static uint32_t of_instructions(uint32_t n)
{
    return n * 6 + n / 2;
}

uint32_t xk_budget_spent(const xk_ctx *c)
{
    return xk_pool_next_serial(c) + of_instructions(c->budget.instructions);
}

void xk_budget_spend(xk_ctx *c, uint32_t instructions)
{
    c->budget.instructions += instructions;
}

void xk_budget_limit(xk_ctx *c, uint32_t most, uint32_t most_instructions)
{
    c->budget.begin = xk_budget_spent(c);
    c->budget.most = most;
    c->budget.most_instructions = most_instructions;
    c->budget.over = c->budget.short_work = false;
}

enum xk_status xk_budget_check(xk_ctx *c, uint32_t instructions)
{
    struct xk_budget *const w = &c->budget;
    const uint32_t done = xk_budget_spent(c) - w->begin;
    const uint32_t all =
        instructions ? done + of_instructions(instructions) : 2 * done;
    const bool long_code =
        w->most_instructions && instructions > w->most_instructions;
    if (!long_code && (!w->most || all <= w->most))
        return XK_OK;
    w->over = true;
    w->short_work = !long_code;
    return long_code
               ? xk_fail(c, XK_ENOFIT, "code: more than %u instructions",
                         w->most_instructions)
               : xk_fail(c, XK_ENOFIT,
                         "work: more than the %u units that are left", w->most);
}

bool xk_budget_is_over(const xk_ctx *c)
{
    return c->budget.over;
}

bool xk_budget_is_short(const xk_ctx *c)
{
    return c->budget.short_work;
}
