/* SPDX-License-Identifier: Apache-2.0 */
/* Division of 32-bit integers by a divisor that is only known at run time. No
 * platform but xelp divides integers, so two estimates in f32 are subtracted
 * and one step corrects the rest.
 *
 * Let s be a little less than 1 / d: s = inv(float(d)) * (1 - 2^-18), where all
 * roundings together (of any mode, inv with 8 units in the last place) are
 * below 2^-19. So s * d = 1 - e with 0 < e < 2^-17, and no estimate is ever too
 * large:
 *   q1 = trunc(n * s), r1 = n - q1 * d:  0 <= r1 < d + n * e < d + 2^15
 *   q2 = trunc(r1 * s), r2 = r1 - q2 * d: 0 <= r2 < d + r1 * e < 2 * d
 * (r1 * e < d * 2^-17 + 2^-2), hence the quotient is q1 + q2, or one more where
 * r2 >= d. And q2 <= r1 / d < 2^15 + 1 is a word, so that a mad makes r2.
 *
 * Signed floor division has a negative quotient ~((|n| - 1) / |d|) where the
 * signs differ and n is not 0. x / 0 and x % 0 are 0 by a mask. */
#include "codegen/cg.h"

#define XK_CG_BELOW_ONE 0x3f7fffc0 /* 1 - 2^-18 as f32 */

static unsigned lanes_of_value(const struct xk_cg_val *v, unsigned lanes)
{
    return v->stride ? lanes : 1;
}

static void set_neg(struct xk_cg *g, uint32_t first, unsigned src)
{
    for (uint32_t i = first; i < g->n_inst; i++)
        g->inst[i].src[src].neg = true;
}

/* d = a - b */
static void subtract(struct xk_cg *g, const struct xk_cg_val *d,
                     const struct xk_cg_val *a, const struct xk_cg_val *b,
                     unsigned lanes)
{
    const uint32_t first = g->n_inst;
    xk_cg_op2(g, XK_OPC_ADD, d, a, b, lanes);
    set_neg(g, first, 1);
}

static struct xk_cg_val op2(struct xk_cg *g, enum xk_opcode op,
                            enum xk_dtype dt, const struct xk_cg_val *a,
                            const struct xk_cg_val *b, unsigned lanes)
{
    const struct xk_cg_val d = xk_cg_temp(g, dt, lanes);
    xk_cg_op2(g, op, &d, a, b, lanes);
    return d;
}

static struct xk_cg_val converted_value(struct xk_cg *g, enum xk_dtype dt,
                                        const struct xk_cg_val *a,
                                        unsigned lanes)
{
    const struct xk_cg_val d = xk_cg_temp(g, dt, lanes);
    xk_cg_mov(g, &d, a, lanes);
    return d;
}

/* -1 in lanes where the comparison holds, else 0. */
static struct xk_cg_val compare_mask(struct xk_cg *g, enum xk_cond cond,
                                     const struct xk_cg_val *a,
                                     const struct xk_cg_val *b, unsigned lanes)
{
    const uint32_t first = g->n_inst;
    const struct xk_cg_val c = op2(g, XK_OPC_CMP, XK_DT_S32, a, b, lanes);
    const int f = xk_cg_flag_alloc(g);
    unsigned at = 0;
    for (uint32_t k = first; k < g->n_inst; k++) {
        struct xk_inst *const i = &g->inst[k];
        i->chan_off = (uint8_t)(at % 16);
        i->cond = (uint8_t)cond;
        i->flag_reg = (uint8_t)(f / 2);
        i->flag_sub = (uint8_t)(f % 2);
        at += i->exec;
    }
    g->flag_used[f] = false;
    return c;
}

/* A little less than 1 / d, as f32. */
static struct xk_cg_val reciprocal(struct xk_cg *g, const struct xk_cg_val *d,
                                   unsigned lanes)
{
    const struct xk_cg_val below = xk_cg_imm(XK_DT_F32, XK_CG_BELOW_ONE);
    const struct xk_cg_val f = converted_value(g, XK_DT_F32, d, lanes);
    const struct xk_cg_val inv = xk_cg_temp(g, XK_DT_F32, lanes);
    const uint32_t first = g->n_inst;
    xk_cg_op1(g, XK_OPC_MATH, &inv, &f, lanes);
    for (uint32_t i = first; i < g->n_inst; i++)
        g->inst[i].math_fn = XK_MATH_INV;
    return op2(g, XK_OPC_MUL, XK_DT_F32, &inv, &below, lanes);
}

