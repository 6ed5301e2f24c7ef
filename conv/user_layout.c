/* SPDX-License-Identifier: Apache-2.0 */
/* How the user describes a tensor's memory, as the tag that the rest of the
 * library knows. The user's tensors have groups in front of weights, no height
 * in 1D, and a depth that may do nothing; those in here always have a height,
 * and a depth where it does something. Dims that differ have the extent 1. */
#include "conv/tensors.h"

#include <stdio.h>
#include <string.h>

/* The user's dims: how many, their extents, and which of ours each is (-1:
 * none); and ours. */
struct user_dims {
    unsigned n, n_ours;
    unsigned lead; /* of ours, those in front of the spatial ones */
    int64_t extent[XK_LAYOUT_MAX_DIMS], our_extent[XK_LAYOUT_MAX_DIMS];
    int ours[XK_LAYOUT_MAX_DIMS];
};

static void add(struct user_dims *u, int64_t extent, int ours)
{
    u->extent[u->n] = extent;
    u->ours[u->n++] = ours;
}

static struct user_dims user_dims_of(const struct xk_conv_desc *f,
                                     enum xk_conv_arg arg)
{
    struct user_dims u = {.lead = xk_conv_has_group_dim(f, arg) ? 3 : 2};
    int64_t ours[XK_LAYOUT_MAX_DIMS];
    const unsigned n = xk_conv_dims(f, arg, ours);
    u.n_ours = n;
    memcpy(u.our_extent, ours, sizeof(ours));
    if (arg == XK_ARG_WEI && f->grouped && u.lead == 2)
        add(&u, 1, -1);
    for (unsigned i = 0; i < u.lead; i++)
        add(&u, ours[i], (int)i);
    if (f->ndims == 5 && n - u.lead == 2)
        add(&u, 1, -1);
    for (unsigned i = u.lead + (f->ndims == 3); i < n; i++)
        add(&u, ours[i], (int)i);
    return u;
}

/* Ours from the user's layout. XK_EUNSUPPORTED: a dim that we do not
 * have is in blocks, which would leave gaps. */
static enum xk_status fold_layout(xk_ctx *c, const struct xk_conv_desc *f,
                                  const char *field, const struct user_dims *u,
                                  const struct xk_layout *from,
                                  struct xk_layout *out)
{
    bool height = f->ndims != 3;
    *out = *from;
    out->n_dims = (uint8_t)u->n_ours;
    memcpy(out->dim, u->our_extent, sizeof(out->dim));
    out->n_blocks = 0;
    for (unsigned i = 0; i < out->n_dims; i++)
        out->padded[i] = 1;
    for (unsigned i = 0; i < from->n_blocks; i++) {
        struct xk_block b = from->block[i];
        const int ours = u->ours[b.dim];
        if (ours < 0 && b.size != 1)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "%s: blocks of dim %c, which has the extent 1, are "
                           "not implemented",
                           field, 'a' + b.dim);
        if (ours < 0)
            continue;
        b.dim = (uint8_t)ours;
        if (!height && b.dim == u->lead + 1) {
            height = true;
            out->block[out->n_blocks++] =
                (struct xk_block){(uint8_t)u->lead, 1, b.size * b.stride};
        }
        out->padded[b.dim] *= b.size;
        out->block[out->n_blocks++] = b;
    }
    return XK_OK;
}

static const char *const strides_names[XK_N_CONV_ARGS] = {
    "src_strides", "wei_strides", "bia", "dst_strides"};

static const struct xk_strides *strides_of(const struct xk_conv_desc *f,
                                           enum xk_conv_arg arg)
{
    return arg == XK_ARG_SRC   ? &f->src_strides
           : arg == XK_ARG_WEI ? &f->wei_strides
                               : &f->dst_strides;
}

enum xk_status xk_conv_check_idle_strides(xk_ctx *c,
                                          const struct xk_conv_desc *f)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_strides *const s = strides_of(f, (enum xk_conv_arg)i);
        for (unsigned d = 0; !s->n_dims && d < XK_MAX_NDIMS; d++)
            if (i != XK_ARG_BIA && s->stride[d])
                return xk_fail(c, XK_EINVAL,
                               "%s.stride[%u]=%lld means nothing with n_dims=0",
                               strides_names[i], d, (long long)s->stride[d]);
    }
    return XK_OK;
}

