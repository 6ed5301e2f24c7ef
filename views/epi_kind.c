/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of post_op.def by number and by name. */
#include "views/epi_kind.h"

#include <ctype.h>
#include <string.h>

#define XK_POST_OP(id, name, aliases, syntax, numbers, limit, why, meaning)    \
    static bool within_##id(float alpha, float beta)                           \
    {                                                                          \
        (void)alpha, (void)beta;                                               \
        return limit;                                                          \
    }
#define XK_POST_FORM(...)
#include "views/post_op.def"
#undef XK_POST_OP
#undef XK_POST_FORM

static const struct xk_post_op_row rows[XK_N_EPI_KINDS] = {
#define XK_POST_OP(id, name, aliases, syntax, numbers, limit, why, meaning)    \
    [XK_EPI_##id] = {name,    aliases,    why, meaning, XK_SYNTAX_##syntax,    \
                     numbers, within_##id},
#define XK_POST_FORM(...)
#include "views/post_op.def"
#undef XK_POST_OP
#undef XK_POST_FORM
};

const struct xk_post_op_row *xk_post_op_row(unsigned kind)
{
    return kind && kind < XK_N_EPI_KINDS ? &rows[kind] : NULL;
}

static bool same_word(const char *a, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!a[i] || tolower((unsigned char)word[i]) != a[i])
            return false;
    return !a[n] || a[n] == ' ';
}

static bool in_aliases(const char *aliases, const char *word, size_t n)
{
    for (const char *a = aliases; a && *a;) {
        if (same_word(a, word, n))
            return true;
        a = strchr(a, ' ');
        if (a)
            a++;
    }
    return false;
}

/* What in front of a name changes nothing. */
static size_t prefix_of(const struct xk_post_op_row *r, const char *word,
                        size_t n)
{
    const char *const prefix = r->syntax == XK_SYNTAX_ELTWISE  ? "eltwise_"
                               : r->syntax == XK_SYNTAX_BINARY ? "binary_"
                                                               : "";
    const size_t len = strlen(prefix);
    return n > len && same_word(prefix, word, len) ? len : 0;
}

unsigned xk_post_op_named(const char *word, size_t n)
{
    for (unsigned i = 1; n && i < XK_N_EPI_KINDS; i++) {
        const size_t skip = prefix_of(&rows[i], word, n);
        if (same_word(rows[i].name, word + skip, n - skip) ||
            in_aliases(rows[i].aliases, word, n))
            return i;
    }
    return 0;
}
