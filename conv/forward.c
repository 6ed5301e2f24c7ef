/* SPDX-License-Identifier: Apache-2.0 */
/* A forward convolution as a contraction:
 * dst[mb][oc][oh][ow] = sum over kh, kw, ic of
 *     src[mb][ic][oh * sh + kh * (dh + 1) - ph][...] * wei[oc][ic][kh][kw].
 * M is mb oh ow, N is oc, K is kh kw ic. With depth, od and kd stand before oh
 * and kh everywhere. Several groups are a batch index g: oc and ic count inside
 * a group, wei has g in front, and channel g * OC + oc of dst is channel oc of
 * group g. A deconvolution backward by data is the same sum over pixels of dst
 * and the other channels. Behind this file nobody knows of convolution. */
#include <string.h>

#include "conv/behind_sum.h"
#include "conv/zero_sums.h"

/* Numbers of the indices; of a spatial dim 0 d, 1 h, 2 w: -1 without depth, and
 * g without several groups. made, summed: the channels of places and of pixels.
 */
struct indices {
    int g, mb, o[3], made, k[3], summed;
};

static struct indices add_indices(struct xk_contraction *p,
                                  const struct xk_conv_desc *f)
{
    const enum xk_conv_arg pixels = xk_conv_pixels(f),
                           places = xk_conv_places(f);
    const unsigned first = xk_conv_is_3d(f) ? 0 : 1;
    struct indices x = {.g = -1, .o = {-1}, .k = {-1}};
    if (f->g > 1)
        x.g = (int)xk_contraction_add(p, "g", f->g, XK_ROLE_BATCH);
    x.mb = (int)xk_contraction_add(p, "mb", f->mb, XK_ROLE_M);
    for (unsigned i = first; i < 3; i++)
        x.o[i] = (int)xk_contraction_add(p, xk_conv_spatial_name(places, i),
                                         xk_conv_axis(f, i).places, XK_ROLE_M);
    x.made = (int)xk_contraction_add(p, xk_conv_channel_name(places),
                                     xk_conv_channels(f, places), XK_ROLE_N);
    for (unsigned i = first; i < 3; i++)
        x.k[i] = (int)xk_contraction_add(p, xk_conv_tap_names[i],
                                         xk_conv_axis(f, i).taps, XK_ROLE_K);
    x.summed = (int)xk_contraction_add(p, xk_conv_channel_name(pixels),
                                       xk_conv_channels(f, pixels), XK_ROLE_K);
    return x;
}

enum xk_status xk_conv_access(xk_ctx *c, const struct xk_conv_desc *f,
                              const struct xk_conv_info *info,
                              enum xk_conv_arg arg, struct xk_access *a)
{
    const char *const own[XK_N_CONV_ARGS] = {
        [XK_ARG_SRC] = f->src_tag,
        [XK_ARG_WEI] = f->wei_tag,
        [XK_ARG_BIA] = "a",
        [XK_ARG_DST] = f->dst_tag,
    };
    const char *const tag = info ? info->tensor[arg].tag : own[arg];
    strcpy(a->name, xk_conv_arg_name(arg));
    a->arg = (uint8_t)arg;
    if (xk_conv_tag_is_any(tag)) {
        xk_conv_open_layout(f, arg, &a->layout);
        return XK_OK;
    }
    return xk_conv_layout(c, f, arg, tag, &a->layout);
}

enum xk_status xk_conv_begin(xk_ctx *c, const struct xk_conv_desc *f,
                             const struct xk_conv_info *info,
                             struct xk_conv_roles of,
                             struct xk_contraction *out)
{
    const enum xk_conv_arg a = (enum xk_conv_arg)of.a;
    xk_contraction_clear(out);
    out->acc_dt =
        xk_conv_type_is_int(xk_conv_type_of(f, a)) ? XK_DT_S32 : XK_DT_F32;
    XK_TRY(xk_conv_access(c, f, info, a, &out->a));
    XK_TRY(xk_conv_access(c, f, info, (enum xk_conv_arg)of.b, &out->b));
    return xk_conv_access(c, f, info, (enum xk_conv_arg)of.c, &out->c);
}

void xk_conv_add_dims(struct xk_access *a, unsigned n, const int *index)
{
    for (unsigned i = 0; i < n; i++)
        if (index[i] >= 0)
            xk_access_add(a, index[i], a->layout.dim[a->n_coord]);
}

void xk_conv_over_groups(const struct xk_conv_desc *f, int g, unsigned d,
                         struct xk_access *a)
{
    struct xk_coord *const at = &a->at[d];
    if (g >= 0 && at->hi > 1)
        at->coef[g] = at->hi / f->g;
}

void xk_conv_add_wei_dims(const struct xk_conv_desc *f, int g, int pixels,
                          int places, struct xk_access *a)
{
    const bool back = xk_conv_is_deconv(f);
    xk_conv_add_dims(
        a, 3, (const int[]){g, back ? pixels : places, back ? places : pixels});
}

/* What lies beside the pixels reads as zero. */
static void add_pixels(struct xk_access *a, const struct xk_conv_desc *f,
                       const struct indices *x)
{
    xk_conv_add_dims(a, 2, (const int[]){x->mb, x->summed});
    xk_conv_over_groups(f, x->g, 1, a);
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_conv_axis s = xk_conv_axis(f, i);
        if (x->o[i] < 0)
            continue;
        struct xk_coord *const at = xk_access_add(a, -1, s.extent);
        at->coef[x->o[i]] = s.step;
        at->coef[x->k[i]] = s.apart;
        at->base = -s.pad;
    }
}

enum xk_status xk_conv_contraction(xk_ctx *c, const struct xk_conv_desc *f,
                                   const struct xk_conv_info *info,
                                   struct xk_contraction *out)
{
    const struct xk_conv_roles of = {xk_conv_pixels(f), XK_ARG_WEI,
                                     xk_conv_places(f)};
    XK_TRY(xk_conv_begin(c, f, info, of, out));
    const struct indices x = add_indices(out, f);
    add_pixels(&out->a, f, &x);
    xk_conv_add_wei_dims(f, x.g, x.summed, x.made, &out->b);
    xk_conv_add_dims(&out->b, 3, x.k);
    xk_conv_add_dims(&out->c, 5,
                     (const int[]){x.mb, x.made, x.o[0], x.o[1], x.o[2]});
    xk_conv_over_groups(f, x.g, 1, &out->c);
    if (xk_conv_is_deconv(f))
        return XK_OK; /* a gradient */
    const struct xk_conv_places places = {
        x.g, x.mb, {x.o[0], x.o[1], x.o[2]}, x.made};
    XK_TRY(xk_conv_add_sums(c, f, &places, out));
    return xk_conv_add_epilogue(c, f, info, out);
}
