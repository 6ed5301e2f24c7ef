/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions to instructions. A value may be given a place where it is wanted.
 * Values that already are somewhere (variables, lane extracts, broadcasts,
 * narrowing casts) stay there and cost nothing. A node is evaluated once within
 * one statement. */
#include "codegen/cg.h"

#include <string.h>

#include "base/half.h"

static struct xk_cg_val none(struct xk_cg *g, enum xk_status st,
                             const xk_expr *e, const char *why)
{
    const struct xk_type t = xk_type_of(e);
    xk_fail(g->c, st, "codegen: %s of %s x%u: %s", xk_op_text(xk_op(e)),
            xk_dtype_name(t.dt), t.lanes, why);
    return xk_cg_imm(t.dt, 0);
}

void xk_cg_memo_clear(struct xk_cg *g)
{
    xk_cg_map_clear(&g->memo_at);
    g->n_memo = 0;
}

struct xk_cg_val xk_cg_place(struct xk_cg *g, struct xk_type t,
                             const struct xk_cg_val *want,
                             const struct xk_cg_val *const *ops, unsigned n)
{
    bool usable = want && xk_dtype_b(want->dt) == xk_dtype_b(t.dt);
    for (unsigned i = 0; usable && i < n; i++)
        usable = !xk_cg_clash(want, ops[i], t.lanes);
    if (!usable)
        return xk_cg_temp(g, t.dt, t.lanes);
    struct xk_cg_val v = *want;
    v.dt = t.dt;
    return v;
}

struct xk_cg_val xk_cg_in_reg(struct xk_cg *g, struct xk_cg_val v)
{
    if (v.kind != XK_CG_IMM)
        return v;
    const struct xk_cg_val r = xk_cg_temp(g, v.dt, 1);
    xk_cg_mov(g, &r, &v, 1);
    return r;
}

struct xk_cg_val xk_cg_packed(struct xk_cg *g, struct xk_cg_val v,
                              unsigned lanes)
{
    v = xk_cg_in_reg(g, v);
    if (v.stride <= 1)
        return v;
    const struct xk_cg_val p = xk_cg_temp(g, v.dt, lanes);
    xk_cg_mov(g, &p, &v, lanes);
    return p;
}

/* Scalar sums keep their constant part aside until it is needed. */
struct xk_cg_val xk_cg_settle(struct xk_cg *g, struct xk_cg_val v,
                              const struct xk_cg_val *want)
{
    if (v.kind != XK_CG_REG || v.imm == 0)
        return v;
    const struct xk_cg_val k = xk_cg_imm(v.dt, v.imm);
    v.imm = 0;
    const struct xk_cg_val d =
        xk_cg_place(g, xk_type_vec(v.dt, 1), want, NULL, 0);
    xk_cg_op2(g, XK_OPC_ADD, &d, &v, &k, 1);
    return d;
}

struct xk_cg_val xk_cg_eval_settled(struct xk_cg *g, const xk_expr *e,
                                    const struct xk_cg_val *want)
{
    const struct xk_cg_val *const w =
        want && xk_type_of(e).lanes == 1 ? want : NULL;
    return xk_cg_settle(g, xk_cg_eval(g, e, want), w);
}

struct xk_cg_val xk_cg_align(struct xk_cg *g, struct xk_cg_val v,
                             const struct xk_cg_val *d, unsigned lanes)
{
    const uint32_t grf_b = g->p->grf_b;
    const uint32_t off_b = d->sub_b % grf_b;
    if (v.kind != XK_CG_REG || v.stride == 0 || !xk_dtype_is_float(v.dt) ||
        (v.sub_b % grf_b == off_b && v.stride == d->stride))
        return v;
    const uint32_t size_b = lanes * d->stride * xk_dtype_b(v.dt) + off_b;
    const uint32_t tile =
        xk_cg_tile_new(g, (size_b + grf_b - 1) / grf_b * grf_b, grf_b);
    const struct xk_cg_val to = xk_cg_reg(v.dt, tile, off_b, d->stride);
    struct xk_cg_val d_raw = to, s_raw = v;
    d_raw.dt = s_raw.dt = xk_dtype_b(v.dt) == 2 ? XK_DT_U16 : XK_DT_U32;
    xk_cg_op1(g, XK_OPC_MOV, &d_raw, &s_raw, lanes);
    return to;
}

