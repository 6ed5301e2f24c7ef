/* SPDX-License-Identifier: Apache-2.0 */
/* Direct paths for 32-bit ALU instructions on direct operands: plain loops over
 * a constant number of lanes, which the compiler vectorises. Included by the
 * files that compile it, once per instruction set; XK_FAST_SELECT is the name
 * of the selecting function. Sources may also be words; flags, saturation and
 * accumulators take the general path. */
#include "sim/operand.h"

#if defined(__FMA__)
#include <immintrin.h>
#endif

#define ALWAYS static inline __attribute__((always_inline))
#define RARELY static __attribute__((noinline))

/* gcc would unroll completely before it looks for vectors, and then find none;
 * clang needs no advice. */
#if defined(__GNUC__) && !defined(__clang__)
#define LANES _Pragma("GCC unroll 1") for (unsigned l = 0; l < n; l++)
#else
#define LANES for (unsigned l = 0; l < n; l++)
#endif

/* Neutral for plain sources. and_ and xor_ hold the modifiers; an integer is
 * negated as (x ^ ~0) - ~0. */
ALWAYS uint32_t modify(const struct xk_sim_inst *e, unsigned k, uint32_t x)
{
    const uint32_t y = (x & e->and_[k]) ^ e->xor_[k];
    return e->is_float || e->logic ? y : y - e->xor_[k];
}

ALWAYS uint32_t load_one(const uint8_t *p, const struct xk_sim_opnd *o)
{
    if (o->size_b == 4) {
        uint32_t x;
        memcpy(&x, p, 4);
        return x;
    }
    uint16_t h;
    memcpy(&h, p, 2);
    return o->type == XK_RT_W ? (uint32_t)(int16_t)h : h;
}

RARELY void load_region(const uint8_t *p, const struct xk_sim_opnd *o,
                        unsigned n, uint32_t *v)
{
    const unsigned w_mask = (1u << o->log_w) - 1;
    for (unsigned l = 0; l < n; l++)
        v[l] =
            load_one(p + (l >> o->log_w) * o->vs_b + (l & w_mask) * o->hs_b, o);
}

ALWAYS void load(const struct xk_sim_thread *t, const struct xk_sim_inst *e,
                 unsigned k, unsigned n, uint32_t *restrict v)
{
    const struct xk_sim_opnd *o = &e->src[k];
    const uint8_t *p = t->rf + o->off_b;
    if (o->scalar) {
        const uint32_t x =
            o->kind == XK_SO_IMM ? (uint32_t)o->bits : load_one(p, o);
        const uint32_t y = modify(e, k, x);
        LANES v[l] = y;
        return;
    }
    if (o->packed && o->size_b == 4)
        memcpy(v, p, 4 * n);
    else
        load_region(p, o, n, v);
    if (o->neg || o->abs)
        LANES v[l] = modify(e, k, v[l]);
}

RARELY void store_some(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint32_t mask, const uint32_t *v)
{
    uint8_t *p = t->rf + e->dst.off_b;
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        memcpy(p + l * e->dst.vs_b, &v[l], 4);
    }
}

ALWAYS void store(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  uint32_t mask, unsigned n, const uint32_t *restrict v)
{
    if (mask == e->lanes && e->dst.packed)
        memcpy(t->rf + e->dst.off_b, v, 4 * n);
    else
        store_some(t, e, mask, v);
}

ALWAYS uint32_t active_lanes(const struct xk_sim_thread *t,
                             const struct xk_sim_inst *e)
{
    if (e->pred)
        return xk_sim_mask(t, e);
    return (e->no_mask ? UINT32_MAX : t->active >> e->chan_off) & e->lanes;
}

ALWAYS float as_float(uint32_t x)
{
    float f;
    memcpy(&f, &x, 4);
    return f;
}

ALWAYS uint32_t as_bits(float f)
{
    uint32_t x;
    memcpy(&x, &f, 4);
    return x;
}

ALWAYS void flush_lanes(unsigned n, uint32_t *v)
{
    LANES v[l] = v[l] & 0x7f800000u ? v[l] : v[l] & 0x80000000u;
}

/* r = a + b * c, rounded once. */
ALWAYS void fma_lanes(unsigned n, uint32_t *restrict r, const uint32_t *a,
                      const uint32_t *b, const uint32_t *c)
{
    unsigned l = 0;
#if defined(__FMA__)
    for (; l + 8 <= n; l += 8) {
        const __m256 x = _mm256_loadu_ps((const float *)(const void *)(b + l));
        const __m256 y = _mm256_loadu_ps((const float *)(const void *)(c + l));
        const __m256 z = _mm256_loadu_ps((const float *)(const void *)(a + l));
        _mm256_storeu_ps((float *)(void *)(r + l), _mm256_fmadd_ps(x, y, z));
    }
#endif
    for (; l < n; l++)
        r[l] = as_bits(
            __builtin_fmaf(as_float(b[l]), as_float(c[l]), as_float(a[l])));
}

