/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/option_text.h"

#include "conv/conv.h"
#include "conv/post_ops.h"
#include "conv/tensors.h"

/* " --attr-scales=src:common+wei:1:f16", or "". The values are the launch's:
 * where a type must follow one, it is 1, or 0. */
static void print_quants(const struct xk_conv_desc *d, bool zero_points,
                         struct xk_str *out)
{
    const struct xk_quant *const all =
        zero_points ? d->attr.zero_point : d->attr.scale;
    const uint32_t usual = zero_points ? XK_S32 : XK_F32;
    const char *between =
        zero_points ? " --attr-zero-points=" : " --attr-scales=";
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_quant *const q = &all[i];
        if (q->source == XK_QUANT_NONE)
            continue;
        xk_str_printf(out, "%s%s:", between, xk_conv_arg_name(i));
        if (q->mask)
            xk_str_printf(out, "%u", q->mask);
        else
            xk_str_puts(out,
                        q->source == XK_QUANT_HOST ? "host_scalar" : "common");
        if (q->type != usual)
            xk_str_printf(out, "%s:%s",
                          q->mask       ? ""
                          : zero_points ? ":0"
                                        : ":1",
                          xk_conv_type_name(q->type));
        between = "+";
    }
}

/* " --attr-deterministic=true --attr-oscale=common:2
 * --attr-post-ops=sum:0.5+relu", or "". */
static void print_attr(const struct xk_conv_desc *d, struct xk_str *out)
{
    if (d->attr.deterministic)
        xk_str_puts(out, " --attr-deterministic=true");
    if (d->attr.rounding[XK_ARG_DST] == XK_ROUND_STOCHASTIC)
        xk_str_puts(out, " --attr-rounding-mode=dst:stochastic");
    print_quants(d, false, out);
    print_quants(d, true, out);
    if (d->scale != 0) {
        xk_str_puts(out, " --attr-oscale=common:");
        xk_conv_print_number(d->scale, out);
    }
    if (d->n_post_ops) {
        xk_str_puts(out, " --attr-post-ops=");
        xk_conv_print_post_ops(d->post_ops, d->n_post_ops, out);
    }
}

/* Directions whose word says that there is a bias give it the type f32. */
static void print_direction(const struct xk_conv_desc *d, struct xk_str *out)
{
    const bool forward = d->prop == XK_FWD_B, usual = d->bia_type == XK_F32;
    const bool has_bias = forward || d->prop == XK_BWD_WB;
    const uint32_t prop = !has_bias || usual ? d->prop
                          : forward          ? XK_FWD_D
                                             : XK_BWD_W;
    xk_str_printf(out, " --dir=%s --dt=%s:%s:%s", xk_conv_prop_name(prop),
                  xk_conv_type_name(d->src_type),
                  xk_conv_type_name(d->wei_type),
                  xk_conv_type_name(d->dst_type));
    if (d->bia_type && !(has_bias && usual))
        xk_str_printf(out, " --bia-dt=%s", xk_conv_type_name(d->bia_type));
}

/* Dims that the tag of a tensor has. */
static uint32_t count_dims(const struct xk_conv_desc *d, bool is_wei)
{
    const uint32_t own = xk_conv_is_3d(d) ? 5 : 4;
    return (d->ndims ? d->ndims : own) + (is_wei && (d->grouped || d->g > 1));
}

static void print_strides(const struct xk_conv_desc *d, struct xk_str *out)
{
    const struct xk_strides *const all[] = {&d->src_strides, &d->wei_strides,
                                            &d->dst_strides};
    const char *between = " --strides=";
    for (unsigned i = 0; i < XK_COUNTOF(all); i++, between = ":") {
        xk_str_puts(out, between);
        for (int64_t k = 0; k < all[i]->n_dims; k++)
            xk_str_printf(out, "%s%lld", k ? "x" : "",
                          (long long)all[i]->stride[k]);
    }
}

static void print_layouts(const struct xk_conv_desc *d,
                          const struct xk_conv_info *user, struct xk_str *out)
{
    const struct {
        char option; /* stag, wtag, dtag */
        const char *tag;
        const struct xk_strides *strides;
        enum xk_conv_arg arg;
    } rows[] = {{'s', d->src_tag, &d->src_strides, XK_ARG_SRC},
                {'w', d->wei_tag, &d->wei_strides, XK_ARG_WEI},
                {'d', d->dst_tag, &d->dst_strides, XK_ARG_DST}};
    bool strides = false;
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const struct xk_tensor_info *const t = &user->tensor[rows[i].arg];
        const bool open = xk_conv_tag_is_any(rows[i].tag);
        const bool named = t->ndims == count_dims(d, rows[i].arg == XK_ARG_WEI);
        strides |= rows[i].strides->n_dims > 0;
        if (!rows[i].strides->n_dims)
            xk_str_printf(out, " --%ctag=%s", rows[i].option,
                          !open   ? rows[i].tag
                          : named ? t->tag
                                  : "any");
    }
    if (strides)
        print_strides(d, out);
}

void xk_conv_print_options(const struct xk_conv_desc *d,
                           const struct xk_conv_info *user, struct xk_str *out)
{
    static const char *const platforms[] = {
#define XK_PLATFORM_WORD(id, word) [XK_PLATFORM_##id] = word,
#include "xekern/words.def"
    };
    xk_str_printf(out, " --platform=%s", platforms[d->platform]);
    if (*d->attr.device)
        xk_str_printf(out, " --device=%s", d->attr.device);
    print_direction(d, out);
    print_layouts(d, user, out);
    print_attr(d, out);
    xk_str_puts(out, " ");
    xk_conv_print(d, out);
}
