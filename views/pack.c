/* SPDX-License-Identifier: Apache-2.0 */
/* Few channels fill a small part of a dpas depth. Here those of some filter taps
 * that follow each other become one index: the K index in front of the innermost
 * one gives up its inner part to it. */
#include "views/contraction.h"

#include <string.h>

/* Memory is padded with zeros, so K runs over that too, without a mask. False: it
 * is not padded to so many. */
static bool take_padding(struct xk_view *v, const char *name, int64_t extent)
{
    const int d = xk_view_find(v, name);
    for (unsigned t = 0; d >= 0 && t < v->layout.n_dims; t++) {
        if (v->coord[t] != v->dim[d].var || v->layout.padded[t] != extent)
            continue;
        v->layout.dim[t] = v->dim[d].extent = extent;
        return true;
    }
    return false;
}

/* taps places of `outer` go into `inner`, which has `few` elements then. */
static enum xk_status pack_view(xk_ctx *c, struct xk_view *v,
                                const struct xk_index *outer,
                                const struct xk_index *inner, int64_t taps)
{
    const int64_t groups = (outer->extent + taps - 1) / taps;
    const char *const parts[] = {"tap", inner->name};
    struct xk_embed upper[2] = {{.extent = groups}, {"tap", taps, 0}};
    memcpy(upper[0].name, outer->name, sizeof(upper[0].name));
    if (!take_padding(v, inner->name, XK_PACK_FEW))
        return xk_fail(c, XK_ENOFIT, "pack: %s of a tensor is not padded to %d",
                       inner->name, XK_PACK_FEW);
    XK_TRY(xk_view_unmerge(c, v, outer->name, 2, upper));
    return xk_view_merge(c, v, 2, parts, inner->name);
}

enum xk_status xk_contraction_pack(xk_ctx *c, struct xk_contraction *p,
                                   int64_t k_inner)
{
    const int64_t taps = k_inner / XK_PACK_FEW;
    struct xk_index *inner = NULL, *outer = NULL;
    for (unsigned i = 0; i < p->n_index; i++) {
        if (p->index[i].role != XK_ROLE_K)
            continue;
        outer = inner;
        inner = &p->index[i];
    }
    if (!outer || inner->extent > XK_PACK_FEW)
        return xk_fail(c, XK_ENOFIT, "pack: K is not filter taps of few channels");
    XK_TRY(pack_view(c, &p->a.view, outer, inner, taps));
    XK_TRY(pack_view(c, &p->b.view, outer, inner, taps));
    outer->extent = (outer->extent + taps - 1) / taps;
    inner->extent = taps * XK_PACK_FEW;
    p->tap_e = XK_PACK_FEW;
    return XK_OK;
}
