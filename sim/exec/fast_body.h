/* SPDX-License-Identifier: Apache-2.0 */
/* Direct paths for 32-bit ALU instructions on direct operands: plain loops over
 * a constant number of lanes, which the compiler vectorises. Included by the
 * files that compile it, once per instruction set; XK_FAST_SELECT is the name
 * of the selecting function. Sources may also be words; saturation and
 * accumulators take the general path. */
#include <math.h>

#include "sim/core/sim_operand.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define WIDE 1
#include <immintrin.h>
#else
#define WIDE 0
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

#if WIDE
ALWAYS __m256i get_8(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

ALWAYS void put_8(void *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}
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
    if (o->size_b == 1)
        return o->type == XK_RT_B ? (uint32_t)(int8_t)*p : *p;
    uint16_t h;
    memcpy(&h, p, 2);
    return o->type == XK_RT_W ? (uint32_t)(int16_t)h : h;
}

/* Memory is touched in whole vectors where there are any, because a wide load
 * has to wait for narrow stores that have just written its bytes. */
ALWAYS void load_packed(const uint8_t *p, unsigned n, uint32_t *restrict v)
{
    unsigned l = 0;
#if WIDE
    for (; l + 8 <= n; l += 8)
        put_8(v + l, get_8(p + 4 * l));
#endif
    for (; l < n; l++)
        memcpy(&v[l], p + 4 * l, 4);
}

/* Every second dword. The vectors begin at multiples of 8 bytes, so that both
 * halves of a pair meet the same ones. */
ALWAYS void load_pairs(const uint8_t *p, bool odd, unsigned n,
                       uint32_t *restrict v)
{
    unsigned l = 0;
#if WIDE
    for (; l + 8 <= n; l += 8) {
        const uint8_t *q = p + 8 * l - 4 * odd;
        const __m256 lo = _mm256_castsi256_ps(get_8(q));
        const __m256 hi = _mm256_castsi256_ps(get_8(q + 32));
        const __m256 x = odd ? _mm256_shuffle_ps(lo, hi, 0xdd)
                             : _mm256_shuffle_ps(lo, hi, 0x88);
        put_8(v + l, _mm256_permute4x64_epi64(_mm256_castps_si256(x), 0xd8));
    }
#else
    (void)odd;
#endif
    for (; l < n; l++)
        memcpy(&v[l], p + 8 * l, 4);
}

ALWAYS void store_pairs(uint8_t *p, bool odd, unsigned n, const uint32_t *v)
{
    unsigned l = 0;
#if WIDE
    for (; l + 8 <= n; l += 8) {
        uint8_t *q = p + 8 * l - 4 * odd;
        const __m256i x = _mm256_permute4x64_epi64(get_8(v + l), 0xd8);
        const __m256i lo = _mm256_unpacklo_epi32(x, x);
        const __m256i hi = _mm256_unpackhi_epi32(x, x);
        put_8(q, odd ? _mm256_blend_epi32(get_8(q), lo, 0xaa)
                     : _mm256_blend_epi32(get_8(q), lo, 0x55));
        put_8(q + 32, odd ? _mm256_blend_epi32(get_8(q + 32), hi, 0xaa)
                          : _mm256_blend_epi32(get_8(q + 32), hi, 0x55));
    }
#else
    (void)odd;
#endif
    for (; l < n; l++)
        memcpy(p + 8 * l, &v[l], 4);
}

ALWAYS void load_words(const uint8_t *p, bool is_signed, unsigned n,
                       uint32_t *restrict v)
{
    uint16_t h[XK_SIM_LANES];
    memcpy(h, p, 2 * n);
    if (is_signed)
        LANES v[l] = (uint32_t)(int16_t)h[l];
    else
        LANES v[l] = h[l];
}

