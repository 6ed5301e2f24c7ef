/* SPDX-License-Identifier: Apache-2.0 */
/* What sampler messages share with the checkers: where their coordinates lie
 * and what they return. */
#ifndef XK_SIM_MESSAGE_SAMPLE_H
#define XK_SIM_MESSAGE_SAMPLE_H

#include "isa/message_sampler.h"
#include "sim/message/sim_message.h"

/* The payload is a header, if there is one, and then planes of one 32-bit value
 * a lane, in whole registers; src1 goes on where src0 ends. */
struct xk_sim_sample {
    struct xk_sampler_msg m;
    uint32_t plane_b, back_b; /* of a coordinate; of a channel that returns */
    uint8_t value_b;          /* of a channel in a lane: 4, 2 */
    unsigned n_coords;        /* planes; a level is one of them */
    unsigned n_back;          /* channels that return, at most 4 */
};

/* False: *e is no sampler message that is simulated. Nothing is read. */
bool xk_sim_sample_of(const struct xk_sim_kernel *k,
                      const struct xk_sim_inst *e, struct xk_sim_sample *s);
/* Offset of plane i in the register image. */
uint32_t xk_sim_sample_plane_at(const struct xk_sim_kernel *k,
                                const struct xk_sim_inst *e,
                                const struct xk_sim_sample *s, unsigned i);
/* Empties the sampler's cache, which is not simulated: nothing happens, and
 * what comes back has no meaning. */
static inline bool xk_sim_is_sampler_flush(const struct xk_sim_inst *e)
{
    struct xk_sampler_msg m;
    return xk_sampler_decode(&e->in, &m) &&
           e->in.send.desc == XK_SMP_FLUSH_DESC;
}
/* NULL: refused. */
xk_sim_fn *xk_sim_select_sample(const struct xk_sim_inst *e);

#endif
