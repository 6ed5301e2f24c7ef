/* SPDX-License-Identifier: Apache-2.0 */
/* Words and their values as tables. */
#ifndef XK_TOOLS_PROBLEM_WORD_TABLE_H
#define XK_TOOLS_PROBLEM_WORD_TABLE_H

#include "tools/problem/words.h"

struct xk_word {
    const char *text;
    uint32_t value;
};

#define XK_WORD_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A table, and whether its words are known in any case. */
struct xk_word_list {
    const struct xk_word *word;
    size_t n;
    bool any_case;
};
#define XK_WORD_LIST(table, any_case)                                          \
    (&(const struct xk_word_list){table, XK_WORD_COUNT(table), any_case})

/* The value of a word; false: it is none of them. */
bool xk_word_in(const struct xk_word_list *l, const char *text, uint32_t *out);
/* The same; XK_EINVAL names the field, the word and the known ones. */
enum xk_status xk_word_find(const struct xk_word_list *l, const char *field,
                            const char *text, uint32_t *out,
                            struct xk_error *err);
/* Each value's first word, "a, b, c". */
void xk_word_join(const struct xk_word *words, size_t n, char *out,
                  size_t out_b);

/* The function xk_words_of_NAME for a table of this file. */
#define XK_WORDS_OF(name, table)                                               \
    void xk_words_of_##name(char *out, size_t out_b)                           \
    {                                                                          \
        xk_word_join(table, XK_WORD_COUNT(table), out, out_b);                 \
    }

#endif
