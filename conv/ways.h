/* SPDX-License-Identifier: Apache-2.0 */
/* How the caller's tensors reach the kernels: as they are, or by way of scratch
 * memory, where a copy has a layout and a type that kernels take. Whatever tag,
 * strides or type a descriptor has, the contraction sees one that is known. */
#ifndef XK_CONV_WAYS_H
#define XK_CONV_WAYS_H

#include "conv/conv.h"
#include "layout/number_format.h"

/* A copied tensor, over our dims. */
struct xk_conv_way {
    bool copied;
    uint32_t type;           /* enum xk_data_type: the caller's */
    struct xk_layout layout; /* the caller's, in elements */
    uint32_t read_as;        /* dst that a sum reads: its old elements' type */
};

/* Parts of the minibatch, all of `mb`, of which kernels see one
 * (conv/parts.h). Part i begins at i * step, the last one so that it ends where
 * the minibatch does; it may overlap the one before. */
struct xk_conv_parts {
    unsigned n; /* 1: the whole */
    int64_t whole, mb, step;
    /* Where one image is too large it has so many parts along a spatial dim
     * (0 d, 1 h, 2 w), and mb is 1; 0: images are whole. */
    unsigned each, axis;
    /* Places of all, of a part, and from one to the next; the same of src's
     * whole. */
    int64_t places, part, next, of_src;
    /* Where src and dst have the same pixels and an output sees one, pixels of
     * all images are the minibatch: so many images of d, h and w; 0: not so. */
    int64_t outer, size[3];
};

/* By argument: tensors, right-hand sides, scales, zero points. */
struct xk_conv_ways {
    unsigned n; /* copied ones */
    bool stochastic;
    bool empty; /* no images; what kernels would see has one */
    struct xk_conv_parts parts;
    struct xk_conv_way at[XK_N_PROGRAM_ARGS];
};

/* The format of a data type; XK_N_FORMATS: memory is not read as such. */
enum xk_format xk_conv_format(uint32_t data_type);
/* The type that a copy of a source or of weights has, with the other one's. */
void xk_conv_common_types(uint32_t *src, uint32_t *wei);
/* Takes the tags and strides of a descriptor whose numbers have been checked.
 * *full becomes what the kernels see. XK_EINVAL: a tag or strides that are
 * none. XK_EUNSUPPORTED: sums that read dst as several types, where it is
 * copied. */
enum xk_status xk_conv_take_ways(xk_ctx *c, struct xk_conv_desc *full,
                                 struct xk_conv_ways *out);
/* The layout of a tensor that kernels see, in elements. */
enum xk_status xk_conv_seen_layout(xk_ctx *c, const struct xk_tensor_info *t,
                                   struct xk_layout *out);
/* What the caller sees: *user, which begins as what the kernels see, gets the
 * copied tensors' layouts and types. XK_EUNSUPPORTED: one is too large. */
enum xk_status xk_conv_describe_ways(xk_ctx *c, const struct xk_conv_ways *w,
                                     struct xk_conv_info *user);

#endif
