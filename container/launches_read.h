/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text in which a file says how its kernels are launched
 * (docs/programs.md has the grammar). */
#ifndef XK_CONTAINER_LAUNCHES_READ_H
#define XK_CONTAINER_LAUNCHES_READ_H

#include "base/ctx.h"
#include "xekern/launches.h"

/* text: n_b bytes without NUL. *out is one block for xk_free. XK_EPARSE names
 * the line. */
enum xk_status xk_launches_read(xk_ctx *c, const char *text, size_t n_b,
                                struct xk_launch_list **out);

#endif
