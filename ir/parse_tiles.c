/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that declare a tiling: index, view, walk, tile. They stand
 * together; what follows them in the block is the tiling's body. */
#include <string.h>

#include "ir/parse.h"

static bool parse_short_name(struct xk_parse *p, char *out, size_t size,
                             const char *too_long)
{
    if (p->tok.kind != XK_TOKEN_WORD)
        return xk_parse_fail(p, "expected a name");
    if (p->tok.n >= size)
        return xk_parse_fail(p, too_long);
    memcpy(out, p->tok.s, p->tok.n);
    out[p->tok.n] = 0;
    xk_parse_advance(p);
    return true;
}

static bool parse_int(struct xk_parse *p, int64_t *v)
{
    uint64_t u;
    const bool negative = xk_parse_accept(p, "-");
    if (!xk_parse_uint(p, INT32_MAX, &u))
        return false;
    *v = negative ? -(int64_t)u : (int64_t)u;
    return true;
}

/* index mb 16, oh 56 */
static bool parse_index(struct xk_parse *p, struct xk_tiling *t)
{
    do {
        if (t->n_index == XK_MAX_INDEX)
            return xk_parse_fail(p, "more than 12 indices");
        struct xk_index *const x = &t->index[t->n_index];
        if (!parse_short_name(p, x->name, sizeof(x->name),
                              "an index's name has at most 7 characters") ||
            !parse_int(p, &x->extent))
            return false;
        t->n_index++;
    } while (xk_parse_accept(p, ","));
    return true;
}

static bool parse_index_name(struct xk_parse *p, const struct xk_tiling *t,
                             unsigned *out)
{
    char name[8];
    const struct xk_token at = p->tok;
    if (!parse_short_name(p, name, sizeof(name), "there is no such index"))
        return false;
    const int i = xk_tiling_index(t, name);
    if (i < 0) {
        p->tok = at;
        return xk_parse_fail(p, "there is no such index");
    }
    *out = (unsigned)i;
    return true;
}

static bool parse_role(struct xk_parse *p, unsigned *role)
{
    for (unsigned r = 0; r < XK_N_ROLES; r++) {
        const char letter[] = {xk_role_letter[r], 0};
        *role = r;
        if (xk_parse_accept(p, letter))
            return true;
    }
    return xk_parse_fail(p, "expected a walk: b, m, n or k");
}

/* ic, ic/16, ic%16, ic/4%4 */
static bool parse_digit(struct xk_parse *p, struct xk_tiling *t, unsigned role)
{
    struct xk_digits *const w = &t->walk[role];
    unsigned index = 0;
    if (w->n == XK_MAX_DIGITS)
        return xk_parse_fail(p, "more than 8 parts of indices");
    struct xk_digit *const d = &w->at[w->n];
    *d = (struct xk_digit){.div = 1};
    if (!parse_index_name(p, t, &index) ||
        (xk_parse_accept(p, "/") && !parse_int(p, &d->div)) ||
        (xk_parse_accept(p, "%") && !parse_int(p, &d->mod)))
        return false;
    if (d->div < 1 || d->mod < 0)
        return xk_parse_fail(p, "a part of an index has positive numbers");
    d->index = (uint8_t)index;
    w->n++;
    t->index[index].role = (uint8_t)role;
    return true;
}

/* walk m = mb oh ow, k = ic/16 kh kw ic%16 */
static bool parse_walk(struct xk_parse *p, struct xk_tiling *t)
{
    do {
        unsigned role;
        if (!parse_role(p, &role) || !xk_parse_expect(p, "="))
            return false;
        if (t->walk[role].n)
            return xk_parse_fail(p, "the walk is declared twice, before");
        const uint32_t line = p->tok.line;
        do
            if (!parse_digit(p, t, role))
                return false;
        while (p->tok.kind == XK_TOKEN_WORD && p->tok.line == line);
    } while (xk_parse_accept(p, ","));
    return true;
}

/* A letter and a number: "m8". */
static bool parse_block_word(struct xk_parse *p, char *letter, int64_t *size)
{
    const char *const s = p->tok.s;
    *size = 0;
    if (p->tok.kind != XK_TOKEN_WORD || p->tok.n < 2)
        return xk_parse_fail(p, "expected a letter and a size");
    for (uint32_t i = 1; i < p->tok.n; i++) {
        if (s[i] < '0' || s[i] > '9' || *size > INT32_MAX / 10)
            return xk_parse_fail(p, "expected a letter and a size");
        *size = *size * 10 + (s[i] - '0');
    }
    *letter = *s;
    if (!*size)
        return xk_parse_fail(p, "a block has at least one element");
    xk_parse_advance(p);
    return true;
}

static bool parse_stride(struct xk_parse *p, struct xk_block *b)
{
    if (!xk_parse_accept(p, ":"))
        return true;
    if (!parse_int(p, &b->stride))
        return false;
    return b->stride > 0 || xk_parse_fail(p, "a stride is at least 1");
}

