/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue while it is written: operations on C part by part (plan.h,
 * struct xk_plan_epilogue), and what they read. rows.c: N in the lanes, a part
 * is a row. columns.c: M in the lanes, a part is 8 rows of some columns. */
#ifndef XK_LOWER_EPILOGUE_H
#define XK_LOWER_EPILOGUE_H

#include "lower/state.h"

struct xk_epilogue;

/* A part's place. */
struct xk_epi_part {
    unsigned m, n;  /* its first row and column in the thread's part of C */
    uint32_t acc_b; /* where it begins in C's registers */
};

/* What depends on which index is in the lanes. */
struct xk_epi_family {
    bool n_lanes; /* N in the lanes; else M, and a vector is a column */
    /* Coordinates and masks. */
    void (*prepare)(struct xk_epilogue *e);
    struct xk_epi_part (*part)(const struct xk_lowering *l, unsigned number);
    /* The messages from a side's memory to a part's registers. */
    void (*load)(struct xk_epilogue *e, const struct xk_plan_side *s,
                 const struct xk_epi_part *at, const xk_expr *buf);
    /* Steps first .. end - 1 on a part of C in place. What they read is held,
     * or fetched where they do. */
    void (*operate)(struct xk_epilogue *e, const struct xk_epi_part *at,
                    unsigned first, unsigned end);
    /* All steps from e->first on, and in out the part's registers as memory has
     * them; out NULL: in place. */
    void (*finish)(struct xk_epilogue *e, const struct xk_epi_part *at,
                   const xk_expr *out);
    /* A side's part as f32, into e->f32. */
    void (*widen)(struct xk_epilogue *e, const struct xk_plan_side *s,
                  const xk_expr *raw);
    /* Byte of a part's column, or of its first vector of columns, in that. */
    uint32_t (*place)(const struct xk_lowering *l, const struct xk_plan_side *s,
                      unsigned column);
};
extern const struct xk_epi_family xk_epi_rows, xk_epi_columns;

struct xk_epilogue {
    struct xk_lowering *l;
    const struct xk_epi_family *f;
    struct xk_epi_code *code; /* of each operation */
    struct xk_plan_side c;    /* C, as it goes out */
    unsigned first;           /* the steps before it are done on all of C */
    const xk_expr *input[XK_MAX_INPUTS];   /* buffers of epi.n f32, or of one;
                                              NULL: it is a side */
    const xk_expr *raw[XK_PLAN_MAX_AHEAD]; /* of the side: parts under way; of
                                              several the first alone */
    const xk_expr *f32;     /* a side's part in f32; NULL: raw itself is */
    const xk_expr *held;    /* what the next step reads: one of those */
    const xk_expr *out[2];  /* converted parts; NULL: C itself goes out */
    const xk_expr *wide[2]; /* M in the lanes: eight columns before the
                               conversion, in its order */
    /* Per block of rows (M in the lanes) or of columns: masks, NULL: all. */
    const xk_expr *in[XK_MAX_WIDTHS];
    const xk_expr *row_b[XK_MAX_WIDTHS]; /* s32: rows' offsets, N at 0 */
    /* Per block of rows: places of the M indices, unless rows are merged. */
    const xk_expr *at[XK_MAX_WIDTHS][XK_VIEW_MAX_DIMS];
    struct xk_lower_row row; /* N in the lanes: the one before */
};

/* What does not need C: coordinates, inputs, the sum's first parts; where C
 * begins (out_m0, out_n0) is known. Then the rest. */
void xk_lower_epilogue_begin(struct xk_lowering *l, struct xk_epilogue *e);
void xk_lower_epilogue_end(struct xk_epilogue *e);
/* slice_sums.c: sets out_m0 or out_n0, begins the epilogue and adds up the
 * tiles of the slices. */
void xk_lower_slices(struct xk_lowering *l, struct xk_epilogue *e);

/* out_tile.c: the epilogue's tiling. */
void xk_lower_out_tiling(const struct xk_lowering *l, struct xk_tiling *t);
/* Makes out, a part as memory has it: of the sums where they are, or eight of
 * its columns, with so many eights in front of them, which registers have from
 * `wide` on. */
void xk_epi_convert(struct xk_epilogue *e, const struct xk_epi_part *at,
                    const xk_expr *out);
void xk_epi_convert_wide(struct xk_epilogue *e, unsigned number,
                         const xk_expr *wide, const xk_expr *out);
/* Stores a part of C: out, as memory has it, or the sums where they are. */
void xk_epi_store(struct xk_epilogue *e, const struct xk_epi_part *at,
                  const xk_expr *out);

/* Whether a side's masked lanes read as zero, where messages can do so: not
 * what lies outside and is something else. */
bool xk_epi_loads_zero(const struct xk_lowering *l,
                       const struct xk_plan_side *s);

/* Coordinates with N at n and M at 0. */
void xk_lower_n_only(const struct xk_lowering *l, const xk_expr *n,
                     const xk_expr **at);
/* Columns first + (0 .. simd - 1) of the thread's part. */
const xk_expr *xk_lower_out_columns(struct xk_lowering *l, unsigned first);

/* A vector of C: column n of the thread's part, or with N in the lanes, columns
 * from n on; with 2 * 8 lanes of M, two columns that lie together. */
struct xk_epi_vector {
    unsigned n, lanes;
    unsigned column; /* n, counted from the part's first */
    const xk_expr *from, *to;
};

/* The steps' number. First come the operations on the accumulators, then C
 * becomes f32, then come the others; the last one zeroes what is beyond N. Some
 * may not be there. */
unsigned xk_epi_steps(const struct xk_lowering *l);
bool xk_epi_has_step(const struct xk_lowering *l, unsigned step);
bool xk_epi_has_steps(const struct xk_lowering *l, unsigned first,
                      unsigned end);
/* The side of a step; NULL: it reads none. */
const struct xk_plan_side *xk_epi_side(const struct xk_lowering *l,
                                       unsigned step);
/* What a side reads: C, or an input. */
const struct xk_view *xk_epi_view(const struct xk_lowering *l,
                                  const struct xk_plan_side *s);
static inline unsigned xk_epi_bytes(const struct xk_plan_side *s)
{
    return xk_dtype_b((enum xk_dtype)s->dt);
}
/* Where several steps read parts: loads what this one reads. */
void xk_epi_fetch(struct xk_epilogue *e, const struct xk_epi_part *at,
                  unsigned step);
/* What an operation needs the plan says; zeros are a column's own. */
enum xk_epi_operand xk_epi_operand(const struct xk_lowering *l, unsigned step);
/* Steps first .. end - 1 on a vector; nothing if there are none. */
void xk_epi_operate(struct xk_epilogue *e, unsigned first, unsigned end,
                    const struct xk_epi_vector *v);

/* The step of an operation. */
unsigned xk_epi_step_of(const struct xk_lowering *l, unsigned op);
/* Vectors of C's registers that hold elements of the thread's part; a loop does
 * its functions on `step` of them each time, which divides their number. */
#define XK_EPI_MAX_RING 256
struct xk_epi_ring {
    unsigned lanes, n, step;
    uint32_t at_b[XK_EPI_MAX_RING];
    const xk_expr *turned; /* registers of those on their way round */
};
/* Allocates in l's block. XK_EINTERNAL: C has more. */
enum xk_status xk_epi_ring_init(struct xk_lowering *l, struct xk_epi_ring *r);
/* Steps first .. end - 1 on all of C in a loop: functions of x alone (struct
 * xk_epi_run). */
void xk_epi_loop(struct xk_epilogue *e, const struct xk_epi_ring *r,
                 unsigned first, unsigned end);

#endif
