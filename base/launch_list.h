/* SPDX-License-Identifier: Apache-2.0 */
/* What everybody who makes, reads or obeys a list of launches does with it. */
#ifndef XK_BASE_LAUNCH_LIST_H
#define XK_BASE_LAUNCH_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "xekern/launches.h"
#include "xekern/status.h"

/* "f32"; NULL: no such type. XK_VALUE_NONE is "buffer". */
const char *xk_value_type_word(uint32_t type);
/* 4 or 8; of XK_VALUE_NONE 0. */
uint32_t xk_value_type_b(uint32_t type);

/* The argument with that number; NULL: there is none. */
const struct xk_program_arg_info *
xk_launch_list_arg(const struct xk_launch_list *l, uint32_t number);

/* XK_EINVAL with the launch, the argument and the value that contradict the
 * rest or exceed a limit of xekern/launches.h. */
enum xk_status xk_launch_list_check(const struct xk_launch_list *l,
                                    struct xk_error *err);

/* A copy in one block of memory, which frees it; NULL: out of memory. */
struct xk_launch_list *xk_launch_list_copy(const struct xk_alloc *a,
                                           const struct xk_launch_list *l);

#endif
