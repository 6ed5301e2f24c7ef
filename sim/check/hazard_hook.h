/* SPDX-License-Identifier: Apache-2.0 */
/* The hazard checker in the simulator: the side table of a kernel, made when it
 * is created, and the hooks of the checkers' frame. */
#ifndef XK_SIM_HAZARD_HOOK_H
#define XK_SIM_HAZARD_HOOK_H

#include "sim/check/check_hook.h"

/* Fills k->noted; XK_ENOMEM or XK_OK. */
enum xk_status xk_sim_hazard_prepare(struct xk_sim_kernel *k);
void xk_sim_hazard_forget(struct xk_sim_kernel *k);

extern const struct xk_sim_checker xk_sim_hazard_checker;

#endif
