/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on memory. Groups run on several host threads, so they are
 * atomic on the host too. */
#include <math.h>

#include "sim/message/sim_message.h"

static double to_double(uint64_t v, unsigned size_b)
{
    float f;
    double d;
    const uint32_t b = (uint32_t)v;
    if (size_b == 2)
        return (double)xk_sim_half_to_float((uint16_t)v);
    if (size_b == 8) {
        memcpy(&d, &v, 8);
        return d;
    }
    memcpy(&f, &b, 4);
    return (double)f;
}

static uint64_t from_double(double d, unsigned size_b)
{
    uint64_t q;
    uint32_t b;
    const float f = (float)d;
    if (size_b == 2)
        return xk_sim_half_from_float(f, 0);
    memcpy(&q, &d, 8);
    memcpy(&b, &f, 4);
    return size_b == 8 ? q : b;
}

/* A sum of halves or floats is exact in double, or off by less than what its
 * rounding to float can show. */
/* clang-format off */
static uint64_t float_op(unsigned op, uint64_t old, uint64_t a, uint64_t b,
                         unsigned size_b)
{
    const double x = to_double(old, size_b), y = to_double(a, size_b);
    switch (op) {
    case XK_MOP_ATOMIC_FADD: return from_double(x + y, size_b);
    case XK_MOP_ATOMIC_FSUB: return from_double(x - y, size_b);
    case XK_MOP_ATOMIC_FMIN: return from_double(fmin(x, y), size_b);
    case XK_MOP_ATOMIC_FMAX: return from_double(fmax(x, y), size_b);
    default: return x == y ? b : old; /* compare and exchange */
    }
}
/* clang-format on */

static int64_t sign_extend(uint64_t v, unsigned size_b)
{
    const unsigned up = 64 - 8 * size_b;
    return (int64_t)(v << up) >> up;
}

/* clang-format off */
static uint64_t min_max(unsigned op, uint64_t old, uint64_t a, unsigned size_b)
{
    const int64_t x = sign_extend(old, size_b), y = sign_extend(a, size_b);
    switch (op) {
    case XK_MOP_ATOMIC_SMIN: return x < y ? old : a;
    case XK_MOP_ATOMIC_SMAX: return x > y ? old : a;
    case XK_MOP_ATOMIC_UMIN: return old < a ? old : a;
    default: return old > a ? old : a;
    }
}
/* clang-format on */

/* clang-format off */
static uint64_t new_value(unsigned op, uint64_t old, uint64_t a, uint64_t b,
                          unsigned size_b)
{
    switch (op) {
    case XK_MOP_ATOMIC_LOAD: return old;
    case XK_MOP_ATOMIC_STORE: return a;
    case XK_MOP_ATOMIC_IINC: return old + 1;
    case XK_MOP_ATOMIC_IDEC: case XK_MOP_ATOMIC_IPDEC: return old - 1;
    case XK_MOP_ATOMIC_IADD: return old + a;
    case XK_MOP_ATOMIC_ISUB: return old - a;
    case XK_MOP_ATOMIC_IRSUB: return a - old;
    case XK_MOP_ATOMIC_ICAS: return old == a ? b : old;
    case XK_MOP_ATOMIC_AND: return old & a;
    case XK_MOP_ATOMIC_OR: return old | a;
    case XK_MOP_ATOMIC_XOR: return old ^ a;
    case XK_MOP_ATOMIC_SMIN: case XK_MOP_ATOMIC_SMAX:
    case XK_MOP_ATOMIC_UMIN: case XK_MOP_ATOMIC_UMAX:
        return min_max(op, old, a, size_b);
    default: return float_op(op, old, a, b, size_b);
    }
}
/* clang-format on */

/* mem is aligned: the address was checked, and buffers are aligned alike on
 * both sides. */
