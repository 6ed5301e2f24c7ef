/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of isa/traits.def. */
#include "isa/traits.h"

#include "base/alloc.h"
#include "isa/format.h"
#include "isa/platform_set.h"

const uint8_t xk_opcode_all_traits[XK_N_OPCODES] = {
#define P XK_TRAIT_PRED
#define C XK_TRAIT_COND
#define S XK_TRAIT_SAT
#define M XK_TRAIT_SRCMOD
#define MSG XK_TRAIT_SEND
#define JUMP XK_TRAIT_BRANCH
#define DOT XK_TRAIT_DPAS
#define TERN XK_TRAIT_TERNARY
#define XK_TRAITS(op, options) [XK_OPC_##op] = options,
#define XK_TYPES(op, platforms, dst, src)
#include "isa/traits.def"
#undef XK_TRAITS
#undef XK_TYPES
#undef P
#undef C
#undef S
#undef M
#undef MSG
#undef JUMP
#undef DOT
#undef TERN
};

enum {
    UB = 1 << XK_RT_UB,
    UW = 1 << XK_RT_UW,
    W = 1 << XK_RT_W,
    UD = 1 << XK_RT_UD,
    D = 1 << XK_RT_D,
    UQ = 1 << XK_RT_UQ,
    HF = 1 << XK_RT_HF,
    BF = 1 << XK_RT_BF,
    F = 1 << XK_RT_F,
    DF = 1 << XK_RT_DF,
    TF32 = 1 << XK_RT_TF32,
    BF8 = 1 << XK_RT_BF8,
    IB = UB | 1 << XK_RT_B,
    IW = UW | W,
    ID = UD | D,
    IQ = UQ | 1 << XK_RT_Q,
    I = IB | IW | ID,
    SUB8 = 1 << XK_RT_U4 | 1 << XK_RT_S4 | 1 << XK_RT_U2 | 1 << XK_RT_S2,
};

static const struct xk_type_row type_rows[] = {
#define XK_TRAITS(op, options)
#define XK_TYPES(op, platforms, dst, src) {XK_OPC_##op, platforms, dst, src},
#include "isa/traits.def"
#undef XK_TRAITS
#undef XK_TYPES
    {XK_N_OPCODES, 0, 0, 0},
};

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* first_of_<op>: how many type rows stand before the opcode's. Each row counts
 * one up; the second enumerator of XK_TRAITS takes its own count back. */
enum {
#define XK_TRAITS(op, options) first_of_##op, before_##op = first_of_##op - 1,
#define XK_TYPES(op, platforms, dst, src) PASTE(row_in_line_, __LINE__),
#include "isa/traits.def"
#undef XK_TRAITS
#undef XK_TYPES
};

static const uint16_t first_row[XK_N_OPCODES] = {
#define XK_TRAITS(op, options) [XK_OPC_##op] = first_of_##op,
#define XK_TYPES(op, platforms, dst, src)
#include "isa/traits.def"
#undef XK_TRAITS
#undef XK_TYPES
};

unsigned xk_opcode_traits(const struct xk_platform *p, enum xk_opcode op)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);

    return t && (unsigned)op < XK_N_OPCODES && t->op_code[op] != XK_NO_CODE
               ? xk_opcode_all_traits[op]
               : 0;
}

const struct xk_type_row *xk_type_rows(unsigned *n)
{
    *n = XK_COUNTOF(type_rows) - 1;
    return type_rows;
}

const struct xk_type_row *xk_opcode_type_rows(enum xk_opcode op)
{
    return &type_rows[(unsigned)op < XK_N_OPCODES ? first_row[op]
                                                  : XK_COUNTOF(type_rows) - 1];
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