/* "m4 k8 m8:16 k2]": blocks, outermost first; strides that are not told follow
 * from the inside. letters[d] is the letter of dim d. */
static bool parse_blocks(struct xk_parse *p, const char *letters,
                         struct xk_layout *l)
{
    while (!xk_parse_accept(p, "]")) {
        char letter = 0;
        if (l->n_blocks == XK_LAYOUT_MAX_BLOCKS)
            return xk_parse_fail(p, "more than 16 blocks");
        struct xk_block *const b = &l->block[l->n_blocks];
        const struct xk_token at = p->tok;
        *b = (struct xk_block){0};
        if (!parse_block_word(p, &letter, &b->size) || !parse_stride(p, b))
            return false;
        const char *const d = strchr(letters, letter);
        if (!d) {
            p->tok = at;
            return xk_parse_fail(p, "there is no such dim");
        }
        b->dim = (uint8_t)(d - letters);
        l->n_blocks++;
    }
    int64_t inner = 1;
    for (unsigned i = l->n_blocks; i-- > 0;) {
        if (!l->block[i].stride)
            l->block[i].stride = inner;
        inner = l->block[i].stride * l->block[i].size;
        if (inner > INT32_MAX)
            return xk_parse_fail(p, "the layout is too large");
    }
    return true;
}

static bool parse_element_type(struct xk_parse *p, struct xk_layout *l)
{
    l->dt = p->tok.kind == XK_TOKEN_WORD ? xk_dtype_find(p->tok.s, p->tok.n)
                                         : XK_DT_UNDEF;
    if (l->dt == XK_DT_UNDEF || l->dt == XK_DT_BOOL)
        return xk_parse_fail(p, "expected a type");
    xk_parse_advance(p);
    return true;
}

/* [256,128] ab, or blocks in brackets. */
static bool parse_layout(struct xk_parse *p, const char *view,
                         struct xk_layout *l)
{
    int64_t dims[XK_LAYOUT_MAX_DIMS];
    unsigned n = 0;
    if (!parse_element_type(p, l) || !xk_parse_expect(p, "["))
        return false;
    do {
        if (n == XK_LAYOUT_MAX_DIMS)
            return xk_parse_fail(p, "a view has at most 6 dims");
        if (!parse_int(p, &dims[n++]))
            return false;
    } while (xk_parse_accept(p, ","));
    if (!xk_parse_expect(p, "]"))
        return false;
    if (xk_parse_accept(p, "[")) {
        char letters[] = "abcdef";
        letters[n] = 0;
        l->n_dims = (uint8_t)n;
        memcpy(l->dim, dims, n * sizeof(dims[0]));
        if (!parse_blocks(p, letters, l))
            return false;
        for (unsigned d = 0; d < n; d++)
            l->padded[d] = 1;
        for (unsigned i = 0; i < l->n_blocks; i++)
            l->padded[l->block[i].dim] *= l->block[i].size;
        return true;
    }
    char tag[XK_LAYOUT_TAG_MAX];
    const struct xk_token at = p->tok;
    if (!parse_short_name(p, tag, sizeof(tag), "the tag is too long"))
        return false;
    if (xk_layout_from_tag(p->c, view, (struct xk_tensor_dims){l->dt, n, dims},
                           tag, l) == XK_OK)
        return true;
    return xk_parse_wrap(p, at);
}

/* 2, oh, 2*oh, with a sign in front. */
static bool parse_term(struct xk_parse *p, const struct xk_tiling *t,
                       int64_t sign, struct xk_coord *x)
{
    int64_t v = 1;
    unsigned index = 0;
    const bool number = p->tok.kind == XK_TOKEN_INT;
    if (number && !parse_int(p, &v))
        return false;
    if (number && !xk_parse_accept(p, "*")) {
        x->base += sign * v;
        return true;
    }
    if (!parse_index_name(p, t, &index))
        return false;
    x->coef[index] += sign * v;
    return true;
}

static bool parse_coord(struct xk_parse *p, const struct xk_tiling *t,
                        struct xk_coord *x)
{
    int64_t sign = xk_parse_accept(p, "-") ? -1 : 1;
    for (;;) {
        if (!parse_term(p, t, sign, x))
            return false;
        if (xk_parse_accept(p, "+"))
            sign = 1;
        else if (xk_parse_accept(p, "-"))
            sign = -1;
        else
            break;
    }
    if (!xk_parse_accept(p, "in"))
        return true;
    return parse_int(p, &x->lo) && xk_parse_expect(p, "..") &&
           parse_int(p, &x->hi);
}

