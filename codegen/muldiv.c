/* SPDX-License-Identifier: Apache-2.0 */
/* 32-bit products and divisions on hardware that multiplies 32 by 16 bits. mul
 * then mach give the upper half of a 32x32 product through acc0, eight lanes at
 * a time, the destination at the start of a GRF (lane n of acc0 belongs to
 * dword n of the destination's GRF).
 *
 * Division by a constant d multiplies by m / 2^s with m = ceil(2^s / d). With
 * e = m * d - 2^s, x * m / 2^s = x / d + e * x / (d * 2^s), whose floor is that
 * of x / d as long as e * x < 2^s: what is added is then below 1 / d. */
#include "codegen/cg.h"

bool xk_cg_magic_find(uint64_t d, uint64_t hi, unsigned m_bits, unsigned s_min,
                      struct xk_cg_magic *out)
{
    for (unsigned s = s_min; s < 63; s++) {
        const uint64_t pow = UINT64_C(1) << s;
        const uint64_t m = (pow + d - 1) / d;
        if (m >> m_bits)
            return false;
        const uint64_t e = m * d - pow;
        if (e == 0 || hi <= (pow - 1) / e) {
            *out = (struct xk_cg_magic){m, s};
            return true;
        }
    }
    return false;
}

static bool fits_u16(struct xk_cg_range r)
{
    return r.lo >= 0 && r.hi <= UINT16_MAX;
}

struct xk_cg_val xk_cg_word_of(struct xk_cg_val v, unsigned word)
{
    v.dt = XK_DT_U16;
    v.sub_b += 2 * word;
    v.stride = (uint8_t)(v.stride * 2);
    return v;
}

static int log2_of(int64_t k)
{
    return k > 0 && (k & (k - 1)) == 0 ? __builtin_ctzll((uint64_t)k) : -1;
}

/* d = a * b, modulo 2^32; b's words may be constants. */
static void mul_full(struct xk_cg *g, const struct xk_cg_val *d,
                     struct xk_cg_val a, const struct xk_cg_val *b_lo,
                     const struct xk_cg_val *b_hi, unsigned lanes)
{
    a = xk_cg_packed(g, a, lanes);
    const struct xk_cg_val t = xk_cg_temp(g, d->dt, lanes);
    const struct xk_cg_val k16 = xk_cg_imm(XK_DT_U16, 16);
    xk_cg_op2(g, XK_OPC_MUL, &t, &a, b_hi, lanes);
    xk_cg_op2(g, XK_OPC_SHL, &t, &t, &k16, lanes);
    const struct xk_cg_val *const s[] = {&t, &a, b_lo};
    xk_cg_op3(g, XK_OPC_MAD, d, s, lanes);
}

void xk_cg_mul_low(struct xk_cg *g, const struct xk_cg_val *d,
                   const struct xk_cg_val *a, const struct xk_cg_val *b,
                   unsigned lanes)
{
    const struct xk_cg_val lo = xk_cg_word_of(*b, 0), hi = xk_cg_word_of(*b, 1);
    mul_full(g, d, *a, &lo, &hi, lanes);
}

/* a * k with a in a register. */
static struct xk_cg_val mul_const(struct xk_cg *g, struct xk_type t,
                                  struct xk_cg_val a, int64_t k,
                                  const struct xk_cg_val *want)
{
    if (k == 1)
        return a;
    const struct xk_cg_val *const ops[] = {&a};
    const struct xk_cg_val d = xk_cg_place(g, t, want, ops, 1);
    const int shift = log2_of(k);
    const int zeros = k ? __builtin_ctzll((uint64_t)k) : 0;
    const int64_t odd = k >> zeros; /* k = odd * 2^zeros */
    if (k == 0) {
        return xk_cg_imm(t.dt, 0);
    } else if (shift >= 0) {
        const struct xk_cg_val n = xk_cg_imm(XK_DT_U16, shift);
        xk_cg_op2(g, XK_OPC_SHL, &d, &a, &n, t.lanes);
    } else if (k >= INT16_MIN && k <= UINT16_MAX) {
        const struct xk_cg_val n = xk_cg_imm(k < 0 ? XK_DT_S16 : XK_DT_U16, k);
        xk_cg_op2(g, XK_OPC_MUL, &d, &a, &n, t.lanes);
    } else if (odd >= INT16_MIN && odd <= UINT16_MAX) {
        const struct xk_cg_val n =
            xk_cg_imm(odd < 0 ? XK_DT_S16 : XK_DT_U16, odd);
        const struct xk_cg_val by = xk_cg_imm(XK_DT_U16, zeros);
        xk_cg_op2(g, XK_OPC_MUL, &d, &a, &n, t.lanes);
        xk_cg_op2(g, XK_OPC_SHL, &d, &d, &by, t.lanes);
    } else {
        const struct xk_cg_val lo = xk_cg_imm(XK_DT_U16, k & 0xffff);
        const struct xk_cg_val hi = xk_cg_imm(XK_DT_U16, k >> 16 & 0xffff);
        mul_full(g, &d, a, &lo, &hi, t.lanes);
    }
    return d;
}

