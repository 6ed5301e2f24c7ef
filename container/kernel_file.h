/* SPDX-License-Identifier: Apache-2.0 */
/* A file with kernels: raw instructions, a zebin, or the compiler's older
 * container. The bytes say which it is. */
#ifndef XK_CONTAINER_KERNEL_FILE_H
#define XK_CONTAINER_KERNEL_FILE_H

#include "container/zebin_read.h"
#include "isa/isa.h"

enum xk_container {
    XK_CONTAINER_RAW,
    XK_CONTAINER_ZEBIN,
    XK_CONTAINER_PATCH_TOKENS
};

struct xk_kernel_file {
    enum xk_container kind;
    const struct xk_platform *platform;
    struct xk_zebin z; /* raw code: one kernel named "code" */
};

/* XK_EINVAL names the unknown platform, or NULL, and the known ones. */
enum xk_status xk_platform_named(xk_ctx *c, const char *name,
                                 const struct xk_platform **out);
/* file must outlive *out. Raw code needs the name of its platform. A container
 * that names its platform must agree with `platform`; NULL takes the
 * container's. On failure *out holds nothing. */
enum xk_status xk_kernel_file_open(xk_ctx *c, const void *file, size_t n_b,
                                   const char *platform,
                                   struct xk_kernel_file *out);
void xk_kernel_file_fini(xk_ctx *c, struct xk_kernel_file *f);
/* "raw", "zebin", "patch tokens" */
const char *xk_container_name(enum xk_container kind);

#endif
