/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that fails once it has served `left` requests, and counts what
 * is still allocated. */
#ifndef XK_TESTS_FAIL_ALLOC_H
#define XK_TESTS_FAIL_ALLOC_H

#include <stdlib.h>

#include "base/alloc.h"

struct fail_alloc {
    long left; /* requests to serve; negative: no limit */
    long live; /* blocks allocated now */
};

static inline void *fail_realloc(void *user, void *p, size_t n_b)
{
    struct fail_alloc *const f = user;
    if (!n_b) {
        f->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left == 0)
        return NULL;
    if (f->left > 0)
        f->left--;
    f->live += p == NULL;
    return realloc(p, n_b);
}

static inline struct xk_alloc fail_alloc_make(struct fail_alloc *f, long left)
{
    const struct xk_alloc a = {fail_realloc, f};
    f->left = left;
    f->live = 0;
    return a;
}

#endif
