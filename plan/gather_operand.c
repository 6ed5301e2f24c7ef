/* SPDX-License-Identifier: Apache-2.0 */
/* Operands whose rows are lanes and whose registers are dwords of K: A of dpas,
 * where M and N are exchanged (src1 has a row a lane); A and B of dp4a. A
 * gather with a row a lane and dwords along the lane's vector delivers that as
 * it is, for K innermost and for any other layout that has whole dwords
 * of K.
 *
 * Where K is not contiguous, or rows are not whole dwords, elements are loaded
 * one by one into a staging buffer and packed.
 *
 * Tile: [row / lanes][k / per_dw][row % lanes][k % per_dw]. */
#include "plan/operand.h"

#define BATCH 8 /* most staged messages between reorders */

static unsigned lanes_of(const struct xk_operand_job *j)
{
    return j->plan->s.simd;
}

static bool is_systolic(const struct xk_operand_job *j)
{
    return xk_fma_family_of(j->plan->s.fma)->dpas;
}

/* Bytes of K that a row has in a step; dwords of one lane block. */
static unsigned gather_step_b(const struct xk_operand_job *j)
{
    return j->plan->s.k_step * xk_job_elem_b(j);
}

static unsigned batch_of(const struct xk_operand_job *j)
{
    return j->plan->s.k_step < BATCH ? j->plan->s.k_step : BATCH;
}

static void init_gather_tile(const struct xk_operand_job *j)
{
    struct xk_layout *const l = &j->o->tile;
    const int64_t per_dw = 4 / xk_job_elem_b(j), k = j->plan->s.k_step;
    const int64_t lanes = lanes_of(j);
    l->dt = j->view->layout.dt;
    l->n_dims = 2;
    l->dim[0] = l->padded[0] = j->rows;
    l->dim[1] = l->padded[1] = k;
    l->n_blocks = 4;
    l->block[0] = (struct xk_block){0, j->rows / lanes, lanes * k};
    l->block[1] = (struct xk_block){1, k / per_dw, lanes * per_dw};
    l->block[2] = (struct xk_block){0, lanes, per_dw};
    l->block[3] = (struct xk_block){1, per_dw, 1};
    j->o->rows_padded = j->s.rows_padded;
    j->o->tile_b = gather_step_b(j) * (uint32_t)j->rows;
}

/* Dwords of a step that follow each other in memory, whole steps or single
 * ones, or those of an outer place, which may be beside the tensor alone; 0:
 * not even one. */
static unsigned run_of(const struct xk_operand_job *j)
{
    const int64_t k = j->plan->s.k_step, place_e = j->plan->con->place_e;
    if (j->of->fill && xk_plan_k_inner(j->plan)->extent * xk_job_elem_b(j) % 4)
        return 0; /* what stands behind K in its last dword must stay zero */
    if (place_e)
        return j->s.k_run % place_e || j->plan->con->used_e < place_e
                   ? 0
                   : (unsigned)place_e * xk_job_elem_b(j) / 4;
    if (j->s.k_run % k == 0 || j->s.k_run >= xk_plan_k_inner(j->plan)->extent)
        return gather_step_b(j) / 4;
    return !is_systolic(j) && j->s.k_run % (4 / xk_job_elem_b(j)) == 0;
}

/* Whether A has element k of a step: of packed places not those of padding. */
static bool is_there(const struct xk_operand_job *j, unsigned k)
{
    const struct xk_nest *const con = j->plan->con;
    return !con->place_e || k % con->place_e < con->used_e;
}

enum xk_status xk_gather_access(xk_ctx *c, const struct xk_operand_job *j)
{
    struct xk_plan_operand *const o = j->o;
    const bool systolic = is_systolic(j);
    XK_TRY(xk_ctx_status(c));
    init_gather_tile(j);
    o->row_lanes = true;
    o->staging_b = 0;
    o->access = XK_ACCESS_SCATTERED;
    o->why = systolic
                 ? "exchanged: a lane a row of M, dwords of K, is src1 of dpas"
                 : "a lane a row, dwords of K";
    if (j->s.k_b == xk_job_elem_b(j) && run_of(j) && j->s.dwords)
        return XK_OK;
    if (systolic && xk_plan_turn(j))
        return xk_ctx_status(c);
    o->access = XK_ACCESS_ELEMENTS;
    o->zero_once = !is_there(j, XK_PACK_FEW - 1);
    o->staging_b = 4 * batch_of(j) * (uint32_t)j->rows;
    o->why = j->s.k_b != xk_job_elem_b(j)
                 ? "k is not contiguous: elements are packed"
                 : "rows are not dwords: elements are packed";
    return XK_OK;
}

/* Whether dwords of K that no load of this step fills, of n_dw that are
 * multiplied, are zeroed: whatever the other side has there, the sum must not
 * change. dpas takes all of a step, dp4a only the dwords that there are. A
 * segment that is the only one leaves them alone for the whole kernel, but for
 * what fills lanes. */
static bool zeroes_rest(const struct xk_operand_job *j, unsigned from_dw,
                        unsigned n_dw)
{
    const unsigned end_dw = is_systolic(j) ? gather_step_b(j) / 4 : n_dw;
    if (from_dw >= end_dw)
        return false;
    if (!j->of->fill && xk_plan_k_inner(j->plan)->extent < j->plan->s.k_step) {
        j->o->zero_once = true;
        return false;
    }
    return true;
}

/* Dwords a lane of the longest message for n of them: a vector has 1 to 4 or 8,
 * 64 elements in all (isa.md 6.3). */
static unsigned vector_of(const struct xk_operand_job *j, unsigned n)
{
    n = n < run_of(j) ? n : run_of(j);
    if (n >= 8 && 2u * lanes_of(j) <= j->plan->platform->message_lanes)
        return 8;
    return n < 4 ? n : 4;
}

/* Messages of eight rows that bring so many dwords of K. */
static unsigned dword_messages(const struct xk_operand_job *j, unsigned n_dw)
{
    unsigned n = 0;
    for (unsigned dw = 0; dw < n_dw; n++)
        dw += vector_of(j, n_dw - dw);
    return n;
}

/* The same element by element. */
static unsigned element_messages(const struct xk_operand_job *j, uint16_t k_len)
{
    unsigned n = 0;
    for (unsigned k = 0; k < k_len; k++)
        n += is_there(j, k);
    return n;
}

struct xk_plan_loads xk_gather_loads(const struct xk_operand_job *j,
                                     uint16_t k_len)
{
    const unsigned elem_b = xk_job_elem_b(j), lanes = lanes_of(j);
    const bool packed = j->o->access == XK_ACCESS_ELEMENTS;
    /* Rows are whole dwords, so a last half-filled one is memory of the row:
     * padding of a blocked layout, which is zero. */
    const unsigned n_dw = (k_len * elem_b + 3) / 4;
    if (j->o->access == XK_ACCESS_TURNED)
        return xk_plan_turned_loads(j);
    const unsigned each =
        packed ? element_messages(j, k_len) : dword_messages(j, n_dw);
    struct xk_plan_loads l = xk_plan_gathers(j, each, lanes);
    l.zeroes = zeroes_rest(j, packed ? k_len * elem_b / 4 : n_dw, n_dw);
    l.parts = (uint16_t)(l.n * (packed ? 2 : 1) + j->rows / lanes * l.zeroes);
    return l;
}
