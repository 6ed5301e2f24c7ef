/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring groups of a batch as one group, so that a systolic array has as
 * much K and as many columns as it multiplies at once. Each of a pack's columns
 * multiplies the K of its own group alone, so B has blocks on the diagonal of a
 * pack, and is 0 beside them: it is copied into such a tensor before. */
#ifndef XK_VIEWS_PACK_GROUPS_H
#define XK_VIEWS_PACK_GROUPS_H

#include "views/group_lanes.h"

/* How many groups become one: the most that divide their number, have no more
 * than `most` elements of K and columns, and whole steps of K and whole eights
 * of columns; 1: they stay alone. */
int64_t xk_pack_of_groups(const struct xk_contraction *p,
                          const struct xk_group_lanes *l, int64_t step,
                          int64_t most);
/* Packs p, whose groups l describes, by that number, above 1. B becomes the
 * tensor of blocks: [packs][columns of a pack][K of a pack][other K ...], with
 * an open layout. */
void xk_pack_groups(struct xk_contraction *p, const struct xk_group_lanes *l,
                    int64_t pack);

/* How B is copied: view A is B as it was, with zeros beside the blocks, view B
 * the tensor of blocks, in that layout. Position b counts packs and other K, n
 * columns, k K. The tile t has 8 columns of 16 elements of K. p is not packed.
 * XK_EINVAL: what xk_tiling_check says. */
enum xk_status xk_pack_tiling(xk_ctx *c, const struct xk_contraction *p,
                              const struct xk_group_lanes *l, int64_t pack,
                              const struct xk_layout *packed,
                              struct xk_tiling *out);

#endif
