/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers a message writes. */
#include "sim/check/check_state.h"
#include "sim/check/pair.h"
#include "sim/message/message_shown.h"
#include "sim/message/sim_message.h"

void xk_pair_loaded(struct xk_pair_wrong *w, const struct xk_sim_thread *t,
                    const struct xk_sim_inst *e, uint32_t mask)
{
    const struct xk_msg *const m = &e->msg;
    const uint32_t grf_b = t->kernel->grf_b;
    const uint32_t lanes = xk_sim_msg_lanes(m, mask);
    const bool is_block2d = m->op == XK_MOP_LOAD_BLOCK2D;
    const bool by_lane = m->addr_b && !m->transpose && !is_block2d;
    const unsigned n = xk_msg_op_class(m->op) == XK_MCLASS_ATOMIC ? 1 : m->vec;
    if (e->dst.kind != XK_SO_REG || !lanes)
        return;
    if (!by_lane) {
        xk_pair_right(w, e->dst.off_b,
                      (m->dst_grf == 31 ? 32u : m->dst_grf) * grf_b);
        return;
    }
    for (unsigned v = 0; v < n; v++)
        for (uint32_t k = lanes; k; k &= k - 1)
            xk_pair_right(w,
                          e->dst.off_b + v * xk_sim_plane_b(t, e) +
                              (uint32_t)__builtin_ctz(k) * m->reg_b,
                          m->reg_b);
}
