/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which instructions take the 32-bit fast path, and which build of it
 * this host can run. */
#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

#if XK_SIM_AVX2
#include <cpuid.h>
#include <stdatomic.h>
#endif

/* Same type, no modifiers: the general way copies bits. */
static bool is_raw_copy(const struct xk_sim_inst *e)
{
    return e->in.op == XK_OPC_MOV && !e->in.cond &&
           e->dst.type == e->src[0].type && !e->src[0].neg && !e->src[0].abs;
}

/* An integer that is computed into an accumulator has bits above the
 * register's. */
static bool dst_fits(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const d = &e->dst;
    return d->kind == XK_SO_REG && d->size_b == 4 &&
           (!d->special ||
            (d->special == XK_SS_ACC && (e->is_float || is_raw_copy(e))));
}

/* An accumulator that is read like a register has a register's bits. */
static bool is_register_read(const struct xk_sim_opnd *o)
{
    return o->kind == XK_SO_REG && (!o->special || o->special == XK_SS_ACC);
}

/* Whether the paths for integers take the operand as 32 bits. */
static bool is_dword_or_less(unsigned type)
{
    return type == XK_RT_UD || type == XK_RT_D || type == XK_RT_UW ||
           type == XK_RT_W;
}

static bool src_fits(const struct xk_sim_inst *e, const struct xk_sim_opnd *o)
{
    const unsigned t = o->type;
    const bool bits_of_float = t == XK_RT_F && e->in.op == XK_OPC_MOV;
    if (e->is_float)
        return t == XK_RT_F && (is_register_read(o) || o->kind == XK_SO_IMM);
    if (o->kind == XK_SO_IMM)
        return is_dword_or_less(t) || bits_of_float;
    return is_register_read(o) &&
           (is_dword_or_less(t) || xk_is_byte_type(t) || bits_of_float) &&
           !(o->abs && !e->logic);
}

static bool is_unsigned(unsigned type)
{
    return type == XK_RT_UD || type == XK_RT_UW || type == XK_RT_UB;
}

/* The first operand of a shift must be 32 bits wide. A narrower one's sign, or
 * its top, would differ from what the exact value gives. The same holds for
 * operands whose bits are counted. */
static bool width_fits(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_CBIT:
        return is_unsigned(e->src[0].type) && !e->src[0].neg;
    case XK_OPC_SHR:
    case XK_OPC_ROL:
    case XK_OPC_ROR:
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
           (t == XK_RT_D || t == XK_RT_W || t == XK_RT_UW ||
            xk_is_byte_type(t)) &&
           e->dst.special != XK_SS_ACC && !e->src[0].neg;
}

static bool is_order(unsigned cond)
{
    return cond >= XK_COND_EQ && cond <= XK_COND_LE;
}

/* Both sources as signed or both as unsigned 32-bit numbers. */
static bool cmp_fits(const struct xk_sim_inst *e)
{
    bool has[XK_N_REG_TYPES] = {false};
    if (!is_order(e->in.cond) || (e->dst.kind != XK_SO_NONE && !dst_fits(e)))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (!e->is_float && (e->src[k].neg || e->src[k].abs))
            return false;
        has[e->src[k].type] = true;
    }
    return !(has[XK_RT_UD] && (has[XK_RT_D] || has[XK_RT_W] || has[XK_RT_B]));
}

/* By predicate, or as minimum and maximum of floats. */
static bool sel_fits(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type;
    if (e->in.cond)
        return e->is_float && is_order(e->in.cond) && !e->pred && d == XK_RT_F;
    return e->is_float ? d == XK_RT_F : d == XK_RT_D || d == XK_RT_UD;
}

static bool is_narrow_type(const struct xk_sim_opnd *o)
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
static bool is_even_step(const struct xk_sim_opnd *o)
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
        !is_even_step(s) || !is_even_step(d))
        return false;
    if (s->type == XK_RT_F && is_narrow_type(d))
        return true;
    if (e->in.sat)
        return false;
    return (s->type == XK_RT_F && d->type == XK_RT_HF) ||
           (s->type == XK_RT_HF && d->type == XK_RT_F) ||
           (s->type == XK_RT_HF && d->type == XK_RT_HF) ||
           (is_narrow_type(s) && is_narrow_type(d) && s->size_b == d->size_b);
}

