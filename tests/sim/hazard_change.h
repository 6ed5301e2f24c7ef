/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to take or weaken a scoreboard annotation. */
#ifndef XK_TESTS_SIM_HAZARD_CHANGE_H
#define XK_TESTS_SIM_HAZARD_CHANGE_H

#include "isa/isa.h"

#define N_CHANGES 9

/* Changes *i in way `how` of N_CHANGES; false: it does not apply. */
bool hazard_change(struct xk_inst *i, unsigned how);
/* "distance_gone" and the like. */
const char *hazard_change_name(unsigned how);

#endif
