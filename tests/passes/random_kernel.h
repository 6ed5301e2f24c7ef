/* SPDX-License-Identifier: Apache-2.0 */
/* Random IR kernels that are legal by construction: no s32 overflows, enabled
 * lanes stay inside the buffers, registers are written before they are read,
 * floats are small integers. Everything the kernel computes ends in memory. */
#ifndef XK_TESTS_RANDOM_KERNEL_H
#define XK_TESTS_RANDOM_KERNEL_H

#include "ir/stmt.h"

/* Parameters: isrc, fsrc, dst (global, each XK_RANDOM_BUFFER_B bytes), n (s32
 * value in [0, 100)), gx < 8, gy < 8, tid < 4. */
#define XK_RANDOM_BUFFER_B 16384
enum {
    XK_RANDOM_ISRC = 0,
    XK_RANDOM_FSRC = 2,
    XK_RANDOM_DST = 4,
    XK_RANDOM_N = 6
};

/* xorshift; the state must not be 0. */
uint64_t xk_random_next(uint64_t *state);

/* size: statements, about. NULL body on error. */
void xk_random_kernel(xk_ctx *c, uint64_t seed, unsigned size,
                      struct xk_kernel *k);

#endif
