/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which rows follow each other. M's indices are walked as they
 * stand; but the first of them that meets no padding of A may come last, so
 * that neighbouring rows do so in memory, or meet padding together. */
#ifndef XK_VIEWS_ROW_ORDER_H
#define XK_VIEWS_ROW_ORDER_H

#include "views/contraction.h"

/* An M index and the K index that stand in the same coordinate of A:
 * coordinate = m * m_step + k * k_step + start, inside if lo <= it < hi. */
struct xk_slide {
    int m, k;               /* -1: no such index */
    int64_t m_step, k_step; /* 0 without k */
    int64_t start, lo, hi;
    int64_t places, k_places; /* their extents; 1 without */
};
/* m: an M index. False: no coordinate is that of it and at most one K index. */
bool xk_slide_of(const struct xk_contraction *p, unsigned m,
                 struct xk_slide *out);
/* Pairs of a place of M and one of K whose coordinate is outside. */
int64_t xk_slide_outside(const struct xk_slide *s);

struct xk_row_order {
    int free;      /* the first M index that is a dim of A alone; -1: none */
    bool last;     /* it comes last of M's indices */
    bool together; /* eight rows of it are neighbours in A's memory, or an open
                      layout may have them so */
    int64_t block; /* so many of its places; the rest comes before the last of
                      the other indices */
};
struct xk_row_order xk_row_order_of(const struct xk_contraction *p);
/* The outermost of M's other indices that has more than one place. */
bool xk_row_order_edge(const struct xk_contraction *p, int free,
                       struct xk_slide *out);
/* The last of M's other indices, if a step of it moves A as far as one of a K
 * index does, to the same side or the other, and both have several places: so
 * that neighbouring rows share elements. */
bool xk_row_order_window(const struct xk_contraction *p, int free,
                         struct xk_slide *out);
/* Puts M's indices in that order; the layout of A is not open. */
void xk_row_order_apply(struct xk_contraction *p);

#endif
