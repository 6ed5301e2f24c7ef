/* SPDX-License-Identifier: Apache-2.0 */
/* Float operations, lane by lane. The host's rounding mode is the thread's, so
 * this folder is compiled with -frounding-math. Half results are rounded once:
 * sums and products of halves are exact enough in float, and the multiply-add
 * rounds to odd in float before the final rounding to half. */
#include <math.h>

#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

#define LANES for (unsigned l = 0; l < e->exec; l++)
#define A a->f[l]
#define B b->f[l]
#define C c->f[l]
#define LANE_FN(name, expr)                                                    \
    static void name(const struct xk_sim_inst *e, union xk_sim_lanes *r,       \
                     const union xk_sim_lanes *a, const union xk_sim_lanes *b, \
                     const union xk_sim_lanes *c)                              \
    {                                                                          \
        (void)b;                                                               \
        (void)c;                                                               \
        LANES r->f[l] = (expr);                                                \
    }

/* hi + err exactly, as a float whose last bit tells whether bits were lost. */
static float round_odd(double hi, double err)
{
    float f = (float)hi;
    if (isinf(f) || isnan(f) || ((double)f == hi && err == 0))
        return f;
    const double rest = (hi - (double)f) + err;
    /* Step towards zero if the conversion went away from the exact value. */
    if ((f > 0 && rest < 0) || (f < 0 && rest > 0))
        f = nextafterf(f, 0);
    uint32_t b;
    memcpy(&b, &f, 4);
    b |= 1;
    memcpy(&f, &b, 4);
    return f;
}

/* x + y * z for halves: the product is exact in double, the sum's error is
 * recovered (two-sum). */
float xk_sim_mad_half(float x, float y, float z)
{
    const double p = (double)y * (double)z, s = p + (double)x;
    if (isinf(s) || isnan(s))
        return (float)s;
    const double xv = s - p, pv = s - xv;
    return round_odd(s, (p - pv) + ((double)x - xv));
}

static float mad_lane(const struct xk_sim_inst *e, float x, float y, float z)
{
    return e->dst.type == XK_RT_HF ? xk_sim_mad_half(x, y, z) : fmaf(y, z, x);
}

/* Below 1 also where the difference would round up to it. */
static float fraction(float x)
{
    const float f = x - floorf(x);
    return f >= 1.0f ? 0x1.fffffep-1f : f;
}

/* rndu and rndd round to integers; rnde to the even neighbour, rndz cuts. */
LANE_FN(op_mov, A)
LANE_FN(op_add, A + B)
LANE_FN(op_mul, A *B)
LANE_FN(op_mad, mad_lane(e, A, B, C))
LANE_FN(op_frc, fraction(A))
LANE_FN(op_rndu, ceilf(A))
LANE_FN(op_rndd, floorf(A))
LANE_FN(op_rnde, roundevenf(A))
LANE_FN(op_rndz, truncf(A))

/* The extended math unit is only specified up to an error of a few units in
 * the last place; these come from libm in double, so are within one. */
#define X ((double)x)
#define Y ((double)y)
#define MATH_FN(name, expr)                                                    \
    static float name(float x, float y)                                        \
    {                                                                          \
        (void)y;                                                               \
        return (expr);                                                         \
    }

MATH_FN(math_inv, 1.0f / x)
MATH_FN(math_log, (float)log2(X))
MATH_FN(math_exp, (float)exp2(X))
MATH_FN(math_sqt, sqrtf(x))
MATH_FN(math_rsqt, (float)(1.0 / sqrt(X)))
MATH_FN(math_sin, (float)sin(X))
MATH_FN(math_cos, (float)cos(X))
MATH_FN(math_fdiv, x / y)
MATH_FN(math_pow, (float)pow(fabs(X), Y))

/* clang-format off */
xk_sim_math_fn *xk_sim_math_of(const struct xk_inst *i)
{
    switch (i->math_fn) {
    case XK_MATH_INV: return math_inv;
    case XK_MATH_LOG: return math_log;
    case XK_MATH_EXP: return math_exp;
    case XK_MATH_SQT: return math_sqt;
    case XK_MATH_RSQT: return math_rsqt;
    case XK_MATH_SIN: return math_sin;
    case XK_MATH_COS: return math_cos;
    case XK_MATH_FDIV: return math_fdiv;
    case XK_MATH_POW: return math_pow;
    default: return NULL;
    }
}
/* clang-format on */

unsigned xk_sim_math_n_srcs(const struct xk_inst *i)
{
    return i->math_fn == XK_MATH_FDIV || i->math_fn == XK_MATH_POW ? 2 : 1;
}

static void op_math(const struct xk_sim_inst *e, union xk_sim_lanes *r,
                    const union xk_sim_lanes *a, const union xk_sim_lanes *b,
                    const union xk_sim_lanes *c)
{
    xk_sim_math_fn *const fn = xk_sim_math_of(&e->in);
    (void)c;
    LANES r->f[l] = fn(A, e->n_srcs > 1 ? B : 0.0f);
}

/* clang-format off */
xk_sim_lane_fn *xk_sim_lane_float(const struct xk_inst *i)
{
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_MOV: return op_mov;
    case XK_OPC_ADD: return op_add;
    case XK_OPC_MUL: return op_mul;
    case XK_OPC_MAD: return op_mad;
    case XK_OPC_FRC: return op_frc;
    case XK_OPC_RNDU: return op_rndu;
    case XK_OPC_RNDD: return op_rndd;
    case XK_OPC_RNDE: return op_rnde;
    case XK_OPC_RNDZ: return op_rndz;
    case XK_OPC_MATH: return xk_sim_math_of(i) ? op_math : NULL;
    default: return NULL;
    }
}
/* clang-format on */
