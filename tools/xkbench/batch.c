/* SPDX-License-Identifier: Apache-2.0 */
/* Files of arguments. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

#define BATCH_DEPTH_MAX 16
#define BATCH_LINE_MAX 65536

/* One line of a batch file: words up to a # that starts a word. place: the
 * file's name and the line's number. */
static enum xk_status batch_line(struct xk_bench *b, const char *place,
                                 char *line, struct xk_error *err)
{
    char *state;
    for (char *word = strtok_r(line, " \t\r\n", &state); word && *word != '#';
         word = strtok_r(NULL, " \t\r\n", &state)) {
        const char *const one[1] = {word};
        if (xk_bench_waits(word))
            snprintf(b->unused, sizeof b->unused, "%.150s: %.200s", place,
                     word);
        const enum xk_status st = xk_bench_arguments(b, 1, one, err);
        if (st < 0)
            return st;
    }
    return XK_OK;
}

/* Where shape lists may be: as written, next to an installed xkbench, in the
 * source tree of the build, in the installation's own folder. */
static FILE *open_batch(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f || path[0] == '/' || errno != ENOENT)
        return f;
    char exe[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    char *const slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    const char *const name = strncmp(path, "shapes/", 7) ? path : path + 7;
    static const char *const below_exe[] = {"../share/xekern/shapes",
                                            "../../shapes"};
    char full[PATH_MAX + 600];
    for (size_t i = 0; slash && !f && i < XK_COUNTOF(below_exe); i++) {
        snprintf(full, sizeof full, "%s/%s/%.500s", exe, below_exe[i], name);
        f = fopen(full, "r");
    }
    if (!f) {
        snprintf(full, sizeof full, "%s/%.500s", XK_SHAPES_DIR, name);
        f = fopen(full, "r");
    }
    return f;
}

/* A line without its end. XK_EABSENT: there is none left. A byte 0 or a line
 * without end, as of /dev/zero, belongs to no list of problems. */
static enum xk_status read_line(FILE *f, char line[BATCH_LINE_MAX],
                                struct xk_error *err)
{
    size_t n = 0;
    int c;
    errno = 0;
    while ((c = getc(f)) != EOF && c != '\n') {
        if (!c)
            return xk_tool_fail(err, XK_EINVAL, "a byte 0: no text file");
        if (n == BATCH_LINE_MAX - 1)
            return xk_tool_fail(err, XK_EINVAL, "longer than %d bytes",
                                BATCH_LINE_MAX - 1);
        line[n++] = (char)c;
    }
    line[n] = 0;
    if (ferror(f))
        return xk_tool_fail(err, XK_EIO, "cannot be read: %s", strerror(errno));
    return c == EOF && !n ? XK_EABSENT : XK_OK;
}

static enum xk_status batch_file(struct xk_bench *b, const char *path, FILE *f,
                                 struct xk_error *err)
{
    enum xk_status st = XK_OK;
    char *const line = malloc(BATCH_LINE_MAX);
    if (!line)
        return xk_tool_fail(err, XK_ENOMEM, "batch=%.200s: no memory", path);
    for (unsigned number = 1; st == XK_OK; number++) {
        struct xk_error inner = {0};
        char place[128];
        snprintf(place, sizeof place, "%.100s:%u", path, number);
        st = read_line(f, line, &inner);
        if (st == XK_OK)
            st = batch_line(b, place, line, &inner);
        if (inner.status < 0 && b->error_located)
            *err = inner;
        else if (inner.status < 0)
            xk_tool_fail(err, st, "%s: %.300s", place, inner.message);
        b->error_located = inner.status < 0;
        if (inner.status >= 0 && st < 0)
            break; /* the end */
    }
    free(line);
    return err->status;
}

enum xk_status xk_bench_batch(struct xk_bench *b, const char *value,
                              struct xk_error *err)
{
    if (b->batch_depth == BATCH_DEPTH_MAX)
        return xk_tool_fail(err, XK_EINVAL,
                            "batch=%.200s: nested deeper than %d", value,
                            BATCH_DEPTH_MAX);
    if (!*value)
        return xk_tool_fail(err, XK_EINVAL, "batch=: names no file");
    FILE *const f = open_batch(value);
    if (!f)
        return xk_tool_fail(err, XK_EIO, "batch=%.200s: %s", value,
                            strerror(errno));
    b->batch_depth++;
    struct xk_error why = {0};
    const enum xk_status st = batch_file(b, value, f, &why);
    if (st < 0)
        *err = why;
    fclose(f);
    b->batch_depth--;
    return st;
}
