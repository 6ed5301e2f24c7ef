/* SPDX-License-Identifier: Apache-2.0 */
/* Files of arguments, by benchdnn's rules: words are cut at white space, a # at
 * the begin of a word ends the line, and a \ at the end of a word glues it to
 * the next one, on whatever line. A line with a wrong word is one invalid
 * problem; the rest of it is left out. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

#define BATCH_DEPTH_MAX 16
#define BLANKS " \t\r\v\f"
#define BATCH_LINE_MAX (1 << 24)

struct batch {
    struct xk_bench *b;
    const char *path;
    FILE *f;
    char *line, *glued; /* glued: words that a \ holds back; NULL: none */
    size_t room;
    unsigned number; /* of the line */
    bool has_words;
};

/* The line counts as a problem that cannot be. */
static void report_bad_line(const struct batch *f, const char *why)
{
    struct xk_bench_result r;
    struct xk_bench_problem p = {.mode = f->b->mode};
    struct xk_error err;
    xk_tool_fail(&err, XK_EINVAL, "%.150s:%u: %.300s", f->path, f->number, why);
    p.text = p.repro = f->line;
    xk_bench_invalid(&r, err.message);
    xk_bench_report(f->b, &p, &r);
    f->b->n_seen++;
}

static enum xk_status apply_word(struct batch *f, const char *word,
                                 struct xk_error *err)
{
    const char *const one[1] = {word};
    if (xk_bench_waits(word))
        snprintf(f->b->unused, sizeof f->b->unused, "%.150s:%u: %.200s",
                 f->path, f->number, word);
    const enum xk_status st = xk_bench_arguments(f->b, 1, one, err);
    if (st < 0)
        f->b->unused[0] = 0; /* it has been reported */
    return st;
}

/* Joins a word to the text before it that ended in a \. If the word ends in a \
 * itself, it is kept for the next one. */
static enum xk_status take_batch_word(struct batch *f, const char *word,
                                      struct xk_error *err)
{
    const size_t n = strlen(word), before = f->glued ? strlen(f->glued) : 0;
    const bool more = word[n - 1] == '\\';
    char *const whole = realloc(f->glued, before + n + 1);
    if (!whole)
        return xk_tool_fail(err, XK_ENOMEM, "no memory");
    memcpy(whole + before, word, n + 1);
    whole[before + n - more] = 0;
    f->glued = more ? whole : NULL;
    if (more)
        return XK_OK;
    const enum xk_status st = apply_word(f, whole, err);
    free(whole);
    return st;
}

/* benchdnn glues a \ that stands alone to the word before it, too. */
static bool next_is_glue(const char *rest)
{
    rest += strspn(rest, BLANKS);
    return rest[0] == '\\' && (!rest[1] || strchr(BLANKS, rest[1]));
}

static enum xk_status take_line(struct batch *f, struct xk_error *err)
{
    char *const copy = strdup(f->line);
    enum xk_status st = copy ? XK_OK : XK_ENOMEM;
    for (char *at = copy; st >= 0 && *(at += strspn(at, BLANKS));) {
        size_t n = strcspn(at, BLANKS);
        char *const word = at;
        if (*word == '#')
            break;
        f->has_words = true;
        at += n + (word[n] != 0);
        word[n] = 0;
        if (!strcmp(word, "\\") || !next_is_glue(at)) {
            st = take_batch_word(f, word, err);
            continue;
        }
        char *const held = malloc(n + 2);
        st = held ? XK_OK : XK_ENOMEM;
        if (held) {
            snprintf(held, n + 2, "%s\\", word);
            st = take_batch_word(f, held, err);
        }
        free(held);
    }
    free(copy);
    if (st < 0) {
        free(f->glued);
        f->glued = NULL;
    }
    return st;
}

/* A line without its end. XK_EABSENT: there is none left. A byte 0 or a line
 * without end, as of /dev/zero, belongs to no list of problems. */
