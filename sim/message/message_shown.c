/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers of a message matter: the addresses of the channels that take
 * part, the descriptors, and data that is stored for others to see. */
#include "sim/message/message_shown.h"

#include "sim/message/sim_message.h"

uint32_t xk_sim_bits_find(const uint64_t *bits, uint32_t at_b, uint32_t n_b)
{
    const uint32_t end_b =
        at_b + n_b < XK_SIM_SHOWN_B ? at_b + n_b : XK_SIM_SHOWN_B;
    for (uint32_t b = at_b; b < end_b; b++) {
        if (!bits[b / 64])
            b |= 63;
        else if (bits[b / 64] >> b % 64 & 1)
            return b;
    }
    return UINT32_MAX;
}

uint32_t xk_sim_msg_lanes(const struct xk_msg *m, uint32_t mask)
{
    return m->simd && m->simd < 32 ? mask & ((1u << m->simd) - 1) : mask;
}

/* The first byte of the elements, of size_b bytes, of those channels. */
static uint32_t find_lanes(const uint64_t *bits, uint32_t at_b, uint32_t size_b,
                           uint32_t lanes)
{
    uint32_t found = UINT32_MAX;
    for (; lanes && found == UINT32_MAX; lanes &= lanes - 1)
        found = xk_sim_bits_find(
            bits, at_b + (uint32_t)__builtin_ctz(lanes) * size_b, size_b);
    return found;
}

static uint32_t in_descriptor(const uint64_t *bits, const struct xk_sim_inst *e)
{
    uint32_t found = UINT32_MAX;
    if (e->in.send.desc_reg)
        found = xk_sim_bits_find(bits, XK_RF_A0, 4);
    if (found == UINT32_MAX && e->in.send.exdesc_reg)
        found = xk_sim_bits_find(
            bits, XK_RF_A0 + 4u * (e->in.send.exdesc_sub & 7), 4);
    return found;
}

/* The parts of headers that mean something. */
static uint32_t in_addresses(const uint64_t *bits,
                             const struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, uint32_t lanes)
{
    const struct xk_msg *const m = &e->msg;
    const uint32_t at_b = e->src[0].off_b;
    if (e->src[0].kind != XK_SO_REG)
        return UINT32_MAX;
    if (xk_msg_is_block2d(m))
        return xk_sim_bits_find(bits, at_b, 32);
    if (xk_msg_is_strided(m))
        return xk_sim_bits_find(bits, at_b, 12);
    if (!xk_msg_is_block(m))
        return !m->addr_b ? UINT32_MAX
                          : find_lanes(bits, xk_sim_addresses_at(t, e),
                                       m->addr_b, lanes);
    if (m->space == XK_MSPACE_SCRATCH)
        return UINT32_MAX;
    return m->addr_b == 8 || !m->header
               ? xk_sim_bits_find(bits, at_b, m->addr_b)
               : xk_sim_bits_find(bits, at_b + 8, 4);
}

static uint32_t in_data(const uint64_t *bits, const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e, uint32_t lanes,
                        bool scratch)
{
    const struct xk_msg *const m = &e->msg;
    const bool atomic = xk_msg_op_class(m->op) == XK_MCLASS_ATOMIC;
    const unsigned n = atomic ? xk_msg_atomic_n_srcs(m->op) : m->vec;
    const uint32_t at_b = e->src[1].off_b;
    uint32_t found = UINT32_MAX;
    if (e->src[1].kind != XK_SO_REG ||
        (m->space == XK_MSPACE_SCRATCH && !scratch))
        return UINT32_MAX;
    if (xk_msg_is_block2d(m))
        return xk_sim_bits_find(bits, at_b, m->src1_grf * t->kernel->grf_b);
    if (xk_msg_is_block(m) || xk_msg_is_strided(m))
        return xk_sim_bits_find(bits, at_b, (uint32_t)m->vec * m->data_b);
    for (unsigned v = 0; v < n && found == UINT32_MAX; v++)
        for (uint32_t k = lanes; k && found == UINT32_MAX; k &= k - 1)
            found = xk_sim_bits_find(bits,
                                     at_b + v * xk_sim_plane_b(t, e) +
                                         (uint32_t)__builtin_ctz(k) * m->reg_b,
                                     m->data_b);
    return found;
}

uint32_t xk_sim_msg_shown(const uint64_t *bits, const struct xk_sim_thread *t,
                          const struct xk_sim_inst *e, uint32_t mask,
                          bool scratch)
{
    const uint32_t lanes = xk_sim_msg_lanes(&e->msg, mask);
    uint32_t found = in_descriptor(bits, e);
    if (found != UINT32_MAX || e->in.send.desc_reg)
        return found;
    switch (xk_msg_op_class(e->msg.op)) {
    case XK_MCLASS_LOAD:
        return in_addresses(bits, t, e, lanes);
    case XK_MCLASS_STORE:
    case XK_MCLASS_ATOMIC:
        found = in_addresses(bits, t, e, lanes);
        return found != UINT32_MAX ? found
                                   : in_data(bits, t, e, lanes, scratch);
    case XK_MCLASS_BARRIER:
        return e->src[0].kind == XK_SO_REG
                   ? xk_sim_bits_find(bits, e->src[0].off_b + 8, 4)
                   : UINT32_MAX;
    default:
        return UINT32_MAX;
    }
}
