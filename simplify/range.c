/* SPDX-License-Identifier: Apache-2.0 */
/* Interval and congruence arithmetic. Bounds saturate to infinity, so that no
 * computation here can wrap; an answer is always a superset of the truth. */
#include "base/integer.h"
#include "simplify/range.h"

static bool is_inf(int64_t v)
{
    return v == XK_INF_LO || v == XK_INF_HI;
}

static int64_t inf_of_sign(bool negative)
{
    return negative ? XK_INF_LO : XK_INF_HI;
}

static int64_t neg_bound(int64_t a)
{
    return is_inf(a) ? inf_of_sign(a > 0) : -a;
}

static int64_t add_bound(int64_t a, int64_t b)
{
    int64_t r;
    if (is_inf(a))
        return a;
    if (is_inf(b))
        return b;
    return __builtin_add_overflow(a, b, &r) ? inf_of_sign(a < 0) : r;
}

static int64_t mul_bound(int64_t a, int64_t b)
{
    int64_t r;
    if (a == 0 || b == 0)
        return 0;
    if (is_inf(a) || is_inf(b) || __builtin_mul_overflow(a, b, &r))
        return inf_of_sign((a < 0) != (b < 0));
    return r;
}

/* b is not 0. */
static int64_t div_bound(int64_t a, int64_t b)
{
    if (is_inf(b))
        return a == 0 ? 0 : (a < 0) != (b < 0) ? -1 : 0;
    if (is_inf(a))
        return inf_of_sign((a < 0) != (b < 0));
    return xk_floor_div(a, b);
}

/* A lower bound is never +infinity, an upper one never -infinity: the value
 * INT64_MAX has the bounds INT64_MAX - 1 and infinity. */
static int64_t as_lo(int64_t v)
{
    return v == XK_INF_HI ? v - 1 : v;
}

static int64_t as_hi(int64_t v)
{
    return v == XK_INF_LO ? v + 1 : v;
}

static struct xk_info range(int64_t lo, int64_t hi)
{
    const struct xk_info r = {as_lo(lo), as_hi(hi), 1, 0};
    return r;
}

struct xk_info xk_info_const(int64_t v)
{
    const struct xk_info r = {as_lo(v), as_hi(v), 0, v};
    return r;
}

struct xk_info xk_info_type(enum xk_dtype dt)
{
    switch (dt) {
    case XK_DT_BOOL:
        return range(0, 1);
    case XK_DT_U8:
        return range(0, UINT8_MAX);
    case XK_DT_S8:
        return range(INT8_MIN, INT8_MAX);
    case XK_DT_U16:
        return range(0, UINT16_MAX);
    case XK_DT_S16:
        return range(INT16_MIN, INT16_MAX);
    case XK_DT_U32:
        return range(0, UINT32_MAX);
    case XK_DT_S32:
        return range(INT32_MIN, INT32_MAX);
    case XK_DT_U64:
        return range(0, XK_INF_HI);
    default:
        return range(XK_INF_LO, XK_INF_HI);
    }
}

/* Brings rem into [0, mod), moves finite bounds onto the congruence, and makes
 * a single value a constant. */
static struct xk_info normal_range(struct xk_info r)
{
    if (r.mod < 0)
        r.mod = 1;
    if (r.mod == 0)
        return xk_info_const(r.rem);
    r.lo = as_lo(r.lo);
    r.hi = as_hi(r.hi);
    r.rem = r.mod > 1 ? xk_floor_mod(r.rem, r.mod) : 0;
    if (r.mod > 1) {
        int64_t d;
        if (!is_inf(r.lo) && !__builtin_sub_overflow(r.rem, r.lo, &d))
            r.lo = add_bound(r.lo, xk_floor_mod(d, r.mod));
        if (!is_inf(r.hi) && !__builtin_sub_overflow(r.hi, r.rem, &d))
            r.hi = add_bound(r.hi, -xk_floor_mod(d, r.mod));
    }
    return r.lo == r.hi && !is_inf(r.lo) ? xk_info_const(r.lo) : r;
}

