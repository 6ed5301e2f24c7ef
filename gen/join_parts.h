/* SPDX-License-Identifier: Apache-2.0 */
/* A problem that stands for equal parts of a larger one (conv/parts.h). */
#ifndef XK_GEN_JOIN_PARTS_H
#define XK_GEN_JOIN_PARTS_H

#include "gen/gen.h"

/* *p was made for one part. The caller's tensors become whole, and each launch
 * is there for each part. XK_EUNSUPPORTED: a tensor that lies in another way
 * than part behind part, is copied, or there are too many launches. */
enum xk_status xk_problem_join_parts(xk_ctx *c, struct xk_problem *p);

#endif
