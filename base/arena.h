/* SPDX-License-Identifier: Apache-2.0 */
/* Pass-local scratch memory: everything goes at once. */
#ifndef XK_BASE_ARENA_H
#define XK_BASE_ARENA_H

#include <stdbool.h>

#include "base/ctx.h"

struct xk_arena_block;
struct xk_arena {
    xk_ctx *c;
    struct xk_arena_block *head;
};

void xk_arena_init(struct xk_arena *a, xk_ctx *c);
void xk_arena_fini(struct xk_arena *a);
/* Zeroed, 16-byte aligned; NULL with the context's error set on failure. */
void *xk_arena_alloc(struct xk_arena *a, size_t n_b);
/* Not zeroed. */
void *xk_arena_room(struct xk_arena *a, size_t n_b);

#endif