static bool op_commutes(enum xk_op op)
{
    return xk_op_flags(op) & XK_EF_C;
}

/* dst = a op b for an instruction whose src0 must be a register. */
static struct xk_cg_val alu2(struct xk_cg *g, enum xk_opcode opc,
                             const xk_expr *e, struct xk_cg_val a,
                             struct xk_cg_val b, const struct xk_cg_val *want)
{
    if (a.kind == XK_CG_IMM && b.kind != XK_CG_IMM && op_commutes(xk_op(e))) {
        const struct xk_cg_val t = a;
        a = b;
        b = t;
    }
    a = xk_cg_in_reg(g, a);
    if (opc == XK_OPC_ADD && b.kind == XK_CG_IMM && b.imm == 0 &&
        xk_dtype_is_int(b.dt))
        return a;
    const struct xk_cg_val *const ops[] = {&a, &b};
    const unsigned lanes = xk_type_of(e).lanes;
    const struct xk_cg_val d = xk_cg_place(g, xk_type_of(e), want, ops, 2);
    a = xk_cg_align(g, a, &d, lanes);
    b = xk_cg_align(g, b, &d, lanes);
    xk_cg_op2(g, opc, &d, &a, &b, lanes);
    return d;
}

static bool lazy_sum(const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    return t.lanes == 1 && (t.dt == XK_DT_S32 || t.dt == XK_DT_U32);
}

static struct xk_cg_val sub_regs(struct xk_cg *g, const xk_expr *e,
                                 struct xk_cg_val a, struct xk_cg_val b,
                                 const struct xk_cg_val *want)
{
    const unsigned lanes = xk_type_of(e).lanes;
    const struct xk_cg_val *const ops[] = {&a, &b};
    const struct xk_cg_val d = xk_cg_place(g, xk_type_of(e), want, ops, 2);
    const bool swap = a.kind == XK_CG_IMM; /* imm - b = -b + imm */
    a = xk_cg_align(g, a, &d, lanes);
    b = xk_cg_align(g, b, &d, lanes);
    const struct xk_cg_val *const all[] = {&d, &a, &b};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, all, 3, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, XK_OPC_ADD, n);
        i->dst = xk_cg_dst(&d, at);
        i->src[swap] = xk_cg_src(&a, at, n);
        i->src[!swap] = xk_cg_src(&b, at, n);
        i->src[!swap].neg = true;
    }
    return d;
}

static struct xk_cg_val eval_addsub(struct xk_cg *g, const xk_expr *e,
                                    const struct xk_cg_val *want)
{
    const bool sub = xk_op(e) == XK_OP_SUB, lazy = lazy_sum(e);
    struct xk_cg_val a = xk_cg_eval(g, xk_kid(e, 0), NULL);
    struct xk_cg_val b = xk_cg_eval(g, xk_kid(e, 1), NULL);
    int64_t rest = 0;
    if (!lazy) {
        a = xk_cg_settle(g, a, NULL);
        b = xk_cg_settle(g, b, NULL);
    } else {
        rest = a.imm + (sub ? -b.imm : b.imm);
        if (b.kind == XK_CG_IMM && a.kind == XK_CG_REG) {
            a.imm = (int32_t)rest;
            return a;
        }
        if (a.kind == XK_CG_IMM && !sub) {
            b.imm = (int32_t)rest;
            return b;
        }
        rest = a.kind == XK_CG_IMM ? -b.imm : rest;
        a.imm = a.kind == XK_CG_IMM ? a.imm : 0;
        b.imm = 0;
    }
    if (b.kind == XK_CG_IMM && sub) { /* constants take no sign of their own */
        b.imm = xk_dtype_is_int(b.dt)
                    ? -b.imm
                    : b.imm ^ (int64_t)1 << (8 * xk_dtype_b(b.dt) - 1);
        return alu2(g, XK_OPC_ADD, e, a, b, want);
    }
    if (sub)
        a = sub_regs(g, e, a, b, rest ? NULL : want);
    else
        a = alu2(g, XK_OPC_ADD, e, a, b, rest ? NULL : want);
    a.imm = lazy ? (int32_t)rest : 0;
    return a;
}

