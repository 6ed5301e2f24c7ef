/* SPDX-License-Identifier: Apache-2.0 */
/* Inside conv/: the tensors of a complete descriptor. */
#ifndef XK_CONV_TENSORS_H
#define XK_CONV_TENSORS_H

#include "conv/conv.h"

/* UNDEF for a number that is no enum xk_data_type. */
enum xk_dtype xk_conv_dtype(uint32_t data_type);
bool xk_conv_has_bias(const struct xk_conv_desc *full);
/* "src_tag" and so on, "bia" for the bias: the name in messages. */
const char *xk_conv_tensor_field(enum xk_conv_arg arg);
/* Extents of src, dst: n c [d] h w; wei: o i [d] h w; bia: o. Returns their
 * number. */
unsigned xk_conv_dims(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                      int64_t dims[XK_LAYOUT_MAX_DIMS]);
/* A tag that leaves the choice to the library. */
bool xk_conv_tag_is_any(const char *tag);
/* XK_EINVAL if the tag is none, XK_EUNSUPPORTED if no kernel takes it. */
enum xk_status xk_conv_layout(xk_ctx *c, const struct xk_conv_desc *full,
                              enum xk_conv_arg arg, const char *tag,
                              struct xk_layout *out);
/* Whether images lie inside the pixels of src or dst, "Bcda16b": the blocks of
 * a tag's letters come first, in its order. */
bool xk_conv_images_inside(const struct xk_layout *act);
/* Does wei have so many filter taps of a line in its innermost block, with few
 * channels of each? "AcDB32a4d4b" has 4. */
bool xk_conv_taps_inside(const struct xk_layout *wei, int64_t taps);
/* Is M's innermost index the image? It is where src has the images inside its
 * pixels. It also is where src has channels innermost, so many (in whole steps
 * of K) that rows are apart in any order; then eight images that share a pixel
 * are out of bounds together. */
bool xk_conv_rows_by_images(const struct xk_conv_desc *full,
                            const struct xk_layout *src);
/* Is a tap further in a line of src the same as a pixel further, with several
 * of both? */
bool xk_conv_taps_slide(const struct xk_conv_desc *full);
/* Where the image is M's innermost index: how many images follow each other
 * before the next pixel of a line. All do; where taps slide, so few that a
 * thread has several pixels. The other images come before the next line. */
int64_t xk_conv_image_block(const struct xk_conv_desc *full);
/* A spatial dim (0 d, 1 h, 2 w): places of dst, filter taps, pixels of src from
 * place to place and from tap to tap, padding in front, pixels. */
struct xk_conv_axis {
    int64_t places, taps, step, apart, pad, extent;
};
struct xk_conv_axis xk_conv_axis(const struct xk_conv_desc *full, unsigned i);
/* Along the outermost spatial dim of dst that has more than one place: places,
 * filter taps, and pairs of both that lie beside src. */
struct xk_conv_edge {
    int64_t places, taps, beside;
};
struct xk_conv_edge xk_conv_edge(const struct xk_conv_desc *full);
/* Offsets are s32 also where a mask hides them, in the padding around src, and
 * so is every part of their sum: XK_EUNSUPPORTED where they would not be. */
enum xk_status xk_conv_check_reach(xk_ctx *c, const struct xk_conv_desc *full,
                                   const struct xk_layout *src);

#endif
