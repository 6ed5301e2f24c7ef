/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and what nobody wrote. Lanes that take part need a defined address,
 * descriptor and predicate. Data that goes to memory which others see must be
 * defined. Being undefined travels through SLM and scratch as it does through
 * registers. */
#include <stdio.h>

#include "sim/check/check_state.h"
#include "sim/message/sim_message.h"

static uint32_t lanes_of_message(const struct xk_msg *m, uint32_t mask)
{
    return m->simd && m->simd < 32 ? mask & ((1u << m->simd) - 1) : mask;
}

static void need_addresses(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, const struct xk_msg *m,
                           uint32_t lanes)
{
    static const char role[] = "the address";
    uint32_t at_b = e->src[0].off_b;
    if (e->src[0].kind != XK_SO_REG || !lanes)
        return;
    if (xk_msg_is_block2d(m)) {
        xk_check_need_defined(c, e, at_b, 32, role, 0);
    } else if (xk_msg_is_block(m)) {
        if (xk_sfid_is_lsc(m->sfid) || m->addr_b == 8)
            xk_check_need_defined(c, e, at_b, m->addr_b, role, 0);
        else if (m->space != XK_MSPACE_SCRATCH)
            xk_check_need_defined(c, e, at_b + 8, 4, role, 0);
    } else if (m->op == XK_MOP_LOAD_STRIDED || m->op == XK_MOP_STORE_STRIDED) {
        xk_check_need_defined(c, e, at_b, 12, role, 0);
    } else if (m->addr_b) {
        at_b += m->header ? c->thread->kernel->grf_b : 0;
        if (xk_check_defined(c, at_b, (uint32_t)e->exec * m->addr_b))
            return;
        for (; lanes; lanes &= lanes - 1) {
            const unsigned l = (unsigned)__builtin_ctz(lanes);
            xk_check_need_defined(c, e, at_b + l * m->addr_b, m->addr_b, role,
                                  l);
        }
    }
}

void xk_check_send_before(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t mask)
{
    const struct xk_sim_thread *const t = c->thread;
    const struct xk_msg *const m = &e->msg;
    const uint32_t exec =
        (e->no_mask ? UINT32_MAX : t->active >> e->chan_off) & e->lanes;
    const uint32_t bad = exec & ~xk_check_pred_ok(c, e, exec);
    if (bad)
        xk_check_undefined(c, e, XK_RF_FLAG + e->flag_bit / 16 * 2u,
                           "the message's predicate",
                           (unsigned)__builtin_ctz(bad));
    if (!mask)
        return;
    if (e->in.send.desc_reg)
        xk_check_need_defined(c, e, XK_RF_A0, 4, "the descriptor", 0);
    if (e->in.send.exdesc_reg)
        xk_check_need_defined(c, e, XK_RF_A0 + 4u * (e->in.send.exdesc_sub & 7),
                              4, "the extended descriptor", 0);
    if (e->in.send.desc_reg)
        return; /* what it is is known later */
    switch (xk_msg_op_class(m->op)) {
    case XK_MCLASS_LOAD:
    case XK_MCLASS_STORE:
    case XK_MCLASS_ATOMIC:
        if (!xk_check_typed_before(c, e, m, lanes_of_message(m, mask)))
            need_addresses(c, e, m, lanes_of_message(m, mask));
        break;
    case XK_MCLASS_BARRIER:
        if (e->src[0].kind == XK_SO_REG)
            xk_check_need_defined(c, e, e->src[0].off_b + 8, 4,
                                  "the barrier's payload", 0);
        break;
    case XK_MCLASS_EOT:
        if (e->src[0].kind == XK_SO_REG) /* a copy of r0 */
            xk_check_need_defined(c, e, e->src[0].off_b, 32,
                                  "the payload of the end", 0);
        break;
    case XK_MCLASS_OTHER:
        xk_check_sample_before(c, e, mask);
        break;
    default:
        break;
    }
}

static uint32_t plane_b(const struct xk_sim_check_thread *c,
                        const struct xk_msg *m)
{
    const uint32_t grf_b = c->thread->kernel->grf_b;
    return ((uint32_t)m->simd * m->reg_b + grf_b - 1) / grf_b * grf_b;
}

/* Bytes of memory and of registers that stand for each other. */
struct moved {
    uint64_t addr;
    uint32_t reg_b, n_b;
};

