/* SPDX-License-Identifier: Apache-2.0 */
/* Where the texels of a surface lie: the only place that knows tiles. Used by
 * typed messages and by the sampler. */
#ifndef XK_SIM_TILING_H
#define XK_SIM_TILING_H

#include "isa/isa.h"

/* A surface is a grid of tiles. A tile has 2^log_b[0] bytes by 2^log_b[1] rows
 * by 2^log_b[2] slices. In the offset of a byte in its tile, the bits of its
 * coordinates are where mask says. A linear surface has no tiles. */
struct xk_sim_tiling {
    uint16_t mask[3]; /* bits of the offset that x (in bytes), y, z are in */
    uint8_t log_b[3];
    uint8_t tile_log_b; /* bytes of a tile; 0: linear */
};

/* Tiles of a surface whose state says tile mode `mode` (0..3); volume: it is of
 * type 3D. false: not known. */
bool xk_sim_tiling_find(const struct xk_platform *p, unsigned mode, bool volume,
                        unsigned texel_b, struct xk_sim_tiling *out);

/* Offset of a byte from the surface's base: x in bytes, row y, slice z.
 * pitch_b: from row to row, in a tiled surface of the width of all its tiles;
 * slice_rows: rows from slice to slice. */
uint64_t xk_sim_tiled_offset(const struct xk_sim_tiling *t, uint64_t pitch_b,
                             uint64_t slice_rows, uint64_t x_b, uint64_t y,
                             uint64_t z);

#endif
