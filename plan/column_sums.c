/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of B's columns beside the products (plan.h, struct xk_plan_sums and
 * struct xk_plan_totals). */
#include "plan/operand.h"

/* Bytes that hold a partial sum with its sign, of so many elements. */
static unsigned partial_sum_bytes(enum xk_dtype b, int64_t elements)
{
    const bool has_sign = b == XK_DT_S8;
    const int64_t most = elements * (has_sign ? 128 : 255);
    unsigned n = 1;
    while (n < 4 && most > (INT64_C(1) << (8 * n - has_sign)) - !has_sign)
        n++;
    return n;
}

enum xk_status xk_plan_sums(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_sums *const s = &p->sums;
    const struct xk_nest *const con = p->con;
    const unsigned shared = xk_plan_is_wide(p) ? 2 : 1;
    const unsigned deep_b = p->platform->dpas_depth_b;
    for (unsigned i = 0; i < con->n_epi && !s->any; i++) {
        s->any = con->epi[i].times_b;
        s->input = con->epi[i].input;
    }
    if (!s->any)
        return XK_OK;
    /* Packed places do not fill a register's partial sums evenly. */
    if (!p->t.dpas || xk_schedule_packs(&p->s))
        return xk_fail(c, XK_ENOFIT,
                       "plan: sums of B's columns are made by dpas, whose "
                       "places are not packed");
    const int64_t k = xk_contraction_extent(&con->walked, XK_ROLE_K);
    s->bytes = (uint8_t)partial_sum_bytes(
        con->b.view.layout.dt, xk_ceil_div(k, deep_b / 4 * p->slices.n));
    s->part_b = p->t.n_part / shared * deep_b;
    s->size_b = p->t.n / shared * deep_b;
    return XK_OK;
}

void xk_plan_totals(struct xk_plan *p)
{
    const struct xk_nest *const con = p->con;
    if (!con->totals)
        return;
    const unsigned each_b = p->t.dpas ? p->t.lanes * 4u : 4u;
    p->totals = (struct xk_plan_totals){.any = true,
                                        .input = (uint8_t)(con->n_inputs - 1),
                                        .part_b = p->t.n_part * each_b,
                                        .size_b = p->t.n * each_b};
}
