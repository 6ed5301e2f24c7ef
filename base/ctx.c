/* SPDX-License-Identifier: Apache-2.0 */
/* The context's life, its sticky error and its allocator. */
#include "base/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"

xk_ctx *xk_ctx_create(const struct xk_alloc *alloc)
{
    if (!alloc)
        alloc = &xk_alloc_default;
    xk_ctx *const c = alloc->realloc(alloc->user, NULL, sizeof(*c));
    if (!c)
        return NULL;
    memset(c, 0, sizeof(*c));
    c->alloc = *alloc;
    c->next_var_id = 1;
    c->pool = xk_pool_create(c);
    if (!c->pool) {
        alloc->realloc(alloc->user, c, 0);
        return NULL;
    }
    return c;
}

unsigned xk_ctx_destroy(xk_ctx *c)
{
    if (!c)
        return 0;
    const struct xk_alloc alloc = c->alloc;
    const unsigned held = xk_pool_destroy(c, c->pool);
    xk_free(c, c->searches);
    alloc.realloc(alloc.user, c, 0);
    return held;
}

enum xk_status xk_fail(xk_ctx *c, enum xk_status status, const char *fmt, ...)
{
    if (c->error.status != XK_OK)
        return status;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->error.message, sizeof(c->error.message), fmt, ap);
    va_end(ap);
    c->error.status = status;
    return status;
}

enum xk_status xk_ctx_status(const xk_ctx *c)
{
    return c->error.status;
}

void xk_ctx_clear(xk_ctx *c)
{
    c->error.status = XK_OK;
    c->error.message[0] = 0;
}

void *xk_realloc(xk_ctx *c, void *p, size_t n_b)
{
    void *const q = c->alloc.realloc(c->alloc.user, p, n_b);
    if (!q && n_b)
        xk_fail(c, XK_ENOMEM, "out of memory allocating %zu bytes", n_b);
    return q;
}

void *xk_malloc(xk_ctx *c, size_t n_b)
{
    return n_b ? xk_realloc(c, NULL, n_b) : NULL;
}

void *xk_calloc(xk_ctx *c, size_t n, size_t size_b)
{
    size_t total_b;
    if (__builtin_mul_overflow(n, size_b, &total_b)) {
        xk_fail(c, XK_ENOMEM, "out of memory: %zu x %zu bytes", n, size_b);
        return NULL;
    }
    void *const p = xk_malloc(c, total_b);
    if (p)
        memset(p, 0, total_b);
    return p;
}

void xk_free(xk_ctx *c, void *p)
{
    if (p)
        c->alloc.realloc(c->alloc.user, p, 0);
}

bool xk_grow_full(xk_ctx *c, void *array, uint32_t *cap, size_t size_b)
{
    void *old;
    memcpy(&old, array, sizeof(old));
    const uint32_t more = *cap ? 2 * *cap : 64;
    void *const p = xk_realloc(c, old, more * size_b);
    if (!p)
        return false;
    memcpy(array, &p, sizeof(p));
    *cap = more;
    return true;
}

void xk_log(xk_ctx *c, const char *fmt, ...)
{
    if (!c->log)
        return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    c->log(c->log_user, line);
}
