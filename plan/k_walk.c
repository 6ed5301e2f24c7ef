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

/* A digit of the schedule: few is the index of which a step has several places
 * (-1: there is none). */
static void add_k_digit(const struct xk_plan *p, struct xk_plan_walk *w,
                        enum xk_k_digit digit, int few)
{
    const struct xk_contraction *const con = &p->con->walked;
    const int last = xk_contraction_last(con, XK_ROLE_K);
    switch (digit) {
    case XK_K_OUTER:
        add_others(p, w, last, few);
        if (few >= 0)
            add_digit(w, few, xk_plan_few(p), 0);
        return;
    case XK_K_FEW:
        add_digit(w, few, 1, xk_plan_few(p));
        return;
    case XK_K_LAST: /* its steps, where its places come last */
        add_digit(w, last, xk_schedule_is_one_loop(&p->s) ? p->t.k : 1, 0);
        return;
    case XK_K_END:
    case XK_N_K_DIGITS:
        return;
    }
}

void xk_plan_k_walk(struct xk_plan *p)
{
    static const struct xk_k_walk each = XK_WALK_EACH;
    const struct xk_contraction *const con = &p->con->walked;
    const int last = xk_contraction_last(con, XK_ROLE_K);
    const int few = xk_plan_few(p) > 1 ? xk_contraction_before(con, last) : -1;
    const struct xk_k_walk *const of =
        p->s.k_walk.digit[0] ? &p->s.k_walk : &each;
    for (unsigned i = 0; i < XK_COUNTOF(of->digit); i++) {
        add_k_digit(p, &p->walk, of->digit[i], few);
        if (i + 1 == of->loops)
            p->walk.loops = p->walk.digits.n;
    }
    if (xk_schedule_is_one_loop(&p->s) && p->t.k > 1)
        add_digit(&p->walk, last, 1, p->t.k);
    p->walk.crosses = xk_schedule_is_walk(&p->s);
}
