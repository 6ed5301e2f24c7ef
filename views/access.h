/* SPDX-License-Identifier: Apache-2.0 */
/* What the search asks about a contraction's accesses, in terms of indices:
 * which reach memory, how far apart neighbours are, what two indices share,
 * where padding is met. Sets of indices have a bit for each. An open layout
 * answers as the best one would. */
#ifndef XK_VIEWS_ACCESS_H
#define XK_VIEWS_ACCESS_H

#include "views/contraction.h"

/* Least and greatest value of a coordinate over all indices and classes. False:
 * a partial sum may be beyond 2^31-1. */
struct xk_range {
    int64_t lo, hi;
};
bool xk_coord_range(const struct xk_contraction *p, const struct xk_coord *x,
                    struct xk_range *out);

enum xk_role xk_role_of(bool in_a, bool in_b, bool in_c);

/* The indices that move the coordinate. */
uint32_t xk_coord_indices(const struct xk_coord *x);
/* The indices that move the place, or decide whether there is one. Along the
 * others an element is used again. */
uint32_t xk_access_uses(const struct xk_access *a);
/* The indices of the conditions that can fail: where padding is met. */
uint32_t xk_access_masks(const struct xk_contraction *p,
                         const struct xk_access *a);
/* Whether any condition can fail. */
bool xk_access_leaves(const struct xk_contraction *p,
                      const struct xk_access *a);
/* Whether one coordinate alone is never inside: then nothing is an element. */
bool xk_access_misses(const struct xk_contraction *p,
                      const struct xk_access *a);
/* Whether the coordinate can leave its interval. */
bool xk_coord_leaves(const struct xk_contraction *p, const struct xk_coord *x);

/* The one coordinate that the index moves; -1: none, or several. */
int xk_access_coord_of(const struct xk_access *a, unsigned index);
/* The tensor dim whose coordinate is the index and nothing else, so that index
 * places are tensor places; -1: there is none. */
int xk_access_dim_of(const struct xk_access *a, unsigned index);

/* How many steps of index m are one of k's, in all coordinates that either
 * moves; 0: they are no whole number, or not the same one. */
int64_t xk_access_steps_alike(const struct xk_access *a, unsigned m,
                              unsigned k);
/* Bytes between neighbours along an index, conditions aside: inside each run of
 * *run places that begins at a multiple of *run, every step moves by *stride_b,
 * whatever the other indices are. A run ends with the index's extent at the
 * latest, or where the index is a dim, with the padding of memory. False: the
 * layout is open, or nothing like that holds. */
bool xk_access_stride_b(const struct xk_contraction *p,
                        const struct xk_access *a, unsigned index,
                        int64_t *stride_b, int64_t *run);

/* The element of memory at one place of the indices; false: a condition fails,
 * so that a load gives fill. The layout is not open. */
bool xk_access_element(const struct xk_contraction *p,
                       const struct xk_access *a, const int64_t *at,
                       int64_t *element);

/* The bits of a value of a type, as often as a dword has elements. */
uint32_t xk_fill_dword(enum xk_dtype dt, int32_t value);

#endif
