/* SPDX-License-Identifier: Apache-2.0 */
/* What a module's kernels demand of a launch: threads a group, registers,
 * barriers, shared local memory and inline data (isa/dispatch_limits.def). It
 * also lists surfaces: they have no address, and their size is limited. */
#ifndef XK_RUNTIME_LAUNCH_LIMITS_H
#define XK_RUNTIME_LAUNCH_LIMITS_H

#include "isa/dispatch_limits.h"
#include "runtime/engine.h"

/* The largest surface. Kernels use this offset in lanes that take no part, so
 * it must lie behind every surface. */
#define XK_SURFACE_MAX_B UINT64_C(0xf0000000)

/* A kernel. */
struct xk_launch_limits {
    struct xk_launch_limits *next;
    struct xk_dispatch asked;        /* threads 0: the launch decides */
    uint32_t simd;                   /* 1: a group is one work item a thread */
    uint64_t surface_args, slm_args; /* one bit each */
    char kernel[256];
};

/* A kernel that cannot be read is left to the engine, which refuses it.
 * *launches is a block of its own; NULL: the file does not say how it is
 * launched. */
enum xk_status xk_launch_limits_read(const struct xk_alloc *a,
                                     const void *zebin, size_t size_b,
                                     struct xk_launch_limits **out,
                                     struct xk_launch_list **launches,
                                     struct xk_error *err);
void xk_launch_limits_free(const struct xk_alloc *a,
                           struct xk_launch_limits *l);
/* XK_EINVAL names what exceeds the platform's dispatch limits. XK_EUNSUPPORTED
 * names the argument whose buffer is too large for a surface. */
enum xk_status xk_launch_limits_check(const struct xk_launch_limits *l,
                                      const struct xk_platform *p,
                                      const struct xk_launch_desc *a,
                                      struct xk_error *err);

#endif
