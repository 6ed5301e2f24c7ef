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

/* Tensors with the minibatch, for one of it: the largest, and of how many the
 * bytes are always a multiple of a part's alignment. */
struct one {
    int64_t largest_b, align_n;
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

/* Channels are not padded yet. */
static struct one one_of(const struct xk_conv_desc *f)
{
    const int64_t src[4] = {f->ic, f->id, f->ih, f->iw};
    const int64_t dst[4] = {f->oc, f->od, f->oh, f->ow};
    struct one o = {1, 1};
    add_tensor(&o, src, whole_bytes(f->src_type));
    add_tensor(&o, dst, whole_bytes(f->dst_type));
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        const struct xk_post_op *const op = &f->post_ops[i];
        const int64_t seen[4] = {op->mask & 2 ? f->oc : 1,
                                 op->mask & 4 ? f->od : 1, f->oh, f->ow};
        if (op->mask == UINT32_MAX)
            add_tensor(&o, dst, whole_bytes(op->type));
        else if (op->mask & 1)
            add_tensor(&o, seen, whole_bytes(op->type));
    }
    return o;
}

static bool sums_into_dst(const struct xk_conv_desc *f)
{
    for (uint32_t i = 0; i < f->n_post_ops; i++)
        if (xk_post_op_reads_old(f->post_ops[i].kind))
            return true;
    return false;
}

/* As few as can be of at most most_b bytes. What dst held may be read once, so
 * that no part overlaps then. n = 1: there are none. */
static struct xk_conv_parts parts_of(const struct xk_conv_desc *f,
                                     const struct one *o, int64_t most_b)
{
    const int64_t mb = f->mb, most = most_b / o->largest_b, q = o->align_n;
    for (unsigned n = 2; n <= XK_MAX_LAUNCHES && n <= mb; n++)
        if (mb % n == 0 && mb / n <= most && mb / n % q == 0)
            return (struct xk_conv_parts){n, mb, mb / n, mb / n};
    const int64_t part = mb - (mb - most + q - 1) / q * q;
    const int64_t step = part > 0 ? part / q * q : 0;
    const int64_t n = step ? 1 + (mb - part + step - 1) / step : 1;
    if (sums_into_dst(f) || n < 2 || n > XK_MAX_LAUNCHES)
        return (struct xk_conv_parts){1, mb, mb, mb};
    return (struct xk_conv_parts){(unsigned)n, mb, part, step};
}

int64_t xk_conv_part_at(const struct xk_conv_parts *p, unsigned i)
{
    return i + 1 == p->n ? p->whole - p->mb : i * p->step;
}

static void close_one(const struct xk_conv_desc *f, enum xk_conv_arg arg,
                      char tag[XK_TAG_MAX])
{
    if (xk_conv_tag_is_any(tag))
        strcpy(tag, xk_conv_dense_tag(f, arg));
}

struct xk_conv_parts xk_conv_take_part(struct xk_conv_desc *full)
{
    const struct one o = one_of(full);
    const struct xk_conv_part_limits limits = xk_conv_part_limits();
    struct xk_conv_parts p = {1, full->mb, full->mb, full->mb};
    if (full->prop == XK_BWD_W || full->prop == XK_BWD_WB ||
        full->src_strides.n_dims || full->dst_strides.n_dims ||
        o.largest_b <= limits.whole_b / full->mb)
        return p;
    p = parts_of(full, &o, limits.part_b);
    if (p.n == 1)
        p = parts_of(full, &o, limits.whole_b);
    full->mb = p.mb;
    return p;
}

void xk_conv_close_parts(struct xk_conv_desc *full)
{
    close_one(full, XK_ARG_SRC, full->src_tag);
    close_one(full, XK_ARG_DST, full->dst_tag);
}
