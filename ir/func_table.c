/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as text: the kind, then its payload in dotted parts. */
#include "ir/func_table.h"

#include <string.h>

#include "ir/tiles_text.h"
#include "base/text.h"

static const struct {
    const char *text;
    int n_args;
} rows[XK_N_FUNCS] = {
#define XK_FUNC(id, text, n_args) [XK_FUNC_##id] = {text, n_args},
#include "ir/func.def"
#undef XK_FUNC
};

static const char *const send_ops[] = {"load", "store", "prefetch",
                                       "atomic_add"};
static const char *const send_addrs[] = {"a64", "a32", "surface"};
static const char *const spaces[] = {"none", "global", "slm", "grf"};

const char *xk_func_text(enum xk_func_kind kind)
{
    return (unsigned)kind < XK_N_FUNCS ? rows[kind].text : "?";
}

int xk_func_n_args(enum xk_func_kind kind)
{
    return (unsigned)kind < XK_N_FUNCS ? rows[kind].n_args : 0;
}

const char *xk_space_name(enum xk_space space)
{
    return (unsigned)space < XK_COUNTOF(spaces) ? spaces[space] : "?";
}

static const char *name_in(const char *const *names, unsigned n, unsigned i)
{
    return i < n ? names[i] : "?";
}

/* One name if all types are the same, else all of them: "f32_f32_f16_f16". */
static void print_types(const uint8_t *t, unsigned n, struct xk_str *out)
{
    bool same = true;
    for (unsigned i = 1; i < n; i++)
        same = same && t[i] == t[0];
    for (unsigned i = 0; i < (same ? 1 : n); i++) {
        xk_str_puts(out, i ? "_" : ".");
        xk_str_puts(out, xk_dtype_name((enum xk_dtype)t[i]));
    }
}

static void print_send(const struct xk_send *s, struct xk_str *out)
{
    xk_str_printf(out, ".%s.%s.%s",
                  name_in(send_ops, XK_COUNTOF(send_ops), s->op),
                  xk_space_name((enum xk_space)s->space),
                  name_in(send_addrs, XK_COUNTOF(send_addrs), s->addr));
    if (s->addr == XK_SEND_SURFACE)
        xk_str_printf(out, "%u", s->surface);
    xk_str_printf(out, ".d%ux%u", s->data_b * 8u, s->vec);
    if (s->block)
        xk_str_puts(out, ".block");
    else
        xk_str_printf(out, ".s%u", s->lanes);
    if (s->cache)
        xk_str_printf(out, ".c%u", s->cache);
    if (s->zero)
        xk_str_puts(out, ".z");
}

static void print_mad(const struct xk_mad *m, struct xk_str *out)
{
    const uint8_t t[] = {m->dst, m->src0, m->src1, m->src2};
    print_types(t, 4, out);
    xk_str_printf(out, ".s%u.b%u%u%u", m->lanes, m->stride0, m->stride1,
                  m->stride2);
}

static void print_dpas(const struct xk_dpas *d, struct xk_str *out)
{
    const uint8_t t[] = {d->dst, d->src0, d->src1, d->src2};
    print_types(t, 4, out);
    xk_str_printf(out, ".e%u.d%u.r%u%s", d->exec, d->sdepth, d->rcount,
                  d->wide ? ".wide" : "");
}

static void print_reorder(const struct xk_reorder *r, struct xk_str *out)
{
    const uint8_t t[] = {r->dst, r->src};
    print_types(t, 2, out);
    xk_str_putc(out, '[');
    for (unsigned i = 0; i < r->n_dims && i < XK_REORDER_MAX_DIMS; i++)
        xk_str_printf(out, "%s%u:%u:%u", i ? ", " : "", r->extent[i],
                      r->dst_stride[i], r->src_stride[i]);
    xk_str_putc(out, ']');
}

void xk_func_print(const struct xk_func *f, struct xk_str *out)
{
    xk_str_puts(out, xk_func_text((enum xk_func_kind)f->kind));
    switch ((enum xk_func_kind)f->kind) {
    case XK_FUNC_SEND:
    case XK_FUNC_SENDH:
        print_send(&f->u.send, out);
        break;
    case XK_FUNC_MAD:
    case XK_FUNC_DP4A:
        print_mad(&f->u.mad, out);
        break;
    case XK_FUNC_DPAS:
        print_dpas(&f->u.dpas, out);
        break;
    case XK_FUNC_REORDER:
        print_reorder(&f->u.reorder, out);
        break;
    case XK_FUNC_TILE:
        xk_tile_call_print(&f->u.tile, out);
        break;
    case XK_FUNC_FENCE:
        xk_str_printf(out, ".%s", xk_space_name((enum xk_space)f->u.space));
        break;
    case XK_FUNC_BARRIER_SIGNAL:
    case XK_FUNC_BARRIER_WAIT:
    case XK_N_FUNCS:
        break;
    }
}

