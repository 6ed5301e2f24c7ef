/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a gradient: one for each class of its contraction, and those
 * of the bias behind them. */
#ifndef XK_GEN_GRADIENTS_H
#define XK_GEN_GRADIENTS_H

#include "gen/contraction_launches.h"
#include "gen/gen.h"

/* From p->desc, which has been checked, and p->platform: layouts and number of
 * launches into p->info, the launches into p->gradient, in p->arena. Layouts
 * that are "any" follow the class with the most to multiply by data, and have
 * channels innermost by weights. XK_EUNSUPPORTED: what a contraction or its
 * layouts refuse, or more than XK_MAX_LAUNCHES launches. */
enum xk_status xk_gradients_make(xk_ctx *c, struct xk_problem *p);

#endif
