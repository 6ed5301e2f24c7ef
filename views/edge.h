/* SPDX-License-Identifier: Apache-2.0 */
/* The outermost M index and the outer K index that move the same coordinate of
 * A: rows of M in their order meet its edges at the beginning and at the end,
 * where some filter taps lie beside the tensor for all of many rows. */
#ifndef XK_VIEWS_EDGE_H
#define XK_VIEWS_EDGE_H

#include "views/contraction.h"

/* coordinate = m * m_step + k * k_step + start, inside if 0 <= it < extent. */
struct xk_edge {
    uint8_t m, k;           /* indices of the contraction */
    int64_t m_step, k_step; /* m_step is at least 1, k_step not 0 */
    int64_t start, extent;
    int64_t rows; /* of M that share a place of m */
};

/* False if there is no such pair, or no tap of it is ever beside the tensor. */
bool xk_edge_of(const struct xk_contraction *con, struct xk_edge *out);

#endif
