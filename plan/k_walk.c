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

/* Whether places of the index behind its end are beyond the operand's interval,
 * or 0 in memory. */
static bool ends_with(const struct xk_access *a, unsigned index, int64_t extent)
{
    const int d = xk_access_dim_of(a, index);
    return d >= 0 && !a->fill && !a->at[d].lo && a->at[d].hi <= extent;
}

/* Whether memory has elements up to that place: behind its dim's end zeros. */
static bool is_padded(const struct xk_access *a, unsigned index, int64_t end)
{
    const int d = xk_access_dim_of(a, index);
    return d >= 0 && a->at[d].hi == a->layout.dim[d] &&
           a->layout.padded[d] >= end;
}

/* Whole steps of the last index, which need no mask of their own behind its
 * end. Where that is not certain its own places are all. */
static void complete_last(const struct xk_plan *p, unsigned last,
                          struct xk_plan_walk *w)
{
    const struct xk_contraction *const con = &p->con->walked;
    const int64_t all = con->index[last].extent;
    const int64_t end = xk_ceil_div(all, p->t.k_last) * p->t.k_last;
    struct xk_digit *const inner = &w->digits.at[w->digits.n - 1];
    const bool ends = ends_with(&con->a, last, all) &&
                      ends_with(&con->b, last, all) && !w->crosses;
    w->last = ends ? end : all;
    /* Places that complete a step are no more than it has. */
    if (inner->index == last && !inner->mod && !w->crosses && w->last != end)
        inner->mod = end;
}

/* Places of K that the steps of one loop go over: all of them, or the last
 * index's. Behind its end a step is whole where memory is padded so. */
static int64_t places_of_steps(const struct xk_plan *p, unsigned last,
                               const struct xk_plan_walk *w)
{
    const struct xk_contraction *const con = &p->con->walked;
    const int64_t all = con->index[last].extent;
    if (w->crosses)
        return xk_contraction_extent(con, XK_ROLE_K);
    const bool padded = xk_schedule_is_one_loop(&p->s) &&
                        is_padded(&con->a, last, w->last) &&
                        is_padded(&con->b, last, w->last);
    return padded ? w->last : all;
}

/* Steps of the loop over the digits that have no loops of their own. In one
 * loop each step of the last index has all places of the others. */
static void set_steps(const struct xk_plan *p, unsigned last,
                      struct xk_plan_walk *w)
{
    const int64_t step = p->t.k;
    const int64_t places =
        xk_plan_few(p) > 1 ? step : places_of_steps(p, last, w);
    const int64_t inside =
        xk_schedule_is_one_loop(&p->s) ? p->shape.k_outer : 1;
    w->trip = (uint32_t)(places / step * inside / xk_schedule_slices(&p->s));
    w->rest_e = (uint16_t)(places % step);
    w->rest = w->rest_e ? (uint32_t)inside : 0;
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
    complete_last(p, (unsigned)last, &p->walk);
    set_steps(p, (unsigned)last, &p->walk);
}
