/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/ and its tests: options and type mappings per opcode, the
 * rows of isa/traits.def (xehpg). */
#ifndef XK_ISA_TRAITS_H
#define XK_ISA_TRAITS_H

#include "isa/isa.h"

enum xk_trait {
    XK_TRAIT_PRED = 1,
    XK_TRAIT_COND = 2,
    XK_TRAIT_SAT = 4,
    XK_TRAIT_SRCMOD = 8,
};

struct xk_type_row {
    uint16_t op;       /* enum xk_opcode */
    uint32_t dst, src; /* sets: bit t is enum xk_reg_type t */
};

unsigned xk_opcode_traits(enum xk_opcode op); /* enum xk_trait bits */
/* The type rows of all opcodes, grouped by opcode; *n of them. */
const struct xk_type_row *xk_type_rows(unsigned *n);
/* The type an operand counts as: v, uv are words, vf is f. */
enum xk_reg_type xk_operand_type(const struct xk_operand *o);

static inline bool xk_in_set(uint32_t s, enum xk_reg_type t)
{
    return s >> t & 1;
}

#endif
