/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution: descriptor, problem string, and its contraction. Uses the
 * public descriptor of xekern.h. */
#ifndef XK_CONV_CONV_H
#define XK_CONV_CONV_H

#include "base/arena.h"
#include "views/nest.h"
#include "xekern/xekern.h"

/* "src" and so on: the name of a kernel's argument, below XK_N_CONV_ARGS. */
const char *xk_conv_arg_name(unsigned arg);
/* benchdnn's word for a direction, enum xk_prop: "FWD_D"; "?": it is none. */
const char *xk_conv_prop_name(uint32_t prop);
/* What a descriptor says, before it is asked what is implemented: with every
 * default made explicit, and its own types, tags and strides. XK_EINVAL names
 * field and value. */
enum xk_status xk_conv_read(xk_ctx *c, const struct xk_conv_desc *d,
                            struct xk_conv_desc *full);
/* Deduces and checks; XK_EINVAL names field and value, XK_EUNSUPPORTED says
 * what is not implemented, of kernels that take the tensors as they are. A copy
 * with every default made explicit goes to *full (types, prop, the factor of a
 * sum; tags stay "any" where they are). */
enum xk_status xk_conv_check(xk_ctx *c, const struct xk_conv_desc *d,
                             struct xk_conv_desc *full);
/* The same for tensors of any layout and type that oneDNN has: *full is then
 * what the kernels see, and *ways says what is copied for them. No images:
 * *full has one, and *ways says so. */
struct xk_conv_ways;
enum xk_status xk_conv_admit(xk_ctx *c, const struct xk_conv_desc *d,
                             struct xk_conv_desc *full,
                             struct xk_conv_ways *ways);
/* Problem strings; these are the public functions' bodies. */
enum xk_status xk_conv_parse(xk_ctx *c, const char *text,
                             struct xk_conv_desc *d, char *name,
                             size_t name_size);
void xk_conv_print(const struct xk_conv_desc *d, struct xk_str *out);
/* Whether depth does anything: then src, wei and dst have five dims (d before
 * h), else four. A depth of 1 all through is 2D. */
bool xk_conv_is_3d(const struct xk_conv_desc *d);
/* Weights whose tag is "any" get the smallest layout, which has channels
 * innermost and no padding. False: it is not "any". */
bool xk_conv_close_weights(struct xk_conv_desc *full);
/* With several groups, src and dst whose tag is "any" get channels innermost,
 * so that those of a group follow each other. */
void xk_conv_close_groups(struct xk_conv_desc *full);
/* All that is "any" gets (input) channels innermost. */
void xk_conv_close_tensors(struct xk_conv_desc *full);
/* The tensors: of each tag that is "any" the layout `any` (src, wei, dst, which
 * the plan likes best), of the others their own. XK_EUNSUPPORTED if one does
 * not fit; for "any" xk_conv_check cannot know. XK_EINVAL: a tag is "any" and
 * there is no layout for it. */
enum xk_status xk_conv_tensors(xk_ctx *c, const struct xk_conv_desc *full,
                               const struct xk_layout *const any[3],
                               struct xk_conv_info *info);
/* What makes places, convolution forward and deconvolution backward by data, as
 * a contraction over the layouts in *info; info NULL: over those of the
 * descriptor, which are open where a tag is "any". */
enum xk_status xk_conv_contraction(xk_ctx *c, const struct xk_conv_desc *full,
                                   const struct xk_conv_info *info,
                                   struct xk_contraction *out);

/* Spatial dims, bit 0 d, 1 h, 2 w, whose residues may be an index instead of
 * classes: all of them; those of filters that are whole strides wide, where no
 * tap is summed in vain; as a last resort those, too, where pixels have no tap,
 * or where what is added behind the sum is met outside. */
struct xk_conv_tiled {
    unsigned all, even, last;
};
struct xk_conv_tiled xk_conv_may_tile(const struct xk_conv_desc *full);
/* Products for as many pixels as all residues have, columns in eights: an index
 * gives each residue the taps of the one that has most. */
double xk_conv_tiled_products(const struct xk_conv_desc *full, unsigned tiled);
/* Classes that there are then. */
double xk_conv_tiled_launches(const struct xk_conv_desc *full, unsigned tiled);

/* What makes pixels, backward by data and deconvolution forward: a class for
 * each residue of a stride, so that no tap is summed that does not contribute,
 * or in the dims `tiled`, of those that may, an index of residues. Backward by
 * weights: dwei from the tensor of pixels (A) and that of places (B). The
 * bias's gradient is the sum of ddst (B), with ones as A. The gradients have
 * the arguments of their tensors. Tables of classes live in the arena.
 * XK_EUNSUPPORTED: a stride above 65536. */
enum xk_status xk_conv_backward_data(xk_ctx *c, struct xk_arena *arena,
                                     const struct xk_conv_desc *full,
                                     const struct xk_conv_info *info,
                                     unsigned tiled,
                                     struct xk_contraction *out);
enum xk_status xk_conv_backward_weights(xk_ctx *c,
                                        const struct xk_conv_desc *full,
                                        const struct xk_conv_info *info,
                                        struct xk_contraction *out);
enum xk_status xk_conv_backward_bias(xk_ctx *c, const struct xk_conv_desc *full,
                                     const struct xk_conv_info *info,
                                     struct xk_contraction *out);
/* Puts the bias's gradient, of the contraction above, beside that by weights
 * whose B it sums: it becomes con's totals. */
void xk_conv_share_bias(const struct xk_contraction *bias,
                        struct xk_contraction *con);

#endif
