/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas as a list of launches: which tensors are the same, which are the
 * caller's, which are scratch memory (xekern/formulas.h says the rules). Query
 * and create read the same list. */
#ifndef XK_GEN_FORMULA_LIST_H
#define XK_GEN_FORMULA_LIST_H

#include "base/arena.h"
#include "gen/contraction_launches.h"
#include "isa/product.h"
#include "xekern/formulas.h"

/* A, B, C and what the epilogue reads. */
#define XK_FORMULA_OPERANDS (3 + XK_MAX_INPUTS)

/* A tensor of all formulas. */
struct xk_formula_role {
    const struct xk_access *access; /* where it first stands */
    unsigned first;                 /* in this formula, from 0 */
    int maker;                      /* the formula that makes it; -1: none */
    bool scratch;                   /* it is made, and then read */
    uint8_t number;                 /* of the argument or the scratch buffer */
};

struct xk_formula_list {
    xk_ctx *c;
    struct xk_wa_device device;
    struct xk_arena arena; /* of everything that follows */
    unsigned n, n_launches, n_tensors, n_args, n_scratch;
    struct xk_contraction *said;          /* n, their layouts closed */
    struct xk_contraction_launches *made; /* n */
    bool *cleared; /* n: in front of the formula's launches one clears its
                      tensor, which is scratch memory that it does not write
                      whole */
    struct xk_launch *launch;        /* n_launches, of all formulas */
    struct xk_formula_role *tensor;  /* n_tensors */
    struct xk_program_arg_info *arg; /* n_args */
    int64_t scratch_b[XK_MAX_SCRATCH];
};

/* addresses: kernels take 64-bit addresses. XK_EPARSE, XK_EINVAL and
 * XK_EUNSUPPORTED as xk_formulas_query; where there are several formulas the
 * sentence begins with the formula's number, from 1. *out is finished in any
 * case. */
enum xk_status xk_formula_list_make(xk_ctx *c, const struct xk_formulas *f,
                                    bool addresses,
                                    struct xk_formula_list *out);
void xk_formula_list_fini(struct xk_formula_list *l);
/* The list for xk_launches_make; it borrows l. */
struct xk_launches xk_formula_list_launches(const struct xk_formula_list *l);

#endif
