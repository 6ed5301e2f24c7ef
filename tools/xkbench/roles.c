/* SPDX-License-Identifier: Apache-2.0 */
/* What the library's roles of a descriptor mean for its data. */
#include "tools/xkbench/bench.h"

bool xk_bench_is_gradient(const struct xk_conv_desc *d)
{
    return d->prop > XK_FWD_I;
}

bool xk_bench_is_deconv(const struct xk_conv_desc *d)
{
    return d->alg >= XK_ALG_DECONV_DIRECT;
}

bool xk_bench_writes(const struct xk_conv_desc *d, int arg)
{
    return (uint32_t)arg == xk_conv_desc_roles(d).c ||
           (arg == XK_ARG_BIA && d->prop == XK_BWD_WB);
}

uint32_t xk_bench_type_of(const struct xk_conv_desc *d, int arg)
{
    const uint32_t types[] = {d->src_type, d->wei_type, d->bia_type,
                              d->dst_type};
    return types[arg];
}

int64_t xk_bench_terms(const struct xk_conv_desc *d)
{
    const int64_t g = d->g > 0 ? d->g : 1, taps = d->kd * d->kh * d->kw;
    if (d->prop == XK_BWD_D)
        return d->oc / g * taps;
    if (xk_bench_is_gradient(d))
        return d->mb * (xk_bench_is_deconv(d) ? d->id * d->ih * d->iw
                                              : d->od * d->oh * d->ow);
    return d->ic / g * taps;
}
