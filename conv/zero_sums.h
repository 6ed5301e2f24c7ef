/* SPDX-License-Identifier: Apache-2.0 */
/* What zero points of src and wei take away from a sum of products. With zs of
 * the input channel and zw, over the taps that are inside src,
 *
 *   sum (src - zs) * (wei - zw) =
 *       sum src * wei - sum zs * (wei - zw) - sum src * zw.
 *
 * The second sum differs from output channel to output channel, and from pixel
 * to pixel where taps meet padding; the third from pixel to pixel. Both come
 * from launches in front of the convolution, which subtracts them from its
 * accumulators. All of it is modulo 2^32. */
#ifndef XK_CONV_ZERO_SUMS_H
#define XK_CONV_ZERO_SUMS_H

#include "conv/conv.h"

/* The sums over channels of each tap (of chunks of channels), then those over
 * the taps of each place, which may come in two steps: over all but the
 * innermost axis, and over that. The first alone where nothing is left to add.
 */
#define XK_CONV_MAX_SUMS 5

/* A launch that writes dst, of s32: a scratch buffer. */
struct xk_conv_sum {
    char name[32];             /* of the kernel */
    struct xk_contraction con; /* A, B and C of lower/sums.h */
    struct xk_access less;     /* without a name: there is none */
    bool along_k;              /* lower/sums.h */
    int a_from;                /* A is what this launch wrote; -1: A's arg */
    int64_t size_b;            /* of dst */
};
struct xk_conv_sums {
    unsigned n;
    struct xk_conv_sum at[XK_CONV_MAX_SUMS];
    int of_wei, of_src; /* which the convolution subtracts; -1: none */
};

/* Whether there are any. */
bool xk_conv_has_sums(const struct xk_conv_desc *full);
/* From a checked descriptor and the layouts of *info. XK_EUNSUPPORTED: a tensor
 * of sums is too large. */
enum xk_status xk_conv_sums_make(xk_ctx *c, const struct xk_conv_desc *full,
                                 const struct xk_conv_info *info,
                                 struct xk_conv_sums *out);
/* Only the sums over channels, of all taps and of all pixels of src: what those
 * of a deconvolution's classes are made of (class_sums.h). */
enum xk_status xk_conv_sums_begin(xk_ctx *c, const struct xk_conv_desc *full,
                                  const struct xk_conv_info *info,
                                  struct xk_conv_sums *out);
/* The inputs of the main contraction that are subtracted. */
extern const char xk_conv_input_wei[], xk_conv_input_src[];
/* A tensor of s32 in the order of its dims; no coordinates. */
enum xk_status xk_conv_sum_tensor(xk_ctx *c, const char *name, unsigned n,
                                  const int64_t *dims, struct xk_access *a);
/* Number of scratch buffers that the convolution's launch reads, by the name of
 * its input; -1: it is no such input. */
int xk_conv_sums_find(const struct xk_conv_sums *s, const char *input);

/* Whether the convolution's kernel can make the sums of weights: they are those
 * of columns of B. A zero point of src alone, one s32 for all channels, no
 * padding. */
bool xk_conv_may_sum_inside(const struct xk_conv_desc *full);
/* The convolution's contraction for that: its first input becomes the zero
 * point. */
enum xk_status xk_conv_sum_inside(xk_ctx *c, const struct xk_conv_desc *full,
                                  struct xk_contraction *p);

/* The inputs and steps of them, for the convolution's contraction: the first of
 * its epilogue. `o` are the numbers of its indices. */
struct xk_conv_places {
    int g, mb, o[3], oc; /* o: od, oh, ow; -1: none */
};
enum xk_status xk_conv_add_sums(xk_ctx *c, const struct xk_conv_desc *full,
                                const struct xk_conv_places *o,
                                struct xk_contraction *p);

#endif