static struct xk_info info_neg(struct xk_info a)
{
    struct xk_info r = {neg_bound(a.hi), neg_bound(a.lo), a.mod, 0};
    if (__builtin_sub_overflow((int64_t)0, a.rem, &r.rem))
        r.mod = 1;
    return normal_range(r);
}

static struct xk_info info_add(struct xk_info a, struct xk_info b)
{
    struct xk_info r = {add_bound(a.lo, b.lo), add_bound(a.hi, b.hi),
                        xk_gcd(a.mod, b.mod), 0};
    if (__builtin_add_overflow(a.rem, b.rem, &r.rem))
        return range(r.lo, r.hi);
    return normal_range(r);
}

/* (m1 n + r1)(m2 k + r2): everything but r1 r2 is a multiple of the gcd. */
static void mul_congruence(struct xk_info a, struct xk_info b,
                           struct xk_info *r)
{
    int64_t mm, mr, rm;
    r->mod = 1;
    r->rem = 0;
    if (__builtin_mul_overflow(a.mod, b.mod, &mm) ||
        __builtin_mul_overflow(a.mod, b.rem, &mr) ||
        __builtin_mul_overflow(a.rem, b.mod, &rm) ||
        __builtin_mul_overflow(a.rem, b.rem, &r->rem))
        return;
    r->mod = xk_gcd(mm, xk_gcd(mr, rm));
}

static struct xk_info hull4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return range(xk_smaller(xk_smaller(a, b), xk_smaller(c, d)),
                 xk_larger(xk_larger(a, b), xk_larger(c, d)));
}

static struct xk_info info_mul(struct xk_info a, struct xk_info b)
{
    struct xk_info r = hull4(mul_bound(a.lo, b.lo), mul_bound(a.lo, b.hi),
                             mul_bound(a.hi, b.lo), mul_bound(a.hi, b.hi));
    mul_congruence(a, b, &r);
    if (r.mod == 0 && r.rem != r.lo)
        r.mod = 1;
    return normal_range(r);
}

static struct xk_info info_join(struct xk_info a, struct xk_info b)
{
    int64_t d;
    struct xk_info r = {xk_smaller(a.lo, b.lo), xk_larger(a.hi, b.hi), 1, 0};
    if (__builtin_sub_overflow(a.rem, b.rem, &d))
        return r;
    r.mod = xk_gcd(xk_gcd(a.mod, b.mod), d);
    r.rem = a.rem;
    return normal_range(r);
}

/* All of b is positive or all of it negative. */
static struct xk_info div_one_sign(struct xk_info a, int64_t b_lo, int64_t b_hi)
{
    return hull4(div_bound(a.lo, b_lo), div_bound(a.lo, b_hi),
                 div_bound(a.hi, b_lo), div_bound(a.hi, b_hi));
}

static struct xk_info info_div(struct xk_info a, struct xk_info b)
{
    if (b.mod == 0 && b.rem == 0)
        return xk_info_const(0);
    if (b.lo > 0 || b.hi < 0) {
        struct xk_info r = div_one_sign(a, b.lo, b.hi);
        if (b.mod == 0 && b.rem > 0 && a.mod % b.rem == 0) {
            r.mod = a.mod / b.rem;
            r.rem = xk_floor_div(a.rem, b.rem);
        }
        return normal_range(r);
    }
    struct xk_info r = xk_info_const(0);
    if (b.hi > 0)
        r = info_join(r, div_one_sign(a, 1, b.hi));
    if (b.lo < 0)
        r = info_join(r, div_one_sign(a, b.lo, -1));
    return range(r.lo, r.hi);
}

