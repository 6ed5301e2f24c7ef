/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments of a module's kernels are surfaces and have no address: these
 * cannot be as large as memory can. */
#ifndef XK_RUNTIME_SURFACES_H
#define XK_RUNTIME_SURFACES_H

#include "runtime/engine.h"

/* The largest one: kernels send lanes that take no part to this offset, which
 * must lie behind every surface. */
#define XK_SURFACE_MAX_B UINT64_C(0xf0000000)

/* A kernel that has some. */
struct xk_surfaces {
    struct xk_surfaces *next;
    uint64_t args; /* one bit each */
    char kernel[256];
};

/* NULL: none. What cannot be read is left to the engine to refuse. */
enum xk_status xk_surfaces_read(const struct xk_alloc *a, const void *zebin,
                                size_t size_b, struct xk_surfaces **out,
                                struct xk_error *err);
void xk_surfaces_free(const struct xk_alloc *a, struct xk_surfaces *s);
/* XK_EUNSUPPORTED names the argument whose buffer is too large. */
enum xk_status xk_surfaces_check(const struct xk_surfaces *s,
                                 const struct xk_launch_args *a,
                                 struct xk_error *err);

#endif
