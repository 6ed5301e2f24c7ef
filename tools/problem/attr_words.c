/* SPDX-License-Identifier: Apache-2.0 */
/* The words of attributes. Lists of parts are cut at + and :, and a separator
 * at the end is an error, as in benchdnn. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/problem/conv_words.h"
#include "tools/problem/option_table.h"
#include "tools/problem/word_table.h"

static const struct xk_word maths[] = {
#define XK_MATH_WORD(id, word) {word, XK_MATH_##id},
#include "xekern/words.def"
};
static const struct xk_word accs[] = {
#define XK_ACC_WORD(id, word) {word, XK_ACC_##id},
#include "xekern/words.def"
};
static const struct xk_word roundings[] = {
    {"environment", XK_ROUND_ENVIRONMENT}, {"stochastic", XK_ROUND_STOCHASTIC}};
static const struct xk_word scratchpads[] = {{"library", 0}, {"user", 1}};
/* A bias has no such values. A primitive's first source is src0, too. */
static const struct xk_word attr_args[] = {
#define XK_ARG_WORD(id, word) {word, XK_ARG_##id},
#include "xekern/words.def"
    {"src0", XK_ARG_SRC},
};

XK_WORDS_OF(maths, maths)
XK_WORDS_OF(accs, accs)
XK_WORDS_OF(roundings, roundings)
XK_WORDS_OF(scratchpads, scratchpads)

/* Arguments of other primitives, and of a depthwise post-op. */
static const char *const other_args[] = {"src1", "attr_post_op_dw_wei",
                                         "attr_post_op_dw_dst"};

/* Which elements share a value: the masks for src and dst, for weights, and for
 * weights with groups. ALL: every dim. */
#define ALL UINT32_MAX
static const struct policy {
    const char *name;
    uint32_t source, mask, wei, grouped;
} policies[] = {
#define XK_MASK_WORD(word, act, wei, grouped)                                  \
    {word, XK_QUANT_DEVICE, act, wei, grouped},
#include "xekern/words.def"
    {"host_scalar", XK_QUANT_HOST, 0, 0, 0},
    {"mx", XK_QUANT_MX, ALL, ALL, ALL},
    {"dynamic_fp", XK_QUANT_DYNAMIC, ALL, ALL, ALL},
};

static const char *policy_at(uint32_t k)
{
    return k < XK_WORD_COUNT(policies) ? policies[k].name : NULL;
}

void xk_words_of_policies(char *out, size_t out_b)
{
    xk_tool_join_words(policy_at, out, out_b);
}

bool xk_word_bool(const char *word, bool *out)
{
    *out = !strcmp(word, "1") || !strcasecmp(word, "true");
    return *out || !strcmp(word, "0") || !strcasecmp(word, "false");
}

bool xk_word_digits(const char *word, int64_t *out)
{
    const char *const first = word + (*word == '-');
    char *end;
    errno = 0;
    *out = strtoll(word, &end, 10);
    return isdigit((unsigned char)*first) && !*end && !errno;
}

static bool read_attr_float(const char *word, double *out)
{
    char *end;
    *out = strtod(word, &end);
    return *word && !isspace((unsigned char)*word) && !*end && isfinite(*out);
}

/* The part in front of the next separator, "" behind the last one. */
static const char *cut(char **rest, char sep)
{
    const char between[2] = {sep, 0};
    const char *const part = *rest ? strsep(rest, between) : "";
    return part;
}

static enum xk_status fail_part(const struct xk_conv_option *o,
                                const char *word, const char *part,
                                const char *why, struct xk_error *err)
{
    return xk_tool_fail(err, XK_EINVAL, "%s=%.120s: \"%.60s\" %s", o->name,
                        word, part, why);
}

static enum xk_status fail_policy(const struct xk_conv_option *o,
                                  const char *word, const char *part,
                                  struct xk_error *err)
{
    char why[200] = "is no mask and none of ";
    const size_t n = strlen(why);
    xk_words_of_policies(why + n, sizeof why - n);
    return fail_part(o, word, part, why, err);
}

static enum xk_status read_arg(const struct xk_conv_option *o, const char *word,
                               const char *text, uint32_t *out,
                               struct xk_error *err)
{
    if (xk_word_in(XK_WORD_LIST(attr_args, false), text, out) &&
        *out != XK_ARG_BIA)
        return XK_OK;
    bool other = !strncmp(text, "msrc", 4) && isdigit((unsigned char)text[4]);
    for (size_t k = 0; k < XK_WORD_COUNT(other_args); k++)
        other = other || !strcmp(text, other_args[k]);
    if (other)
        return xk_tool_fail(err, XK_EUNSUPPORTED,
                            "%s=%.120s: a convolution has no %s", o->name, word,
                            text);
    return fail_part(o, word, text, "is none of src, wei, dst", err);
}