static bool further_out(const struct xk_block *a, const struct xk_block *b)
{
    return a->stride != b->stride ? a->stride > b->stride : a->size > b->size;
}

/* Blocks of the given strides, the largest first; of equal ones those of extent
 * 1 come last. */
static enum xk_status from_strides(xk_ctx *c, const char *field,
                                   const struct user_dims *u,
                                   const struct xk_strides *s,
                                   struct xk_layout *out)
{
    if (s->n_dims != (int64_t)u->n)
        return xk_fail(c, XK_EINVAL, "%s: %lld strides for %u dims", field,
                       (long long)s->n_dims, u->n);
    out->n_dims = out->n_blocks = (uint8_t)u->n;
    memcpy(out->dim, u->extent, sizeof(out->dim));
    memcpy(out->padded, u->extent, sizeof(out->padded));
    for (unsigned i = 0; i < u->n; i++) {
        const struct xk_block b = {(uint8_t)i, u->extent[i], s->stride[i]};
        unsigned at = i;
        if (b.stride < 0)
            return xk_fail(c, XK_EINVAL,
                           "%s: stride %lld of dim %c is negative", field,
                           (long long)b.stride, 'a' + i);
        for (; at && further_out(&b, &out->block[at - 1]); at--)
            out->block[at] = out->block[at - 1];
        out->block[at] = b;
    }
    return XK_OK;
}

/* Where elements lie upon each other, which those of a tensor that is written
 * may not, nor may those of others but by a stride of 0. Gaps are allowed. */
static enum xk_status check_overlap(xk_ctx *c, const char *field, bool written,
                                    struct xk_layout *l)
{
    int64_t span = 1, reach;
    for (unsigned i = l->n_blocks; i-- > 0;) {
        struct xk_block *const b = &l->block[i];
        if (b->size == 1)
            b->stride = span;
        if (b->stride == 0 && !written)
            continue;
        if (b->stride < span)
            return xk_fail(c, XK_EINVAL,
                           "%s: stride %lld of dim %c is below %lld, elements "
                           "may share memory",
                           field, (long long)b->stride, 'a' + b->dim,
                           (long long)span);
        if (__builtin_mul_overflow(b->size - 1, b->stride, &reach) ||
            __builtin_add_overflow(span, reach, &span) || span > INT64_MAX / 8)
            return xk_fail(c, XK_EINVAL,
                           "%s: stride %lld of dim %c: the tensor reaches "
                           "beyond 2^60 elements",
                           field, (long long)b->stride, 'a' + b->dim);
    }
    return XK_OK;
}

static enum xk_status user_layout(xk_ctx *c, const struct xk_conv_desc *f,
                                  enum xk_conv_arg arg, const char *tag,
                                  const struct user_dims *u,
                                  struct xk_layout *out)
{
    const struct xk_strides *const s = strides_of(f, arg);
    const enum xk_dtype own = xk_conv_dtype(xk_conv_type_of(f, arg));
    const enum xk_dtype dt = own ? own : XK_DT_U8; /* elements count */
    if (!s->n_dims)
        return xk_layout_from_tag(c, xk_conv_tensor_field(arg),
                                  (struct xk_tensor_dims){dt, u->n, u->extent},
                                  tag, out);
    if (!xk_conv_tag_is_any(tag))
        return xk_fail(c, XK_EINVAL, "%s=%s: %s are given, too",
                       xk_conv_tensor_field(arg), tag, strides_names[arg]);
    memset(out, 0, sizeof(*out));
    out->dt = dt;
    XK_TRY(from_strides(c, strides_names[arg], u, s, out));
    return check_overlap(c, strides_names[arg], xk_conv_writes(f, arg), out);
}

/* Do the dims above 1 lie alike? */
static bool same_memory(const struct xk_layout *a, const struct xk_layout *b)
{
    unsigned i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->n_blocks && a->block[i].size == 1)
            i++;
        while (k < b->n_blocks && b->block[k].size == 1)
            k++;
        if (i == a->n_blocks || k == b->n_blocks)
            return i == a->n_blocks && k == b->n_blocks;
        if (a->block[i].dim != b->block[k].dim ||
            a->block[i].size != b->block[k].size ||
            a->block[i].stride != b->block[k].stride)
            return false;
    }
}

