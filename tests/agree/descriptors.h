/* SPDX-License-Identifier: Apache-2.0 */
/* Random descriptors. Equal seeds and numbers give equal descriptors. */
#ifndef XK_TESTS_DESCRIPTORS_H
#define XK_TESTS_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xekern/xekern.h"

struct xk_drawn {
    struct xk_conv_desc desc;
    uint32_t flags; /* of xk_create_options */
};

/* Descriptor `number` of the seed. Ordinary ones are small, with any strides,
 * dilation and padding, types, layouts and epilogues. Extreme ones have a few
 * sizes near a limit: of a tensor's bytes, of what padding spans, of rows,
 * columns, filter taps or channels, or of a single number. Most of both can be
 * made. */
struct xk_drawn xk_draw(uint64_t seed, uint64_t number, bool extreme);
/* Writes it as a line of xkbench's --batch; the flags stand in a comment
 * behind. Returns false if it does not fit out_b bytes. */
bool xk_drawn_print(const struct xk_drawn *d, char *out, size_t out_b);

#endif
