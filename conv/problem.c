/* SPDX-License-Identifier: Apache-2.0 */
/* benchdnn's problem strings: desc := entry { ["_"] entry }, entry := key INT
 * or "n" NAME, which ends the string. What the string leaves out is deduced in
 * benchdnn's order: defaults, output size or front padding of each dimension,
 * then square and cubic shapes. All sizes are elements. */
#include "conv/conv.h"

#include <stddef.h>
#include <string.h>

#define MAX_VALUE INT32_MAX

/* One row each, the three dimensions d, h, w of a kind next to each other. */
/* clang-format off */
#define FIELDS(X)                                                              \
    X(ID, id, 1) X(IH, ih, 1) X(IW, iw, 1) X(OD, od, 1) X(OH, oh, 1)           \
    X(OW, ow, 1) X(KD, kd, 1) X(KH, kh, 1) X(KW, kw, 1) X(SD, sd, 1)           \
    X(SH, sh, 1) X(SW, sw, 1) X(DD, dd, 0) X(DH, dh, 0) X(DW, dw, 0)           \
    X(PD, pd, 0) X(PH, ph, 0) X(PW, pw, 0) X(G, g, 1)   X(MB, mb, 1)           \
    X(IC, ic, 1) X(OC, oc, 1)
#define FIELD_ID(id, name, min) id,
#define FIELD_ROW(id, name, min) \
    {#name, min, offsetof(struct xk_conv_desc, name)},
/* clang-format on */
enum { FIELDS(FIELD_ID) N_FIELDS };

static const struct field {
    char key[3];
    uint8_t min; /* least value that makes sense */
    uint16_t offset_b;
} fields[N_FIELDS] = {FIELDS(FIELD_ROW)};

/* First field of each kind; the dimension (0 d, 1 h, 2 w) is added. */
static const uint8_t kinds[] = {ID, OD, KD, SD, DD, PD};

struct parser {
    xk_ctx *c;
    const char *text, *s;
    char *name;
    size_t name_size;
    uint32_t given; /* bit per field */
    int64_t value[N_FIELDS];
};

static bool has(const struct parser *p, unsigned field)
{
    return p->given >> field & 1;
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static enum xk_status fail_at(const struct parser *p, const char *at,
                              const char *why)
{
    return xk_fail(p->c, XK_EINVAL,
                   "problem \"%.200s\", position %zu: %s \"%.20s\"", p->text,
                   (size_t)(at - p->text) + 1, why, at);
}

/* A field, its value as written, what is wrong with it and where. */
static enum xk_status fail_value(const struct parser *p, const char *at,
                                 unsigned field, const char *why)
{
    size_t n = at[0] == '-' || at[0] == '+';
    while (is_digit(at[n]))
        n++;
    const int shown = n < 24 ? (int)n : 24;
    return xk_fail(p->c, XK_EINVAL,
                   "problem \"%.200s\", position %zu: %s=%.*s%s: %s", p->text,
                   (size_t)(at - p->text) + 1, fields[field].key, shown, at,
                   n > 24 ? "..." : "", why);
}

static enum xk_status parse_value(struct parser *p, unsigned field)
{
    const char *const at = p->s;
    int64_t v = 0;
    if (*at == '-' && is_digit(at[1]))
        return fail_value(p, at, field, "must not be negative");
    if (!is_digit(*at))
        return fail_value(p, at, field, "a number must follow");
    for (; is_digit(*p->s); p->s++) {
        v = v * 10 + (*p->s - '0');
        if (v > MAX_VALUE)
            return fail_value(p, at, field, "must be at most 2147483647");
    }
    if (v < fields[field].min)
        return fail_value(p, at, field, "must be positive");
    if (has(p, field) && p->value[field] != v)
        return fail_value(p, at, field, "was given before with another value");
    p->given |= 1u << field;
    p->value[field] = v;
    return XK_OK;
}

/* The field whose key stands at s; N_FIELDS if none. No key starts another. */
static unsigned find_field(const char *s)
{
    for (unsigned i = 0; i < N_FIELDS; i++) {
        if (strncmp(s, fields[i].key, strlen(fields[i].key)) == 0)
            return i;
    }
    return N_FIELDS;
}

/* After the "n": the rest, or what stands between two quotes that end it. */
static enum xk_status parse_name(struct parser *p)
{
    const char *const start = p->s + (*p->s == '"');
    size_t n = strlen(start);
    if (*p->s == '"') {
        const char *const quote = strchr(start, '"');
        if (!quote)
            return fail_at(p, p->s, "name (n) lacks the closing quote:");
        if (quote[1])
            return fail_at(p, quote + 1, "text behind the name:");
        n = (size_t)(quote - start);
    } else if (n == 0) {
        return fail_at(p, p->s, "name (n) is missing:");
    }
    if (strcspn(start, " \t\r\n") < n)
        return fail_at(p, start, "name (n) contains white space:");
    if (p->name && n >= p->name_size)
        return fail_at(p, start, "name (n) is too long:");
    if (p->name) {
        memcpy(p->name, start, n);
        p->name[n] = 0;
    }
    return XK_OK;
}

static enum xk_status parse_entries(struct parser *p)
{
    do {
        const unsigned field = find_field(p->s);
        if (field == N_FIELDS && *p->s == 'n') {
            p->s++;
            return parse_name(p);
        }
        if (field == N_FIELDS)
            return fail_at(p, p->s,
                           *p->s ? "unknown field" : "a field must follow");
        p->s += strlen(fields[field].key);
        XK_TRY(parse_value(p, field));
        if (*p->s == '_')
            p->s++;
        else if (*p->s == 0)
            return XK_OK;
    } while (true);
}

static enum xk_status require(const struct parser *p, unsigned field)
{
    if (has(p, field))
        return XK_OK;
    return xk_fail(p->c, XK_EINVAL, "problem \"%.200s\": %s is missing",
                   p->text, fields[field].key);
}

/* benchdnn counts a dimension as given by its sizes, a stride or a padding;
 * dilation is added here, which benchdnn would silently drop. */
static bool dim_given(const struct parser *p, unsigned dim)
{
    return has(p, ID + dim) || has(p, OD + dim) || has(p, KD + dim) ||
           p->value[SD + dim] > 1 || p->value[DD + dim] > 0 ||
           p->value[PD + dim] > 0;
}

/* Output size from padding or padding from output size. */
static enum xk_status deduce(struct parser *p, unsigned dim)
{
    int64_t *const v = p->value;
    XK_TRY(require(p, ID + dim));
    XK_TRY(require(p, KD + dim));
    const int64_t ek = (v[KD + dim] - 1) * (v[DD + dim] + 1) + 1;
    if (!has(p, OD + dim)) {
        const int64_t room = v[ID + dim] + 2 * v[PD + dim] - ek;
        if (room < 0)
            return xk_fail(p->c, XK_EINVAL,
                           "problem \"%.200s\": %s=%lld: the kernel of extent "
                           "%lld does not fit into %s=%lld with padding %lld",
                           p->text, fields[KD + dim].key,
                           (long long)v[KD + dim], (long long)ek,
                           fields[ID + dim].key, (long long)v[ID + dim],
                           (long long)v[PD + dim]);
        v[OD + dim] = room / v[SD + dim] + 1;
    } else if (!has(p, PD + dim)) {
        const int64_t total =
            (v[OD + dim] - 1) * v[SD + dim] - v[ID + dim] + ek;
        v[PD + dim] = total > 0 ? total / 2 : 0;
    }
    return XK_OK;
}

static void set_unit(struct parser *p, unsigned dim)
{
    for (unsigned i = 0; i < XK_COUNTOF(kinds); i++) {
        const unsigned field = kinds[i] + dim;
        p->value[field] = fields[field].min;
    }
}

/* Dim `to` becomes what `from` is; what was given for it must agree. */
static enum xk_status copy_dim(struct parser *p, unsigned to, unsigned from)
{
    for (unsigned i = 0; i < XK_COUNTOF(kinds); i++) {
        const struct field *const f = &fields[kinds[i] + to];
        const int64_t v = p->value[kinds[i] + from];
        if (has(p, kinds[i] + to) && p->value[kinds[i] + to] != v)
            return xk_fail(p->c, XK_EINVAL,
                           "problem \"%.200s\": %s=%lld does not fit a shape "
                           "that takes %s from %s=%lld",
                           p->text, f->key, (long long)p->value[kinds[i] + to],
                           f->key, fields[kinds[i] + from].key, (long long)v);
        p->value[kinds[i] + to] = v;
    }
    return XK_OK;
}

/* Any d makes the problem 3D, any h 2D, else it is 1D. A shape whose lower
 * dimensions are missing altogether is cubic or square. */
static enum xk_status complete(struct parser *p)
{
    const bool d = dim_given(p, 0), h = dim_given(p, 1), w = dim_given(p, 2);
    if (!d && !h && !w)
        return require(p, IW);
    for (unsigned dim = 0; dim < 3; dim++) {
        if (dim == 0 ? d : dim == 1 ? h : w)
            XK_TRY(deduce(p, dim));
    }
    if (d && h != w)
        return require(p, h ? IW : IH);
    if (d && !h) {
        XK_TRY(copy_dim(p, 1, 0));
        return copy_dim(p, 2, 0);
    }
    if (!d)
        set_unit(p, 0);
    if (h && !w)
        return copy_dim(p, 2, 1);
    if (!d && !h)
        set_unit(p, 1);
    return XK_OK;
}

static int64_t *field_of(struct xk_conv_desc *d, unsigned field)
{
    return (int64_t *)(void *)((char *)d + fields[field].offset_b);
}

enum xk_status xk_conv_parse(xk_ctx *c, const char *text,
                             struct xk_conv_desc *d, char *name,
                             size_t name_size)
{
    struct parser p = {
        .c = c, .text = text, .s = text, .name = name, .name_size = name_size};
    if (!text || !d)
        return xk_fail(c, XK_EINVAL, "%s is NULL", text ? "desc" : "problem");
    if (d->size < offsetof(struct xk_conv_desc, src_tag))
        return xk_fail(c, XK_EINVAL, "desc.size=%u: the sizes need %zu bytes",
                       d->size, offsetof(struct xk_conv_desc, src_tag));
    if (name && name_size)
        name[0] = 0;
    p.value[G] = 1;
    p.value[MB] = 2;
    p.value[SD] = p.value[SH] = p.value[SW] = 1;
    XK_TRY(parse_entries(&p));
    XK_TRY(require(&p, IC));
    XK_TRY(require(&p, OC));
    XK_TRY(complete(&p));
    for (unsigned i = 0; i < N_FIELDS; i++)
        *field_of(d, i) = p.value[i];
    return XK_OK;
}

bool xk_conv_is_3d(const struct xk_conv_desc *d)
{
    return d->id != 1 || d->od != 1 || d->kd != 1 || d->sd != 1 || d->dd != 0 ||
           d->pd != 0;
}

void xk_conv_print(const struct xk_conv_desc *d, struct xk_str *out)
{
    static const uint8_t groups[][4] = {
        {IC, ID, IH, IW},       {OC, OD, OH, OW},       {N_FIELDS, KD, KH, KW},
        {N_FIELDS, SD, SH, SW}, {N_FIELDS, PD, PH, PW}, {N_FIELDS, DD, DH, DW},
    };
    struct xk_conv_desc copy = *d;
    const bool with_d = xk_conv_is_3d(d);
    xk_str_printf(out, "g%lldmb%lld", (long long)d->g, (long long)d->mb);
    for (unsigned i = 0; i < XK_COUNTOF(groups); i++) {
        xk_str_putc(out, '_');
        for (unsigned j = 0; j < 4; j++) {
            const unsigned field = groups[i][j];
            if (field != N_FIELDS && (j != 1 || with_d))
                xk_str_printf(out, "%s%lld", fields[field].key,
                              (long long)*field_of(&copy, field));
        }
    }
}
