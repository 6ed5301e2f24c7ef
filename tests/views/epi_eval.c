/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/epi_eval.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* By the node's type. */
union cell {
    float f;
    int32_t i;
};

static float off_by(double exact, int units)
{
    float v = (float)exact;
    if (v == 0 || !isfinite(v))
        return v;
    for (; units; units -= units > 0 ? 1 : -1)
        v = nextafterf(v, units > 0 ? INFINITY : -INFINITY);
    return v;
}

/* Near 1 the error of a logarithm is an absolute one. */
static float log2_off_by(double exact, int units)
{
    const int e = fabs(exact) < 1 ? 0 : ilogb(exact);
    return (float)(exact + ldexp(units, e - 23));
}

static float of_one(enum xk_op op, const struct epi_error *err, float a)
{
    const double x = (double)a;
    switch (op) {
    case XK_OP_NEG:
        return -a;
    case XK_OP_RINT:
        return rintf(a);
    case XK_OP_EXP2:
        return off_by(exp2(x), err->exp2);
    case XK_OP_LOG2:
        return isfinite(log2(x)) ? log2_off_by(log2(x), err->log2)
                                 : (float)log2(x);
    case XK_OP_INV:
        return off_by(1 / x, err->inv);
    case XK_OP_SQRT:
        return off_by(sqrt(x), err->sqrt);
    default:
        ck_abort_msg("operator %s has no value here", xk_op_text(op));
        return 0;
    }
}

static float of_two(enum xk_op op, float a, float b)
{
    switch (op) {
    case XK_OP_ADD:
        return a + b;
    case XK_OP_SUB:
        return a - b;
    case XK_OP_MUL:
        return a * b;
    case XK_OP_MIN:
        return fminf(a, b);
    case XK_OP_MAX:
        return fmaxf(a, b);
    case XK_OP_LT:
        return a < b;
    case XK_OP_LE:
        return a <= b;
    case XK_OP_GT:
        return a > b;
    case XK_OP_GE:
        return a >= b;
    case XK_OP_EQ:
        return a == b;
    case XK_OP_NE:
        return a != b;
    default:
        ck_abort_msg("operator %s has no value here", xk_op_text(op));
        return 0;
    }
}

static int32_t of_ints(enum xk_op op, int32_t a, int32_t b)
{
    if (op == XK_OP_AND)
        return a & b;
    if (op != XK_OP_XOR)
        ck_abort_msg("operator %s has no integers here", xk_op_text(op));
    return a ^ b;
}

/* The hardware saturates, and makes 0 of a NaN. */
static int32_t to_int(float v)
{
    if (isnan(v))
        return 0;
    return v >= 0x1p31f ? INT32_MAX : v <= -0x1p31f ? INT32_MIN : (int32_t)v;
}

static union cell operate(const struct xk_epi_node *n,
                          const struct epi_error *err, const union cell *v)
{
    const union cell a = v[n->kid[0]], b = v[n->kid[1]], c = v[n->kid[2]];
    const enum xk_op op = xk_op(n->e);
    const bool ints = xk_type_of(n->e).dt == XK_DT_S32;
    switch (op) {
    case XK_OP_IMM:
        return (union cell){.i = (int32_t)xk_imm_value(n->e)};
    case XK_OP_FIMM:
        return (union cell){.f = (float)xk_fimm_value(n->e)};
    case XK_OP_BITS:
        return a;
    case XK_OP_CAST:
        ck_assert_msg(ints, "a cast to integers is all there is here");
        return (union cell){.i = to_int(a.f)};
    case XK_OP_SELECT:
        return a.f != 0 ? b : c;
    case XK_OP_MAD:
        return (union cell){.f = fmaf(b.f, c.f, a.f)};
    default:
        if (ints)
            return (union cell){.i = of_ints(op, a.i, b.i)};
        return (union cell){.f = xk_n_kids(n->e) == 1 ? of_one(op, err, a.f)
                                                      : of_two(op, a.f, b.f)};
    }
}

float epi_eval(const struct xk_epi_code *code, const struct epi_error *err,
               float x, float operand)
{
    union cell v[XK_EPI_MAX_NODES];
    for (unsigned i = 0; i < code->n; i++)
        if (code->node[i].e == code->x)
            v[i].f = x;
        else if (code->node[i].e == code->operand)
            v[i].f = operand;
        else
            v[i] = operate(&code->node[i], err, v);
    return v[code->n - 1].f;
}