/* The flags of an integer result, which may be dropped. */
static bool cond_fits(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type;
    return is_order(e->in.cond) && !e->is_float &&
           (d == XK_RT_D || d == XK_RT_UD) &&
           (dst_fits(e) || e->dst.kind == XK_SO_NONE);
}

static bool dst_and_flags_fit(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type;
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_CMP:
        return cmp_fits(e);
    case XK_OPC_SEL:
        return dst_fits(e) && sel_fits(e);
    default:
        if (e->in.cond)
            return cond_fits(e);
        return dst_fits(e) &&
               (e->is_float ? d == XK_RT_F
                            : d == XK_RT_UD || d == XK_RT_D || is_bit_copy(e) ||
                                  is_int_to_float(e));
    }
}

/* Opcodes that have rules of their own, below. */
static bool has_own_rules(unsigned op)
{
    switch (op) {
    case XK_OPC_MATH:
    case XK_OPC_MACH:
    case XK_OPC_MACL:
    case XK_OPC_ADDC:
    case XK_OPC_SUBB:
        return true;
    default:
        return false;
    }
}

static bool plain_fits(const struct xk_sim_inst *e)
{
    if (has_own_rules(e->in.op) || e->in.sat || e->in.acc_wr_en ||
        !dst_and_flags_fit(e) || !width_fits(e))
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

/* This is asked once, because every instruction that is decoded comes here and
 * cpuid takes 20 us in a virtual machine. */
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

/* Functions of one float by the extended math unit. */
static bool math_fits(const struct xk_sim_inst *e)
{
    return e->in.op == XK_OPC_MATH && e->is_float && !e->in.sat &&
           !e->in.cond && !e->in.acc_wr_en && xk_sim_math_of(&e->in) &&
           xk_sim_math_n_srcs(&e->in) == 1 && dst_fits(e) &&
           e->dst.type == XK_RT_F && src_fits(e, &e->src[0]);
}

/* Products in halves, carries: dwords one behind the other. */
static bool acc_fits(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const d = &e->dst;
    const bool product = e->in.op != XK_OPC_ADDC && e->in.op != XK_OPC_SUBB;
    if (e->is_float || e->in.sat || e->in.cond || e->n_srcs != 2 ||
        d->kind != XK_SO_REG || !(d->packed || e->exec == 1) ||
        (d->type != XK_RT_D && d->type != XK_RT_UD))
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (!src_fits(e, &e->src[k]) ||
            (product && (e->src[k].neg || e->src[k].abs)))
            return false;
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_MUL:
        return d->special == XK_SS_ACC && !e->in.acc_wr_en;
    case XK_OPC_MACH:
    case XK_OPC_MACL:
    case XK_OPC_ADDC:
    case XK_OPC_SUBB:
        return !d->special;
    default:
        return false;
    }
}

static bool is_fast(const struct xk_sim_inst *e)
{
    return e->n_srcs &&
           (plain_fits(e) || move_fits(e) || math_fits(e) || acc_fits(e));
}

xk_sim_fn *xk_sim_select_fast(const struct xk_sim_kernel *k,
                              struct xk_sim_inst *e)
{
    struct xk_sim_inst copy = *e;
    if (is_bit_copy(e))
        copy.is_float = false;
    if (!is_fast(&copy))
        return NULL;
    set_modifiers(&copy);
    copy.acc_b = xk_inst_acc_first_b(&e->in);
    copy.high = e->in.op == XK_OPC_MACH &&
                (e->in.acc_wr_en || !k->platform->has_acc_wr_en);
    copy.cond = e->in.cond;
    if (e->in.op == XK_OPC_MATH)
        copy.math = xk_sim_math_of(&e->in);
    xk_sim_fn *const fn = select_build(&copy);
    if (fn)
        *e = copy;
    return fn;
}
