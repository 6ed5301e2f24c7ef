/* SPDX-License-Identifier: Apache-2.0 */
/* How memory moves along the positions of a walk (ir/tiles.h): what decides
 * which messages can move a tile. */
#ifndef XK_VIEWS_WALK_STRIDE_H
#define XK_VIEWS_WALK_STRIDE_H

#include "ir/tiles.h"
#include "views/access.h"

/* The tiling's indices, for the questions of views/access.h. */
void xk_walk_indices(const struct xk_tiling *t, struct xk_contraction *out);

/* Bytes between neighbouring positions of a role, conditions aside: inside each
 * run of *run positions that begins at a multiple of *run every step moves by
 * *stride_b. A role without an index, or of a single position, has stride 0 and
 * endless runs (INT64_MAX). False: nothing like that holds. */
bool xk_walk_stride_b(const struct xk_contraction *indices,
                      const struct xk_tiling *t, const struct xk_access *a,
                      enum xk_role role, int64_t *stride_b, int64_t *run);

#endif
