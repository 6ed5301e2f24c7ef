/* SPDX-License-Identifier: Apache-2.0 */
/* What the tilings of lower's nests share. */
#ifndef XK_LOWER_NEST_TILING_H
#define XK_LOWER_NEST_TILING_H

#include "lower/state.h"

/* The contraction's indices, whose names become words, and walks of each role
 * in the order of loops; nothing else. */
void xk_lower_tiling_begin(const struct xk_lowering *l, struct xk_tiling *t);
/* A tile of rows and columns of these roles; batch: and of a place of the
 * batch. */
void xk_lower_tile(struct xk_tile_decl *d, const char *name,
                   const struct xk_layout *layout, enum xk_role rows,
                   enum xk_role columns, bool batch);
/* The coordinate that is the index and nothing else, from 0 on; NULL: there is
 * none. */
struct xk_coord *xk_lower_coordinate(struct xk_access *a, int index);
/* The n-th index of a role from the inside; -1: there is none. */
int xk_lower_last_of(const struct xk_tiling *t, enum xk_role role);
/* Whether tiles have a place of the batch, which is the group's. */
static inline bool xk_lower_has_batch(const struct xk_lowering *l)
{
    return l->p->groups[2] > 1;
}

#endif