/* An operation on bits. */
#define BITS(name, n_srcs, expr)                                               \
    ALWAYS void name(struct xk_sim_thread *t, const struct xk_sim_inst *e,     \
                     unsigned n)                                               \
    {                                                                          \
        uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], c[XK_SIM_LANES];            \
        uint32_t r[XK_SIM_LANES];                                              \
        const uint32_t mask = active_lanes(t, e);                              \
        (void)b;                                                               \
        (void)c;                                                               \
        load(t, e, 0, n, a);                                                   \
        if (n_srcs > 1)                                                        \
            load(t, e, 1, n, b);                                               \
        if (n_srcs > 2)                                                        \
            load(t, e, 2, n, c);                                               \
        LANES r[l] = (expr);                                                   \
        store(t, e, mask, n, r);                                               \
    }                                                                          \
    VARIANTS(name)

/* An operation on floats, with denormals flushed where the thread says so. */
#define FLOATS(name, n_srcs, compute)                                          \
    ALWAYS void name(struct xk_sim_thread *t, const struct xk_sim_inst *e,     \
                     unsigned n)                                               \
    {                                                                          \
        uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], c[XK_SIM_LANES];            \
        uint32_t r[XK_SIM_LANES];                                              \
        const uint32_t mask = active_lanes(t, e);                              \
        (void)c;                                                               \
        load(t, e, 0, n, a);                                                   \
        load(t, e, 1, n, b);                                                   \
        if (n_srcs > 2)                                                        \
            load(t, e, 2, n, c);                                               \
        if (t->ftz) {                                                          \
            flush_lanes(n, a);                                                 \
            flush_lanes(n, b);                                                 \
            if (n_srcs > 2)                                                    \
                flush_lanes(n, c);                                             \
        }                                                                      \
        compute;                                                               \
        if (t->ftz)                                                            \
            flush_lanes(n, r);                                                 \
        store(t, e, mask, n, r);                                               \
    }                                                                          \
    VARIANTS(name)

#define VARIANT(name, suffix, n)                                               \
    static void name##_##suffix(struct xk_sim_thread *t,                       \
                                const struct xk_sim_inst *e)                   \
    {                                                                          \
        name(t, e, n);                                                         \
    }
#define VARIANTS(name)                                                         \
    VARIANT(name, 1, 1)                                                        \
    VARIANT(name, 8, 8)                                                        \
    VARIANT(name, 16, 16)                                                      \
    VARIANT(name, n, e->exec)

#define PICK(name)                                                             \
    (e->exec == 16  ? name##_16                                                \
     : e->exec == 8 ? name##_8                                                 \
     : e->exec == 1 ? name##_1                                                 \
                    : name##_n)

FLOATS(f_add, 2, LANES r[l] = as_bits(as_float(a[l]) + as_float(b[l])))
FLOATS(f_mul, 2, LANES r[l] = as_bits(as_float(a[l]) * as_float(b[l])))
FLOATS(f_mad, 3, fma_lanes(n, r, a, b, c))
BITS(i_mov, 1, a[l])
BITS(i_add, 2, a[l] + b[l])
BITS(i_mul, 2, a[l] * b[l])
BITS(i_mad, 3, a[l] + b[l] * c[l])
BITS(i_add3, 3, a[l] + b[l] + c[l])
BITS(i_and, 2, a[l] & b[l])
BITS(i_or, 2, a[l] | b[l])
BITS(i_xor, 2, a[l] ^ b[l])
BITS(i_shl, 2, a[l] << (b[l] & 31))
BITS(i_shr, 2, a[l] >> (b[l] & 31))
BITS(i_asr, 2, (uint32_t)((int32_t)a[l] >> (b[l] & 31)))

/* clang-format off */
static xk_sim_fn *select_float(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_ADD: return PICK(f_add);
    case XK_OPC_MUL: return PICK(f_mul);
    case XK_OPC_MAD: return PICK(f_mad);
    default: return NULL;
    }
}
/* clang-format on */

/* clang-format off */
static xk_sim_fn *select_int(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_MOV: return PICK(i_mov);
    case XK_OPC_ADD: return PICK(i_add);
    case XK_OPC_MUL: return PICK(i_mul);
    case XK_OPC_MAD: return PICK(i_mad);
    case XK_OPC_ADD3: return PICK(i_add3);
    case XK_OPC_AND: return PICK(i_and);
    case XK_OPC_OR: return PICK(i_or);
    case XK_OPC_XOR: return PICK(i_xor);
    case XK_OPC_SHL: return PICK(i_shl);
    case XK_OPC_SHR: return PICK(i_shr);
    case XK_OPC_ASR: return PICK(i_asr);
    default: return NULL;
    }
}
/* clang-format on */

xk_sim_fn *XK_FAST_SELECT(struct xk_sim_inst *e)
{
    return e->is_float ? select_float(e) : select_int(e);
}
