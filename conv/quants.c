/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/quants.h"

static const struct {
    const char *name;
    enum xk_conv_arg arg;
    bool is_zero_point;
} rows[XK_N_CONV_QUANTS] = {
    [XK_SCALE_OF_SRC] = {"scale_src", XK_ARG_SRC, false},
    [XK_SCALE_OF_WEI] = {"scale_wei", XK_ARG_WEI, false},
    [XK_SCALE_OF_DST] = {"scale_dst", XK_ARG_DST, false},
    [XK_ZERO_POINT_OF_DST] = {"zero_dst", XK_ARG_DST, true},
    [XK_ZERO_POINT_OF_SRC] = {"zero_src", XK_ARG_SRC, true},
    [XK_ZERO_POINT_OF_WEI] = {"zero_wei", XK_ARG_WEI, true},
};

/* The mask's bits of channels, all of which it must have, 0: none may differ;
 * and bits that change nothing: of a group without others. */
static uint32_t channel_bit(const struct xk_conv_desc *f, enum xk_conv_arg arg,
                            bool is_zero_point, uint32_t *idle)
{
    const bool grouped = arg == XK_ARG_WEI && (f->grouped || f->g > 1);
    *idle = grouped && f->g == 1 ? 1 : 0;
    if (arg == XK_ARG_SRC)
        return is_zero_point ? 2 : 0;
    if (arg == XK_ARG_WEI && is_zero_point)
        return 0;
    if (arg == XK_ARG_WEI && f->g > 1)
        return 3;
    return arg == XK_ARG_WEI && !grouped ? 1 : 2;
}

static const struct xk_quant *quant_of(const struct xk_conv_desc *f,
                                       enum xk_conv_arg arg, bool is_zero_point)
{
    return is_zero_point ? &f->attr.zero_point[arg] : &f->attr.scale[arg];
}

void xk_conv_quant_row(const struct xk_conv_desc *f, enum xk_conv_quant q,
                       struct xk_conv_quant_row *out)
{
    uint32_t idle;
    const enum xk_conv_arg arg = rows[q].arg;
    const bool zero = rows[q].is_zero_point;
    const uint32_t bit = channel_bit(f, arg, zero, &idle);
    *out = (struct xk_conv_quant_row){
        .name = rows[q].name,
        .arg = arg,
        .is_zero_point = zero,
        .number = (uint8_t)((zero ? XK_ARG_ZERO_POINT : XK_ARG_SCALE) + arg),
        .of = quant_of(f, arg, zero)};
    const int64_t channels = arg == XK_ARG_SRC ? f->ic : f->oc;
    out->extent = out->of->mask & bit ? channels : 1;
}

/* A value from the host comes as f32 or s32, whatever its type. */
enum xk_status xk_conv_quant_layout(xk_ctx *c,
                                    const struct xk_conv_quant_row *row,
                                    struct xk_layout *out)
{
    const enum xk_dtype host = row->is_zero_point ? XK_DT_S32 : XK_DT_F32;
    const enum xk_dtype dt =
        row->of->source == XK_QUANT_HOST ? host : xk_conv_dtype(row->of->type);
    return xk_layout_from_tag(
        c, row->name, (struct xk_tensor_dims){dt, 1, &row->extent}, "a", out);
}

bool xk_conv_quant_is_read(const struct xk_conv_desc *f, enum xk_conv_arg arg,
                           bool is_zero_point)
{
    const struct xk_quant *const q = quant_of(f, arg, is_zero_point);
    uint32_t idle;
    const uint32_t bit = channel_bit(f, arg, is_zero_point, &idle);
    return (q->source == XK_QUANT_DEVICE || q->source == XK_QUANT_HOST) &&
           !(q->mask & ~(bit | idle)) &&
           (!(q->mask & bit) || (q->mask & bit) == bit) && !q->n_groups &&
           (q->type == XK_F32 || q->type == XK_F16 || q->type == XK_BF16 ||
            q->type == XK_S32 || q->type == XK_S8 || q->type == XK_U8);
}
