/* SPDX-License-Identifier: Apache-2.0 */
/* The nest that copies a tensor tile by tile, as a tiling says. */
#ifndef XK_LOWER_TILE_COPY_H
#define XK_LOWER_TILE_COPY_H

#include "ir/tiles.h"
#include "lower/flat_nest.h"

/* Kernel `name` (from, to) loads every tile t of view A and stores it to view
 * B, a tile a thread; t has positions b (one), n and k. */
struct xk_tile_copy {
    const struct xk_tiling *tiling;
    const char *from, *to; /* arguments */
};
enum xk_status xk_lower_tile_copy(xk_ctx *c, const struct xk_tile_copy *t,
                                  const char *name, bool surfaces,
                                  struct xk_flat_nest *out);

#endif