/* The low byte or word of every dword. */
ALWAYS void load_low(const uint8_t *p, unsigned type, unsigned n,
                     uint32_t *restrict v)
{
    load_packed(p, n, v);
    if (type == XK_RT_UB)
        LANES v[l] &= 0xff;
    else if (type == XK_RT_UW)
        LANES v[l] &= 0xffff;
    else if (type == XK_RT_B)
        LANES v[l] = (uint32_t)(int8_t)v[l];
    else
        LANES v[l] = (uint32_t)(int16_t)v[l];
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
        load_packed(p, n, v);
    else if (o->packed && o->size_b == 2)
        load_words(p, o->type == XK_RT_W, n, v);
    else if (o->size_b == 4 && o->vs_b == 8 && !o->log_w)
        load_pairs(p, o->off_b & 4, n, v);
    else if (o->size_b < 4 && o->vs_b == 4 && !o->log_w)
        load_low(p, o->type, n, v);
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
    uint8_t *p = t->rf + e->dst.off_b;
    if (mask == e->lanes && e->dst.packed)
        memcpy(p, v, 4 * n);
    else if (mask == e->lanes && e->dst.vs_b == 8)
        store_pairs(p, e->dst.off_b & 4, n, v);
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
#if WIDE
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

/* Bit l of the result: whether v[l] is negative. */
ALWAYS uint32_t signs(unsigned n, const uint32_t *v)
{
    uint32_t bits = 0;
    unsigned l = 0;
#if WIDE
    for (; l + 8 <= n; l += 8)
        bits |= (uint32_t)_mm256_movemask_ps(
                    _mm256_loadu_ps((const float *)(const void *)(v + l)))
                << l;
#endif
    for (; l < n && l < XK_SIM_LANES; l++)
        bits |= (v[l] >> 31) << l;
    return bits;
}

/* r = x ? ~0 : 0 per lane, for the comparisons that the selector lets in. */
#define COMPARE(cond, x, y)                                                    \
    do {                                                                       \
        switch (cond) {                                                        \
        case XK_COND_EQ:                                                       \
            LANES r[l] = (x) == (y) ? UINT32_MAX : 0;                          \
            break;                                                             \
        case XK_COND_NE:                                                       \
            LANES r[l] = (x) != (y) ? UINT32_MAX : 0;                          \
            break;                                                             \
        case XK_COND_GT:                                                       \
            LANES r[l] = (x) > (y) ? UINT32_MAX : 0;                           \
            break;                                                             \
        case XK_COND_GE:                                                       \
            LANES r[l] = (x) >= (y) ? UINT32_MAX : 0;                          \
            break;                                                             \
        case XK_COND_LT:                                                       \
            LANES r[l] = (x) < (y) ? UINT32_MAX : 0;                           \
            break;                                                             \
        default:                                                               \
            LANES r[l] = (x) <= (y) ? UINT32_MAX : 0;                          \
        }                                                                      \
    } while (0)

ALWAYS void compare_bits(unsigned cond, unsigned n, uint32_t *restrict r,
                         const uint32_t *a, const uint32_t *b)
{
    COMPARE(cond, (int32_t)a[l], (int32_t)b[l]);
}

ALWAYS void compare_floats(unsigned cond, unsigned n, uint32_t *restrict r,
                           const uint32_t *a, const uint32_t *b)
{
    COMPARE(cond, as_float(a[l]), as_float(b[l]));
}

/* Flags and, unless it is null, the destination. */
ALWAYS void finish_compare(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                           uint32_t mask, unsigned n, const uint32_t *r)
{
    xk_sim_set_flags(t, e, mask, signs(n, r));
    if (e->dst.kind == XK_SO_REG)
        store(t, e, mask, n, r);
}

/* xor_[2] turns the order of unsigned numbers into that of signed ones. */
ALWAYS void i_cmp(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], r[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e), flip = e->xor_[2];
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    LANES a[l] ^= flip;
    LANES b[l] ^= flip;
    compare_bits(e->cond, n, r, a, b);
    finish_compare(t, e, mask, n, r);
}

