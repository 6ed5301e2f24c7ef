/* SPDX-License-Identifier: Apache-2.0 */
/* Saturation and overflow of 64-bit integers, whose exact results need more
 * than 64 bits. Everything else about them is done as for narrower integers. */
#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

__extension__ typedef __int128 i128;

static i128 widen_value(const struct xk_sim_opnd *o, int64_t v)
{
    const bool uq = o->type == XK_RT_UQ;
    return uq && !o->neg ? (i128)(uint64_t)v : (i128)v;
}

static i128 compute(const struct xk_sim_inst *e, i128 a, i128 b)
{
    const unsigned n = (unsigned)b & 63;
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_ADD:
        return a + b;
    case XK_OPC_MUL:
        return a * b;
    case XK_OPC_SHL:
        return a * ((i128)1 << n);
    case XK_OPC_SHR:
        return (i128)((uint64_t)a >> n);
    case XK_OPC_ASR:
        return a >> n;
    default:
        return a;
    }
}

static i128 most(unsigned type)
{
    return type == XK_RT_UQ ? (i128)UINT64_MAX : xk_sim_clamp(type, INT64_MAX);
}

static i128 least_of_type(unsigned type)
{
    return type == XK_RT_UQ ? 0 : xk_sim_clamp(type, INT64_MIN);
}

/* clang-format off */
static bool condition_holds(const struct xk_sim_inst *e, i128 r, bool over)
{
    switch (e->in.cond) {
    case XK_COND_EQ: return r == 0;
    case XK_COND_NE: return r != 0;
    case XK_COND_GT: return r > 0;
    case XK_COND_GE: return r >= 0;
    case XK_COND_LT: return r < 0;
    case XK_COND_LE: return r <= 0;
    case XK_COND_OV: return over;
    default: return false;
    }
}
/* clang-format on */

static void exec_wide(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    uint32_t bits = 0;
    const unsigned type = e->dst.type;
    const i128 hi = most(type), lo = least_of_type(type);
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        const i128 r =
            compute(e, widen_value(&e->src[0], s.v[0].i[l]),
                    e->n_srcs > 1 ? widen_value(&e->src[1], s.v[1].i[l]) : 0);
        const bool over = r > hi || r < lo;
        bits |= (uint32_t)condition_holds(e, r, over) << l;
        s.v[0].i[l] = (int64_t)(!e->in.sat || !over ? r : r > hi ? hi : lo);
    }
    if (e->in.cond)
        xk_sim_set_flags(t, e, mask, bits);
    xk_sim_store_raw(t, e, mask, &s.v[0]);
}

static bool computes(unsigned op)
{
    return op == XK_OPC_ADD || op == XK_OPC_MUL || op == XK_OPC_SHL ||
           op == XK_OPC_SHR || op == XK_OPC_ASR || op == XK_OPC_MOV;
}

xk_sim_fn *xk_sim_select_wide(const struct xk_sim_inst *e)
{
    const bool wide = e->dst.size_b == 8 || e->src[0].size_b == 8 ||
                      (e->n_srcs > 1 && e->src[1].size_b == 8);
    const bool ints = !e->is_float && !e->is_double &&
                      !xk_sim_type_is_float(e->dst.type) &&
                      e->dst.type != XK_RT_DF;
    return wide && ints && computes(e->in.op) &&
                   (e->in.sat || e->in.cond == XK_COND_OV)
               ? exec_wide
               : NULL;
}