/* [mb, ic, oh + kh - 1 | p - q in 0..1] */
static bool parse_coords(struct xk_parse *p, const struct xk_tiling *t,
                         struct xk_access *a)
{
    if (!xk_parse_expect(p, "["))
        return false;
    while (!xk_parse_accept(p, "]")) {
        const bool condition = a->n_coord >= a->layout.n_dims;
        const bool first = a->n_coord == a->layout.n_dims;
        if (a->n_coord == XK_MAX_COORD)
            return xk_parse_fail(p, "an access has at most 8 coordinates");
        if (a->n_coord && !xk_parse_expect(p, first ? "|" : ","))
            return false;
        struct xk_coord *const x = &a->at[a->n_coord++];
        if (!condition)
            x->hi = a->layout.dim[a->n_coord - 1];
        if (!parse_coord(p, t, x))
            return false;
        if (condition && x->lo >= x->hi)
            return xk_parse_fail(p, "a condition has an interval, in LO..HI");
    }
    return true;
}

/* view A = src f16[256,128] ab [i, p] fill 3 */
static bool parse_view(struct xk_parse *p, struct xk_tiling *t,
                       const xk_expr **mem)
{
    do {
        if (t->n_views == XK_MAX_VIEWS)
            return xk_parse_fail(p, "more than 8 views");
        struct xk_view_decl *const v = &t->view[t->n_views];
        int64_t fill = 0;
        if (!parse_short_name(p, v->name, sizeof(v->name),
                              "a view's name has at most 3 characters") ||
            !xk_parse_expect(p, "="))
            return false;
        mem[t->n_views] = xk_parse_symbol(p);
        if (!mem[t->n_views] || !parse_layout(p, v->name, &v->access.layout) ||
            !parse_coords(p, t, &v->access) ||
            (xk_parse_accept(p, "fill") && !parse_int(p, &fill)))
            return false;
        v->access.fill = (int32_t)fill;
        t->n_views++;
    } while (xk_parse_accept(p, ","));
    return true;
}

/* Roles of the blocks' letters become dims in the order b, m, n, k. */
static bool tile_dims(struct xk_parse *p, struct xk_tile_decl *d)
{
    struct xk_layout *const l = &d->layout;
    uint8_t dim[XK_N_ROLES] = {0};
    for (unsigned r = 0; r < XK_N_ROLES; r++) {
        const uint8_t role = xk_role_order[r];
        int64_t all = 0;
        for (unsigned i = 0; i < l->n_blocks; i++)
            if (l->block[i].dim == role)
                all = (all ? all : 1) * l->block[i].size;
        if (all > UINT16_MAX)
            return xk_parse_fail(p, "the tile is too large");
        if (!all)
            continue;
        dim[role] = l->n_dims;
        d->role[l->n_dims] = role;
        l->dim[l->n_dims] = l->padded[l->n_dims] = all;
        l->n_dims++;
    }
    for (unsigned i = 0; i < l->n_blocks; i++)
        l->block[i].dim = dim[l->block[i].dim];
    return true;
}

/* tile a = f16 [m4 k8 m8 k2] */
static bool parse_tile(struct xk_parse *p, struct xk_tiling *t)
{
    do {
        char letters[XK_N_ROLES + 1] = {0};
        memcpy(letters, xk_role_letter, XK_N_ROLES);
        if (t->n_tiles == XK_MAX_TILES)
            return xk_parse_fail(p, "more than 12 tiles");
        struct xk_tile_decl *const d = &t->tile[t->n_tiles];
        if (!parse_short_name(p, d->name, sizeof(d->name),
                              "a tile's name has at most 3 characters") ||
            !xk_parse_expect(p, "=") || !parse_element_type(p, &d->layout) ||
            !xk_parse_expect(p, "[") || !parse_blocks(p, letters, &d->layout) ||
            !tile_dims(p, d))
            return false;
        t->n_tiles++;
    } while (xk_parse_accept(p, ","));
    return true;
}

bool xk_parse_tiling(struct xk_parse *p, struct xk_tiling *t,
                     const xk_expr **mem, bool *any)
{
    *any = true;
    if (xk_parse_accept(p, "index"))
        return parse_index(p, t);
    if (xk_parse_accept(p, "view"))
        return parse_view(p, t, mem);
    if (xk_parse_accept(p, "walk"))
        return parse_walk(p, t);
    if (xk_parse_accept(p, "tile"))
        return parse_tile(p, t);
    *any = false;
    return true;
}

/* [m 8+8, k 0+16] */
bool xk_parse_tile_parts(struct xk_parse *p, struct xk_tile_call *f)
{
    if (!xk_parse_accept(p, "["))
        return true;
    do {
        unsigned role;
        uint64_t first, n;
        if (f->n_parts == XK_TILE_MAX_PARTS)
            return xk_parse_fail(p, "more than 3 parts");
        if (!parse_role(p, &role) || !xk_parse_uint(p, UINT16_MAX, &first) ||
            !xk_parse_expect(p, "+") || !xk_parse_uint(p, UINT16_MAX, &n))
            return false;
        f->part[f->n_parts].role = (uint8_t)role;
        f->part[f->n_parts].first = (uint16_t)first;
        f->part[f->n_parts++].n = (uint16_t)n;
    } while (xk_parse_accept(p, ","));
    return xk_parse_expect(p, "]");
}
