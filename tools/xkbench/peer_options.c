/* SPDX-License-Identifier: Apache-2.0 */
/* benchdnn's options that say how to test rather than what. Most cannot change
 * a result here: they are read, and nothing else. Values that could are kept as
 * the reason why problems behind them are not run. */
#include <string.h>

#include "tools/xkbench/bench.h"

enum kind { BOOL, WHOLE, COUNT, WORDS, TEXT };
enum scope { G, D }; /* of all drivers, of this one */

static const struct peer_option {
    const char *name;
    uint8_t kind, scope;
    const char *words, *keeps, *modes;
} rows[XK_N_PEER_OPTIONS] = {
#define XK_PEER_OPTION(id, name, letter, kind, scope, words, keeps, modes,     \
                       help)                                                   \
    [XK_PEER_##id] = {name, kind, scope, words, keeps, modes},
#include "tools/xkbench/peer_option.def"
#undef XK_PEER_OPTION
};

/* Is the word, of n characters, one of " a b c "? */
static bool listed(const char *words, const char *word, size_t n)
{
    char key[40];
    if (!n || n > sizeof key - 3)
        return false;
    snprintf(key, sizeof key, " %.*s ", (int)n, word);
    for (char *c = key; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    return strstr(words, key) != NULL;
}

static bool known(const struct peer_option *o, const char *value)
{
    bool on;
    int64_t number;
    if (o->kind == BOOL)
        return xk_word_bool(value, &on);
    if (o->kind == WHOLE || o->kind == COUNT)
        return xk_word_digits(value, &number) && number >= (o->kind == COUNT);
    if (o->kind == TEXT)
        return true;
    for (const char *at = value;; at++) {
        const size_t n = strcspn(at, "+:");
        if (!listed(o->words, at, n))
            return false;
        at += n;
        if (*at == ':')
            at += strcspn(at, "+");
        if (!*at)
            return true;
    }
}

static bool asks(const struct peer_option *o, const char *value)
{
    if (!o->keeps || !*value)
        return false;
    if (o->kind == WORDS)
        return !listed(o->keeps, value, strlen(value));
    return strcmp(o->keeps, value) != 0;
}

/* " a b c " becomes " a, b, c"; "" where the option has no list. */
static void print_peer_words(const struct peer_option *o, char *out,
                             size_t out_b)
{
    size_t n = 0;
    out[0] = 0;
    for (const char *at = o->words ? o->words : ""; *at && n < out_b;) {
        at += strspn(at, " ");
        const size_t word_b = strcspn(at, " ");
        if (word_b)
            n += (size_t)snprintf(out + n, out_b - n, "%s %.*s", n ? "," : "",
                                  (int)word_b, at);
        at += word_b;
    }
}

enum xk_status xk_bench_set_peer_option(void *user, uint32_t row,
                                        const char *value, struct xk_error *err)
{
    struct xk_bench *const b = user;
    const struct peer_option *const o = &rows[row];
    static const char *const wants[] = {
        "is neither true nor false", "is no whole number",
        "is no whole number from 1 on", "is none of", ""};
    if (*value && !known(o, value)) {
        char words[200];
        print_peer_words(o, words, sizeof words);
        return xk_tool_fail(err, XK_EINVAL, "%s=%.100s: %s%s", o->name, value,
                            wants[o->kind], words);
    }
    b->refused[row][0] = 0;
    if (asks(o, value))
        snprintf(b->refused[row], sizeof b->refused[row], "%s=%.60s", o->name,
                 value);
    return XK_OK;
}

void xk_bench_reset_peer_options(struct xk_bench *b)
{
    for (size_t k = 0; k < XK_COUNTOF(rows); k++)
        if (rows[k].scope == D)
            b->refused[k][0] = 0;
}

enum xk_status xk_bench_peer_refuses(const struct xk_bench *b,
                                     struct xk_error *err)
{
    if (b->refusal[0])
        return xk_tool_fail(err, XK_EUNSUPPORTED, "%s", b->refusal);
    for (size_t k = 0; k < XK_COUNTOF(rows); k++)
        if (b->refused[k][0] && strchr(rows[k].modes, b->mode))
            return xk_tool_fail(err, XK_EUNSUPPORTED,
                                "%s is not implemented in mode %c",
                                b->refused[k], b->mode);
    return XK_OK;
}
