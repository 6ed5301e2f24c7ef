/* SPDX-License-Identifier: Apache-2.0 */
/* What lower's parts share while one kernel is written. */
#ifndef XK_LOWER_STATE_H
#define XK_LOWER_STATE_H

#include "simplify/writer.h"
#include "ir/tiles.h"
#include "lower/lower.h"

#define XK_LOWER_MAX_PLACES 8 /* of slices */

struct xk_lowering {
    xk_ctx *c;
    const struct xk_plan *p;
    const struct xk_kernel
        *kernel; /* its parameters are there from the start */
    struct xk_block_writer w;
    xk_facts *facts;
    const xk_expr *arg_a, *arg_b, *arg_c, *arg_in[XK_MAX_INPUTS];
    const xk_expr *acc;     /* registers: C's sums */
    const xk_expr *b;       /* and B, of a batch in the lanes */
    const xk_expr *m0, *n0; /* s32: first row and column of the tile */
    const xk_expr *n0_b;    /* n0 moved inside B */
    const xk_expr
        *place_n[XK_LOWER_MAX_PLACES]; /* s32: of slices that have their own
                                          part first, where a place's rows
                                          of B begin behind n0_b */
    const xk_expr *tid;    /* s32: the thread among those of its slice */
    const xk_expr *slice;  /* s32: of K, NULL: there is one */
    const xk_expr *totals; /* of slices: registers with B's sums, a column
                              behind the other of all places; NULL: none */
    const xk_expr *out_m0,
        *out_n0; /* s32: where this thread's part of C begins */
    const xk_expr *group_m, *group_n;   /* s32: place of the group */
    const xk_expr *group_z;             /* s32: of all batch indices together */
    const xk_expr *thread_m, *thread_n; /* s32: of the thread in the group */
    const xk_expr *batch[XK_VIEW_MAX_DIMS]; /* s32, per index: the group's place
                                               of a batch index */
};

/* Coordinates for a view: at[i] belongs to contraction index i; dims that the
 * view does not have are skipped, batch indices have the group's place whatever
 * at[] says. Byte offset, or mask. */
const xk_expr *xk_lower_offset(struct xk_lowering *l, const struct xk_view *v,
                               const xk_expr *const *at);
const xk_expr *xk_lower_mask(struct xk_lowering *l, const struct xk_view *v,
                             const xk_expr *const *at);
/* What is known of a row's places, begun with zeros: rows that follow each
 * other share most variables. All of them are of one block. */
struct xk_lower_row {
    const xk_expr *m;                       /* the row; NULL: none yet */
    const xk_expr *place[XK_VIEW_MAX_DIMS], /* by index: its value */
        *at[XK_VIEW_MAX_DIMS];              /* and its variable */
};
/* Splits a merged M index (scalar or vector) into the M indices' places of
 * at[], with lets in the current block. last: of the row before; NULL: all lets
 * are new. */
void xk_lower_unpack_m(struct xk_lowering *l, const xk_expr *m,
                       struct xk_lower_row *last, const xk_expr **at);
/* A variable of s32 that counts from 0 to extent - 1. */
const xk_expr *xk_lower_counter(struct xk_lowering *l, const char *name,
                                int64_t extent);
/* N at n, into at[]. */
void xk_lower_set_n(const struct xk_lowering *l, const xk_expr *n,
                    const xk_expr **at);
/* Place of the innermost K in at[]. */
unsigned xk_lower_k_inner(const struct xk_lowering *l);
/* v, in all of so many lanes if it is a scalar. */
const xk_expr *xk_lower_widen(const struct xk_lowering *l, const xk_expr *v,
                              unsigned lanes);
/* Whether rows m are inside M. */
const xk_expr *xk_lower_below_m(struct xk_lowering *l, const xk_expr *m);
/* first + (0, 1, ... simd - 1). */
const xk_expr *xk_lower_lanes(struct xk_lowering *l, const xk_expr *first);
/* true_ as a bool constant of n lanes. */
const xk_expr *xk_lower_true(struct xk_lowering *l, unsigned lanes);
/* Writes a dword, or zeros, over size_b bytes of a register buffer. */
void xk_lower_fill_registers(struct xk_lowering *l, const xk_expr *buf,
                             uint32_t size_b, const xk_expr *dword);
void xk_lower_zero(struct xk_lowering *l, const xk_expr *buf, uint32_t size_b);
/* Whether loads of an operand write 0 for lanes that are off, so that nothing
 * fills them before. With dpas a load that leaves lanes alone costs more than
 * one that goes beside the surface (isa/workaround.def, rs_dpas). */
