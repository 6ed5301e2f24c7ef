/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules as text: "fma=dpas simd=8 m=16 ...". All that this file knows of a
 * field is its row in field.def. */
#include <stddef.h>
#include <string.h>

#include "schedule/schedule.h"

#define PLACE(type, member)                                                    \
    {                                                                          \
        sizeof(type), (uint8_t)offsetof(struct xk_schedule, member)            \
    }
#define NOWHERE                                                                \
    {                                                                          \
        0, 0                                                                   \
    }
const struct xk_schedule_field xk_schedule_fields[] = {
#define XK_WORDS(name, type, member, words, meaning)                           \
    {#name, words, words, meaning, 0, false, {PLACE(type, member), NOWHERE}},
#define XK_NUMBER(name, type, member, drawn, meaning)                          \
    {#name, NULL, drawn, meaning, 0, false, {PLACE(type, member), NOWHERE}},
#define XK_DIGITS(name, type, member, drawn, meaning)                          \
    {#name, NULL, drawn, meaning, 0, true, {PLACE(type, member), NOWHERE}},
#define XK_PAIR(name, between, type, first, second, drawn, meaning)            \
    {#name,                                                                    \
     NULL,                                                                     \
     drawn,                                                                    \
     meaning,                                                                  \
     between,                                                                  \
     false,                                                                    \
     {PLACE(type, first), PLACE(type, second)}},
#include "schedule/field.def"
#undef XK_DIGITS
#undef XK_WORDS
#undef XK_NUMBER
#undef XK_PAIR
};
const unsigned xk_n_schedule_fields = XK_COUNTOF(xk_schedule_fields);
_Static_assert(XK_COUNTOF(xk_schedule_fields) < 64, "a bit each");

static unsigned get_field(const struct xk_schedule *c, struct xk_field_place p)
{
    const uint8_t *const at = (const uint8_t *)c + p.at;
    uint16_t wide;
    if (p.size == 1)
        return *at;
    memcpy(&wide, at, sizeof(wide));
    return wide;
}

static void set_field(struct xk_schedule *c, struct xk_field_place p,
                      unsigned v)
{
    uint8_t *const at = (uint8_t *)c + p.at;
    const uint16_t wide = (uint16_t)v;
    if (p.size == 1)
        *at = (uint8_t)v;
    else
        memcpy(at, &wide, sizeof(wide));
}

/* The i-th word of a list with blanks between, *n bytes; NULL behind the last.
 */
static const char *word_at(const char *words, unsigned i, size_t *n)
{
    for (;; i--) {
        words += strspn(words, " ");
        *n = strcspn(words, " ");
        if (!*n || !i)
            return *n ? words : NULL;
        words += *n;
    }
}

static struct xk_k_walk get_digits(const struct xk_schedule *c,
                                   struct xk_field_place p)
{
    struct xk_k_walk w;
    memcpy(&w, (const uint8_t *)c + p.at, sizeof(w));
    return w;
}

static void print_digits(struct xk_k_walk w, struct xk_str *out)
{
    unsigned n = 0;
    for (; n < XK_COUNTOF(w.digit) && w.digit[n]; n++)
        xk_str_printf(out, "%s%c", n == w.loops ? ":" : "",
                      XK_K_LETTERS[w.digit[n]]);
    if (n <= w.loops)
        xk_str_puts(out, ":");
}

static void print_value(const struct xk_schedule *c,
                        const struct xk_schedule_field *f, struct xk_str *out)
{
    size_t n = 0;
    if (f->digits) {
        print_digits(get_digits(c, f->place[0]), out);
        return;
    }
    const unsigned v = get_field(c, f->place[0]);
    const char *const word = f->words ? word_at(f->words, v, &n) : NULL;
    if (word)
        xk_str_write(out, word, n);
    else
        xk_str_printf(out, "%u", v);
    if (f->between)
        xk_str_printf(out, "%c%u", f->between, get_field(c, f->place[1]));
}

void xk_schedule_print(const struct xk_schedule *c, struct xk_str *out)
{
    xk_schedule_print_fields(c, (UINT64_C(1) << xk_n_schedule_fields) - 1, " ",
                             out);
}

void xk_schedule_print_fields(const struct xk_schedule *c, uint64_t fields,
                              const char *between, struct xk_str *out)
{
    for (uint64_t left = fields; left; left &= left - 1) {
        const struct xk_schedule_field *const f =
            &xk_schedule_fields[__builtin_ctzll(left)];
        xk_str_printf(out, "%s%s=", left == fields ? "" : between, f->name);
        print_value(c, f, out);
    }
}

bool xk_schedule_same(const struct xk_schedule *a, const struct xk_schedule *b)
{
    for (unsigned i = 0; i < xk_n_schedule_fields; i++)
        for (unsigned p = 0; p < 2; p++) {
            const struct xk_field_place at = xk_schedule_fields[i].place[p];
            if (memcmp((const uint8_t *)a + at.at, (const uint8_t *)b + at.at,
                       at.size))
                return false;
        }
    return true;
}

bool xk_schedule_names(const struct xk_schedule_fixed *fixed, const char *field)
{
    for (unsigned i = 0; i < xk_n_schedule_fields; i++)
        if (fixed->named >> i & 1 &&
            strcmp(xk_schedule_fields[i].name, field) == 0)
            return true;
    return false;
}

void xk_schedule_fix(const struct xk_schedule_fixed *fixed,
                     struct xk_schedule *io)
{
    for (uint64_t left = fixed->named; left; left &= left - 1) {
        const struct xk_schedule_field *const f =
            &xk_schedule_fields[__builtin_ctzll(left)];
        for (unsigned p = 0; p < 2; p++)
            memcpy((uint8_t *)io + f->place[p].at,
                   (const uint8_t *)&fixed->to + f->place[p].at,
                   f->place[p].size);
    }
}

/* "name=" at s; its field, with *value behind the sign. */
static const struct xk_schedule_field *field_at(const char *s, size_t n,
                                                const char **value)
{
    for (unsigned i = 0; i < xk_n_schedule_fields; i++) {
        const size_t len = strlen(xk_schedule_fields[i].name);
        if (n > len && s[len] == '=' &&
            !memcmp(s, xk_schedule_fields[i].name, len)) {
            *value = s + len + 1;
            return &xk_schedule_fields[i];
        }
    }
    return NULL;
}

static unsigned field_most(struct xk_field_place p)
{
    return p.size == 1 ? UINT8_MAX : UINT16_MAX;
}

static bool read_field_number(const char **s, const char *end,
                              struct xk_field_place p, struct xk_schedule *io)
{
    const unsigned most = field_most(p);
    const char *const first = *s;
    unsigned v = 0;
    for (; *s < end && **s >= '0' && **s <= '9' && v <= most; ++*s)
        v = v * 10 + (unsigned)(**s - '0');
    if (*s == first || v > most)
        return false;
    set_field(io, p, v);
    return true;
}

static bool word(const char *s, size_t len, const struct xk_schedule_field *f,
                 struct xk_schedule *io)
{
    const char *w;
    size_t n;
    for (unsigned v = 0; (w = word_at(f->words, v, &n)); v++)
        if (n == len && !memcmp(w, s, n)) {
            set_field(io, f->place[0], v);
            return true;
        }
    return false;
}

/* Each digit once at most, and one colon. */
static bool read_digits(const char *s, const char *end, struct xk_k_walk *out)
{
    unsigned n = 0, seen = 0;
    bool colon = false;
    *out = (struct xk_k_walk){0};
    for (; s < end; s++) {
        if (*s == ':' && !colon) {
            out->loops = (uint8_t)n;
            colon = true;
            continue;
        }
        const char *const at = memchr(XK_K_LETTERS, *s, XK_N_K_DIGITS);
        const unsigned digit = at ? (unsigned)(at - XK_K_LETTERS) : XK_K_END;
        if (digit == XK_K_END || seen >> digit & 1)
            return false;
        seen |= 1u << digit;
        out->digit[n++] = (uint8_t)digit;
    }
    return colon && n;
}

static bool parse_value(const struct xk_schedule_field *f, const char *s,
                        const char *end, struct xk_schedule *io)
{
    if (f->words)
        return word(s, (size_t)(end - s), f, io);
    if (f->digits) {
        struct xk_k_walk w;
        const bool good = read_digits(s, end, &w);
        memcpy((uint8_t *)io + f->place[0].at, &w, sizeof(w));
        return good;
    }
    if (!read_field_number(&s, end, f->place[0], io))
        return false;
    if (f->between && (s == end || *s++ != f->between ||
                       !read_field_number(&s, end, f->place[1], io)))
        return false;
    return s == end;
}

static enum xk_status no_field(xk_ctx *c, const char *text, size_t n)
{
    struct xk_str names;
    xk_str_init(&names, NULL);
    for (unsigned i = 0; i < xk_n_schedule_fields; i++)
        xk_str_printf(&names, "%s%s", i ? ", " : "",
                      xk_schedule_fields[i].name);
    const enum xk_status s =
        xk_fail(c, XK_EPARSE, "schedule: '%.*s' names no field: %s", (int)n,
                text, xk_str_get(&names));
    xk_str_fini(&names);
    return s;
}

static enum xk_status no_value(xk_ctx *c, const char *text, size_t n,
                               const struct xk_schedule_field *f)
{
    if (f->words)
        return xk_fail(
            c, XK_EPARSE,
            "schedule: '%.*s' has no valid value: %s is one of: %s; %s", (int)n,
            text, f->name, f->words, f->meaning);
    const char between[] = {f->between, 0};
    if (f->digits)
        return xk_fail(c, XK_EPARSE,
                       "schedule: '%.*s' has no valid value: %s is a list of "
                       "the digits%.*s, each once at most, and a colon; %s",
                       (int)n, text, f->name, XK_N_K_DIGITS, XK_K_LETTERS,
                       f->meaning);
    return xk_fail(
        c, XK_EPARSE,
        "schedule: '%.*s' has no valid value: %s is a number%s%s%s of at most "
        "%u; %s",
        (int)n, text, f->name, f->between ? ", " : "", between,
        f->between ? " and a number" : "", field_most(f->place[0]), f->meaning);
}

enum xk_status xk_schedule_parse(xk_ctx *c, const char *text,
                                 struct xk_schedule_fixed *io)
{
    static const char blanks[] = " \t\n";
    uint64_t here = 0; /* fields of this text, one behind the other */
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        const size_t n = strcspn(text, blanks);
        const char *value;
        const struct xk_schedule_field *const f = field_at(text, n, &value);
        if (!f)
            return no_field(c, text, n);
        if (!parse_value(f, value, text + n, &io->to))
            return no_value(c, text, n, f);
        const uint64_t bit = UINT64_C(1) << (f - xk_schedule_fields);
        if (here & bit)
            return xk_fail(c, XK_EPARSE,
                           "schedule: '%.*s' stands behind another %s", (int)n,
                           text, f->name);
        here |= bit;
        text += n;
    }
    io->named |= here;
    return XK_OK;
}