#define EXCHANGE(T)                                                            \
    do {                                                                       \
        T *p_ = (T *)(void *)mem;                                              \
        T old_ = __atomic_load_n(p_, __ATOMIC_SEQ_CST), new_;                  \
        do                                                                     \
            new_ = (T)new_value(op, old_, a, b, sizeof(T));                    \
        while (!__atomic_compare_exchange_n(                                   \
            p_, &old_, new_, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
        return old_;                                                           \
    } while (0)

uint64_t xk_sim_atomic_apply(uint8_t *mem, unsigned op, uint64_t a, uint64_t b,
                             unsigned size_b)
{
    if (size_b == 2)
        EXCHANGE(uint16_t);
    if (size_b == 8)
        EXCHANGE(uint64_t);
    EXCHANGE(uint32_t);
}

static uint64_t atomic_operand(const struct xk_sim_thread *t,
                               const struct xk_sim_inst *e, unsigned k,
                               unsigned l)
{
    const struct xk_msg *const m = &e->msg;
    uint64_t v = 0;
    if (k < xk_msg_atomic_n_srcs(m->op))
        memcpy(&v,
               t->rf + e->src[1].off_b + k * xk_sim_plane_b(t, e) +
                   l * m->reg_b,
               m->data_b);
    return v;
}

static bool returns(const struct xk_sim_inst *e)
{
    return e->dst.kind == XK_SO_REG && e->msg.dst_grf;
}

static bool atomic_payloads_fit(struct xk_sim_thread *t,
                                const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    const unsigned n = xk_msg_atomic_n_srcs(m->op);
    const uint32_t lanes = e->exec < m->simd ? e->exec : m->simd;
    const uint32_t lane_b = lanes * m->reg_b;
    const uint32_t head_b = m->header ? t->kernel->grf_b : 0;
    if (!xk_sim_payload(t, e, &e->src[0], head_b + lanes * m->addr_b,
                        m->src0_grf, "the address payload"))
        return false;
    if (n && !xk_sim_payload(t, e, &e->src[1],
                             (n - 1) * xk_sim_plane_b(t, e) + lane_b,
                             m->src1_grf, "the data payload"))
        return false;
    return !returns(e) ||
           xk_sim_payload(t, e, &e->dst, lane_b, m->dst_grf, "the destination");
}

/* Those that wait may wait for what has just been changed. In a fused pair one
 * thread does not go on without the other. */
static void let_others_look(struct xk_sim_thread *t, const uint8_t *mem,
                            uint64_t old, unsigned data_b)
{
    const struct xk_sim_run *const r = t->group->run;
    if (r->in_step && !r->pairs && memcmp(mem, &old, data_b) != 0 &&
        atomic_load_explicit(r->in_step, memory_order_relaxed))
        t->state = XK_SIM_YIELD;
}

/* What one lane gets back: the old value; beyond the end of a surface zero. */
static uint64_t atomic_lane(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e,
                            const struct xk_sim_view *v, unsigned l)
{
    const struct xk_msg *const m = &e->msg;
    uint64_t addr = 0;
    memcpy(&addr, t->rf + xk_sim_addresses_at(t, e) + l * m->addr_b, m->addr_b);
    uint8_t *mem = xk_sim_reach(
        t, e, v, (struct xk_sim_bytes){addr, m->data_b, m->data_b, l});
    if (!mem)
        return 0;
    const uint64_t old =
        xk_sim_atomic_apply(mem, m->op, atomic_operand(t, e, 0, l),
                            atomic_operand(t, e, 1, l), m->data_b);
    if (!v->host)
        let_others_look(t, mem, old, m->data_b);
    return m->op == XK_MOP_ATOMIC_IPDEC ? old - 1 : old;
}

/* The destination may overlap what is sent. */
void xk_sim_exec_atomic(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    uint64_t result[XK_SIM_LANES];
    struct xk_sim_view v;
    const uint32_t mask = xk_sim_msg_mask(t, e);
    if (!xk_sim_view_of(t, e, &v) || !atomic_payloads_fit(t, e))
        return;
    for (uint32_t k = mask; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        result[l] = atomic_lane(t, e, &v, l);
        if (t->state == XK_SIM_FAULT)
            return;
    }
    for (uint32_t k = returns(e) ? mask : 0; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        memcpy(t->rf + e->dst.off_b + l * m->reg_b, &result[l], m->reg_b);
    }
}