static bool fits_w(const struct xk_cg_val *v)
{
    return v->kind == XK_CG_IMM && v->imm >= INT16_MIN && v->imm <= INT16_MAX;
}

static struct xk_cg_val as_word(struct xk_cg_val v)
{
    v.dt = XK_DT_S16;
    return v;
}

/* add3 takes registers and 16-bit constants in src0 and src2. */
static struct xk_cg_val eval_add3(struct xk_cg *g, const xk_expr *e,
                                  const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    struct xk_cg_val v[3];
    for (unsigned i = 0; i < 3; i++)
        v[i] = xk_cg_eval_settled(g, xk_kid(e, i), NULL);
    for (unsigned i = 0; i < 2; i++)
        if (v[i].kind == XK_CG_IMM && v[2].kind != XK_CG_IMM) {
            const struct xk_cg_val s = v[i];
            v[i] = v[2];
            v[2] = s;
        }
    v[0] = xk_cg_packed(g, v[0], t.lanes);
    v[1] = xk_cg_packed(g, v[1], t.lanes);
    if (fits_w(&v[2]))
        v[2] = as_word(v[2]);
    else
        v[2] = xk_cg_in_reg(g, v[2]);
    const struct xk_cg_val *const ops[] = {&v[0], &v[1], &v[2]};
    const struct xk_cg_val d = xk_cg_place(g, t, want, ops, 3);
    if (xk_dtype_is_float(t.dt)) {
        const struct xk_cg_val s = xk_cg_temp(g, t.dt, t.lanes);
        xk_cg_op2(g, XK_OPC_ADD, &s, &v[0], &v[1], t.lanes);
        xk_cg_op2(g, XK_OPC_ADD, &d, &s, &v[2], t.lanes);
    } else {
        xk_cg_op3(g, XK_OPC_ADD3, &d, ops, t.lanes);
    }
    return d;
}

/* a + b * c */
static struct xk_cg_val eval_mad(struct xk_cg *g, const xk_expr *e,
                                 const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    struct xk_cg_val v[3];
    for (unsigned i = 0; i < 3; i++)
        v[i] = xk_cg_eval_settled(g, xk_kid(e, i), NULL);
    const bool ints = xk_dtype_is_int(t.dt);
    if (ints && v[1].kind == XK_CG_IMM) {
        const struct xk_cg_val s = v[1];
        v[1] = v[2];
        v[2] = s;
    }
    if (ints && !fits_w(&v[2])) {
        const xk_expr *const p =
            xk_bin(g->c, XK_OP_MUL, xk_kid(e, 1), xk_kid(e, 2));
        return p ? xk_cg_eval_settled(
                       g, xk_bin(g->c, XK_OP_ADD, xk_kid(e, 0), p), want)
                 : v[0];
    }
    if (ints)
        v[2] = as_word(v[2]);
    else
        v[2] = xk_cg_in_reg(g, v[2]);
    v[0] =
        fits_w(&v[0]) && ints ? as_word(v[0]) : xk_cg_packed(g, v[0], t.lanes);
    v[1] = xk_cg_packed(g, v[1], t.lanes);
    const struct xk_cg_val *const ops[] = {&v[0], &v[1], &v[2]};
    const struct xk_cg_val d = xk_cg_place(g, t, want, ops, 3);
    for (unsigned i = 0; i < 3; i++)
        v[i] = xk_cg_align(g, v[i], &d, t.lanes);
    xk_cg_op3(g, XK_OPC_MAD, &d, ops, t.lanes);
    return d;
}

