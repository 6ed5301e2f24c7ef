/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/join_parts.h"

#include "conv/parts.h"

/* The outermost dim is the first one, and in one piece. */
static bool lies_in_parts(const struct xk_tensor_info *t)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < t->n_blocks; i++)
        n += t->blocks[i].dim == 0;
    return n == 1 && t->blocks[0].dim == 0;
}

/* Each part begins where a buffer's part may. */
static bool is_aligned(const struct xk_conv_parts *p, uint64_t one_b)
{
    for (unsigned i = 0; i < p->n; i++)
        if ((uint64_t)xk_conv_part_at(p, i) * one_b % XK_PART_ALIGN_B)
            return false;
    return true;
}

static enum xk_status join(xk_ctx *c, struct xk_problem *p, unsigned number,
                           struct xk_tensor_info *t)
{
    const struct xk_conv_parts *const parts = &p->ways.parts;
    const uint64_t one_b = t->size_b / (uint64_t)parts->mb;
    if (!lies_in_parts(t) || !is_aligned(parts, one_b))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "argument %u: tensors above 2^31-1 bytes are not "
                       "implemented with layout %s and mb=%lld, where parts "
                       "of the minibatch do not begin at multiples of %d bytes",
                       number, t->tag, (long long)parts->whole,
                       XK_PART_ALIGN_B);
    p->one_b[number] = one_b;
    t->size_b = one_b * (uint64_t)parts->whole;
    t->dims[0] = t->padded_dims[0] = t->blocks[0].size = parts->whole;
    return XK_OK;
}

enum xk_status xk_problem_join_parts(xk_ctx *c, struct xk_problem *p)
{
    struct xk_conv_info *const info = &p->user;
    if (p->ways.n)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "tensors above 2^31-1 bytes are not implemented where "
                       "one is copied, for its layout or type");
    if (info->n_launches > XK_MAX_LAUNCHES / p->ways.parts.n)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "tensors above 2^31-1 bytes: %u parts of %u launches "
                       "are more than %d",
                       p->ways.parts.n, info->n_launches, XK_MAX_LAUNCHES);
    XK_TRY(join(c, p, XK_ARG_SRC, &info->tensor[XK_ARG_SRC]));
    XK_TRY(join(c, p, XK_ARG_DST, &info->tensor[XK_ARG_DST]));
    for (uint32_t i = 0; i < p->desc.n_post_ops; i++)
        if (info->rhs[i].ndims && p->desc.post_ops[i].mask & 1)
            XK_TRY(join(c, p, XK_ARG_RHS + i, &info->rhs[i]));
    info->n_launches *= p->ways.parts.n;
    return XK_OK;
}
