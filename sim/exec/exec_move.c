/* SPDX-License-Identifier: Apache-2.0 */
/* Moves that are more than a copy: movi takes each lane from its own place in
 * one register, and srnd rounds at random. */
#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

/* The register of the first address serves all lanes; the others only choose
 * a place inside it. */
static void exec_movi(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    union xk_sim_lanes v;
    const struct xk_sim_opnd *o = &e->src[0];
    const uint32_t grf_b = t->kernel->grf_b;
    const uint32_t mask = xk_sim_mask(t, e);
    uint16_t a0;
    memcpy(&a0, t->rf + o->off_b, 2);
    const int32_t first = (int32_t)a0 + o->a0_off_b;
    if (first < 0 || (uint32_t)first >= t->kernel->grf_count * grf_b) {
        xk_sim_fault(t, e,
                     "indirect register byte %d is outside the %u "
                     "registers",
                     first, t->kernel->grf_count);
        return;
    }
    const uint32_t reg = (uint32_t)first / grf_b * grf_b;
    for (unsigned l = 0; l < e->exec; l++) {
        uint32_t bits;
        memcpy(&a0, t->rf + o->off_b + 2 * (l & 15), 2);
        const uint32_t at =
            (uint32_t)((int32_t)a0 + o->a0_off_b) % grf_b / 4 * 4;
        memcpy(&bits, t->rf + reg + at, 4);
        v.i[l] = bits;
    }
    xk_sim_store_raw(t, e, mask, &v);
}

/* Denormals stay, whatever cr0 says. */
static void exec_srnd(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    union xk_sim_lanes v, random;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch_int(t, e, &e->src[0], &v) ||
        !xk_sim_fetch_int(t, e, &e->src[1], &random))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        const uint32_t bits = (uint32_t)v.i[l], chance = (uint32_t)random.i[l];
        float f;
        memcpy(&f, &bits, 4);
        v.i[l] = e->dst.type == XK_RT_HF
                     ? xk_sim_half_stochastic(f, chance)
                     : xk_sim_bf8_stochastic((uint16_t)bits, chance);
    }
    xk_sim_store_raw(t, e, mask, &v);
}

/* All that vISA makes of it. */
static bool is_plain_movi(const struct xk_sim_inst *e)
{
    const struct xk_operand *const s1 = &e->in.src[1];
    const bool alone = s1->file == XK_FILE_NONE ||
                       (s1->file == XK_FILE_ARF && s1->arf == XK_ARF_NULL);
    return (e->src[0].kind == XK_SO_INDIRECT || e->src[0].kind == XK_SO_VXH) &&
           alone && !e->src[0].neg && !e->src[0].abs && !e->in.sat &&
           !e->in.acc_wr_en;
}

xk_sim_fn *xk_sim_select_move(const struct xk_sim_inst *e)
{
    if (e->in.op == XK_OPC_MOVI)
        return is_plain_movi(e) ? exec_movi : NULL;
    const bool to_half = e->dst.type == XK_RT_HF && e->src[0].type == XK_RT_F;
    const bool to_bf8 = e->dst.type == XK_RT_BF8 && e->src[0].type == XK_RT_HF;
    return e->in.op == XK_OPC_SRND && !e->in.sat && (to_half || to_bf8)
               ? exec_srnd
               : NULL;
}
