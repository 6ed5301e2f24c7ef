/* SPDX-License-Identifier: Apache-2.0 */
/* The device's virtual address space as a kernel sees it: sorted, disjoint
 * regions. Everything outside them does not exist. */
#ifndef XK_SIM_MEMORY_H
#define XK_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "sim/sim.h"

struct xk_sim_space {
    const struct xk_sim_region *region;
    unsigned n;
};

/* Sorts by address; XK_EINVAL if two regions overlap or one wraps. */
enum xk_status xk_sim_space_init(struct xk_sim_space *s,
                                 struct xk_sim_region *region, unsigned n,
                                 struct xk_error *err);
/* The region that contains all of [va, va + n_b), or NULL. */
const struct xk_sim_region *xk_sim_space_find(const struct xk_sim_space *s,
                                              uint64_t va, uint64_t n_b);
/* "4 bytes at 0x... are 8 bytes past the end of [0x..., 0x...)" */
void xk_sim_space_explain(const struct xk_sim_space *s, uint64_t va,
                          uint64_t n_b, char *out, size_t out_b);

/* As xk_sim_space_find, but looks at *last first; NULL if outside. */
static inline uint8_t *xk_sim_space_at(const struct xk_sim_space *s,
                                       const struct xk_sim_region **last,
                                       uint64_t va, uint64_t n_b)
{
    const struct xk_sim_region *r = *last;
    if (!r || va - r->va >= r->size_b || r->size_b - (va - r->va) < n_b) {
        r = xk_sim_space_find(s, va, n_b);
        if (!r)
            return NULL;
        *last = r;
    }
    return r->host + (va - r->va);
}

#endif