/* A mask's digits, or a policy. */
static bool read_policy(const char *text, const struct xk_conv_desc *d,
                        uint32_t arg, struct xk_quant *q)
{
    const bool grouped = d->grouped || d->g > 1;
    const uint32_t dims =
        (d->ndims ? d->ndims : 4) + (arg == XK_ARG_WEI && grouped);
    int64_t digits;
    if (isdigit((unsigned char)*text) && xk_word_digits(text, &digits) &&
        digits <= INT32_MAX) {
        q->source = XK_QUANT_DEVICE;
        q->mask = (uint32_t)digits;
        return true;
    }
    for (size_t k = 0; k < XK_WORD_COUNT(policies); k++) {
        const struct policy *const p = &policies[k];
        if (strcasecmp(p->name, text) != 0)
            continue;
        q->source = p->source;
        q->mask = arg != XK_ARG_WEI ? p->mask : grouped ? p->grouped : p->wei;
        if (q->mask == ALL)
            q->mask = (1u << dims) - 1;
        return true;
    }
    return false;
}

/* "2x32" */
static bool read_groups(char *text, struct xk_quant *q)
{
    for (q->n_groups = 0; text; q->n_groups++)
        if (q->n_groups == 2 ||
            !xk_word_digits(cut(&text, 'x'), &q->group[q->n_groups]))
            return false;
    return true;
}

/* Scales or zero points: what their value may be, and where it goes. */
struct quant_kind {
    bool zero_point;
    uint32_t named; /* a bit for each tensor that has had its entry */
};

static bool read_attr_value(const struct quant_kind *k, const char *text,
                            struct xk_conv_request *r, uint32_t arg)
{
    double v;
    if (!read_attr_float(text, &v))
        return false;
    if (k->zero_point) {
        if (v != rint(v) || v < INT32_MIN || v > INT32_MAX)
            return false;
        r->zero_point[arg] = (int32_t)v;
        return true;
    }
    r->scale[arg] = (float)v;
    /* One so small that it would become 0 is refused, too. */
    return v >= 0 && isfinite(r->scale[arg]) && (r->scale[arg] > 0 || v == 0);
}

/* The places of ARGs that an option has named, a bit each: which of two values
 * would count, nobody said. */
static enum xk_status name_once(const struct xk_conv_option *o,
                                const char *word, uint32_t arg, uint32_t *named,
                                struct xk_error *err)
{
    if (*named >> arg & 1)
        return fail_part(o, word, attr_args[arg].text, "is named twice", err);
    *named |= 1u << arg;
    return XK_OK;
}

/* ARG:MASK[:VALUE][:DT[:G0xG1]] */
static enum xk_status read_quant(const struct xk_conv_option *o,
                                 const char *word, char *text,
                                 struct quant_kind *k,
                                 struct xk_conv_request *r,
                                 struct xk_error *err)
{
    struct xk_quant q = {0};
    uint32_t arg = 0;
    enum xk_status st = read_arg(o, word, cut(&text, ':'), &arg, err);
    if (st >= 0)
        st = name_once(o, word, arg, &k->named, err);
    if (st < 0)
        return st;
    const char *part = cut(&text, ':');
    if (!read_policy(part, &r->desc, arg, &q))
        return fail_policy(o, word, part, err);
    const bool one = !q.mask;
    if (text && one && !read_attr_value(k, part = cut(&text, ':'), r, arg))
        return fail_part(o, word, part,
                         k->zero_point ? "is no whole number"
                                       : "is no f32 of 0 or more",
                         err);
    if (text && xk_word_type(o->name, part = cut(&text, ':'), &q.type, err) < 0)
        return fail_part(o, word, part, "is no data type", err);
    if (text && !read_groups(text, &q))
        return fail_part(o, word, text, "are no two groups", err);
    (k->zero_point ? r->desc.attr.zero_point : r->desc.attr.scale)[arg] = q;
    return XK_OK;
}

/* Entries are joined by +. The + in an exponent, as in 1e+5, does not join. */
static enum xk_status read_quants(const struct xk_conv_option *o,
                                  const char *word, struct quant_kind *k,
                                  struct xk_conv_request *r,
                                  struct xk_error *err)
{
    char *const copy = strdup(word), *at = copy;
    enum xk_status st = copy ? XK_OK : XK_ENOMEM;
    while (st >= 0 && *word && at) {
        char *const entry = at;
        at = strchr(at, '+');
        if (at && at > entry && at[-1] == 'e' && !k->zero_point)
            at = strchr(at + 1, '+');
        if (at)
            *at++ = 0;
        st = read_quant(o, word, entry, k, r, err);
    }
    free(copy);
    return st;
}

