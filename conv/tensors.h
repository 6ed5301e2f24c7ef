/* SPDX-License-Identifier: Apache-2.0 */
/* Inside conv/: the tensors of a complete descriptor. */
#ifndef XK_CONV_TENSORS_H
#define XK_CONV_TENSORS_H

#include "conv/conv.h"

/* UNDEF for a type that no generated kernel has, and for a number that is no
 * enum xk_data_type. */
enum xk_dtype xk_conv_dtype(uint32_t data_type);
/* "f32"; NULL for the default and for a number that is no type. */
const char *xk_conv_type_name(uint32_t data_type);
/* Mantissa and exponent, or no fraction: scales and zero points ask. */
bool xk_conv_type_is_int(uint32_t data_type);
/* Sets of types: a bit for each enum xk_data_type. */
#define XK_TYPE_BIT(type) (1u << (type))
/* What dst, a bias and a right-hand side may have, whatever was added up. */
#define XK_CONV_STORED_TYPES                                                   \
    (XK_TYPE_BIT(XK_F32) | XK_TYPE_BIT(XK_F16) | XK_TYPE_BIT(XK_BF16) |        \
     XK_TYPE_BIT(XK_S32) | XK_TYPE_BIT(XK_S8) | XK_TYPE_BIT(XK_U8))
/* What copies make one of these of (conv/ways.h): of src and weights, of dst,
 * and of a bias and a right-hand side. */
#define XK_CONV_SMALL_FLOATS                                                   \
    (XK_TYPE_BIT(XK_F8_E5M2) | XK_TYPE_BIT(XK_F8_E4M3) |                       \
     XK_TYPE_BIT(XK_F4_E2M1))
#define XK_CONV_COPIED_FACTORS                                                 \
    (XK_CONV_SMALL_FLOATS | XK_TYPE_BIT(XK_S4) | XK_TYPE_BIT(XK_U4))
#define XK_CONV_COPIED_ADDENDS (XK_CONV_COPIED_FACTORS | XK_TYPE_BIT(XK_E8M0))
/* Sets of types that go without a copy, and with one. */
struct xk_conv_types {
    uint32_t plain, copied;
};
/* XK_EUNSUPPORTED for a type that is not plain: the message names the field,
 * the type, `beside` (" with src_type=u8", or "") and what both sets have. */
enum xk_status xk_conv_check_type(xk_ctx *c, const char *field, uint32_t type,
                                  struct xk_conv_types set, const char *beside);
/* enum xk_data_type of a name of n characters ("f32"); 0: there is none. */
uint32_t xk_conv_type_named(const char *name, size_t n);
bool xk_conv_has_bias(const struct xk_conv_desc *full);
/* Bias, scales, zero points and post-ops go with these. */
static inline bool xk_conv_is_forward(const struct xk_conv_desc *full)
{
    return full->prop <= XK_FWD_I;
}
static inline bool xk_conv_is_deconv(const struct xk_conv_desc *full)
{
    return full->alg >= XK_ALG_DECONV_DIRECT;
}
/* Whether one kernel with layouts of its own makes the result, with sums of
 * zero points and packed weights in front. The others are launches of
 * contractions (gen/gradients.c), which take tensors in any layout. */
static inline bool xk_conv_is_one_kernel(const struct xk_conv_desc *full)
{
    return xk_conv_is_forward(full) && !xk_conv_is_deconv(full);
}
/* A window moves over the pixels of one of src and dst; each place of it is an
 * element of the other one: of a convolution dst, of a deconvolution src. */
static inline enum xk_conv_arg xk_conv_pixels(const struct xk_conv_desc *full)
{
    return xk_conv_is_deconv(full) ? XK_ARG_DST : XK_ARG_SRC;
}
static inline enum xk_conv_arg xk_conv_places(const struct xk_conv_desc *full)
{
    return xk_conv_is_deconv(full) ? XK_ARG_SRC : XK_ARG_DST;
}
/* Whether the result is the tensor that the window moves over. */
static inline bool xk_conv_makes_moved(const struct xk_conv_desc *full)
{
    return xk_conv_desc_roles(full).c == xk_conv_pixels(full);
}
/* Channels of src or dst in one group, and the name of an index of them. */
int64_t xk_conv_channels(const struct xk_conv_desc *full, enum xk_conv_arg arg);
const char *xk_conv_channel_name(enum xk_conv_arg arg);
/* Whether the direction writes the tensor: BWD_WB writes two. */
bool xk_conv_writes(const struct xk_conv_desc *full, enum xk_conv_arg arg);
/* The parts of xk_conv_check that look at the attributes: what contradicts
 * itself (XK_EINVAL; default types become explicit), then what is not
 * implemented. The descriptor's other fields have been checked. */
enum xk_status xk_conv_check_attr(xk_ctx *c, struct xk_conv_desc *full);
struct xk_conv_ways;
/* ways, NULL if there are none, knows the types that the caller gave. */
enum xk_status xk_conv_check_attr_implemented(xk_ctx *c,
                                              const struct xk_conv_desc *full,
                                              const struct xk_conv_ways *ways);
/* XK_EINVAL: strides without their number, which somebody forgot. */
enum xk_status xk_conv_check_idle_strides(xk_ctx *c,
                                          const struct xk_conv_desc *full);
/* Index names of dim i (0 d, 1 h, 2 w): src's elements, "ih", dst's, "oh", and
 * the taps of the filter, "kh". */
