/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/ and its tests: what a rule's predicate sees, and the
 * predicates, which are spread over validate_*.c. */
#ifndef XK_ISA_VALIDATE_H
#define XK_ISA_VALIDATE_H

#include "isa/format.h"
#include "isa/traits.h"

/* What an instruction has. A rule names what it needs, so that predicates run
 * only where they could find something. */
enum xk_rule_need {
    XK_HAS_PRED = 1 << 0,
    XK_HAS_COND = 1 << 1,
    XK_HAS_SAT = 1 << 2,
    XK_HAS_MODS = 1 << 3,  /* a source with a modifier */
    XK_HAS_IMM = 1 << 4,   /* an immediate source */
    XK_HAS_IND = 1 << 5,   /* an indirect operand */
    XK_HAS_ACC = 1 << 6,   /* an explicit accumulator operand */
    XK_HAS_ARF = 1 << 7,   /* another one, but null and macro registers */
    XK_HAS_FLOAT = 1 << 8, /* a float operand that is no immediate */
    XK_HAS_HF = 1 << 9,
    XK_HAS_BF = 1 << 10,
    XK_HAS_BYTE = 1 << 11,
    XK_HAS_QW = 1 << 12, /* a 64-bit operand */
    XK_HAS_GRF_DST = 1 << 13,
    XK_HAS_LANES = 1 << 14, /* more than one channel */
    XK_HAS_SWSB = 1 << 15,
    XK_HAS_MACRO = 1 << 16,
    XK_HAS_EOT = 1 << 17,
    XK_IS_MUL = 1 << 18,
    XK_IS_MAD = 1 << 19,
    XK_IS_MAC = 1 << 20, /* mac, mach, macl */
    XK_IS_LOGIC = 1 << 21,
    XK_IS_CMP = 1 << 22, /* cmp, cmpn */
    XK_IS_SEL = 1 << 23, /* sel, csel */
    XK_IS_MATH = 1 << 24,
    XK_IS_MOV = 1 << 25,
    XK_IS_MOVI = 1 << 26,
    XK_IS_CARRY = 1 << 27, /* addc, subb */
    XK_IS_SHIFT = 1 << 28, /* shifts and rotations */
    XK_IS_DP4A = 1 << 29,
};

struct xk_rule_view {
    const struct xk_platform *p;
    const struct xk_inst *i;
    const struct xk_isa_tables *t; /* NULL: no such platform */
    enum xk_format format;
    unsigned n_srcs, traits;
    uint32_t has; /* enum xk_rule_need */
    bool null_dst;
    struct xk_footprint fp[4]; /* dst, src0, src1, src2 */
};

/* How a rule was checked from outside: the assembler refuses what breaks it or
 * warns, or only a document or the compiler says so. */
enum xk_rule_proof { XK_PROOF_MANUAL, XK_PROOF_IGA };

struct xk_isa_rule {
    struct xk_isa_violation text;
    bool (*broken)(const struct xk_rule_view *v); /* NULL: of programs */
    uint32_t needs;
    uint8_t formats;   /* bit k: enum xk_format k */
    uint8_t platforms; /* bit k: enum xk_platform_id k */
    uint8_t proof;     /* enum xk_rule_proof */
};

#define XK_ISA_RULE(id, formats, on, needs, proof, source, why)                \
    bool xk_broken_##id(const struct xk_rule_view *v);
#define XK_PROGRAM_RULE(id, on, source, why)
#include "isa/rules.def"
#undef XK_ISA_RULE
#undef XK_PROGRAM_RULE

/* Rules of programs, in the order of rules.def. */
enum xk_program_rule {
#define XK_ISA_RULE(id, formats, on, needs, proof, source, why)
#define XK_PROGRAM_RULE(id, on, source, why) XK_PROG_##id,
#include "isa/rules.def"
#undef XK_ISA_RULE
#undef XK_PROGRAM_RULE
    XK_N_PROGRAM_RULES
};

/* For tests: all rules, those of programs last. */
const struct xk_isa_rule *xk_isa_rules(unsigned *n);
const struct xk_isa_rule *xk_isa_program_rule(enum xk_program_rule r);

static inline bool xk_is_null(const struct xk_operand *o)
{
    return o->file == XK_FILE_NONE ||
           (o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL);
}

static inline bool xk_is_acc(const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF && o->arf == XK_ARF_ACC;
}

static inline bool xk_type_among(enum xk_reg_type t, uint32_t set)
{
    return (unsigned)t < XK_N_REG_TYPES && set >> t & 1;
}

static inline bool xk_is_dword_int(enum xk_reg_type t)
{
    return t == XK_RT_UD || t == XK_RT_D;
}

static inline bool xk_is_signed_int(enum xk_reg_type t)
{
    return xk_type_among(t, 1u << XK_RT_B | 1u << XK_RT_W | 1u << XK_RT_D |
                                1u << XK_RT_Q | 1u << XK_RT_S4 |
                                1u << XK_RT_S2);
}

/* A register source with a region of its own; macros have implicit ones. */
static inline bool xk_has_region(const struct xk_rule_view *v,
                                 const struct xk_operand *o)
{
    return (o->file == XK_FILE_GRF || o->file == XK_FILE_ARF) &&
           o->rgn.vs != XK_VS_VXH && !(v->has & XK_HAS_MACRO);
}

/* All channels read the same element. */
static inline bool xk_is_scalar(const struct xk_rule_view *v,
                                const struct xk_operand *o)
{
    return o->rgn.vs == 0 && o->rgn.hs == 0 &&
           (v->format == XK_FMT_TERNARY || o->rgn.width == 1);
}

/* For a register source of one or two sources: the one stride in elements that
 * reaches all channels, or -1. */
int xk_linear_stride(const struct xk_rule_view *v, const struct xk_operand *o);
/* Bytes of the execution type: the widest source, bytes counting as words. */
unsigned xk_exec_type_b(const struct xk_rule_view *v);
/* bf beside f (mov between them included): regions have rules of their own. */
bool xk_is_bf_mixed(const struct xk_rule_view *v);
/* hf beside f in arithmetic. */
bool xk_is_hf_mixed(const struct xk_rule_view *v);
bool xk_footprints_meet(struct xk_footprint a, struct xk_footprint b);

/* The n_srcs sources of v, as `o`. */
#define XK_EACH_SRC(v, o)                                                      \
    for (const struct xk_operand *o = (v)->i->src;                             \
         o < (v)->i->src + (v)->n_srcs; o++)

#endif