/* Divisor all positive. */
static struct xk_info mod_positive(struct xk_info a, struct xk_info b)
{
    struct xk_info r = range(0, is_inf(b.hi) ? XK_INF_HI : b.hi - 1);
    if (a.lo >= 0 && a.hi < b.lo)
        return a;
    if (a.lo >= 0)
        r.hi = xk_smaller(r.hi, a.hi);
    if (b.mod != 0)
        return r;
    if (!is_inf(a.lo) && !is_inf(a.hi) &&
        xk_floor_div(a.lo, b.rem) == xk_floor_div(a.hi, b.rem)) {
        r.lo = xk_floor_mod(a.lo, b.rem);
        r.hi = xk_floor_mod(a.hi, b.rem);
    }
    r.mod = xk_gcd(a.mod, b.rem);
    r.rem = a.rem;
    if (a.mod % b.rem == 0)
        return xk_info_const(xk_floor_mod(a.rem, b.rem));
    return normal_range(r);
}

static struct xk_info info_mod(struct xk_info a, struct xk_info b)
{
    if (b.mod == 0 && b.rem == 0)
        return xk_info_const(0);
    if (b.lo > 0)
        return mod_positive(a, b);
    const int64_t lo = is_inf(b.lo) ? b.lo : xk_smaller(b.lo + 1, 0);
    const int64_t hi = is_inf(b.hi) ? b.hi : xk_larger(b.hi - 1, 0);
    return range(lo, hi);
}

static struct xk_info info_min(struct xk_info a, struct xk_info b)
{
    struct xk_info r = info_join(a, b);
    r.lo = xk_smaller(a.lo, b.lo);
    r.hi = xk_smaller(a.hi, b.hi);
    return normal_range(r);
}

static struct xk_info info_max(struct xk_info a, struct xk_info b)
{
    struct xk_info r = info_join(a, b);
    r.lo = xk_larger(a.lo, b.lo);
    r.hi = xk_larger(a.hi, b.hi);
    return normal_range(r);
}

static struct xk_info bool_info(bool can_be_false, bool can_be_true)
{
    if (can_be_true && can_be_false)
        return range(0, 1);
    return xk_info_const(can_be_true);
}

static bool may_be_equal(struct xk_info a, struct xk_info b)
{
    int64_t d;
    if (a.lo > b.hi || b.lo > a.hi)
        return false;
    const int64_t g = xk_gcd(a.mod, b.mod);
    if (__builtin_sub_overflow(a.rem, b.rem, &d))
        return true;
    return g ? d % g == 0 : d == 0;
}

static struct xk_info info_compare(enum xk_op op, struct xk_info a,
                                   struct xk_info b)
{
    switch (op) {
    case XK_OP_EQ:
        return bool_info(!(a.mod == 0 && b.mod == 0 && a.rem == b.rem),
                         may_be_equal(a, b));
    case XK_OP_NE:
        return bool_info(may_be_equal(a, b),
                         !(a.mod == 0 && b.mod == 0 && a.rem == b.rem));
    case XK_OP_LT:
        return bool_info(a.hi >= b.lo, a.lo < b.hi);
    case XK_OP_LE:
        return bool_info(a.hi > b.lo || is_inf(a.hi) || is_inf(b.lo),
                         a.lo <= b.hi);
    case XK_OP_GT:
        return info_compare(XK_OP_LT, b, a);
    default:
        return info_compare(XK_OP_LE, b, a);
    }
}

/* Smallest 2^n - 1 that is at least v >= 0. */
static int64_t ones_above(int64_t v)
{
    uint64_t m = (uint64_t)v;
    for (unsigned s = 1; s < 64; s *= 2)
        m |= m >> s;
    return (int64_t)m;
}

