/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/corpus/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/isa/iga.h"

/* Columns of index.txt, in compile.py's order. */
enum {
    COL_KERNEL,
    COL_FILE,
    COL_PLATFORM,
    COL_SIMD,
    COL_VARIANT,
    COL_BYTES,
    COL_BIN,
    COL_NATIVE,
    COL_ASM,
    COL_LDST,
    COL_ZEBIN,
    COL_NATIVE_ASM,
    N_COLUMNS
};

struct line {
    char *column[N_COLUMNS];
};

static bool split(char *text, struct line *l)
{
    char *save = NULL, *word = strtok_r(text, "\t", &save);

    for (unsigned k = 0; k < N_COLUMNS; k++) {
        l->column[k] = word;
        if (!word)
            return false;
        word = strtok_r(NULL, "\t", &save);
    }
    return true;
}

static bool load(const char *path, struct corpus_file *f)
{
    f->data = (uint8_t *)iga_read_file(path, &f->n_b);
    if (!f->data)
        printf("# %s: cannot be read\n", path);
    return f->data != NULL;
}

/* A container pads code to its alignment, so up to 8 zero bytes may follow the
 * last instruction: cut them. Bit 29 marks the 8-byte form. */
static void cut_tail(struct corpus_file *f)
{
    size_t at = 0;

    while (at + 16 <= f->n_b || (at + 8 <= f->n_b && f->data[at + 3] & 0x20))
        at += f->data[at + 3] & 0x20 ? 8 : 16;
    for (size_t k = at; k < f->n_b; k++)
        if (f->data[k])
            return;
    f->n_b = at;
}

static bool add(struct corpus *c, const struct line *l)
{
    struct corpus_kernel *const k = &c->kernel[c->n++];

    memset(k, 0, sizeof(*k));
    k->p = xk_platform_find(l->column[COL_PLATFORM]);
    snprintf(k->name, sizeof(k->name), "%s.%s %s simd%s %s",
             l->column[COL_FILE], l->column[COL_KERNEL],
             l->column[COL_PLATFORM], l->column[COL_SIMD],
             l->column[COL_VARIANT]);
    if (!k->p || !load(l->column[COL_BIN], &k->bin) ||
        !load(l->column[COL_NATIVE], &k->native) ||
        !load(l->column[COL_ASM], &k->text) ||
        !load(l->column[COL_LDST], &k->ldst) ||
        !load(l->column[COL_NATIVE_ASM], &k->native_text))
        return false;
    cut_tail(&k->bin);
    return true;
}

static int by_code(const void *a, const void *b)
{
    return strcmp(((const struct line *)a)->column[COL_BIN],
                  ((const struct line *)b)->column[COL_BIN]);
}

static int by_source(const void *a, const void *b)
{
    const struct line *const x = a, *const y = b;
    const int order = strcmp(x->column[COL_FILE], y->column[COL_FILE]);

    return order ? order : strcmp(x->column[COL_KERNEL], y->column[COL_KERNEL]);
}

static unsigned count_sources(struct line *l, unsigned n)
{
    unsigned sources = n > 0;

    qsort(l, n, sizeof(*l), by_source);
    for (unsigned k = 1; k < n; k++)
        sources += by_source(&l[k - 1], &l[k]) != 0;
    return sources;
}

static bool take_lines(struct corpus *c, struct line *l)
{
    bool ok = true;

    c->n_sources = count_sources(l, c->n_lines);
    qsort(l, c->n_lines, sizeof(*l), by_code);
    for (unsigned k = 0; k < c->n_lines && ok; k++)
        if (k == 0 || by_code(&l[k - 1], &l[k]) != 0)
            ok = add(c, &l[k]);
    return ok;
}

bool corpus_read(const char *cache, struct corpus *c)
{
    char path[1000], *save = NULL;
    struct line *lines;
    size_t n_b, max = 1;
    char *text;
    bool ok = true;

    memset(c, 0, sizeof(*c));
    snprintf(path, sizeof(path), "%s/index.txt", cache);
    text = iga_read_file(path, &n_b);
    if (!text) {
        printf("# %s: cannot be read\n", path);
        return false;
    }
    for (const char *s = text; *s; s++)
        max += *s == '\n';
    lines = calloc(max, sizeof(*lines));
    c->kernel = calloc(max, sizeof(*c->kernel));
    strtok_r(text, "\n", &save); /* the heading */
    for (char *l = strtok_r(NULL, "\n", &save); l && ok;
         l = strtok_r(NULL, "\n", &save))
        ok = split(l, &lines[c->n_lines++]);
    ok = ok && take_lines(c, lines);
    free(lines);
    free(text);
    return ok;
}

void corpus_fini(struct corpus *c)
{
    for (unsigned k = 0; k < c->n; k++) {
        free(c->kernel[k].bin.data);
        free(c->kernel[k].native.data);
        free(c->kernel[k].text.data);
        free(c->kernel[k].ldst.data);
        free(c->kernel[k].native_text.data);
    }
    free(c->kernel);
    memset(c, 0, sizeof(*c));
}
