/* SPDX-License-Identifier: Apache-2.0 */
/* benchdnn's problem strings: desc := entry { ["_"] entry } ["_"], entry := key
 * INT or "n" NAME, which ends the string. What the string leaves out is deduced
 * in benchdnn's order and with its arithmetic: defaults,
 * output size or front padding of each dimension, then square and cubic shapes.
 * A size of 0 counts as left out. All sizes are elements. */
#include "conv/conv.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

#define MAX_VALUE INT32_MAX

enum {
#define XK_CONV_FIELD(id, ...) id,
#include "conv/fields.def"
    N_FIELDS
};

static const struct field {
    char key[3];
    int8_t initial; /* in a string without it; -1: nothing is known */
    int8_t unit;    /* of a dimension that is not there */
    uint16_t offset_b;
} fields[N_FIELDS] = {
#define XK_CONV_FIELD(id, name, initial, unit, least)                          \
    {#name, initial, unit, offsetof(struct xk_conv_desc, name)},
#include "conv/fields.def"
};

/* First field of each kind; the dimension (0 d, 1 h, 2 w) is added. */
static const uint8_t kinds[] = {ID, OD, KD, SD, DD, PD};

struct parser {
    xk_ctx *c;
    const char *text, *s;
    char *name;
    size_t name_size;
    bool deconv;    /* as the descriptor says */
    uint32_t given; /* bit per field */
    int64_t value[N_FIELDS];
};

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
    while (xk_is_digit(at[n]))
        n++;
    const int shown = n < 24 ? (int)n : 24;
    return xk_fail(p->c, XK_EINVAL,
                   "problem \"%.200s\", position %zu: %s=%.*s%s: %s", p->text,
                   (size_t)(at - p->text) + 1, fields[field].key, shown, at,
                   n > 24 ? "..." : "", why);
}

