/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/driver_kernel.h"

#include <string.h>

enum xk_status
xk_driver_kernel_find(xk_module *m, struct xk_driver_kernel **list,
                      const char *name, xk_driver_kernel_fn *make,
                      struct xk_driver_kernel **out, struct xk_error *err)
{
    const struct xk_alloc *const heap = &m->device->alloc;
    for (struct xk_driver_kernel *k = *list; k; k = k->next)
        if (!strcmp(k->name, name)) {
            *out = k;
            return XK_OK;
        }
    const size_t n_b = strlen(name) + 1;
    struct xk_driver_kernel *const k =
        xk_runtime_mem(heap, NULL, sizeof *k + n_b);
    if (!k)
        return xk_runtime_fail(err, XK_ENOMEM, "%s: out of memory",
                               m->device->engine->name);
    memcpy(k->name, name, n_b);
    const enum xk_status s = make(m, k, err);
    if (s < 0) {
        xk_runtime_mem(heap, k, 0);
        return s;
    }
    k->next = *list;
    *list = *out = k;
    return XK_OK;
}

struct xk_driver_kernel *xk_driver_kernel_take(struct xk_driver_kernel **list)
{
    struct xk_driver_kernel *const k = *list;
    if (k)
        *list = k->next;
    return k;
}

enum xk_status xk_driver_kernel_check(const struct xk_driver_kernel *k,
                                      const struct xk_launch_desc *a,
                                      struct xk_error *err)
{
    if (a->n_args >= k->n_args)
        return XK_OK;
    return xk_runtime_fail(err, XK_EINVAL,
                           "kernel '%.100s' wants %u arguments, %u were given",
                           k->name, k->n_args, a->n_args);
}
