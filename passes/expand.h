/* SPDX-License-Identifier: Apache-2.0 */
/* What the expansion of tile functions into messages and multiplies shares.
 * Internal to passes/. */
#ifndef XK_PASSES_EXPAND_H
#define XK_PASSES_EXPAND_H

#include "ir/tiles.h"
#include "isa/message.h"
#include "passes/walk.h"
#include "simplify/writer.h"
#include "views/walk_stride.h"

struct xk_expand_bound {
    const xk_expr *value, *var;
    int64_t extent;    /* what the variable is known to be below */
    int32_t divisions; /* terms of the value; -1: not counted yet */
};

/* Values that are bound where a variable comes into scope: all tile functions
 * below share them, and what no loop changes stands in front of it. */
struct xk_expand_level {
    struct xk_expand_bound *bound;
    uint32_t n, cap;
};

/* The indices of positions, each made once where its variables are in scope. */
#define XK_EXPAND_SEEN 64
struct xk_expand_seen {
    uint32_t block; /* the number of that place; 0: of none */
    uint8_t role, lanes;
    const xk_expr *pos; /* of the tile */
    int64_t at;         /* in it */
    const xk_expr *index[XK_MAX_INDEX], *in;
};

struct xk_expand {
    xk_ctx *c;
    const struct xk_platform *platform;
    const struct xk_kernel *kernel;
    xk_facts *facts;
    const xk_stmt *tiling; /* the innermost one around, and what it says */
    const struct xk_tiling *t;
    struct xk_contraction indices; /* its indices */
    struct xk_block_writer w;      /* what takes the call's place */
    struct xk_levels levels; /* of variables: where they come into scope */
    struct xk_expand_level *level; /* by number, the innermost last */
    uint32_t n_levels, cap_levels;
    uint32_t first_level; /* the outermost tiling's: nothing is bound in front
                             of it, where its registers would wait for it */
    uint32_t n_blocks;    /* counts blocks that end and tilings that begin */
    struct xk_expand_seen seen[XK_EXPAND_SEEN];
};
/* The variable of a value, bound as far out in the outermost tiling as it can
 * be; a constant or a variable is returned as it is. extent: where the value
 * matters it is below that, and not negative; 0: nothing is known. */
const xk_expr *xk_expand_bind(struct xk_expand *x, const char *name,
                              const xk_expr *value, int64_t extent);

/* A call that moves a tile, taken apart. */
struct xk_tile_move {
    const struct xk_tile_call *f;
    struct xk_tile_part part;
    unsigned n_dims;
    const struct xk_access *access;
    const xk_expr *mem, *buf,
        *buf_off;                   /* pointer; registers and their offset */
    const xk_expr *pos[XK_N_ROLES]; /* by dim of the tile; a vector has those of
                                       the call's part, one each */
    uint16_t pos_first[XK_N_ROLES]; /* of that part */
    /* What is known of memory along each dim (views/walk.h); 0: nothing. */
    int64_t stride_b[XK_N_ROLES], run[XK_N_ROLES];
    uint32_t masks; /* indices of the view's conditions that can fail */
};
bool xk_expand_move_of(struct xk_expand *x, const xk_stmt *call,
                       struct xk_tile_move *out);
/* Whether the tile has another type than memory. */
static inline bool xk_expand_converts(const struct xk_tile_move *m)
{
    return m->part.tile->layout.dt != m->access->layout.dt;
}

/* Places of a tile that one message moves: lanes along one dim, a vector of
 * dwords, or of elements in a dword each, along another; or one
 * run, or several. */
enum xk_tile_shape_kind {
    XK_SHAPE_RUNS,   /* runs, a stride apart in memory, one behind the other in
                        the tile; a lane has eight bytes of one */
    XK_SHAPE_BLOCK,  /* a run of elements, in memory as in the tile */
    XK_SHAPE_GATHER, /* a lane a place, a vector of dwords */
    XK_SHAPE_ELEMENTS, /* a lane an element narrower than a dword */
};
/* From the first of a message's runs on: beside the surface is room for them.
 */
