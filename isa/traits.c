/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of isa/traits.def. */
#include "isa/traits.h"

#include "base/alloc.h"

static const uint8_t traits[XK_N_OPCODES] = {
#define P XK_TRAIT_PRED
#define C XK_TRAIT_COND
#define S XK_TRAIT_SAT
#define M XK_TRAIT_SRCMOD
#define XK_TRAITS(op, options) [XK_OPC_##op] = options,
#define XK_TYPES(op, dst, src)
#include "isa/traits.def"
#undef XK_TRAITS
#undef XK_TYPES
#undef P
#undef C
#undef S
#undef M
};

enum {
    UB = 1 << XK_RT_UB,
    UW = 1 << XK_RT_UW,
    UD = 1 << XK_RT_UD,
    D = 1 << XK_RT_D,
    UQ = 1 << XK_RT_UQ,
    HF = 1 << XK_RT_HF,
    BF = 1 << XK_RT_BF,
    F = 1 << XK_RT_F,
    DF = 1 << XK_RT_DF,
    IB = UB | 1 << XK_RT_B,
    IW = UW | 1 << XK_RT_W,
    ID = UD | D,
    IQ = UQ | 1 << XK_RT_Q,
    I = IB | IW | ID,
    SUB8 = 1 << XK_RT_U4 | 1 << XK_RT_S4 | 1 << XK_RT_U2 | 1 << XK_RT_S2,
};

static const struct xk_type_row type_rows[] = {
#define XK_TRAITS(op, options)
#define XK_TYPES(op, dst, src) {XK_OPC_##op, 1 << XK_PLATFORM_XEHPG, dst, src},
#include "isa/traits.def"
#undef XK_TRAITS
#undef XK_TYPES
};

unsigned xk_opcode_traits(const struct xk_platform *p, enum xk_opcode op)
{
    (void)p;
    return (unsigned)op < XK_N_OPCODES ? traits[op] : 0;
}

const struct xk_type_row *xk_type_rows(unsigned *n)
{
    *n = XK_COUNTOF(type_rows);
    return type_rows;
}

enum xk_reg_type xk_operand_type(const struct xk_operand *o)
{
    switch (o->type) {
    case XK_RT_V:
        return XK_RT_W;
    case XK_RT_UV:
        return XK_RT_UW;
    case XK_RT_VF:
        return XK_RT_F;
    default:
        return o->type;
    }
}
