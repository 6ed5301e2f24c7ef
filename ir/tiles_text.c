/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of a tiling as text, without line ends. */
#include <inttypes.h>
#include <string.h>

#include "ir/tiles_text.h"

void xk_tiling_print_index(const struct xk_tiling *t, struct xk_str *out)
{
    for (unsigned i = 0; i < t->n_index; i++)
        xk_str_printf(out, "%s %s %" PRId64, i ? "," : "index",
                      t->index[i].name, t->index[i].extent);
}

static void print_digit(const struct xk_tiling *t, const struct xk_digit *d,
                        struct xk_str *out)
{
    xk_str_printf(out, " %s", t->index[d->index].name);
    if (d->div != 1)
        xk_str_printf(out, "/%" PRId64, d->div);
    if (d->mod)
        xk_str_printf(out, "%%%" PRId64, d->mod);
}

void xk_tiling_print_walks(const struct xk_tiling *t, struct xk_str *out)
{
    bool any = false;
    for (unsigned r = 0; r < XK_N_ROLES; r++) {
        const struct xk_digits *const w = &t->walk[xk_role_order[r]];
        if (!w->n)
            continue;
        xk_str_printf(out, "%s %c =", any ? "," : "walk",
                      xk_role_letter[xk_role_order[r]]);
        for (unsigned i = 0; i < w->n; i++)
            print_digit(t, &w->at[i], out);
        any = true;
    }
}

/* Strides are told where they do not follow. */
static void print_blocks(const struct xk_layout *l, const char *letters,
                         struct xk_str *out)
{
    xk_str_puts(out, " [");
    for (unsigned i = 0; i < l->n_blocks; i++) {
        const struct xk_block *const b = &l->block[i];
        const struct xk_block *const in =
            i + 1u < l->n_blocks ? &l->block[i + 1] : NULL;
        xk_str_printf(out, "%s%c%" PRId64, i ? " " : "", letters[b->dim],
                      b->size);
        if (b->stride != (in ? in->stride * in->size : 1))
            xk_str_printf(out, ":%" PRId64, b->stride);
    }
    xk_str_putc(out, ']');
}

/* A tag only if it gives this layout again. */
static bool has_tag(const struct xk_layout *l, char tag[XK_LAYOUT_TAG_MAX])
{
    xk_layout_tag(l, tag, XK_LAYOUT_TAG_MAX);
    return tag[0] && !l->offset_e;
}

static void print_layout(const struct xk_layout *l, struct xk_str *out)
{
    char tag[XK_LAYOUT_TAG_MAX];
    xk_str_puts(out, xk_dtype_name(l->dt));
    for (unsigned d = 0; d < l->n_dims; d++)
        xk_str_printf(out, "%c%" PRId64, d ? ',' : '[', l->dim[d]);
    xk_str_putc(out, ']');
    if (has_tag(l, tag))
        xk_str_printf(out, " %s", tag);
    else
        print_blocks(l, "abcdef", out);
}

static void print_coord_form(const struct xk_tiling *t,
                             const struct xk_coord *x, struct xk_str *out)
{
    bool any = false;
    for (unsigned i = 0; i < t->n_index; i++) {
        const int64_t v = x->coef[i], size = v < 0 ? -v : v;
        if (!v)
            continue;
        xk_str_puts(out, v < 0 ? any ? " - " : "-" : any ? " + " : "");
        if (size != 1)
            xk_str_printf(out, "%" PRId64 "*", size);
        xk_str_puts(out, t->index[i].name);
        any = true;
    }
    if (!any)
        xk_str_printf(out, "%" PRId64, x->base);
    else if (x->base)
        xk_str_printf(out, " %c %" PRId64, x->base < 0 ? '-' : '+',
                      x->base < 0 ? -x->base : x->base);
}

void xk_tiling_print_view(const struct xk_tiling *t, unsigned view,
                          struct xk_str *out)
{
    const struct xk_access *const a = &t->view[view].access;
    print_layout(&a->layout, out);
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const x = &a->at[d];
        const bool condition = d >= a->layout.n_dims;
        xk_str_puts(out, !d ? " [" : d == a->layout.n_dims ? " | " : ", ");
        print_coord_form(t, x, out);
        if (condition || x->lo || x->hi != a->layout.dim[d])
            xk_str_printf(out, " in %" PRId64 "..%" PRId64, x->lo, x->hi);
    }
    xk_str_putc(out, ']');
    if (a->fill)
        xk_str_printf(out, " fill %d", a->fill);
}

void xk_tiling_print_tile(const struct xk_tile_decl *d, struct xk_str *out)
{
    char letters[XK_N_ROLES];
    for (unsigned i = 0; i < d->layout.n_dims; i++)
        letters[i] = xk_role_letter[d->role[i]];
    xk_str_printf(out, "tile %s = %s", d->name, xk_dtype_name(d->layout.dt));
    print_blocks(&d->layout, letters, out);
}

static const char *const ops[] = {"zero", "load", "store", "add",
                                  "mul",  "copy", "dot"};
static const char *const families[] = {"mad", "dp4a", "dpas", "dpasw"};

void xk_tile_call_print(const struct xk_tile_call *f, struct xk_str *out)
{
    const bool mul = f->op == XK_TILE_MUL;
    xk_str_printf(out, ".%s", f->op < XK_N_TILE_OPS ? ops[f->op] : "?");
    if (mul)
        xk_str_printf(out, ".%s",
                      f->family < XK_N_TILE_FAMILIES ? families[f->family]
                                                     : "?");
    if (xk_tile_call_moves(f))
        xk_str_printf(out, ".%s", f->view);
    for (unsigned i = 0; i < xk_tile_call_tiles(f); i++)
        xk_str_printf(out, ".%s", f->tile[i]);
    for (unsigned i = 0; i < f->n_parts; i++)
        xk_str_printf(out, "%s%c %u+%u", i ? ", " : "[",
                      xk_role_letter[f->part[i].role], f->part[i].first,
                      f->part[i].n);
    if (f->n_parts)
        xk_str_putc(out, ']');
}

/* One part of a dotted word, at most size - 1 characters. */
static bool next_word(const char **s, const char *end, char *out, size_t size)
{
    size_t n = 0;
    while (*s + n < end && (*s)[n] != '.')
        n++;
    if (!n || n >= size)
        return false;
    memcpy(out, *s, n);
    out[n] = 0;
    *s += n + (*s + n < end);
    return true;
}

static bool find_word(const char **s, const char *end, const char *const *words,
                      unsigned n, uint8_t *out)
{
    char word[8];
    if (!next_word(s, end, word, sizeof(word)))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(words[i], word)) {
            *out = (uint8_t)i;
            return true;
        }
    return false;
}

const char *xk_tile_call_parse(const char *s, const char *end,
                               struct xk_tile_call *f)
{
    if (!find_word(&s, end, ops, XK_COUNTOF(ops), &f->op))
        return "tile: expected zero, load, store, add, mul, copy or dot";
    const bool mul = f->op == XK_TILE_MUL;
    if (mul && !find_word(&s, end, families, XK_COUNTOF(families), &f->family))
        return "tile.mul: expected mad, dp4a, dpas or dpasw";
    if (xk_tile_call_moves(f) && !next_word(&s, end, f->view, sizeof(f->view)))
        return "tile: expected a view's name of at most 3 characters";
    for (unsigned i = 0; i < xk_tile_call_tiles(f); i++)
        if (!next_word(&s, end, f->tile[i], sizeof(f->tile[i])))
            return "tile: expected a tile's name of at most 3 characters";
    return s < end ? "text after the function's payload" : NULL;
}