static struct xk_cg_val mul_regs(struct xk_cg *g, const xk_expr *e,
                                 struct xk_cg_val a, struct xk_cg_val b,
                                 const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const struct xk_cg_val *const ops[] = {&a, &b};
    const struct xk_cg_val d = xk_cg_place(g, t, want, ops, 2);
    const bool small_a = fits_u16(xk_cg_range_of(g, xk_kid(e, 0)));
    const bool small_b = fits_u16(xk_cg_range_of(g, xk_kid(e, 1)));
    if (xk_dtype_b(t.dt) == 2) {
        xk_cg_op2(g, XK_OPC_MUL, &d, &a, &b, t.lanes);
    } else if (small_a || small_b) {
        const struct xk_cg_val w = xk_cg_word_of(small_b ? b : a, 0);
        xk_cg_op2(g, XK_OPC_MUL, &d, small_b ? &a : &b, &w, t.lanes);
    } else {
        const struct xk_cg_val lo = xk_cg_word_of(b, 0),
                               hi = xk_cg_word_of(b, 1);
        mul_full(g, &d, a, &lo, &hi, t.lanes);
    }
    return d;
}

struct xk_cg_val xk_cg_eval_mul(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const bool lazy = t.lanes == 1 && xk_dtype_b(t.dt) == 4;
    struct xk_cg_val a = xk_cg_eval(g, xk_kid(e, 0), NULL);
    struct xk_cg_val b = xk_cg_eval(g, xk_kid(e, 1), NULL);
    if (a.kind == XK_CG_IMM) {
        const struct xk_cg_val s = a;
        a = b;
        b = s;
    }
    if (b.kind != XK_CG_IMM) {
        a = xk_cg_settle(g, a, NULL);
        b = xk_cg_settle(g, b, NULL);
        return mul_regs(g, e, a, b, want);
    }
    const int64_t rest = lazy ? a.imm : 0;
    if (lazy)
        a.imm = 0;
    else
        a = xk_cg_settle(g, a, NULL);
    a = xk_cg_in_reg(g, a);
    struct xk_cg_val d = mul_const(g, t, a, b.imm, rest ? NULL : want);
    if (rest && d.kind == XK_CG_REG)
        d.imm = (int32_t)((uint64_t)rest * (uint64_t)b.imm);
    return d;
}

/* Upper 32 bits of x * m, in new registers. */
static struct xk_cg_val mul_high_const(struct xk_cg *g, struct xk_cg_val x,
                                       uint32_t m, unsigned lanes)
{
    const unsigned one = xk_platform_dwords(g->p);
    const unsigned size_b =
        (lanes * 4 + g->p->grf_b - 1) / g->p->grf_b * g->p->grf_b;
    const struct xk_cg_val d = xk_cg_reg(
        XK_DT_U32, xk_cg_tile_new(g, size_b, g->p->grf_b), 0, lanes > 1);
    const struct xk_cg_val lo = xk_cg_imm(XK_DT_U16, m & 0xffff);
    const struct xk_cg_val all = xk_cg_imm(XK_DT_U32, m);
    const struct xk_cg_val *const v[] = {&d, &x};
    x.dt = XK_DT_U32;
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, v, 2, at, lanes - at < one ? lanes - at : one);
        struct xk_inst *i = xk_cg_emit(g, XK_OPC_MUL, n);
        i->dst = xk_cg_null(XK_RT_UD);
        i->dst.arf = XK_ARF_ACC;
        i->src[0] = xk_cg_src(&x, at, n);
        i->src[1] = xk_cg_src(&lo, at, n);
        i = xk_cg_emit(g, XK_OPC_MACH, n);
        i->acc_wr_en = true;
        i->dst = xk_cg_dst(&d, at);
        i->src[0] = xk_cg_src(&x, at, n);
        i->src[1] = xk_cg_src(&all, at, n);
    }
    return d;
}

