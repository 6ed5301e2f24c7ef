/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator every module goes through, so that tests can fail the N-th
 * allocation. realloc(NULL, n) allocates, realloc(p, 0) frees. */
#ifndef XK_BASE_ALLOC_H
#define XK_BASE_ALLOC_H

#include <stddef.h>

struct xk_alloc {
    void *(*realloc)(void *user, void *p, size_t n_b);
    void *user;
};

/* The C library's heap. */
extern const struct xk_alloc xk_alloc_default;

/* n_b bytes of zeros, at least one; NULL: out of memory. */
void *xk_alloc_zeroed(const struct xk_alloc *a, size_t n_b);

#define XK_COUNTOF(a) (sizeof(a) / sizeof((a)[0]))

#endif
