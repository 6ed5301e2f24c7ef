/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/problem/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/option_table.h"
#include "tools/problem/word_table.h"
#include "xekern/inspect.h"

#define COUNTOF XK_WORD_COUNT

static const struct xk_word platforms[] = {
#define XK_PLATFORM_WORD(id, word) {word, XK_PLATFORM_##id},
#include "xekern/words.def"
    {"dg2", XK_PLATFORM_XEHPG}, /* the chips' names */
    {"pvc", XK_PLATFORM_XEHPC},
};

static const struct xk_word props[] = {
#define XK_PROP_WORD(id) {#id, XK_##id},
#include "xekern/words.def"
    {"FWD_B", XK_PROP_DEFAULT},
    {"BWD_DW", XK_BWD_WB + 1}, /* benchdnn's word of what is no direction */
};

static const struct xk_word types[] = {
#define XK_TYPE_WORD(id, word) {word, XK_##id},
#include "xekern/words.def"
    {"f32", XK_TYPE_DEFAULT},
};

/* 8-bit types of source and weights; the destination has the source's. */
static const char *const pairs[][2] = {
    {"u8s8", "u8:s8:u8"},
    {"u8u8", "u8:u8:u8"},
    {"s8s8", "s8:s8:s8"},
    {"s8u8", "s8:u8:s8"},
};

const char *xk_tool_s(uint64_t n)
{
    return n == 1 ? "" : "s";
}

enum xk_status xk_tool_fail(struct xk_error *err, enum xk_status status,
                            const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        err->status = status;
    }
    return status;
}

XK_WORDS_OF(platforms, platforms)
XK_WORDS_OF(props, props)

void xk_words_of_types(char *out, size_t out_b)
{
    xk_word_join(types, COUNTOF(types), out, out_b);
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        const size_t at = strlen(out);
        snprintf(out + at, out_b - at, ", %s", pairs[i][0]);
    }
}

static const char *post_op_name_at(uint32_t k)
{
    struct xk_post_op_info row;
    return xk_post_op_at(k, &row) ? row.name : NULL;
}

void xk_words_of_post_ops(char *out, size_t out_b)
{
    xk_tool_join_words(post_op_name_at, out, out_b);
}

static const char *name_of_value(const struct xk_word *words, size_t n,
                                 uint32_t value)
{
    for (size_t i = 0; i < n; i++)
        if (words[i].value == value)
            return words[i].text;
    return "?";
}

enum xk_status xk_word_platform(const char *name, const char *word,
                                uint32_t *out, struct xk_error *err)
{
    return xk_word_find(XK_WORD_LIST(platforms, false), name, word, out, err);
}

enum xk_status xk_word_prop(const char *word, uint32_t *out,
                            struct xk_error *err)
{
    return xk_word_find(XK_WORD_LIST(props, true), "dir", word, out, err);
}

enum xk_status xk_word_type(const char *name, const char *word, uint32_t *out,
                            struct xk_error *err)
{
    const char *const bare = strncmp(word, "dnnl_", 5) ? word : word + 5;
    return xk_word_find(XK_WORD_LIST(types, false), name, bare, out, err);
}

const char *xk_platform_word(uint32_t platform)
{
    return name_of_value(platforms, COUNTOF(platforms), platform);
}

enum xk_status xk_platform_option(const char *word, const char **out,
                                  struct xk_error *err)
{
    uint32_t known;
    const enum xk_status st = xk_word_platform("platform", word, &known, err);
    if (st >= 0)
        *out = xk_platform_word(known);
    return st;
}

const char *xk_prop_word(uint32_t prop)
{
    return name_of_value(props, COUNTOF(props), prop);
}

const char *xk_type_word(uint32_t type)
{
    return name_of_value(types, COUNTOF(types), type);
}

static const char *pair_of(const char *word)
{
    for (size_t i = 0; i < COUNTOF(pairs); i++)
        if (!strcmp(word, pairs[i][0]))
            return pairs[i][1];
    return word;
}

