/* SPDX-License-Identifier: Apache-2.0 */
/* benchdnn's layout tags. A tag is a list of letters, outermost dim first, and
 * inner blocks behind it: "acdb", "Acdb32a"; a dim that has inner blocks is in
 * capitals. Other spellings: tag_name.c. */
#include "layout/layout.h"

#include <string.h>

#include "base/text.h"

#define MAX_BLOCK_E (1 << 20) /* largest inner block that makes sense */

struct tag_parser {
    xk_ctx *c;
    const char *what;  /* the tensor, for messages */
    const char *tag;   /* as the caller wrote it */
    const char *s;     /* what is left of it, in letters of dims */
    unsigned capitals; /* dims that announce inner blocks */
    struct xk_layout *l;
};

static enum xk_status bad_tag(const struct tag_parser *p, const char *why)
{
    return xk_fail(p->c, XK_EINVAL, "%s: tag \"%.40s\": %s", p->what, p->tag,
                   why);
}

static bool is_dim_letter(char ch, unsigned n_dims)
{
    const unsigned lower = (unsigned)(ch | 0x20) - 'a';
    return ch > 0x40 && lower < n_dims;
}

static unsigned letter_dim(char ch)
{
    return (unsigned)(ch | 0x20) - 'a';
}

static void add_outer(struct xk_layout *l, unsigned dim)
{
    l->block[l->n_blocks].dim = (uint8_t)dim;
    l->block[l->n_blocks++].size = 1;
}

static enum xk_status parse_outer(struct tag_parser *p)
{
    unsigned seen = 0;
    for (; *p->s && (*p->s < '0' || *p->s > '9'); p->s++) {
        if (!is_dim_letter(*p->s, p->l->n_dims))
            return bad_tag(p, "unknown letter for this number of dims");
        const unsigned dim = letter_dim(*p->s);
        if (seen & 1u << dim)
            return bad_tag(p, "names a dim twice");
        seen |= 1u << dim;
        if (*p->s < 'a')
            p->capitals |= 1u << dim;
        add_outer(p->l, dim);
    }
    if (p->l->n_blocks != p->l->n_dims)
        return bad_tag(p, "does not name every dim");
    return XK_OK;
}

static enum xk_status parse_inner(struct tag_parser *p)
{
    unsigned seen = 0;
    while (*p->s) {
        int64_t size = 0;
        for (; xk_is_digit(*p->s) && size <= MAX_BLOCK_E; p->s++)
            size = size * 10 + (*p->s - '0');
        if (size < 1 || size > MAX_BLOCK_E)
            return bad_tag(p, "inner block of size 0 or too large");
        if (*p->s < 'a' || !is_dim_letter(*p->s, p->l->n_dims))
            return bad_tag(p, "inner block without a dim");
        if (p->l->n_blocks == XK_LAYOUT_MAX_BLOCKS)
            return bad_tag(p, "too many inner blocks");
        const unsigned dim = letter_dim(*p->s++);
        seen |= 1u << dim;
        add_outer(p->l, dim);
        p->l->block[p->l->n_blocks - 1].size = size;
    }
    if (seen != p->capitals)
        return bad_tag(p, "capitals and inner blocks do not agree");
    return XK_OK;
}

static enum xk_status check_tag_args(xk_ctx *c, const char *what,
                                     const struct xk_tensor_dims *dims)
{
    if (xk_dtype_b(dims->dt) == 0)
        return xk_fail(c, XK_EINVAL, "%s: type %s has no memory layout", what,
                       xk_dtype_name(dims->dt));
    if (dims->n == 0 || dims->n > XK_LAYOUT_MAX_DIMS)
        return xk_fail(c, XK_EINVAL, "%s: %u dims, need 1 to %d", what, dims->n,
                       XK_LAYOUT_MAX_DIMS);
    for (unsigned i = 0; i < dims->n; i++) {
        if (dims->extent[i] < 1)
            return xk_fail(c, XK_EINVAL, "%s: dim %c is %lld, must be positive",
                           what, 'a' + i, (long long)dims->extent[i]);
    }
    return XK_OK;
}

enum xk_status xk_layout_from_tag(xk_ctx *c, const char *what,
                                  struct xk_tensor_dims dims, const char *tag,
                                  struct xk_layout *out)
{
    struct tag_parser p = {.c = c, .what = what, .tag = tag, .l = out};
    XK_TRY(check_tag_args(c, what, &dims));
    memset(out, 0, sizeof(*out));
    out->dt = dims.dt;
    out->n_dims = (uint8_t)dims.n;
    memcpy(out->dim, dims.extent, dims.n * sizeof(dims.extent[0]));
    if (strcmp(tag, "any") == 0)
        return bad_tag(&p, "must be resolved before there is a layout");
    char letters[XK_LAYOUT_TAG_MAX];
    if (!xk_layout_tag_letters(tag, dims.n, letters))
        return bad_tag(&p, "too long");
    p.s = letters;
    XK_TRY(parse_outer(&p));
    XK_TRY(parse_inner(&p));
    const char *const why = xk_layout_complete(out);
    return why ? bad_tag(&p, why) : XK_OK;
}

/* True if every stride is the product of the sizes further in. */
static bool has_dense_strides(const struct xk_layout *l)
{
    int64_t expect = 1;
    for (unsigned i = l->n_blocks; i-- > 0;) {
        if (l->block[i].stride != expect)
            return false;
        expect *= l->block[i].size;
    }
    return l->offset_e == 0;
}

/* True if the first blocks are one of every dim: those the letters stand for */
static bool starts_with_all_dims(const struct xk_layout *l)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < l->n_dims && i < l->n_blocks; i++)
        seen |= 1u << l->block[i].dim;
    return seen == (1u << l->n_dims) - 1;
}

static bool has_inner_blocks(const struct xk_layout *l, unsigned dim)
{
    for (unsigned i = l->n_dims; i < l->n_blocks; i++) {
        if (l->block[i].dim == dim)
            return true;
    }
    return false;
}

/* The number's digits; how many there are. No printf: a query asks for a dozen
 * tags. */
static unsigned digits_of(int64_t number, char out[20])
{
    unsigned n = 0;
    for (int64_t left = number; left || !n; left /= 10)
        n++;
    for (unsigned i = n; i-- > 0; number /= 10)
        out[i] = (char)('0' + number % 10);
    return n;
}

void xk_layout_tag(const struct xk_layout *l, char *out, size_t out_size)
{
    if (out_size == 0)
        return;
    out[0] = 0;
    if (!has_dense_strides(l) || !starts_with_all_dims(l))
        return;
    size_t len = 0;
    for (unsigned i = 0; i < l->n_blocks; i++) {
        const struct xk_block *const b = &l->block[i];
        const char base =
            i < l->n_dims && has_inner_blocks(l, b->dim) ? 'A' : 'a';
        char text[21];
        unsigned n = i >= l->n_dims ? digits_of(b->size, text) : 0;
        text[n++] = (char)(base + b->dim);
        if (len + n >= out_size) {
            out[0] = 0;
            return;
        }
        memcpy(out + len, text, n);
        len += n;
    }
    out[len] = 0;
}
