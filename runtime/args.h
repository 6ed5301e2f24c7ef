/* SPDX-License-Identifier: Apache-2.0 */
/* Launch arguments to cross-thread data, after .ze_info. */
#ifndef XK_RUNTIME_ARGS_H
#define XK_RUNTIME_ARGS_H

#include "container/zebin_read.h"
#include "runtime/engine.h"

/* Writes k->cross_thread_b bytes. va_of gives a buffer's device address.
 * *slm_b: static and argument shared local memory together. */
enum xk_status xk_args_marshal(const struct xk_zkernel *k,
                               const struct xk_launch_args *a,
                               uint64_t (*va_of)(const xk_buffer *b),
                               uint8_t *out, uint32_t *slm_b,
                               struct xk_error *err);

#endif
