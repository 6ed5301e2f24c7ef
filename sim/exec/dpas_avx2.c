/* SPDX-License-Identifier: Apache-2.0 */
/* dpas for hosts with AVX2, FMA and F16C. Eight columns of a row of the result
 * are one vector, and all rows stay in registers; sixteen columns are done as
 * two halves. The sums are those of sim/exec/dpas.c, in the same order. A
 * product of two halves is exact in float, so fusing it with the addition
 * rounds no differently. A product of bfloats may over- or underflow, so both
 * operations stay there. */
#include <immintrin.h>

#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

#define ALWAYS static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#define DEPTH 8
#define N 8 /* columns at a time */

/* Which columns: a row has `cols`, and eight of them are done, from `first` on.
 * The result goes to out, with a row every cols dwords. */
struct part {
    unsigned cols, first;
    uint8_t *out;
};

ALWAYS __m256i load_grf(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

ALWAYS void store_grf(uint8_t *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)p, v);
}

ALWAYS void float_begin(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e, unsigned rows,
                        struct part p, __m256 *acc)
{
    const uint8_t *c = t->rf + e->src[0].off_b + p.first * 4;
    UNROLL for (unsigned m = 0; m < rows; m++) acc[m] =
        e->src[0].kind == XK_SO_REG
            ? _mm256_castsi256_ps(load_grf(c + m * p.cols * 4))
            : _mm256_setzero_ps();
}

/* Every NaN is the default one, as in sim/exec/dpas.c. */
ALWAYS void float_end(unsigned rows, struct part p, const __m256 *acc)
{
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(XK_SIM_NAN));
    UNROLL for (unsigned m = 0; m < rows; m++)
    {
        const __m256 is_nan = _mm256_cmp_ps(acc[m], acc[m], _CMP_UNORD_Q);
        store_grf(p.out + (m * p.cols + p.first) * 4,
                  _mm256_castps_si256(_mm256_blendv_ps(acc[m], nan, is_nan)));
    }
}

/* b[k] is row k of src1: halves 2d and 2d + 1 lie in the dwords of register d.
 */
ALWAYS void columns_hf(const uint8_t *src1, struct part p, __m256 *b)
{
    const __m256i low = _mm256_set1_epi32(0xffff);
    for (unsigned d = 0; d < DEPTH; d++) {
        const __m256i v = load_grf(src1 + (d * p.cols + p.first) * 4);
        const __m256i mixed = _mm256_packus_epi32(_mm256_and_si256(v, low),
                                                  _mm256_srli_epi32(v, 16));
        const __m256i both = _mm256_permute4x64_epi64(mixed, 0xd8);
        b[2 * d] = _mm256_cvtph_ps(_mm256_castsi256_si128(both));
        b[2 * d + 1] = _mm256_cvtph_ps(_mm256_extracti128_si256(both, 1));
    }
}

ALWAYS void columns_bf(const uint8_t *src1, struct part p, __m256 *b)
{
    const __m256i high = _mm256_set1_epi32((int)0xffff0000u);
    for (unsigned d = 0; d < DEPTH; d++) {
        const __m256i v = load_grf(src1 + (d * p.cols + p.first) * 4);
        b[2 * d] = _mm256_castsi256_ps(_mm256_slli_epi32(v, 16));
        b[2 * d + 1] = _mm256_castsi256_ps(_mm256_and_si256(v, high));
    }
}

/* Eight halves or bfloats in a row, as floats. */
ALWAYS __m256 widen(const uint8_t *p, bool bf)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    return bf ? _mm256_castsi256_ps(
                    _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16))
              : _mm256_cvtph_ps(v);
}

ALWAYS void float_rows(const struct xk_sim_thread *t,
                       const struct xk_sim_inst *e, unsigned rows, bool bf,
                       struct part p)
{
    __m256 acc[8], b[2 * DEPTH];
    float a[8 * 2 * DEPTH]; /* src2: [rows][16] */
    for (unsigned i = 0; i < 2 * rows; i++)
        _mm256_storeu_ps(a + 8 * i,
                         widen(t->rf + e->src[2].off_b + 16 * i, bf));
    if (bf)
        columns_bf(t->rf + e->src[1].off_b, p, b);
    else
        columns_hf(t->rf + e->src[1].off_b, p, b);
    float_begin(t, e, rows, p, acc);
    for (unsigned k = 0; k < 2 * DEPTH; k++) {
        UNROLL for (unsigned m = 0; m < rows; m++)
        {
            const __m256 x = _mm256_set1_ps(a[m * 2 * DEPTH + k]);
            acc[m] = bf ? _mm256_add_ps(acc[m], _mm256_mul_ps(b[k], x))
                        : _mm256_fmadd_ps(b[k], x, acc[m]);
        }
    }
    float_end(rows, p, acc);
}

/* tf32: a product is exact in float except for its range, as it is with
 * bfloats. */