ALWAYS void f_cmp(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], r[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    if (t->ftz) {
        flush_lanes(n, a);
        flush_lanes(n, b);
    }
    compare_floats(e->cond, n, r, a, b);
    finish_compare(t, e, mask, n, r);
}

/* sel as minimum or maximum: a number wins over a NaN in src1. */
ALWAYS void choose(const struct xk_sim_inst *e, unsigned n,
                   uint32_t *restrict r, const uint32_t *a, const uint32_t *b)
{
    compare_floats(e->cond, n, r, a, b);
    LANES r[l] = r[l] || (b[l] & 0x7fffffffu) > 0x7f800000u ? a[l] : b[l];
}

/* sel by the predicate, which does not mask here. */
ALWAYS void by_flag(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], r[XK_SIM_LANES];
    const uint32_t mask =
        (e->no_mask ? UINT32_MAX : t->active >> e->chan_off) & e->lanes;
    const uint32_t first = xk_sim_pred(t, e);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    if (e->is_float && t->ftz) {
        flush_lanes(n, a);
        flush_lanes(n, b);
    }
    LANES r[l] = first >> l & 1 ? a[l] : b[l];
    store(t, e, mask, n, r);
}

ALWAYS void round_lanes(unsigned n, uint32_t *restrict r, const uint32_t *a)
{
    unsigned l = 0;
#if WIDE
    for (; l + 8 <= n; l += 8) {
        const __m256 x = _mm256_loadu_ps((const float *)(const void *)(a + l));
        _mm256_storeu_ps(
            (float *)(void *)(r + l),
            _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
#endif
    for (; l < n; l++)
        r[l] = as_bits(roundevenf(as_float(a[l])));
}

/* The flags of an integer result, against zero. */
RARELY void set_flags(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, unsigned n, const uint32_t *v)
{
    const uint32_t flip = e->dst.type == XK_RT_UD ? 0x80000000u : 0;
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], r[XK_SIM_LANES];
    LANES a[l] = v[l] ^ flip;
    LANES b[l] = flip;
    compare_bits(e->cond, n, r, a, b);
    xk_sim_set_flags(t, e, mask, signs(n, r));
}

/* Only the lanes that count: each costs a call. */
RARELY void math_lanes(const struct xk_sim_inst *e, uint32_t mask,
                       uint32_t *restrict r, const uint32_t *a)
{
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        r[l] = as_bits(e->math(as_float(a[l]), 0.0f));
    }
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
        if (e->cond)                                                           \
            set_flags(t, e, mask, n, r);                                       \
        if (!e->cond || e->dst.kind == XK_SO_REG)                              \
            store(t, e, mask, n, r);                                           \
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
        (void)b;                                                               \
        load(t, e, 0, n, a);                                                   \
        if (n_srcs > 1)                                                        \
            load(t, e, 1, n, b);                                               \
        if (n_srcs > 2)                                                        \
            load(t, e, 2, n, c);                                               \
        if (t->ftz) {                                                          \
            flush_lanes(n, a);                                                 \
            if (n_srcs > 1)                                                    \
                flush_lanes(n, b);                                             \
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

#if WIDE
ALWAYS __m256 mad_source(const struct xk_sim_thread *t,
                         const struct xk_sim_opnd *o, unsigned l)
{
    const uint8_t *p = t->rf + o->off_b;
    float x;
    if (!o->scalar)
        return _mm256_castsi256_ps(get_8(p + 4 * l));
    memcpy(&x, p, 4);
    return _mm256_set1_ps(x);
}

/* The inner loop of every float kernel: registers to registers. */
ALWAYS void plain_mad(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      unsigned n)
{
    __m256i r[XK_SIM_LANES / 8];
    if (t->ftz || active_lanes(t, e) != e->lanes) {
        f_mad(t, e, n);
        return;
    }
    for (unsigned l = 0; l < n; l += 8)
        r[l / 8] = _mm256_castps_si256(_mm256_fmadd_ps(
            mad_source(t, &e->src[1], l), mad_source(t, &e->src[2], l),
            mad_source(t, &e->src[0], l)));
    for (unsigned l = 0; l < n; l += 8)
        put_8(t->rf + e->dst.off_b + 4 * l, r[l / 8]);
}
VARIANT(plain_mad, 8, 8)
VARIANT(plain_mad, 16, 16)

static xk_sim_fn *select_mad(const struct xk_sim_inst *e)
{
    bool plain = e->dst.packed && (e->exec == 8 || e->exec == 16);
    for (unsigned k = 0; k < 3; k++) {
        const struct xk_sim_opnd *o = &e->src[k];
        plain = plain && o->kind == XK_SO_REG && !o->neg && !o->abs &&
                (o->packed || o->scalar);
    }
    return !plain ? PICK(f_mad) : e->exec == 8 ? plain_mad_8 : plain_mad_16;
}
#else
static xk_sim_fn *select_mad(const struct xk_sim_inst *e)
{
    return PICK(f_mad);
}
#endif

/* The lanes that are off hold nothing; they are flushed, and not stored. */
FLOATS(f_math, 1, LANES r[l] = 0; math_lanes(e, mask, r, a))
FLOATS(f_sel, 2, choose(e, n, r, a, b))
FLOATS(f_rnde, 1, round_lanes(n, r, a))
VARIANTS(f_cmp)
VARIANTS(i_cmp)
BITS(i_to_f, 1, as_bits((float)(int32_t)a[l]))
BITS(i_not, 1, ~a[l])
VARIANTS(by_flag)
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
BITS(i_rol, 2, a[l] << (b[l] & 31) | a[l] >> (-b[l] & 31))
BITS(i_ror, 2, a[l] >> (b[l] & 31) | a[l] << (-b[l] & 31))
BITS(i_cbit, 1, (uint32_t)__builtin_popcount(a[l]))
BITS(i_asr, 2, (uint32_t)((int32_t)a[l] >> (b[l] & 31)))

/* clang-format off */
static xk_sim_fn *select_float(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_ADD: return PICK(f_add);
    case XK_OPC_MUL: return PICK(f_mul);
    case XK_OPC_MAD: return select_mad(e);
    case XK_OPC_CMP: return PICK(f_cmp);
    case XK_OPC_SEL: return e->in.cond ? PICK(f_sel) : PICK(by_flag);
    case XK_OPC_RNDE: return PICK(f_rnde);
    case XK_OPC_MATH: return PICK(f_math);
    default: return NULL;
    }
}
/* clang-format on */

/* clang-format off */
static xk_sim_fn *select_int(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_MOV:
        return e->dst.type == XK_RT_F && e->src[0].type != XK_RT_F
                   ? PICK(i_to_f)
                   : PICK(i_mov);
    case XK_OPC_CMP: return PICK(i_cmp);
    case XK_OPC_NOT: return PICK(i_not);
    case XK_OPC_SEL: return PICK(by_flag);
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
    case XK_OPC_ROL: return PICK(i_rol);
    case XK_OPC_ROR: return PICK(i_ror);
    case XK_OPC_CBIT: return PICK(i_cbit);
    default: return NULL;
    }
}
/* clang-format on */

#include "sim/exec/fast_acc.h"
#include "sim/exec/fast_move.h"

static bool uses_acc(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_MACH:
    case XK_OPC_MACL:
    case XK_OPC_ADDC:
    case XK_OPC_SUBB:
        return true;
    case XK_OPC_MUL:
        return !e->is_float && e->dst.special == XK_SS_ACC;
    default:
        return false;
    }
}

xk_sim_fn *XK_FAST_SELECT(struct xk_sim_inst *e)
{
    if (e->in.op == XK_OPC_MOV &&
        (e->dst.size_b != 4 || e->src[0].type == XK_RT_HF))
        return select_move(e);
    if (uses_acc(e))
        return select_acc(e);
    return e->is_float ? select_float(e) : select_int(e);
}