static void shift_right(struct xk_cg *g, const struct xk_cg_val *d,
                        const struct xk_cg_val *a, unsigned s, unsigned lanes)
{
    const struct xk_cg_val k = xk_cg_imm(XK_DT_U16, s);
    xk_cg_op2(g, XK_OPC_SHR, d, a, &k, lanes);
}

/* Any u32 numerator: a 33-bit multiplier, its top bit added separately. */
static struct xk_cg_val div_u32(struct xk_cg *g, struct xk_cg_val x, uint64_t d,
                                unsigned lanes)
{
    unsigned l = 1;
    while ((UINT64_C(1) << l) < d)
        l++;
    const uint64_t m = (((UINT64_C(1) << l) - d) << 32) / d + 1;
    const struct xk_cg_val q = mul_high_const(g, x, (uint32_t)m, lanes);
    const struct xk_cg_val t = xk_cg_temp(g, XK_DT_U32, lanes);
    const struct xk_cg_val *const v[] = {&t, &x, &q};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, v, 3, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, XK_OPC_ADD, n);
        i->dst = xk_cg_dst(&t, at);
        i->src[0] = xk_cg_src(&x, at, n);
        i->src[1] = xk_cg_src(&q, at, n);
        i->src[1].neg = true;
    }
    shift_right(g, &t, &t, 1, lanes);
    xk_cg_op2(g, XK_OPC_ADD, &t, &t, &q, lanes);
    if (l > 1)
        shift_right(g, &t, &t, l - 1, lanes);
    return t;
}

/* floor(x / d) for 0 <= x <= hi, d >= 2, as u32. */
static struct xk_cg_val div_positive(struct xk_cg *g, struct xk_cg_val x,
                                     uint64_t d, uint64_t hi, unsigned lanes)
{
    struct xk_cg_magic k;
    x.dt = XK_DT_U32;
    if (xk_cg_magic_find(d, hi, 16, 0, &k) && k.s < 32 &&
        hi * k.m <= UINT32_MAX) {
        const struct xk_cg_val t = xk_cg_temp(g, XK_DT_U32, lanes);
        const struct xk_cg_val m = xk_cg_imm(XK_DT_U16, (int64_t)k.m);
        xk_cg_op2(g, XK_OPC_MUL, &t, &x, &m, lanes);
        shift_right(g, &t, &t, k.s, lanes);
        return t;
    }
    if (!xk_cg_magic_find(d, hi, 32, 32, &k))
        return div_u32(g, x, d, lanes);
    const struct xk_cg_val t = mul_high_const(g, x, (uint32_t)k.m, lanes);
    if (k.s > 32)
        shift_right(g, &t, &t, k.s - 32, lanes);
    return t;
}

/* A negative x: floor(x / d) = ~(~x / d), and ~x = x ^ (x >> 31). */
static struct xk_cg_val div_signed(struct xk_cg *g, struct xk_cg_val x,
                                   uint64_t d, unsigned lanes)
{
    const struct xk_cg_val sign = xk_cg_temp(g, XK_DT_S32, lanes);
    const struct xk_cg_val y = xk_cg_temp(g, XK_DT_S32, lanes);
    const struct xk_cg_val k31 = xk_cg_imm(XK_DT_U16, 31);
    xk_cg_op2(g, XK_OPC_ASR, &sign, &x, &k31, lanes);
    xk_cg_op2(g, XK_OPC_XOR, &y, &x, &sign, lanes);
    struct xk_cg_val q = div_positive(g, y, d, INT32_MAX, lanes);
    q.dt = XK_DT_S32;
    xk_cg_op2(g, XK_OPC_XOR, &y, &q, &sign, lanes);
    return y;
}

