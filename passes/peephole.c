/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction-shaped expressions: a + b * c -> mad(a, b, c), and
 * a + b + c -> add3(a, b, c) where the platform has it.
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

static bool is_dword(struct xk_type t)
{
    return t.dt == XK_DT_S32 || t.dt == XK_DT_U32;
}

static bool fits_word(const xk_expr *e, int64_t *v)
{
    return xk_is_const(e, v) && *v >= INT16_MIN && *v <= INT16_MAX;
}

/* The factors of e = *x * *y for a mad, the constant in *y. */
static bool factors(const struct pass *p, const xk_expr *e, const xk_expr **x,
                    const xk_expr **y)
{
    int64_t v;
    if (xk_op(e) != XK_OP_MUL)
        return false;
    const bool swap = xk_is_const(xk_kid(e, 0), NULL);
    *x = xk_kid(e, swap);
    *y = xk_kid(e, !swap);
    if (xk_type_of(e).dt == XK_DT_F32)
        return true;
    return p->has_int_mad && is_dword(xk_type_of(e)) && fits_word(*y, &v);
}

static const xk_expr *try_mad(struct pass *p, const xk_expr *sum)
{
    const xk_expr *x, *y;
    int64_t v;
    for (unsigned i = 2; i-- > 0;) {
        const xk_expr *const other = xk_kid(sum, !i);
        if (is_dword(xk_type_of(sum)) && xk_is_const(other, NULL) &&
            !fits_word(other, &v))
            continue;
        if (factors(p, xk_kid(sum, i), &x, &y))
            return xk_ternary(p->c, XK_OP_MAD, other, x, y);
    }
    return NULL;
}

static const xk_expr *try_add3(struct pass *p, const xk_expr *sum)
{
    int64_t v;
    if (!p->has_add3 || !is_dword(xk_type_of(sum)))
        return NULL;
    const unsigned i = xk_op(xk_kid(sum, 0)) == XK_OP_ADD ? 0 : 1;
    const xk_expr *const inner = xk_kid(sum, i), *const other = xk_kid(sum, !i);
    if (xk_op(inner) != XK_OP_ADD)
        return NULL;
    const xk_expr *const all[] = {xk_kid(inner, 0), xk_kid(inner, 1), other};
    unsigned n_constants = 0;
    for (unsigned k = 0; k < 3; k++) {
        if (!xk_is_const(all[k], NULL))
            continue;
        if (!fits_word(all[k], &v))
            return NULL;
        n_constants++;
    }
    if (n_constants > 1)
        return NULL;
    return xk_ternary(p->c, XK_OP_ADD3, all[0], all[1], all[2]);
}

static const xk_expr *rewrite(void *user, const xk_expr *e)
{
    struct pass *const p = user;
    const void *known;
    const xk_expr *out = NULL;
    if (!xk_n_kids(e) || xk_op(e) == XK_OP_PTR)
        return e;
    if (xk_is_expr(e) && xk_memo_get(&p->done, xk_serial(e), &known))
        return known;
    if (xk_op(e) == XK_OP_ADD) {
        out = try_mad(p, e);
        if (!out)
            out = try_add3(p, e);
    }
    out = xk_pass_map_kids(p->c, out ? out : e, rewrite, p);
    if (xk_is_expr(e) && out && !xk_memo_set(&p->done, xk_serial(e), out))
        return NULL;
    return out;
}

enum xk_status xk_pass_peephole(xk_ctx *c, struct xk_kernel *k,
                                const struct xk_pass_env *env)
{
    const bool xelp = env->platform->id == XK_PLATFORM_XELP;
    struct pass p = {.c = c, .has_add3 = !xelp, .has_int_mad = !xelp};
    xk_memo_init(&p.done, c);
    const xk_stmt *const body = rewrite(&p, k->body);
    xk_memo_fini(&p.done);
    if (!body)
        return xk_ctx_status(c) < 0 ? xk_ctx_status(c) : XK_ENOMEM;
    k->body = body;
    return XK_OK;
}
