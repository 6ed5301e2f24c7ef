/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit differences, products, shifts and logic from 32-bit instructions, for
 * offsets beyond 4 GiB. Values are the pairs of wide.c; signed and unsigned
 * ones differ only in how they are extended and shifted right. A half that is a
 * constant 0 (values that were extended) costs nothing. */
#include "codegen/cg.h"

static bool is_zero(const struct xk_cg_val *v)
{
    return v->kind == XK_CG_IMM && v->imm == 0;
}

static struct xk_cg_val op2_u32(struct xk_cg *g, enum xk_opcode op,
                                struct xk_cg_val a, struct xk_cg_val b,
                                unsigned lanes)
{
    const struct xk_cg_val d = xk_cg_temp(g, XK_DT_U32, lanes);
    a = xk_cg_in_reg(g, a);
    xk_cg_op2(g, op, &d, &a, &b, lanes);
    return d;
}

static struct xk_cg_val pair(struct xk_cg *g, const struct xk_cg_val *lo,
                             const struct xk_cg_val *hi, unsigned lanes)
{
    const struct xk_cg_val d = xk_cg_temp(g, XK_DT_U64, lanes);
    const struct xk_cg_val dl = xk_cg_half(&d, 0), dh = xk_cg_half(&d, 1);
    xk_cg_mov(g, &dl, lo, lanes);
    xk_cg_mov(g, &dh, hi, lanes);
    return d;
}

struct xk_cg_val xk_cg_sign_extend(struct xk_cg *g, struct xk_cg_val v,
                                   unsigned lanes)
{
    const struct xk_cg_val d = xk_cg_temp(g, XK_DT_U64, lanes);
    const struct xk_cg_val k31 = xk_cg_imm(XK_DT_U16, 31);
    struct xk_cg_val dl = xk_cg_half(&d, 0), dh = xk_cg_half(&d, 1);
    v.dt = dl.dt = dh.dt = XK_DT_S32;
    xk_cg_mov(g, &dl, &v, lanes);
    xk_cg_op2(g, XK_OPC_ASR, &dh, &v, &k31, lanes);
    return d;
}

/* Upper 32 bits of the product of u32, eight lanes at a time through acc0 (head
 * of muldiv.c). */
static struct xk_cg_val mul_high(struct xk_cg *g, const struct xk_cg_val *a,
                                 const struct xk_cg_val *b, unsigned lanes)
{
    const unsigned one = xk_platform_dwords(g->p);
    const unsigned size_b =
        (lanes * 4 + g->p->grf_b - 1) / g->p->grf_b * g->p->grf_b;
    const struct xk_cg_val d = xk_cg_reg(
        XK_DT_U32, xk_cg_tile_new(g, size_b, g->p->grf_b), 0, lanes > 1);
    const struct xk_cg_val lo = xk_cg_word_of(*b, 0);
    const struct xk_cg_val *const v[] = {&d, a, b, &lo};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, v, 4, at, lanes - at < one ? lanes - at : one);
        struct xk_inst *i = xk_cg_emit(g, XK_OPC_MUL, n);
        i->dst = xk_cg_null(XK_RT_UD);
        i->dst.arf = XK_ARF_ACC;
        i->src[0] = xk_cg_src(a, at, n);
        i->src[1] = xk_cg_src(&lo, at, n);
        i = xk_cg_emit(g, XK_OPC_MACH, n);
        i->acc_wr_en = true;
        i->dst = xk_cg_dst(&d, at);
        i->src[0] = xk_cg_src(a, at, n);
        i->src[1] = xk_cg_src(b, at, n);
    }
    return d;
}

/* *hi += a * b, modulo 2^32. */
static void add_product(struct xk_cg *g, struct xk_cg_val *hi,
                        const struct xk_cg_val *a, const struct xk_cg_val *b,
                        unsigned lanes)
{
    if (is_zero(a) || is_zero(b))
        return;
    const struct xk_cg_val x = xk_cg_packed(g, *a, lanes);
    const struct xk_cg_val y = xk_cg_packed(g, *b, lanes);
    const struct xk_cg_val t = xk_cg_temp(g, XK_DT_U32, lanes);
    xk_cg_mul_low(g, &t, &x, &y, lanes);
    xk_cg_op2(g, XK_OPC_ADD, hi, hi, &t, lanes);
}

static struct xk_cg_val multiply(struct xk_cg *g, const struct xk_cg_val *a,
                                 const struct xk_cg_val *b, unsigned lanes)
{
    const struct xk_cg_val ah = xk_cg_half(a, 1), bh = xk_cg_half(b, 1);
    const struct xk_cg_val al = xk_cg_packed(g, xk_cg_half(a, 0), lanes);
    const struct xk_cg_val bl = xk_cg_packed(g, xk_cg_half(b, 0), lanes);
    const struct xk_cg_val lo = xk_cg_temp(g, XK_DT_U32, lanes);
    struct xk_cg_val hi = mul_high(g, &al, &bl, lanes);
    xk_cg_mul_low(g, &lo, &al, &bl, lanes);
    add_product(g, &hi, &ah, &bl, lanes);
    add_product(g, &hi, &al, &bh, lanes);
    return pair(g, &lo, &hi, lanes);
}

/* d = a - b */
static void subtract_64(struct xk_cg *g, const struct xk_cg_val *d,
                        struct xk_cg_val a, struct xk_cg_val b, unsigned lanes)
{
    a = xk_cg_in_reg(g, a);
    b = xk_cg_in_reg(g, b);
    const uint32_t first = g->n_inst;
    xk_cg_op2(g, XK_OPC_ADD, d, &a, &b, lanes);
    for (uint32_t i = first; i < g->n_inst; i++)
        g->inst[i].src[1].neg = true;
}