static struct xk_cg_val div_const(struct xk_cg *g, const xk_expr *e,
                                  struct xk_cg_val x, int64_t d,
                                  const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const struct xk_cg_range r = xk_cg_range_of(g, xk_kid(e, 0));
    const int shift = log2_of(d);
    if (r.lo >= 0 && r.hi < d)
        return xk_cg_imm(t.dt, 0);
    if (shift >= 0) {
        const struct xk_cg_val *const ops[] = {&x};
        const struct xk_cg_val q = xk_cg_place(g, t, want, ops, 1);
        const struct xk_cg_val k = xk_cg_imm(XK_DT_U16, shift);
        xk_cg_op2(g, xk_dtype_is_signed(t.dt) ? XK_OPC_ASR : XK_OPC_SHR, &q, &x,
                  &k, t.lanes);
        return q;
    }
    struct xk_cg_val q =
        r.lo >= 0 ? div_positive(g, x, (uint64_t)d, (uint64_t)r.hi, t.lanes)
                  : div_signed(g, x, (uint64_t)d, t.lanes);
    q.dt = t.dt;
    return q;
}

/* x - (x / d) * d. The quotient is evaluated as an expression of its own, so a
 * neighbouring division of the same value shares it. */
static struct xk_cg_val mod_const(struct xk_cg *g, const xk_expr *e,
                                  struct xk_cg_val x, int64_t d,
                                  const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const struct xk_cg_range r = xk_cg_range_of(g, xk_kid(e, 0));
    if (r.lo >= 0 && r.hi < d)
        return x;
    if (log2_of(d) >= 0) {
        const struct xk_cg_val *const ops[] = {&x};
        const struct xk_cg_val m = xk_cg_place(g, t, want, ops, 1);
        const struct xk_cg_val k = xk_cg_imm(t.dt, d - 1);
        xk_cg_op2(g, XK_OPC_AND, &m, &x, &k, t.lanes);
        return m;
    }
    const xk_expr *const div =
        xk_bin(g->c, XK_OP_DIV, xk_kid(e, 0), xk_kid(e, 1));
    if (!div)
        return x;
    struct xk_cg_val q = xk_cg_eval_settled(g, div, NULL);
    const struct xk_cg_val *const ops[] = {&x, &q};
    if (d <= -(int64_t)INT16_MIN) {
        x = xk_cg_packed(g, x, t.lanes);
        const struct xk_cg_val k = xk_cg_imm(XK_DT_S16, -d);
        const struct xk_cg_val *const s[] = {&x, &q, &k};
        const struct xk_cg_val m = xk_cg_place(g, t, want, ops, 2);
        xk_cg_op3(g, XK_OPC_MAD, &m, s, t.lanes);
        return m;
    }
    const struct xk_cg_val p = mul_const(g, t, q, -d, NULL);
    const struct xk_cg_val m = xk_cg_place(g, t, want, ops, 1);
    xk_cg_op2(g, XK_OPC_ADD, &m, &x, &p, t.lanes);
    return m;
}

static struct xk_cg_val div_words(struct xk_cg *g, const xk_expr *e)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    const xk_expr *const q =
        xk_bin(g->c, xk_op(e), xk_cast(g->c, XK_DT_S32, xk_kid(e, 0)),
               xk_cast(g->c, XK_DT_S32, xk_kid(e, 1)));
    return q ? xk_cg_eval_settled(g, xk_cast(g->c, dt, q), NULL)
             : xk_cg_imm(dt, 0);
}

struct xk_cg_val xk_cg_eval_div(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const bool div = xk_op(e) == XK_OP_DIV;
    int64_t d;
    if (xk_dtype_is_int(t.dt) && xk_dtype_b(t.dt) == 2)
        return div_words(g, e);
    if (!xk_dtype_is_int(t.dt) || xk_dtype_b(t.dt) != 4) {
        xk_fail(g->c, XK_EUNSUPPORTED,
                "codegen: %s x%u %s: only s32 and u32 are implemented",
                xk_dtype_name(t.dt), t.lanes, div ? "division" : "modulo");
        return xk_cg_imm(t.dt, 0);
    }
    if (!xk_cg_const(g, xk_kid(e, 1), &d) || d < 0)
        return xk_cg_divide(g, e);
    if (d == 0) /* x / 0 = x % 0 = 0 */
        return xk_cg_imm(t.dt, 0);
    const struct xk_cg_val x =
        xk_cg_in_reg(g, xk_cg_eval_settled(g, xk_kid(e, 0), NULL));
    if (d == 1)
        return div ? x : xk_cg_imm(t.dt, 0);
    return div ? div_const(g, e, x, d, want) : mod_const(g, e, x, d, want);
}
