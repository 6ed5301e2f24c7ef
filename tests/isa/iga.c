/* SPDX-License-Identifier: Apache-2.0 */
/* Runs iga64 through files in a temporary directory. */
#include "tests/isa/iga.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool iga_available(void)
{
    return system("iga64 -h > /dev/null 2>&1") == 0;
}

char *iga_read_file(const char *path, size_t *n_b)
{
    FILE *const f = fopen(path, "rb");
    char *text = NULL;
    size_t cap = 1 << 16, n = 0, got;

    if (!f)
        return NULL;
    do {
        cap *= 2;
        text = realloc(text, cap);
        got = fread(text + n, 1, cap - n - 1, f);
        n += got;
    } while (n == cap - 1);
    fclose(f);
    text[n] = 0;
    *n_b = n;
    return text;
}

static bool write_file(const char *path, const void *p, size_t n_b)
{
    FILE *const f = fopen(path, "wb");
    const bool ok = f && fwrite(p, 1, n_b, f) == n_b;

    return f && fclose(f) == 0 && ok;
}

/* in -> iga64 options -> out, all in a directory of our own. NULL if iga64
 * fails; *words is what it said, the caller's. */
static char *run(const struct xk_platform *p, const char *options,
                 const void *in, size_t in_b, size_t *out_b, char **words)
{
    char dir[] = "/tmp/xk_iga_XXXXXX", src[64], dst[64], log[64], cmd[400];
    char *out = NULL;
    size_t words_b;

    *words = NULL;
    if (!mkdtemp(dir))
        return NULL;
    snprintf(src, sizeof(src), "%s/in", dir);
    snprintf(dst, sizeof(dst), "%s/out", dir);
    snprintf(log, sizeof(log), "%s/log", dir);
    snprintf(cmd, sizeof(cmd), "iga64 -p=%s %s %s -o %s > %s 2>&1", p->iga_name,
             options, src, dst, log);
    if (write_file(src, in, in_b) && system(cmd) == 0)
        out = iga_read_file(dst, out_b);
    *words = iga_read_file(log, &words_b);
    unlink(log);
    unlink(src);
    unlink(dst);
    rmdir(dir);
    return out;
}

/* The same; a failure is told on stderr. */
static char *run_or_tell(const struct xk_platform *p, const char *options,
                         const void *in, size_t in_b, size_t *out_b)
{
    char *words, *const out = run(p, options, in, in_b, out_b, &words);

    if (!out)
        fprintf(stderr, "iga64 -p=%s %s fails\n%.2000s\n", p->iga_name, options,
                words ? words : "");
    free(words);
    return out;
}

uint8_t *iga_assemble(const struct xk_platform *p, const char *text,
                      size_t *n_b)
{
    return (uint8_t *)run_or_tell(p, "-a", text, strlen(text), n_b);
}

static void normalise(char *line, bool comments)
{
    char *const comment = strstr(line, "//");
    char *to = line;

    if (comment && !comments)
        *comment = 0;
    for (const char *from = line; *from; from++) {
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > line && to[-1] == ' ')
        to--;
    *to = 0;
}

unsigned iga_refusals(const struct xk_platform *p, const uint8_t *bytes,
                      unsigned n, bool *refused)
{
    static const char at[] = "byte offset 0x";
    char *words;
    size_t text_b;
    unsigned n_refused = 0;

    memset(refused, 0, n * sizeof(*refused));
    free(run(p, "-d -n", bytes, (size_t)n * XK_INST_B, &text_b, &words));
    for (const char *s = words; s && (s = strstr(s, at)) != NULL;) {
        char *end;
        const unsigned long k = strtoul(s + strlen(at), &end, 16) / XK_INST_B;

        s = end;
        if (strncmp(s, ": error", 7) == 0 && k < n && !refused[k]) {
            refused[k] = true;
            n_refused++;
        }
    }
    free(words);
    return n_refused;
}

bool iga_disassemble(const struct xk_platform *p, const uint8_t *bytes,
                     size_t n_b, bool comments, struct iga_lines *out)
{
    size_t text_b = 0, cap = n_b / 8 + 16;
    char *save = NULL;

    memset(out, 0, sizeof(*out));
    out->text =
        run_or_tell(p, "-d -n -Xno-print-bfnexprs", bytes, n_b, &text_b);
    if (!out->text)
        return false;
    out->line = calloc(cap, sizeof(*out->line));
    for (char *l = strtok_r(out->text, "\n", &save); l;
         l = strtok_r(NULL, "\n", &save)) {
        normalise(l, comments);
        if (*l && out->n < cap)
            out->line[out->n++] = l;
    }
    return true;
}

void iga_lines_fini(struct iga_lines *l)
{
    free(l->line);
    free(l->text);
    memset(l, 0, sizeof(*l));
}