/* A dotted word being taken apart; p is at the next part or at end. */
struct parts {
    const char *p, *end;
};

static bool next_part(struct parts *w, const char **s, size_t *n)
{
    if (w->p >= w->end)
        return false;
    const char *const dot = memchr(w->p, '.', (size_t)(w->end - w->p));
    *s = w->p;
    *n = (size_t)((dot ? dot : w->end) - w->p);
    w->p = dot ? dot + 1 : w->end;
    return true;
}

static bool find_part(struct parts *w, const char *const *names, unsigned n,
                      uint8_t *out)
{
    const char *s;
    size_t len;
    if (!next_part(w, &s, &len))
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (xk_text_is(s, len, names[i])) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* Decimal digits at *s; moves on. False if there are none or v > max. */
static bool read_decimal(const char **s, const char *end, unsigned max,
                         unsigned *v)
{
    const char *const first = *s;
    *v = 0;
    while (*s < end && xk_is_digit(**s)) {
        *v = *v * 10 + (unsigned)(**s - '0');
        if (*v > max)
            return false;
        ++*s;
    }
    return *s != first;
}

/* A part that is a letter and a number of at most 255. */
static bool letter_number(struct parts *w, char letter, uint8_t *out)
{
    const char *s;
    size_t n;
    unsigned v;
    if (!next_part(w, &s, &n) || !n || *s != letter)
        return false;
    const char *const end = s + n;
    s++;
    if (!read_decimal(&s, end, UINT8_MAX, &v) || s != end)
        return false;
    *out = (uint8_t)v;
    return true;
}

static bool read_types(struct parts *w, uint8_t *t, unsigned n)
{
    const char *s;
    size_t len;
    unsigned k = 0;
    if (!next_part(w, &s, &len))
        return false;
    for (const char *const end = s + len; s < end; k++) {
        const char *const u = memchr(s, '_', (size_t)(end - s));
        const char *const stop = u ? u : end;
        const enum xk_dtype dt = xk_dtype_find(s, (uint32_t)(stop - s));
        if (!dt || k >= n)
            return false;
        t[k] = (uint8_t)dt;
        s = u ? u + 1 : end;
    }
    if (k == 1)
        memset(t, t[0], n);
    return k == 1 || k == n;
}

static const char *parse_data(struct parts *w, struct xk_send *out)
{
    const char *s;
    size_t n;
    unsigned bits, vec;
    if (!next_part(w, &s, &n) || !n || *s != 'd')
        return "send: expected d<bits>x<count>";
    const char *const end = s + n;
    s++;
    if (!read_decimal(&s, end, 64, &bits) || bits % 8 || !bits || s == end ||
        *s++ != 'x' || !read_decimal(&s, end, UINT8_MAX, &vec) || s != end)
        return "send: expected d<bits>x<count>";
    out->data_b = (uint8_t)(bits / 8);
    out->vec = (uint8_t)vec;
    return NULL;
}

/* a64, a32, or surface and its number. */
static const char *parse_addr(struct parts *w, struct xk_send *out)
{
    static const char surface[] = "surface";
    const size_t len = sizeof(surface) - 1;
    const struct parts before = *w;
    const char *s;
    size_t n;
    unsigned v;
    if (next_part(w, &s, &n) && n > len && !memcmp(s, surface, len)) {
        const char *const end = s + n;
        s += len;
        out->addr = XK_SEND_SURFACE;
        if (read_decimal(&s, end, UINT8_MAX, &v) && s == end) {
            out->surface = (uint8_t)v;
            return NULL;
        }
    }
    *w = before;
    if (find_part(w, send_addrs, XK_SEND_SURFACE, &out->addr))
        return NULL;
    return "send: expected a64, a32 or surface<number>";
}

/* What may stand behind the lanes. */
static const char *parse_last(struct parts *w, struct xk_send *out)
{
    struct parts before = *w;
    const char *s;
    size_t n;
    if (w->p < w->end && letter_number(w, 'c', &out->cache))
        before = *w;
    *w = before;
    if (w->p == w->end)
        return NULL;
    if (!next_part(w, &s, &n) || !xk_text_is(s, n, "z"))
        return "send: expected c<cache> or z";
    out->zero = true;
    return NULL;
}

static const char *parse_send(struct parts *w, struct xk_send *out)
{
    if (!find_part(w, send_ops, XK_COUNTOF(send_ops), &out->op))
        return "send: expected load, store, prefetch or atomic_add";
    if (!find_part(w, spaces, XK_COUNTOF(spaces), &out->space))
        return "send: expected global or slm";
    const char *e = parse_addr(w, out);
    if (!e)
        e = parse_data(w, out);
    if (e)
        return e;
    const struct parts before = *w;
    const char *s;
    size_t n;
    if (next_part(w, &s, &n) && xk_text_is(s, n, "block")) {
        out->block = true;
        out->lanes = 1;
    } else {
        *w = before;
        if (!letter_number(w, 's', &out->lanes))
            return "send: expected s<lanes> or block";
    }
    return parse_last(w, out);
}

static const char *parse_mad(struct parts *w, struct xk_mad *m)
{
    uint8_t t[4];
    const char *s;
    size_t n;
    if (!read_types(w, t, 4))
        return "mad: expected one type or four joined by _";
    m->dst = t[0];
    m->src0 = t[1];
    m->src1 = t[2];
    m->src2 = t[3];
    if (!letter_number(w, 's', &m->lanes))
        return "mad: expected s<lanes>";
    if (!next_part(w, &s, &n) || n != 4 || *s != 'b')
        return "mad: expected b and three strides";
    for (unsigned i = 1; i < 4; i++) {
        if (s[i] < '0' || s[i] > '9')
            return "mad: expected b and three strides";
    }
    m->stride0 = (uint8_t)(s[1] - '0');
    m->stride1 = (uint8_t)(s[2] - '0');
    m->stride2 = (uint8_t)(s[3] - '0');
    return NULL;
}

static const char *parse_dpas(struct parts *w, struct xk_dpas *d)
{
    uint8_t t[4];
    if (!read_types(w, t, 4))
        return "dpas: expected one type or four joined by _";
    d->dst = t[0];
    d->src0 = t[1];
    d->src1 = t[2];
    d->src2 = t[3];
    if (!letter_number(w, 'e', &d->exec) ||
        !letter_number(w, 'd', &d->sdepth) ||
        !letter_number(w, 'r', &d->rcount))
        return "dpas: expected e<exec>.d<depth>.r<count>";
    const char *s;
    size_t n;
    if (next_part(w, &s, &n)) {
        if (!xk_text_is(s, n, "wide"))
            return "dpas: expected wide";
        d->wide = true;
    }
    return NULL;
}

static const char *parse_payload(struct parts *w, struct xk_func *f)
{
    uint8_t t[2];
    switch ((enum xk_func_kind)f->kind) {
    case XK_FUNC_SEND:
    case XK_FUNC_SENDH:
        return parse_send(w, &f->u.send);
    case XK_FUNC_MAD:
    case XK_FUNC_DP4A:
        return parse_mad(w, &f->u.mad);
    case XK_FUNC_DPAS:
        return parse_dpas(w, &f->u.dpas);
    case XK_FUNC_REORDER:
        if (!read_types(w, t, 2))
            return "reorder: expected one type or two joined by _";
        f->u.reorder.dst = t[0];
        f->u.reorder.src = t[1];
        return NULL;
    case XK_FUNC_TILE: {
        const char *const at = w->p;
        w->p = w->end;
        return xk_tile_call_parse(at, w->end, &f->u.tile);
    }
    case XK_FUNC_FENCE:
        return find_part(w, spaces, XK_COUNTOF(spaces), &f->u.space)
                   ? NULL
                   : "fence: expected global or slm";
    case XK_FUNC_BARRIER_SIGNAL:
    case XK_FUNC_BARRIER_WAIT:
    case XK_N_FUNCS:
        break;
    }
    return NULL;
}

const char *xk_func_parse(const char *s, size_t n, struct xk_func *f)
{
    struct parts w = {s, s + n};
    const char *word;
    size_t len;
    memset(f, 0, sizeof(*f));
    if (!next_part(&w, &word, &len))
        return "expected a function";
    while (f->kind < XK_N_FUNCS && !xk_text_is(word, len, rows[f->kind].text))
        f->kind++;
    if (f->kind == XK_N_FUNCS)
        return "unknown statement or function";
    const char *const e = parse_payload(&w, f);
    if (e)
        return e;
    return w.p < w.end ? "text after the function's payload" : NULL;
}
