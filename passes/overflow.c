/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the offsets of messages the type they need.
 *
 * s32 arithmetic must not leave s32, under any grouping of a sum's terms
 * (docs/ir.md); later passes and codegen rely on it. Here each offset is
 * checked with the ranges of parameters, loops and lets:
 * - s32 that may leave s32 becomes u32 where addresses have 32 bits (surfaces,
 *   SLM): u32 wraps, and a sum modulo 2^32 is exact as long as the result fits.
 *   Where addresses have 64 bits it becomes s64, down to the parts that fit;
 * - s64 that provably fits becomes s32, and u32 where addresses have 32 bits;
 * - what can be neither is refused, by the name of the buffer.
 * A value whose range is not known at all (a parameter without extent) is the
 * caller's promise and counts as fitting. Offsets of lanes that are masked off
 * may be anything; an offset through a surface without a mask must lie below
 * XK_OFF_NULL. */
#include <inttypes.h>

#include "isa/message.h"
#include "passes/walk.h"

/* The least and greatest sum of any of a value's terms; fits: it and all it is
 * made of stay within their types. */
struct bounds {
    int64_t lo, hi;
    bool fits;
};

struct pass {
    xk_ctx *c;
    xk_facts *facts;
    struct xk_arena arena;
    struct xk_memo bounds; /* expression: struct bounds */
    struct xk_memo lets;   /* variable: value of its LET */
    const xk_expr *culprit;
    bool masked; /* the message whose offsets these are, so that lanes may be
                    off */
};

static struct bounds bounds_of(struct pass *p, const xk_expr *e);

static int64_t clamp_bound(int64_t v)
{
    const int64_t most = INT64_C(1) << 60;
    return v > most ? most : v < -most ? -most : v;
}

