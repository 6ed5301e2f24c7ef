/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a module that a driver holds: each is made at its first launch
 * and kept. Callers hold the device's lock. */
#ifndef XK_RUNTIME_DRIVER_KERNEL_H
#define XK_RUNTIME_DRIVER_KERNEL_H

#include "runtime/engine.h"

struct xk_driver_kernel {
    struct xk_driver_kernel *next;
    void *handle; /* the driver's, which is a pointer in both APIs */
    uint32_t n_args;
    char name[];
};

/* Fills k->handle and k->n_args. */
typedef enum xk_status xk_driver_kernel_fn(xk_module *m,
                                           struct xk_driver_kernel *k,
                                           struct xk_error *err);

/* The kernel of that name in *list, or a new one. */
enum xk_status
xk_driver_kernel_find(xk_module *m, struct xk_driver_kernel **list,
                      const char *name, xk_driver_kernel_fn *make,
                      struct xk_driver_kernel **out, struct xk_error *err);
/* Takes the first kernel off the list; NULL: it is empty. The caller gives its
 * handle and its memory back. */
struct xk_driver_kernel *xk_driver_kernel_take(struct xk_driver_kernel **list);

/* XK_EINVAL if the launch has fewer arguments than the kernel wants. */
enum xk_status xk_driver_kernel_check(const struct xk_driver_kernel *k,
                                      const struct xk_launch_args *a,
                                      struct xk_error *err);

#endif
