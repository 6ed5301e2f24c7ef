/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a process's memory can be read, as /proc has them. */
#ifndef XK_VGPU_CLIENT_MAPS_H
#define XK_VGPU_CLIENT_MAPS_H

#include <stddef.h>
#include <stdint.h>

/* [first, end), rising, none touching the next one. */
struct xk_client_range {
    uint64_t first, end;
};

/* range NULL: not known. */
struct xk_client_maps {
    struct xk_client_range *range;
    size_t n, cap;
};

/* Leaves m unknown if /proc does not say it or there is no memory. */
void xk_client_maps_init(struct xk_client_maps *m, int pid);
void xk_client_maps_fini(struct xk_client_maps *m);

/* The first address from va on that can be read, UINT64_MAX behind the last
 * one; va itself if the ranges are not known. */
uint64_t xk_client_maps_next(const struct xk_client_maps *m, uint64_t va);

#endif
