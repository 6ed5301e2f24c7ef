/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that a client process has launched, decoded once: known by their
 * address and by the bytes that lie there. Any thread may call. */
#ifndef XK_VGPU_KERNEL_CACHE_H
#define XK_VGPU_KERNEL_CACHE_H

#include "vgpu/walker.h"

typedef struct xk_kernel_cache xk_kernel_cache;

struct xk_cached_kernel {
    const xk_sim_kernel *kernel;
    const char *name;
    uint64_t code_hash;
};

/* What the program calls the kernel whose n_b bytes of code these are, written
 * to name; false: nobody knows. */
typedef bool xk_kernel_name_fn(void *user, const uint8_t *code, size_t n_b,
                               char name[256]);

XK_GIVE xk_kernel_cache *xk_kernel_cache_create(const struct xk_platform *p);
void xk_kernel_cache_destroy(xk_kernel_cache *k);

/* The kernel of a walker, whose code begins at code, where n_b bytes are
 * mapped. Each get is followed by a put. */
enum xk_status xk_kernel_cache_get(xk_kernel_cache *k, xk_ctx *c,
                                   const struct xk_gpu_walker *w,
                                   const uint8_t *code, size_t n_b,
                                   xk_kernel_name_fn *name, void *user,
                                   struct xk_cached_kernel *out);
void xk_kernel_cache_put(xk_kernel_cache *k, const struct xk_cached_kernel *x);

#endif
