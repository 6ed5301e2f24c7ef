/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/: where the fields of the native 128-bit forms sit. The rows
 * are in isa/format.def; encoder, decoder and tests read the same tables, so a
 * platform family is a column of rows and not a branch in the code. */
#ifndef XK_ISA_FORMAT_H
#define XK_ISA_FORMAT_H

#include "isa/isa.h"
#include "isa/traits.h"

enum xk_format {
    XK_FMT_HEADER, /* fields all forms share */
    XK_FMT_NULLARY,
    XK_FMT_SYNC,
    XK_FMT_BASIC,
    XK_FMT_TERNARY,
    XK_FMT_DPAS,
    XK_FMT_SEND,
    XK_FMT_BRANCH,
    XK_FMT_COMPACT2, /* the 64-bit forms */
    XK_FMT_COMPACT3,
    XK_N_FORMATS
};

/* A view. Rows of different views may share bits inside one format, because
 * they never apply to the same instruction. */
enum xk_field_view {
    XK_VIEW_ALL,
    XK_VIEW_SRC0_IND, /* indirect instead of direct register numbers */
    XK_VIEW_SRC1_IND,
    XK_VIEW_DST_IND,
    XK_VIEW_IMM32,
    XK_VIEW_IMM64,
    XK_VIEW_SRC0_IMM,
    XK_VIEW_SRC2_IMM,
    XK_VIEW_EXDESC_IMM,
    XK_VIEW_EXDESC_REG,
    XK_VIEW_BFN,
    XK_VIEW_BRANCH_REG,
    XK_VIEW_BRANCH_IMM,
};

enum xk_field_id {
#define XK_FIELD(fmt, id, view, text, xe, hpc) XK_FLD_##id,
#define XK_FIELD3(fmt, id, view, text, lp, xe, hpc) XK_FLD_##id,
#include "isa/format.def"
#undef XK_FIELD3
#undef XK_FIELD
    XK_N_FIELDS
};

#define XK_FIELD_MAX_PARTS 5

/* parts from the value's low bits to its high bits; none crosses bit 64. What
 * is stored is the value divided by 1 << unit. */
struct xk_field {
    uint8_t n_parts, n_bits, unit;
    struct xk_field_part {
        uint8_t first, count;
    } part[XK_FIELD_MAX_PARTS];
};

struct xk_field_row {
    const char *text;
    uint8_t format, view; /* enum xk_format, enum xk_field_view */
};

enum xk_family_id { XK_FAMILY_LP, XK_FAMILY_XE, XK_FAMILY_HPC, XK_N_FAMILIES };

/* What varies in a run of scoreboard codes. */
enum xk_swsb_kind { XK_SWSB_DIST, XK_SWSB_SBID, XK_SWSB_BOTH, XK_SWSB_MARK };

/* Instructions that read the codes with distance and SBID alike. */
enum xk_swsb_class { XK_SWSB_ALU, XK_SWSB_MATH, XK_SWSB_SEND, XK_SWSB_DPAS };

struct xk_swsb_row {
    uint16_t base;     /* the code less distance and SBID */
    uint16_t first, n; /* the codes */
    uint8_t kind;      /* enum xk_swsb_kind */
    uint8_t classes;   /* bit k: enum xk_swsb_class k */
    uint8_t pipe, mode;
};

#define XK_N_SWSB_XELP 6
#define XK_N_SWSB_XEHPG 11
#define XK_N_SWSB_XEHPC 19
extern const struct xk_swsb_row xk_swsb_xelp[XK_N_SWSB_XELP];
extern const struct xk_swsb_row xk_swsb_xehpg[XK_N_SWSB_XEHPG];
extern const struct xk_swsb_row xk_swsb_xehpc[XK_N_SWSB_XEHPC];

#define XK_NO_CODE 0xff

struct xk_arf_row {
    const char *text;
    uint8_t code;  /* register class, bits 7:4 of the number */
    uint8_t first; /* index of register 0 in the class */
    bool indexed;  /* printed with a register number */
    bool sub;      /* printed with a subregister number, also zero */
};

