/* SPDX-License-Identifier: Apache-2.0 */
/* From a problem string to what plans are made of, for tests. */
#ifndef XK_TESTS_PLAN_PLAN_LAB_H
#define XK_TESTS_PLAN_PLAN_LAB_H

#include "conv/conv.h"
#include "isa/isa.h"
#include "plan/plan.h"

/* The contraction of a forward problem with the types of *d and these tags; the
 * destination's is nhwc. Ends the test if anything refuses. */
void plan_lab_contraction(xk_ctx *c, const char *text, struct xk_conv_desc *d,
                          const char *src_tag, const char *wei_tag,
                          struct xk_nest *con);

/* What decides an epilogue. */
struct plan_lab_case {
    const char *problem, *schedule;
    uint32_t src, wei, dst;
    const char *tag;    /* of weights */
    uint16_t registers; /* 0: as many as there are */
    bool sum;
    const char *on; /* the platform; NULL: xehpg */
};
/* Its plan, which lasts until the next one; ends the test if anything refuses.
 */
void plan_lab_case(xk_ctx *c, const struct plan_lab_case *of,
                   struct xk_plan *p);

/* The plan of a loop over all of K (walk=:po) of an f16 problem by dpas;
 * `text` sets the schedule's fields that matter. Why there is none stands in
 * the context's error. */
enum xk_status plan_lab_flat(xk_ctx *c, const char *problem,
                             const char *src_tag, const char *text,
                             struct xk_nest *con, struct xk_plan *p);

/* The machine that plans are made for here. */
const struct xk_platform *plan_lab_xehpg(void);

#endif