/* trunc(n * s) */
static struct xk_cg_val estimate_quotient(struct xk_cg *g,
                                          const struct xk_cg_val *n,
                                          const struct xk_cg_val *s,
                                          unsigned lanes)
{
    const struct xk_cg_val f =
        converted_value(g, XK_DT_F32, n, lanes_of_value(n, lanes));
    const struct xk_cg_val q = op2(g, XK_OPC_MUL, XK_DT_F32, &f, s, lanes);
    return converted_value(g, XK_DT_U32, &q, lanes);
}

/* floor(n / d) of u32 in registers; of d == 0 anything. */
static struct xk_cg_val quotient_u32(struct xk_cg *g, struct xk_cg_val n,
                                     struct xk_cg_val d, unsigned lanes)
{
    const unsigned d_lanes = lanes_of_value(&d, lanes);
    n.dt = d.dt = XK_DT_U32;
    const struct xk_cg_val s = reciprocal(g, &d, d_lanes);
    const struct xk_cg_val q1 = estimate_quotient(g, &n, &s, lanes);
    const struct xk_cg_val r = xk_cg_temp(g, XK_DT_S32, lanes);
    xk_cg_mul_low(g, &r, &q1, &d, lanes);
    subtract(g, &r, &n, &r, lanes);
    struct xk_cg_val ru = r;
    ru.dt = XK_DT_U32;
    const struct xk_cg_val q2 = estimate_quotient(g, &ru, &s, lanes);
    const struct xk_cg_val minus_d = xk_cg_temp(g, XK_DT_S32, d_lanes);
    const uint32_t first = g->n_inst;
    xk_cg_op1(g, XK_OPC_MOV, &minus_d, &d, d_lanes);
    set_neg(g, first, 0);
    const struct xk_cg_val word = xk_cg_word_of(q2, 0);
    const struct xk_cg_val *const v[] = {&r, &minus_d, &word};
    xk_cg_op3(g, XK_OPC_MAD, &r, v, lanes);
    const struct xk_cg_val more = compare_mask(g, XK_COND_GE, &ru, &d, lanes);
    const struct xk_cg_val q = op2(g, XK_OPC_ADD, XK_DT_S32, &q1, &q2, lanes);
    subtract(g, &q, &q, &more, lanes);
    return q;
}

/* What a signed division makes of its operands: all ones in lanes whose
 * quotient is negative, and the numerator and divisor of the unsigned
 * division. */
struct signed_parts {
    struct xk_cg_val sign, n, d;
};

static struct xk_cg_val absolute(struct xk_cg *g, const struct xk_cg_val *a,
                                 unsigned lanes)
{
    const struct xk_cg_val d = xk_cg_temp(g, XK_DT_U32, lanes);
    const uint32_t first = g->n_inst;
    xk_cg_op1(g, XK_OPC_MOV, &d, a, lanes);
    for (uint32_t i = first; i < g->n_inst; i++)
        g->inst[i].src[0].abs = true;
    return d;
}

/* d >= 0: the sign is that of n, and |n| - 1 = ~n. */
static struct signed_parts parts_positive(struct xk_cg *g,
                                          const struct xk_cg_val *n,
                                          const struct xk_cg_val *d,
                                          unsigned lanes)
{
    const struct xk_cg_val k31 = xk_cg_imm(XK_DT_U16, 31);
    struct signed_parts p = {.d = *d};
    p.sign = op2(g, XK_OPC_ASR, XK_DT_S32, n, &k31, lanes);
    p.n = op2(g, XK_OPC_XOR, XK_DT_S32, n, &p.sign, lanes);
    return p;
}

