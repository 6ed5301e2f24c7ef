/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths for any host. */
#define XK_FAST_SELECT xk_sim_select_fast_any
#include "sim/exec/select.h"
#include "sim/exec/fast_body.h"
