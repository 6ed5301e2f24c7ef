/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/: the tables of the 64-bit form of one platform. An index of
 * the form selects a row of native bits; which bits of the row count depends on
 * the form (isa/compact.def). */
#ifndef XK_ISA_COMPACT_H
#define XK_ISA_COMPACT_H

#include "isa/format.h"

/* Bits of a native instruction: 63:0 and 127:64. */
struct xk_compact_bits {
    uint64_t lo, hi;
};

enum xk_compact_table_id {
    XK_COMPACT_CONTROL,
    XK_COMPACT_DATATYPE,
    XK_COMPACT_SUBREG,
    XK_COMPACT_SRC0,
    XK_COMPACT_SRC1,
    XK_COMPACT_CONTROL3,
    XK_COMPACT_SOURCE3,
    XK_COMPACT_SUBREG3,
    XK_COMPACT_CONTROL_DPAS,
    XK_COMPACT_SOURCE_DPAS,
    XK_N_COMPACT_TABLES
};

/* What the indices and fields of a word stand for. */
enum xk_compact_form_id {
    XK_COMPACT_NO_FORM,
    XK_COMPACT_BASIC,
    XK_COMPACT_BASIC_IMM0,
    XK_COMPACT_BASIC_IMM1,
    XK_COMPACT_TERNARY,
    XK_COMPACT_DPAS,
    XK_N_COMPACT_FORMS
};

/* Opcodes that use the same forms. */
enum xk_compact_kind_id {
    XK_COMPACT_KIND_NONE,
    XK_COMPACT_KIND_ONE,
    XK_COMPACT_KIND_TWO,
    XK_COMPACT_KIND_SYNC,
    XK_COMPACT_KIND_TERNARY,
    XK_COMPACT_KIND_DPAS,
    XK_N_COMPACT_KINDS
};

#define XK_COMPACT_MAX_LOOKUPS 5
#define XK_COMPACT_MAX_REGS 4
#define XK_COMPACT_MAX_ROWS 32
/* The lookup whose row tells an immediate. */
#define XK_COMPACT_TYPE_LOOKUP 1

struct xk_compact_form {
    struct xk_compact_lookup {
        uint8_t index; /* field id in the compact form; 0: no more lookups */
        uint8_t table;
        struct xk_compact_bits care;
    } lookup[XK_COMPACT_MAX_LOOKUPS];
    struct xk_compact_reg {
        uint8_t compact, native; /* field ids; 0: no more */
    } reg[XK_COMPACT_MAX_REGS];
};

struct xk_compact_kind {
    /* without, with an immediate; NO_FORM: never; the same: without 12 bits */
    uint8_t form, imm_form;
    uint8_t flag, type; /* field ids of the native form */
    struct xk_compact_bits unread, unread_imm;
};

struct xk_compact {
    struct xk_compact_form form[XK_N_COMPACT_FORMS];
    struct xk_compact_kind kind[XK_N_COMPACT_KINDS];
    struct xk_compact_bits row[XK_N_COMPACT_TABLES][XK_COMPACT_MAX_ROWS];
    uint8_t kind_of[XK_N_OPCODES];
};

/* How an immediate's 12 bits are widened. */
enum xk_compact_imm {
    XK_COMPACT_IMM_NONE,
    XK_COMPACT_IMM_Z,
    XK_COMPACT_IMM_S,
    XK_COMPACT_IMM_ZZ,
    XK_COMPACT_IMM_SS,
    XK_COMPACT_IMM_H,
    XK_COMPACT_IMM_HH,
};
extern const uint8_t xk_compact_imms[XK_N_REG_TYPES];

extern const struct xk_compact xk_compact_xelp;
extern const struct xk_compact xk_compact_xehpg;
extern const struct xk_compact xk_compact_xehpc;

#endif
