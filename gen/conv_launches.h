/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution's problem as launches: sums of zero points, then the
 * contraction. */
#ifndef XK_GEN_CONV_LAUNCHES_H
#define XK_GEN_CONV_LAUNCHES_H

#include "conv/zero_sums.h"
#include "gen/gen.h"
#include "gen/make_launches.h"

#define XK_CONV_MAX_LAUNCHES (XK_CONV_MAX_SUMS + 1)
#define XK_CONV_MAX_BINDS 8

struct xk_conv_launches {
    unsigned n, n_scratch, main; /* main: number of the convolution's */
    int64_t scratch_b[XK_CONV_MAX_SUMS];
    struct xk_conv_sums sums;
    struct xk_launch at[XK_CONV_MAX_LAUNCHES];
    struct xk_bind bind[XK_CONV_MAX_LAUNCHES][XK_CONV_MAX_BINDS];
};

/* The launches but the nest of the convolution's; *out must stay where it is.
 * XK_EUNSUPPORTED: as xk_conv_sums_make. */
enum xk_status xk_conv_launches_make(xk_ctx *c, const struct xk_problem *p,
                                     struct xk_conv_launches *out);
/* Adds those in front of the convolution's and their scratch memory to
 * p->info. */
enum xk_status xk_conv_launches_count(xk_ctx *c, struct xk_problem *p);

#endif