/* The spelling that kernels know: dims of extent 1 may stand anywhere. A tag
 * with blocks stays as it is. */
static void choose_spelling(xk_ctx *c, const struct xk_conv_desc *f,
                            enum xk_conv_arg arg, const struct xk_layout *l,
                            char tag[XK_TAG_MAX])
{
    static const char *const plain[] = {"axb", "abx", "xba"};
    xk_layout_tag(l, tag, XK_TAG_MAX);
    for (unsigned i = 0; i < XK_COUNTOF(plain); i++) {
        struct xk_layout other;
        if (l->n_blocks > l->n_dims || xk_conv_tag_is_known(f, arg, tag) ||
            xk_layout_from_tag(
                c, "plain", (struct xk_tensor_dims){l->dt, l->n_dims, l->dim},
                plain[i], &other) != XK_OK)
            return;
        if (same_memory(l, &other))
            xk_layout_tag(&other, tag, XK_TAG_MAX);
    }
}

enum xk_status xk_conv_user_layout(xk_ctx *c, const struct xk_conv_desc *f,
                                   enum xk_conv_arg arg, char tag[XK_TAG_MAX],
                                   struct xk_layout *out, bool *known)
{
    const struct user_dims u = user_dims_of(f, arg);
    struct xk_layout theirs;
    char spelled[XK_TAG_MAX];
    XK_TRY(user_layout(c, f, arg, tag, &u, &theirs));
    XK_TRY(fold_layout(c, f, xk_conv_tensor_field(arg), &u, &theirs, out));
    choose_spelling(c, f, arg, out, spelled);
    *known = xk_conv_tag_is_known(f, arg, spelled);
    if (*known)
        strcpy(tag, spelled);
    return XK_OK;
}

enum xk_status xk_conv_take_layout(xk_ctx *c, const struct xk_conv_desc *f,
                                   enum xk_conv_arg arg, char tag[XK_TAG_MAX])
{
    struct xk_layout l;
    bool known;
    if (xk_conv_tag_is_any(tag) && !strides_of(f, arg)->n_dims)
        return XK_OK;
    XK_TRY(xk_conv_user_layout(c, f, arg, tag, &l, &known));
    if (known)
        return XK_OK;
    return strides_of(f, arg)->n_dims
               ? xk_fail(c, XK_EUNSUPPORTED,
                         "%s: no kernel takes them as they are",
                         strides_names[arg])
               : xk_conv_fail_tag(c, f, arg, tag);
}

unsigned xk_conv_user_ndims(const struct xk_conv_desc *f)
{
    return user_dims_of(f, XK_ARG_DST).n;
}

enum xk_status xk_conv_rhs_layout(xk_ctx *c, const struct xk_conv_desc *f,
                                  uint32_t i, const char *dst_tag,
                                  struct xk_layout *out)
{
    const struct xk_post_op *const op = &f->post_ops[i];
    const enum xk_dtype own = xk_conv_dtype(op->type ? op->type : XK_F32);
    const enum xk_dtype dt = own ? own : XK_DT_U8; /* elements count */
    struct user_dims u = user_dims_of(f, XK_ARG_DST);
    struct xk_layout theirs;
    char field[32];
    bool whole = true;
    snprintf(field, sizeof(field), "post_ops[%u].tag", i);
    for (unsigned k = 0; k < u.n; k++) {
        if (op->mask >> k & 1)
            continue;
        whole = whole && u.extent[k] == 1;
        u.extent[k] = 1;
        if (u.ours[k] >= 0)
            u.our_extent[u.ours[k]] = 1;
    }
    if (!xk_conv_tag_is_any(op->tag)) {
        XK_TRY(xk_layout_from_tag(c, field,
                                  (struct xk_tensor_dims){dt, u.n, u.extent},
                                  op->tag, &theirs));
        return fold_layout(c, f, field, &u, &theirs, out);
    }
    return xk_layout_from_tag(
        c, field, (struct xk_tensor_dims){dt, u.n_ours, u.our_extent},
        whole && dst_tag ? dst_tag : "axb", out);
}
