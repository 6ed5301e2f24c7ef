/* SPDX-License-Identifier: Apache-2.0 */
/* The systolic multiply: dst[m][n] = src0[m][n] + sum over depth d of
 * dot(src1[d][n], src2[m][d]). Float sums are made in float, one product after
 * the other; the hardware's order inside a step is not documented. */
#include "sim/operand.h"

#define DEPTH 8
#define N 8 /* columns: exec size on this platform */

static unsigned elem_bits(unsigned type)
{
    switch (type) {
    case XK_RT_HF:
    case XK_RT_BF:
        return 16;
    case XK_RT_U4:
    case XK_RT_S4:
        return 4;
    case XK_RT_U2:
    case XK_RT_S2:
        return 2;
    default:
        return 8;
    }
}

static bool is_signed(unsigned type)
{
    return type == XK_RT_B || type == XK_RT_S4 || type == XK_RT_S2;
}

static int64_t int_elem(uint64_t dw, unsigned type, unsigned k)
{
    const unsigned w = elem_bits(type);
    const uint64_t v = dw >> (w * k) & ((1u << w) - 1);
    return is_signed(type) ? (int64_t)(v << (64 - w)) >> (64 - w) : (int64_t)v;
}

static float float_elem(uint64_t dw, unsigned type, unsigned k)
{
    const uint16_t h = (uint16_t)(dw >> (16 * k));
    if (type == XK_RT_HF)
        return xk_sim_half_to_float(h);
    const uint32_t b = (uint32_t)h << 16;
    float f;
    memcpy(&f, &b, 4);
    return f;
}

/* Products per depth step: 2 halves, 4 bytes, 8 if both are narrower. */
static unsigned per_step(const struct xk_sim_inst *e)
{
    const unsigned a = elem_bits(e->src[1].type);
    const unsigned b = elem_bits(e->src[2].type);
    const unsigned wide = a > b ? a : b;
    return wide == 16 ? 2 : wide == 8 ? 4 : 8;
}

/* Bits of depth step d: a row of src2 (m), or a column of src1 (n). */
static uint64_t take(const struct xk_sim_thread *t, uint32_t first_bit,
                     unsigned n_bits)
{
    uint64_t v = 0;
    memcpy(&v, t->rf + first_bit / 8, 5);
    return v >> first_bit % 8 & ((1ull << n_bits) - 1);
}

static uint64_t src1_bits(const struct xk_sim_thread *t,
                          const struct xk_sim_inst *e, unsigned d, unsigned n)
{
    const unsigned step = per_step(e) * elem_bits(e->src[1].type);
    const unsigned per_dw = 32 / step; /* steps packed into one dword */
    return take(
        t, (e->src[1].off_b + (d / per_dw * N + n) * 4) * 8 + d % per_dw * step,
        step);
}

static uint64_t src2_bits(const struct xk_sim_thread *t,
                          const struct xk_sim_inst *e, unsigned m, unsigned d)
{
    const unsigned step = per_step(e) * elem_bits(e->src[2].type);
    return take(t, e->src[2].off_b * 8 + (m * DEPTH + d) * step, step);
}

static uint32_t cell_int(const struct xk_sim_thread *t,
                         const struct xk_sim_inst *e, unsigned m, unsigned n)
{
    int64_t acc = 0;
    if (e->src[0].kind == XK_SO_REG) {
        const uint32_t c = xk_rf_u32(t, e->src[0].off_b + (m * N + n) * 4);
        acc = e->src[0].type == XK_RT_D ? (int32_t)c : (int64_t)c;
    }
    for (unsigned d = 0; d < DEPTH; d++) {
        const uint64_t p = src1_bits(t, e, d, n), q = src2_bits(t, e, m, d);
        for (unsigned k = 0; k < per_step(e); k++)
            acc +=
                int_elem(p, e->src[1].type, k) * int_elem(q, e->src[2].type, k);
    }
    return (uint32_t)(e->in.sat ? xk_sim_clamp(e->dst.type, acc) : acc);
}

static uint32_t cell_float(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e, unsigned m, unsigned n)
{
    float acc = 0;
    uint32_t b;
    if (e->src[0].kind == XK_SO_REG)
        memcpy(&acc, t->rf + e->src[0].off_b + (m * N + n) * 4, 4);
    for (unsigned d = 0; d < DEPTH; d++) {
        const uint64_t p = src1_bits(t, e, d, n), q = src2_bits(t, e, m, d);
        for (unsigned k = 0; k < 2; k++)
            acc += float_elem(p, e->src[1].type, k) *
                   float_elem(q, e->src[2].type, k);
    }
    memcpy(&b, &acc, 4);
    return b;
}

static bool known_types(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type;
    const bool c_ok = e->src[0].kind != XK_SO_REG || e->src[0].size_b == 4;
    return c_ok && (d == XK_RT_F || d == XK_RT_D || d == XK_RT_UD) &&
           e->dst.kind == XK_SO_REG && e->src[1].kind == XK_SO_REG &&
           e->src[2].kind == XK_SO_REG;
}

static uint32_t first_bad_byte(const struct xk_sim_thread *t,
                               const struct xk_sim_inst *e)
{
    const uint32_t end = t->kernel->grf_count * XK_SIM_GRF_B;
    const uint32_t c = e->dst.off_b + e->in.rcount * N * 4u;
    const uint32_t s1 = e->src[1].off_b + DEPTH * N * 4;
    const uint32_t s2 = e->src[2].off_b + e->in.rcount * 32u;
    return c > end ? c : s1 > end ? s1 : s2 > end ? s2 : 0;
}

void xk_sim_exec_dpas(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    uint32_t r[8][N];
    if (!known_types(e) || e->in.rcount > 8 || e->in.sdepth != DEPTH ||
        e->exec != N || first_bad_byte(t, e)) {
        xk_sim_fault(t, e, "this form of dpas is not supported");
        return;
    }
    for (unsigned m = 0; m < e->in.rcount; m++)
        for (unsigned n = 0; n < N; n++)
            r[m][n] = e->dst.type == XK_RT_F ? cell_float(t, e, m, n)
                                             : cell_int(t, e, m, n);
    const uint32_t mask = xk_sim_mask(t, e);
    for (unsigned m = 0; m < e->in.rcount; m++)
        for (unsigned n = 0; n < N; n++)
            if (mask >> n & 1)
                xk_rf_set_u32(t, e->dst.off_b + (m * N + n) * 4, r[m][n]);
}
