/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/problem/word_table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool xk_word_in(const struct xk_word_list *l, const char *text, uint32_t *out)
{
    for (size_t i = 0; i < l->n; i++)
        if (!(l->any_case ? strcasecmp : strcmp)(l->word[i].text, text)) {
            *out = l->word[i].value;
            return true;
        }
    return false;
}

/* Leaves out words whose value has had one. */
void xk_word_join(const struct xk_word *words, size_t n, char *out,
                  size_t out_b)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || words[k].value == words[i].value ||
                    !strcmp(words[k].text, words[i].text);
        if (!again && at < out_b)
            at += (size_t)snprintf(out + at, out_b - at, "%s%s", i ? ", " : "",
                                   words[i].text);
    }
}

enum xk_status xk_word_find(const struct xk_word_list *l, const char *field,
                            const char *text, uint32_t *out,
                            struct xk_error *err)
{
    char known[200];
    if (xk_word_in(l, text, out))
        return XK_OK;
    xk_word_join(l->word, l->n, known, sizeof known);
    return xk_tool_fail(err, XK_EINVAL, "%s=%.100s: is none of %s", field, text,
                        known);
}
