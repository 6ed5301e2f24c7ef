/* SPDX-License-Identifier: Apache-2.0 */
/* The systolic multiply: dst[m][n] = src0[m][n] + sum over depth d of
 * dot(src1[d][n], src2[m][d]). The general form takes every pair of types; the
 * direct ones, here for any host and in sim/exec/dpas_avx2.c, give the same
 * bits.
 *
 * Order of a float sum: it begins with src0, then the products follow by
 * rising depth, inside a depth by rising k, each addition rounded to float in
 * the thread's mode. The hardware's order inside a depth is not public: it may
 * add the two products first, and may round less often. Denormals are kept, and
 * a NaN is always XK_SIM_NAN, so that it depends on no host compiler. */
#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"
#include "base/half.h"

#define DEPTH 8
#define MAX_N 16 /* columns: the execution size, 8 or 16 */

static unsigned elem_bits(unsigned type)
{
    switch (type) {
    case XK_RT_TF32:
        return 32;
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
    if (type == XK_RT_TF32)
        return xk_bits_float((uint32_t)dw & ~0x1fffu);
    return type == XK_RT_HF ? xk_sim_half_to_float(h)
                            : xk_bits_float((uint32_t)h << 16);
}

/* Products per depth step: 1 of tf32, 2 halves, 4 bytes, 8 if both are
 * narrower. */
static unsigned per_step(const struct xk_sim_inst *e)
{
    const unsigned a = elem_bits(e->src[1].type);
    const unsigned b = elem_bits(e->src[2].type);
    const unsigned wide = a > b ? a : b;
    return wide >= 8 ? 32 / wide : 8;
}

/* Bytes of src2, the same in one go for all rows. */
static uint32_t src2_b(const struct xk_sim_inst *e)
{
    return e->in.rcount * per_step(e) * elem_bits(e->src[2].type);
}

/* The bits of depth step d: in a row of src2 (m), or in a column of src1
 * (n). */
static uint64_t lane_bits(const struct xk_sim_thread *t, uint32_t first_bit,
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
    return lane_bits(t,
                     (e->src[1].off_b + (d / per_dw * e->exec + n) * 4) * 8 +
                         d % per_dw * step,
                     step);
}

static uint64_t src2_bits(const struct xk_sim_thread *t,
                          const struct xk_sim_inst *e, unsigned m, unsigned d)
{
    const unsigned step = per_step(e) * elem_bits(e->src[2].type);
    return lane_bits(t, e->src[2].off_b * 8 + (m * DEPTH + d) * step, step);
}

static uint32_t cell_int(const struct xk_sim_thread *t,
                         const struct xk_sim_inst *e, unsigned m, unsigned n)
{
    int64_t acc = 0;
    if (e->src[0].kind == XK_SO_REG) {
        const uint32_t c =
            xk_rf_u32(t, e->src[0].off_b + (m * e->exec + n) * 4);
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

/* The addend: f, hf or bf. */
static float addend(const struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    unsigned m, unsigned n)
{
    const struct xk_sim_opnd *o = &e->src[0];
    if (o->kind != XK_SO_REG)
        return 0;
    const uint32_t v = xk_rf_u32(t, o->off_b + (m * e->exec + n) * o->size_b);
    return o->type == XK_RT_F ? xk_bits_float(v) : float_elem(v, o->type, 0);
}

static uint32_t f32_result(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e, float f)
{
    const float v = f == f ? f : xk_bits_float(XK_SIM_NAN);
    uint32_t b;
    memcpy(&b, &v, 4);
    return e->dst.type == XK_RT_HF   ? xk_sim_half_from_float(v, t->round)
           : e->dst.type == XK_RT_BF ? xk_sim_bf16_from_float(v, t->round)
                                     : b;
}

static uint32_t cell_float(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e, unsigned m, unsigned n)
{
    float acc = addend(t, e, m, n);
    for (unsigned d = 0; d < DEPTH; d++) {
        const uint64_t p = src1_bits(t, e, d, n), q = src2_bits(t, e, m, d);
        for (unsigned k = 0; k < per_step(e); k++)
            acc += float_elem(p, e->src[1].type, k) *
                   float_elem(q, e->src[2].type, k);
    }
    return f32_result(t, e, acc);
}

static bool is_float_elem(unsigned type)
{
    return type == XK_RT_HF || type == XK_RT_BF || type == XK_RT_TF32;
}

static bool is_int_elem(unsigned type)
{
    return xk_is_byte_type(type) || (elem_bits(type) < 8);
}

static bool is_int_sum(unsigned type)
{
    return type == XK_RT_D || type == XK_RT_UD;
}

/* The sum as stored: a float, or, where the products are of halves, of their
 * type. */
static bool is_float_sum(unsigned type, unsigned elem)
{
    return type == XK_RT_F || (type == elem && elem_bits(elem) == 16);
}

static bool known_types(const struct xk_sim_inst *e)
{
    const unsigned d = e->dst.type, a = e->src[1].type, b = e->src[2].type;
    const unsigned c = e->src[0].kind == XK_SO_REG ? e->src[0].type : d;
    if (is_int_sum(d))
        return is_int_sum(c) && is_int_elem(a) && is_int_elem(b);
    return is_float_elem(a) && a == b && is_float_sum(d, a) &&
           is_float_sum(c, a) && !e->in.sat;
}

static bool in_file(const struct xk_sim_kernel *k, const struct xk_sim_opnd *o,
                    uint32_t n_b)
{
    return o->kind == XK_SO_REG && o->off_b + n_b <= k->grf_count * k->grf_b;
}

/* How many bytes of src2 come from one thread. */
static uint32_t own_src2_b(const struct xk_sim_kernel *k,
                           const struct xk_sim_inst *e)
{
    const uint32_t n_b = src2_b(e);
    return e->in.op == XK_OPC_DPASW ? xk_sim_dpasw_first_b(k, n_b) : n_b;
}

static bool places_fit(const struct xk_sim_kernel *k,
                       const struct xk_sim_inst *e)
{
    const uint32_t cells = e->in.rcount * (uint32_t)e->exec;
    return in_file(k, &e->dst, cells * e->dst.size_b) &&
           in_file(k, &e->src[1], DEPTH * e->exec * 4u) &&
           in_file(k, &e->src[2], own_src2_b(k, e)) &&
           (e->src[0].kind == XK_SO_NONE ||
            in_file(k, &e->src[0], cells * e->src[0].size_b));
}

static bool is_dpas_supported(const struct xk_sim_kernel *k,
                              const struct xk_sim_inst *e)
{
    return known_types(e) && e->in.rcount >= 1 && e->in.rcount <= 8 &&
           e->in.sdepth == DEPTH && e->exec == k->platform->dpas_exec &&
           e->exec <= MAX_N && places_fit(k, e);
}

void xk_sim_exec_dpas(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    uint32_t r[8][MAX_N];
    const bool ints = is_int_sum(e->dst.type);
    for (unsigned m = 0; m < e->in.rcount; m++)
        for (unsigned n = 0; n < e->exec; n++)
            r[m][n] = ints ? cell_int(t, e, m, n) : cell_float(t, e, m, n);
    const uint32_t mask = xk_sim_mask(t, e);
    const unsigned size_b = e->dst.size_b;
    for (unsigned m = 0; m < e->in.rcount; m++)
        for (unsigned n = 0; n < e->exec; n++)
            if (mask >> n & 1)
                memcpy(t->rf + e->dst.off_b + (m * e->exec + n) * size_b,
                       &r[m][n], size_b);
}

static void direct_load(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e, float b[][MAX_N],
                        float a[8][2 * DEPTH])
{
    uint16_t h[2 * DEPTH * MAX_N];
    const unsigned cols = e->exec;
    memcpy(h, t->rf + e->src[1].off_b, 4u * DEPTH * cols);
    for (unsigned k = 0; k < 2 * DEPTH; k++)
        for (unsigned n = 0; n < cols; n++)
            b[k][n] = xk_sim_half_to_float(h[(k / 2 * cols + n) * 2 + k % 2]);
    memcpy(h, t->rf + e->src[2].off_b, e->in.rcount * 32u);
    for (unsigned i = 0; i < e->in.rcount * 2u * DEPTH; i++)
        a[i / (2 * DEPTH)][i % (2 * DEPTH)] = xk_sim_half_to_float(h[i]);
}

static void exec_hf(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    float acc[8 * MAX_N] = {0}, a[8][2 * DEPTH], b[2 * DEPTH][MAX_N];
    const unsigned rows = e->in.rcount, cols = e->exec;
    if (xk_sim_mask(t, e) != e->lanes) {
        xk_sim_exec_dpas(t, e);
        return;
    }
    if (e->src[0].kind == XK_SO_REG)
        memcpy(acc, t->rf + e->src[0].off_b, 4 * rows * cols);
    direct_load(t, e, b, a);
    for (unsigned m = 0; m < rows; m++)
        for (unsigned k = 0; k < 2 * DEPTH; k++)
            for (unsigned n = 0; n < cols; n++)
                acc[m * cols + n] += a[m][k] * b[k][n];
    const uint32_t nan = XK_SIM_NAN;
    for (unsigned i = 0; i < rows * cols; i++)
        if (acc[i] != acc[i])
            memcpy(&acc[i], &nan, 4);
    memcpy(t->rf + e->dst.off_b, acc, 4 * rows * cols);
}

static int32_t byte_of(uint8_t v, bool is_signed)
{
    return is_signed ? (int8_t)v : (int32_t)v;
}

static void exec_bytes(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    uint32_t acc[8 * MAX_N] = {0};
    uint8_t a[8][4 * DEPTH], b[4 * DEPTH * MAX_N];
    const unsigned rows = e->in.rcount, cols = e->exec;
    const bool p = e->src[1].type == XK_RT_B, q = e->src[2].type == XK_RT_B;
    if (xk_sim_mask(t, e) != e->lanes) {
        xk_sim_exec_dpas(t, e);
        return;
    }
    if (e->src[0].kind == XK_SO_REG)
        memcpy(acc, t->rf + e->src[0].off_b, 4 * rows * cols);
    memcpy(b, t->rf + e->src[1].off_b, 4 * DEPTH * cols);
    memcpy(a, t->rf + e->src[2].off_b, rows * sizeof(a[0]));
    for (unsigned m = 0; m < rows; m++)
        for (unsigned k = 0; k < 4 * DEPTH; k++)
            for (unsigned n = 0; n < cols; n++)
                acc[m * cols + n] +=
                    (uint32_t)(byte_of(b[(k / 4 * cols + n) * 4 + k % 4], p) *
                               byte_of(a[m][k], q));
    memcpy(t->rf + e->dst.off_b, acc, 4 * rows * cols);
}

xk_sim_fn *xk_sim_select_dpas_any(const struct xk_sim_inst *e)
{
    switch (e->src[1].type) {
    case XK_RT_HF:
        return exec_hf;
    case XK_RT_BF:
    case XK_RT_TF32:
        return xk_sim_exec_dpas;
    default:
        return exec_bytes;
    }
}

static bool wide_sums(const struct xk_sim_inst *e)
{
    return e->dst.size_b == 4 &&
           (e->src[0].kind != XK_SO_REG || e->src[0].size_b == 4);
}

/* NULL: the general form. */
static xk_sim_fn *select_direct(const struct xk_sim_inst *e)
{
    const unsigned a = e->src[1].type, b = e->src[2].type;
    const bool bytes = xk_is_byte_type(a) && xk_is_byte_type(b);
    if (e->in.sat || !wide_sums(e) || !(bytes || (a == b && is_float_elem(a))))
        return NULL;
#if XK_SIM_AVX2
    if (xk_sim_host_has_avx2())
        return xk_sim_select_dpas_avx2(e);
#endif
    return xk_sim_select_dpas_any(e);
}

xk_sim_fn *xk_sim_select_dpas(const struct xk_sim_kernel *k,
                              struct xk_sim_inst *e)
{
    if (!is_dpas_supported(k, e))
        return NULL;
    xk_sim_fn *const direct = select_direct(e);
    xk_sim_fn *const fn = direct ? direct : xk_sim_exec_dpas;
    return e->in.op == XK_OPC_DPASW ? xk_sim_select_dpasw(e, fn, src2_b(e))
                                    : fn;
}