static struct signed_parts parts_any(struct xk_cg *g, const struct xk_cg_val *n,
                                     const struct xk_cg_val *d, unsigned lanes)
{
    const unsigned n_lanes = lanes_of_value(n, lanes);
    const struct xk_cg_val k31 = xk_cg_imm(XK_DT_U16, 31);
    const struct xk_cg_val zero = xk_cg_imm(XK_DT_S32, 0);
    struct signed_parts p;
    const struct xk_cg_val x = op2(g, XK_OPC_XOR, XK_DT_S32, n, d, lanes);
    xk_cg_op2(g, XK_OPC_ASR, &x, &x, &k31, lanes);
    const struct xk_cg_val some =
        compare_mask(g, XK_COND_NE, n, &zero, n_lanes);
    p.sign = op2(g, XK_OPC_AND, XK_DT_S32, &x, &some, lanes);
    const struct xk_cg_val n_abs = absolute(g, n, n_lanes);
    p.d = absolute(g, d, lanes_of_value(d, lanes));
    p.n = op2(g, XK_OPC_ADD, XK_DT_S32, &n_abs, &p.sign, lanes);
    return p;
}

/* v of a divisor that may be 0: 0 there. */
static void zero_by_zero(struct xk_cg *g, const xk_expr *divisor,
                         const struct xk_cg_val *v, const struct xk_cg_val *d,
                         unsigned lanes)
{
    const struct xk_cg_range r = xk_cg_range_of(g, divisor);
    if (r.lo > 0 || r.hi < 0)
        return;
    const struct xk_cg_val zero = xk_cg_imm((enum xk_dtype)d->dt, 0);
    const struct xk_cg_val some =
        compare_mask(g, XK_COND_NE, d, &zero, lanes_of_value(d, lanes));
    xk_cg_op2(g, XK_OPC_AND, v, v, &some, lanes);
}

static struct xk_cg_val packed_operand(struct xk_cg *g, const xk_expr *e)
{
    return xk_cg_packed(g, xk_cg_eval_settled(g, e, NULL), xk_type_of(e).lanes);
}

static struct xk_cg_val gen_divide(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    const struct xk_cg_range rn = xk_cg_range_of(g, xk_kid(e, 0));
    const struct xk_cg_range rd = xk_cg_range_of(g, xk_kid(e, 1));
    const struct xk_cg_val n = packed_operand(g, xk_kid(e, 0));
    const struct xk_cg_val d = packed_operand(g, xk_kid(e, 1));
    const unsigned lanes = n.stride || d.stride ? t.lanes : 1;
    struct xk_cg_val q;
    if (rn.lo >= 0 && rd.lo >= 0) {
        q = quotient_u32(g, n, d, lanes);
    } else {
        const struct signed_parts p = rd.lo >= 0
                                          ? parts_positive(g, &n, &d, lanes)
                                          : parts_any(g, &n, &d, lanes);
        q = quotient_u32(g, p.n, p.d, lanes);
        xk_cg_op2(g, XK_OPC_XOR, &q, &q, &p.sign, lanes);
    }
    q.dt = t.dt;
    zero_by_zero(g, xk_kid(e, 1), &q, &d, lanes);
    return q;
}

/* n - (n / d) * d. The quotient is an expression of its own, so a neighbouring
 * division shares it. */
static struct xk_cg_val modulo(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    const xk_expr *const div =
        xk_bin(g->c, XK_OP_DIV, xk_kid(e, 0), xk_kid(e, 1));
    if (!div)
        return xk_cg_imm(t.dt, 0);
    const struct xk_cg_val q = xk_cg_eval_settled(g, div, NULL);
    const struct xk_cg_val n = packed_operand(g, xk_kid(e, 0));
    const struct xk_cg_val d = packed_operand(g, xk_kid(e, 1));
    const unsigned lanes = n.stride || d.stride ? t.lanes : 1;
    const struct xk_cg_val m = xk_cg_temp(g, t.dt, lanes);
    xk_cg_mul_low(g, &m, &q, &d, lanes);
    subtract(g, &m, &n, &m, lanes);
    zero_by_zero(g, xk_kid(e, 1), &m, &d, lanes);
    return m;
}

struct xk_cg_val xk_cg_divide(struct xk_cg *g, const xk_expr *e)
{
    return xk_op(e) == XK_OP_DIV ? gen_divide(g, e) : modulo(g, e);
}
