/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/empty.h"

#include "gen/gradients.h"

/* The outermost block of the first dim; those further in keep their
 * sizes, so that the layout's tag stays. */
static void drop_first_dim(struct xk_tensor_info *t)
{
    bool first = true;
    for (uint32_t i = 0; i < t->n_blocks; i++)
        if (t->blocks[i].dim == 0 && first) {
            t->blocks[i].size = 0;
            first = false;
        }
    t->dims[0] = t->padded_dims[0] = 0;
    t->size_b = 0;
}

/* src and dst, and right-hand sides that the minibatch does not share. */
static void drop_all(const struct xk_conv_desc *d, struct xk_conv_info *info)
{
    drop_first_dim(&info->tensor[XK_ARG_SRC]);
    drop_first_dim(&info->tensor[XK_ARG_DST]);
    for (uint32_t i = 0; i < d->n_post_ops; i++)
        if (info->rhs[i].ndims && d->post_ops[i].mask & 1)
            drop_first_dim(&info->rhs[i]);
    info->n_launches = 0;
    info->scratch_b = 0;
    info->scratch_align_b = 0;
}

enum xk_status xk_problem_empty(xk_ctx *c, struct xk_problem *p)
{
    const bool weights = p->desc.prop == XK_BWD_W || p->desc.prop == XK_BWD_WB;
    p->n_launches = p->n_scratch = 0;
    p->pads = false;
    p->pack = 0;
    if (weights)
        XK_TRY(xk_gradients_clear(c, p));
    p->desc.mb = 0;
    drop_all(&p->desc, &p->info);
    drop_all(&p->desc, &p->user);
    p->info.n_launches = p->user.n_launches = p->n_launches;
    return XK_OK;
}
