/* SPDX-License-Identifier: Apache-2.0 */
/* Random images, and the contractions that read them, for tests of views. */
#ifndef XK_TESTS_VIEWS_IMAGES_H
#define XK_TESTS_VIEWS_IMAGES_H

#include "views/contraction.h"

/* Images of up to three dims, d h w: pixels, outputs, taps, stride, distance of
 * taps, padding. */
struct image {
    int64_t n, i[3], o[3], k[3], s[3], d[3], p[3];
    bool volume; /* else there is no d */
    bool inside; /* images are the innermost index of M */
};

/* Names of the indices along each. */
extern const char *const image_out_names[3], *const image_tap_names[3];

/* A and the indices; ends the test if anything refuses. */
void image_contraction(xk_ctx *c, const struct image *g,
                       struct xk_contraction *con);
/* Often 1 image, 1 place or no padding along a dim. */
struct image image_random(unsigned *seed);

#endif
