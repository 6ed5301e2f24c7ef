/* SPDX-License-Identifier: Apache-2.0 */
/* Contractions of many groups with few columns and little K each, seen with the
 * columns of C, of all groups, in the lanes: depthwise convolutions, with one
 * column a group or several. Nothing is shared between lanes, so that a
 * systolic array is of no use. A thread has a tile of rows x columns of places
 * along the last two M indices, and A's elements in the window that these
 * places reach with all places of K are loaded once. */
#ifndef XK_VIEWS_GROUP_LANES_H
#define XK_VIEWS_GROUP_LANES_H

#include "ir/tiles.h"
#include "views/nest.h"

/* Number of an index that there is none of. */
#define XK_NO_INDEX UINT8_MAX

/* One of the last two M indices and the K index that stands in the same
 * coordinate of A: coordinate = place * step + k_place * apart + ... */
struct xk_lanes_axis {
    uint8_t m, k;             /* numbers of the indices; k: XK_NO_INDEX: none */
    int64_t places, k_places; /* their extents */
    int64_t step, apart;      /* both positive */
};

struct xk_group_lanes {
    uint8_t batch; /* the index of groups */
    int64_t parts; /* places of the batch's other indices */
    uint8_t n, k;  /* of a group's columns and of its K; XK_NO_INDEX */
    int64_t groups, group_n, group_k;
    int64_t outer_m;              /* places of the other M indices */
    int64_t outer_k;              /* the same of the other K indices */
    struct xk_lanes_axis axis[2]; /* rows, columns */
};

/* Whether a contraction whose coordinates have not been split is one. A and B
 * may be open. Groups are the first batch index of several places. */
bool xk_group_lanes_of(const struct xk_contraction *p,
                       struct xk_group_lanes *out);

/* Elements of a window along an axis, of a tile of so many places. */
static inline int64_t xk_lanes_window(const struct xk_lanes_axis *x,
                                      int64_t places)
{
    return (places - 1) * x->step + (x->k_places - 1) * x->apart + 1;
}

/* The first element of the window of so many places behind `at` that one
 * of them meets with a place of K; -1: there is none. */
int64_t xk_lanes_next(const struct xk_lanes_axis *x, int64_t places,
                      int64_t at);

/* Products of 8-bit types as dp4a: a dword has one lane's elements of a block
 * of four rows of the window, of those that are met (xk_lanes_next), in order.
 * Each row of the tile has dwords of B of its own for each block, in which a
 * byte is zero where no place of K meets the element. */
#define XK_LANES_DEEP 4
/* f32 holds sums of so many products of 8-bit types; no more are dots. */
#define XK_LANES_MOST_K 256
struct xk_lanes_block {
    int64_t row[XK_LANES_DEEP]; /* of the window; -1: none */
};
static inline struct xk_lanes_block xk_lanes_no_block(void)
{
    return (struct xk_lanes_block){{-1, -1, -1, -1}};
}
/* The next block of a tile of so many rows; behind xk_lanes_no_block() the
 * first. False: there is none, and *b is no block again. */
bool xk_lanes_next_block(const struct xk_lanes_axis *y, int64_t places,
                         struct xk_lanes_block *b);
/* The places of K by which a row of the tile meets a block, -1: none. False:
 * none at all. */
bool xk_lanes_dots(const struct xk_lanes_axis *y, int64_t place,
                   const struct xk_lanes_block *b, int64_t met[XK_LANES_DEEP]);
/* Pairs of a block and a row of the tile that meet. */
int64_t xk_lanes_n_dots(const struct xk_lanes_axis *y, int64_t places);

/* A thread's tile and its steps. */
struct xk_lanes_size {
    uint16_t rows, columns, lanes; /* places of a tile, lanes of a thread */
    uint16_t deep;                 /* rows of a window in a dword: 1 or
                                      XK_LANES_DEEP */
    uint16_t k_rows, k_columns;    /* places of the axes' K in a step, of which
                                      they have whole numbers; 0: there is one
                                      step, of all of K */
};

/* For tiles of rows x columns places. */
struct xk_lanes_nest {
    struct xk_group_lanes of;
    uint16_t rows, columns; /* of a tile */
    bool dots;              /* dp4a */
    bool walked;            /* in steps: the axes have only those places of K
                               that a step has */
    int64_t steps;          /* of a place of the batch's other indices */
    /* Views A and B; tile a: [window's columns, a group's K][lanes]
     * of one row of the window, tile b: [places of K][lanes], both f32.
     * Positions: m counts tiles, n lanes; k, of A, outer K, the window's rows
     * and columns, a group's K; b, of B, outer K, rows', columns', a group's K.
     * With dots a: [columns][lanes][4] of a block of rows, b: [outer K,
     * pairs of block and row of the tile, columns' K][lanes][4], of A's and
     * B's types. Walked, positions b of both count the places of the batch's
     * other indices and the steps of each, and k those of the step: of A in
     * the window, b's inside; of B in front of the second window. */
    struct xk_tiling tiling;
    /* C and inputs as the epilogue sees them: N is all columns, the last two M
     * indices count a tile's rows and columns. A and B are never asked. */
    struct xk_nest nest;
};
/* p is one, with closed layouts. *out stays where it is: its nest points to it.
 * In steps a group has one element of K at a place. XK_ENOFIT: more indices
 * than a tiling has. XK_EUNSUPPORTED: what xk_nest_make refuses. */
enum xk_status xk_lanes_nest_make(xk_ctx *c, const struct xk_contraction *p,
                                  const struct xk_group_lanes *of,
                                  const struct xk_lanes_size *size,
                                  struct xk_lanes_nest *out);

#endif
