/* SPDX-License-Identifier: Apache-2.0 */
/* The context: allocator, sticky first error, log callback, node pool. One
 * context belongs to one thread. Everything that generates takes it first. */
#ifndef XK_BASE_CTX_H
#define XK_BASE_CTX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "xekern/status.h"

struct xk_pool;
struct xk_searches;

/* base/budget.h */
struct xk_budget {
    uint32_t instructions; /* of all kernels */
    uint32_t begin, most;  /* of what is limited; 0: it is not */
    uint32_t most_instructions;
    bool over;       /* it was too much */
    bool short_work; /* and not the instructions */
};

typedef struct xk_ctx {
    struct xk_alloc alloc;
    struct xk_error error;        /* the first one sticks */
    struct xk_pool *pool;         /* interned IR nodes, base/pool.h */
    struct xk_searches *searches; /* gen/searches.h; freed with the context */
    void (*log)(void *user, const char *line);
    void *log_user;
    uint32_t next_var_id;
    struct xk_budget budget;
    bool verify;      /* judge what is generated in release builds, too */
    uint8_t code_off; /* parts of codegen/ left out, codegen/codegen.h */
} xk_ctx;

/* NULL alloc means xk_alloc_default; NULL on out of memory. */
XK_GIVE xk_ctx *xk_ctx_create(const struct xk_alloc *alloc);
/* Frees the context and all of its nodes; returns how many nodes were still
 * held by explicit references (0 in a correct program). NULL is a no-op. */
unsigned xk_ctx_destroy(xk_ctx *c);

/* Records status and sentence if no error is recorded yet; returns status. */
enum xk_status xk_fail(xk_ctx *c, enum xk_status status, const char *fmt, ...)
    XK_PRINTF(3, 4);
/* Status recorded so far, XK_OK if none. */
enum xk_status xk_ctx_status(const xk_ctx *c);
/* Forgets the error, for a driver that tries the next candidate. */
void xk_ctx_clear(xk_ctx *c);

/* Allocation with the error recorded; NULL on failure. n_b 0 gives NULL. */
void *xk_malloc(xk_ctx *c, size_t n_b);
void *xk_calloc(xk_ctx *c, size_t n, size_t size_b);
void *xk_realloc(xk_ctx *c, void *p, size_t n_b);
void xk_free(xk_ctx *c, void *p);
/* xk_grow when *cap elements are used. */
bool xk_grow_full(xk_ctx *c, void *array, uint32_t *cap, size_t size_b);
/* Room for one more in a growing array: *array is a T *, n of its *cap elements
 * of size_b bytes are used. False, and everything as it was, on failure. */
static inline bool xk_grow(xk_ctx *c, void *array, uint32_t n, uint32_t *cap,
                           size_t size_b)
{
    return n < *cap || xk_grow_full(c, array, cap, size_b);
}

/* One line to the log callback, if there is one. */
void xk_log(xk_ctx *c, const char *fmt, ...) XK_PRINTF(2, 3);

#define XK_TRY(call)                                                           \
    do {                                                                       \
        enum xk_status xk_try_ = (call);                                       \
        if (xk_try_ < 0)                                                       \
            return xk_try_;                                                    \
    } while (0)

/* For our own bugs only; off in release builds. */
#include <assert.h>
#define XK_ASSERT(x) assert(x)

#endif
