/* SPDX-License-Identifier: Apache-2.0 */
/* Which taps of which places reach a pixel. Along one spatial dim, with stride
 * s, distance of taps D and padding p, place o at tap k meets pixel
 * i = o * s + k * D - p.
 *
 * The pixels with (i + p) mod s = r are a class: i = i_r + s * u. With
 * g = gcd(s, D) they have no tap if g does not divide r; else every (s / g)th
 * one from k_r on: k = k_r + s / g * t, and then o = u - D / g * t + c_r. */
#ifndef XK_CONV_RESIDUES_H
#define XK_CONV_RESIDUES_H

#include "conv/tensors.h"

/* A spatial dim: what u and t are multiplied by, and the tables of its s
 * classes, which live in the arena. */
struct xk_conv_residues {
    int64_t s, tap_step, place_step; /* of i by u; of k and of -o by t */
    int64_t *i, *k, *o, *taps;       /* i_r, k_r, c_r, extents of t */
};
/* Names of the indices u and t of dim 0 d, 1 h, 2 w. */
extern const char *const xk_conv_class_pixel_names[3];
extern const char *const xk_conv_class_tap_names[3];
/* XK_EUNSUPPORTED: a stride above 65536. */
enum xk_status xk_conv_residues_make(xk_ctx *c, struct xk_arena *arena,
                                     const struct xk_conv_axis *x,
                                     struct xk_conv_residues *out);
/* The pixels of a class: u is below that. */
int64_t xk_conv_residue_pixels(const struct xk_conv_axis *x,
                               const struct xk_conv_residues *v, uint32_t r);

#endif
