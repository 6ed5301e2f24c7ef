/* SPDX-License-Identifier: Apache-2.0 */
/* Files of arguments. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

#define BATCH_DEPTH_MAX 16

/* One line of a batch file: words up to a # that starts a word. */
static enum xk_status batch_line(struct xk_bench *b, char *line,
                                 struct xk_error *err)
{
    char *state;
    for (char *word = strtok_r(line, " \t\r\n", &state); word && *word != '#';
         word = strtok_r(NULL, " \t\r\n", &state)) {
        const char *const one[1] = {word};
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
    if (f || path[0] == '/')
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

enum xk_status xk_bench_batch(struct xk_bench *b, const char *value,
                              struct xk_error *err)
{
    if (b->batch_depth == BATCH_DEPTH_MAX)
        return xk_tool_fail(err, XK_EINVAL,
                            "batch=%.200s: nested deeper than %d", value,
                            BATCH_DEPTH_MAX);
    FILE *const f = open_batch(value);
    if (!f)
        return xk_tool_fail(err, XK_EIO, "batch=%.200s: no such file", value);
    b->batch_depth++;
    char *line = NULL;
    size_t line_size = 0;
    enum xk_status st = XK_OK;
    for (unsigned number = 1; st == XK_OK && getline(&line, &line_size, f) >= 0;
         number++) {
        struct xk_error inner = {0};
        st = batch_line(b, line, &inner);
        if (st < 0 && b->error_located)
            *err = inner;
        else if (st < 0)
            xk_tool_fail(err, st, "%.100s:%u: %.300s", value, number,
                         inner.message);
        b->error_located = st < 0;
    }
    free(line);
    fclose(f);
    b->batch_depth--;
    return st;
}
