/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/ir/random_expr.h"

uint64_t random_u64(uint64_t *rng)
{
    uint64_t x = *rng;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *rng = x;
    return x * 2685821657736338717u;
}

unsigned random_below(uint64_t *rng, unsigned n)
{
    return (unsigned)(random_u64(rng) >> 33) % n;
}

/* Small numbers mostly, powers of two, and the ends of the type. */
static int64_t random_int(uint64_t *rng)
{
    const uint64_t bits = random_u64(rng);
    switch (random_below(rng, 8)) {
    case 0:
        return (int64_t)bits;
    case 1:
        return (int64_t)1 << (bits & 31);
    case 2:
        return -(int64_t)(bits & 15);
    case 3:
        return (int64_t)(bits & 1023) - 512;
    default:
        return (int64_t)(bits & 15);
    }
}

static const xk_expr *leaf(struct random_expr *r, struct xk_type t)
{
    const enum xk_dtype dt = (enum xk_dtype)t.dt;
    for (unsigned i = 0; i < 4 && r->n_vars; i++) {
        const xk_expr *const v = r->vars[random_below(&r->rng, r->n_vars)];
        if (xk_type_eq(xk_type_of(v), t))
            return v;
    }
    const xk_expr *const k =
        xk_dtype_is_float(dt)
            ? xk_fimm(r->c, dt, (double)random_int(&r->rng) / 8)
            : xk_imm(r->c, dt, random_int(&r->rng));
    return xk_bcast(r->c, k, t.lanes);
}

static const enum xk_dtype all_types[] = {
    XK_DT_S32, XK_DT_S64, XK_DT_U8,  XK_DT_S8,  XK_DT_U16,  XK_DT_S16,
    XK_DT_U32, XK_DT_U64, XK_DT_F32, XK_DT_F16, XK_DT_BF16, XK_DT_F64};

static struct xk_type random_number_type(struct random_expr *r, unsigned lanes)
{
    const unsigned n = r->ints_only ? 8 : XK_COUNTOF(all_types);
    const bool s32 = random_below(&r->rng, 2);
    return xk_type_vec(s32 ? XK_DT_S32 : all_types[random_below(&r->rng, n)],
                       lanes);
}

static const xk_expr *vector(struct random_expr *r, struct xk_type t,
                             unsigned depth)
{
    uint16_t index[64];
    const struct xk_type s = xk_type_vec((enum xk_dtype)t.dt, 1);
    const unsigned kind = random_below(&r->rng, 3);
    if (kind == 0 && xk_dtype_is_int((enum xk_dtype)t.dt))
        return xk_ramp(r->c, random_expr(r, s, depth - 1),
                       random_expr(r, s, depth - 1), t.lanes);
    if (kind == 1) {
        const struct xk_type from = xk_type_vec((enum xk_dtype)t.dt, 4);
        for (unsigned i = 0; i < t.lanes; i++)
            index[i] = (uint16_t)random_below(&r->rng, 4);
        return xk_shuffle(r->c, random_expr(r, from, depth - 1), index,
                          t.lanes);
    }
    return xk_bcast(r->c, random_expr(r, s, depth - 1), t.lanes);
}

static const xk_expr *boolean(struct random_expr *r, struct xk_type t,
                              unsigned depth)
{
    static const enum xk_op ops[] = {XK_OP_AND, XK_OP_OR, XK_OP_XOR, XK_OP_EQ,
                                     XK_OP_NE};
    const unsigned kind = random_below(&r->rng, 8);
    if (kind == 0)
        return xk_un(r->c, XK_OP_NOT, random_expr(r, t, depth - 1));
    if (kind < 4)
        return xk_bin(r->c, ops[random_below(&r->rng, XK_COUNTOF(ops))],
                      random_expr(r, t, depth - 1),
                      random_expr(r, t, depth - 1));
    const struct xk_type n = random_number_type(r, t.lanes);
    const enum xk_op op = (enum xk_op)(XK_OP_EQ + random_below(&r->rng, 6));
    return xk_bin(r->c, op, random_expr(r, n, depth - 1),
                  random_expr(r, n, depth - 1));
}

static const xk_expr *number(struct random_expr *r, struct xk_type t,
                             unsigned depth)
{
    static const enum xk_op any[] = {XK_OP_ADD, XK_OP_SUB, XK_OP_MUL,
                                     XK_OP_DIV, XK_OP_MIN, XK_OP_MAX};
    static const enum xk_op ints[] = {
        XK_OP_ADD, XK_OP_SUB, XK_OP_MUL, XK_OP_MUL, XK_OP_ADD,
        XK_OP_DIV, XK_OP_MOD, XK_OP_SHL, XK_OP_SHR, XK_OP_AND,
        XK_OP_OR,  XK_OP_XOR, XK_OP_MIN, XK_OP_MAX};
    const bool is_int = xk_dtype_is_int((enum xk_dtype)t.dt);
    const enum xk_op op = is_int ? ints[random_below(&r->rng, XK_COUNTOF(ints))]
                                 : any[random_below(&r->rng, XK_COUNTOF(any))];
    const xk_expr *const a = random_expr(r, t, depth - 1);
    const struct xk_type b = xk_type_vec(XK_DT_BOOL, t.lanes);
    switch (random_below(&r->rng, 12)) {
    case 0:
        return xk_un(r->c, XK_OP_NEG, a);
    case 1:
        return is_int ? xk_un(r->c, XK_OP_NOT, a) : a;
    case 2:
        return xk_select(r->c, random_expr(r, b, depth - 1), a,
                         random_expr(r, t, depth - 1));
    case 3:
        return xk_ternary(
            r->c, random_below(&r->rng, 2) ? XK_OP_MAD : XK_OP_ADD3, a,
            random_expr(r, t, depth - 1), random_expr(r, t, depth - 1));
    case 4:
        return xk_cast(
            r->c, (enum xk_dtype)t.dt,
            random_expr(r, random_number_type(r, t.lanes), depth - 1));
    default:
        return xk_bin(r->c, op, a, random_expr(r, t, depth - 1));
    }
}

const xk_expr *random_expr(struct random_expr *r, struct xk_type t,
                           unsigned depth)
{
    if (!depth || random_below(&r->rng, 8) == 0)
        return leaf(r, t);
    if (t.lanes > 1 && random_below(&r->rng, 3) == 0)
        return vector(r, t, depth);
    return t.dt == XK_DT_BOOL ? boolean(r, t, depth) : number(r, t, depth);
}
