/* SPDX-License-Identifier: Apache-2.0 */
/* u64 and s64 values, that is addresses and wide offsets: pairs of dwords, low
 * then high, one pair a lane, as messages want them. There is no 64-bit integer
 * unit: the low halves are added, a compare gives the carry as 0 or -1, and
 * that is subtracted from the sum of the high halves. (addc would leave the
 * carry in acc0, but demands a packed destination at the start of a GRF, so the
 * halves had to be moved.)
 */
#include "codegen/cg.h"

/* One half as u32. The high half of a zero-extended value is constant 0. */
struct xk_cg_val xk_cg_half(const struct xk_cg_val *v, unsigned half)
{
    if (v->kind == XK_CG_IMM)
        return xk_cg_imm(XK_DT_U32, (uint32_t)((uint64_t)v->imm >> 32 * half));
    if (v->zext && half)
        return xk_cg_imm(XK_DT_U32, 0);
    struct xk_cg_val h = *v;
    h.dt = XK_DT_U32;
    if (!v->zext) {
        h.sub_b += 4 * half;
        h.stride = (uint8_t)(h.stride * 2);
    }
    h.zext = false;
    return h;
}

void xk_cg_mov_u64(struct xk_cg *g, const struct xk_cg_val *d,
                   const struct xk_cg_val *a, unsigned lanes)
{
    const struct xk_cg_val dl = xk_cg_half(d, 0), dh = xk_cg_half(d, 1);
    const struct xk_cg_val al = xk_cg_half(a, 0), ah = xk_cg_half(a, 1);
    if (a->kind == XK_CG_REG && !a->zext && (lanes == 1 || a->stride == 1)) {
        struct xk_cg_val to = dl, from = al; /* pairs as a plain vector */
        to.stride = from.stride = 1;
        xk_cg_op1(g, XK_OPC_MOV, &to, &from, 2 * lanes);
        return;
    }
    xk_cg_op1(g, XK_OPC_MOV, &dl, &al, lanes);
    xk_cg_op1(g, XK_OPC_MOV, &dh, &ah, lanes);
}

/* carry (0 or -1) of a sum whose low half is *sum and one addend *b. */
static struct xk_cg_val carry_of(struct xk_cg *g, const struct xk_cg_val *sum,
                                 const struct xk_cg_val *b, unsigned lanes)
{
    const struct xk_cg_val c = xk_cg_temp(g, XK_DT_S32, lanes);
    const struct xk_cg_val *const v[] = {&c, sum, b};
    const int f = xk_cg_flag_alloc(g);
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, v, 3, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, XK_OPC_CMP, n);
        i->chan_off = (uint8_t)(at % 16);
        i->cond = XK_COND_LT;
        i->flag_reg = (uint8_t)(f / 2);
        i->flag_sub = (uint8_t)(f % 2);
        i->dst = xk_cg_dst(&c, at);
        i->src[0] = xk_cg_src(sum, at, n);
        i->src[1] = xk_cg_src(b, at, n);
    }
    g->flag_used[f] = false;
    return c;
}

struct xk_cg_val xk_cg_less(struct xk_cg *g, const struct xk_cg_val *a,
                            const struct xk_cg_val *b, unsigned lanes)
{
    return carry_of(g, a, b, lanes);
}

/* carry of scalar a plus packed 32-bit b: b > ~a. One compare serves sixteen
 * lanes, the strided sums would take two. */
static struct xk_cg_val carry_by_limit(struct xk_cg *g,
                                       const struct xk_cg_val *a,
                                       const struct xk_cg_val *b,
                                       unsigned lanes)
{
    const struct xk_cg_val limit = xk_cg_temp(g, XK_DT_U32, 1);
    xk_cg_op1(g, XK_OPC_NOT, &limit, a, 1);
    return carry_of(g, &limit, b, lanes); /* limit < b */
}

/* dh = ah + bh - carry */
static void add_high(struct xk_cg *g, const struct xk_cg_val *dh,
                     struct xk_cg_val ah, const struct xk_cg_val *bh,
                     const struct xk_cg_val *carry, unsigned lanes)
{
    if (bh->kind != XK_CG_IMM || bh->imm != 0) {
        const struct xk_cg_val t = xk_cg_temp(g, XK_DT_U32, lanes);
        xk_cg_op2(g, XK_OPC_ADD, &t, &ah, bh, lanes);
        ah = t;
    }
    struct xk_cg_val d = *dh;
    d.dt = ah.dt = XK_DT_S32;
    const struct xk_cg_val *const v[] = {&d, &ah, carry};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, v, 3, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, XK_OPC_ADD, n);
        i->dst = xk_cg_dst(&d, at);
        i->src[0] = xk_cg_src(&ah, at, n);
        i->src[1] = xk_cg_src(carry, at, n);
        i->src[1].neg = true;
    }
}

