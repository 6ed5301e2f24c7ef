/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/parts.h"

#include <string.h>

#include "conv/post_ops.h"
#include "conv/tensors.h"

/* 0: a type of less, or none that tensors have. */
static int64_t whole_bytes(uint32_t type)
{
    const enum xk_format f = xk_conv_format(type ? type : XK_F32);
    return f == XK_N_FORMATS ? 0 : xk_format_bits(f) / 8;
}

uint32_t xk_conv_axis_bit(const struct xk_conv_desc *f, unsigned axis)
{
    return 1u << (xk_conv_user_ndims(f) - 3 + axis);
}

/* Tensors with the minibatch, for one of what is cut: the largest, what a part
 * has beside them, and of how many the bytes are always a multiple of a part's
 * alignment. */
struct one {
    int64_t largest_b, beside_b, align_n;
};

static void add_tensor(struct one *o, const int64_t extent[4], int64_t elem_b)
{
    int64_t size_b = elem_b, n = XK_PART_ALIGN_B;
    for (unsigned i = 0; i < 4 && size_b; i++)
        if (__builtin_mul_overflow(size_b, extent[i], &size_b))
            size_b = INT64_MAX;
    for (int64_t b = size_b; n > 1 && b % 2 == 0; b /= 2)
        n /= 2;
    o->largest_b = size_b > o->largest_b ? size_b : o->largest_b;
    o->align_n = n > o->align_n ? n : o->align_n;
}

/* The tensors of *f, where right-hand sides need a dim of dst to differ from
 * part to part. Channels are not padded yet. */
static struct one one_of(const struct xk_conv_desc *f, uint32_t cut)
{
    const int64_t src[4] = {f->ic, f->id, f->ih, f->iw};
    const int64_t dst[4] = {f->oc, f->od, f->oh, f->ow};
    struct one o = {1, 0, 1};
    add_tensor(&o, src, whole_bytes(f->src_type));
    add_tensor(&o, dst, whole_bytes(f->dst_type));
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        const struct xk_post_op *const op = &f->post_ops[i];
        const int64_t seen[4] = {op->mask & 2 ? f->oc : 1,
                                 op->mask & 4 ? f->od : 1, f->oh, f->ow};
        if (op->mask == UINT32_MAX)
            add_tensor(&o, dst, whole_bytes(op->type));
        else if (op->mask & cut)
            add_tensor(&o, seen, whole_bytes(op->type));
    }
    return o;
}

static bool makes_weights(const struct xk_conv_desc *f)
{
    return f->prop == XK_BWD_W || f->prop == XK_BWD_WB;
}

/* What parts share is seen once: what dst held is read, or parts are added up.
 */
static bool may_not_overlap(const struct xk_conv_desc *f)
{
    if (makes_weights(f))
        return true;
    for (uint32_t i = 0; i < f->n_post_ops; i++)
        if (xk_post_op_reads_old(f->post_ops[i].kind))
            return true;
    return false;
}

/* Pieces of a range. */
struct pieces {
    unsigned n; /* 1: there are none */
    int64_t each, step;
};

/* As few as can be of at most most_b bytes. */
static struct pieces pieces_of(const struct xk_conv_desc *f, int64_t all,
                               const struct one *o, int64_t most_b)
{
    const int64_t most = (most_b - o->beside_b) / o->largest_b;
    const int64_t q = o->align_n;
    for (unsigned n = 2; n <= XK_MAX_LAUNCHES && n <= all; n++)
        if (all % n == 0 && all / n <= most && all / n % q == 0)
            return (struct pieces){n, all / n, all / n};
    const int64_t part = all - (all - most + q - 1) / q * q;
    const int64_t step = part > 0 ? part / q * q : 0;
    const int64_t n = step ? 1 + (all - part + step - 1) / step : 1;
    if (may_not_overlap(f) || n < 2 || n > XK_MAX_LAUNCHES)
        return (struct pieces){1, all, all};
    return (struct pieces){(unsigned)n, part, step};
}

/* The size is what is wanted, else what is possible. */
static struct pieces best_pieces(const struct xk_conv_desc *f, int64_t all,
                                 const struct one *o)
{
    const struct xk_conv_part_limits limits = xk_conv_part_limits();
    const struct pieces p = pieces_of(f, all, o, limits.part_b);
    return p.n > 1 ? p : pieces_of(f, all, o, limits.whole_b);
}

uint64_t xk_conv_part_at_b(const struct xk_conv_parts *p, unsigned i,
                           const struct xk_conv_part_bytes *b)
{
    if (!p->each)
        return b->one_b *
               (uint64_t)(i + 1 == p->n ? p->whole - p->mb : i * p->step);
    const unsigned k = i % p->each;
    return b->one_b * (i / p->each) +
           b->place_b *
               (uint64_t)(k + 1 == p->each ? p->places - p->part : k * p->next);
}

static void close_one(const struct xk_conv_desc *f, enum xk_conv_arg arg,
                      char tag[XK_TAG_MAX])
{
    if (xk_conv_tag_is_any(tag))
        strcpy(tag, xk_conv_dense_tag(f, arg));
}

/* The outermost spatial dim with several places; -1: what is further out has
 * several pixels. */
static int cut_axis(const struct xk_conv_desc *f)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        if (x.places > 1)
            return (int)i;
        if (x.extent > 1)
            return -1;
    }
    return -1;
}