static struct xk_cg_val eval_minmax(struct xk_cg *g, const xk_expr *e,
                                    const struct xk_cg_val *want)
{
    struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    struct xk_cg_val b = xk_cg_eval_settled(g, xk_kid(e, 1), NULL);
    a = a.kind == XK_CG_IMM && b.kind == XK_CG_IMM ? xk_cg_in_reg(g, a) : a;
    const uint32_t mark = g->n_inst;
    const struct xk_cg_val d = alu2(g, XK_OPC_SEL, e, a, b, want);
    for (uint32_t i = mark; i < g->n_inst; i++)
        if (g->inst[i].op == XK_OPC_SEL)
            g->inst[i].cond = xk_op(e) == XK_OP_MAX ? XK_COND_GE : XK_COND_LT;
    return d;
}

static struct xk_cg_val eval_unary(struct xk_cg *g, const xk_expr *e,
                                   const struct xk_cg_val *want)
{
    struct xk_cg_val a =
        xk_cg_in_reg(g, xk_cg_eval_settled(g, xk_kid(e, 0), NULL));
    const struct xk_cg_val *const ops[] = {&a};
    const struct xk_cg_val d = xk_cg_place(g, xk_type_of(e), want, ops, 1);
    const bool neg = xk_op(e) == XK_OP_NEG;
    a = xk_cg_align(g, a, &d, xk_type_of(e).lanes);
    const uint32_t mark = g->n_inst;
    xk_cg_op1(g, neg ? XK_OPC_MOV : XK_OPC_NOT, &d, &a, xk_type_of(e).lanes);
    for (uint32_t i = mark; i < g->n_inst; i++)
        g->inst[i].src[0].neg = neg;
    return d;
}

/* The math unit's functions, and rounding to an integer. */
static struct xk_cg_val eval_function(struct xk_cg *g, const xk_expr *e,
                                      const struct xk_cg_val *want)
{
    static const uint8_t fn[] = {[XK_OP_EXP2] = XK_MATH_EXP,
                                 [XK_OP_LOG2] = XK_MATH_LOG,
                                 [XK_OP_INV] = XK_MATH_INV,
                                 [XK_OP_SQRT] = XK_MATH_SQT};
    const unsigned lanes = xk_type_of(e).lanes;
    const bool rint = xk_op(e) == XK_OP_RINT;
    struct xk_cg_val a =
        xk_cg_in_reg(g, xk_cg_eval_settled(g, xk_kid(e, 0), NULL));
    const struct xk_cg_val *const ops[] = {&a};
    const struct xk_cg_val d = xk_cg_place(g, xk_type_of(e), want, ops, 1);
    a = xk_cg_align(g, a, &d, lanes);
    const uint32_t mark = g->n_inst;
    xk_cg_op1(g, rint ? XK_OPC_RNDE : XK_OPC_MATH, &d, &a, lanes);
    for (uint32_t i = mark; !rint && i < g->n_inst; i++)
        g->inst[i].math_fn = fn[xk_op(e)];
    return d;
}