/* Everything the codec needs about a platform, resolved once. */
struct xk_isa_tables {
    const struct xk_field *field; /* [XK_N_FIELDS] */
    const uint8_t *op_code;       /* [XK_N_OPCODES], XK_NO_CODE: absent */
    const uint8_t *op_of_code;    /* [128], enum xk_opcode + 1, 0: none */
    const uint8_t *type_code;     /* [XK_N_REG_TYPES], of registers */
    const uint8_t *imm_code;      /* [XK_N_REG_TYPES], of immediates */
    const uint8_t *type_of_code;  /* [16], enum xk_reg_type + 1, 0: none */
    const uint8_t *type_of_imm;   /* [16], the same of immediates */
    const uint8_t *n_arf;         /* [XK_ARF_MME + 1], registers of a kind */
    const uint8_t *pred_code;     /* [XK_PRED_ALL + 1], XK_NO_CODE: absent */
    const uint8_t *pred_of_code;  /* [16], enum xk_pred, XK_NO_CODE: none */
    const struct xk_compact *compact; /* isa/compact.h */
    const struct xk_swsb_row *swsb;
    uint8_t n_swsb, sbid_bits;
    uint8_t family;        /* enum xk_family_id, of the fields */
    uint8_t vxh_code;      /* vertical stride code of VxH */
    uint8_t mme_unit;      /* log2 of sub_b's step from .mmeN to .mmeN+1, as the
                              subregister fields count */
    uint8_t dpas_depths;   /* bit k: systolic depth 1 << k */
    bool sync_bar_operand; /* sync.bar names its barrier */
    bool math_indirect;    /* math takes r[a0.N] */
    uint16_t math_fns;     /* bit k: math function k exists */
    uint16_t sync_fns;     /* bit k: sync function k exists */
    uint16_t sfids;        /* bit k: shared function k exists */
};

/* NULL, with the reason in *err, where no codec exists yet. */
const struct xk_isa_tables *xk_isa_tables_get(const struct xk_platform *p,
                                              struct xk_error *err);
const struct xk_field *xk_isa_fields(enum xk_family_id f);
extern const struct xk_field_row xk_field_rows[XK_N_FIELDS];
extern const struct xk_arf_row xk_arf_rows[XK_ARF_MME + 1];

extern const uint8_t xk_opcode_formats[XK_N_OPCODES]; /* enum xk_format */

static inline enum xk_format xk_opcode_format(enum xk_opcode op)
{
    return (unsigned)op < XK_N_OPCODES ? (enum xk_format)xk_opcode_formats[op]
                                       : XK_FMT_NULLARY;
}

/* The row of isa/format.def that reads a bit of the instruction at in[0..n_b),
 * and which bit of that field's value it is. XK_N_FIELDS if none reads it, or
 * if in[] is no instruction. */
unsigned xk_inst_field_at(const struct xk_platform *p, const uint8_t *in,
                          size_t n_b, unsigned bit, unsigned *value_bit);

enum xk_swsb_class xk_swsb_class(enum xk_opcode op);
/* False where no code says what *s says. */
bool xk_swsb_encode(const struct xk_isa_tables *t, enum xk_swsb_class class,
                    const struct xk_swsb *s, unsigned *code);
/* False if the code is reserved; *s must be zero before. */
bool xk_swsb_decode(const struct xk_isa_tables *t, enum xk_swsb_class class,
                    unsigned code, struct xk_swsb *s);

/* Math functions: name and sources; which exist: xk_isa_tables. */
const char *xk_math_name(unsigned fn); /* NULL: unknown */
unsigned xk_math_n_srcs(unsigned fn);
bool xk_math_is_macro(const struct xk_inst *i); /* invm, rsqtm, madm */
const char *xk_sync_name(unsigned fn);          /* NULL: unknown */

/* What a branch opcode carries. */
enum xk_branch_shape {
    XK_BR_UIP = 1,     /* second target */
    XK_BR_DST = 2,     /* return address register */
    XK_BR_REG = 4,     /* the target may be a register */
    XK_BR_NO_IMM = 8,  /* the target is always a register */
    XK_BR_CTRL = 16,   /* {.b} */
    XK_BR_SCALAR = 32, /* no exec size in the text */
};
unsigned xk_branch_shape(enum xk_opcode op);

/* An option that *i has although its opcode has no such option: "predicate";
 * NULL if there is none (isa/traits.def). */
const char *xk_inst_foreign_option(const struct xk_platform *p,
                                   const struct xk_inst *i);

/* sources that are present: math and sync depend on their function. */
unsigned xk_inst_n_srcs(const struct xk_inst *i);

/* The field ids of one source operand. */
struct xk_src_fields {
    uint8_t type, abs, neg, imm_flag;
    uint8_t reg, sub, file, hs, width, vs, vs_hi, mode, a0_off, a0_sub, imm16;
};
extern const struct xk_src_fields xk_basic_src[2];
extern const struct xk_src_fields xk_ternary_src[3];

/* The native form of a compact instruction; a word that has none is refused. If
 * xk_inst_compact() would write it as another word, *as is set to that one. */
enum xk_status xk_isa_expand(const struct xk_isa_tables *t, uint64_t compact,
                             uint64_t native[2], uint64_t *as,
                             struct xk_error *err);

/* Fills *err (may be NULL) and returns status. */
enum xk_status xk_isa_fail(struct xk_error *err, enum xk_status status,
                           const char *fmt, ...) XK_PRINTF(3, 4);

/* log2 of a power of two up to 128, -1 otherwise. */
static inline int xk_isa_log2(unsigned v)
{
    return v && !(v & (v - 1)) && v <= 128 ? __builtin_ctz(v) : -1;
}

#endif
