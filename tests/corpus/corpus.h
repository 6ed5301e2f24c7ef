/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels in compile.py's cache, and what of isa/'s tables occurs in
 * them. */
#ifndef XK_TESTS_CORPUS_CORPUS_H
#define XK_TESTS_CORPUS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

struct corpus_file {
    uint8_t *data; /* NUL behind the end */
    size_t n_b;
};

/* One line of index.txt; kernels with the same code occur once. */
struct corpus_kernel {
    char name[80];
    const struct xk_platform *p;
    struct corpus_file bin, native, text, ldst, native_text;
};

struct corpus {
    struct corpus_kernel *kernel;
    unsigned n, n_lines; /* n_lines: with those of the same code */
    unsigned n_sources;  /* kernels as written */
};

/* False, with a sentence on stdout, if the cache is not there or spoiled. */
bool corpus_read(const char *cache, struct corpus *c);
void corpus_fini(struct corpus *c);

/* Coverage: every item of the tables, per platform, seen or not. */
struct coverage;
struct coverage *coverage_create(void);
void coverage_destroy(struct coverage *v);
void coverage_take(struct coverage *v, const struct xk_platform *p,
                   const struct xk_inst *i);
/* Compares with the file of excuses, prints what is wrong, at most `show`
 * lines, and the figures; the number of complaints. */
unsigned coverage_check(const struct coverage *v, const char *excuses,
                        unsigned show);
/* A line `seen|unseen|foreign PLATFORM KIND ITEM` for each item on stdout. */
void coverage_print(const struct coverage *v);

#endif
