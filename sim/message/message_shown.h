/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a message's registers others can see. Wrong or late bytes
 * elsewhere in its payload have no effect. */
#ifndef XK_SIM_MESSAGE_SHOWN_H
#define XK_SIM_MESSAGE_SHOWN_H

#include "sim/core/kernel.h"

/* The image of r, acc, flags and a0. */
#define XK_SIM_SHOWN_B XK_RF_CE
#define XK_SIM_SHOWN_WORDS ((XK_SIM_SHOWN_B + 63) / 64)

/* The first byte that matters to a message, of those that are set in `bits`;
 * UINT32_MAX: none. bits: one for each byte of the image, XK_SIM_SHOWN_WORDS
 * words. mask: the channels that take part. scratch: data that goes to scratch
 * memory matters. */
uint32_t xk_sim_msg_shown(const uint64_t *bits, const struct xk_sim_thread *t,
                          const struct xk_sim_inst *e, uint32_t mask,
                          bool scratch);
/* First byte of [at_b, at_b + n_b) that is set; UINT32_MAX: none. */
uint32_t xk_sim_bits_find(const uint64_t *bits, uint32_t at_b, uint32_t n_b);
/* Channels of mask that the message has. */
uint32_t xk_sim_msg_lanes(const struct xk_msg *m, uint32_t mask);

#endif
