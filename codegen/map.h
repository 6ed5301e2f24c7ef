/* SPDX-License-Identifier: Apache-2.0 */
/* A small hash map from nonzero uint32_t to uint32_t. */
#ifndef XK_CODEGEN_MAP_H
#define XK_CODEGEN_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ctx.h"

struct xk_cg_map {
    struct xk_cg_map_slot {
        uint32_t key, value, stamp;
    } * slot;
    uint32_t n, cap; /* cap: 0 or a power of two */
    uint32_t stamp;  /* slots with another stamp are empty */
};

void xk_cg_map_fini(xk_ctx *c, struct xk_cg_map *m);
void xk_cg_map_clear(struct xk_cg_map *m);
bool xk_cg_map_get(const struct xk_cg_map *m, uint32_t key, uint32_t *value);
/* False on out of memory, with the error recorded. */
bool xk_cg_map_put(xk_ctx *c, struct xk_cg_map *m, uint32_t key,
                   uint32_t value);

#endif