XK_CONV_READ(xk_read_scales)
{
    return read_quants(o, word, &(struct quant_kind){false, 0}, r, err);
}

XK_CONV_READ(xk_read_zero_points)
{
    return read_quants(o, word, &(struct quant_kind){true, 0}, r, err);
}

XK_CONV_READ(xk_read_precomputed)
{
    (void)r;
    if (!*word)
        return XK_OK;
    return xk_tool_fail(err, XK_EUNSUPPORTED,
                        "%s=%.120s: only matrix products have them", o->name,
                        word);
}

XK_CONV_READ(xk_read_scratchpad)
{
    uint32_t who;
    (void)r;
    return xk_word_find(XK_WORD_LIST(scratchpads, true), o->name, word, &who,
                        err);
}

XK_CONV_READ(xk_read_acc_mode)
{
    return xk_word_find(XK_WORD_LIST(accs, true), o->name, word,
                        &r->desc.attr.acc_mode, err);
}

XK_CONV_READ(xk_read_fpmath)
{
    char mode[16];
    const size_t n = strcspn(word, ":");
    bool integers = false;
    snprintf(mode, sizeof mode, "%.*s", (int)n, word);
    if (word[n] && !xk_word_bool(word + n + 1, &integers))
        return fail_part(o, word, word + n + 1, "is neither true nor false",
                         err);
    r->desc.attr.math_integers = integers;
    return xk_word_find(XK_WORD_LIST(maths, true), o->name, mode,
                        &r->desc.attr.math_mode, err);
}

XK_CONV_READ(xk_read_deterministic)
{
    bool on;
    if (!xk_word_bool(word, &on))
        return fail_part(o, word, word, "is neither true nor false", err);
    r->desc.attr.deterministic = on;
    return XK_OK;
}

/* P[:SEED[:TAG[:OFFSET[:HOST]]]]; a probability of 0 alone is no dropout. */
XK_CONV_READ(xk_read_dropout)
{
    struct xk_dropout *const d = &r->desc.attr.dropout;
    char copy[160], *rest = copy;
    double p = 0;
    int64_t seed = 0, offset = 0;
    bool host = false;
    if (strlen(word) >= sizeof copy)
        return fail_part(o, word, word, "is too long", err);
    strcpy(copy, *word ? word : "0");
    const char *part = cut(&rest, ':');
    if (!read_attr_float(part, &p) || p < 0 || p > 1)
        return fail_part(o, word, part, "is no probability", err);
    if (rest && !xk_word_digits(part = cut(&rest, ':'), &seed))
        return fail_part(o, word, part, "is no seed", err);
    const char *const tag = rest ? cut(&rest, ':') : "any";
    if (!*tag || strlen(tag) >= sizeof d->mask_tag)
        return fail_part(o, word, tag, "is no tag", err);
    if (rest && !xk_word_digits(part = cut(&rest, ':'), &offset))
        return fail_part(o, word, part, "is no offset", err);
    if (rest && !xk_word_bool(rest, &host))
        return fail_part(o, word, rest, "is neither true nor false", err);
    if (p == 0 && !seed && !strcmp(tag, "any") && !offset && !host)
        return XK_OK;
    d->source = host ? XK_QUANT_HOST : XK_QUANT_DEVICE;
    d->has_offset = offset != 0;
    strcpy(d->mask_tag, tag);
    return XK_OK;
}

/* ARG:MODE[:SEED] joined by + */
XK_CONV_READ(xk_read_rounding)
{
    char copy[160], *rest = copy;
    uint32_t named = 0;
    int64_t seed;
    if (strlen(word) >= sizeof copy)
        return fail_part(o, word, word, "is too long", err);
    strcpy(copy, word);
    while (*word && rest) {
        char *entry = strsep(&rest, "+");
        uint32_t arg = 0;
        enum xk_status st = read_arg(o, word, cut(&entry, ':'), &arg, err);
        if (st >= 0)
            st = name_once(o, word, arg, &named, err);
        if (st >= 0 && entry)
            st = xk_word_find(XK_WORD_LIST(roundings, true), o->name,
                              cut(&entry, ':'), &r->desc.attr.rounding[arg],
                              err);
        if (st < 0)
            return st;
        if (entry && (!xk_word_digits(entry, &seed) || seed < INT32_MIN ||
                      seed > UINT32_MAX))
            return fail_part(o, word, entry, "is no seed of 32 bits", err);
        r->seed = (int32_t)(uint32_t)(entry ? seed : UINT32_MAX);
    }
    return XK_OK;
}