static int64_t times_clamped(int64_t a, int64_t b)
{
    int64_t v;
    if (!__builtin_mul_overflow(a, b, &v))
        return clamp_bound(v);
    return clamp_bound((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN);
}

static struct bounds scaled_bounds(struct bounds a, int64_t k)
{
    const int64_t x = times_clamped(a.lo, k), y = times_clamped(a.hi, k);
    return (struct bounds){x < y ? x : y, x < y ? y : x, a.fits};
}

static struct bounds sum_of_bounds(struct bounds a, struct bounds b)
{
    return (struct bounds){clamp_bound(a.lo + b.lo), clamp_bound(a.hi + b.hi),
                           a.fits && b.fits};
}

/* The range of something that is no sum, with 0 for the sums without it. */
static struct bounds term(struct pass *p, const xk_expr *e)
{
    struct bounds b = {0, 0, true};
    int64_t lo, hi;
    for (unsigned i = 0; i < xk_n_kids(e); i++) /* learns what lets hold */
        b.fits &= bounds_of(p, xk_kid(e, i)).fits;
    if (xk_facts_range(p->facts, e, &lo, &hi) &&
        !(lo <= INT32_MIN && hi >= INT32_MAX)) {
        b.lo = lo < 0 ? clamp_bound(lo) : 0;
        b.hi = hi > 0 ? clamp_bound(hi) : 0;
    }
    return b;
}

static const xk_expr *value_of_let(struct pass *p, const xk_expr *var)
{
    const void *v;
    return xk_memo_get(&p->lets, xk_serial(var), &v) ? v : NULL;
}

/* The range of a let's value becomes that of its variable, before anything asks
 * for it. */
static struct bounds var_bounds(struct pass *p, const xk_expr *var)
{
    const xk_expr *const v = value_of_let(p, var);
    const bool fits = !v || bounds_of(p, v).fits;
    int64_t lo, hi;
    if (v && xk_facts_range(p->facts, v, &lo, &hi))
        xk_facts_set(p->facts, var, lo, hi, 1, 0);
    struct bounds b = term(p, var);
    b.fits &= fits;
    return b;
}

static struct bounds find_bounds(struct pass *p, const xk_expr *e)
{
    struct bounds b;
    int64_t k;
    switch (xk_op(e)) {
    case XK_OP_ADD:
        return sum_of_bounds(bounds_of(p, xk_kid(e, 0)),
                             bounds_of(p, xk_kid(e, 1)));
    case XK_OP_SUB:
        return sum_of_bounds(bounds_of(p, xk_kid(e, 0)),
                             scaled_bounds(bounds_of(p, xk_kid(e, 1)), -1));
    case XK_OP_NEG:
        return scaled_bounds(bounds_of(p, xk_kid(e, 0)), -1);
    case XK_OP_MUL:
        for (unsigned i = 0; i < 2; i++)
            if (xk_is_const(xk_kid(e, i), &k))
                return scaled_bounds(bounds_of(p, xk_kid(e, !i)), k);
        return term(p, e);
    case XK_OP_BCAST:
        return bounds_of(p, xk_kid(e, 0));
    case XK_OP_RAMP:
        b = scaled_bounds(bounds_of(p, xk_kid(e, 1)), xk_type_of(e).lanes - 1);
        return sum_of_bounds(bounds_of(p, xk_kid(e, 0)), b);
    case XK_OP_VAR:
        return var_bounds(p, e);
    default:
        return term(p, e);
    }
}

static struct bounds bounds_of(struct pass *p, const xk_expr *e)
{
    const void *known;
    if (xk_type_of(e).space)
        return (struct bounds){0, 0, true};
    if (xk_memo_get(&p->bounds, xk_serial(e), &known))
        return *(const struct bounds *)known;
    struct bounds b = find_bounds(p, e);
    if (xk_type_of(e).dt == XK_DT_S32)
        b.fits &= b.lo >= INT32_MIN && b.hi <= INT32_MAX;
    struct bounds *const keep = xk_arena_alloc(&p->arena, sizeof(*keep));
    if (keep) {
        *keep = b;
        xk_memo_set(&p->bounds, xk_serial(e), keep);
    }
    return b;
}

/* The value as type dt: u32 (modulo 2^32), s64 (exactly), or s32 (it fits).
 * NULL without an error in the context, and p->culprit, if an operation is in
 * the way. */
static const xk_expr *as(struct pass *p, enum xk_dtype dt, const xk_expr *e);

/* All kids as dt. */
static const xk_expr *kids_as(struct pass *p, enum xk_dtype dt,
                              const xk_expr *e)
{
    const xk_expr *const a = as(p, dt, xk_kid(e, 0));
    const xk_expr *const b = a ? as(p, dt, xk_kid(e, 1)) : NULL;
    return b ? xk_bin(p->c, xk_op(e), a, b) : NULL;
}

/* ramp(0, stride) in a type that holds its lanes, s32 or u32; NULL: neither
 * does. Lanes that are masked off may hold anything; the others are less than
 * 2^31 apart. */
static const xk_expr *narrow_ramp(struct pass *p, const xk_expr *ramp)
{
    const unsigned lanes = xk_type_of(ramp).lanes;
    const struct bounds step = bounds_of(p, xk_kid(ramp, 1));
    const struct bounds b = scaled_bounds(step, lanes - 1);
    const bool is_signed = b.lo >= INT32_MIN && b.hi <= INT32_MAX;
    const bool is_unsigned =
        b.lo >= 0 && (p->masked ? step.hi : b.hi) <= UINT32_MAX;
    const enum xk_dtype dt = is_signed ? XK_DT_S32 : XK_DT_U32;
    const xk_expr *const stride =
        is_signed || is_unsigned ? as(p, dt, xk_kid(ramp, 1)) : NULL;
    return stride ? xk_ramp(p->c, xk_imm(p->c, dt, 0), stride, lanes) : NULL;
}

/* ramp(b, s) = b + ramp(0, s), whose lanes fit 32 bits or it is refused. */
static const xk_expr *ramp_as(struct pass *p, enum xk_dtype dt,
                              const xk_expr *e)
{
    const unsigned lanes = xk_type_of(e).lanes;
    const xk_expr *base = as(p, dt, xk_kid(e, 0));
    const xk_expr *stride = base ? as(p, dt, xk_kid(e, 1)) : NULL;
    if (!stride || dt != XK_DT_S64)
        return stride ? xk_ramp(p->c, base, stride, lanes) : NULL;
    const xk_expr *const lane = narrow_ramp(p, e);
    if (!lane) {
        p->culprit = e;
        return NULL;
    }
    return xk_add(p->c, xk_bcast(p->c, base, lanes), xk_cast(p->c, dt, lane));
}

/* Not a sum: a value that fits is cast; a variable is replaced by the value of
 * its let if that does not, or was s64 in vain. */
static const xk_expr *leaf_as(struct pass *p, enum xk_dtype dt,
                              const xk_expr *e)
{
    const xk_expr *const v = xk_op(e) == XK_OP_VAR ? value_of_let(p, e) : NULL;
    const bool fits = bounds_of(p, e).fits;
    if (v && (!fits || xk_type_of(e).dt == XK_DT_S64) && dt != XK_DT_S64)
        return as(p, dt, v);
    if (fits)
        return xk_type_of(e).dt == dt ? e : xk_cast(p->c, dt, e);
    if (v)
        return as(p, dt, v);
    p->culprit = e;
    return NULL;
}

static const xk_expr *sum_as(struct pass *p, enum xk_dtype dt, const xk_expr *e)
{
    const xk_expr *a, *b;
    switch (xk_op(e)) {
    case XK_OP_ADD:
    case XK_OP_SUB:
    case XK_OP_MUL:
        return kids_as(p, dt, e);
    case XK_OP_NEG:
        a = as(p, dt, xk_kid(e, 0));
        b = xk_bcast(p->c, xk_imm(p->c, dt, 0), xk_type_of(e).lanes);
        return a ? xk_sub(p->c, b, a) : NULL;
    case XK_OP_BCAST:
        a = as(p, dt, xk_kid(e, 0));
        return a ? xk_bcast(p->c, a, xk_type_of(e).lanes) : NULL;
    case XK_OP_RAMP:
        return ramp_as(p, dt, e);
    case XK_OP_SELECT:
        a = as(p, dt, xk_kid(e, 1));
        b = a ? as(p, dt, xk_kid(e, 2)) : NULL;
        return b ? xk_select(p->c, xk_kid(e, 0), a, b) : NULL;
    case XK_OP_CAST: /* s64 of s32: the same number */
        if (xk_dtype_is_int((enum xk_dtype)xk_type_of(xk_kid(e, 0)).dt) &&
            xk_type_of(e).dt == XK_DT_S64)
            return as(p, dt, xk_kid(e, 0));
        return leaf_as(p, dt, e);
    default:
        return leaf_as(p, dt, e);
    }
}

static const xk_expr *as(struct pass *p, enum xk_dtype dt, const xk_expr *e)
{
    int64_t v;
    if (xk_op(e) == XK_OP_IMM && xk_is_const(e, &v))
        return xk_imm(p->c, dt, dt == XK_DT_U32 ? (int64_t)(uint32_t)v : v);
    if (xk_type_of(e).dt == dt && bounds_of(p, e).fits)
        return e;
    if (dt == XK_DT_S64 && bounds_of(p, e).fits) /* little in 64 bits */
        return xk_cast(p->c, dt, e);
    return sum_as(p, dt, e);
}

static const xk_expr *refuse_send(struct pass *p, const xk_stmt *send)
{
    const struct bounds b = bounds_of(p, xk_kid(send, 1));
    const xk_expr *const mem = xk_kid(send, 0);
    if (xk_ctx_status(p->c) == XK_OK)
        xk_fail(p->c, XK_EUNSUPPORTED,
                "overflow: offsets of %s from %" PRId64 " to %" PRId64
                " bytes do not fit the address%s%s",
                xk_var_name(xk_op(mem) == XK_OP_PTR ? xk_kid(mem, 0) : mem),
                b.lo, b.hi, p->culprit ? ", nor can it be widened at " : "",
                p->culprit ? xk_op_text(xk_op(p->culprit)) : "");
    return NULL;
}

static bool narrows(struct pass *p, const xk_expr *off)
{
    const struct bounds b = bounds_of(p, off);
    return b.fits && b.lo >= INT32_MIN && b.hi <= INT32_MAX;
}

/* Whether lanes are sent beside the surface: a select takes the place of a
 * mask, and the others' offsets are as much a promise as those of a mask. */
static bool has_lanes_beside(struct pass *p, const xk_expr *off)
{
    int64_t v;
    switch (xk_op(off)) {
    case XK_OP_SELECT:
        off = xk_kid(off, 2);
        off = xk_op(off) == XK_OP_BCAST ? xk_kid(off, 0) : off;
        return xk_is_const(off, &v) && (uint32_t)v >= XK_OFF_NULL;
    case XK_OP_ADD:
        return has_lanes_beside(p, xk_kid(off, 0)) ||
               has_lanes_beside(p, xk_kid(off, 1));
    case XK_OP_RAMP:
    case XK_OP_BCAST:
        return has_lanes_beside(p, xk_kid(off, 0));
    case XK_OP_VAR:
        return value_of_let(p, off) &&
               has_lanes_beside(p, value_of_let(p, off));
    default:
        return false;
    }
}

static bool beyond_surface(struct pass *p, const xk_stmt *s)
{
    int64_t lo, hi, always;
    return xk_func_of(s)->u.send.addr == XK_SEND_SURFACE &&
           xk_is_const(xk_kid(s, 3), &always) && always &&
           !has_lanes_beside(p, xk_kid(s, 1)) &&
           xk_facts_range(p->facts, xk_kid(s, 1), &lo, &hi) &&
           (hi < 0 || hi >= XK_OFF_NULL);
}

static const xk_expr *send_offset(struct pass *p, const xk_stmt *s)
{
    const xk_expr *const off = xk_kid(s, 1);
    const bool wide = xk_func_of(s)->u.send.addr == XK_SEND_A64;
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(off).dt;
    const bool fits = bounds_of(p, off).fits;
    int64_t always = 0;
    if (dt == XK_DT_U32 || (dt == XK_DT_S32 && fits))
        return off;
    p->culprit = NULL;
    p->masked = !xk_is_const(xk_kid(s, 3), &always) || !always;
    if (dt == XK_DT_S64 && narrows(p, off)) {
        const xk_expr *const narrow = as(p, XK_DT_S32, off);
        if (narrow || xk_ctx_status(p->c) < 0)
            return narrow;
    }
    if (wide && dt == XK_DT_S64)
        return fits ? off : as(p, dt, off);
    if (beyond_surface(p, s))
        return NULL;
    return as(p, wide ? XK_DT_S64 : XK_DT_U32, off);
}

static void learn_loop(struct pass *p, const xk_stmt *s)
{
    const bool pipe = xk_op(s) == XK_OP_PIPE;
    const xk_expr *const end = xk_kid(s, pipe ? 1 : 2);
    int64_t lo = 0, hi, unused;
    bounds_of(p, end);
    if (!xk_facts_range(p->facts, end, &unused, &hi))
        return;
    if (!pipe) {
        bounds_of(p, xk_kid(s, 1));
        if (!xk_facts_range(p->facts, xk_kid(s, 1), &lo, &unused))
            return;
    }
    if (lo < hi)
        xk_facts_set(p->facts, xk_kid(s, 0), lo, hi - 1, 1, 0);
}

static const xk_stmt *rewrite_send_address(struct pass *p, const xk_stmt *s)
{
    const xk_expr *args[4];
    for (unsigned i = 0; i < 4; i++)
        args[i] = xk_kid(s, i);
    args[1] = send_offset(p, s);
    if (args[1] == xk_kid(s, 1))
        return s;
    return args[1] ? xk_call(p->c, xk_func_of(s), args, 4) : refuse_send(p, s);
}

static const xk_expr *rewrite_addresses(void *user, const xk_expr *s)
{
    struct pass *const p = user;
    if (!xk_has(s, XK_HAS_SEND))
        return s;
    switch (xk_op(s)) {
    case XK_OP_CALL:
        return xk_func_of(s)->kind == XK_FUNC_SEND ? rewrite_send_address(p, s)
                                                   : s;
    case XK_OP_LET:
        xk_memo_set(&p->lets, xk_serial(xk_kid(s, 0)), xk_kid(s, 1));
        break;
    case XK_OP_FOR:
    case XK_OP_PIPE:
        learn_loop(p, s);
        break;
    default:
        break;
    }
    return xk_pass_map_kids(p->c, s, rewrite_addresses, p);
}

enum xk_status xk_pass_overflow(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env)
{
    struct pass p = {.c = c};
    (void)env;
    p.facts = xk_pass_facts(c, k);
    if (!p.facts)
        return XK_ENOMEM;
    xk_arena_init(&p.arena, c);
    xk_memo_init(&p.bounds, c);
    xk_memo_init(&p.lets, c);
    const xk_stmt *const body = rewrite_addresses(&p, k->body);
    xk_memo_fini(&p.lets);
    xk_memo_fini(&p.bounds);
    xk_arena_fini(&p.arena);
    xk_facts_unref(p.facts);
    return xk_pass_end(c, k, body);
}
