/* SPDX-License-Identifier: Apache-2.0 */
/* A forward convolution as a contraction:
 * dst[mb][oc][oh][ow] = sum over kh, kw, ic of
 *     src[mb][ic][oh * sh + kh * (dh + 1) - ph][...] * wei[oc][ic][kh][kw].
 * M is mb oh ow, N is oc, K is kh kw ic. With depth, od and kd stand before oh
 * and kh everywhere. Several groups are a batch index g: oc and ic count inside
 * a group, wei has g in front, and channel g * OC + oc of dst is channel oc of
 * group g. Behind this file nobody knows of convolution. */
#include "conv/quants.h"
#include "conv/zero_sums.h"

#include <stdio.h>
#include <string.h>

/* Numbers of the indices; of a spatial dim 0 d, 1 h, 2 w: -1 without depth, and
 * g without several groups. */
struct indices {
    int g, mb, o[3], oc, k[3], ic;
};

static struct indices add_indices(struct xk_contraction *p,
                                  const struct xk_conv_desc *f)
{
    const unsigned first = xk_conv_is_3d(f) ? 0 : 1;
    struct indices x = {.g = -1, .o = {-1}, .k = {-1}};
    if (f->g > 1)
        x.g = (int)xk_contraction_add(p, "g", f->g, XK_ROLE_BATCH);
    x.mb = (int)xk_contraction_add(p, "mb", f->mb, XK_ROLE_M);
    for (unsigned i = first; i < 3; i++)
        x.o[i] = (int)xk_contraction_add(p, xk_conv_place_names[i],
                                         xk_conv_axis(f, i).places, XK_ROLE_M);
    x.oc = (int)xk_contraction_add(p, "oc", f->oc / f->g, XK_ROLE_N);
    for (unsigned i = first; i < 3; i++)
        x.k[i] = (int)xk_contraction_add(p, xk_conv_tap_names[i],
                                         xk_conv_axis(f, i).taps, XK_ROLE_K);
    x.ic = (int)xk_contraction_add(p, "ic", f->ic / f->g, XK_ROLE_K);
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

/* What lies beside src reads as zero. */
static void add_src_dims(struct xk_access *a, const struct xk_conv_desc *f,
                         const struct indices *x)
{
    xk_conv_add_dims(a, 2, (const int[]){x->mb, x->ic});
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

/* A scale or zero point as an operand of an operation; nothing where there is
 * none. */
static enum xk_status add_quant(xk_ctx *c, const struct xk_conv_desc *f,
                                const struct indices *x, enum xk_conv_quant q,
                                enum xk_epi_kind kind, struct xk_contraction *p)
{
    struct xk_conv_quant_row row;
    xk_conv_quant_row(f, q, &row);
    if (row.of->source == XK_QUANT_NONE)
        return XK_OK;
    p->epi[p->n_epi++] =
        (struct xk_epi_op){.kind = (uint8_t)kind, .input = p->n_inputs};
    struct xk_access *const a = xk_contraction_add_input(p);
    snprintf(a->name, sizeof(a->name), "%s", row.name);
    a->arg = row.number;
    a->by_value = row.of->source == XK_QUANT_HOST;
    a->inverse = q == XK_SCALE_OF_DST;
    XK_TRY(xk_conv_quant_layout(c, &row, &a->layout));
    xk_access_add(a, row.extent > 1 ? x->oc : -1, row.extent);
    xk_conv_over_groups(f, x->g, 0, a);
    return XK_OK;
}

/* The same for every row of C. */
static enum xk_status add_bias(xk_ctx *c, const struct xk_conv_desc *f,
                               const struct xk_conv_info *info,
                               const struct indices *x,
                               struct xk_contraction *p)
{
    p->epi[p->n_epi].kind = XK_EPI_ADD;
    p->epi[p->n_epi++].input = p->n_inputs;
    struct xk_access *const a = xk_contraction_add_input(p);
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_BIA, a));
    xk_conv_add_dims(a, 1, &x->oc);
    xk_conv_over_groups(f, x->g, 0, a);
    return XK_OK;
}

/* The right-hand side of post-op i, for the step that was appended last. It
 * stands still along the dims that it does not have. */