enum xk_status xk_word_types(const char *word, struct xk_conv_desc *d,
                             struct xk_error *err)
{
    char copy[64];
    if (strlen(word) >= sizeof copy)
        return xk_tool_fail(err, XK_EINVAL, "dt=%.80s: too long", word);
    strcpy(copy, pair_of(word));
    uint32_t value[3];
    size_t n = 0;
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ":"));) {
        if (n == 3)
            return xk_tool_fail(err, XK_EINVAL, "dt=%s: more than src:wei:dst",
                                word);
        const enum xk_status st = xk_word_type("dt", part, &value[n++], err);
        if (st < 0)
            return st;
    }
    if (n == 2)
        return xk_tool_fail(err, XK_EINVAL,
                            "dt=%s: want one type or src:wei:dst", word);
    d->src_type = value[0];
    d->wei_type = value[n == 3 ? 1 : 0];
    d->dst_type = value[n == 3 ? 2 : 0];
    d->bia_type = XK_TYPE_DEFAULT;
    return XK_OK;
}

/* A finite number that ends its word. */
static bool read_finite(const char *text, float *out)
{
    char *end;
    *out = strtof(text, &end);
    return end != text && !*end && isfinite(*out);
}

enum xk_status xk_word_post_ops(const char *word, struct xk_conv_desc *d,
                                struct xk_error *err)
{
    return xk_post_ops_parse(word, d->post_ops, &d->n_post_ops, err);
}

enum xk_status xk_word_oscale(const char *word, struct xk_conv_desc *d,
                              struct xk_error *err)
{
    static const char common[] = "common";
    const size_t n = strcspn(word, ":");
    d->scale = 0;
    if (!*word)
        return XK_OK;
    if (!strncmp(word, "per_", 4))
        return xk_tool_fail(err, XK_EUNSUPPORTED,
                            "attr-oscale=%.80s is not implemented, only common",
                            word);
    if (n != sizeof common - 1 || memcmp(word, common, n))
        return xk_tool_fail(err, XK_EINVAL, "attr-oscale=%.80s: unknown policy",
                            word);
    if (!word[n]) {
        d->scale = 1;
        return XK_OK;
    }
    if (word[strlen(word) - 1] == '*')
        return xk_tool_fail(err, XK_EUNSUPPORTED,
                            "attr-oscale=%.80s: a scale given at run time is "
                            "not implemented",
                            word);
    if (!read_finite(word + n + 1, &d->scale))
        return xk_tool_fail(err, XK_EINVAL, "attr-oscale=%.80s: not a number",
                            word);
    if (d->scale == 0) /* the descriptor's word for no scale */
        return xk_tool_fail(
            err, XK_EUNSUPPORTED,
            "attr-oscale=%.80s: a scale of 0 is not implemented", word);
    return XK_OK;
}

enum xk_status xk_word_tag(const char *name, const char *word,
                           char out[XK_TAG_MAX], struct xk_error *err)
{
    if (strlen(word) >= XK_TAG_MAX)
        return xk_tool_fail(err, XK_EINVAL, "%s=%.80s: longer than %d", name,
                            word, XK_TAG_MAX - 1);
    memset(out, 0, XK_TAG_MAX);
    strcpy(out, word);
    return XK_OK;
}

void xk_words_of_devices(char *out, size_t out_b)
{
    xk_device_words(0, out, out_b);
}

enum xk_status xk_word_device(const char *name, const char *word,
                              char out[XK_TAG_MAX], struct xk_error *err)
{
    char known[600], *rest = known, *one;
    xk_words_of_devices(known, sizeof known);
    while ((one = strsep(&rest, ", ")))
        if (!strcmp(one, word)) /* between ',' and ' ' is "" */
            return xk_word_tag(name, word, out, err);
    xk_words_of_devices(known, sizeof known);
    return xk_tool_fail(err, XK_EINVAL, "%s=%.80s: is none of %s", name, word,
                        known);
}

enum xk_status xk_word_int(const char *name, const char *word, int64_t least,
                           int64_t most, int64_t *out, struct xk_error *err)
{
    char *end;
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    if (end == word || *end)
        return xk_tool_fail(err, XK_EINVAL, "%s=%s: not a whole number", name,
                            word);
    if (errno == ERANGE || value < least || value > most)
        return xk_tool_fail(err, XK_EINVAL,
                            "%s=%s: not in %" PRId64 "..%" PRId64, name, word,
                            least, most);
    *out = value;
    return XK_OK;
}
