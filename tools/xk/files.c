/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/xk/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"

static void *read_all(FILE *f, size_t *n_b)
{
    size_t size = 1 << 16, n = 0;
    char *bytes = malloc(size);
    while (bytes) {
        n += fread(bytes + n, 1, size - n, f);
        if (n < size)
            break;
        char *const larger = realloc(bytes, size *= 2);
        if (!larger)
            free(bytes);
        bytes = larger;
    }
    *n_b = n;
    return bytes;
}

void *xk_tool_read(const char *path, size_t *n_b, struct xk_error *err)
{
    FILE *const f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!f) {
        xk_tool_fail(err, XK_EIO, "%.200s: %s", path, strerror(errno));
        return NULL;
    }
    void *bytes = read_all(f, n_b);
    if (!bytes) {
        xk_tool_fail(err, XK_ENOMEM, "%.200s: too large", path);
    } else if (ferror(f)) {
        xk_tool_fail(err, XK_EIO, "%.200s: cannot be read", path);
        free(bytes);
        bytes = NULL;
    }
    if (f != stdin)
        fclose(f);
    return bytes;
}

enum xk_status xk_tool_write(const char *path, const void *bytes, size_t n_b,
                             struct xk_error *err)
{
    FILE *const f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
    if (!f)
        return xk_tool_fail(err, XK_EIO, "%.200s: %s", path, strerror(errno));
    const bool written = fwrite(bytes, 1, n_b, f) == n_b;
    const bool closed = f == stdout ? !fflush(f) : !fclose(f);
    if (!written || !closed)
        return xk_tool_fail(err, XK_EIO, "%.200s: cannot be written", path);
    return XK_OK;
}

void xk_tool_print(void *user, const char *text, size_t n)
{
    fwrite(text, 1, n, user);
}
