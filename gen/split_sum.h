/* SPDX-License-Identifier: Apache-2.0 */
/* A sum over much more than there are results is split: groups of threads add
 * up parts of K, and a second launch adds the parts up, always in the same
 * order. That is one contraction more, of the same operands, whose C has a dim
 * of parts in front and lies in scratch memory. */
#ifndef XK_GEN_SPLIT_SUM_H
#define XK_GEN_SPLIT_SUM_H

#include "gen/contraction_problem.h"
#include "isa/isa.h"

struct xk_split_sum {
    uint32_t parts; /* 1: the sum stays whole */
    /* Otherwise the parts: C has the accumulators' type, is called "part", and
     * its first dim is the part. It has no epilogue. Totals are in parts, too.
     */
    struct xk_contraction of;
    int64_t part_e; /* elements from a part to the next: C's with its padding,
                       and what aligns it */
    int64_t score;  /* predicted cycles of all its launches; INT64_MAX: nothing
                       was asked */
    bool adds; /* the parts are one tensor, which is C: each adds to what it
                  holds, zero at first, in no order */
};

/* splits=N of the schedule that is given; 0: nothing is said. XK_EPARSE,
 * XK_EINVAL: what is wrong with it. */
enum xk_status xk_split_sum_given(xk_ctx *c, unsigned *splits);

struct xk_split_ask {
    unsigned given; /* parts; 0: the score decides */
    bool ordered;   /* parts are always added in their order */
    bool memory;    /* all parts together are held against memory's speed */
    int64_t whole;  /* predicted cycles of the whole sum; 0: not known yet */
    /* p is one of so many parts of a problem (conv/parts.h), whose own ones lie
     * behind each other at multiples of XK_PART_ALIGN_B; 0: it is no part. */
    unsigned of;
};
/* The split of one K index by a divisor of its extent that is predicted to be
 * fastest, the second launch included. p has been checked, its layouts are
 * closed. XK_EUNSUPPORTED: what the contraction itself refuses. XK_EINVAL: the
 * given number of parts is not possible, with the reason. */
enum xk_status xk_split_sum_choose(xk_ctx *c,
                                   const struct xk_platform *platform,
                                   const struct xk_contraction *p,
                                   struct xk_split_ask ask,
                                   struct xk_split_sum *out);
/* Whether two parts may save enough of a sum of so many predicted cycles that
 * is one launch: memory gives its operands' bytes, and keeps both parts of its
 * c_e elements for a second launch. */
bool xk_split_sum_may_pay(const struct xk_platform *platform, int64_t read_b,
                          int64_t c_e, int64_t whole);
/* Whether a reduction adds the parts up; else it is xk_split_sum_finish. */
bool xk_split_sum_reduces(const struct xk_contraction *p);
/* The launch that adds the parts up and does what follows p's sum: part i is
 * its input "part<i>", and all of them are the tensor of parts. */
enum xk_status xk_split_sum_finish(xk_ctx *c,
                                   const struct xk_platform *platform,
                                   const struct xk_contraction *p,
                                   const struct xk_split_sum *s,
                                   struct xk_contraction_problem *out);

#endif
