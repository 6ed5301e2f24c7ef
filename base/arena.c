/* SPDX-License-Identifier: Apache-2.0 */
/* Arena of chained blocks; a block is freed only with the arena. */
#include "base/arena.h"

#include <string.h>

struct xk_arena_block {
    struct xk_arena_block *next;
    size_t used_b, size_b;
    _Alignas(16) unsigned char data[];
};

void xk_arena_init(struct xk_arena *a, xk_ctx *c)
{
    a->c = c;
    a->head = NULL;
}

void xk_arena_fini(struct xk_arena *a)
{
    while (a->head) {
        struct xk_arena_block *const next = a->head->next;
        xk_free(a->c, a->head);
        a->head = next;
    }
}

static bool add_block(struct xk_arena *a, size_t n_b)
{
    const size_t size_b = n_b > 16384 ? n_b : 16384;
    struct xk_arena_block *const b = xk_malloc(a->c, sizeof(*b) + size_b);
    if (!b)
        return false;
    b->next = a->head;
    b->used_b = 0;
    b->size_b = size_b;
    a->head = b;
    return true;
}

void *xk_arena_room(struct xk_arena *a, size_t n_b)
{
    n_b = (n_b + 15) & ~(size_t)15;
    if (!a->head || a->head->size_b - a->head->used_b < n_b)
        if (!add_block(a, n_b))
            return NULL;
    void *const p = a->head->data + a->head->used_b;
    a->head->used_b += n_b;
    return p;
}

void *xk_arena_alloc(struct xk_arena *a, size_t n_b)
{
    void *const p = xk_arena_room(a, n_b);
    return p ? memset(p, 0, n_b) : NULL;
}
