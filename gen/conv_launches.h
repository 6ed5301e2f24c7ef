/* SPDX-License-Identifier: Apache-2.0 */
/* A forward convolution's problem as launches: copies of what kernels do not
 * take as it is, sums of zero points, the contraction, and the copy of its
 * result. */
#ifndef XK_GEN_CONV_LAUNCHES_H
#define XK_GEN_CONV_LAUNCHES_H

#include "conv/zero_sums.h"
#include "gen/gen.h"
#include "gen/make_launches.h"

/* Each tensor once, dst both ways, sums, the convolution. */
#define XK_CONV_MAX_LAUNCHES (XK_MAX_POST_OPS + 19)

struct xk_conv_launches {
    unsigned n, n_scratch, main; /* main: number of the convolution's */
    int64_t scratch_b[XK_MAX_SCRATCH];
    int copy_of[XK_N_PROGRAM_ARGS];    /* scratch buffer of each argument; -1 */
    unsigned sum_at[XK_CONV_MAX_SUMS]; /* that of each sum */
    struct xk_conv_sums sums;
    unsigned n_binds;
    struct xk_bind bind[4 * XK_CONV_MAX_LAUNCHES];
    struct xk_copy copy[XK_CONV_MAX_LAUNCHES];
    struct xk_launch at[XK_CONV_MAX_LAUNCHES];
};

/* The parts of it that copy: from the caller's tensors, where *out begins, and
 * back. */
enum xk_status xk_conv_launches_copy(xk_ctx *c, const struct xk_problem *p,
                                     struct xk_conv_launches *out);
enum xk_status xk_conv_launches_store(xk_ctx *c, const struct xk_problem *p,
                                      struct xk_conv_launches *out);
/* The launches but the nest of the convolution's; *out must stay where it is.
 * XK_EUNSUPPORTED: a tensor of sums is too large, or there is no room. */
enum xk_status xk_conv_launches_make(xk_ctx *c, const struct xk_problem *p,
                                     struct xk_conv_launches *out);
/* Adds those beside the convolution's and their scratch memory to p->info. */
enum xk_status xk_conv_launches_count(xk_ctx *c, struct xk_problem *p);

#endif
