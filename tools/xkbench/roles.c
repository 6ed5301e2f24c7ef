/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors a direction multiplies, and which it makes. */
#include "tools/xkbench/bench.h"

bool xk_bench_is_gradient(const struct xk_conv_desc *d)
{
    return d->prop > XK_FWD_I;
}

struct xk_bench_roles xk_bench_roles_of(const struct xk_conv_desc *d)
{
    if (d->prop == XK_BWD_D)
        return (struct xk_bench_roles){XK_ARG_DST, XK_ARG_WEI, XK_ARG_SRC};
    if (xk_bench_is_gradient(d))
        return (struct xk_bench_roles){XK_ARG_SRC, XK_ARG_DST, XK_ARG_WEI};
    return (struct xk_bench_roles){XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST};
}

bool xk_bench_writes(const struct xk_conv_desc *d, int arg)
{
    return arg == xk_bench_roles_of(d).c ||
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
        return d->mb * d->od * d->oh * d->ow;
    return d->ic / g * taps;
}