/* The last value of a key counts. */
static enum xk_status parse_size(struct parser *p, unsigned field)
{
    const char *const at = p->s;
    const bool sign = *at == '-' || *at == '+';
    int64_t v = 0;
    p->s += sign;
    if (!xk_is_digit(*p->s))
        return fail_value(p, at, field, "a number must follow");
    for (; xk_is_digit(*p->s); p->s++) {
        v = v * 10 + (*p->s - '0');
        if (v > MAX_VALUE)
            return fail_value(p, at, field, "must be at most 2147483647");
    }
    if (*at == '-' && v)
        return fail_value(p, at, field, "must not be negative");
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

/* After the "n": the rest, without the quotes around it. */
static enum xk_status parse_name(struct parser *p)
{
    size_t n = strlen(p->s);
    const bool quoted = n > 1 && p->s[0] == '"' && p->s[n - 1] == '"';
    const char *const start = p->s + quoted;
    n -= 2 * (size_t)quoted;
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
    while (*p->s) {
        const unsigned field = find_field(p->s);
        if (field == N_FIELDS && *p->s == 'n') {
            p->s++;
            return parse_name(p);
        }
        if (field == N_FIELDS)
            return fail_at(p, p->s, "unknown field");
        p->s += strlen(fields[field].key);
        XK_TRY(parse_size(p, field));
        if (*p->s == '_')
            p->s++;
    }
    return XK_OK;
}

static enum xk_status require(const struct parser *p, unsigned field)
{
    if (p->value[field] > 0)
        return XK_OK;
    return xk_fail(
        p->c, XK_EINVAL, "problem \"%.200s\": %s%s", p->text, fields[field].key,
        p->given >> field & 1 ? "=0 must be positive" : " is missing");
}

/* A dimension is there if anything of it was given that does something. */
static bool dim_given(const struct parser *p, unsigned dim)
{
    const int64_t *const v = p->value;
    return v[ID + dim] || v[OD + dim] || v[KD + dim] || v[DD + dim] ||
           v[SD + dim] != 1 || v[PD + dim] > 0;
}

/* Output size from padding or padding from output size, each division towards
 * 0: benchdnn's, where a window that does not fit into the source still has one
 * place if less than a stride is missing, and padding may come out negative. A
 * deconvolution's window moves over the output. */
static enum xk_status deduce_size(struct parser *p, unsigned dim)
{
    int64_t *const v = p->value;
    XK_TRY(require(p, ID + dim));
    XK_TRY(require(p, KD + dim));
    const int64_t ek = (v[KD + dim] - 1) * (v[DD + dim] + 1) + 1;
    const int64_t places = v[(p->deconv ? ID : OD) + dim];
    const int64_t pixels = v[(p->deconv ? OD : ID) + dim];
    const int64_t span = (places - 1) * v[SD + dim] + ek;
    if (v[OD + dim] && v[PD + dim] < 0)
        v[PD + dim] = (span - pixels) / 2;
    if (v[OD + dim])
        return XK_OK;
    if (v[PD + dim] < 0)
        v[PD + dim] = 0;
    v[OD + dim] = p->deconv ? span - 2 * v[PD + dim]
                            : (pixels - ek + 2 * v[PD + dim]) / v[SD + dim] + 1;
    if (v[OD + dim] > 0)
        return XK_OK;
    return xk_fail(
        p->c, XK_EINVAL,
        "problem \"%.200s\": %s=%lld: the kernel of extent %lld does "
        "not fit %s %s=%lld with padding %lld",
        p->text, fields[KD + dim].key, (long long)v[KD + dim], (long long)ek,
        p->deconv ? "around" : "into", fields[ID + dim].key,
        (long long)v[ID + dim], (long long)v[PD + dim]);
}

static void set_unit(struct parser *p, unsigned dim)
{
    for (unsigned i = 0; i < XK_COUNTOF(kinds); i++) {
        const unsigned field = kinds[i] + dim;
        p->value[field] = fields[field].unit;
    }
}

static void copy_dim(struct parser *p, unsigned to, unsigned from)
{
    for (unsigned i = 0; i < XK_COUNTOF(kinds); i++)
        p->value[kinds[i] + to] = p->value[kinds[i] + from];
}

/* Any d makes the problem 3D, any h 2D, else it is 1D. A shape whose lower
 * dimensions are missing altogether is cubic or square. */
static enum xk_status complete(struct parser *p, uint32_t *ndims)
{
    bool given[3];
    for (unsigned dim = 0; dim < 3; dim++) {
        given[dim] = dim_given(p, dim);
        if (given[dim])
            XK_TRY(deduce_size(p, dim));
    }
    const bool d = given[0], h = given[1], w = given[2];
    if (!d && !h && !w)
        return require(p, IW);
    if (d && h != w)
        return require(p, h ? IW : IH);
    *ndims = d ? 5 : h ? 4 : 3;
    if (!d)
        set_unit(p, 0);
    else if (!h)
        copy_dim(p, 1, 0);
    if (!d && !h)
        set_unit(p, 1);
    else if (!w)
        copy_dim(p, 2, 1);
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
    uint32_t ndims = 0;
    if (!text || !d)
        return xk_fail(c, XK_EINVAL, "%s is NULL", text ? "desc" : "problem");
    if (d->size < offsetof(struct xk_conv_desc, src_tag))
        return xk_fail(c, XK_EINVAL, "desc.size=%u: the sizes need %zu bytes",
                       d->size, offsetof(struct xk_conv_desc, src_tag));
    p.deconv = d->size > offsetof(struct xk_conv_desc, alg) &&
               d->alg >= XK_ALG_DECONV_DIRECT;
    if (name && name_size)
        name[0] = 0;
    for (unsigned i = 0; i < N_FIELDS; i++)
        p.value[i] = fields[i].initial;
    XK_TRY(parse_entries(&p));
    const bool grouped = p.value[G] >= 0;
    if (!grouped)
        p.value[G] = 1;
    static const uint8_t positive[] = {G, IC, OC, SD, SH, SW};
    for (unsigned i = 0; i < XK_COUNTOF(positive); i++)
        XK_TRY(require(&p, positive[i]));
    XK_TRY(complete(&p, &ndims));
    for (unsigned i = 0; i < N_FIELDS; i++)
        *field_of(d, i) = p.value[i];
    if (d->size < offsetof(struct xk_conv_desc, alg))
        return XK_OK; /* a caller from before 1D and groups were told apart */
    d->ndims = ndims;
    d->grouped = grouped;
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
    const uint32_t own = xk_conv_is_3d(d) ? 5 : 4;
    const uint32_t ndims = d->ndims ? d->ndims : own;
    if (d->grouped || d->g != 1)
        xk_str_printf(out, "g%lld", (long long)d->g);
    xk_str_printf(out, "mb%lld", (long long)d->mb);
    for (unsigned i = 0; i < XK_COUNTOF(groups); i++) {
        xk_str_putc(out, '_');
        for (unsigned j = 0; j < 4; j++) {
            const unsigned field = groups[i][j];
            if (field != N_FIELDS && j + ndims >= (j ? 6 : 0))
                xk_str_printf(out, "%s%lld", fields[field].key,
                              (long long)*field_of(&copy, field));
        }
    }
}
