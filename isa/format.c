/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind isa/format.h: field positions per family, opcode and type
 * codes and what else differs per platform. No function here knows a bit
 * number. */
#include "isa/format.h"

#include "isa/compact.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

/* clang-format off */
#define NA {0}
#define B1(a, n)                      {1, (n), 0,          {{a, n}}}
#define U2(a, n)                      {1, (n), 1,          {{a, n}}}
#define U8(a, n)                      {1, (n), 3,          {{a, n}}}
#define B2(a, n, b, m)                {2, (n) + (m), 0,    {{a, n}, {b, m}}}
#define B4(a, n, b, m, c, k, d, j)                                             \
    {4, (n) + (m) + (k) + (j), 0, {{a, n}, {b, m}, {c, k}, {d, j}}}
#define B5(a, n, b, m, c, k, d, j, e, i)                                       \
    {5, (n) + (m) + (k) + (j) + (i), 0,                                        \
     {{a, n}, {b, m}, {c, k}, {d, j}, {e, i}}}

static const struct xk_field fields[XK_N_FAMILIES][XK_N_FIELDS] = {
    [XK_FAMILY_LP] =
        {
#define XK_FIELD(fmt, id, view, text, xe, hpc) [XK_FLD_##id] = xe,
#define XK_FIELD3(fmt, id, view, text, lp, xe, hpc) [XK_FLD_##id] = lp,
#include "isa/format.def"
#undef XK_FIELD3
#undef XK_FIELD
        },
    [XK_FAMILY_XE] =
        {
#define XK_FIELD(fmt, id, view, text, xe, hpc) [XK_FLD_##id] = xe,
#define XK_FIELD3(fmt, id, view, text, lp, xe, hpc) [XK_FLD_##id] = xe,
#include "isa/format.def"
#undef XK_FIELD3
#undef XK_FIELD
        },
    [XK_FAMILY_HPC] =
        {
#define XK_FIELD(fmt, id, view, text, xe, hpc) [XK_FLD_##id] = hpc,
#define XK_FIELD3(fmt, id, view, text, lp, xe, hpc) [XK_FLD_##id] = hpc,
#include "isa/format.def"
#undef XK_FIELD3
#undef XK_FIELD
        },
};