static void set_axis_sizes(struct xk_conv_desc *f, unsigned axis,
                           int64_t places, int64_t pixels)
{
    *(axis == 0 ? &f->od : axis == 1 ? &f->oh : &f->ow) = places;
    *(axis == 0 ? &f->id : axis == 1 ? &f->ih : &f->iw) = pixels;
}

/* Parts of each image: the same kernel for all, so that none may meet padding
 * along the dim that is cut. */
static void cut_images(struct xk_conv_desc *f, struct xk_conv_parts *p)
{
    const int axis = cut_axis(f);
    if (axis < 0 || xk_conv_is_deconv(f) ||
        !(xk_conv_is_forward(f) || makes_weights(f)))
        return;
    const struct xk_conv_axis x = xk_conv_axis(f, (unsigned)axis);
    const int64_t reach = (x.taps - 1) * x.apart + 1;
    if (x.pad > 0 || (x.places - 1) * x.step + reach > x.extent)
        return;
    struct xk_conv_desc line = *f;
    set_axis_sizes(&line, (unsigned)axis, 1, reach > x.step ? reach : x.step);
    const int64_t beside_b = one_of(&line, 0).largest_b;
    set_axis_sizes(&line, (unsigned)axis, 1, x.step);
    struct one o = one_of(&line, xk_conv_axis_bit(f, (unsigned)axis));
    o.beside_b = beside_b;
    const struct pieces s = best_pieces(f, x.places, &o);
    if (s.n == 1 || f->mb > XK_MAX_LAUNCHES / s.n)
        return;
    *p = (struct xk_conv_parts){.n = (unsigned)f->mb * s.n,
                                .whole = f->mb,
                                .mb = 1,
                                .each = s.n,
                                .axis = (unsigned)axis,
                                .places = x.places,
                                .part = s.each,
                                .next = s.step,
                                .of_src = x.extent};
    f->mb = 1;
    set_axis_sizes(f, (unsigned)axis, s.each, (s.each - 1) * x.step + reach);
}

/* Whether the tensor has channels innermost, and nothing between pixels. */
static bool lies_by_pixels(xk_ctx *c, const struct xk_conv_desc *f,
                           enum xk_conv_arg arg, const char *own)
{
    char tag[XK_TAG_MAX];
    struct xk_layout l;
    bool known = false;
    memcpy(tag, own, sizeof(tag));
    if (xk_conv_tag_is_any(tag))
        return true;
    if (xk_conv_user_layout(c, f, arg, tag, &l, &known) != XK_OK) {
        xk_ctx_clear(c); /* whoever takes it says so */
        return false;
    }
    xk_layout_tag(&l, tag, sizeof(tag));
    return known && strcmp(tag, xk_conv_dense_tag(f, arg)) == 0;
}

/* Whether a right-hand side has each pixel, in dst's layout, or none. */
static bool sees_pixels_alike(const struct xk_conv_desc *f,
                              const struct xk_post_op *op)
{
    const uint32_t all = (1u << xk_conv_user_ndims(f)) - 1;
    const uint32_t pixels = all & ~2u;
    return (op->mask & pixels) == 0 ||
           ((op->mask & pixels) == pixels && xk_conv_tag_is_any(op->tag));
}

static bool has_pixels_alone(xk_ctx *c, const struct xk_conv_desc *f)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        if (x.taps > 1 || x.step > 1 || x.pad || x.places != x.extent)
            return false;
    }
    for (uint32_t i = 0; i < f->n_post_ops; i++)
        if (!sees_pixels_alike(f, &f->post_ops[i]))
            return false;
    return lies_by_pixels(c, f, XK_ARG_SRC, f->src_tag) &&
           lies_by_pixels(c, f, XK_ARG_DST, f->dst_tag);
}

/* Pixels in the place of images. */
static bool cut_pixels(xk_ctx *c, struct xk_conv_desc *f,
                       struct xk_conv_parts *p)
{
    struct xk_conv_desc one = *f;
    const int64_t pixels = f->od * f->oh * f->ow;
    if (!has_pixels_alone(c, f) || pixels > INT32_MAX / f->mb)
        return false;
    for (unsigned i = 0; i < 3; i++)
        set_axis_sizes(&one, i, 1, 1);
    one.mb *= pixels;
    const struct one o = one_of(&one, 1);
    const struct pieces s = best_pieces(f, one.mb, &o);
    if (s.n == 1)
        return false;
    *p = (struct xk_conv_parts){.n = s.n,
                                .whole = one.mb,
                                .mb = s.each,
                                .step = s.step,
                                .outer = f->mb,
                                .size = {f->od, f->oh, f->ow}};
    *f = one;
    f->mb = s.each;
    return true;
}

struct xk_conv_parts xk_conv_take_part(xk_ctx *c, struct xk_conv_desc *full)
{
    const struct one o = one_of(full, 1);
    struct xk_conv_parts p = {
        .n = 1, .whole = full->mb, .mb = full->mb, .step = full->mb};
    if (full->src_strides.n_dims || full->dst_strides.n_dims ||
        o.largest_b <= xk_conv_part_limits().whole_b / full->mb)
        return p;
    const struct pieces s = best_pieces(full, full->mb, &o);
    if (s.n > 1) {
        p.n = s.n;
        p.step = s.step;
        full->mb = p.mb = s.each;
    } else if (!cut_pixels(c, full, &p)) {
        cut_images(full, &p);
    }
    return p;
}

void xk_conv_close_parts(struct xk_conv_desc *full)
{
    close_one(full, XK_ARG_SRC, full->src_tag);
    close_one(full, XK_ARG_DST, full->dst_tag);
}
