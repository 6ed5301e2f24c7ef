/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "tools/xk/run_verb.h"
#include "tools/xk/verbs.h"

#define BUFFER_MAX_B (UINT64_C(1) << 32)

enum form { UNSIGNED, SIGNED, FLOAT, BFLOAT };

static const struct type {
    const char *name;
    uint8_t size_b, form;
} types[] = {
    {"u8", 1, UNSIGNED},  {"u16", 2, UNSIGNED}, {"u32", 4, UNSIGNED},
    {"u64", 8, UNSIGNED}, {"s8", 1, SIGNED},    {"s16", 2, SIGNED},
    {"s32", 4, SIGNED},   {"s64", 8, SIGNED},   {"f16", 2, FLOAT},
    {"bf16", 2, BFLOAT},  {"f32", 4, FLOAT},    {"f64", 8, FLOAT},
};

static const char *type_name(uint32_t k)
{
    return k < sizeof types / sizeof types[0] ? types[k].name : NULL;
}

void xk_run_type_words(char *out, size_t out_b)
{
    xk_tool_join_words(type_name, out, out_b);
}

static const struct type *find_type(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == n && !memcmp(types[i].name, name, n))
            return &types[i];
    return NULL;
}

const char *xk_run_value_word(uint32_t value)
{
    static const struct {
        uint8_t size_b, form;
    } of[] = {[XK_VALUE_F32] = {4, FLOAT},
              [XK_VALUE_S32] = {4, SIGNED},
              [XK_VALUE_S64] = {8, SIGNED}};
    for (size_t i = 0;
         value < sizeof of / sizeof of[0] && i < sizeof types / sizeof types[0];
         i++)
        if (types[i].size_b == of[value].size_b &&
            types[i].form == of[value].form)
            return types[i].name;
    return "?";
}

bool xk_run_number(const char *text, uint64_t max, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return !*end && !errno && *out <= max;
}

/* Round to nearest even. Exact through double: a half has 11 bits. */
static uint16_t half_of(double v)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    const double a = fabs(v);
    int e;
    if (isnan(v))
        return 0x7e00;
    if (a >= 65520.0)
        return sign | 0x7c00;
    frexp(a, &e); /* a = m * 2^e, m in [0.5, 1) */
    const int unit = a < 0x1p-14 ? -24 : e - 11;
    const long n = lrint(ldexp(a, -unit));
    if (unit == -24)
        return (uint16_t)(sign | n); /* 1024 is the smallest normal one */
    return (uint16_t)(sign | (((unsigned)(unit + 24) << 10) + (unsigned)n));
}

/* The upper half of a float, rounded to nearest even. The float is rounded to
 * odd first, so that v is not rounded twice. */
static uint16_t bfloat_of(double v)
{
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (isnan(v))
        return 0x7fc0;
    if ((double)f != v)
        bits = (bits - (fabs((double)f) > fabs(v))) | 1;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* v in the low bytes, as the type says. */
static void put_double(const struct type *t, double v, uint8_t *out)
{
    const float f = (float)v;
    const uint16_t h = t->form == BFLOAT ? bfloat_of(v) : half_of(v);
    if (t->size_b == 8)
        memcpy(out, &v, 8);
    else if (t->size_b == 4)
        memcpy(out, &f, 4);
    else
        memcpy(out, &h, 2);
}

static bool read_float(const struct type *t, const char *text, uint8_t *out)
{
    char *end;
    const double v = strtod(text, &end);
    put_double(t, v, out);
    return end != text && !*end;
}

static bool read_integer(const struct type *t, const char *text, uint8_t *out)
{
    const bool minus = t->form == SIGNED && *text == '-';
    const uint64_t top = UINT64_MAX >> (64 - 8 * t->size_b);
    const uint64_t max = t->form == UNSIGNED ? top : top / 2 + minus;
    uint64_t v;
    if (!xk_run_number(text + minus, max, &v))
        return false;
    v = minus ? 0 - v : v;
    memcpy(out, &v, t->size_b);
    return true;
}

static enum xk_status read_value(const char *word, unsigned number,
                                 struct xk_run_arg *out, struct xk_error *err)
{
    const size_t name_n = strcspn(word, ":");
    const struct type *const t = find_type(word, name_n);
    char words[120];
    xk_run_type_words(words, sizeof words);
    if (!t || word[name_n] != ':')
        return xk_tool_fail(
            err, XK_EINVAL,
            "argument %u: '%.100s': begins with neither buf: nor "
            "slm:, and its type is none of %s",
            number, word, words);
    const char *const text = word + name_n + 1;
    out->size_b = t->size_b;
    out->type = t->name;
    if (t->form >= FLOAT ? read_float(t, text, out->value)
                         : read_integer(t, text, out->value))
        return XK_OK;
    return xk_tool_fail(err, XK_EINVAL, "argument %u: '%.100s' is no %s",
                        number, text, t->name);
}

/* splitmix64: the same bytes on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Integers over the whole range, floats in [-1, 1). */
static void fill_random(const struct type *t, uint64_t count, uint64_t seed,
                        uint8_t *out)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t r = next_random(&seed);
        if (t->form >= FLOAT)
            put_double(t, (double)(r >> 40) * 0x1p-23 - 1, out + i * t->size_b);
        else
            memcpy(out + i * t->size_b, &r, t->size_b);
    }
}

