/* SPDX-License-Identifier: Apache-2.0 */
/* The digits of K in the order in which a nest walks them: the schedule's, with
 * the indices of the contraction. */
#include "plan/operand.h"
#include "views/access.h"

static void add_digit(struct xk_plan_walk *w, int index, int64_t div,
                      int64_t mod)
{
    w->digits.at[w->digits.n++] = (struct xk_digit){(uint8_t)index, div, mod};
}

/* All K indices but two (-1: no such). */
static void add_others(const struct xk_plan *p, struct xk_plan_walk *w, int but,
                       int or_but)
{
    const struct xk_contraction *const con = &p->con->walked;
    for (int i = 0; i < con->n_index; i++)
        if (con->index[i].role == XK_ROLE_K && i != but && i != or_but)
            add_digit(w, i, 1, 0);
}

unsigned xk_plan_few(const struct xk_plan *p)
{
    return p->t.k / p->t.k_last;
}

void xk_plan_k_walk(struct xk_plan *p)
{
    const struct xk_contraction *const con = &p->con->walked;
    const int k = xk_contraction_last(con, XK_ROLE_K);
    const int few = xk_plan_few(p) > 1 ? xk_contraction_before(con, k) : -1;
    struct xk_plan_walk *const w = &p->walk;
    w->crosses = xk_schedule_is_walk(&p->s);
    if (xk_schedule_is_one_loop(&p->s)) { /* steps, the others, places of one */
        add_digit(w, k, p->t.k, 0);
        add_others(p, w, k, -1);
        if (p->t.k > 1)
            add_digit(w, k, 1, p->t.k);
        return;
    }
    add_others(p, w, k, few);
    if (few >= 0)
        add_digit(w, few, xk_plan_few(p), 0);
    w->loops = w->crosses ? 0 : w->digits.n;
    if (few >= 0)
        add_digit(w, few, 1, xk_plan_few(p));
    add_digit(w, k, 1, 0);
}