static void exchange(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                     const struct xk_check_note *n, struct moved moved,
                     bool store)
{
    const uint64_t addr = moved.addr;
    const uint32_t reg_b = moved.reg_b;
    for (uint32_t b = 0; b < moved.n_b; b += 64) {
        const uint32_t left_b = moved.n_b - b, m_b = left_b < 64 ? left_b : 64;
        if (n->space == XK_CS_SLM || n->space == XK_CS_SCRATCH) {
            if (store)
                xk_check_set_def(c, n->space, addr + b, m_b,
                                 xk_check_get_bits(c, reg_b + b, m_b));
            else
                xk_check_put_bits(c, reg_b + b, m_b,
                                  xk_check_get_def(c, n->space, addr + b, m_b));
        } else if (store) {
            xk_check_need_defined(c, e, reg_b + b, m_b, "what is stored",
                                  n->lane);
        } else {
            xk_check_put_bits(c, reg_b + b, m_b, UINT64_MAX);
        }
    }
}

/* No byte that was touched is known to be undefined. */
static bool is_all_defined(const struct xk_sim_check_work *w)
{
    return !(w->spaces & (1u << XK_CS_SLM | 1u << XK_CS_SCRATCH));
}

/* All lanes got a value: beyond a surface's end it is zero. */
static void fill_lanes(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e, const struct xk_msg *m,
                       uint32_t lanes)
{
    const uint32_t high_b = m->data_high ? (uint32_t)(m->reg_b - m->data_b) : 0;
    for (unsigned v = 0; v < m->vec; v++)
        for (uint32_t k = lanes; k; k &= k - 1) {
            const unsigned l = (unsigned)__builtin_ctz(k);
            const uint32_t at_b =
                e->dst.off_b + v * plane_b(c, m) + l * m->reg_b;
            if (!m->data_high && m->reg_b != m->data_b)
                xk_check_put(c, at_b, m->reg_b, false);
            xk_check_put(c, at_b + high_b, m->data_b, true);
        }
}

/* All of the payload becomes defined; what a load brought may define it. */
static bool is_quiet(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                     const struct xk_msg *m, const struct xk_sim_opnd *data,
                     uint32_t lanes)
{
    const uint32_t plane = (uint32_t)m->simd * m->reg_b;
    const uint32_t n_b = m->vec * plane;
    if (m->data_b != m->reg_b || plane != plane_b(c, m))
        return false;
    if (xk_check_defined(c, data->off_b, n_b))
        return true;
    if (data != &e->dst || m->simd > XK_SIM_LANES ||
        lanes != (uint32_t)((UINT64_C(1) << m->simd) - 1))
        return false;
    xk_check_put(c, data->off_b, n_b, true);
    return true;
}

static bool travels(const struct xk_check_span *s)
{
    return s->space == XK_CS_SLM || s->space == XK_CS_SCRATCH;
}

/* How many of a span's bytes are asked at once, from its byte b on. */
static uint32_t part_b(const struct xk_check_span *s, uint32_t b)
{
    return s->n_b - b < 64 ? s->n_b - b : 64;
}

/* Memory whose bytes are known one by one: everything that was read of it is
 * defined. */
static bool all_known(struct xk_sim_check_thread *c)
{
    const struct xk_sim_check_work *const w = c->work;
    for (unsigned i = 0; i < w->n_spans; i++) {
        const struct xk_check_span *const s = &w->span[i];
        for (uint32_t b = 0; travels(s) && b < s->n_b; b += 64)
            if (xk_check_get_def(c, s->space, s->addr + b, part_b(s, b)) !=
                xk_check_low_bits(part_b(s, b)))
                return false;
    }
    return true;
}

/* What was written is. */
static void know_all(struct xk_sim_check_thread *c)
{
    const struct xk_sim_check_work *const w = c->work;
    for (unsigned i = 0; i < w->n_spans; i++) {
        const struct xk_check_span *const s = &w->span[i];
        for (uint32_t b = 0; travels(s) && b < s->n_b; b += 64)
            xk_check_set_def(c, s->space, s->addr + b, part_b(s, b),
                             UINT64_MAX);
    }
}

static void check_gather(struct xk_sim_check_thread *c,
                         const struct xk_sim_inst *e, const struct xk_msg *m,
                         uint32_t lanes, bool store)
{
    const struct xk_sim_check_work *const w = c->work;
    const struct xk_sim_opnd *const data = store ? &e->src[1] : &e->dst;
    const uint32_t high_b = m->data_high ? (uint32_t)(m->reg_b - m->data_b) : 0;
    const uint32_t step_b = plane_b(c, m);
    uint8_t done[XK_SIM_LANES] = {0};
    if (data->kind != XK_SO_REG)
        return;
    const bool plain = is_all_defined(w) || (!store && all_known(c));
    if ((plain || store) && is_quiet(c, e, m, data, lanes)) {
        if (!plain)
            know_all(c);
        return;
    }
    if (!store)
        fill_lanes(c, e, m, lanes);
    if (!store && plain)
        return;
    for (unsigned i = 0; i < w->n_notes; i++) {
        const struct xk_check_note *const n = &w->note[i];
        if (n->space == XK_CS_STATE && store)
            continue;
        for (uint32_t b = 0; b < n->n_b; b += m->data_b) {
            const unsigned l = n->lane % XK_SIM_LANES;
            const uint32_t reg =
                data->off_b + done[l]++ * step_b + l * m->reg_b + high_b;
            if (store || n->space == XK_CS_SLM || n->space == XK_CS_SCRATCH)
                exchange(c, e, n, (struct moved){n->addr + b, reg, m->data_b},
                         store);
        }
    }
}

