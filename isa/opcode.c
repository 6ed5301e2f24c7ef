/* SPDX-License-Identifier: Apache-2.0 */
/* Names and shapes of opcodes, operand types, math and sync functions. */
#include "isa/format.h"

#include "base/alloc.h"

static const struct {
    const char *text;
    uint8_t format, n_srcs;
} opcodes[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, ...)                                    \
    [XK_OPC_##id] = {text, XK_FMT_##fmt, srcs},
#include "isa/opcode.def"
#undef XK_OPCODE
};

/* clang-format off */
static const struct {
    const char *text;
    uint8_t bytes; /* 0: below a byte */
} types[XK_N_REG_TYPES] = {
    [XK_RT_UB] = {"ub", 1},            [XK_RT_B] = {"b", 1},
    [XK_RT_UW] = {"uw", 2},            [XK_RT_W] = {"w", 2},
    [XK_RT_UD] = {"ud", 4},            [XK_RT_D] = {"d", 4},
    [XK_RT_UQ] = {"uq", 8},            [XK_RT_Q] = {"q", 8},
    [XK_RT_HF] = {"hf", 2},            [XK_RT_BF] = {"bf", 2},
    [XK_RT_F] = {"f", 4},              [XK_RT_DF] = {"df", 8},
    [XK_RT_TF32] = {"tf32", 4},        [XK_RT_V] = {"v", 4},
    [XK_RT_UV] = {"uv", 4},            [XK_RT_VF] = {"vf", 4},
    [XK_RT_U4] = {"u4", 0},            [XK_RT_S4] = {"s4", 0},
    [XK_RT_U2] = {"u2", 0},            [XK_RT_S2] = {"s2", 0},
    [XK_RT_BF8] = {"bf8", 1},          [XK_RT_HF8] = {"hf8", 1},
};

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
    [XK_SYNC_ALLWR] = "allwr", [XK_SYNC_FLUSH] = "flush",
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

enum xk_format xk_opcode_format(enum xk_opcode op)
{
    return (unsigned)op < XK_N_OPCODES ? opcodes[op].format : XK_FMT_NULLARY;
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
