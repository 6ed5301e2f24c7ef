/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which instructions take the 32-bit fast path, and which build of it
 * this host can run. */
#include "sim/kernel.h"

static bool dst_fits(const struct xk_sim_opnd *d)
{
    return d->kind == XK_SO_REG && d->size_b == 4 && !d->special;
}

static bool src_fits(const struct xk_sim_inst *e, const struct xk_sim_opnd *o)
{
    const unsigned t = o->type;
    if (e->is_float)
        return t == XK_RT_F && !o->special &&
               (o->kind == XK_SO_REG || o->kind == XK_SO_IMM);
    if (o->kind == XK_SO_IMM)
        return t == XK_RT_UD || t == XK_RT_D || t == XK_RT_UW || t == XK_RT_W ||
               (t == XK_RT_F && e->in.op == XK_OPC_MOV);
    return o->kind == XK_SO_REG && !o->special &&
           (t == XK_RT_UD || t == XK_RT_D || t == XK_RT_UW || t == XK_RT_W ||
            (t == XK_RT_F && e->in.op == XK_OPC_MOV)) &&
           !(o->abs && !e->logic);
}

/* A shift's first operand is 32 bits wide, else its sign or top would differ
 * from what the exact value gives. */
static bool shift_fits(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_SHR:
        return e->src[0].size_b == 4 && !e->src[0].neg;
    case XK_OPC_ASR:
        return e->src[0].type == XK_RT_D && !e->src[0].neg;
    default:
        return true;
    }
}

/* mov F to F is a copy of bits, which the integer form does. */
static bool is_bit_copy(const struct xk_sim_inst *e)
{
    return e->in.op == XK_OPC_MOV && e->dst.type == XK_RT_F &&
           e->src[0].type == XK_RT_F && !e->src[0].neg && !e->src[0].abs;
}

static void set_modifiers(struct xk_sim_inst *e)
{
    for (unsigned k = 0; k < e->n_srcs; k++) {
        struct xk_sim_opnd *o = &e->src[k];
        const uint32_t sign = e->is_float ? 0x80000000u : UINT32_MAX;
        e->and_[k] = e->is_float && o->abs ? 0x7fffffffu : UINT32_MAX;
        e->xor_[k] = o->neg ? sign : 0;
        if (o->kind == XK_SO_IMM && o->type != XK_RT_F)
            o->bits = (uint32_t)o->ival;
    }
}

static bool fits(const struct xk_sim_inst *e)
{
    if (e->in.sat || e->in.cond || e->in.acc_wr_en || !dst_fits(&e->dst) ||
        !shift_fits(e))
        return false;
    for (unsigned k = 0; k < e->n_srcs; k++)
        if (!src_fits(e, &e->src[k]))
            return false;
    return e->is_float ? e->dst.type == XK_RT_F
                       : e->dst.type == XK_RT_UD || e->dst.type == XK_RT_D ||
                             is_bit_copy(e);
}

static xk_sim_fn *select_build(struct xk_sim_inst *e)
{
#if XK_SIM_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return xk_sim_select_fast_avx2(e);
#endif
    return xk_sim_select_fast_any(e);
}

xk_sim_fn *xk_sim_select_fast(struct xk_sim_inst *e)
{
    struct xk_sim_inst copy = *e;
    if (is_bit_copy(e))
        copy.is_float = false;
    if (!copy.n_srcs || !fits(&copy))
        return NULL;
    set_modifiers(&copy);
    xk_sim_fn *const fn = select_build(&copy);
    if (fn)
        *e = copy;
    return fn;
}
