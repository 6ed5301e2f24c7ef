/* SPDX-License-Identifier: Apache-2.0 */
/* Characters and words of our text forms; the locale does not matter. */
#ifndef XK_BASE_TEXT_H
#define XK_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static inline bool xk_is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

/* What a name begins with: a letter or an underscore. */
static inline bool xk_is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

/* What a name goes on with. */
static inline bool xk_is_name_char(char ch)
{
    return xk_is_letter(ch) || xk_is_digit(ch);
}

/* Whether s is a name that ends within its first max characters. */
static inline bool xk_is_identifier(const char *s, size_t max)
{
    const size_t n = strnlen(s, max);

    if (n == 0 || n == max || !xk_is_letter(*s))
        return false;
    for (size_t k = 1; k < n; k++)
        if (!xk_is_name_char(s[k]))
            return false;
    return true;
}

/* Whether the n characters at s are `word`. */
static inline bool xk_text_is(const char *s, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(s, word, n);
}

/* Appends a word to "a, b" in out, which has out_b bytes and ends with a zero.
 * What does not fit is cut. */
static inline void xk_text_add_word(char *out, size_t out_b, const char *word)
{
    const size_t n = strlen(out);

    snprintf(out + n, out_b - n, "%s%s", n ? ", " : "", word);
}

#endif
