/* SPDX-License-Identifier: Apache-2.0 */
/* A forward convolution as a contraction:
 * dst[mb][oc][oh][ow] = sum over kh, kw, ic of
 *     src[mb][ic][oh * sh + kh * (dh + 1) - ph][...] * wei[oc][ic][kh][kw].
 * M is mb oh ow, or oh ow mb (xk_conv_rows_by_images): rows that follow each
 * other do so in memory, or meet padding together. There mb may be in blocks,
 * oh mbo ow mbi. N is oc, K is kh kw ic. With depth, od and kd stand before oh
 * and kh everywhere. Behind this file nobody knows of convolution. */
#include "conv/tensors.h"

#include <string.h>

/* Images in M: 0, outside the pixels; else how many are so before the next
 * pixel. */
static int64_t images_inside(const struct xk_nest *p,
                             const struct xk_conv_desc *f)
{
    const bool inside = xk_conv_rows_by_images(f, &p->a.view.layout);
    return inside ? xk_conv_image_block(f) : 0;
}

static void add_rows(struct xk_nest *p, const struct xk_conv_desc *f)
{
    const int64_t inside = images_inside(p, f);
    if (!inside)
        xk_nest_add_index(p, "mb", f->mb, XK_ROLE_M);
    if (xk_conv_is_3d(f))
        xk_nest_add_index(p, "od", f->od, XK_ROLE_M);
    xk_nest_add_index(p, "oh", f->oh, XK_ROLE_M);
    if (inside && inside < f->mb)
        xk_nest_add_index(p, "mbo", f->mb / inside, XK_ROLE_M);
    xk_nest_add_index(p, "ow", f->ow, XK_ROLE_M);
    if (inside)
        xk_nest_add_index(p, inside < f->mb ? "mbi" : "mb", inside, XK_ROLE_M);
}

/* The view's images as M has them. */
static enum xk_status split_images(xk_ctx *c, const struct xk_nest *p,
                                   const struct xk_conv_desc *f,
                                   struct xk_view *v)
{
    const int64_t inside = images_inside(p, f);
    if (!inside || inside == f->mb)
        return XK_OK;
    const struct xk_embed parts[] = {{"mbo", f->mb / inside, 0},
                                     {"mbi", inside, 0}};
    return xk_view_unmerge(c, v, "mb", 2, parts);
}

static void add_indices(struct xk_nest *p, const struct xk_conv_desc *f)
{
    const bool with_d = xk_conv_is_3d(f);
    add_rows(p, f);
    xk_nest_add_index(p, "oc", f->oc, XK_ROLE_N);
    if (with_d)
        xk_nest_add_index(p, "kd", f->kd, XK_ROLE_K);
    xk_nest_add_index(p, "kh", f->kh, XK_ROLE_K);
    xk_nest_add_index(p, "kw", f->kw, XK_ROLE_K);
    xk_nest_add_index(p, "ic", f->ic, XK_ROLE_K);
}

/* The argument's tensor, each of its dims a view dim of the given name; the
 * third name is depth's and left out in 2D. */
static enum xk_status init_operand(xk_ctx *c, const struct xk_conv_desc *f,
                                   const struct xk_conv_info *info,
                                   enum xk_conv_arg arg,
                                   const char *const *names,
                                   struct xk_operand_view *o)
{
    static const char *const arg_names[XK_N_CONV_ARGS] = {
        [XK_ARG_SRC] = "src",
        [XK_ARG_WEI] = "wei",
        [XK_ARG_BIA] = "bia",
        [XK_ARG_DST] = "dst",
    };
    const char *used[XK_LAYOUT_MAX_DIMS];
    struct xk_layout l;
    strcpy(o->name, arg_names[arg]);
    o->arg = (uint8_t)arg;
    XK_TRY(xk_conv_layout(c, f, arg, info->tensor[arg].tag, &l));
    for (unsigned i = 0; i < l.n_dims; i++)
        used[i] = names[i >= 2 && l.n_dims == 4 ? i + 1 : i];
    return xk_view_init(c, &o->view, &l, used);
}

