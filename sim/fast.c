/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which instructions take the 32-bit fast path, and which build of it
 * this host can run. */
#include "sim/sim_operand.h"

#if XK_SIM_AVX2
#include <cpuid.h>
#include <stdatomic.h>
#endif

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
    if (e->in.op == XK_OPC_CMP && !e->is_float)
        e->xor_[2] = e->src[0].type == XK_RT_UD || e->src[1].type == XK_RT_UD
                         ? 0x80000000u
                         : 0;
}

/* Integer to float: exact values that a negation could not leave. */
static bool is_int_to_float(const struct xk_sim_inst *e)
{
    const unsigned t = e->src[0].type;
    return e->in.op == XK_OPC_MOV && e->dst.type == XK_RT_F && !e->is_float &&
           (t == XK_RT_D || t == XK_RT_W || t == XK_RT_UW) && !e->src[0].neg;
}

static bool is_order(unsigned cond)
{
    return cond >= XK_COND_EQ && cond <= XK_COND_LE;
}

/* Both sources as signed or both as unsigned 32-bit numbers. */
static bool cmp_fits(const struct xk_sim_inst *e)
{
    bool has[XK_N_REG_TYPES] = {false};
    if (!is_order(e->in.cond) ||
        (e->dst.kind != XK_SO_NONE && !dst_fits(&e->dst)))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (!e->is_float && (e->src[k].neg || e->src[k].abs))
            return false;
        has[e->src[k].type] = true;
    }
    return !(has[XK_RT_UD] && (has[XK_RT_D] || has[XK_RT_W]));
}

/* By predicate, or as minimum and maximum of floats. */
static bool sel_fits(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type;
    if (e->in.cond)
        return e->is_float && is_order(e->in.cond) && !e->pred && d == XK_RT_F;
    return e->is_float ? d == XK_RT_F : d == XK_RT_D || d == XK_RT_UD;
}

static bool is_narrow(const struct xk_sim_opnd *o)
{
    switch (o->type) {
    case XK_RT_UB:
    case XK_RT_B:
    case XK_RT_UW:
    case XK_RT_W:
        return true;
    default:
        return false;
    }
}

/* Registers in an even step, without modifiers. */
static bool is_linear(const struct xk_sim_opnd *o)
{
    return o->kind == XK_SO_REG && !o->special && !o->log_w && !o->neg &&
           !o->abs;
}

/* Between floats and narrow types, or bits of narrow types of one size. A move
 * to an integer saturates in any case. */
static bool move_fits(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *s = &e->src[0], *d = &e->dst;
    if (e->in.op != XK_OPC_MOV || e->in.cond || e->in.acc_wr_en ||
        !is_linear(s) || !is_linear(d))
        return false;
    if (s->type == XK_RT_F && is_narrow(d))
        return true;
    if (e->in.sat)
        return false;
    return (s->type == XK_RT_F && d->type == XK_RT_HF) ||
           (s->type == XK_RT_HF && d->type == XK_RT_F) ||
           (s->type == XK_RT_HF && d->type == XK_RT_HF) ||
           (is_narrow(s) && is_narrow(d) && s->size_b == d->size_b);
}

static bool dst_and_flags_fit(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type;
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_CMP:
        return cmp_fits(e);
    case XK_OPC_SEL:
        return dst_fits(&e->dst) && sel_fits(e);
    default:
        if (e->in.cond || !dst_fits(&e->dst))
            return false;
        return e->is_float ? d == XK_RT_F
                           : d == XK_RT_UD || d == XK_RT_D || is_bit_copy(e) ||
                                 is_int_to_float(e);
    }
}

static bool fits(const struct xk_sim_inst *e)
{
    if (e->in.sat || e->in.acc_wr_en || !dst_and_flags_fit(e) || !shift_fits(e))
        return false;
    for (unsigned k = 0; k < e->n_srcs; k++)
        if (!src_fits(e, &e->src[k]))
            return false;
    return true;
}

#if XK_SIM_AVX2
static bool ask_host(void)
{
    unsigned a, b, c = 0, d;
    /* clang 14 knows no name for F16C: leaf 1, ecx bit 29. */
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
    return f16c && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
}

/* Asked once: every instruction decoded comes here, and in a virtual machine
 * cpuid takes 20 us. */
bool xk_sim_host_has_avx2(void)
{
    enum { UNKNOWN, NO, YES };
    static _Atomic int known = UNKNOWN;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        answer = ask_host() ? YES : NO;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == YES;
}
#endif

static xk_sim_fn *select_build(struct xk_sim_inst *e)
{
#if XK_SIM_AVX2
    if (xk_sim_host_has_avx2())
        return xk_sim_select_fast_avx2(e);
#endif
    return xk_sim_select_fast_any(e);
}

/* The flags of an integer result, from what was stored. */
static void exec_with_flags(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    const uint32_t mask = xk_sim_mask(t, e); /* before the flags change */
    const bool is_signed = e->dst.type == XK_RT_D;
    uint32_t lt = 0, eq = 0;
    e->inner(t, e);
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint32_t v = xk_rf_u32(t, e->dst.off_b + l * e->dst.vs_b);
        lt |= (is_signed ? v >> 31 : 0) << l;
        eq |= (uint32_t)(v == 0) << l;
    }
    const uint32_t by_cond[] = {
        [XK_COND_EQ] = eq,  [XK_COND_NE] = ~eq, [XK_COND_GT] = ~(lt | eq),
        [XK_COND_GE] = ~lt, [XK_COND_LT] = lt,  [XK_COND_LE] = lt | eq};
    xk_sim_set_flags(t, e, mask, by_cond[e->in.cond]);
}

static xk_sim_fn *select_plain(struct xk_sim_inst *e)
{
    struct xk_sim_inst copy = *e;
    if (is_bit_copy(e))
        copy.is_float = false;
    if (!copy.n_srcs || !(fits(&copy) || move_fits(&copy)))
        return NULL;
    set_modifiers(&copy);
    xk_sim_fn *const fn = select_build(&copy);
    if (fn)
        *e = copy;
    return fn;
}

xk_sim_fn *xk_sim_select_fast(struct xk_sim_inst *e)
{
    const unsigned cond = e->in.cond;
    if (!is_order(cond) || e->in.op == XK_OPC_CMP || e->in.op == XK_OPC_SEL)
        return select_plain(e);
    if (e->is_float || (e->dst.type != XK_RT_D && e->dst.type != XK_RT_UD))
        return NULL;
    e->in.cond = XK_COND_NONE;
    e->inner = select_plain(e);
    e->in.cond = cond;
    return e->inner ? exec_with_flags : NULL;
}
