/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction-shaped expressions: a + b * c -> mad(a, b, c), and
 * a + b + c -> add3(a, b, c) where the platform has it, through casts between
 * s32 and u32 and through broadcasts.
 *
 * What the instructions take decides what is legal: an integer mad multiplies
 * a 32-bit by a 16-bit number, so one factor must be a constant that fits, and
 * so must a constant summand; an add3 has room for one constant of 16 bits.
 * 64-bit integers have neither. f32 mad rounds once: the IR's mad is the fused
 * one, and results may differ from mul and add in the last bit. Addresses of
 * registers stay as they are. */
#include "isa/isa.h"
#include "passes/walk.h"

struct pass {
    xk_ctx *c;
    bool has_add3, has_int_mad;
    struct xk_memo done;
};

static bool fits_word(const xk_expr *e, int64_t *v)
{
    return xk_is_const(e, v) && *v >= INT16_MIN && *v <= INT16_MAX;
}

/* What changes no bit of an integer sum below it: a broadcast, or a cast
 * between s32 and u32, which both add modulo 2^32. */
static bool is_shell(const xk_expr *e)
{
    return xk_dtype_is_dword(xk_type_of(e).dt) &&
           (xk_op(e) == XK_OP_BCAST ||
            (xk_op(e) == XK_OP_CAST &&
             xk_dtype_is_dword(xk_type_of(xk_kid(e, 0)).dt)));
}

static const xk_expr *core_of(const xk_expr *e)
{
    while (is_shell(e))
        e = xk_kid(e, 0);
    return e;
}

/* x in the shells of e. */
static const xk_expr *in_shells(struct pass *p, const xk_expr *e,
                                const xk_expr *x)
{
    int64_t v;
    if (!is_shell(e))
        return x;
    x = in_shells(p, xk_kid(e, 0), x);
    if (x && xk_is_const(x, &v) && v >= 0)
        return xk_bcast(p->c, xk_imm(p->c, (enum xk_dtype)xk_type_of(e).dt, v),
                        xk_type_of(e).lanes);
    if (xk_op(e) == XK_OP_CAST)
        return xk_cast(p->c, (enum xk_dtype)xk_type_of(e).dt, x);
    return xk_type_of(x).lanes == 1 ? xk_bcast(p->c, x, xk_type_of(e).lanes)
                                    : x;
}

/* The factors of core = *x * *y for a mad, the constant in *y. */
static bool factors(const struct pass *p, const xk_expr *core,
                    const xk_expr **x, const xk_expr **y)
{
    int64_t v;
    if (xk_op(core) != XK_OP_MUL)
        return false;
    const bool swap = xk_is_const(xk_kid(core, 0), NULL);
    *x = xk_kid(core, swap);
    *y = xk_kid(core, !swap);
    if (xk_type_of(core).dt == XK_DT_F32)
        return true;
    return p->has_int_mad && xk_dtype_is_dword(xk_type_of(core).dt) &&
           fits_word(*y, &v);
}

/* a + x * y, or a - x * y, where the product may be in shells. */
static const xk_expr *mad_of(struct pass *p, const xk_expr *a,
                             const xk_expr *product, bool minus)
{
    const xk_expr *x, *y;
    int64_t k;
    const struct xk_type t = xk_type_of(product);
    const xk_expr *const core = core_of(product);
    if (!factors(p, core, &x, &y))
        return NULL;
    if (core == product && !minus)
        return xk_ternary(p->c, XK_OP_MAD, a, x, y);
    if (!fits_word(y, &k))
        return NULL;
    k = minus ? -k : k;
    if (k > INT16_MAX || (k < 0 && t.dt == XK_DT_U32))
        return NULL;
    y = xk_bcast(p->c, xk_imm(p->c, (enum xk_dtype)t.dt, k), t.lanes);
    return xk_ternary(p->c, XK_OP_MAD, a, in_shells(p, product, x), y);
}

/* A constant summand must fit a word. */
static bool takes_summand(const xk_expr *a)
{
    int64_t v;
    return !xk_dtype_is_dword(xk_type_of(a).dt) || !xk_is_const(a, NULL) ||
           fits_word(a, &v);
}

static const xk_expr *try_mad(struct pass *p, const xk_expr *sum)
{
    const xk_expr *const a = xk_kid(sum, 0), *const b = xk_kid(sum, 1);
    const bool minus = xk_op(sum) == XK_OP_SUB;
    const xk_expr *out = NULL;
    if (minus && !xk_dtype_is_dword(xk_type_of(sum).dt))
        return NULL;
    if (takes_summand(a))
        out = mad_of(p, a, b, minus);
    if (!out && !minus && takes_summand(b))
        out = mad_of(p, b, a, false);
    return out;
}

/* other + (x + y), the inner sum perhaps in shells. */
static const xk_expr *add3_of(struct pass *p, const xk_expr *inner,
                              const xk_expr *other)
{
    int64_t v;
    const xk_expr *const core = core_of(inner);
    unsigned n_constants = 0;
    if (xk_op(core) != XK_OP_ADD || (core != inner && try_mad(p, core)))
        return NULL;
    const xk_expr *const all[] = {in_shells(p, inner, xk_kid(core, 0)),
                                  in_shells(p, inner, xk_kid(core, 1)), other};
    for (unsigned k = 0; k < 3; k++) {
        if (!all[k])
            return NULL;
        if (!xk_is_const(core_of(all[k]), NULL))
            continue;
        if (!fits_word(all[k], &v))
            return NULL;
        n_constants++;
    }
    if (n_constants > 1)
        return NULL;
    return xk_ternary(p->c, XK_OP_ADD3, all[0], all[1], all[2]);
}

static const xk_expr *try_add3(struct pass *p, const xk_expr *sum)
{
    if (!p->has_add3 || !xk_dtype_is_dword(xk_type_of(sum).dt))
        return NULL;
    const xk_expr *const out = add3_of(p, xk_kid(sum, 0), xk_kid(sum, 1));
    return out ? out : add3_of(p, xk_kid(sum, 1), xk_kid(sum, 0));
}

static const xk_expr *rewrite_peephole(void *user, const xk_expr *e);

static const xk_expr *rewrite_expr(struct pass *p, const xk_expr *e)
{
    const void *known;
    const xk_expr *out = NULL;
    if (xk_memo_get(&p->done, xk_serial(e), &known))
        return known;
    if (xk_op(e) == XK_OP_ADD || xk_op(e) == XK_OP_SUB)
        out = try_mad(p, e);
    if (!out && xk_op(e) == XK_OP_ADD)
        out = try_add3(p, e);
    out = xk_pass_map_kids(p->c, out ? out : e, rewrite_peephole, p);
    if (out && !xk_memo_set(&p->done, xk_serial(e), out))
        return NULL;
    return out;
}

static const xk_expr *rewrite_peephole(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    /* A sum of floats alone makes neither a mad nor an add3. */
    if (!xk_has(e, XK_HAS_SUM | XK_HAS_PRODUCT))
        return e;
    return xk_is_expr(e) ? rewrite_expr(p, e)
                         : xk_pass_map_kids(p->c, e, rewrite_peephole, p);
}

enum xk_status xk_pass_peephole(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env)
{
    /* Sums of integers may be a single dword, which lies anywhere. */
    struct pass p = {.c = c,
                     .has_add3 = env->platform->has_add3,
                     .has_int_mad = env->platform->ternary_anywhere};
    xk_memo_init(&p.done, c);
    const xk_stmt *const body = rewrite_peephole(&p, k->body);
    xk_memo_fini(&p.done);
    return xk_pass_end(c, k, body);
}