#define XK_RUNS_MOST_B (UINT32_MAX - XK_OFF_NULL)
struct xk_tile_shape {
    uint8_t kind;           /* enum xk_tile_shape_kind */
    uint8_t lanes;          /* 1 for BLOCK */
    uint8_t vec;            /* dwords, or elements; RUNS: eight bytes */
    int8_t lane_dim;        /* -1: none */
    uint8_t run_dim;        /* RUNS: along which a message has several */
    uint16_t n[XK_N_ROLES]; /* positions of each dim that a message moves */
    uint16_t reg_stride;    /* of the tile's elements, lane to lane; BLOCK: from
                               one    of the run to the next */
    bool alone;             /* BLOCK: no gather has the tile's order; ELEMENTS:
                               nothing of the tile lies between lanes' */
};
/* The best shape that is no better than `best`, a gather of at most so many
 * dwords a lane; with XK_SHAPE_ELEMENTS there is always one. */
void xk_expand_shape(struct xk_expand *x, const struct xk_tile_move *m,
                     unsigned best, unsigned most, struct xk_tile_shape *out);

/* Where a message's first place is: element at[d] of the tile's dim d, the
 * offset in memory of its lanes and whether they are there. False on failure.
 */
struct xk_tile_place {
    const xk_expr *off, *mask;
    const xk_expr *inside; /* of the mask, whether K's indices are below their
                              extents; NULL: always */
};
bool xk_expand_place(struct xk_expand *x, const struct xk_tile_move *m,
                     const struct xk_tile_shape *s, const int64_t *at,
                     struct xk_tile_place *out);
/* Whether positions first to last of the tile's dim d, all inside, differ in
 * nothing that a condition asks; and lie the dim's stride apart. False: not
 * known. */
bool xk_expand_is_alike(struct xk_expand *x, const struct xk_tile_move *m,
                        unsigned d, int64_t first, int64_t last);
bool xk_expand_is_even(struct xk_expand *x, const struct xk_tile_move *m,
                       unsigned d, int64_t first, int64_t last);
/* Whether, for positions first to last of the tile's dim d, each condition asks
 * a linear form of the position: what holds for the first and the last one
 * holds between them. False: not known. */
bool xk_expand_is_straight(struct xk_expand *x, const struct xk_tile_move *m,
                           unsigned d, int64_t first, int64_t last);
/* Steps at[] to the next message of the part; false behind the last. */
bool xk_expand_next(const struct xk_tile_move *m, const struct xk_tile_shape *s,
                    int64_t *at);

/* &buf[off + element at[] of the tile]. */
const xk_expr *xk_expand_reg(struct xk_expand *x, const struct xk_tile_move *m,
                             const int64_t *at);
/* The pointer, off_b bytes further on. */
const xk_expr *xk_expand_at(struct xk_expand *x, const xk_expr *ptr,
                            int64_t off_b);
/* The message, with the surface or the address form that the pointer has. */
void xk_expand_send(struct xk_expand *x, const struct xk_tile_move *m,
                    struct xk_send send, const xk_expr *off, const xk_expr *reg,
                    const xk_expr *mask);
/* Whether the kernel has the pointer's place in a surface. */
bool xk_expand_has_surface(const struct xk_expand *x, const xk_expr *mem);
/* Fills n_b bytes of registers with a dword. */
void xk_expand_fill(struct xk_expand *x, const xk_expr *reg, unsigned n_b,
                    uint32_t dword);

/* One call each; the statements go to x->w, a failure to the ctx. */

void xk_expand_move(struct xk_expand *x, const xk_stmt *call); /* LOAD, STORE */

void xk_expand_mul(struct xk_expand *x, const xk_stmt *call);

void xk_expand_copy(struct xk_expand *x, const xk_stmt *call);

void xk_expand_dot(struct xk_expand *x, const xk_stmt *call);

#endif