/* What the mask lets through is defined, even beyond a surface's end. */
static void fill_block(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e, const struct xk_msg *m,
                       uint32_t mask, uint32_t at_b)
{
    const uint32_t unit_b = xk_sim_block_unit_b(m);
    const uint32_t all_b = (uint32_t)m->vec * m->data_b;
    const uint32_t piece_b = unit_b ? unit_b : all_b;
    for (uint32_t b = 0; b < all_b; b += piece_b)
        if (xk_sim_block_moves(e, mask, unit_b, b))
            xk_check_put(c, at_b + b, piece_b, true);
}

/* The whole block, or pieces of one size, whose number is in `lane`. */
static void block(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                  const struct xk_msg *m, uint32_t mask)
{
    const struct xk_sim_check_work *const w = c->work;
    const bool store = xk_msg_op_class(m->op) == XK_MCLASS_STORE;
    const struct xk_sim_opnd *const data = store ? &e->src[1] : &e->dst;
    const uint32_t all_b = (uint32_t)m->vec * m->data_b;
    const uint32_t at_b = data->off_b + (m->data_high ? 16 : 0);
    if (data->kind != XK_SO_REG ||
        (w->spaces == 1u << XK_CS_GLOBAL && !w->beyond_b &&
         xk_check_defined(c, at_b, all_b)))
        return;
    if (!store && w->n_notes)
        fill_block(c, e, m, mask, at_b);
    for (unsigned i = 0; i < w->n_notes; i++) {
        const struct xk_check_note *const n = &w->note[i];
        if (n->space == XK_CS_STATE)
            continue;
        if (store || n->space == XK_CS_SLM || n->space == XK_CS_SCRATCH)
            exchange(c, e, n,
                     (struct moved){n->addr, at_b + n->lane * n->n_b, n->n_b},
                     store);
    }
    if (w->beyond_b)
        xk_check_put(c, at_b + all_b - w->beyond_b, w->beyond_b, false);
}

static void atomic(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                   const struct xk_msg *m, uint32_t lanes)
{
    const unsigned n = xk_msg_atomic_n_srcs(m->op);
    const struct xk_sim_check_work *const w = c->work;
    for (uint32_t k = lanes; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        for (unsigned v = 0; v < n && e->src[1].kind == XK_SO_REG; v++)
            xk_check_need_defined(
                c, e, e->src[1].off_b + v * plane_b(c, m) + l * m->reg_b,
                m->data_b, "the operand of the atomic", l);
        if (e->dst.kind == XK_SO_REG && m->dst_grf)
            xk_check_put(c, e->dst.off_b + l * m->reg_b, m->reg_b, true);
    }
    for (unsigned i = 0; i < w->n_notes; i++)
        if (w->note[i].space == XK_CS_SLM || w->note[i].space == XK_CS_SCRATCH)
            xk_check_set_def(c, w->note[i].space, w->note[i].addr,
                             w->note[i].n_b, UINT64_MAX);
}

static void whole_dst(struct xk_sim_check_thread *c,
                      const struct xk_sim_inst *e, const struct xk_msg *m)
{
    if (e->dst.kind == XK_SO_REG)
        xk_check_put(c, e->dst.off_b,
                     (m->dst_grf == 31 ? 32u : m->dst_grf) *
                         c->thread->kernel->grf_b,
                     true);
}

void xk_check_send_after(struct xk_sim_check_thread *c,
                         const struct xk_sim_inst *e, uint32_t mask)
{
    const struct xk_msg *const m = xk_check_msg(c, e);
    const enum xk_msg_class k = xk_msg_op_class(m->op);
    const uint32_t lanes = lanes_of_message(m, mask);
    if (!lanes || xk_check_typed_after(c, e, m, lanes) ||
        xk_check_sample_after(c, e, lanes))
        return;
    if (k == XK_MCLASS_ATOMIC)
        atomic(c, e, m, lanes);
    else if (k != XK_MCLASS_LOAD && k != XK_MCLASS_STORE)
        whole_dst(c, e, m);
    else if (xk_msg_is_block2d(m) || m->op == XK_MOP_LOAD_STATUS || !m->addr_b)
        whole_dst(c, e, m);
    else if (xk_msg_is_block(m))
        block(c, e, m, mask);
    else
        check_gather(c, e, m, lanes, k == XK_MCLASS_STORE);
}
