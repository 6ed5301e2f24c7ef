/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that read or write the accumulator without naming it: its place
 * follows the destination's sub-register and stride. An integer accumulator is
 * wider than its register: what does not fit lies in acc_hi. */
#include <math.h>

#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

/* The lane's offset from acc0 on; each lane has size_b bytes at least. */
static uint32_t acc_offset(const struct xk_sim_inst *e, unsigned lane,
                           unsigned size_b)
{
    const uint32_t step_b = xk_inst_acc_step_b(&e->in);
    return xk_inst_acc_first_b(&e->in) +
           lane * (step_b < size_b ? size_b : step_b);
}

static int64_t acc_get(const struct xk_sim_thread *t, uint32_t at_b,
                       unsigned size_b)
{
    const uint64_t bits = xk_rf_u64(t, XK_RF_ACC + at_b);
    if (size_b == 8)
        return (int64_t)bits;
    const uint64_t own = bits & ((UINT64_C(1) << 8 * size_b) - 1);
    return (int64_t)((uint64_t)(int64_t)t->acc_hi[at_b / 2] << 8 * size_b |
                     own);
}

static void acc_set(struct xk_sim_thread *t, uint32_t at_b, int64_t v)
{
    xk_rf_set_u32(t, XK_RF_ACC + at_b, (uint32_t)v);
    t->acc_hi[at_b / 2] = (int32_t)(v >> 32);
}

/* Carry or borrow goes to the accumulator as 0 or 1. */
static void exec_addc(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    const bool add = e->in.op == XK_OPC_ADDC;
    for (unsigned l = 0; l < e->exec; l++) {
        const uint64_t x = (uint32_t)s.v[0].i[l], y = (uint32_t)s.v[1].i[l];
        const uint64_t r = add ? x + y : x - y;
        const bool under = !add && e->in.sat;
        s.v[0].i[l] = under ? (int64_t)r : (int64_t)(r & UINT32_MAX);
        if (mask >> l & 1)
            acc_set(t, acc_offset(e, l, 4), (int64_t)(r >> 32 & 1));
    }
    xk_sim_finish(t, e, mask, &s.v[0], XK_SIM_FLAGS);
}

/* The accumulator holds src0 * src1[15:0], and this adds the high part of src1.
 * macl gives bits 31:0. mach gives bits 63:32, and the accumulator gets the
 * whole product. Where AccWrEn exists, macl is mach without it. */
static void exec_mach(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    const bool high = e->in.op == XK_OPC_MACH &&
                      (e->in.acc_wr_en || !t->kernel->platform->has_acc_wr_en);
    for (unsigned l = 0; l < e->exec; l++) {
        const uint64_t hi = (uint64_t)s.v[1].i[l] & ~UINT64_C(0xffff);
        const uint64_t p = (uint64_t)acc_get(t, acc_offset(e, l, 4), 4) +
                           (uint64_t)s.v[0].i[l] * hi;
        if (high && (mask >> l & 1))
            acc_set(t, acc_offset(e, l, 4), (int64_t)p);
        s.v[0].i[l] = high ? (int64_t)p >> 32 : (int64_t)(int32_t)p;
    }
    xk_sim_finish(t, e, mask, &s.v[0], XK_SIM_FLAGS);
}

/* acc + a * b, where a float accumulator has the destination's type. */
static void mac_lane(const struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     struct xk_sim_sources *s, unsigned l)
{
    if (e->is_double) {
        double acc;
        memcpy(&acc, t->rf + XK_RF_ACC + acc_offset(e, l, 8), 8);
        s->v[0].d[l] = fma(s->v[0].d[l], s->v[1].d[l], acc);
    } else if (e->is_float && e->dst.type == XK_RT_HF) {
        uint16_t h;
        memcpy(&h, t->rf + XK_RF_ACC + acc_offset(e, l, 2), 2);
        s->v[0].f[l] = xk_sim_mad_half(xk_sim_half_to_float(h), s->v[0].f[l],
                                       s->v[1].f[l]);
    } else if (e->is_float) {
        float acc;
        memcpy(&acc, t->rf + XK_RF_ACC + acc_offset(e, l, 4), 4);
        s->v[0].f[l] = fmaf(s->v[0].f[l], s->v[1].f[l], acc);
    } else {
        const unsigned size_b = e->dst.size_b < 2 ? 2 : e->dst.size_b;
        s->v[0].i[l] =
            (int64_t)((uint64_t)acc_get(t, acc_offset(e, l, size_b), size_b) +
                      (uint64_t)s->v[0].i[l] * (uint64_t)s->v[1].i[l]);
    }
}

static void exec_mac(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    for (unsigned l = 0; l < e->exec; l++)
        mac_lane(t, e, &s, l);
    xk_sim_finish(t, e, mask, &s.v[0], XK_SIM_FLAGS | XK_SIM_ACC);
}

/* clang-format off */
xk_sim_fn *xk_sim_select_acc(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_ADDC: case XK_OPC_SUBB: return exec_addc;
    case XK_OPC_MACH: case XK_OPC_MACL: return exec_mach;
    case XK_OPC_MAC: return exec_mac;
    default: return NULL;
    }
}
/* clang-format on */
