/* SPDX-License-Identifier: Apache-2.0 */
/* An M index and the last filter tap's K index that move A alike: a row at a
 * tap reads what the next place's row reads at the tap before, so that
 * neighbours need each pixel once. */
#ifndef XK_VIEWS_WINDOW_H
#define XK_VIEWS_WINDOW_H

#include "views/contraction.h"

struct xk_window {
    int64_t rows;   /* of M, in its order, that share a place */
    int64_t places; /* of the M index: the next one with more than one outside
                       those */
    int64_t taps;   /* of the K index: the last with more than one but the
                       innermost */
};

/* False if there are no two such indices, or A and its masks depend on them
 * other than by their sum. */
bool xk_window_of(const struct xk_contraction *con, struct xk_window *out);

#endif
