/* SPDX-License-Identifier: Apache-2.0 */
/* A contraction as a problem of its own: what the generator does with one that
 * comes from no convolution. */
#ifndef XK_GEN_CONTRACTION_PROBLEM_H
#define XK_GEN_CONTRACTION_PROBLEM_H

#include "gen/contract.h"

struct xk_contraction_problem {
    struct xk_nest nest; /* over layouts that are chosen */
    struct xk_shape shape;
    /* A batch that may be in the lanes; nest.of is prepared, and this is not.
     */
    bool has_lanes;
    struct xk_group_lanes lanes;
    struct xk_contraction whole;
    unsigned n_candidates;
    struct xk_schedule candidate[XK_MAX_CANDIDATES];
};

/* Open layouts become dense, their last dim innermost. */
enum xk_status xk_contraction_close(xk_ctx *c, struct xk_contraction *p);

/* The form that the search and xk_nest_make take: indices of one place are
 * dropped, coordinates of groups become dims, the K that a step walks comes
 * last. B may be open. XK_EUNSUPPORTED, with the operand: types that no kernel
 * has; memory beyond 2^31-1 bytes. */
enum xk_status xk_contraction_prepare(xk_ctx *c, struct xk_contraction *p);

/* What the search sees of a prepared contraction. lanes: NULL, if the batch
 * cannot be in the lanes. XK_ENOMEM, or as xk_shape_of. */
enum xk_status xk_contraction_shape(xk_ctx *c, const struct xk_contraction *p,
                                    const struct xk_group_lanes *lanes,
                                    struct xk_shape *out);

/* Open layouts become dense, their last dim innermost; then the candidates. Of
 * the nest only the contraction is set, and whether it is empty: nothing is
 * summed, so that there is nothing for the lanes to share. The contraction has
 * been checked and has no classes. XK_EUNSUPPORTED, with the operand: types
 * that no kernel has; memory beyond 2^31-1 bytes, also where a condition hides
 * it. */
enum xk_status
xk_contraction_problem_search(xk_ctx *c, const struct xk_platform *platform,
                              const struct xk_contraction *con, bool empty,
                              struct xk_contraction_problem *out);
/* The predicted cycles of the best candidate, as it would be made; no nest is.
 */
enum xk_status xk_contraction_problem_score(xk_ctx *c,
                                            const struct xk_platform *platform,
                                            const struct xk_contraction *con,
                                            int64_t *score);
/* The nest and the candidates of a sum of nothing, which only its epilogue
 * fills: out->nest.of is checked. fixed: fields, or NULL. XK_EUNSUPPORTED: no
 * candidate does what `does` says. */
enum xk_status
xk_contraction_problem_empty(xk_ctx *c, const struct xk_platform *platform,
                             const struct xk_schedule_fixed *fixed,
                             const char *does,
                             struct xk_contraction_problem *out);
/* Leaves the candidates that can do with 64-bit addresses, with them. XK_EINVAL
 * if none is left. */
enum xk_status
xk_contraction_problem_use_addresses(xk_ctx *c,
                                     const struct xk_platform *platform,
                                     struct xk_contraction_problem *p);

#endif
