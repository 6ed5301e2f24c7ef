/* SPDX-License-Identifier: Apache-2.0 */
/* How an operand's step tile comes, and lies in registers: one family for mad
 * and dp4a (N in the lanes), one for dpas (M in the lanes). */
#ifndef XK_PLAN_OPERAND_H
#define XK_PLAN_OPERAND_H

#include "plan/plan.h"

/* What the view says about an operand: bytes between neighbours along the row
 * index and along the innermost K; 0 where that varies. */
struct xk_tile_strides {
    int64_t row_b, k_b;
    int64_t row_run, k_run; /* how far the strides hold, elements */
    int64_t rows_padded;    /* rows in memory, padding included; 0 unknown */
    bool dwords;            /* every row of memory starts on a dword */
};

/* row NULL: rows are the merged M, only k is looked at. */
struct xk_tile_strides xk_tile_strides_of(xk_ctx *c, const struct xk_plan *p,
                                          const struct xk_view *v,
                                          const char *row);

/* One operand: which side it is, and what to fill. */
struct xk_operand_job {
    const struct xk_plan *plan;
    const struct xk_view *view;
    const char *row; /* NULL for the merged M */
    uint16_t rows;   /* of the tile that is in registers at once */
    struct xk_plan_operand *o;
    struct xk_tile_strides s;
    const struct xk_operand_view *of; /* what it was made of */
};

static inline unsigned xk_job_elem_b(const struct xk_operand_job *j)
{
    return xk_dtype_b(j->view->layout.dt);
}

/* Whether whole tiles of dwords, starting at multiples of rows, lie without a
 * gap, padding of the layout included. */
static inline bool xk_job_is_block(const struct xk_operand_job *j)
{
    return !j->view->n_masks && j->s.rows_padded &&
           j->s.rows_padded % j->rows == 0 && j->s.row_b == 4 &&
           j->s.row_run % j->rows == 0;
}

/* Fills plan->slm if the schedule asks for it; XK_ENOFIT says why not. */
enum xk_status xk_plan_slm(xk_ctx *c, struct xk_plan *p);

/* Whole registers of n_b bytes. */
static inline unsigned xk_grfs(const struct xk_plan *p, uint32_t n_b)
{
    return (n_b + p->platform->grf_b - 1) / p->platform->grf_b;
}
/* plan->held, plan->ending and plan->grf, and what of plan->epi goes by the
 * registers that are left. XK_ENOFIT: there are too few. */
enum xk_status xk_plan_registers(xk_ctx *c, struct xk_plan *p);
/* GRFs of C, and of sums of B's columns, when the loops are counted. */
unsigned xk_plan_sums_grf(const struct xk_plan *p);
/* plan->epi: the messages that store C and the parts in which the epilogue
 * finishes it; XK_ENOFIT: not as the schedule wants it. When the registers of
 * the loops are counted, as much of that as fits. */
enum xk_status xk_plan_store(xk_ctx *c, struct xk_plan *p);
void xk_plan_fit_store(struct xk_plan *p);
/* With N in the lanes, columns of a row of n that a block message moves. */
unsigned xk_plan_block_columns(unsigned n, unsigned element_b);
/* Fills plan->ending but for what sides have under way early, by the parts that
 * plan->epi says, when the loops are counted; returns its GRFs. */
unsigned xk_plan_count_epilogue(struct xk_plan *p);
/* GRFs of plan->ending but for those that are only taken where they are left.
 */
unsigned xk_plan_needed_grf(const struct xk_plan *p);
/* GRFs that CSE may take in the epilogue. */
unsigned xk_plan_cse_grf(const struct xk_plan *p);
/* plan->epi's inputs and sides; the sides again when the parts have changed.
 * GRFs of both, but for parts that are under way early, and of one such part.
 */
void xk_plan_inputs(xk_ctx *c, struct xk_plan *p);
void xk_plan_sides(xk_ctx *c, struct xk_plan *p);
/* M in the lanes: whether columns may be put in order for their conversion in
 * the registers of a side's f32. */
bool xk_plan_side_takes_columns(const struct xk_plan *p);
unsigned xk_plan_sides_grf(const struct xk_plan *p);
unsigned xk_plan_raw_grf(const struct xk_plan *p, const struct xk_plan_side *s);
/* When the epilogue loads what it reads, by the registers that are left: that
 * needs the counts of the loops and of an epilogue without it, and adds to the
 * latter. */
void xk_plan_preload(xk_ctx *c, struct xk_plan *p);

/* What of A a later group's loads find in a cache. */
void xk_plan_ahead(xk_ctx *c, struct xk_plan *p);
/* plan->flat, if all of K is one loop; plan->slices. */
enum xk_status xk_plan_flat(xk_ctx *c, struct xk_plan *p);
/* K in the digits of the schedule. */
void xk_plan_k_walk(struct xk_plan *p);
enum xk_status xk_plan_sums(xk_ctx *c, struct xk_plan *p);
void xk_plan_totals(struct xk_plan *p);
enum xk_status xk_plan_slices(xk_ctx *c, struct xk_plan *p);
/* Bytes of memory from one step of k to the next; 0: no constant. A's blocks of
 * K may be as long as a step, or longer than K. */
int64_t xk_plan_step_b(const struct xk_plan *p);

/* The nest's buffers and calls, if the plan is written as one. XK_ENOFIT: the
 * schedule wants one, and it is not. */
enum xk_status xk_plan_calls(xk_ctx *c, struct xk_plan *p);
/* So many messages of so many lanes, which are no rows. */
static inline struct xk_plan_loads xk_plan_loads_of(unsigned n, unsigned lanes)
{
    return (struct xk_plan_loads){
        .n = (uint16_t)n, .parts = (uint16_t)n, .lanes = (uint8_t)lanes};
}
/* So many messages for each `lanes` of rows, a lane a row. */
struct xk_plan_loads xk_plan_gathers(const struct xk_operand_job *j,
                                     unsigned each, unsigned lanes);
/* Block messages that bring so many dwords, none of which crosses a border
 * between chunks. */
unsigned xk_plan_block_messages(unsigned dwords, unsigned chunk);

/* Access and register tile, then the loads of a step of k_len elements. */
enum xk_status xk_mad_access(xk_ctx *c, const struct xk_operand_job *j);
struct xk_plan_loads xk_mad_loads(const struct xk_operand_job *j,
                                  uint16_t k_len);
/* Makes the operand one that comes as memory has it and is put in order in
 * registers, if that is how it lies; its tile is known. The loads of a step. */
bool xk_plan_turn(const struct xk_operand_job *j);
struct xk_plan_loads xk_plan_turned_loads(const struct xk_operand_job *j);
/* A lane a row, dwords along K: A of dpas and dp4a. */
enum xk_status xk_gather_access(xk_ctx *c, const struct xk_operand_job *j);
struct xk_plan_loads xk_gather_loads(const struct xk_operand_job *j,
                                     uint16_t k_len);
enum xk_status xk_dp4a_access_b(xk_ctx *c, const struct xk_operand_job *j);
struct xk_plan_loads xk_dp4a_loads_b(const struct xk_operand_job *j,
                                     uint16_t k_len);
enum xk_status xk_dpas_access_b(xk_ctx *c, const struct xk_operand_job *j);
struct xk_plan_loads xk_dpas_loads_b(const struct xk_operand_job *j,
                                     uint16_t k_len);

#endif
