/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of contractions that are given as text, such as
 * "A: f16[64,32]; B: f16[32,16]; C[m,n] += A[m,k] * B[k,n]"
 * (docs/contraction.md). Each formula is a launch. */
#ifndef XK_XEKERN_FORMULAS_H
#define XK_XEKERN_FORMULAS_H

#include "xekern/xekern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Formulas in the order of their launches, at most XK_MAX_LAUNCHES. Tensors of
 * the same name are the same tensor and have the same type, dims and layout. At
 * most one formula makes a tensor. A tensor that is made and then read is
 * scratch memory of the program. The other tensors are the program's arguments.
 * They are numbered from 0 in the order in which they appear in the formulas;
 * in a formula the factors count first. The kernel that makes T is called xk_T.
 * If T has classes, up to four share a launch. Several launches are called
 * after their first class, xk_T_0, xk_T_4 ... If T is scratch memory and not
 * written whole, a launch of xk_T_clear zeroes it first. */
struct xk_formulas {
    uint32_t size;     /* sizeof(struct xk_formulas) */
    uint32_t platform; /* enum xk_platform_id */
    uint32_t n;
    const char *const *text;
    const char *device; /* as xk_attr.device; NULL is "" */
};

struct xk_formulas_info {
    uint32_t size; /* sizeof(struct xk_formulas_info), set by the caller */
    uint32_t n_launches;
    uint64_t scratch_b;       /* bytes of scratch memory; 0: none is needed */
    uint32_t scratch_align_b; /* where it begins; 0: none */
    uint32_t n_args;
    struct xk_program_arg_info args[XK_MAX_LAUNCH_ARGS]; /* by number */
};

/* Says what xk_formulas_create would make, without making it. XK_EPARSE (where
 * in the text), XK_EINVAL (what contradicts what) or XK_EUNSUPPORTED (why). */
XK_API enum xk_status xk_formulas_query(const struct xk_formulas *f,
                                        struct xk_formulas_info *info,
                                        struct xk_error *err);
/* Generates the kernels. options may be NULL. */
XK_API XK_GIVE enum xk_status
xk_formulas_create(const struct xk_formulas *f,
                   const struct xk_create_options *o, xk_program **out,
                   struct xk_error *err);
/* Writes a formula with everything that follows from it: extents, dims, and all
 * layouts, also those that the library chose. It writes at most out_size bytes
 * with the 0 at the end; *n becomes the full length. */
XK_API enum xk_status xk_formula_complete(const char *text, char *out,
                                          size_t out_size, size_t *n,
                                          struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
