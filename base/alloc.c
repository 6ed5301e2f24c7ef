/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <stdlib.h>

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