static enum xk_status make_buffer(unsigned number, uint64_t size_b,
                                  struct xk_run_arg *out, struct xk_error *err)
{
    out->is_buffer = true;
    out->size_b = size_b;
    out->bytes = calloc(1, size_b);
    return out->bytes ? XK_OK
                      : xk_tool_fail(err, XK_ENOMEM,
                                     "argument %u: no memory for %llu bytes",
                                     number, (unsigned long long)size_b);
}

/* Reads COUNT, the number of elements of each_b bytes, from n characters.
 * Without characters need_b gives the size. 0: neither is valid. */
static uint64_t read_count(const char *text, size_t n, uint64_t need_b,
                           uint64_t each_b)
{
    const uint64_t max = BUFFER_MAX_B / each_b;
    char word[32] = "";
    uint64_t count;
    if (!n)
        return need_b % each_b || need_b / each_b > max ? 0 : need_b / each_b;
    if (n < sizeof word)
        memcpy(word, text, n);
    return xk_run_number(word, max, &count) ? count : 0;
}

/* TYPE:COUNT[:SEED] */
static enum xk_status read_random(const char *text, unsigned number,
                                  uint64_t need_b, struct xk_run_arg *out,
                                  struct xk_error *err)
{
    const size_t name_n = strcspn(text, ":");
    const struct type *const t = find_type(text, name_n);
    const char *const rest = text + name_n + (text[name_n] == ':');
    uint64_t seed = 1;
    char words[120];
    xk_run_type_words(words, sizeof words);
    if (!t)
        return xk_tool_fail(err, XK_EINVAL,
                            "argument %u: type '%.*s' is none of %s", number,
                            (int)(name_n > 40 ? 40 : name_n), text, words);
    const size_t count_n = strcspn(rest, ":");
    const uint64_t count = read_count(rest, count_n, need_b, t->size_b);
    if (!count && !count_n && need_b)
        return xk_tool_fail(err, XK_EINVAL,
                            "argument %u: %llu bytes are no number of %s",
                            number, (unsigned long long)need_b, t->name);
    if (!count)
        return xk_tool_fail(err, XK_EINVAL,
                            "argument %u: count '%.*s' is not of 1..%llu",
                            number, (int)(count_n > 40 ? 40 : count_n), rest,
                            (unsigned long long)(BUFFER_MAX_B / t->size_b));
    if (rest[count_n] && !xk_run_number(rest + count_n + 1, UINT64_MAX, &seed))
        return xk_tool_fail(err, XK_EINVAL,
                            "argument %u: seed '%.40s' is no number", number,
                            rest + count_n + 1);
    const enum xk_status st = make_buffer(number, count * t->size_b, out, err);
    if (st >= 0)
        fill_random(t, count, seed, out->bytes);
    return st;
}

static enum xk_status read_buffer(const char *text, unsigned number,
                                  uint64_t need_b, struct xk_run_arg *out,
                                  struct xk_error *err)
{
    struct xk_error why = {0};
    uint64_t size_b;
    size_t n_b;
    if (!strncmp(text, "rand:", 5))
        return read_random(text + 5, number, need_b, out, err);
    if (need_b && !strcmp(text, "zero"))
        return make_buffer(number, need_b, out, err);
    if (!strncmp(text, "zero:", 5)) {
        if (!xk_run_number(text + 5, BUFFER_MAX_B, &size_b) || !size_b)
            return xk_tool_fail(err, XK_EINVAL,
                                "argument %u: '%.40s' bytes are not of "
                                "1..%llu",
                                number, text + 5,
                                (unsigned long long)BUFFER_MAX_B);
        return make_buffer(number, size_b, out, err);
    }
    out->is_buffer = true;
    out->bytes = xk_tool_read(text, &n_b, &why);
    out->size_b = n_b;
    if (out->bytes && n_b)
        return XK_OK;
    return xk_tool_fail(err, out->bytes ? XK_EINVAL : XK_EIO,
                        "argument %u: %.300s", number,
                        out->bytes ? "the file is empty" : why.message);
}

enum xk_status xk_run_arg_parse(const char *word, unsigned number,
                                uint64_t need_b, struct xk_run_arg *out,
                                struct xk_error *err)
{
    *out = (struct xk_run_arg){.word = word};
    if (!strncmp(word, "buf:", 4))
        return read_buffer(word + 4, number, need_b, out, err);
    if (strncmp(word, "slm:", 4))
        return read_value(word, number, out, err);
    out->is_local = true;
    if (xk_run_number(word + 4, 1u << 20, &out->size_b) && out->size_b)
        return XK_OK;
    return xk_tool_fail(err, XK_EINVAL,
                        "argument %u: '%.40s' bytes of local memory are not "
                        "of 1..%u",
                        number, word + 4, 1u << 20);
}

void xk_run_arg_fini(struct xk_run_arg *a)
{
    free(a->bytes);
    a->bytes = NULL;
}