static enum xk_status read_line(struct batch *f, struct xk_error *err)
{
    size_t n = 0;
    int c;
    errno = 0;
    f->number++;
    while ((c = getc(f->f)) != EOF && c != '\n') {
        if (!c)
            return xk_tool_fail(err, XK_EINVAL, "a byte 0: no text file");
        if (n == BATCH_LINE_MAX - 1)
            return xk_tool_fail(err, XK_EINVAL, "longer than %d bytes",
                                BATCH_LINE_MAX - 1);
        if (n + 1 >= f->room) {
            char *const more = realloc(f->line, 2 * f->room);
            if (!more)
                return xk_tool_fail(err, XK_ENOMEM, "no memory");
            f->line = more;
            f->room *= 2;
        }
        f->line[n++] = (char)c;
    }
    f->line[n] = 0;
    if (ferror(f->f))
        return xk_tool_fail(err, XK_EIO, "cannot be read: %s", strerror(errno));
    return c == EOF && !n ? XK_EABSENT : XK_OK;
}

static enum xk_status read_batch(struct batch *f, struct xk_error *err)
{
    struct xk_error why = {0};
    enum xk_status st;
    while ((st = read_line(f, &why)) == XK_OK) {
        struct xk_error bad = {0};
        if (take_line(f, &bad) < 0)
            report_bad_line(f, bad.message);
    }
    if (st != XK_EABSENT)
        return xk_tool_fail(err, st, "%.100s:%u: %.300s", f->path, f->number,
                            why.message);
    if (f->glued)
        report_bad_line(f, "ends with a \\ that nothing follows");
    if (!f->has_words)
        return xk_tool_fail(err, XK_EINVAL,
                            "batch=%.200s: has neither a problem nor an option",
                            f->path);
    return XK_OK;
}

/* Where later files are looked for; benchdnn has 30 places, too. */
static void note_folder(struct xk_bench *b, const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const folder =
        slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    for (size_t i = 0; folder && i < b->n_folders; i++)
        if (!strcmp(b->folder[i], folder)) {
            free(folder);
            return;
        }
    if (folder && b->n_folders < XK_COUNTOF(b->folder))
        b->folder[b->n_folders++] = folder;
    else
        free(folder);
}

/* In a folder; *found gets the path. */
static FILE *open_in(const char *folder, const char *name, char **found)
{
    FILE *f = NULL;
    if (asprintf(found, "%s/%s", folder, name) < 0)
        *found = NULL;
    if (*found)
        f = fopen(*found, "r");
    if (!f) {
        free(*found);
        *found = NULL;
    }
    return f;
}

/* As written, beside the batch files before, next to an installed xkbench, in
 * the source tree of the build, in the installation's own folder. */
static FILE *open_batch(const struct xk_bench *b, const char *path,
                        char **found)
{
    *found = strdup(path);
    FILE *f = fopen(path, "r");
    if (f || path[0] == '/' || errno != ENOENT)
        return f;
    free(*found);
    *found = NULL;
    for (size_t i = b->n_folders; !f && i-- > 0;)
        f = open_in(b->folder[i], path, found);
    char exe[PATH_MAX], place[PATH_MAX + 40];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    char *const slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    const char *const name = strncmp(path, "shapes/", 7) ? path : path + 7;
    static const char *const below_exe[] = {"../share/xekern/shapes",
                                            "../../shapes"};
    for (size_t i = 0; slash && !f && i < XK_COUNTOF(below_exe); i++) {
        snprintf(place, sizeof place, "%s/%s", exe, below_exe[i]);
        f = open_in(place, name, found);
    }
    return f ? f : open_in(XK_SHAPES_DIR, name, found);
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
    char *found = NULL;
    struct batch f = {.b = b, .path = value, .room = 4096};
    f.f = open_batch(b, value, &found);
    if (!f.f) {
        free(found);
        b->batch_failed = true;
        return xk_tool_fail(err, XK_EIO, "batch=%.200s: %s", value,
                            strerror(errno));
    }
    note_folder(b, found ? found : value);
    f.line = malloc(f.room);
    b->batch_depth++;
    const enum xk_status st =
        f.line ? read_batch(&f, err)
               : xk_tool_fail(err, XK_ENOMEM, "batch=%.200s: no memory", value);
    b->batch_depth--;
    b->batch_failed |= st < 0;
    fclose(f.f);
    free(f.line);
    free(f.glued);
    free(found);
    return st;
}
