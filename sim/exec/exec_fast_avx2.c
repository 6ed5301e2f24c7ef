/* SPDX-License-Identifier: Apache-2.0 */
/* The same paths for hosts with AVX2 and FMA; compiled with those flags. */
#define XK_FAST_SELECT xk_sim_select_fast_avx2
#include "sim/exec/select.h"
#include "sim/exec/fast_body.h"
