/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of integers, element by element: what zero points take away
 * from a convolution. Any types and layouts, one element of C a lane; no tiles.
 *
 *     C[...] = sum over the K indices of (A[...] - less) * B[...]  modulo 2^32
 *
 * Where A's conditions fail nothing is added. */
#ifndef XK_LOWER_SUMS_H
#define XK_LOWER_SUMS_H

#include "lower/flat_nest.h"
#include "views/contraction.h"

struct xk_sums {
    /* A and B are s32, s8 or u8. B without a name is 1 everywhere; its place
     * depends on K alone. C, "dst", is s32, without blocks, its dims in their
     * order, each of which is an index; there may be gaps between them. No
     * epilogue, classes or batch. */
    const struct xk_contraction *con;
    /* A thread has an element of C, its lanes go along A's innermost K: whole
     * steps of 64 bytes that lie side by side in fours. */
    bool along_k;
    const struct xk_access *less; /* one element; NULL: 0 */
};

/* The kernel `name`; its arguments are called as the accesses are. XK_EINVAL:
 * what is not so. XK_EUNSUPPORTED: a tensor is too large. */
enum xk_status xk_lower_sums(xk_ctx *c, const struct xk_sums *s,
                             const char *name, bool surfaces,
                             struct xk_flat_nest *out);

#endif
