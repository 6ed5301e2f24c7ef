/* SPDX-License-Identifier: Apache-2.0 */
/* Options, class and type mappings per opcode, the
 * rows of isa/traits.def, which hold for the platforms they name. */
#ifndef XK_ISA_TRAITS_H
#define XK_ISA_TRAITS_H

#include "isa/isa.h"

enum xk_opcode_trait {
    XK_TRAIT_PRED = 1,
    XK_TRAIT_COND = 2,
    XK_TRAIT_SAT = 4,
    XK_TRAIT_SRCMOD = 8,
    /* The class; one of these or none. */
    XK_TRAIT_SEND = 16,
    XK_TRAIT_BRANCH = 32,
    XK_TRAIT_DPAS = 64,
    XK_TRAIT_TERNARY = 128,
};

struct xk_type_row {
    uint16_t op;        /* enum xk_opcode */
    uint16_t platforms; /* bit k: enum xk_platform_id k */
    uint32_t dst, src;  /* sets: bit t is enum xk_reg_type t */
};

/* enum xk_opcode_trait bits of each opcode, whether or not a platform has it.
 */
extern const uint8_t xk_opcode_all_traits[XK_N_OPCODES];
/* enum xk_opcode_trait bits; 0 where the platform has no such opcode. */
unsigned xk_opcode_traits(const struct xk_platform *p, enum xk_opcode op);
/* The type rows of all opcodes, grouped by opcode; *n of them. A row holds on
 * platform p if bit p->id of row->platforms is set. */
const struct xk_type_row *xk_type_rows(unsigned *n);
/* The rows of op: from here on as long as row->op is op. */
const struct xk_type_row *xk_opcode_type_rows(enum xk_opcode op);
/* The type an operand counts as: v, uv are words, vf is f. */
enum xk_reg_type xk_operand_type(const struct xk_operand *o);

static inline bool xk_opcode_has(unsigned op, enum xk_opcode_trait t)
{
    return op < XK_N_OPCODES && xk_opcode_all_traits[op] & t;
}

static inline bool xk_opcode_is_send(enum xk_opcode op)
{
    return xk_opcode_has(op, XK_TRAIT_SEND);
}

static inline bool xk_opcode_is_branch(enum xk_opcode op)
{
    return xk_opcode_has(op, XK_TRAIT_BRANCH);
}

static inline bool xk_opcode_is_dpas(enum xk_opcode op)
{
    return xk_opcode_has(op, XK_TRAIT_DPAS);
}

static inline bool xk_opcode_is_ternary(enum xk_opcode op)
{
    return xk_opcode_has(op, XK_TRAIT_TERNARY);
}

static inline bool xk_inst_is_send(const struct xk_inst *i)
{
    return xk_opcode_has(i->op, XK_TRAIT_SEND);
}

static inline bool xk_inst_is_branch(const struct xk_inst *i)
{
    return xk_opcode_has(i->op, XK_TRAIT_BRANCH);
}

static inline bool xk_inst_is_dpas(const struct xk_inst *i)
{
    return xk_opcode_has(i->op, XK_TRAIT_DPAS);
}

static inline bool xk_in_set(uint32_t s, enum xk_reg_type t)
{
    return (unsigned)t < XK_N_REG_TYPES && s >> t & 1;
}

#endif
