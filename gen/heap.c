/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/heap.h"

#include <stdint.h>
#include <string.h>

/* Keeps 16-byte alignment of what follows. */
#define FRONT_B 16

static void *counted_realloc(void *user, void *p, size_t n_b)
{
    struct xk_counted_heap *const h = user;
    unsigned char *const old = p ? (unsigned char *)p - FRONT_B : NULL;
    size_t old_b = 0;
    if (old)
        memcpy(&old_b, old, sizeof(old_b));
    if (n_b > SIZE_MAX - FRONT_B)
        return NULL;
    unsigned char *const q =
        h->below.realloc(h->below.user, old, n_b ? n_b + FRONT_B : 0);
    if (n_b == 0) {
        h->live_b -= old_b;
        return NULL;
    }
    if (!q)
        return NULL;
    memcpy(q, &n_b, sizeof(n_b));
    h->live_b += n_b - old_b;
    if (h->live_b > h->peak_b)
        h->peak_b = h->live_b;
    return q + FRONT_B;
}

void xk_counted_heap_init(struct xk_counted_heap *h, const struct xk_heap *u)
{
    memset(h, 0, sizeof(*h));
    h->below = xk_alloc_default;
    if (u && u->realloc) {
        h->below.realloc = u->realloc;
        h->below.user = u->user;
    }
}

struct xk_alloc xk_counted_alloc(struct xk_counted_heap *h)
{
    const struct xk_alloc a = {counted_realloc, h};
    return a;
}
