/* SPDX-License-Identifier: Apache-2.0 */
/* Names and shapes of opcodes, operand types, math and sync functions. */
#include "isa/format.h"

#include "base/alloc.h"
#include "isa/traits.h"

static const struct {
    const char *text;
    uint8_t n_srcs;
} opcodes[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, ...) [XK_OPC_##id] = {text, srcs},
#include "isa/opcode.def"
#undef XK_OPCODE
};

const uint8_t xk_opcode_formats[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, ...) [XK_OPC_##id] = XK_FMT_##fmt,
#include "isa/opcode.def"
#undef XK_OPCODE
};

static const struct {
    const char *text;
    uint8_t bytes; /* 0: below a byte */
} types[XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, ...) [XK_RT_##id] = {text, bytes},
#include "isa/type.def"
#undef XK_TYPE
};

/* clang-format off */
static const struct {
    const char *text;
    uint8_t n_srcs;
} math_fns[16] = {
    [XK_MATH_INV] = {"inv", 1},     [XK_MATH_LOG] = {"log", 1},
    [XK_MATH_EXP] = {"exp", 1},     [XK_MATH_SQT] = {"sqt", 1},
    [XK_MATH_RSQT] = {"rsqt", 1},   [XK_MATH_SIN] = {"sin", 1},
    [XK_MATH_COS] = {"cos", 1},     [XK_MATH_FDIV] = {"fdiv", 2},
    [XK_MATH_POW] = {"pow", 2},     [XK_MATH_IDIV] = {"idiv", 2},
    [XK_MATH_IQOT] = {"iqot", 2},   [XK_MATH_IREM] = {"irem", 2},
    [XK_MATH_INVM] = {"invm", 2},   [XK_MATH_RSQTM] = {"rsqtm", 1},
};

/* clang-format on */

static const char *const sync_fns[16] = {
    [XK_SYNC_NOP] = "nop",     [XK_SYNC_ALLRD] = "allrd",
    [XK_SYNC_ALLWR] = "allwr", [XK_SYNC_FENCE] = "fence",
    [XK_SYNC_BAR] = "bar",     [XK_SYNC_HOST] = "host",
};

const char *xk_opcode_name(enum xk_opcode op)
{
    return (unsigned)op < XK_N_OPCODES ? opcodes[op].text : "?";
}

unsigned xk_opcode_n_srcs(enum xk_opcode op)
{
    return (unsigned)op < XK_N_OPCODES ? opcodes[op].n_srcs : 0;
}

unsigned xk_reg_type_b(enum xk_reg_type t)
{
    return (unsigned)t < XK_N_REG_TYPES ? types[t].bytes : 0;
}

const char *xk_reg_type_name(enum xk_reg_type t)
{
    return (unsigned)t < XK_N_REG_TYPES ? types[t].text : "?";
}

const char *xk_math_name(unsigned fn)
{
    return fn < XK_COUNTOF(math_fns) ? math_fns[fn].text : NULL;
}

unsigned xk_math_n_srcs(unsigned fn)
{
    return fn < XK_COUNTOF(math_fns) ? math_fns[fn].n_srcs : 0;
}

bool xk_math_is_macro(const struct xk_inst *i)
{
    if (i->op == XK_OPC_MADM)
        return true;
    return i->op == XK_OPC_MATH &&
           (i->math_fn == XK_MATH_INVM || i->math_fn == XK_MATH_RSQTM);
}

const char *xk_sync_name(unsigned fn)
{
    return fn < XK_COUNTOF(sync_fns) ? sync_fns[fn] : NULL;
}

unsigned xk_inst_n_srcs(const struct xk_inst *i)
{
    if (i->op == XK_OPC_MATH)
        return xk_math_n_srcs(i->math_fn);
    return xk_opcode_n_srcs(i->op);
}

unsigned xk_branch_shape(enum xk_opcode op)
{
    switch (op) {
    case XK_OPC_IF:
    case XK_OPC_ELSE:
    case XK_OPC_GOTO:
        return XK_BR_UIP | XK_BR_CTRL;
    case XK_OPC_BREAK:
    case XK_OPC_CONT:
    case XK_OPC_HALT:
        return XK_BR_UIP;
    case XK_OPC_BRC:
        return XK_BR_UIP | XK_BR_REG;
    case XK_OPC_BRD:
        return XK_BR_REG;
    case XK_OPC_JMPI:
        return XK_BR_REG | XK_BR_SCALAR;
    case XK_OPC_CALL:
    case XK_OPC_CALLA:
        return XK_BR_DST | XK_BR_REG;
    case XK_OPC_RET:
        return XK_BR_REG | XK_BR_NO_IMM;
    default: /* endif, while, join */
        return 0;
    }
}

const char *xk_inst_foreign_option(const struct xk_platform *p,
                                   const struct xk_inst *i)
{
    unsigned t, mods = 0;

    for (unsigned k = 0; k < XK_COUNTOF(i->src); k++)
        mods |= (unsigned)i->src[k].neg | (unsigned)i->src[k].abs;
    if (!(i->pred || i->cond || i->sat || mods))
        return NULL;
    t = xk_opcode_traits(p, i->op);
    if (i->pred && !(t & XK_TRAIT_PRED))
        return "predicate";
    if (i->cond && !(t & XK_TRAIT_COND) && i->op != XK_OPC_MATH)
        return "condition";
    if (i->sat && !(t & XK_TRAIT_SAT))
        return "saturate";
    return mods && !(t & XK_TRAIT_SRCMOD) ? "source modifier" : NULL;
}