static struct xk_cg_val eval_select(struct xk_cg *g, const xk_expr *e,
                                    const struct xk_cg_val *want)
{
    const unsigned lanes = xk_type_of(e).lanes;
    struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 1), NULL);
    struct xk_cg_val b = xk_cg_eval_settled(g, xk_kid(e, 2), NULL);
    struct xk_cg_val f = xk_cg_eval_bool(g, xk_kid(e, 0));
    if (a.kind == XK_CG_IMM && b.kind != XK_CG_IMM) {
        const struct xk_cg_val t = a;
        a = b;
        b = t;
        f.inv = !f.inv;
    }
    a = xk_cg_in_reg(g, a);
    const struct xk_cg_val *const ops[] = {&a, &b};
    const struct xk_cg_val d = xk_cg_place(g, xk_type_of(e), want, ops, 2);
    a = xk_cg_align(g, a, &d, lanes);
    b = xk_cg_align(g, b, &d, lanes);
    const uint32_t mark = g->n_inst;
    xk_cg_op2(g, XK_OPC_SEL, &d, &a, &b, lanes);
    unsigned at = 0;
    for (uint32_t i = mark; i < g->n_inst; i++) {
        xk_cg_predicate(&g->inst[i], &f);
        g->inst[i].chan_off = (uint8_t)at;
        at += g->inst[i].exec;
    }
    xk_cg_flag_free(g, &f);
    return d;
}

static struct xk_cg_val eval_bool_cast(struct xk_cg *g, const xk_expr *e,
                                       const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const bool fl = xk_dtype_is_float(t.dt);
    const xk_expr *const one =
        fl ? xk_fimm(g->c, t.dt, 1) : xk_imm(g->c, t.dt, 1);
    const xk_expr *const zero =
        fl ? xk_fimm(g->c, t.dt, 0) : xk_imm(g->c, t.dt, 0);
    if (!one || !zero)
        return xk_cg_imm(t.dt, 0);
    const xk_expr *const s =
        xk_select(g->c, xk_kid(e, 0), xk_bcast(g->c, one, t.lanes),
                  xk_bcast(g->c, zero, t.lanes));
    return s ? eval_select(g, s, want) : xk_cg_imm(t.dt, 0);
}

static struct xk_cg_val eval_cast(struct xk_cg *g, const xk_expr *e,
                                  const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    const struct xk_type from = xk_type_of(xk_kid(e, 0));
    if (from.dt == XK_DT_BOOL)
        return eval_bool_cast(g, e, want);
    struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    const bool ints = xk_dtype_is_int(t.dt) && xk_dtype_is_int(from.dt);
    const unsigned to_b = xk_dtype_b(t.dt), from_b = xk_dtype_b(from.dt);
    const bool wide = xk_dtype_is_int(from.dt) && from_b == 8;
    if (wide && a.zext)
        a.dt = XK_DT_U32;
    else if (wide && ints && a.kind == XK_CG_REG) {
        a.dt = XK_DT_U32;
        a.stride *= 2;
    } else if (ints && to_b < from_b && a.kind == XK_CG_REG) {
        a.stride = (uint8_t)(a.stride * (from_b / to_b));
        a.dt = t.dt;
        return a;
    }
    if (ints && to_b == xk_dtype_b(a.dt)) {
        a.dt = t.dt;
        return a;
    }
    if (a.kind == XK_CG_IMM && ints)
        return xk_cg_imm(t.dt, xk_imm_wrap(t.dt, a.imm));
    if (a.kind == XK_CG_IMM)
        a = xk_cg_in_reg(g, a);
    const struct xk_cg_val *const ops[] = {&a};
    const bool scalar = a.stride == 0;
    const struct xk_type dt = xk_type_vec(t.dt, scalar ? 1 : t.lanes);
    const struct xk_cg_val d =
        xk_cg_place(g, dt, scalar && t.lanes > 1 ? NULL : want, ops, 1);
    xk_cg_mov(g, &d, &a, dt.lanes);
    return d;
}

/* The same register, or number. */
static struct xk_cg_val eval_bits(struct xk_cg *g, const xk_expr *e)
{
    struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    if (a.kind == XK_CG_IMM)
        return xk_cg_imm(xk_type_of(e).dt, a.imm);
    a.dt = xk_type_of(e).dt;
    return a;
}

