/* SPDX-License-Identifier: Apache-2.0 */
/* The pixels of A that rows of M read over all filter taps. They are numbered
 * in the padded image, row by row, so that each tap is a constant number of
 * pixels away from a row's first one, and consecutive rows of M read one run of
 * them. */
#ifndef XK_VIEWS_HALO_H
#define XK_VIEWS_HALO_H

#include "views/contraction.h"

#define XK_HALO_MAX_DIMS 4

struct xk_halo_dim {
    uint8_t m; /* M index of the contraction */
    int8_t k; /* K index that moves the same coordinate; -1: none, or one tap */
    int64_t m_step, k_step; /* pixels along this dim; k_step 0 where k is -1 */
    int64_t extent;         /* of the padded image; pixels */
    int64_t pitch; /* that numbers have: the innermost dim's is a multiple of
                      columns, so that all rows' numbers are */
};
struct xk_halo {
    unsigned n;      /* M indices, outermost first */
    int64_t columns; /* a power of two, of which the number of each row's first
                        pixel is a multiple: 1, or that in the distance of
                        neighbouring rows' */
    struct xk_halo_dim dim[XK_HALO_MAX_DIMS];
};

/* False where A's coordinates are no such sums: other than one M index with at
 * most one K index, or both with steps above 1. */
bool xk_halo_of(const struct xk_contraction *con, struct xk_halo *out);
/* Numbers pixels anew, in one column: lines have no numbers but their pixels'.
 */
void xk_halo_in_order(struct xk_halo *f);
/* Number of the first tap's pixel of row m; how far the taps' are from it. Taps
 * count the outer K indices, the last one fastest. */
int64_t xk_halo_pixel(const struct xk_contraction *con, const struct xk_halo *f,
                      int64_t m);
int64_t xk_halo_tap(const struct xk_contraction *con, const struct xk_halo *f,
                    int64_t tap);
/* Most pixels from the first to the last that `rows` consecutive rows read,
 * which begin at a multiple of rows. */
int64_t xk_halo_pixels(const struct xk_contraction *con,
                       const struct xk_halo *f, int64_t rows);

#endif
