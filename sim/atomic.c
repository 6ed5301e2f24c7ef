/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on memory. Groups run on several host threads, so they are
 * atomic on the host too. */
#include <math.h>

#include "sim/sim_message.h"

static float to_float(uint64_t v, unsigned size_b)
{
    float f;
    const uint32_t b = (uint32_t)v;
    if (size_b == 2)
        return xk_sim_half_to_float((uint16_t)v);
    memcpy(&f, &b, 4);
    return f;
}

static uint64_t from_float(float f, unsigned size_b)
{
    uint32_t b;
    if (size_b == 2)
        return xk_sim_half_from_float(f, 0);
    memcpy(&b, &f, 4);
    return b;
}

/* clang-format off */
static uint64_t float_op(unsigned op, uint64_t old, uint64_t a, uint64_t b,
                         unsigned size_b)
{
    const float x = to_float(old, size_b), y = to_float(a, size_b);
    switch (op) {
    case XK_ATOM_FADD: return from_float(x + y, size_b);
    case XK_ATOM_FSUB: return from_float(x - y, size_b);
    case XK_ATOM_FMIN: return from_float(fminf(x, y), size_b);
    case XK_ATOM_FMAX: return from_float(fmaxf(x, y), size_b);
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
    case XK_ATOM_SMIN: return x < y ? old : a;
    case XK_ATOM_SMAX: return x > y ? old : a;
    case XK_ATOM_UMIN: return old < a ? old : a;
    default: return old > a ? old : a;
    }
}
/* clang-format on */

/* clang-format off */
static uint64_t new_value(unsigned op, uint64_t old, uint64_t a, uint64_t b,
                          unsigned size_b)
{
    switch (op) {
    case XK_ATOM_LOAD: return old;
    case XK_ATOM_STORE: return a;
    case XK_ATOM_INC: return old + 1;
    case XK_ATOM_DEC: case XK_ATOM_PREDEC: return old - 1;
    case XK_ATOM_ADD: return old + a;
    case XK_ATOM_SUB: return old - a;
    case XK_ATOM_REVSUB: return a - old;
    case XK_ATOM_CAS: return old == a ? b : old;
    case XK_ATOM_AND: return old & a;
    case XK_ATOM_OR: return old | a;
    case XK_ATOM_XOR: return old ^ a;
    case XK_ATOM_SMIN: case XK_ATOM_SMAX: case XK_ATOM_UMIN:
    case XK_ATOM_UMAX:
        return min_max(op, old, a, size_b);
    default: return float_op(op, old, a, b, size_b);
    }
}
/* clang-format on */

/* mem is aligned: xk_sim_access checked the address, and buffers are aligned
 * alike on both sides. */
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

static uint64_t exchange(uint8_t *mem, unsigned op, uint64_t a, uint64_t b,
                         unsigned size_b)
{
    if (size_b == 2)
        EXCHANGE(uint16_t);
    if (size_b == 8)
        EXCHANGE(uint64_t);
    EXCHANGE(uint32_t);
}

static unsigned n_operands(unsigned op)
{
    switch (op) {
    case XK_ATOM_LOAD:
    case XK_ATOM_INC:
    case XK_ATOM_DEC:
    case XK_ATOM_PREDEC:
        return 0;
    case XK_ATOM_CAS:
    case XK_ATOM_FCAS:
        return 2;
    default:
        return 1;
    }
}

static uint64_t operand(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e,
                        const struct xk_sim_atomic *a, unsigned k, unsigned l)
{
    uint64_t v = 0;
    if (k < n_operands(a->op))
        memcpy(&v, t->rf + e->src[1].off_b + k * a->plane_b + l * a->reg_b,
               a->data_b);
    return v;
}

static bool payloads_fit(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_atomic *a)
{
    const unsigned n = n_operands(a->op);
    const uint32_t lane_b = (uint32_t)e->exec * a->reg_b;
    if (!xk_sim_payload(t, e, &e->src[0], (uint32_t)e->exec * a->addr_b,
                        e->msg.src0_grf, "the address payload"))
        return false;
    if (n && !xk_sim_payload(t, e, &e->src[1], (n - 1) * a->plane_b + lane_b,
                             e->msg.src1_grf, "the data payload"))
        return false;
    return !a->returns || xk_sim_payload(t, e, &e->dst, lane_b, e->msg.dst_grf,
                                         "the destination");
}

void xk_sim_atomic_run(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_atomic *a)
{
    if (!payloads_fit(t, e, a))
        return;
    for (uint32_t m = xk_sim_mask(t, e); m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint64_t addr = xk_sim_lane_addr(t, e, a->addr_b, l);
        uint8_t *mem =
            xk_sim_access(t, e, a->window, addr, a->data_b, a->data_b, l);
        if (!mem)
            return;
        const uint64_t old = exchange(mem, a->op, operand(t, e, a, 0, l),
                                      operand(t, e, a, 1, l), a->data_b);
        const uint64_t result = a->op == XK_ATOM_PREDEC ? old - 1 : old;
        if (a->returns)
            memcpy(t->rf + e->dst.off_b + l * a->reg_b, &result, a->reg_b);
    }
}
