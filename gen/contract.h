/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of a launch that contracts: candidates, best first, until a plan
 * and its registers fit. */
#ifndef XK_GEN_CONTRACT_H
#define XK_GEN_CONTRACT_H

#include "gen/make_kernel.h"
#include "schedule/schedule.h"
#include "views/nest.h"

/* Classes of one code, in which nothing is summed: the last nest of a launch is
 * theirs, and its outermost batch indices count all classes of the contraction;
 * n 0: it is one class's. */
struct xk_same_classes {
    unsigned n, all;
    const uint8_t *number; /* n of them, below `all`, which ascend */
};

struct xk_contract {
    const struct xk_nest *nest;
    /* For candidates with fma=lanes: the contraction before coordinates were
     * split, and how it is one of many groups; NULL: there are no such
     * candidates. */
    const struct xk_contraction *whole;
    const struct xk_group_lanes *lanes;
    /* The nest's, best first; the last one is the last resort, if there are
     * several. */
    const struct xk_schedule *candidate;
    unsigned n_candidates;
    /* Further classes of the contraction, which share the launch and the
     * schedule, without its loop where nothing is summed: the nest's has most
     * terms. All candidates are valid for each, and have no walk=o:xp or
     * fma=lanes. */
    const struct xk_nest *const *more;
    unsigned n_more;
    struct xk_same_classes same;
};
/* Codes of classes that share a launch, at most. */
#define XK_MAX_CLASSES_JOINED 4

/* Makes the kernel `name`. IR nodes live on in the context. XK_ENOFIT: no
 * candidate fits, with the reason of the last one; XK_EINVAL if XK_SCHEDULE
 * fixes fields of them. */
enum xk_status xk_contract_make(struct xk_gen *g, const struct xk_contract *k,
                                const char *name, struct xk_made_kernel *out);

#endif
