/* SPDX-License-Identifier: Apache-2.0 */
/* Undefined bytes in dpas and dpasw: an element of the result is defined if its
 * row and its column are defined as a whole. */
#include "sim/exec/select.h"
#include "sim/check/check_state.h"
#include "sim/core/sim_operand.h"

/* Bytes of src2. In a pair, the even thread has the first half of its registers
 * and the odd thread has the rest. */
static bool src2_ok(const struct xk_sim_check_thread *c,
                    const struct xk_sim_inst *e, const struct xk_check_inst *p,
                    uint32_t from_b, uint32_t n_b)
{
    const uint32_t at_b = p->src[2].at_b, end_b = from_b + n_b;
    if (e->in.op != XK_OPC_DPASW)
        return xk_check_defined(c, at_b + from_b, n_b);
    const struct xk_sim_thread *const even =
        &c->thread->group->thread[c->thread->index & ~1u];
    const uint32_t half_b =
        xk_sim_dpasw_first_b(c->thread->kernel, p->src[2].n_b);
    const uint32_t cut_b = end_b < half_b ? end_b : half_b;
    const uint32_t rest_b = from_b > half_b ? from_b : half_b;
    return (from_b >= cut_b ||
            xk_check_defined(xk_check_of(&even[0]), at_b + from_b,
                             cut_b - from_b)) &&
           (rest_b >= end_b ||
            xk_check_defined(xk_check_of(&even[1]), at_b + rest_b - half_b,
                             end_b - rest_b));
}

/* Element (row m, column n) needs its element of src0, all of src1's column,
 * and all of src2's row. */
static void dpas_lanes(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e,
                       const struct xk_check_inst *p, uint32_t mask)
{
    const unsigned n = e->exec, rows = e->in.rcount ? e->in.rcount : 1;
    const uint32_t size_b = p->dst.n_b / (n * rows);
    const uint32_t row2_b = p->src[2].n_b / rows;
    uint32_t cols = 0;
    for (unsigned k = 0; k < n; k++) {
        bool ok = true;
        for (uint32_t b = 4 * k; b < p->src[1].n_b; b += 4 * n)
            ok &= xk_check_defined(c, p->src[1].at_b + b, 4);
        cols |= (uint32_t)ok << k;
    }
    for (unsigned m = 0; m < rows; m++) {
        const bool row = src2_ok(c, e, p, m * row2_b, row2_b);
        for (unsigned k = 0; k < n; k++) {
            const uint32_t at = (m * n + k) * size_b;
            const bool old = !p->src[0].n_b ||
                             xk_check_defined(c, p->src[0].at_b + at, size_b);
            if (mask >> k & 1)
                xk_check_put(c, p->dst.at_b + at, size_b,
                             row && old && cols >> k & 1);
        }
    }
}

static void by_dpas(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                    const struct xk_check_inst *p, uint32_t mask)
{
    bool ok = mask == e->lanes && src2_ok(c, e, p, 0, p->src[2].n_b);
    for (unsigned n = 0; n < 2; n++)
        ok = ok && xk_check_defined(c, p->src[n].at_b, p->src[n].n_b);
    if (!p->dst.n_b)
        return;
    if (!ok)
        dpas_lanes(c, e, p, mask);
    else if (!xk_check_defined(c, p->dst.at_b, p->dst.n_b))
        xk_check_put(c, p->dst.at_b, p->dst.n_b, true);
}

/* The thread that comes second executes it for both. */
static void by_dpasw(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                     const struct xk_check_inst *p, uint32_t mask)
{
    const struct xk_sim_thread *const t = c->thread;
    const uint32_t partner = t->index ^ 1;
    if (partner >= t->group->n_threads ||
        t->group->thread[partner].state != XK_SIM_PAIR)
        return;
    const struct xk_sim_thread *const other = &t->group->thread[partner];
    if (&t->kernel->inst[other->ip] != e)
        return;
    by_dpas(xk_check_of(other), e, p, xk_sim_mask(other, e));
    by_dpas(c, e, p, mask);
}

void xk_check_dpas(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                   const struct xk_check_inst *p, uint32_t mask)
{
    if (e->in.op == XK_OPC_DPASW)
        by_dpasw(c, e, p, mask);
    else
        by_dpas(c, e, p, mask);
}
