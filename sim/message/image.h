/* SPDX-License-Identifier: Apache-2.0 */
/* A surface of texels, as its RENDER_SURFACE_STATE describes it: format,
 * extent, and where each texel lies. Shared by typed messages and the sampler.
 */
#ifndef XK_SIM_IMAGE_H
#define XK_SIM_IMAGE_H

#include "sim/message/message_typed.h"
#include "sim/message/tiling.h"

struct xk_sim_image {
    const struct xk_sim_texel *format; /* NULL: a null surface */
    uint64_t base;
    uint64_t extent[4]; /* texels, rows, slices, 1 level; of a 1D array the
                           elements are rows */
    uint64_t pitch_b, slice_rows;
    uint32_t texel_b;
    uint8_t n_dims;    /* coordinates that are filtered: 1, 2, 3 */
    bool array;        /* one more coordinate behind them: the element */
    uint8_t select[4]; /* what each channel that comes back is: SELECT_* */
    struct xk_sim_tiling tiling;
};
enum {
    XK_SELECT_ZERO = 0,
    XK_SELECT_ONE = 1,
    XK_SELECT_RED = 4, /* green, blue, alpha behind it */
};

/* The surface whose state lies at state_va. False after a finding: levels,
 * offsets, formats and tiles that are not simulated. */
bool xk_sim_image_read(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint64_t state_va, struct xk_sim_image *g);
/* Refuses what would change where a texel of an image lies, or what it holds,
 * and is not modelled: levels, offsets, multisamples ... */
bool xk_sim_image_is_plain(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                           const uint8_t *state);
/* The address of texel (x, y, z), which must be inside the extent. */
uint64_t xk_sim_image_at(const struct xk_sim_image *g, uint64_t x, uint64_t y,
                         uint64_t z);

#endif