const char *xk_conv_spatial_name(enum xk_conv_arg arg, unsigned i);
extern const char *const xk_conv_tap_names[3];
/* "src_tag" and so on, "bia" for the bias: the name in messages. */
const char *xk_conv_tensor_field(enum xk_conv_arg arg);
/* Whether the tensor has a dim of groups in front: weights of several. */
bool xk_conv_has_group_dim(const struct xk_conv_desc *full,
                           enum xk_conv_arg arg);
/* Extents of src, dst: n c [d] h w; wei: [g] o i [d] h w, o and i those of a
 * group; bia: o. Returns their number. */
unsigned xk_conv_dims(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                      int64_t dims[XK_LAYOUT_MAX_DIMS]);
uint32_t xk_conv_type_of(const struct xk_conv_desc *full, enum xk_conv_arg arg);
/* A tag that leaves the choice to the library. */
bool xk_conv_tag_is_any(const char *tag);
/* The tag without padding that has (input) channels innermost, and groups
 * outermost: "acdb", "acdeb", "abdec". */
const char *xk_conv_dense_tag(const struct xk_conv_desc *full,
                              enum xk_conv_arg arg);
/* Is there a kernel for this canonical tag over our dims? */
bool xk_conv_tag_is_known(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                          const char *tag);
/* XK_EUNSUPPORTED: there is none for the tag, as the user wrote it. */
enum xk_status xk_conv_fail_tag(xk_ctx *c, const struct xk_conv_desc *full,
                                enum xk_conv_arg arg, const char *tag);
/* The user's tag or strides of the tensor become the tag over our dims, which
 * have a height in 1D and no groups; "any" stays. XK_EINVAL and XK_EUNSUPPORTED
 * name what the user wrote. */
enum xk_status xk_conv_take_layout(xk_ctx *c, const struct xk_conv_desc *full,
                                   enum xk_conv_arg arg, char tag[XK_TAG_MAX]);
/* The same for any layout, which goes to *out, with gaps and over our dims. The
 * tag becomes ours where a kernel takes it (*known), and stays else. It is not
 * left open. */
enum xk_status xk_conv_user_layout(xk_ctx *c, const struct xk_conv_desc *full,
                                   enum xk_conv_arg arg, char tag[XK_TAG_MAX],
                                   struct xk_layout *out, bool *known);
/* A tensor of a public type in a layout. */
void xk_conv_describe(const struct xk_layout *l, uint32_t type,
                      struct xk_tensor_info *out);
/* Dims of src and dst as the user counts them. */
unsigned xk_conv_user_ndims(const struct xk_conv_desc *full);
/* The right-hand side of post-op i over our dims of dst, each of which it has
 * or is 1. Where the post-op leaves its layout open it lies as dst does, if it
 * is as large (dst_tag; NULL: open, too), else channels innermost. */
enum xk_status xk_conv_rhs_layout(xk_ctx *c, const struct xk_conv_desc *full,
                                  uint32_t i, const char *dst_tag,
                                  struct xk_layout *out);
/* A tag over our dims. XK_EINVAL if it is none, XK_EUNSUPPORTED if no kernel
 * takes it. */
enum xk_status xk_conv_layout(xk_ctx *c, const struct xk_conv_desc *full,
                              enum xk_conv_arg arg, const char *tag,
                              struct xk_layout *out);
/* The type and the extents; no blocks. */
void xk_conv_open_layout(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                         struct xk_layout *out);
/* A spatial dim (0 d, 1 h, 2 w): places, filter taps, pixels from place to
 * place and from tap to tap, padding in front, pixels. */
struct xk_conv_axis {
    int64_t places, taps, step, apart, pad, extent;
};
struct xk_conv_axis xk_conv_axis(const struct xk_conv_desc *full, unsigned i);
/* The argument's tensor, without coordinates. Its layout is that of *info;
 * without info the descriptor's, which is open where the tag is "any". */
enum xk_status xk_conv_access(xk_ctx *c, const struct xk_conv_desc *full,
                              const struct xk_conv_info *info,
                              enum xk_conv_arg arg, struct xk_access *out);
/* An empty contraction over the three tensors, with its accumulators' type. */
enum xk_status xk_conv_begin(xk_ctx *c, const struct xk_conv_desc *full,
                             const struct xk_conv_info *info,
                             struct xk_conv_roles of,
                             struct xk_contraction *out);
/* Passes the indices through, one a dim; -1: no such dim. */
void xk_conv_add_dims(struct xk_access *a, unsigned n, const int *index);
/* The dims of wei in front of the taps: the index of groups (-1: none), and
 * those of the channels at pixels and at places. */
void xk_conv_add_wei_dims(const struct xk_conv_desc *full, int g, int pixels,
                          int places, struct xk_access *a);
/* Dim d, which an index of channels moves, has those of all groups; g: the
 * index of groups, -1: there is none. */
void xk_conv_over_groups(const struct xk_conv_desc *full, int g, unsigned d,
                         struct xk_access *a);
/* Offsets are s32 also where a mask hides them, in the padding around the
 * pixels, whose layout is given, and so is every part of their sum:
 * XK_EUNSUPPORTED where they would not be. */
enum xk_status xk_conv_check_reach(xk_ctx *c, const struct xk_conv_desc *full,
                                   const struct xk_layout *pixels);

#endif
