/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of several classes of one contraction as one kernel: the place of
 * a group along the grid's z says whose it is, so no branch differs within a
 * group. */
#ifndef XK_GEN_CLASS_KERNEL_H
#define XK_GEN_CLASS_KERNEL_H

#include "ir/stmt.h"

struct xk_class_kernel {
    struct xk_kernel ir;
    uint32_t groups[3]; /* of the class alone */
};

/* The class, one of n with as many groups along z, takes its place in the
 * grid of all: what it calls its place along z counts from its own first one.
 * Before any pass. */
enum xk_status xk_class_kernel_place(xk_ctx *c, struct xk_class_kernel *k,
                                     unsigned n);
/* Joins n kernels, two at least, that were placed into of[0], the first classes
 * first along z. groups: those of all; a class has nothing to do beyond its
 * own. XK_EINTERNAL: the kernels have other arguments, or other numbers of
 * groups along z. */
enum xk_status xk_class_kernels_join(xk_ctx *c, struct xk_class_kernel *of,
                                     unsigned n, uint32_t groups[3]);

#endif
