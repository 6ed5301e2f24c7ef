/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tensor's element is, in terms of index variables: each coordinate is
 * a linear form of them. Plain integers; views/contraction.h and ir/nest.h are
 * made of these. */
#ifndef XK_LAYOUT_COORD_H
#define XK_LAYOUT_COORD_H

#include "layout/layout.h"

#define XK_MAX_INDEX 12
#define XK_MAX_COORD 8

/* M is in A and C, N in B and C, K in neither C nor an input, batch in all
 * three. An index of C alone is N; one of A or of B alone is K. */
enum xk_role { XK_ROLE_M, XK_ROLE_N, XK_ROLE_K, XK_ROLE_BATCH };

struct xk_index {
    char name[8];   /* a letter, then letters and digits */
    int64_t extent; /* 1 to 2^31-1; the most of all classes */
    uint8_t role;   /* enum xk_role */
};

/* base + sum of coef[i] * index i, with coefficients of any sign. It must lie
 * in [lo, hi): elsewhere a load gives the access's fill and a store is dropped.
 * In class r the base is base + class_base[r] (struct xk_class_dim). */
struct xk_coord {
    int64_t base, coef[XK_MAX_INDEX], lo, hi;
    const int64_t *class_base; /* NULL: the same in all classes */
    uint8_t class_dim;
};

/* at[0 .. layout.n_dims) are the tensor's coordinates, with [lo, hi) inside the
 * dim. The others are conditions alone. An open layout has n_blocks 0: the
 * search chooses it. */
struct xk_access {
    char name[16]; /* of the argument */
    uint8_t arg;   /* the caller's argument number */
    bool by_value; /* the argument is the value, in no memory */
    bool inverse;  /* one over what it reads is used, of an operand alone */
    uint8_t n_coord;
    int32_t fill;
    struct xk_layout layout;
    struct xk_coord at[XK_MAX_COORD];
};

#endif