static struct xk_info info_bits(enum xk_op op, enum xk_dtype dt,
                                struct xk_info a, struct xk_info b)
{
    if (a.mod == 0 && b.mod == 0) {
        const int64_t v = op == XK_OP_AND  ? a.rem & b.rem
                          : op == XK_OP_OR ? a.rem | b.rem
                                           : a.rem ^ b.rem;
        return xk_info_const(v);
    }
    if (op == XK_OP_AND && (a.lo >= 0 || b.lo >= 0)) {
        int64_t hi = XK_INF_HI;
        if (a.lo >= 0)
            hi = a.hi;
        if (b.lo >= 0)
            hi = xk_smaller(hi, b.hi);
        return normal_range(range(0, hi));
    }
    if (op == XK_OP_OR && a.lo >= 0 && b.lo >= 0)
        return normal_range(
            range(xk_larger(a.lo, b.lo), ones_above(a.hi) | ones_above(b.hi)));
    if (op == XK_OP_XOR && a.lo >= 0 && b.lo >= 0)
        return normal_range(range(0, ones_above(a.hi) | ones_above(b.hi)));
    return xk_info_type(dt);
}

static struct xk_info info_shift(enum xk_op op, enum xk_dtype dt,
                                 struct xk_info a, struct xk_info b)
{
    if (b.mod != 0 || b.rem < 0 || b.rem > 62)
        return op == XK_OP_SHR && a.lo >= 0 && b.lo >= 0 ? range(0, a.hi)
                                                         : xk_info_type(dt);
    const struct xk_info power = xk_info_const((int64_t)1 << b.rem);
    return op == XK_OP_SHL ? info_mul(a, power) : info_div(a, power);
}

static struct xk_info info_not(enum xk_dtype dt, struct xk_info a)
{
    if (dt == XK_DT_BOOL)
        return normal_range(range(1 - a.hi, 1 - a.lo));
    if (!xk_dtype_is_signed(dt))
        return xk_info_type(dt);
    return info_add(info_neg(a), xk_info_const(-1));
}

static struct xk_info info_raw(enum xk_op op, enum xk_dtype dt,
                               const struct xk_info *k)
{
    switch (op) {
    case XK_OP_ADD:
        return info_add(k[0], k[1]);
    case XK_OP_SUB:
        return info_add(k[0], info_neg(k[1]));
    case XK_OP_MUL:
        return info_mul(k[0], k[1]);
    case XK_OP_DIV:
        return info_div(k[0], k[1]);
    case XK_OP_MOD:
        return info_mod(k[0], k[1]);
    case XK_OP_SHL:
    case XK_OP_SHR:
        return info_shift(op, dt, k[0], k[1]);
    case XK_OP_AND:
    case XK_OP_OR:
    case XK_OP_XOR:
        return info_bits(op, dt, k[0], k[1]);
    case XK_OP_EQ:
    case XK_OP_NE:
    case XK_OP_LT:
    case XK_OP_LE:
    case XK_OP_GT:
    case XK_OP_GE:
        return info_compare(op, k[0], k[1]);
    case XK_OP_MIN:
        return info_min(k[0], k[1]);
    case XK_OP_MAX:
        return info_max(k[0], k[1]);
    case XK_OP_NEG:
        return info_neg(k[0]);
    case XK_OP_NOT:
        return info_not(dt, k[0]);
    case XK_OP_SELECT:
        return k[0].mod == 0 ? k[k[0].rem ? 1 : 2] : info_join(k[1], k[2]);
    case XK_OP_MAD:
        return info_add(k[0], info_mul(k[1], k[2]));
    case XK_OP_ADD3:
        return info_add(info_add(k[0], k[1]), k[2]);
    default:
        return xk_info_type(dt);
    }
}

static bool is_range_within(struct xk_info a, struct xk_info b)
{
    return a.lo >= b.lo && a.hi <= b.hi;
}

struct xk_info xk_info_op(enum xk_op op, enum xk_dtype dt,
                          const struct xk_info *k)
{
    const struct xk_info r = info_raw(op, dt, k);
    if (xk_dtype_nowrap(dt) || (op >= XK_OP_EQ && op <= XK_OP_GE))
        return r;
    const struct xk_info t = xk_info_type(dt);
    /* u64 above INT64_MAX is "unbounded", so a wrapped value is in there. */
    return is_range_within(r, t) && !(dt == XK_DT_U64 && is_inf(r.hi)) ? r : t;
}

