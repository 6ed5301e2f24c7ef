/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/xk/verbs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/problem/words.h"

/* What is no regular file may have no end, as /dev/zero. */
#define STREAM_MAX_B ((size_t)256 << 20)

static bool is_endless(FILE *f, size_t n_b)
{
    struct stat s;
    return n_b > STREAM_MAX_B &&
           (fstat(fileno(f), &s) < 0 || !S_ISREG(s.st_mode));
}

/* NULL: no memory, or endless. */
static void *read_all(FILE *f, size_t *n_b)
{
    size_t size = 1 << 16, n = 0;
    char *bytes = malloc(size);
    while (bytes) {
        n += fread(bytes + n, 1, size - n, f);
        if (n < size)
            break;
        char *const larger =
            is_endless(f, size) ? NULL : realloc(bytes, size *= 2);
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
    errno = 0;
    void *bytes = read_all(f, n_b);
    if (!bytes) {
        xk_tool_fail(err, XK_ENOMEM, "%.200s: too large (read %zu bytes)", path,
                     *n_b);
    } else if (ferror(f)) {
        xk_tool_fail(err, XK_EIO, "%.200s: cannot be read: %s", path,
                     strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    if (f != stdin)
        fclose(f);
    return bytes;
}

void xk_tool_print(void *user, const char *text, size_t n)
{
    fwrite(text, 1, n, user);
}
