/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/behind_sum.h"

#include <stdio.h>

#include "conv/quants.h"

enum { CHANNELS = 1 }; /* the dim of C */

/* An input's next dim stands where dim d of C does; one of a single element
 * stands still. */
static void add_still_or_like_c(const struct xk_contraction *p, unsigned d,
                                int64_t extent, struct xk_access *a)
{
    struct xk_coord *const x = xk_access_add(a, -1, extent);
    if (extent > 1)
        *x = p->c.at[d];
}

/* A scale or zero point as an operand of an operation; nothing where there is
 * none. */
static enum xk_status add_quant_operand(xk_ctx *c, const struct xk_conv_desc *f,
                                        enum xk_conv_quant q,
                                        enum xk_epi_kind kind,
                                        struct xk_contraction *p)
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
    add_still_or_like_c(p, CHANNELS, row.extent, a);
    return XK_OK;
}

/* The same for every row of C. */
static enum xk_status add_bias(xk_ctx *c, const struct xk_conv_desc *f,
                               const struct xk_conv_info *info,
                               struct xk_contraction *p)
{
    p->epi[p->n_epi].kind = XK_EPI_ADD;
    p->epi[p->n_epi++].input = p->n_inputs;
    struct xk_access *const a = xk_contraction_add_input(p);
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_BIA, a));
    *xk_access_add(a, -1, f->oc) = p->c.at[CHANNELS];
    return XK_OK;
}

/* The right-hand side of post-op i, for the step that was appended last. It
 * stands still along the dims that it does not have. */
static enum xk_status add_rhs(xk_ctx *c, const struct xk_conv_desc *f,
                              const struct xk_conv_info *info, uint32_t i,
                              struct xk_contraction *p)
{
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
    for (unsigned d = 0; d < p->c.n_coord; d++)
        add_still_or_like_c(p, d, a->layout.dim[d], a);
    return XK_OK;
}

/* What follows the bias: the scale is of convolution and bias, and the
 * post-ops see its result. */
static enum xk_status add_scale_and_post_ops(xk_ctx *c,
                                             const struct xk_conv_desc *f,
                                             const struct xk_conv_info *info,
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
            XK_TRY(add_rhs(c, f, info, i, p));
    }
    return XK_OK;
}

enum xk_status xk_conv_add_epilogue(xk_ctx *c, const struct xk_conv_desc *f,
                                    const struct xk_conv_info *info,
                                    struct xk_contraction *p)
{
    XK_TRY(add_quant_operand(c, f, XK_SCALE_OF_SRC, XK_EPI_MUL, p));
    XK_TRY(add_quant_operand(c, f, XK_SCALE_OF_WEI, XK_EPI_MUL, p));
    if (xk_conv_has_bias(f))
        XK_TRY(add_bias(c, f, info, p));
    XK_TRY(add_scale_and_post_ops(c, f, info, p));
    XK_TRY(add_quant_operand(c, f, XK_SCALE_OF_DST, XK_EPI_MUL, p));
    return add_quant_operand(c, f, XK_ZERO_POINT_OF_DST, XK_EPI_ADD, p);
}