static struct xk_info info_cast(const xk_expr *e, struct xk_info a)
{
    const enum xk_dtype to = (enum xk_dtype)xk_type_of(e).dt;
    const enum xk_dtype from = (enum xk_dtype)xk_type_of(xk_kid(e, 0)).dt;
    const struct xk_info t = xk_info_type(to);
    if (xk_dtype_is_float(from))
        return t;
    if (to == XK_DT_BOOL)
        return info_compare(XK_OP_NE, a, xk_info_const(0));
    if (from == XK_DT_U64 && is_inf(a.hi) && to != XK_DT_U64)
        return t; /* above INT64_MAX: wraps */
    return is_range_within(a, t) ? a : t;
}

static struct xk_info info_ramp(const xk_expr *e, struct xk_info base,
                                struct xk_info stride)
{
    const struct xk_info lane = range(0, xk_type_of(e).lanes - 1);
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    const struct xk_info k[] = {base, info_mul(stride, lane)};
    return xk_info_op(XK_OP_ADD, dt, k);
}

/* The info of e whose kids' info is k. */
static struct xk_info info_expr(const xk_expr *e, const struct xk_info *k)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    switch (xk_op(e)) {
    case XK_OP_IMM:
        if (dt == XK_DT_U64 && xk_imm_value(e) < 0)
            return xk_info_type(dt);
        return xk_info_const(xk_imm_value(e));
    case XK_OP_VAR:
        return xk_info_type(dt);
    case XK_OP_CAST:
        return info_cast(e, k[0]);
    case XK_OP_RAMP:
        return info_ramp(e, k[0], k[1]);
    case XK_OP_BCAST:
    case XK_OP_SHUFFLE:
        return k[0];
    default: {
        const enum xk_dtype kid_dt =
            (enum xk_dtype)xk_type_of(xk_kid(e, xk_n_kids(e) - 1)).dt;
        return xk_info_op(xk_op(e), kid_dt, k);
    }
    }
}

static bool is_countable(const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    return !t.space &&
           (t.dt == XK_DT_BOOL || xk_dtype_is_int((enum xk_dtype)t.dt));
}

static bool has_float_kid(const xk_expr *e)
{
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (!is_countable(xk_kid(e, i)))
            return true;
    }
    return false;
}

struct xk_info xk_info_of(struct xk_facts *f, const xk_expr *e)
{
    struct xk_info k[3];
    if (!is_countable(e))
        return range(XK_INF_LO, XK_INF_HI);
    if (xk_op(e) == XK_OP_IMM)
        return info_expr(e, NULL);
    const struct xk_info_slot *const s = xk_facts_slot(f, xk_serial(e));
    if (s->serial)
        return s->info;
    struct xk_info r = xk_info_type((enum xk_dtype)xk_type_of(e).dt);
    if (!has_float_kid(e)) {
        for (unsigned i = 0; i < xk_n_kids(e) && i < 3; i++)
            k[i] = xk_info_of(f, xk_kid(e, i));
        r = info_expr(e, k);
    }
    xk_facts_remember(f, xk_serial(e), r);
    return r;
}

bool xk_facts_range(void *facts, const xk_expr *e, int64_t *lo, int64_t *hi)
{
    if (!e || !is_countable(e))
        return false;
    const struct xk_info r = xk_info_of(facts, e);
    *lo = r.lo;
    *hi = r.hi;
    return r.lo != XK_INF_LO || r.hi != XK_INF_HI;
}

void xk_facts_divisibility(xk_facts *f, const xk_expr *e, int64_t *mod,
                           int64_t *rem)
{
    const struct xk_info r = xk_info_of(f, e);
    *mod = r.mod;
    *rem = r.rem;
}
