/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind isa/format.h: field positions per family, opcode and type
 * codes per platform. No function here knows a bit number. */
#include "isa/format.h"

#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
#define NA {0}
#define B1(a, n)                      {1, (n),             {{a, n}}}
#define B2(a, n, b, m)                {2, (n) + (m),       {{a, n}, {b, m}}}
#define B4(a, n, b, m, c, k, d, j)                                             \
    {4, (n) + (m) + (k) + (j), {{a, n}, {b, m}, {c, k}, {d, j}}}
#define B5(a, n, b, m, c, k, d, j, e, i)                                       \
    {5, (n) + (m) + (k) + (j) + (i), {{a, n}, {b, m}, {c, k}, {d, j}, {e, i}}}

static const struct xk_field fields_xe[XK_N_FIELDS] = {
#define XK_FIELD(fmt, id, view, text, xe, hpc) [XK_FLD_##id] = xe,
#include "isa/format.def"
#undef XK_FIELD
};

static const struct xk_field fields_hpc[XK_N_FIELDS] = {
#define XK_FIELD(fmt, id, view, text, xe, hpc) [XK_FLD_##id] = hpc,
#include "isa/format.def"
#undef XK_FIELD
};

const struct xk_field_row xk_field_rows[XK_N_FIELDS] = {
#define XK_FIELD(fmt, id, view, text, xe, hpc)                                 \
    [XK_FLD_##id] = {text, XK_FMT_##fmt, XK_VIEW_##view},
#include "isa/format.def"
#undef XK_FIELD
};

const struct xk_arf_row xk_arf_rows[XK_ARF_MME + 1] = {
    [XK_ARF_NULL] = {"null", 0x0, 0,  1, false},
    [XK_ARF_A]    = {"a",    0x1, 0,  1, true},
    [XK_ARF_ACC]  = {"acc",  0x2, 0,  8, true},
    [XK_ARF_F]    = {"f",    0x3, 0,  2, true},
    [XK_ARF_CE]   = {"ce",   0x4, 0,  1, false},
    [XK_ARF_MSG]  = {"msg",  0x5, 0,  8, true},
    [XK_ARF_SP]   = {"sp",   0x6, 0,  1, false},
    [XK_ARF_SR]   = {"sr",   0x7, 0,  2, true},
    [XK_ARF_CR]   = {"cr",   0x8, 0,  1, true},
    [XK_ARF_N]    = {"n",    0x9, 0,  1, true},
    [XK_ARF_IP]   = {"ip",   0xA, 0,  1, false},
    [XK_ARF_TDR]  = {"tdr",  0xB, 0,  1, true},
    [XK_ARF_TM]   = {"tm",   0xC, 0,  1, true},
    [XK_ARF_FC]   = {"fc",   0xD, 0,  4, true},
    [XK_ARF_DBG]  = {"dbg",  0xF, 0,  1, true},
    [XK_ARF_MME]  = {"mme",  0x2, 8,  8, true},
};
/* clang-format on */

/* Operand type codes; vector types exist only as immediates. */
#define NO XK_NO_CODE
static const uint8_t xehpg_types[XK_N_REG_TYPES] = {
    [XK_RT_UB] = 0,    [XK_RT_B] = 4,    [XK_RT_UW] = 1,  [XK_RT_W] = 5,
    [XK_RT_UD] = 2,    [XK_RT_D] = 6,    [XK_RT_UQ] = 3,  [XK_RT_Q] = 7,
    [XK_RT_HF] = 9,    [XK_RT_BF] = 13,  [XK_RT_F] = 10,  [XK_RT_DF] = 11,
    [XK_RT_TF32] = NO, [XK_RT_V] = NO,   [XK_RT_UV] = NO, [XK_RT_VF] = NO,
    [XK_RT_U4] = NO,   [XK_RT_S4] = NO,  [XK_RT_U2] = NO, [XK_RT_S2] = NO,
    [XK_RT_BF8] = NO,  [XK_RT_HF8] = NO,
};
static const uint8_t xe_imm_types[XK_N_REG_TYPES] = {
    [XK_RT_UB] = NO,   [XK_RT_B] = NO,   [XK_RT_UW] = 1,  [XK_RT_W] = 5,
    [XK_RT_UD] = 2,    [XK_RT_D] = 6,    [XK_RT_UQ] = 3,  [XK_RT_Q] = 7,
    [XK_RT_HF] = 9,    [XK_RT_BF] = NO,  [XK_RT_F] = 10,  [XK_RT_DF] = 11,
    [XK_RT_TF32] = NO, [XK_RT_V] = 4,    [XK_RT_UV] = 0,  [XK_RT_VF] = 8,
    [XK_RT_U4] = NO,   [XK_RT_S4] = NO,  [XK_RT_U2] = NO, [XK_RT_S2] = NO,
    [XK_RT_BF8] = NO,  [XK_RT_HF8] = NO,
};
#undef NO

static const uint8_t xehpg_code[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc)                     \
    [XK_OPC_##id] = (uint8_t)(xehpg),
#include "isa/opcode.def"
#undef XK_OPCODE
};

/* Absent opcodes land in slots past 128, which nobody reads. */
static const uint8_t xehpg_opcode[128 + XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc)                     \
    [(xehpg) < 0 ? 128 + XK_OPC_##id : (xehpg)] = XK_OPC_##id + 1,
#include "isa/opcode.def"
#undef XK_OPCODE
};

static const struct xk_isa_tables xehpg_tables = {
    .field = fields_xe,
    .op_code = xehpg_code,
    .op_of_code = xehpg_opcode,
    .type_code = xehpg_types,
    .imm_code = xe_imm_types,
    .swsb = XK_SWSB_THREE_PIPES,
    .vxh_code = 15,
};

/* clang-format off */
const struct xk_src_fields xk_basic_src[2] = {
#define SRC(n)                                                                 \
    {                                                                          \
        .type = XK_FLD_B_SRC##n##_TYPE, .abs = XK_FLD_B_SRC##n##_ABS,          \
        .neg = XK_FLD_B_SRC##n##_NEG, .imm_flag = XK_FLD_B_SRC##n##_IMM,       \
        .reg = XK_FLD_B_SRC##n##_REG, .sub = XK_FLD_B_SRC##n##_SUB,            \
        .file = XK_FLD_B_SRC##n##_FILE, .hs = XK_FLD_B_SRC##n##_HS,            \
        .width = XK_FLD_B_SRC##n##_WIDTH, .vs = XK_FLD_B_SRC##n##_VS,          \
        .mode = XK_FLD_B_SRC##n##_MODE, .a0_off = XK_FLD_B_SRC##n##_OFF,       \
        .a0_sub = XK_FLD_B_SRC##n##_A0,                                        \
    }
    SRC(0), SRC(1),
#undef SRC
};

const struct xk_src_fields xk_ternary_src[3] = {
#define SRC(n)                                                                 \
        .type = XK_FLD_T_SRC##n##_TYPE, .abs = XK_FLD_T_SRC##n##_ABS,          \
        .neg = XK_FLD_T_SRC##n##_NEG, .reg = XK_FLD_T_SRC##n##_REG,            \
        .sub = XK_FLD_T_SRC##n##_SUB, .file = XK_FLD_T_SRC##n##_FILE,          \
        .hs = XK_FLD_T_SRC##n##_HS
    {SRC(0), .vs = XK_FLD_T_SRC0_VS, .imm_flag = XK_FLD_T_SRC0_IMM,
     .imm16 = XK_FLD_T_SRC0_IMM16},
    {SRC(1), .vs = XK_FLD_T_SRC1_VS},
    {SRC(2), .imm_flag = XK_FLD_T_SRC2_IMM, .imm16 = XK_FLD_T_SRC2_IMM16},
#undef SRC
};
/* clang-format on */

const struct xk_isa_tables *xk_isa_tables_get(const struct xk_platform *p,
                                              struct xk_error *err)
{
    if (p->id == XK_PLATFORM_XEHPG)
        return &xehpg_tables;
    xk_isa_fail(err, XK_EUNSUPPORTED,
                "platform %s: instruction encoding is not implemented",
                p->name);
    return NULL;
}

const struct xk_field *xk_isa_fields(enum xk_family_id f)
{
    return f == XK_FAMILY_HPC ? fields_hpc : fields_xe;
}

enum xk_status xk_isa_fail(struct xk_error *err, enum xk_status status,
                           const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return status;
    err->status = status;
    va_start(ap, fmt);
    vsnprintf(err->message, sizeof(err->message), fmt, ap);
    va_end(ap);
    return status;
}
