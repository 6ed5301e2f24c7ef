/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/simplify/eval.h"

#include <stdlib.h>

unsigned eval_bits(enum xk_dtype dt)
{
    switch (dt) {
    case XK_DT_BOOL:
        return 1;
    case XK_DT_U8:
    case XK_DT_S8:
        return 8;
    case XK_DT_U16:
    case XK_DT_S16:
        return 16;
    case XK_DT_U32:
    case XK_DT_S32:
        return 32;
    default:
        return 64;
    }
}

static bool is_signed(enum xk_dtype dt)
{
    return dt == XK_DT_S8 || dt == XK_DT_S16 || dt == XK_DT_S32 ||
           dt == XK_DT_S64;
}

bool eval_nowrap(enum xk_dtype dt)
{
    return dt == XK_DT_S32 || dt == XK_DT_S64;
}

wide eval_wrap(enum xk_dtype dt, wide v)
{
    const unsigned shift = 128 - eval_bits(dt);
    const unsigned_wide top = (unsigned_wide)v << shift;
    return is_signed(dt) ? (wide)top >> shift : (wide)(top >> shift);
}

static enum xk_dtype type_in(const struct env *env, const xk_expr *e)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    return dt == XK_DT_S32 && env->number ? env->number : dt;
}

/* The arithmetic result r as a value of dt. */
static wide settle(struct env *env, enum xk_dtype dt, wide r)
{
    if (dt == XK_DT_BOOL)
        return r;
    if (!eval_nowrap(dt))
        return eval_wrap(dt, r);
    if (env->unbounded) {
        /* Keep away from the ends of 128 bits. */
        if (r > (wide)1 << 100 || r < -((wide)1 << 100))
            env->undefined = true;
        return env->undefined ? 0 : r;
    }
    if (eval_wrap(dt, r) != r)
        env->undefined = true;
    return eval_wrap(dt, r);
}

/* Rounds towards minus infinity. */
static wide floor_div(wide a, wide b)
{
    if (b == 0)
        return 0;
    if (b < 0) {
        a = -a;
        b = -b;
    }
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* The product; modulo 2^128, which is enough for types that wrap. */
static wide multiply(struct env *env, enum xk_dtype dt, wide a, wide b)
{
    wide r;
    if (!eval_nowrap(dt))
        return (wide)((unsigned_wide)a * (unsigned_wide)b);
    if (!__builtin_mul_overflow(a, b, &r))
        return r;
    env->undefined = true;
    return 0;
}

static wide shift(struct env *env, enum xk_op op, enum xk_dtype dt, wide a,
                  wide n)
{
    if (n < 0 || n >= eval_bits(dt)) {
        env->undefined = true;
        return 0;
    }
    return op == XK_OP_SHL ? multiply(env, dt, a, (wide)1 << n)
                           : floor_div(a, (wide)1 << n);
}

static wide binary(struct env *env, enum xk_op op, enum xk_dtype dt, wide a,
                   wide b)
{
    switch (op) {
    case XK_OP_ADD:
        return a + b;
    case XK_OP_SUB:
        return a - b;
    case XK_OP_MUL:
        return multiply(env, dt, a, b);
    case XK_OP_DIV:
        return floor_div(a, b);
    case XK_OP_MOD:
        return b == 0 ? 0 : a - floor_div(a, b) * b;
    case XK_OP_SHL:
    case XK_OP_SHR:
        return shift(env, op, dt, a, b);
    case XK_OP_AND:
        return a & b;
    case XK_OP_OR:
        return a | b;
    case XK_OP_XOR:
        return a ^ b;
    case XK_OP_EQ:
        return a == b;
    case XK_OP_NE:
        return a != b;
    case XK_OP_LT:
        return a < b;
    case XK_OP_LE:
        return a <= b;
    case XK_OP_GT:
        return a > b;
    case XK_OP_GE:
        return a >= b;
    case XK_OP_MIN:
        return a < b ? a : b;
    case XK_OP_MAX:
        return a > b ? a : b;
    default:
        abort();
    }
}

static wide variable(const struct env *env, const xk_expr *e, unsigned lane)
{
    for (unsigned i = 0; i < env->n; i++) {
        if (env->vars[i] == e)
            return xk_type_of(e).lanes == 1
                       ? env->values[i]
                       : eval_wrap(type_in(env, e),
                                   env->values[i] + (wide)lane * 3);
    }
    abort();
}

static wide imm(const struct env *env, const xk_expr *e)
{
    const enum xk_dtype dt = type_in(env, e);
    return dt == XK_DT_BOOL ? xk_imm_value(e) : eval_wrap(dt, xk_imm_value(e));
}

static wide unary(struct env *env, const xk_expr *e, unsigned lane)
{
    const wide a = eval(env, xk_kid(e, 0), lane);
    if (xk_op(e) == XK_OP_NEG)
        return settle(env, type_in(env, e), -a);
    if (xk_type_of(e).dt == XK_DT_BOOL)
        return !a;
    return settle(env, type_in(env, e), -1 - a);
}

static wide three(struct env *env, const xk_expr *e, unsigned lane)
{
    const wide a = eval(env, xk_kid(e, 0), lane);
    const wide b = eval(env, xk_kid(e, 1), lane);
    const wide d = eval(env, xk_kid(e, 2), lane);
    const enum xk_dtype dt = type_in(env, e);
    if (xk_op(e) == XK_OP_SELECT)
        return a ? b : d;
    if (xk_op(e) == XK_OP_ADD3)
        return settle(env, dt, a + b + d);
    return settle(env, dt, a + settle(env, dt, multiply(env, dt, b, d)));
}

static wide cast(struct env *env, const xk_expr *e, unsigned lane)
{
    const wide a = eval(env, xk_kid(e, 0), lane);
    const enum xk_dtype dt = type_in(env, e);
    const enum xk_dtype from = type_in(env, xk_kid(e, 0));
    if (dt == XK_DT_BOOL)
        return eval_wrap(from, a) != 0;
    return eval_wrap(dt, from == XK_DT_BOOL ? a : eval_wrap(from, a));
}

wide eval(struct env *env, const xk_expr *e, unsigned lane)
{
    const enum xk_op op = xk_op(e);
    wide a, b;
    switch (op) {
    case XK_OP_VAR:
        return variable(env, e, lane);
    case XK_OP_IMM:
        return imm(env, e);
    case XK_OP_NEG:
    case XK_OP_NOT:
        return unary(env, e, lane);
    case XK_OP_SELECT:
    case XK_OP_MAD:
    case XK_OP_ADD3:
        return three(env, e, lane);
    case XK_OP_CAST:
        return cast(env, e, lane);
    case XK_OP_BCAST:
        return eval(env, xk_kid(e, 0), 0);
    case XK_OP_SHUFFLE:
        return eval(env, xk_kid(e, 0), xk_shuffle_index(e, lane));
    case XK_OP_RAMP:
        a = eval(env, xk_kid(e, 0), 0);
        b = eval(env, xk_kid(e, 1), 0);
        return settle(env, type_in(env, e), a + b * (wide)lane);
    default:
        break;
    }
    a = eval(env, xk_kid(e, 0), lane);
    b = eval(env, xk_kid(e, 1), lane);
    if (env->undefined)
        return 0;
    return settle(env, type_in(env, e),
                  binary(env, op, type_in(env, xk_kid(e, 0)), a, b));
}
