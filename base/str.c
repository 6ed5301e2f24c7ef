/* SPDX-License-Identifier: Apache-2.0 */
/* String builder; the buffer grows by doubling. */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

void xk_str_init(struct xk_str *b, const struct xk_alloc *alloc)
{
    memset(b, 0, sizeof(*b));
    b->alloc = alloc ? *alloc : xk_alloc_default;
}

void xk_str_fini(struct xk_str *b)
{
    if (b->s)
        b->alloc.realloc(b->alloc.user, b->s, 0);
    b->s = NULL;
    b->len = b->cap = 0;
}

void xk_str_clear(struct xk_str *b)
{
    b->len = 0;
    b->failed = false;
    if (b->s)
        b->s[0] = 0;
}

/* Room for n more bytes and the NUL. */
static bool reserve_bytes(struct xk_str *b, size_t n)
{
    if (b->failed)
        return false;
    const size_t need = b->len + n + 1;
    if (need <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap : 256;
    while (cap < need)
        cap *= 2;
    char *const s = b->alloc.realloc(b->alloc.user, b->s, cap);
    if (!s) {
        b->failed = true;
        return false;
    }
    b->s = s;
    b->cap = cap;
    return true;
}

void xk_str_write(struct xk_str *b, const void *p, size_t n)
{
    if (n == 0 || !reserve_bytes(b, n))
        return;
    memcpy(b->s + b->len, p, n);
    b->len += n;
    b->s[b->len] = 0;
}

void xk_str_putc(struct xk_str *b, char ch)
{
    xk_str_write(b, &ch, 1);
}

void xk_str_puts(struct xk_str *b, const char *s)
{
    xk_str_write(b, s, strlen(s));
}

void xk_str_vprintf(struct xk_str *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0 && reserve_bytes(b, (size_t)n)) {
        vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void xk_str_printf(struct xk_str *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    xk_str_vprintf(b, fmt, ap);
    va_end(ap);
}

const char *xk_str_get(const struct xk_str *b)
{
    return b->s ? b->s : "";
}