struct xk_cg_val xk_cg_add_u64(struct xk_cg *g, unsigned lanes,
                               struct xk_cg_val a, struct xk_cg_val b,
                               const struct xk_cg_val *want)
{
    const struct xk_type t = xk_type_vec(XK_DT_U64, lanes);
    if (a.kind == XK_CG_IMM || (a.zext && b.kind == XK_CG_REG && !b.zext)) {
        const struct xk_cg_val s = a;
        a = b;
        b = s;
    }
    if (b.kind == XK_CG_IMM && b.imm == 0)
        return a;
    const struct xk_cg_val *const ops[] = {&a, &b};
    struct xk_cg_val d = xk_cg_place(g, t, want, ops, 2);
    if (want && d.tile == b.tile && b.kind == XK_CG_REG)
        d = xk_cg_temp(g, t.dt, t.lanes); /* the compare reads b after */
    const struct xk_cg_val dl = xk_cg_half(&d, 0), dh = xk_cg_half(&d, 1);
    const struct xk_cg_val al = xk_cg_half(&a, 0), bl = xk_cg_half(&b, 0);
    const struct xk_cg_val bh = xk_cg_half(&b, 1);
    const struct xk_cg_val ah = xk_cg_in_reg(g, xk_cg_half(&a, 1));
    const bool limit = t.lanes > 8 && al.stride == 0 && bl.stride == 1;
    struct xk_cg_val carry;
    if (limit)
        carry = carry_by_limit(g, &al, &bl, t.lanes);
    xk_cg_op2(g, XK_OPC_ADD, &dl, &al, &bl, t.lanes);
    if (!limit)
        carry = carry_of(g, &dl, &bl, t.lanes);
    add_high(g, &dh, ah, &bh, &carry, t.lanes);
    return d;
}

static struct xk_cg_val cast_u64(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_type from = xk_type_of(xk_kid(e, 0));
    if (from.space == XK_SPACE_GLOBAL)
        return xk_cg_eval_u64(g, xk_kid(e, 0), NULL);
    if (!xk_dtype_is_int(from.dt))
        goto no;
    struct xk_cg_val v = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    if (xk_dtype_b(from.dt) == 8 || v.kind == XK_CG_IMM) {
        v.dt = XK_DT_U64;
        return v;
    }
    if (xk_type_of(e).dt == XK_DT_S64 && from.dt == XK_DT_S32 &&
        xk_cg_range_of(g, xk_kid(e, 0)).lo < 0)
        return xk_cg_sign_extend(g, v, v.stride ? xk_type_of(e).lanes : 1);
    if (xk_dtype_b(from.dt) == 4) {
        v.dt = XK_DT_U64;
        v.zext = true;
        return v;
    }
    if (!xk_dtype_is_signed(from.dt)) {
        const unsigned lanes = v.stride ? xk_type_of(e).lanes : 1;
        struct xk_cg_val w = xk_cg_temp(g, XK_DT_U32, lanes);
        xk_cg_mov(g, &w, &v, lanes);
        w.dt = XK_DT_U64;
        w.zext = true;
        return w;
    }
no:
    xk_fail(g->c, XK_EUNSUPPORTED,
            "codegen: cast of %s to u64 is not "
            "implemented",
            xk_dtype_name(from.dt));
    return xk_cg_imm(XK_DT_U64, 0);
}

/* A pointer into global memory is its address. */
static struct xk_cg_val address_of(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_cg_var *const v = xk_cg_lookup(g, e);
    struct xk_cg_val a = v ? v->val : xk_cg_imm(XK_DT_U64, 0);
    a.dt = XK_DT_U64;
    return a;
}

struct xk_cg_val xk_cg_eval_u64(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want)
{
    struct xk_cg_val a, b;
    switch (xk_op(e)) {
    case XK_OP_VAR:
        return address_of(g, e);
    case XK_OP_PTR:
        a = xk_cg_eval(g, xk_kid(e, 0), NULL);
        b = xk_cg_eval_settled(g, xk_kid(e, 1), NULL);
        b.dt = XK_DT_U64;
        b.zext = b.kind == XK_CG_REG;
        if (b.kind == XK_CG_IMM && b.imm == 0)
            return a;
        return xk_cg_ok(g) ? xk_cg_add_u64(g, xk_type_of(e).lanes, a, b, want)
                           : a;
    case XK_OP_CAST:
        return cast_u64(g, e);
    case XK_OP_BCAST:
        return xk_cg_eval(g, xk_kid(e, 0), NULL);
    case XK_OP_SHUFFLE:
        a = xk_cg_eval(g, xk_kid(e, 0), NULL);
        if (a.kind == XK_CG_REG && a.stride && xk_type_of(e).lanes == 1) {
            a.sub_b += xk_shuffle_index(e, 0) * a.stride * (a.zext ? 4 : 8);
            a.stride = 0;
        } else if (a.kind == XK_CG_REG && a.stride)
            break;
        return a;
    case XK_OP_ADD:
        a = xk_cg_eval(g, xk_kid(e, 0), NULL);
        b = xk_cg_eval(g, xk_kid(e, 1), NULL);
        return xk_cg_ok(g) ? xk_cg_add_u64(g, xk_type_of(e).lanes, a, b, want)
                           : a;
    case XK_OP_SUB:
    case XK_OP_MUL:
    case XK_OP_SHL:
    case XK_OP_SHR:
    case XK_OP_AND:
    case XK_OP_OR:
    case XK_OP_XOR:
        return xk_cg_wide_arith(g, e);
    default:
        break;
    }
    xk_fail(g->c, XK_EUNSUPPORTED, "codegen: %s on u64 is not implemented",
            xk_op_text(xk_op(e)));
    return xk_cg_imm(XK_DT_U64, 0);
}
