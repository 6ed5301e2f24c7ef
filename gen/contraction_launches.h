/* SPDX-License-Identifier: Apache-2.0 */
/* A contraction as launches: classes share one, in which each has code of its
 * own, unless several launches are predicted to take less time. Those with most
 * terms come first. */
#ifndef XK_GEN_CONTRACTION_LAUNCHES_H
#define XK_GEN_CONTRACTION_LAUNCHES_H

#include "base/arena.h"
#include "gen/contraction_problem.h"
#include "gen/make_launches.h"

struct xk_contraction_launches {
    unsigned n; /* none of classes that have no element of C */
    struct xk_contraction_problem **problem; /* n: that of its first class */
    struct xk_launch *launch; /* n, called "xk_C"; where there are several,
                                 after their first class "xk_C_0", "xk_C_1" ...;
                                 bound to the tensors' argument numbers */
};

/* The contraction has been checked. addresses: kernels take 64-bit addresses.
 * All that *out points to is the arena's. XK_EINVAL: no class has an element of
 * C. XK_EUNSUPPORTED: what one class's
 * problem refuses; more classes than a program has launches. */
enum xk_status
xk_contraction_launches_make(xk_ctx *c, struct xk_arena *arena,
                             const struct xk_platform *platform,
                             const struct xk_contraction *con, bool addresses,
                             struct xk_contraction_launches *out);

/* The predicted cycles of all classes; INT64_MAX: there are too many. */
enum xk_status xk_contraction_launches_score(xk_ctx *c, struct xk_arena *arena,
                                             const struct xk_platform *platform,
                                             const struct xk_contraction *con,
                                             int64_t *score);

/* Whether launches write the padding of C, in blocks, with zeros. They do along
 * the only N index; where that has a single place, it is dropped. */
bool xk_contraction_pads(const struct xk_contraction *con);

#endif
