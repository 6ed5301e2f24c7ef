/* SPDX-License-Identifier: Apache-2.0 */
/* How the init checker looks at each instruction of a kernel: by the byte
 * ranges that it reads and writes, or lane by lane where these are not
 * known. */
#include "isa/format.h"
#include "sim/exec/select.h"
#include "sim/check/check_state.h"
#include "sim/core/sim_operand.h"

/* True if there is no operand, or if it is a byte range, which *r gets. */
static bool set_range(const struct xk_sim_opnd *o, unsigned exec,
                      struct xk_check_range *r)
{
    *r = (struct xk_check_range){0, 0};
    if (o->kind == XK_SO_NONE || o->kind == XK_SO_IMM)
        return true;
    if (o->kind != XK_SO_REG || xk_check_is_flag(o->off_b))
        return false;
    if (o->off_b >= XK_RF_CE ||
        (o->off_b >= XK_RF_ZERO && o->off_b < XK_RF_FLAG))
        return true;
    *r = (struct xk_check_range){o->off_b, xk_sim_extent_b(o, exec)};
    return true;
}

static bool is_acc_region(const struct xk_sim_opnd *o)
{
    return o->kind == XK_SO_REG && o->off_b >= XK_RF_ACC &&
           o->off_b < XK_RF_ZERO;
}

/* Bytes of an element in the unnamed accumulator. */
static uint32_t acc_b(const struct xk_sim_inst *e)
{
    const unsigned op = e->in.op;
    if (op != XK_OPC_MAC && (!e->in.acc_wr_en || op == XK_OPC_MACH ||
                             op == XK_OPC_ADDC || op == XK_OPC_SUBB))
        return 4;
    return e->dst.size_b < 2 ? 2 : e->dst.size_b;
}

static void plan_acc_use(const struct xk_sim_inst *e, struct xk_check_inst *out)
{
    const unsigned use = xk_inst_acc_use(&e->in);
    const uint32_t lane_b = acc_b(e), step_b = xk_inst_acc_step_b(&e->in);
    out->acc_lane_b = (uint8_t)lane_b;
    out->acc_step_b = (uint8_t)(step_b < lane_b ? lane_b : step_b);
    const struct xk_check_range all = {XK_RF_ACC + xk_inst_acc_first_b(&e->in),
                                       (e->exec - 1u) * out->acc_step_b +
                                           lane_b};
    bool read = false;
    if (xk_math_is_macro(&e->in))
        return; /* exponents beyond the type's: not followed */
    for (unsigned n = 0; n < e->n_srcs; n++)
        read |= is_acc_region(&e->src[n]);
    if (use & 1 && !read)
        out->acc_in = all;
    if (use & 2 && !is_acc_region(&e->dst))
        out->acc_out = all;
}

static uint64_t pattern(const struct xk_sim_opnd *o, unsigned exec)
{
    uint64_t bits = 0;
    for (unsigned l = 0; l < exec; l++)
        if (l * o->vs_b < 64)
            bits |= xk_check_low_bits(o->size_b) << l * o->vs_b;
    return bits;
}

static void plan_dpas(const struct xk_sim_kernel *k,
                      const struct xk_sim_inst *e, struct xk_check_inst *out)
{
    out->kind = XK_CK_DPAS;
    for (int n = -1; n < 3; n++) {
        const struct xk_sim_opnd *const o = n < 0 ? &e->dst : &e->src[n];
        const struct xk_footprint f = xk_inst_footprint(k->platform, &e->in, n);
        struct xk_check_range *const r = n < 0 ? &out->dst : &out->src[n];
        *r = (struct xk_check_range){0, 0};
        if (o->kind == XK_SO_REG && o->off_b < XK_RF_ACC)
            *r = (struct xk_check_range){f.first_b, f.end_b - f.first_b};
    }
    if (e->in.op == XK_OPC_DPASW && e->src[2].off_b == XK_RF_STAGE)
        /* of both threads together */
        out->src[2] = (struct xk_check_range){e->pair_off_b, e->pair_src2_b};
}

static void plan_alu(const struct xk_sim_inst *e, struct xk_check_inst *out)
{
    bool ranges = set_range(&e->dst, e->exec, &out->dst);
    for (unsigned n = 0; n < e->n_srcs; n++)
        ranges &= set_range(&e->src[n], e->exec, &out->src[n]);
    plan_acc_use(e, out);
    out->kind = ranges ? XK_CK_RANGES : XK_CK_LANES;
    out->dst_bits = pattern(&e->dst, e->exec);
}

void xk_check_plan(const struct xk_sim_kernel *k, const struct xk_sim_inst *e,
                   struct xk_check_inst *out)
{
    const unsigned op = e->in.op;
    *out = (struct xk_check_inst){.kind = XK_CK_NONE};
    if (xk_inst_is_send(&e->in))
        out->kind = XK_CK_SEND;
    else if (xk_inst_is_dpas(&e->in))
        plan_dpas(k, e, out);
    else if (op == XK_OPC_NOP || op == XK_OPC_SYNC || !e->exec)
        out->kind = XK_CK_NONE;
    else if (xk_inst_is_branch(&e->in))
        out->kind = XK_CK_BRANCH;
    else if (e->n_srcs)
        plan_alu(e, out);
}
