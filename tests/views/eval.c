/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/eval.h"

#include <stdlib.h>

static int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t eval_var(const xk_expr *e, const struct eval_env *env)
{
    for (unsigned i = 0; i < env->n; i++) {
        if (env->vars[i] == e)
            return env->values[i];
    }
    abort();
}

static int64_t eval_ramp(const xk_expr *e, const struct eval_env *env)
{
    struct eval_env scalar = *env;
    scalar.lane = 0;
    return eval(xk_kid(e, 0), &scalar) +
           eval(xk_kid(e, 1), &scalar) * env->lane;
}

static int64_t eval_bin(enum xk_op op, int64_t a, int64_t b)
{
    switch (op) {
    case XK_OP_ADD:
        return a + b;
    case XK_OP_SUB:
        return a - b;
    case XK_OP_MUL:
        return a * b;
    case XK_OP_DIV:
        return floor_div(a, b);
    case XK_OP_MOD:
        return a - floor_div(a, b) * b;
    case XK_OP_SHL:
        return a * ((int64_t)1 << b);
    case XK_OP_SHR:
        return floor_div(a, (int64_t)1 << b);
    case XK_OP_AND:
        return a & b;
    case XK_OP_OR:
        return a | b;
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

int64_t eval(const xk_expr *e, const struct eval_env *env)
{
    switch (xk_op(e)) {
    case XK_OP_VAR:
        return eval_var(e, env);
    case XK_OP_IMM:
        return xk_imm_value(e);
    case XK_OP_RAMP:
        return eval_ramp(e, env);
    case XK_OP_BCAST:
        return eval(xk_kid(e, 0), env);
    case XK_OP_NEG:
        return -eval(xk_kid(e, 0), env);
    case XK_OP_NOT:
        return !eval(xk_kid(e, 0), env); /* masks: bool */
    case XK_OP_SELECT:
        return eval(xk_kid(e, eval(xk_kid(e, 0), env) ? 1 : 2), env);
    case XK_OP_MAD:
        return eval(xk_kid(e, 0), env) +
               eval(xk_kid(e, 1), env) * eval(xk_kid(e, 2), env);
    case XK_OP_ADD3:
        return eval(xk_kid(e, 0), env) + eval(xk_kid(e, 1), env) +
               eval(xk_kid(e, 2), env);
    default:
        return eval_bin(xk_op(e), eval(xk_kid(e, 0), env),
                        eval(xk_kid(e, 1), env));
    }
}