static struct xk_cg_val difference(struct xk_cg *g, const struct xk_cg_val *a,
                                   const struct xk_cg_val *b, unsigned lanes)
{
    const struct xk_cg_val al = xk_cg_in_reg(g, xk_cg_half(a, 0));
    const struct xk_cg_val bl = xk_cg_in_reg(g, xk_cg_half(b, 0));
    const struct xk_cg_val lo = xk_cg_temp(g, XK_DT_U32, lanes);
    struct xk_cg_val hi = xk_cg_temp(g, XK_DT_U32, lanes);
    const struct xk_cg_val borrow = xk_cg_less(g, &al, &bl, lanes);
    subtract_64(g, &lo, al, bl, lanes);
    subtract_64(g, &hi, xk_cg_half(a, 1), xk_cg_half(b, 1), lanes);
    hi.dt = XK_DT_S32; /* the borrow is 0 or -1 */
    xk_cg_op2(g, XK_OPC_ADD, &hi, &hi, &borrow, lanes);
    return pair(g, &lo, &hi, lanes);
}

/* The bits of (hi:lo) >> n that fall into 32, 0 < n < 32. */
static struct xk_cg_val funnel(struct xk_cg *g, struct xk_cg_val lo,
                               struct xk_cg_val hi, unsigned n, unsigned lanes)
{
    const struct xk_cg_val right = xk_cg_imm(XK_DT_U16, n);
    const struct xk_cg_val left = xk_cg_imm(XK_DT_U16, 32 - n);
    const struct xk_cg_val a = op2_u32(g, XK_OPC_SHR, lo, right, lanes);
    const struct xk_cg_val b = op2_u32(g, XK_OPC_SHL, hi, left, lanes);
    return op2_u32(g, XK_OPC_OR, a, b, lanes);
}

static struct xk_cg_val shift_left(struct xk_cg *g, const struct xk_cg_val *a,
                                   unsigned n, unsigned lanes)
{
    const struct xk_cg_val al = xk_cg_half(a, 0), ah = xk_cg_half(a, 1);
    const struct xk_cg_val k = xk_cg_imm(XK_DT_U16, n % 32);
    struct xk_cg_val lo = op2_u32(g, XK_OPC_SHL, al, k, lanes), hi = lo;
    if (n >= 32)
        lo = xk_cg_imm(XK_DT_U32, 0);
    else
        hi = funnel(g, al, ah, 32 - n, lanes);
    return pair(g, &lo, &hi, lanes);
}

static struct xk_cg_val shift_right_64(struct xk_cg *g,
                                       const struct xk_cg_val *a, unsigned n,
                                       bool sign, unsigned lanes)
{
    const enum xk_opcode op = sign ? XK_OPC_ASR : XK_OPC_SHR;
    const struct xk_cg_val al = xk_cg_half(a, 0);
    struct xk_cg_val ah = xk_cg_in_reg(g, xk_cg_half(a, 1));
    const struct xk_cg_val k = xk_cg_imm(XK_DT_U16, n % 32);
    const struct xk_cg_val k31 = xk_cg_imm(XK_DT_U16, 31);
    ah.dt = sign ? XK_DT_S32 : XK_DT_U32;
    struct xk_cg_val hi = op2_u32(g, op, ah, k, lanes), lo = hi;
    if (n < 32)
        lo = funnel(g, al, ah, n, lanes);
    else
        hi = sign ? op2_u32(g, op, ah, k31, lanes) : xk_cg_imm(XK_DT_U32, 0);
    return pair(g, &lo, &hi, lanes);
}

static struct xk_cg_val logic(struct xk_cg *g, enum xk_opcode op,
                              const struct xk_cg_val *a,
                              const struct xk_cg_val *b, unsigned lanes)
{
    struct xk_cg_val r[2];
    for (unsigned h = 0; h < 2; h++)
        r[h] = op2_u32(g, op, xk_cg_half(a, h), xk_cg_half(b, h), lanes);
    return pair(g, &r[0], &r[1], lanes);
}

static struct xk_cg_val shift_u64(struct xk_cg *g, const xk_expr *e,
                                  const struct xk_cg_val *a,
                                  const struct xk_cg_val *n, unsigned lanes)
{
    if (n->kind != XK_CG_IMM || n->imm < 0 || n->imm > 63) {
        xk_fail(g->c, XK_EUNSUPPORTED,
                "codegen: %s of 64 bits: only by constants below 64",
                xk_op_text(xk_op(e)));
        return *a;
    }
    const unsigned by = (unsigned)n->imm;
    if (by == 0)
        return *a;
    return xk_op(e) == XK_OP_SHL
               ? shift_left(g, a, by, lanes)
               : shift_right_64(g, a, by, xk_type_of(e).dt == XK_DT_S64, lanes);
}

struct xk_cg_val xk_cg_wide_arith(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_cg_val a = xk_cg_eval(g, xk_kid(e, 0), NULL);
    const struct xk_cg_val b = xk_cg_eval(g, xk_kid(e, 1), NULL);
    const unsigned lanes = a.stride || b.stride ? xk_type_of(e).lanes : 1;
    if (!xk_cg_ok(g))
        return a;
    switch (xk_op(e)) {
    case XK_OP_SUB:
        return difference(g, &a, &b, lanes);
    case XK_OP_MUL:
        return multiply(g, &a, &b, lanes);
    case XK_OP_SHL:
    case XK_OP_SHR:
        return shift_u64(g, e, &a, &b, lanes);
    default:
        return logic(g,
                     xk_op(e) == XK_OP_AND  ? XK_OPC_AND
                     : xk_op(e) == XK_OP_OR ? XK_OPC_OR
                                            : XK_OPC_XOR,
                     &a, &b, lanes);
    }
}
