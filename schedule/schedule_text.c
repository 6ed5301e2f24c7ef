/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules as text: "fma=dpas simd=8 m=16 ...". One row a field says its name
 * and where it is; pairs are joined by a separator. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"

enum kind { U8, U16, FLAG };

struct place {
    uint8_t kind; /* enum kind */
    uint8_t at;   /* offset in struct xk_schedule */
};
#define AT(kind, field)                                                        \
    {                                                                          \
        kind, (uint8_t)offsetof(struct xk_schedule, field)                     \
    }

/* words: value 0, 1, ... by name; NULL: numbers. */
static const char *const load_words[] = {
    "auto", "block", "scattered", "rows", "elements", "lines", NULL};

static const struct field {
    const char *name;
    struct place first, second;
    char between; /* 0: one value */
    const char *const *words;
} fields[] = {
#define ONE(name, ...)                                                         \
    {                                                                          \
        name, __VA_ARGS__, {0, 0}, 0, NULL                                     \
    }
    {"fma",
     AT(U8, fma),
     {0, 0},
     0,
     (const char *const[]){"mad", "dpas", "dpasw", "dp4a", "lanes", NULL}},
    ONE("simd", AT(U16, simd)),
    ONE("m", AT(U16, m_thr)),
    ONE("n", AT(U16, n_thr)),
    ONE("nsub", AT(U16, n_sub)),
    ONE("k", AT(U16, k_step)),
    {"tg", AT(U16, tg_m), AT(U16, tg_n), 'x', NULL},
    ONE("slices", AT(U8, slices)),
    {"taps",
     AT(FLAG, taps_inner),
     {0, 0},
     0,
     (const char *const[]){"outer", "inner", NULL}},
    {"slots", AT(U8, slots_a), AT(U8, slots_b), ',', NULL},
    ONE("slm", AT(U8, slm)),
    {"of",
     AT(U8, slm_of),
     {0, 0},
     0,
     (const char *const[]){"a", "b", "ab", NULL}},
    ONE("depth", AT(U8, depth)),
    {"footprint",
     AT(FLAG, footprint),
     {0, 0},
     0,
     (const char *const[]){"0", "1", NULL}},
    ONE("spread", AT(U16, spread)),
    {"skip",
     AT(U8, skip),
     {0, 0},
     0,
     (const char *const[]){"0", "1", "rows", NULL}},
    {"window",
     AT(FLAG, window),
     {0, 0},
     0,
     (const char *const[]){"0", "1", NULL}},
    {"prefetch",
     AT(FLAG, prefetch),
     {0, 0},
     0,
     (const char *const[]){"0", "1", NULL}},
    {"pack",
     AT(FLAG, pack),
     {0, 0},
     0,
     (const char *const[]){"0", "1", NULL}},
    {"addr",
     AT(FLAG, surfaces),
     {0, 0},
     0,
     (const char *const[]){"a64", "surface", NULL}},
    ONE("grf", AT(U16, grf_count)),
    {"order",
     AT(FLAG, m_first),
     {0, 0},
     0,
     (const char *const[]){"n", "m", NULL}},
    ONE("unroll", AT(U8, unroll)),
    {"load_a", AT(U8, load_a), {0, 0}, 0, load_words},
    {"load_b", AT(U8, load_b), {0, 0}, 0, load_words},
    {"store",
     AT(U8, store),
     {0, 0},
     0,
     (const char *const[]){"auto", "block", "scattered", "packed", "columns",
                           NULL}},
#undef ONE
};

static unsigned get(const struct xk_schedule *c, struct place p)
{
    const uint8_t *const at = (const uint8_t *)c + p.at;
    uint16_t v;
    if (p.kind != U16)
        return *at;
    memcpy(&v, at, sizeof(v));
    return v;
}

static void set(struct xk_schedule *c, struct place p, unsigned v)
{
    uint8_t *const at = (uint8_t *)c + p.at;
    const uint16_t wide = (uint16_t)v;
    if (p.kind == U16)
        memcpy(at, &wide, sizeof(wide));
    else
        *at = (uint8_t)v;
}

void xk_schedule_print(const struct xk_schedule *c, struct xk_str *out)
{
    for (unsigned i = 0; i < XK_COUNTOF(fields); i++) {
        const struct field *const f = &fields[i];
        const unsigned v = get(c, f->first);
        xk_str_printf(out, "%s%s=", i ? " " : "", f->name);
        if (f->words)
            xk_str_puts(out, f->words[v]);
        else
            xk_str_printf(out, "%u", v);
        if (f->between)
            xk_str_printf(out, "%c%u", f->between, get(c, f->second));
    }
}

/* "name=" at s; its field, with *value behind the sign. */
static const struct field *field_at(const char *s, size_t n, const char **value)
{
    for (unsigned i = 0; i < XK_COUNTOF(fields); i++) {
        const size_t len = strlen(fields[i].name);
        if (n > len && s[len] == '=' && !memcmp(s, fields[i].name, len)) {
            *value = s + len + 1;
            return &fields[i];
        }
    }
    return NULL;
}