ALWAYS void tf32_rows(const struct xk_sim_thread *t,
                      const struct xk_sim_inst *e, unsigned rows, struct part p)
{
    const __m256i kept = _mm256_set1_epi32((int)~0x1fffu);
    __m256 acc[8];
    uint32_t a[8 * DEPTH];
    for (unsigned m = 0; m < rows; m++)
        store_grf(
            (uint8_t *)(a + DEPTH * m),
            _mm256_and_si256(load_grf(t->rf + e->src[2].off_b + 32 * m), kept));
    float_begin(t, e, rows, p, acc);
    for (unsigned d = 0; d < DEPTH; d++) {
        const __m256i v =
            load_grf(t->rf + e->src[1].off_b + (d * p.cols + p.first) * 4);
        const __m256 b = _mm256_castsi256_ps(_mm256_and_si256(v, kept));
        UNROLL for (unsigned m = 0; m < rows; m++)
        {
            const __m256 x =
                _mm256_castsi256_ps(_mm256_set1_epi32((int)a[m * DEPTH + d]));
            acc[m] = _mm256_add_ps(acc[m], _mm256_mul_ps(b, x));
        }
    }
    float_end(rows, p, acc);
}

/* The even or the odd bytes of v as words. */
ALWAYS __m256i words_of(__m256i v, bool odd, bool is_signed)
{
    if (!odd)
        v = _mm256_slli_epi16(v, 8);
    return is_signed ? _mm256_srai_epi16(v, 8) : _mm256_srli_epi16(v, 8);
}

/* src2 as words: the pairs of even bytes of a row, then of odd ones. */
ALWAYS void spread(const uint8_t *src2, unsigned rows, bool is_signed,
                   int32_t *a)
{
    for (unsigned m = 0; m < rows; m++) {
        const __m256i v = load_grf(src2 + m * 32);
        store_grf((uint8_t *)(a + 2 * N * m), words_of(v, false, is_signed));
        store_grf((uint8_t *)(a + 2 * N * m + N), words_of(v, true, is_signed));
    }
}

ALWAYS __m256i add_pairs(__m256i acc, __m256i b, int32_t a)
{
    return _mm256_add_epi32(acc, _mm256_madd_epi16(b, _mm256_set1_epi32(a)));
}

ALWAYS void int_rows(const struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     unsigned rows, struct part p)
{
    const bool src1_signed = e->src[1].type == XK_RT_B;
    const uint8_t *c = t->rf + e->src[0].off_b + p.first * 4;
    __m256i acc[8];
    int32_t a[8 * 2 * N];
    spread(t->rf + e->src[2].off_b, rows, e->src[2].type == XK_RT_B, a);
    UNROLL for (unsigned m = 0; m < rows; m++) acc[m] =
        e->src[0].kind == XK_SO_REG ? load_grf(c + m * p.cols * 4)
                                    : _mm256_setzero_si256();
    for (unsigned d = 0; d < DEPTH; d++) {
        const __m256i v =
            load_grf(t->rf + e->src[1].off_b + (d * p.cols + p.first) * 4);
        const __m256i even = words_of(v, false, src1_signed);
        const __m256i odd = words_of(v, true, src1_signed);
        UNROLL for (unsigned m = 0; m < rows; m++)
        {
            acc[m] = add_pairs(acc[m], even, a[m * 2 * N + d]);
            acc[m] = add_pairs(acc[m], odd, a[m * 2 * N + N + d]);
        }
    }
    UNROLL for (unsigned m = 0; m < rows; m++)
        store_grf(p.out + (m * p.cols + p.first) * 4, acc[m]);
}

/* The result may lie on the sources, so two halves are only stored when both
 * are done. */
#define ROWS(name, call, n)                                                    \
    static void name##_##n(struct xk_sim_thread *t,                            \
                           const struct xk_sim_inst *e)                        \
    {                                                                          \
        const unsigned rows = n;                                               \
        uint8_t *const dst = t->rf + e->dst.off_b;                             \
        if (xk_sim_mask(t, e) != e->lanes) {                                   \
            xk_sim_exec_dpas(t, e);                                            \
        } else if (e->exec == 8) {                                             \
            const struct part p = {8, 0, dst};                                 \
            call;                                                              \
        } else {                                                               \
            uint8_t wide[n * 16 * 4];                                          \
            struct part p = {16, 0, wide};                                     \
            for (; p.first < 16; p.first += 8)                                 \
                call;                                                          \
            memcpy(dst, wide, sizeof(wide));                                   \
        }                                                                      \
    }
#define ALL_ROWS(name, call)                                                   \
    ROWS(name, call, 1)                                                        \
    ROWS(name, call, 2)                                                        \
    ROWS(name, call, 3)                                                        \
    ROWS(name, call, 4)                                                        \
    ROWS(name, call, 5)                                                        \
    ROWS(name, call, 6)                                                        \
    ROWS(name, call, 7)                                                        \
    ROWS(name, call, 8)                                                        \
    static xk_sim_fn *const name[8] = {                                        \
        name##_1, name##_2, name##_3, name##_4,                                \
        name##_5, name##_6, name##_7, name##_8};

ALL_ROWS(dpas_hf, float_rows(t, e, rows, false, p))
ALL_ROWS(dpas_bf, float_rows(t, e, rows, true, p))
ALL_ROWS(dpas_tf32, tf32_rows(t, e, rows, p))
ALL_ROWS(dpas_int, int_rows(t, e, rows, p))

xk_sim_fn *xk_sim_select_dpas_avx2(const struct xk_sim_inst *e)
{
    const unsigned row = e->in.rcount - 1u;
    switch (e->src[1].type) {
    case XK_RT_HF:
        return dpas_hf[row];
    case XK_RT_BF:
        return dpas_bf[row];
    case XK_RT_TF32:
        return dpas_tf32[row];
    default:
        return dpas_int[row];
    }
}