/* base + (0, 1, ...) * stride: a stride that no word operand holds. */
static const xk_expr *wide_ramp(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    const xk_expr *const lane =
        xk_ramp(g->c, xk_imm(g->c, (enum xk_dtype)t.dt, 0),
                xk_imm(g->c, (enum xk_dtype)t.dt, 1), t.lanes);
    return xk_add(g->c, xk_mul(g->c, lane, xk_kid(e, 1)), xk_kid(e, 0));
}

static struct xk_cg_val eval_ramp(struct xk_cg *g, const xk_expr *e,
                                  const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    int64_t k;
    if (!xk_cg_const(g, xk_kid(e, 1), &k) || xk_dtype_b(t.dt) != 4 ||
        xk_dtype_is_float(t.dt))
        return none(g, XK_EUNSUPPORTED, e,
                    "the stride must be constant, the type s32 or u32");
    if (k < INT16_MIN || k > INT16_MAX)
        return xk_cg_eval(g, wide_ramp(g, e), want);
    struct xk_cg_val base = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    const struct xk_cg_val *const ops[] = {&base};
    const struct xk_cg_val d = xk_cg_place(g, t, want, ops, 1);
    const struct xk_cg_val lane = xk_cg_reg(XK_DT_U16, g->lane_tile, 0, 1);
    const struct xk_cg_val step = xk_cg_imm(XK_DT_S16, k);
    const unsigned n = t.lanes < 16 ? t.lanes : 16;
    if (k == 1)
        xk_cg_op2(g, XK_OPC_ADD, &d, &lane, &base, n);
    else if (base.kind == XK_CG_IMM && base.imm == 0)
        xk_cg_op2(g, XK_OPC_MUL, &d, &lane, &step, n);
    else {
        base = fits_w(&base) ? as_word(base) : xk_cg_in_reg(g, base);
        const struct xk_cg_val *const v[] = {&base, &lane, &step};
        xk_cg_op3(g, XK_OPC_MAD, &d, v, n);
    }
    for (unsigned at = 16; at < t.lanes; at += 16) {
        struct xk_cg_val next = d;
        next.sub_b += at * 4 * d.stride;
        const struct xk_cg_val off = xk_cg_imm(t.dt, k * at);
        const unsigned left = t.lanes - at;
        xk_cg_op2(g, XK_OPC_ADD, &next, &d, &off, left < 16 ? left : 16);
    }
    return d;
}

/* Lanes from, from + step, ... ; step 0: one lane for all. */
static bool arithmetic(const xk_expr *e, unsigned *from, unsigned *step)
{
    const unsigned n = xk_type_of(e).lanes;
    *from = xk_shuffle_index(e, 0);
    const unsigned next = n > 1 ? xk_shuffle_index(e, 1) : *from;
    if (next < *from)
        return false;
    *step = next - *from;
    for (unsigned i = 0; i < n; i++)
        if (xk_shuffle_index(e, i) != *from + i * *step)
            return false;
    return *step <= 2 || *step == 4;
}

static struct xk_cg_val eval_shuffle(struct xk_cg *g, const xk_expr *e,
                                     const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    if (a.kind == XK_CG_IMM || a.stride == 0)
        return a;
    const unsigned lane_b = a.stride * (a.zext ? 4 : xk_dtype_b(a.dt));
    unsigned from, step;
    if (arithmetic(e, &from, &step) && a.stride * step <= 4) {
        a.sub_b += from * lane_b;
        a.stride = (uint8_t)(a.stride * step);
        return a;
    }
    if (a.dt == XK_DT_U64)
        return none(g, XK_EUNSUPPORTED, e, "irregular lane order");
    const struct xk_cg_val *const ops[] = {&a};
    const bool same = want && want->tile == a.tile;
    const struct xk_cg_val d = xk_cg_place(g, t, same ? NULL : want, ops, 1);
    for (unsigned i = 0; i < t.lanes; i++) {
        struct xk_cg_val s = a, to = d;
        s.sub_b += xk_shuffle_index(e, i) * lane_b;
        to.sub_b += i * d.stride * xk_dtype_b(d.dt);
        s.stride = to.stride = 0;
        xk_cg_mov(g, &to, &s, 1);
    }
    return d;
}

