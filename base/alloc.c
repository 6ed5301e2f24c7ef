/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *heap_realloc(void *user, void *p, size_t n_b)
{
    (void)user;
    if (n_b == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, n_b);
}

const struct xk_alloc xk_alloc_default = {heap_realloc, NULL};

void *xk_alloc_zeroed(const struct xk_alloc *a, size_t n_b)
{
    void *const p = a->realloc(a->user, NULL, n_b ? n_b : 1);
    if (p)
        memset(p, 0, n_b);
    return p;
}