bool xk_lower_loads_zero(const struct xk_lowering *l,
                         const struct xk_operand_view *v);
/* &buf[off_b]. */
const xk_expr *xk_lower_reg(struct xk_lowering *l, const xk_expr *buf,
                            uint32_t off_b);
/* A message's arguments: a pointer to memory and an offset from it, the first
 * register (&buf[off_b]), and the lanes that take part. */
struct xk_lower_args {
    const xk_expr *mem, *off, *reg, *mask;
};
/* The message, into w. The schedule says whether memory is reached through
 * surfaces or by 64-bit addresses, not *s. */
void xk_lower_send(struct xk_lowering *l, struct xk_block_writer *w,
                   const struct xk_send *s, const struct xk_lower_args *x);

/* u32: where a pointer begins in its surface. */
const xk_expr *xk_lower_surface_at(const struct xk_lowering *l,
                                   const xk_expr *mem);
/* *s through the surface of a pointer. */
struct xk_send xk_lower_through_surface(const struct xk_lowering *l,
                                        const struct xk_send *s,
                                        const xk_expr *mem);
/* lane_window.c: all of K with the columns of all groups in the lanes. */
void xk_lower_lane_window(struct xk_lowering *l);
/* tile_nest.c: the K loops as a nest of tile functions. */
void xk_lower_nest(struct xk_lowering *l);
/* nest_sums.c: sums of B's columns beside the products (plan.h, struct
 * xk_plan_sums). They are there from before the loop, `add` stands in it, and
 * what C's sums lose behind it. */
struct xk_lower_sums {
    const xk_expr *sum; /* registers: a row of B each; NULL: there are none */
    const xk_expr *ones;
    const xk_expr *times; /* s32 */
};
void xk_lower_sums_begin(struct xk_lowering *l, struct xk_lower_sums *s);
/* Tiles of the tiling. */
void xk_lower_sums_tiles(const struct xk_lowering *l, struct xk_tiling *t);
/* Those of a part of B's columns, which are in b. */
void xk_lower_sums_add(struct xk_lowering *l, const struct xk_lower_sums *s,
                       struct xk_block_writer *w, unsigned part,
                       const char *tile_b, const xk_expr *b);
void xk_lower_sums_end(struct xk_lowering *l, const struct xk_lower_sums *s);
/* nest_totals.c: sums of B's columns that are stored (plan.h, struct
 * xk_plan_totals), as those above; what ends them stands behind the tiling. */
struct xk_lower_b { /* B in a step */
    const char *tile;
    const xk_expr *reg;
    unsigned k_len; /* places of K; 0: all */
};
struct xk_lower_totals {
    const xk_expr *sum, *ones; /* registers; NULL: there are none */
};
void xk_lower_totals_begin(struct xk_lowering *l, struct xk_lower_totals *s);
void xk_lower_totals_tiles(const struct xk_lowering *l, struct xk_tiling *t);
/* Those of a part of B's columns, and so many places of K (0: all). */
void xk_lower_totals_add(struct xk_lowering *l, const struct xk_lower_totals *s,
                         struct xk_block_writer *w, unsigned part,
                         struct xk_lower_b b);
void xk_lower_totals_end(struct xk_lowering *l,
                         const struct xk_lower_totals *s);
/* Each slice gives its sums before all meet for the last time; behind that it
 * takes those of its part from all others, and stores the part. */
void xk_lower_totals_give(struct xk_lowering *l);
void xk_lower_totals_take(struct xk_lowering *l);
/* places.c: slices that have their own part first (plan.h, struct
 * xk_plan_slices). Prepares what follows. */
void xk_lower_places(struct xk_lowering *l);
/* From the tile's first row or column to those of the slice's own part. */
const xk_expr *xk_lower_part(const struct xk_lowering *l);
/* s32 x lanes: where slices have their own rows first, the rows of M at lanes
 * first .. first + lanes - 1 of the thread's tile of A, without a name. */
const xk_expr *xk_lower_a_rows(struct xk_lowering *l, unsigned first,
                               unsigned lanes);
/* prefetch.c: asks for what a later group reads. */
void xk_lower_prefetch(struct xk_lowering *l);
/* Bytes of an element of C in memory. */
static inline unsigned xk_lower_dst_b(const struct xk_lowering *l)
{
    return xk_dtype_b(l->p->epi.dst);
}

#endif
