/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: formulas, a NUL between two. They are answered or refused with a
 * sentence. What is answered can be completed, and its completion is complete
 * and answered the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "xekern/formulas.h"

#define MOST_B 4000
#define MOST 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_b, size_t most_b);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed);

static void demand(int yes)
{
    if (!yes)
        abort();
}

static enum xk_status query(const char *const *text, uint32_t n,
                            struct xk_formulas_info *info)
{
    const struct xk_formulas f = {
        .size = sizeof f, .platform = XK_PLATFORM_XEHPG, .n = n, .text = text};
    struct xk_error err;
    info->size = sizeof *info;
    const enum xk_status s = xk_formulas_query(&f, info, &err);
    demand(s == XK_OK || s == XK_EPARSE || s == XK_EINVAL ||
           s == XK_EUNSUPPORTED);
    demand(s == XK_OK || (err.status == s && strlen(err.message) > 5));
    demand(s != XK_OK || info->n_launches >= 1);
    return s;
}

static void complete(const char *text)
{
    static char first[MOST_B], second[MOST_B];
    static struct xk_formulas_info said, full;
    const char *const completed = first;
    size_t n;
    if (query(&text, 1, &said) < 0)
        return;
    demand(xk_formula_complete(text, first, sizeof first, &n, NULL) == XK_OK);
    if (n >= sizeof first)
        return;
    demand(query(&completed, 1, &full) == XK_OK);
    demand(memcmp(&said, &full, sizeof said) == 0);
    demand(xk_formula_complete(first, second, sizeof second, &n, NULL) ==
           XK_OK);
    demand(strcmp(first, second) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    static struct xk_formulas_info info;
    const char *text[MOST];
    uint32_t n = 0;
    char *const copy = malloc(n_b + 1);
    memcpy(copy, data, n_b);
    copy[n_b] = 0;
    for (size_t at = 0; at <= n_b && n < MOST; at += strlen(copy + at) + 1)
        text[n++] = copy + at;
    complete(text[0]);
    if (n > 1)
        query(text, n, &info);
    free(copy);
    return 0;
}

/* One of the words and signs of a formula takes the place of a character or
 * stands in front of it. */
static size_t put_word(uint8_t *data, size_t n_b, size_t most_b, unsigned seed)
{
    static const char *const words[] = {
        "[",   "]",    ",",     "+",     "-",          "*",         "|",
        ";",   ":",    "=",     " in ",  "..",         " fill ",    "{1,2}@0",
        "k",   "m",    "n",     "A",     "f16",        "s8",        "f32",
        "u8",  "0",    "1",     "2",     "3",          "16",        "255",
        "any", "acdb", "aB16b", "65536", "2147483647", "4294967296"};
    const char *const word = words[seed % (sizeof words / sizeof *words)];
    const size_t n = strlen(word), at = n_b ? seed / 64 % n_b : 0;
    const size_t from = at + (seed >> 24 & 1 && at < n_b);
    if (n_b - (from - at) + n > most_b)
        return n_b;
    memmove(data + at + n, data + from, n_b - from);
    memcpy(data + at, word, n);
    return n_b - (from - at) + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed)
{
    if (n_b && seed & 3)
        return put_word(data, n_b, most_b, seed >> 2);
    return LLVMFuzzerMutate(data, n_b, most_b);
}
