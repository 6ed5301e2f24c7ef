/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a gradient: one for each class of its contraction, and those
 * of the bias behind them; and those of a deconvolution, which forward is a
 * gradient by data with an epilogue, and backward by data one contraction. */
#ifndef XK_GEN_GRADIENTS_H
#define XK_GEN_GRADIENTS_H

#include "gen/contraction_launches.h"
#include "gen/gen.h"

/* Room for one launch more; NULL: there is none. */
struct xk_launch *xk_gradients_next(xk_ctx *c, struct xk_problem *p);
/* From p->desc, which has been checked, and p->platform: layouts, number of
 * launches and scratch into p->info, the launches into p, in p->arena. Layouts
 * that are "any" suit the class with the most to multiply; with several groups
 * they are those of xk_conv_close_tensors. addresses: kernels take 64-bit
 * addresses. XK_EUNSUPPORTED: what a contraction or its layouts refuse, or more
 * than XK_MAX_LAUNCHES launches. */
enum xk_status xk_gradients_make(xk_ctx *c, struct xk_problem *p,
                                 bool addresses);
/* A forward convolution whose launch, layouts and candidates are known: where
 * the given schedule or the score asks for parts of K in groups of their own,
 * p->split says so, and its launches are p's as a gradient's are. XK_EINVAL:
 * what is given is not possible. */
enum xk_status xk_gradients_split_forward(xk_ctx *c, struct xk_problem *p);
/* Launches that write the gradients of weights and bias as zeros, behind
 * xk_gradients_make, whose layouts they take. */
enum xk_status xk_gradients_clear(xk_ctx *c, struct xk_problem *p);

#endif
