/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates that are groups: what has a large step, and what lies inside of
 * that. What several groups have, g * 16 + c, is a dim for each. */
#ifndef XK_VIEWS_SPLIT_DIMS_H
#define XK_VIEWS_SPLIT_DIMS_H

#include "views/contraction.h"

/* Makes two dims of each dim whose coordinate is size * index + rest, the rest
 * in [0, size), where the layout has such groups and there is room: the access
 * means the same elements, and each index has a dim of its own more often. The
 * layout is not open; there are no classes. */
void xk_access_split_dims(const struct xk_contraction *p, struct xk_access *a);

#endif