static bool number(const char **s, const char *end, struct place p, unsigned *v)
{
    const unsigned most = p.kind == U16 ? UINT16_MAX : UINT8_MAX;
    const char *const first = *s;
    for (*v = 0; *s < end && **s >= '0' && **s <= '9' && *v <= most; ++*s)
        *v = *v * 10 + (unsigned)(**s - '0');
    return *s != first && *v <= most;
}

static bool word(const char **s, const char *end, const char *const *words,
                 unsigned *v)
{
    for (*v = 0; words[*v]; ++*v)
        if (strlen(words[*v]) == (size_t)(end - *s) &&
            !memcmp(words[*v], *s, (size_t)(end - *s))) {
            *s = end;
            return true;
        }
    return false;
}

static bool parse_field(const struct field *f, const char *s, const char *end,
                        struct xk_schedule *c)
{
    unsigned v;
    if (f->words ? !word(&s, end, f->words, &v)
                 : !number(&s, end, f->first, &v))
        return false;
    set(c, f->first, v);
    if (!f->between)
        return s == end;
    if (s == end || *s++ != f->between || !number(&s, end, f->second, &v))
        return false;
    set(c, f->second, v);
    return s == end;
}

/* Fields that a text names, each a bit at its place. */
#define BIT(field) (UINT64_C(1) << offsetof(struct xk_schedule, field))
/* Whether rows may be spread depends on these. */
#define DECIDE_ROWS                                                            \
    (BIT(fma) | BIT(m_thr) | BIT(tg_m) | BIT(taps_inner) | BIT(footprint) |    \
     BIT(surfaces))

/* Whether A may come by lines, and how many buffers fit, on these. */
#define DECIDE_LINES                                                           \
    (BIT(fma) | BIT(m_thr) | BIT(n_thr) | BIT(k_step) | BIT(slices) |          \
     BIT(taps_inner) | BIT(slots_a) | BIT(slm) | BIT(surfaces) |               \
     BIT(grf_count))

/* What the named fields decide of the loops and buffers of the others. */
static void settle_buffers(struct xk_schedule *io, uint64_t named)
{
    if (!(named & BIT(slm)) && !io->surfaces)
        io->slm = 0;
    if (!(named & BIT(taps_inner)))
        io->taps_inner = io->slm != 0 || (io->taps_inner && io->surfaces);
    if (!(named & BIT(n_sub)) && named & BIT(n_thr))
        io->n_sub = io->n_thr;
    if (named & BIT(slots_a))
        return;
    if (io->slm && named & BIT(slm))
        io->slots_a = 1;
    if (!io->taps_inner) {
        io->slots_a = io->slots_a > 2 ? 2 : io->slots_a;
        io->slots_b = io->slots_b > 2 ? 2 : io->slots_b;
    }
}

/* And of what makes them better where it can be. */
static void settle_extras(struct xk_schedule *io, uint64_t named)
{
    if (!(named & BIT(load_a)) && named & DECIDE_LINES &&
        io->load_a == XK_LOAD_LINES)
        io->load_a = XK_LOAD_AUTO;
    if (!(named & BIT(footprint)) &&
        (io->slm != 2 || io->depth != 1 || io->slm_of))
        io->footprint = false; /* others' go with them */
    const bool shared = io->slm && (named & BIT(slm) || io->slm_of);
    if (!(named & BIT(slices)) &&
        ((shared && !io->footprint) || !io->taps_inner))
        io->slices = 1;
    if (!(named & BIT(spread)) && named & DECIDE_ROWS)
        io->spread = 0;
    const bool flat = xk_schedule_is_flat(io);
    if (!(named & BIT(window)))
        io->window &= flat && io->slots_a == 1 && !(named & DECIDE_ROWS);
    else if (!(named & BIT(slots_a)) && io->window)
        io->slots_a = 1;
    if (!(named & BIT(pack)))
        io->pack &= !io->slm && io->surfaces && io->n_thr >= XK_PACK_COLUMNS &&
                    xk_fma_is_systolic(io->fma);
    const bool rows = io->fma == XK_FMA_DPASW && io->m_thr % 8 == 0;
    if (!(named & BIT(skip)) && (!flat || (io->slots_a < 2 && !io->window) ||
                                 (io->skip == XK_SKIP_ROWS && !rows)))
        io->skip = XK_SKIP_NONE;
    if (!(named & BIT(prefetch)))
        io->prefetch &= flat && !io->m_first;
}

enum xk_status xk_schedule_parse(xk_ctx *c, const char *text,
                                 struct xk_schedule *io)
{
    static const char blanks[] = " \t\n";
    uint64_t named = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        const size_t n = strcspn(text, blanks);
        const char *value;
        const struct field *const f = field_at(text, n, &value);
        if (!f)
            return xk_fail(c, XK_EPARSE,
                           "schedule: '%.*s' names no field: fma, simd, m, n, "
                           "nsub, k, tg, slices, taps, slots, slm, of, depth, "
                           "footprint, spread, skip, window, prefetch, pack, addr, "
                           "grf, order, unroll, load_a, load_b, store",
                           (int)n, text);
        if (!parse_field(f, value, text + n, io))
            return xk_fail(c, XK_EPARSE, "schedule: '%.*s' has no valid value",
                           (int)n, text);
        named |= UINT64_C(1) << f->first.at;
        text += n;
    }
    settle_buffers(io, named);
    settle_extras(io, named);
    return XK_OK;
}
