/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of df, lane by lane, in the host's rounding mode, which is the
 * thread's. */
#include <math.h>

#include "sim/exec/select.h"
#include "sim/core/kernel.h"

#define LANE_FN(name, expr)                                                    \
    static void name(const struct xk_sim_inst *e, union xk_sim_lanes *r,       \
                     const union xk_sim_lanes *a, const union xk_sim_lanes *b, \
                     const union xk_sim_lanes *c)                              \
    {                                                                          \
        (void)b;                                                               \
        (void)c;                                                               \
        for (unsigned l = 0; l < e->exec; l++)                                 \
            r->d[l] = (expr);                                                  \
    }
#define A a->d[l]
#define B b->d[l]
#define C c->d[l]

LANE_FN(op_mov, A)
LANE_FN(op_add, A + B)
LANE_FN(op_mul, A *B)
LANE_FN(op_mad, fma(B, C, A))
LANE_FN(op_inv, 1.0 / A)
LANE_FN(op_sqt, sqrt(A))
LANE_FN(op_rsqt, 1.0 / sqrt(A))
LANE_FN(op_log, log2(A))
LANE_FN(op_exp, exp2(A))
LANE_FN(op_sin, sin(A))
LANE_FN(op_cos, cos(A))

/* clang-format off */
static xk_sim_lane_fn *select_math(unsigned fn)
{
    switch (fn) {
    case XK_MATH_INV: return op_inv;
    case XK_MATH_LOG: return op_log;
    case XK_MATH_EXP: return op_exp;
    case XK_MATH_SQT: return op_sqt;
    case XK_MATH_RSQT: return op_rsqt;
    case XK_MATH_SIN: return op_sin;
    case XK_MATH_COS: return op_cos;
    default: return NULL;
    }
}

xk_sim_lane_fn *xk_sim_lane_double(const struct xk_inst *i)
{
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_MOV: return op_mov;
    case XK_OPC_ADD: return op_add;
    case XK_OPC_MUL: return op_mul;
    case XK_OPC_MAD: return op_mad;
    case XK_OPC_MATH: return select_math(i->math_fn);
    default: return NULL;
    }
}
/* clang-format on */
