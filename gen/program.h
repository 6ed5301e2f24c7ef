/* SPDX-License-Identifier: Apache-2.0 */
/* The finished program: one block of memory with everything in it. */
#ifndef XK_GEN_PROGRAM_H
#define XK_GEN_PROGRAM_H

#include "binary/zebin.h"
#include "gen/make_kernel.h"
#include "xekern/xekern.h"

/* What create gathered; all borrowed. */
struct xk_program_parts {
    const struct xk_conv_info *info;
    const struct xk_launch_list *list;
    unsigned n_kernels;
    unsigned n_behind; /* kernels of the last launches; those in front of them
                          repeat the other kernels */
    const struct xk_made_kernel *kernel;
    const struct xk_zebin_kernel *placed; /* the same, in the file */
    const struct xk_str *zebin;
    const struct xk_alloc *alloc; /* the caller's heap */
};

/* The kernel of a launch. */
unsigned xk_program_kernel_of(const struct xk_program_parts *p,
                              unsigned launch);
/* NULL on out of memory. */
xk_program *xk_program_make(const struct xk_program_parts *p);
void xk_program_set_cost(xk_program *p, uint64_t ns, uint64_t peak_b);

#endif
