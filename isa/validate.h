/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/: what a rule's predicate sees, and the predicates, which are
 * spread over validate_*.c. */
#ifndef XK_ISA_VALIDATE_H
#define XK_ISA_VALIDATE_H

#include "isa/format.h"
#include "isa/traits.h"

struct xk_rule_view {
    const struct xk_platform *p;
    const struct xk_inst *i;
    enum xk_format format;
    unsigned n_srcs;
    bool null_dst;
};

#define XK_ISA_RULE(id, formats, source, why)                                  \
    bool xk_broken_##id(const struct xk_rule_view *v);
#include "isa/rules.def"
#undef XK_ISA_RULE

/* For tests: every rule by name. */
unsigned xk_isa_n_rules(void);
const char *xk_isa_rule_name(unsigned k);

static inline bool xk_is_null(const struct xk_operand *o)
{
    return o->file == XK_FILE_NONE ||
           (o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL);
}

static inline bool xk_is_acc(const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF && o->arf == XK_ARF_ACC;
}

static inline bool xk_is_float_type(enum xk_reg_type t)
{
    return t == XK_RT_HF || t == XK_RT_BF || t == XK_RT_F || t == XK_RT_DF ||
           t == XK_RT_TF32 || t == XK_RT_VF;
}

static inline bool xk_is_byte_type(enum xk_reg_type t)
{
    return t == XK_RT_UB || t == XK_RT_B;
}

static inline bool xk_is_dword_int(enum xk_reg_type t)
{
    return t == XK_RT_UD || t == XK_RT_D;
}

/* The n_srcs sources of v, as `o`. */
#define XK_EACH_SRC(v, o)                                                      \
    for (const struct xk_operand *o = (v)->i->src;                             \
         o < (v)->i->src + (v)->n_srcs; o++)

#endif
