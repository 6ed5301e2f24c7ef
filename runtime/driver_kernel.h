/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a module in a driver. Each is created at its first launch and
 * kept. Callers hold the device's lock. */
#ifndef XK_RUNTIME_DRIVER_KERNEL_H
#define XK_RUNTIME_DRIVER_KERNEL_H

#include "runtime/engine.h"

struct xk_driver_kernel {
    struct xk_driver_kernel *next;
    void *handle; /* the driver's; both APIs have pointers here */
    uint32_t n_args;
    char name[];
};

/* Fills k->handle and k->n_args. */
typedef enum xk_status xk_driver_kernel_fn(xk_module *m,
                                           struct xk_driver_kernel *k,
                                           struct xk_error *err);

/* The kernel of that name in *list; it is created if it is not there. */
enum xk_status
xk_driver_kernel_find(xk_module *m, struct xk_driver_kernel **list,
                      const char *name, xk_driver_kernel_fn *make,
                      struct xk_driver_kernel **out, struct xk_error *err);
/* Removes the first kernel from the list; NULL: the list is empty. The caller
 * frees its handle and its memory. */
struct xk_driver_kernel *xk_driver_kernel_take(struct xk_driver_kernel **list);

/* XK_EINVAL if the launch has fewer arguments than the kernel wants. */
enum xk_status xk_driver_kernel_check(const struct xk_driver_kernel *k,
                                      const struct xk_launch_desc *a,
                                      struct xk_error *err);

#endif
