/* SPDX-License-Identifier: Apache-2.0 */
/* Views: a virtual tensor over a layout, composed from coordinate transforms.
 * A view has dims of its own (view dims); each tensor coordinate is an IR
 * expression of one variable per view dim, and each coordinate that can leave
 * the tensor carries a mask. Values; the IR inside belongs to the ctx. */
#ifndef XK_VIEWS_VIEW_H
#define XK_VIEWS_VIEW_H

#include "layout/layout.h"
#include "simplify/simplify.h"

#define XK_VIEW_MAX_DIMS 12

struct xk_view_dim {
    char name[8];       /* "oh" */
    int64_t extent;     /* elements */
    const xk_expr *var; /* s32, stands for the coordinate in coord[], mask[] */
};

struct xk_view {
    struct xk_layout layout;
    uint8_t n_dims, n_masks;
    struct xk_view_dim dim[XK_VIEW_MAX_DIMS];
    const xk_expr *coord[XK_LAYOUT_MAX_DIMS]; /* one per tensor dim, s32 */
    const xk_expr *mask[2 * XK_LAYOUT_MAX_DIMS + 4]; /* bool; all must hold */
};

/* passthrough: the tensor itself; names: one per dim. */
enum xk_status xk_view_init(xk_ctx *c, struct xk_view *v,
                            const struct xk_layout *l,
                            const char *const *names);
int xk_view_find(const struct xk_view *v, const char *name); /* -1: none */
/* Tensor dim that a view dim passes through and that alone it moves; -1: none,
 * or there is no such dim. */
int xk_view_tensor_dim(const struct xk_view *v, const char *name);

/* All transforms replace view dims in place (upper from lower); the new dims
 * stand where the old one stood. Names are at most 7 characters and unique in
 * the view; extents are 1 to 2^31-1. After a failure the view is unusable. */
/* pad: extent grows by lo in front and hi behind; outside reads as zero.
 * Negative values crop. */
enum xk_status xk_view_pad(xk_ctx *c, struct xk_view *v, const char *dim,
                           int64_t lo, int64_t hi);
/* embed: dim = sum coef[i] * new_i + start; no mask if always inside. Another
 * dim of the view may stand for new_i: then no dim is added, and its extent is
 * the same. */
struct xk_embed {
    char name[8];
    int64_t extent, coef;
};
enum xk_status xk_view_embed(xk_ctx *c, struct xk_view *v, const char *dim,
                             unsigned n, const struct xk_embed *upper,
                             int64_t start);
/* merge: dims (outermost first) become one of the product's extent, where the
 * first of them stood. An index beyond the extent is not masked: the outermost
 * coordinate moves on past its end, so who rounds tiles up must mask himself
 * (m < M). The same holds for every other dim of a view. */
enum xk_status xk_view_merge(xk_ctx *c, struct xk_view *v, unsigned n,
                             const char *const *dims, const char *merged);
/* unmerge: dim becomes n dims, outermost first; the product of the extents may
 * exceed the dim's: what is beyond is masked. */
enum xk_status xk_view_unmerge(xk_ctx *c, struct xk_view *v, const char *dim,
                               unsigned n, const struct xk_embed *upper);
/* slice: [start, start + extent) of dim; a part outside is masked. */
enum xk_status xk_view_slice(xk_ctx *c, struct xk_view *v, const char *dim,
                             int64_t start, int64_t extent);
/* Adds a dim, last, that no coordinate uses, e.g. m of a bias. */
enum xk_status xk_view_broadcast(xk_ctx *c, struct xk_view *v, const char *dim,
                                 int64_t extent);

/* Adds the condition lo <= sum coef[i] * dim i + start < hi, over dims that are
 * there. */
struct xk_condition {
    unsigned n;
    struct xk_embed sum[XK_VIEW_MAX_DIMS];
    int64_t start, lo, hi;
};
enum xk_status xk_view_condition(xk_ctx *c, struct xk_view *v,
                                 const struct xk_condition *x);

/* Byte offset (s32) of the element at index[] (one s32 expression per view dim,
 * scalars or all of the same lanes); simplified with facts (may be NULL). A
 * scalar if no vector index matters. Where the mask is false, the offset may
 * be outside the tensor. NULL with XK_EUNSUPPORTED above 2^31-1 bytes. */
const xk_expr *xk_view_offset_b(xk_ctx *c, const struct xk_view *v,
                                const xk_expr *const *index, xk_facts *f);
/* The mask at index[]: only conditions that facts cannot prove; bool constant
 * 1 if none is left. */
const xk_expr *xk_view_mask(xk_ctx *c, const struct xk_view *v,
                            const xk_expr *const *index, xk_facts *f);
/* Bytes of memory between neighbours along a view dim, masks aside: inside each
 * run of *run elements that starts at a multiple of *run, every step moves by
 * *stride_b, whatever the other indices are. False if nothing like that is
 * known. E.g. ic of nhwc: 4, run = IC; oc of Ohwi32o: 4, run = 32, also for a
 * smaller OC: a run counts the layout's padding and may exceed the extent. */
bool xk_view_stride_b(xk_ctx *c, const struct xk_view *v, const char *dim,
                      int64_t *stride_b, int64_t *run);
void xk_view_print(const struct xk_view *v, const char *title,
                   struct xk_str *out);

#endif
