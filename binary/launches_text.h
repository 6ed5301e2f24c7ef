/* SPDX-License-Identifier: Apache-2.0 */
/* How a program's kernels are launched, as the text that goes into its file
 * (docs/programs.md has the grammar). */
#ifndef XK_BINARY_LAUNCHES_TEXT_H
#define XK_BINARY_LAUNCHES_TEXT_H

#include "base/str.h"
#include "xekern/launches.h"

/* The list has been checked (base/launch_list.h). */
void xk_launches_print(const struct xk_launch_list *l, struct xk_str *out);

#endif