const struct xk_field_row xk_field_rows[XK_N_FIELDS] = {
#define XK_FIELD(fmt, id, view, text, xe, hpc)                                 \
    [XK_FLD_##id] = {text, XK_FMT_##fmt, XK_VIEW_##view},
#define XK_FIELD3(fmt, id, view, text, lp, xe, hpc)                            \
    [XK_FLD_##id] = {text, XK_FMT_##fmt, XK_VIEW_##view},
#include "isa/format.def"
#undef XK_FIELD3
#undef XK_FIELD
};

/* Kinds that share a class are told apart by the number in it. */
const struct xk_arf_row xk_arf_rows[XK_ARF_MME + 1] = {
    [XK_ARF_NULL] = {"null", 0x0, 0, false, false},
    [XK_ARF_A]    = {"a",    0x1, 0, true,  true},
    [XK_ARF_ACC]  = {"acc",  0x2, 0, true,  true},
    [XK_ARF_F]    = {"f",    0x3, 0, true,  true},
    [XK_ARF_CE]   = {"ce",   0x4, 0, false, false},
    [XK_ARF_MSG]  = {"msg",  0x5, 0, true,  true},
    [XK_ARF_SP]   = {"sp",   0x6, 0, false, true},
    [XK_ARF_SR]   = {"sr",   0x7, 0, true,  true},
    [XK_ARF_CR]   = {"cr",   0x8, 0, true,  true},
    [XK_ARF_N]    = {"n",    0x9, 0, true,  true},
    [XK_ARF_IP]   = {"ip",   0xA, 0, false, false},
    [XK_ARF_TDR]  = {"tdr",  0xB, 0, true,  true},
    [XK_ARF_TM]   = {"tm",   0xC, 0, true,  true},
    [XK_ARF_FC]   = {"fc",   0xD, 0, true,  true},
    [XK_ARF_DBG]  = {"dbg",  0xF, 0, true,  true},
    [XK_ARF_MME]  = {"mme",  0x2, 8, true,  true},
};

/* Registers of a kind:  xelp xehpg xehpc */
#define ARFS(column) {                                                         \
    [XK_ARF_NULL] = column(1,   1,    1),                                      \
    [XK_ARF_A]    = column(1,   1,    1),                                      \
    [XK_ARF_ACC]  = column(8,   8,    16),                                     \
    [XK_ARF_F]    = column(2,   2,    4),                                      \
    [XK_ARF_CE]   = column(1,   1,    1),                                      \
    [XK_ARF_MSG]  = column(8,   8,    8),                                      \
    [XK_ARF_SP]   = column(1,   0,    0),                                      \
    [XK_ARF_SR]   = column(2,   2,    2),                                      \
    [XK_ARF_CR]   = column(1,   1,    1),                                      \
    [XK_ARF_N]    = column(1,   1,    1),                                      \
    [XK_ARF_IP]   = column(1,   1,    1),                                      \
    [XK_ARF_TDR]  = column(1,   1,    1),                                      \
    [XK_ARF_TM]   = column(1,   1,    1),                                      \
    [XK_ARF_FC]   = column(4,   4,    4),                                      \
    [XK_ARF_DBG]  = column(1,   1,    1),                                      \
    [XK_ARF_MME]  = column(8,   8,    0),                                      \
}
#define XELP(lp, hpg, hpc) lp
#define XEHPG(lp, hpg, hpc) hpg
#define XEHPC(lp, hpg, hpc) hpc
static const uint8_t xelp_arfs[XK_ARF_MME + 1] = ARFS(XELP);
static const uint8_t xehpg_arfs[XK_ARF_MME + 1] = ARFS(XEHPG);
static const uint8_t xehpc_arfs[XK_ARF_MME + 1] = ARFS(XEHPC);
/* clang-format on */

/* Type codes of registers and immediates, and back; what a table lacks lands in
 * slots past its 16, which nobody reads. */
#define CODE(id, code) [XK_RT_##id] = (uint8_t)(code),
#define BACK(id, code) [(code) < 0 ? 16 + XK_RT_##id : (code)] = XK_RT_##id + 1,
static const uint8_t xelp_types[XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) CODE(id, xelp)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t xehpg_types[XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) CODE(id, xehpg)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t xehpc_types[XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) CODE(id, xehpc)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t imm_types[XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) CODE(id, imm)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t xelp_type_of[16 + XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) BACK(id, xelp)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t xehpg_type_of[16 + XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) BACK(id, xehpg)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t xehpc_type_of[16 + XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) BACK(id, xehpc)
#include "isa/type.def"
#undef XK_TYPE
};
static const uint8_t imm_type_of[16 + XK_N_REG_TYPES] = {
#define XK_TYPE(id, text, bytes, xelp, xehpg, xehpc, imm) BACK(id, imm)
#include "isa/type.def"
#undef XK_TYPE
};

/* Opcodes, the same way; 128 codes. */
#define OP_CODE(id, code) [XK_OPC_##id] = (uint8_t)(code),
#define OP_BACK(id, code)                                                      \
    [(code) < 0 ? 128 + XK_OPC_##id : (code)] = XK_OPC_##id + 1,
static const uint8_t xelp_code[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc) OP_CODE(id, xelp)
#include "isa/opcode.def"
#undef XK_OPCODE
};
static const uint8_t xehpg_code[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc) OP_CODE(id, xehpg)
#include "isa/opcode.def"
#undef XK_OPCODE
};
static const uint8_t xehpc_code[XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc) OP_CODE(id, xehpc)
#include "isa/opcode.def"
#undef XK_OPCODE
};
static const uint8_t xelp_opcode[128 + XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc) OP_BACK(id, xelp)
#include "isa/opcode.def"
#undef XK_OPCODE
};
static const uint8_t xehpg_opcode[128 + XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc) OP_BACK(id, xehpg)
#include "isa/opcode.def"
#undef XK_OPCODE
};
static const uint8_t xehpc_opcode[128 + XK_N_OPCODES] = {
#define XK_OPCODE(id, text, fmt, srcs, xelp, xehpg, xehpc) OP_BACK(id, xehpc)
#include "isa/opcode.def"
#undef XK_OPCODE
};

/* Predicates: with the width in their names, or from xehpc on without. */
#define NO XK_NO_CODE
static const uint8_t wide_preds[XK_PRED_ALL + 1] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, NO, NO,
};
static const uint8_t plain_preds[XK_PRED_ALL + 1] = {
    0, 1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, 3,
};
static const uint8_t plain_pred_of[16] = {
    XK_PRED_NONE,
    XK_PRED_NORMAL,
    XK_PRED_ANY,
    XK_PRED_ALL,
};
#undef NO

