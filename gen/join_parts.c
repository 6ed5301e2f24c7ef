/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/join_parts.h"

#include <stdio.h>
#include <string.h>

#include "conv/tensors.h"

/* The dim of a tensor that is cut, the minibatch or a spatial one. */
static unsigned cut_dim(const struct xk_conv_parts *p,
                        const struct xk_tensor_info *t)
{
    return p->each ? t->ndims - 3 + p->axis : 0;
}

/* The dim is in one piece, and only the minibatch is further out. */
static bool lies_in_parts(const struct xk_tensor_info *t, unsigned dim)
{
    unsigned n = 0;
    bool outermost = true, found = false;
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct xk_layout_block *const b = &t->blocks[i];
        n += b->dim == dim;
        outermost &= found || b->dim == dim || b->dim == 0 || b->size == 1;
        found |= b->dim == dim;
    }
    return n == 1 && outermost;
}

/* Each part begins where a buffer's part may. */
static bool is_aligned(const struct xk_conv_parts *p,
                       const struct xk_conv_part_bytes *b)
{
    for (unsigned i = 0; i < p->n; i++)
        if (xk_conv_part_at_b(p, i, b) % XK_PART_ALIGN_B)
            return false;
    return true;
}

/* A dim of the caller's tensor gets its whole extent. */
static void make_whole(struct xk_tensor_info *t, unsigned dim, int64_t extent)
{
    uint64_t stride = 0;
    t->size_b = t->size_b / (uint64_t)t->dims[dim] * (uint64_t)extent;
    t->dims[dim] = t->padded_dims[dim] = extent;
    for (uint32_t i = t->n_blocks; i-- > 0;) {
        struct xk_layout_block *const b = &t->blocks[i];
        if (stride && b->dim == 0)
            b->stride = (int64_t)stride;
        if (b->dim != dim)
            continue;
        b->size = extent;
        stride = (uint64_t)(b->stride * extent);
    }
}

/* A depth, which a part does not have: dim 2, its block
 * behind the minibatch's. */
static void add_depth(struct xk_tensor_info *t)
{
    memmove(&t->dims[3], &t->dims[2], 2 * sizeof(t->dims[0]));
    memmove(&t->padded_dims[3], &t->padded_dims[2], 2 * sizeof(t->dims[0]));
    for (uint32_t i = t->n_blocks; i-- > 1;) {
        t->blocks[i + 1] = t->blocks[i];
        t->blocks[i + 1].dim += t->blocks[i].dim > 1;
    }
    t->blocks[1] = (struct xk_layout_block){.dim = 2, .div = 1};
    t->n_blocks++;
    t->ndims++;
    snprintf(t->tag, sizeof(t->tag), "acdeb");
}

/* The minibatch, which is outermost, becomes that of the caller and spatial
 * dims. Dim 1 is innermost. */
static void split_minibatch(const struct xk_conv_parts *p,
                            struct xk_tensor_info *t)
{
    const bool deep = p->size[0] > 1;
    int64_t stride = t->blocks[0].stride;
    if (deep)
        add_depth(t);
    t->dims[0] = t->padded_dims[0] = p->outer;
    for (unsigned i = 0; i < 2u + deep; i++)
        t->dims[2 + i] = t->padded_dims[2 + i] = p->size[i + !deep];
    for (uint32_t i = t->n_blocks; i-- > 0;) {
        struct xk_layout_block *const b = &t->blocks[i];
        if (b->dim == 1)
            continue;
        b->size = t->dims[b->dim];
        b->stride = stride;
        stride *= b->size;
    }
}

/* step: positions of its cut dim from a place to the next. */
static enum xk_status join(xk_ctx *c, struct xk_problem *p, unsigned number,
                           int64_t step, struct xk_tensor_info *t)
{
    const struct xk_conv_parts *const parts = &p->ways.parts;
    struct xk_conv_part_bytes *const b = &p->part_b[number];
    const unsigned dim = cut_dim(parts, t);
    const bool lies = lies_in_parts(t, dim);
    const bool is_src = number == XK_ARG_SRC;
    const uint64_t from_b = t->size_b / (uint64_t)t->dims[dim];
    if (parts->each && step) {
        b->place_b = from_b * (uint64_t)step;
        make_whole(t, dim, is_src ? parts->of_src : parts->places);
    }
    if (number < XK_ARG_RHS || p->desc.post_ops[number - XK_ARG_RHS].mask & 1) {
        b->one_b = t->size_b / (uint64_t)parts->mb;
        make_whole(t, 0, parts->whole);
    }
    if (parts->outer)
        split_minibatch(parts, t);
    return lies && is_aligned(parts, b)
               ? XK_OK
               : xk_fail(c, XK_EUNSUPPORTED,
                         "argument %u: tensors above 2^31-1 bytes are not "
                         "implemented with layout %s and mb=%lld, where parts "
                         "of it do not begin at multiples of %d bytes",
                         number, t->tag, (long long)parts->whole,
                         XK_PART_ALIGN_B);
}

/* A right-hand side that differs from part to part. */
static enum xk_status join_rhs(xk_ctx *c, struct xk_problem *p, unsigned i)
{
    const struct xk_conv_parts *const parts = &p->ways.parts;
    struct xk_tensor_info *const t = &p->user.rhs[i];
    const uint32_t mask = p->desc.post_ops[i].mask;
    const bool moves =
        parts->each && mask & xk_conv_axis_bit(&p->desc, parts->axis);
    return t->ndims && (mask & 1 || moves)
               ? join(c, p, XK_ARG_RHS + i, moves, t)
               : XK_OK;
}

enum xk_status xk_problem_join_parts(xk_ctx *c, struct xk_problem *p)
{
    struct xk_conv_info *const info = &p->user;
    if (p->ways.n)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "tensors above 2^31-1 bytes are not implemented where "
                       "one is copied, for its layout or type");
    const unsigned each = info->n_launches - p->n_behind;
    if (each * p->ways.parts.n + p->n_behind > XK_MAX_LAUNCHES)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "tensors above 2^31-1 bytes: %u parts of %u launches "
                       "are more than %d",
                       p->ways.parts.n, each, XK_MAX_LAUNCHES);
    const int64_t step = xk_conv_axis(&p->desc, p->ways.parts.axis).step;
    XK_TRY(join(c, p, XK_ARG_SRC, step, &info->tensor[XK_ARG_SRC]));
    XK_TRY(join(c, p, XK_ARG_DST, 1, &info->tensor[XK_ARG_DST]));
    for (uint32_t i = 0; i < p->desc.n_post_ops; i++)
        XK_TRY(join_rhs(c, p, i));
    info->n_launches = each * p->ways.parts.n + p->n_behind;
    return XK_OK;
}
