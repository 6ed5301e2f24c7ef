/* SPDX-License-Identifier: Apache-2.0 */
/* What a module's kernels ask of a launch: threads a group, registers,
 * barriers, shared local memory, inline data (isa/dispatch_limits.def), and
 * surfaces, which have no address and cannot be as large as memory can. */
#ifndef XK_RUNTIME_LAUNCH_LIMITS_H
#define XK_RUNTIME_LAUNCH_LIMITS_H

#include "isa/dispatch_limits.h"
#include "runtime/engine.h"

/* The largest surface: kernels send lanes that take no part to this offset,
 * which must lie behind every surface. */
#define XK_SURFACE_MAX_B UINT64_C(0xf0000000)

/* A kernel. */
struct xk_launch_limits {
    struct xk_launch_limits *next;
    struct xk_dispatch asked;        /* threads: 0, the launch decides */
    uint32_t simd;                   /* 1: a group is one work item a thread */
    uint64_t surface_args, slm_args; /* one bit each */
    char kernel[256];
};

/* What cannot be read is left to the engine to refuse. *launches: a block of
 * its own, NULL where the file does not say how it is launched. */
enum xk_status xk_launch_limits_read(const struct xk_alloc *a,
                                     const void *zebin, size_t size_b,
                                     struct xk_launch_limits **out,
                                     struct xk_launch_list **launches,
                                     struct xk_error *err);
void xk_launch_limits_free(const struct xk_alloc *a,
                           struct xk_launch_limits *l);
/* XK_EINVAL names what the platform's dispatch cannot have, XK_EUNSUPPORTED the
 * argument whose buffer is too large for a surface. */
enum xk_status xk_launch_limits_check(const struct xk_launch_limits *l,
                                      const struct xk_platform *p,
                                      const struct xk_launch_args *a,
                                      struct xk_error *err);

#endif