/* src: [mb][ic][ih][iw] seen as [mb][ic][oh][kh][ow][kw], likewise id; what
 * reads beside the image is masked. */
static enum xk_status init_src(xk_ctx *c, const struct xk_conv_desc *f,
                               const struct xk_conv_info *info,
                               struct xk_operand_view *o)
{
    static const char *const names[] = {"mb", "ic", "id", "ih", "iw"};
    const struct xk_embed d[] = {{"od", f->od, f->sd},
                                 {"kd", f->kd, f->dd + 1}};
    const struct xk_embed h[] = {{"oh", f->oh, f->sh},
                                 {"kh", f->kh, f->dh + 1}};
    const struct xk_embed w[] = {{"ow", f->ow, f->sw},
                                 {"kw", f->kw, f->dw + 1}};
    XK_TRY(init_operand(c, f, info, XK_ARG_SRC, names, o));
    if (xk_conv_is_3d(f))
        XK_TRY(xk_view_embed(c, &o->view, "id", 2, d, -f->pd));
    XK_TRY(xk_view_embed(c, &o->view, "ih", 2, h, -f->ph));
    return xk_view_embed(c, &o->view, "iw", 2, w, -f->pw);
}

/* bia: [oc], the same for every row of C. */
static enum xk_status init_bias(xk_ctx *c, const struct xk_conv_desc *f,
                                const struct xk_conv_info *info,
                                struct xk_nest *p)
{
    static const char *const names[] = {"oc"};
    struct xk_operand_view *const o = &p->input[p->n_inputs];
    p->epi[p->n_epi].kind = XK_EPI_ADD;
    p->epi[p->n_epi++].input = p->n_inputs++;
    XK_TRY(init_operand(c, f, info, XK_ARG_BIA, names, o));
    XK_TRY(xk_view_broadcast(c, &o->view, "mb", f->mb));
    XK_TRY(split_images(c, p, f, &o->view));
    if (xk_conv_is_3d(f))
        XK_TRY(xk_view_broadcast(c, &o->view, "od", f->od));
    XK_TRY(xk_view_broadcast(c, &o->view, "oh", f->oh));
    return xk_view_broadcast(c, &o->view, "ow", f->ow);
}

static void add_epi(struct xk_nest *p, enum xk_epi_kind kind, float alpha)
{
    p->epi[p->n_epi].kind = (uint8_t)kind;
    p->epi[p->n_epi++].alpha = alpha;
}

/* What follows the bias: the scale is of convolution and bias, and the
 * post-ops see its result. */
static void add_scale_and_post_ops(struct xk_nest *p,
                                   const struct xk_conv_desc *f)
{
    if (f->scale != 0)
        add_epi(p, XK_EPI_SCALE, f->scale);
    for (uint32_t i = 0; i < f->n_post_ops; i++)
        add_epi(p,
                f->post_ops[i].kind == XK_POST_SUM ? XK_EPI_SUM : XK_EPI_RELU,
                f->post_ops[i].alpha);
}

enum xk_status xk_conv_contraction(xk_ctx *c, const struct xk_conv_desc *full,
                                   const struct xk_conv_info *info,
                                   struct xk_nest *out)
{
    static const char *const wei[] = {"oc", "ic", "kd", "kh", "kw"};
    static const char *const dst[] = {"mb", "oc", "od", "oh", "ow"};
    memset(out, 0, sizeof(*out));
    out->acc_dt =
        xk_dtype_is_int(xk_conv_dtype(full->src_type)) ? XK_DT_S32 : XK_DT_F32;
    XK_TRY(init_src(c, full, info, &out->a));
    XK_TRY(split_images(c, out, full, &out->a.view));
    add_indices(out, full);
    XK_TRY(init_operand(c, full, info, XK_ARG_WEI, wei, &out->b));
    XK_TRY(init_operand(c, full, info, XK_ARG_DST, dst, &out->c));
    XK_TRY(split_images(c, out, full, &out->c.view));
    if (xk_conv_has_bias(full))
        XK_TRY(init_bias(c, full, info, out));
    add_scale_and_post_ops(out, full);
    return XK_OK;
}
