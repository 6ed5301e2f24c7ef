/* SPDX-License-Identifier: Apache-2.0 */
/* String builder. An allocation failure is sticky: the text stays what it was
 * and `failed` is set; callers check once at the end. */
#ifndef XK_BASE_STR_H
#define XK_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "xekern/status.h"

struct xk_str {
    struct xk_alloc alloc;
    char *s; /* NUL terminated, NULL while empty */
    size_t len, cap;
    bool failed;
};

/* NULL alloc means xk_alloc_default. */
void xk_str_init(struct xk_str *b, const struct xk_alloc *alloc);
void xk_str_fini(struct xk_str *b);
void xk_str_clear(struct xk_str *b);
void xk_str_putc(struct xk_str *b, char ch);
void xk_str_puts(struct xk_str *b, const char *s);
void xk_str_write(struct xk_str *b, const void *p, size_t n);
void xk_str_printf(struct xk_str *b, const char *fmt, ...) XK_PRINTF(2, 3);
void xk_str_vprintf(struct xk_str *b, const char *fmt, va_list ap);
/* The text, "" while empty; valid until the next call. */
const char *xk_str_get(const struct xk_str *b);

#endif
