/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of several classes of one contraction as one kernel: the place of
 * a group along the grid's z says whose it is, so no branch differs within a
 * group. Classes whose elements of C alone differ may have one code. */
#ifndef XK_GEN_CLASS_KERNEL_H
#define XK_GEN_CLASS_KERNEL_H

#include "ir/stmt.h"

struct xk_class_kernel {
    struct xk_kernel ir;
    uint32_t groups[3]; /* of one class alone */
    /* Several classes: the kernel counts groups[2] places along z for each
     * number below some limit, and is that of these numbers, which ascend; n 0:
     * one class, without a number. */
    unsigned n;
    const uint8_t *number;
};

/* The kernel takes its place, behind `first` classes of `all`, which have as
 * many groups along z: what it calls its place along z counts from its class's
 * first one. Before any pass. */
enum xk_status xk_class_kernel_place(xk_ctx *c, struct xk_class_kernel *k,
                                     unsigned first, unsigned all);
/* Joins n kernels that were placed into of[0], the first classes first along z.
 * groups: those of all; a class has nothing to do beyond its own. XK_EINTERNAL:
 * the kernels have other arguments, or other numbers of groups along z. */
enum xk_status xk_class_kernels_join(xk_ctx *c, struct xk_class_kernel *of,
                                     unsigned n, uint32_t groups[3]);

#endif