static struct xk_cg_val eval_var(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_cg_var *const v = xk_cg_lookup(g, e);
    if (!v)
        return xk_cg_imm(xk_type_of(e).dt, 0);
    if (v->bind != XK_CG_VALUE)
        return none(g, XK_EINTERNAL, e, "a buffer is no value");
    return v->val;
}

static int64_t immediate_bits(enum xk_dtype dt, double x)
{
    const float f = (float)x;
    uint32_t bits;
    if (dt == XK_DT_F16)
        return xk_half_from_float(f);
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static struct xk_cg_val eval_shift(struct xk_cg *g, const xk_expr *e,
                                   const struct xk_cg_val *want)
{
    const bool left = xk_op(e) == XK_OP_SHL;
    const bool sign = xk_dtype_is_signed(xk_type_of(e).dt);
    const struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    const struct xk_cg_val b = xk_cg_eval_settled(g, xk_kid(e, 1), NULL);
    return alu2(g,
                left   ? XK_OPC_SHL
                : sign ? XK_OPC_ASR
                       : XK_OPC_SHR,
                e, a, b, want);
}

static struct xk_cg_val eval_logic(struct xk_cg *g, const xk_expr *e,
                                   const struct xk_cg_val *want)
{
    const enum xk_op op = xk_op(e);
    const struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    const struct xk_cg_val b = xk_cg_eval_settled(g, xk_kid(e, 1), NULL);
    return alu2(g,
                op == XK_OP_AND  ? XK_OPC_AND
                : op == XK_OP_OR ? XK_OPC_OR
                                 : XK_OPC_XOR,
                e, a, b, want);
}

static struct xk_cg_val eval_float_mul(struct xk_cg *g, const xk_expr *e,
                                       const struct xk_cg_val *want)
{
    const struct xk_cg_val a = xk_cg_eval(g, xk_kid(e, 0), NULL);
    const struct xk_cg_val b = xk_cg_eval(g, xk_kid(e, 1), NULL);
    return alu2(g, XK_OPC_MUL, e, a, b, want);
}

static struct xk_cg_val eval_op(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    switch (xk_op(e)) {
    case XK_OP_VAR:
        return eval_var(g, e);
    case XK_OP_IMM:
        return xk_cg_imm(t.dt, xk_imm_value(e));
    case XK_OP_FIMM:
        return xk_cg_imm(t.dt, immediate_bits(t.dt, xk_fimm_value(e)));
    case XK_OP_ADD:
    case XK_OP_SUB:
        return eval_addsub(g, e, want);
    case XK_OP_MUL:
        return xk_dtype_is_float(t.dt) ? eval_float_mul(g, e, want)
                                       : xk_cg_eval_mul(g, e, want);
    case XK_OP_DIV:
    case XK_OP_MOD:
        return xk_cg_eval_div(g, e, want);
    case XK_OP_SHL:
    case XK_OP_SHR:
        return eval_shift(g, e, want);
    case XK_OP_AND:
    case XK_OP_OR:
    case XK_OP_XOR:
        return eval_logic(g, e, want);
    case XK_OP_MIN:
    case XK_OP_MAX:
        return eval_minmax(g, e, want);
    case XK_OP_NEG:
    case XK_OP_NOT:
        return eval_unary(g, e, want);
    case XK_OP_EXP2:
    case XK_OP_LOG2:
    case XK_OP_INV:
    case XK_OP_SQRT:
    case XK_OP_RINT:
        return eval_function(g, e, want);
    case XK_OP_SELECT:
        return eval_select(g, e, want);
    case XK_OP_MAD:
        return eval_mad(g, e, want);
    case XK_OP_ADD3:
        return eval_add3(g, e, want);
    case XK_OP_CAST:
        return eval_cast(g, e, want);
    case XK_OP_BITS:
        return eval_bits(g, e);
    case XK_OP_RAMP:
        return eval_ramp(g, e, want);
    case XK_OP_BCAST:
        return xk_cg_eval(g, xk_kid(e, 0), NULL);
    case XK_OP_SHUFFLE:
        return eval_shuffle(g, e, want);
    default:
        return none(g, XK_EINTERNAL, e, "is no value in registers");
    }
}

static bool is_type_supported(const struct xk_type t)
{
    switch ((enum xk_dtype)t.dt) {
    case XK_DT_U8:
    case XK_DT_S8:
    case XK_DT_U16:
    case XK_DT_S16:
    case XK_DT_U32:
    case XK_DT_S32:
    case XK_DT_U64:
    case XK_DT_S64:
    case XK_DT_F16:
    case XK_DT_F32:
        return t.lanes >= 1 && t.lanes <= XK_CG_MAX_LANES;
    default:
        return false;
    }
}

/* Bytes have no arithmetic of their own here: cast first. */
static bool byte_arithmetic(const xk_expr *e)
{
    const enum xk_op op = xk_op(e);
    return xk_dtype_b(xk_type_of(e).dt) == 1 && op != XK_OP_VAR &&
           op != XK_OP_IMM && op != XK_OP_CAST && op != XK_OP_BCAST &&
           op != XK_OP_SHUFFLE;
}

struct xk_cg_val xk_cg_eval(struct xk_cg *g, const xk_expr *e,
                            const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_of(e);
    int64_t k;
    uint32_t at;
    if (!xk_cg_ok(g))
        return xk_cg_imm(t.dt, 0);
    if (t.space == XK_SPACE_GLOBAL)
        return xk_cg_eval_u64(g, e, want);
    if (!is_type_supported(t) || byte_arithmetic(e))
        return none(g, XK_EUNSUPPORTED, e, "this type is not implemented");
    if (xk_op(e) == XK_OP_VAR)
        return eval_var(g, e);
    if (xk_cg_map_get(&g->memo_at, xk_serial(e), &at))
        return g->memo[at];
    if (xk_cg_const(g, e, &k))
        return xk_cg_imm(t.dt, k);
    if (xk_cg_map_get(&g->let_at, xk_serial(e), &at) && at)
        return g->var[at - 1].val;
    const struct xk_cg_val v = xk_dtype_is_int(t.dt) && xk_dtype_b(t.dt) == 8
                                   ? xk_cg_eval_u64(g, e, want)
                                   : eval_op(g, e, want);
    if (!want && xk_n_kids(e) &&
        xk_grow(g->c, &g->memo, g->n_memo, &g->cap_memo, sizeof *g->memo) &&
        xk_cg_map_put(g->c, &g->memo_at, xk_serial(e), g->n_memo))
        g->memo[g->n_memo++] = v;
    return v;
}

static bool same_value_place(const struct xk_cg_val *a,
                             const struct xk_cg_val *b)
{
    return a->kind == b->kind && a->tile == b->tile && a->sub_b == b->sub_b &&
           a->stride == b->stride && a->zext == b->zext &&
           xk_dtype_b(a->dt) == xk_dtype_b(b->dt);
}

void xk_cg_eval_into(struct xk_cg *g, const xk_expr *e,
                     const struct xk_cg_val *dst)
{
    const unsigned lanes = xk_type_of(e).lanes;
    struct xk_cg_val v = xk_cg_eval_settled(g, e, dst);
    if (!xk_cg_ok(g) || same_value_place(&v, dst))
        return;
    if (xk_cg_clash(dst, &v, lanes)) {
        struct xk_cg_val t = xk_cg_temp(g, v.dt, lanes);
        xk_cg_mov(g, &t, &v, lanes);
        v = t;
    }
    xk_cg_mov(g, dst, &v, lanes);
}
