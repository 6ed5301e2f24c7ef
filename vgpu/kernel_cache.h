/* SPDX-License-Identifier: Apache-2.0 */
/* The decoded kernels of one client process. A kernel is known by its address
 * and its bytes, so each is decoded once. Any thread may call. */
#ifndef XK_VGPU_KERNEL_CACHE_H
#define XK_VGPU_KERNEL_CACHE_H

#include "vgpu/walker.h"

typedef struct xk_kernel_cache xk_kernel_cache;

struct xk_cached_kernel {
    const xk_sim_kernel *kernel;
    const char *name;
    uint64_t code_hash;
};

/* Writes the program's name of a kernel to name; the kernel has the n_b bytes
 * of code. False: the name is not known. */
typedef bool xk_kernel_name_fn(void *user, const uint8_t *code, size_t n_b,
                               char name[256]);

XK_GIVE xk_kernel_cache *xk_kernel_cache_create(const struct xk_platform *p);
void xk_kernel_cache_destroy(xk_kernel_cache *k);

/* Which kernel: that of a walker. Its code begins at `code`; n_b bytes are
 * mapped there. name may be NULL. */
struct xk_kernel_wanted {
    const struct xk_gpu_walker *w;
    const uint8_t *code;
    size_t n_b;
    xk_kernel_name_fn *name;
    void *user; /* of name */
};

/* The decoded kernel. Each get needs a put. */
enum xk_status xk_kernel_cache_get(xk_kernel_cache *k, xk_ctx *c,
                                   const struct xk_kernel_wanted *x,
                                   struct xk_cached_kernel *out);
void xk_kernel_cache_put(xk_kernel_cache *k, const struct xk_cached_kernel *x);

#endif
