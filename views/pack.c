/* SPDX-License-Identifier: Apache-2.0 */
/* A short K fills a small part of a dpas depth. Here the elements of some
 * places of an outer K index that follow each other become one index: the K
 * index in front of the innermost one gives up its inner part to it. */
#include "views/nest.h"

#include <string.h>

/* Memory is padded with zeros, so K runs over that too, without a mask; or it
 * is not padded at all, and what is behind it is masked, if that may be.
 * *used_e: elements in memory. */
static enum xk_status extend(xk_ctx *c, struct xk_view *v, const char *name,
                             bool masked, uint8_t *used_e)
{
    const int d = xk_view_find(v, name), t = xk_view_tensor_dim(v, name);
    const int64_t padded = t < 0 ? INT64_MAX : v->layout.padded[t];
    *used_e = (uint8_t)padded;
    if (padded == XK_PACK_FEW) {
        v->layout.dim[t] = v->dim[d].extent = padded;
        return XK_OK;
    }
    if (masked && padded < XK_PACK_FEW)
        return xk_view_pad(c, v, name, 0, XK_PACK_FEW - padded);
    return xk_fail(c, XK_ENOFIT, "pack: %s of a tensor is not padded to %d",
                   name, XK_PACK_FEW);
}

/* So many places of `outer` go into `inner`, which has `few` elements then. */
static enum xk_status pack_view(xk_ctx *c, struct xk_view *v,
                                const struct xk_index *outer,
                                const struct xk_index *inner, int64_t places)
{
    const int64_t groups = (outer->extent + places - 1) / places;
    const char *const parts[] = {"piece", inner->name};
    struct xk_embed upper[2] = {{.extent = groups}, {"piece", places, 0}};
    memcpy(upper[0].name, outer->name, sizeof(upper[0].name));
    XK_TRY(xk_view_unmerge(c, v, outer->name, 2, upper));
    return xk_view_merge(c, v, 2, parts, inner->name);
}

enum xk_status xk_nest_pack(xk_ctx *c, struct xk_nest *p, int64_t k_inner)
{
    const int64_t places = k_inner / XK_PACK_FEW;
    struct xk_index *inner = NULL, *outer = NULL;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (p->index[i].role != XK_ROLE_K)
            continue;
        outer = inner;
        inner = &p->index[i];
    }
    if (!outer || inner->extent > XK_PACK_FEW)
        return xk_fail(c, XK_ENOFIT,
                       "pack: K is no outer index around a short one");
    uint8_t all_e;
    XK_TRY(extend(c, &p->a.view, inner->name, true, &p->used_e));
    XK_TRY(extend(c, &p->b.view, inner->name, false, &all_e));
    XK_TRY(pack_view(c, &p->a.view, outer, inner, places));
    XK_TRY(pack_view(c, &p->b.view, outer, inner, places));
    outer->extent = (outer->extent + places - 1) / places;
    inner->extent = places * XK_PACK_FEW;
    p->place_e = XK_PACK_FEW;
    return XK_OK;
}
