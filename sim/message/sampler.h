/* SPDX-License-Identifier: Apache-2.0 */
/* Filtering: which texels a coordinate means, and their weighted sum.
 * Addressing uses OpenCL's formulas, whose results Intel's driver promises for
 * this hardware. Weights have 8 bits of fraction, as Intel's Vulkan driver
 * says. */
#ifndef XK_SIM_SAMPLER_H
#define XK_SIM_SAMPLER_H

#include "sim/message/image.h"

/* As in SAMPLER_STATE. */
enum xk_sim_wrap {
    XK_WRAP_REPEAT = 0,
    XK_WRAP_MIRROR = 1,
    XK_WRAP_EDGE = 2,
    XK_WRAP_BORDER = 4,
};

struct xk_sim_sampler {
    uint8_t wrap[3];    /* enum xk_sim_wrap, of x, y, z */
    bool linear;        /* else the nearest texel */
    bool normalized;    /* coordinates from 0 to 1 */
    bool rounded[3];    /* coordinates to the nearest fraction, not down */
    uint32_t border[4]; /* what lies outside, as the format's channels are */
};

/* The state at state_va; its border colour is relative to dynamic_va. False
 * after a finding: filters and modes that are not simulated. */
bool xk_sim_sampler_read(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint64_t state_va, uint64_t dynamic_va,
                         struct xk_sim_sampler *s);

/* What one lane of a message reads of an image. */
struct xk_sim_lookup {
    struct xk_sim_thread *t;
    const struct xk_sim_inst *e;
    const struct xk_sim_image *g;
    unsigned lane;
};

/* One texel, at whole coordinates (the last one of an array is its element):
 * outside of the image zero. False after a finding. */
bool xk_sim_image_fetch(const struct xk_sim_lookup *l, const int64_t at[3],
                        uint32_t out[4]);
/* The value at the coordinates. False after a finding. */
bool xk_sim_sample(const struct xk_sim_lookup *l,
                   const struct xk_sim_sampler *s, const float at[4],
                   uint32_t out[4]);

#endif