#define FN(name) (1u << XK_MATH_##name)
#define MATH_FLOAT                                                             \
    (FN(INV) | FN(LOG) | FN(EXP) | FN(SQT) | FN(RSQT) | FN(SIN) | FN(COS) |    \
     FN(INVM) | FN(RSQTM))
#define MATH_INT (FN(IDIV) | FN(IQOT) | FN(IREM))
#define SYNC(name) (1u << XK_SYNC_##name)
#define SYNC_ALL                                                               \
    (SYNC(NOP) | SYNC(ALLRD) | SYNC(ALLWR) | SYNC(BAR) | SYNC(HOST))
#define SFID(name) (1u << XK_SFID_##name)
#define SFID_LSC (SFID(UGML) | SFID(TGM) | SFID(SLM) | SFID(UGM))

static const struct xk_isa_tables tables[] = {
    [XK_PLATFORM_XELP] =
        {
            .field = fields[XK_FAMILY_LP],
            .op_code = xelp_code,
            .op_of_code = xelp_opcode,
            .type_code = xelp_types,
            .imm_code = imm_types,
            .type_of_code = xelp_type_of,
            .type_of_imm = imm_type_of,
            .n_arf = xelp_arfs,
            .pred_code = wide_preds,
            .pred_of_code = wide_preds, /* they are their own codes */
            .compact = &xk_compact_xelp,
            .swsb = xk_swsb_xelp,
            .n_swsb = XK_N_SWSB_XELP,
            .sbid_bits = 4,
            .family = XK_FAMILY_LP,
            .vxh_code = 15,
            .math_fns = MATH_FLOAT | MATH_INT,
            .sync_fns = SYNC_ALL,
            /* 13: cre */
            .sfids = 0xffff & ~(SFID_LSC & ~SFID(TGM)),
        },
    [XK_PLATFORM_XEHPG] =
        {
            .field = fields[XK_FAMILY_XE],
            .op_code = xehpg_code,
            .op_of_code = xehpg_opcode,
            .type_code = xehpg_types,
            .imm_code = imm_types,
            .type_of_code = xehpg_type_of,
            .type_of_imm = imm_type_of,
            .n_arf = xehpg_arfs,
            .pred_code = wide_preds,
            .pred_of_code = wide_preds,
            .compact = &xk_compact_xehpg,
            .swsb = xk_swsb_xehpg,
            .n_swsb = XK_N_SWSB_XEHPG,
            .sbid_bits = 4,
            .family = XK_FAMILY_XE,
            .vxh_code = 15,
            .dpas_depths = 0xf,
            .math_indirect = true,
            .math_fns = MATH_FLOAT,
            .sync_fns = SYNC_ALL,
            .sfids = 0xffff,
        },
    [XK_PLATFORM_XEHPC] =
        {
            .field = fields[XK_FAMILY_HPC],
            .op_code = xehpc_code,
            .op_of_code = xehpc_opcode,
            .type_code = xehpc_types,
            .imm_code = imm_types,
            .type_of_code = xehpc_type_of,
            .type_of_imm = imm_type_of,
            .n_arf = xehpc_arfs,
            .pred_code = plain_preds,
            .pred_of_code = plain_pred_of,
            .compact = &xk_compact_xehpc,
            .swsb = xk_swsb_xehpc,
            .n_swsb = XK_N_SWSB_XEHPC,
            .sbid_bits = 5,
            .family = XK_FAMILY_HPC,
            .vxh_code = 7,
            .mme_unit = 1,
            .dpas_depths = 0xe,
            .sync_bar_operand = true,
            .math_fns = MATH_FLOAT,
            .sync_fns = SYNC_ALL | SYNC(FENCE),
            .sfids = 0xffff,
        },
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
    if (p && (unsigned)p->id < XK_COUNTOF(tables) && tables[p->id].field)
        return &tables[p->id];
    xk_isa_fail(err, XK_EUNSUPPORTED,
                "platform %s: instruction encoding is not implemented",
                p ? p->name : "none");
    return NULL;
}

const struct xk_field *xk_isa_fields(enum xk_family_id f)
{
    return fields[f];
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