static enum xk_status add_rhs(xk_ctx *c, const struct xk_conv_desc *f,
                              const struct xk_conv_info *info,
                              const struct indices *x, uint32_t i,
                              struct xk_contraction *p)
{
    const int index[] = {x->mb, x->oc, x->o[0], x->o[1], x->o[2]};
    p->epi[p->n_epi - 1].input = p->n_inputs;
    struct xk_access *const a = xk_contraction_add_input(p);
    if (!a)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "post_ops[%u]: more than %d right-hand sides, bias "
                       "included",
                       i, XK_MAX_INPUTS);
    snprintf(a->name, sizeof(a->name), "rhs%u", i);
    a->arg = (uint8_t)(XK_ARG_RHS + i);
    XK_TRY(xk_conv_rhs_layout(
        c, f, i, info ? info->tensor[XK_ARG_DST].tag : NULL, &a->layout));
    for (unsigned k = 0; k < XK_COUNTOF(index); k++)
        if (index[k] >= 0) {
            const int64_t extent = a->layout.dim[a->n_coord];
            xk_access_add(a, extent > 1 ? index[k] : -1, extent);
        }
    xk_conv_over_groups(f, x->g, 1, a);
    return XK_OK;
}

/* What follows the bias: the scale is of convolution and bias, and the
 * post-ops see its result. */
static enum xk_status add_scale_and_post_ops(xk_ctx *c,
                                             const struct xk_conv_desc *f,
                                             const struct xk_conv_info *info,
                                             const struct indices *x,
                                             struct xk_contraction *p)
{
    if (f->scale != 0)
        p->epi[p->n_epi++] =
            (struct xk_epi_op){.kind = XK_EPI_LINEAR, .alpha = f->scale};
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        const struct xk_post_op *const op = &f->post_ops[i];
        p->epi[p->n_epi++] = (struct xk_epi_op){.kind = (uint8_t)op->kind,
                                                .alpha = op->alpha,
                                                .beta = op->beta,
                                                .zero = (float)op->zero_point};
        if (xk_post_op_reads_old(op->kind) && op->type)
            p->epi[p->n_epi - 1].old_dt = (uint8_t)xk_conv_dtype(op->type);
        if (xk_post_op_reads_rhs(op->kind))
            XK_TRY(add_rhs(c, f, info, x, i, p));
    }
    return XK_OK;
}

enum xk_status xk_conv_contraction(xk_ctx *c, const struct xk_conv_desc *f,
                                   const struct xk_conv_info *info,
                                   struct xk_contraction *out)
{
    xk_contraction_clear(out);
    out->acc_dt =
        xk_dtype_is_int(xk_conv_dtype(f->src_type)) ? XK_DT_S32 : XK_DT_F32;
    const struct indices x = add_indices(out, f);
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_SRC, &out->a));
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_WEI, &out->b));
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_DST, &out->c));
    add_src_dims(&out->a, f, &x);
    xk_conv_add_dims(&out->b, 6,
                     (const int[]){x.g, x.oc, x.ic, x.k[0], x.k[1], x.k[2]});
    xk_conv_add_dims(&out->c, 5,
                     (const int[]){x.mb, x.oc, x.o[0], x.o[1], x.o[2]});
    xk_conv_over_groups(f, x.g, 1, &out->c);
    const struct xk_conv_places places = {
        x.g, x.mb, {x.o[0], x.o[1], x.o[2]}, x.oc};
    XK_TRY(xk_conv_add_sums(c, f, &places, out));
    XK_TRY(add_quant(c, f, &x, XK_SCALE_OF_SRC, XK_EPI_MUL, out));
    XK_TRY(add_quant(c, f, &x, XK_SCALE_OF_WEI, XK_EPI_MUL, out));
    if (xk_conv_has_bias(f))
        XK_TRY(add_bias(c, f, info, &x, out));
    XK_TRY(add_scale_and_post_ops(c, f, info, &x, out));
    XK_TRY(add_quant(c, f, &x, XK_SCALE_OF_DST, XK_EPI_MUL, out));
    return add_quant(c, f, &x, XK_ZERO_POINT_OF_DST, XK_EPI_ADD, out);
}
