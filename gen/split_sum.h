/* SPDX-License-Identifier: Apache-2.0 */
/* A sum over much more than there are results is split: groups of threads add
 * up parts of K, and a second launch adds the parts up, always in the same
 * order. That is one contraction more, of the same operands, whose C has a dim
 * of parts in front and lies in scratch memory. */
#ifndef XK_GEN_SPLIT_SUM_H
#define XK_GEN_SPLIT_SUM_H

#include "isa/isa.h"
#include "views/contraction.h"

struct xk_split_sum {
    uint32_t parts; /* 1: the sum stays whole */
    /* Otherwise the parts: C is f32, called "part", its first dim the part. */
    struct xk_contraction of;
    int64_t part_e; /* elements of a part, C's padding included */
};

/* The split of one K index by a divisor of its extent that is predicted to be
 * fastest, the second launch included. p has been checked, its layouts are
 * closed, and it has neither classes nor an epilogue. XK_EUNSUPPORTED: what
 * the contraction itself refuses. */
enum xk_status xk_split_sum_choose(xk_ctx *c,
                                   const struct xk_platform *platform,
                                   const struct xk_contraction *p,
                                   struct xk_split_sum *out);

#endif
