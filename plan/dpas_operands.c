/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of dpas, exchanged: A (M) is src1, whose lanes are rows of M and
 * whose registers are dwords of K (gather_operand.c); B (N), here, is src2,
 * whose registers are rows of N with 32 bytes of K each (isa.md 7). So the
 * repeat count runs over N, which weights can be padded to.
 *
 * Where K is not contiguous, or rows are not whole dwords, elements are loaded
 * one by one into a staging buffer and packed. */
#include "plan/operand.h"

#define BATCH 8 /* staged messages between reorders */

/* Bytes of K in one dpas. */
static unsigned depth_b(const struct xk_operand_job *j)
{
    return j->plan->platform->dpas_depth_b;
}

static void init_dpas_tile(const struct xk_operand_job *j)
{
    struct xk_layout *const l = &j->o->tile;
    l->dt = j->view->layout.dt;
    l->n_dims = 2;
    l->dim[0] = l->padded[0] = j->rows;
    l->dim[1] = l->padded[1] = j->plan->s.k_step;
    j->o->rows_padded = j->s.rows_padded;
    j->o->tile_b = depth_b(j) * (uint32_t)j->rows;
}

/* Rows of a depth of K, as many after each other as a dpas takes. */
static bool is_block(const struct xk_operand_job *j)
{
    const int64_t k = j->plan->s.k_step;
    return !j->of->leaves && j->s.k_b == xk_job_elem_b(j) &&
           j->s.k_run % k == 0 && j->s.row_b == depth_b(j) &&
           j->s.row_run % j->plan->platform->dpas_rows == 0 &&
           j->s.rows_padded % j->plan->s.n_thr == 0 && j->s.rows_padded;
}

enum xk_status xk_dpas_access_b(xk_ctx *c, const struct xk_operand_job *j)
{
    struct xk_plan_operand *const o = j->o;
    XK_TRY(xk_ctx_status(c));
    init_dpas_tile(j);
    o->tile.n_blocks = 2;
    o->tile.block[0] = (struct xk_block){0, j->rows, j->plan->s.k_step};
    o->tile.block[1] = (struct xk_block){1, j->plan->s.k_step, 1};
    if (is_block(j)) {
        o->access = XK_ACCESS_BLOCK;
        o->why = "exchanged: rows of N with 32 bytes of K are src2 of dpas";
        return XK_OK;
    }
    const bool whole = j->s.k_run % j->plan->s.k_step == 0 ||
                       j->s.k_run >= xk_plan_k_inner(j->plan)->extent;
    if (xk_plan_turn(j))
        return xk_ctx_status(c);
    const bool rows =
        !j->of->leaves && j->s.k_b == xk_job_elem_b(j) && whole && j->s.dwords;
    o->access = rows ? XK_ACCESS_ROWS : XK_ACCESS_ELEMENTS;
    o->why = rows ? "exchanged; k is contiguous: a block message a row"
                  : "exchanged; k is not contiguous: elements are packed";
    /* Rows that are not whole steps are staged too. */
    o->staging_b = BATCH / 2 * 4 * j->plan->s.k_step;
    return XK_OK;
}

/* Half a batch of rows at a time, each by gathers along K, then packed; in a
 * short step the lanes behind k_len stay zero in staging. */
static struct xk_plan_loads staged_rows(const struct xk_operand_job *j,
                                        uint16_t k_len)
{
    const unsigned lanes = j->plan->platform->message_lanes;
    struct xk_plan_loads l =
        xk_plan_loads_of(j->rows * ((k_len + lanes - 1) / lanes), lanes);
    l.parts = (uint16_t)(l.n + j->rows + (k_len < j->plan->s.k_step));
    return l;
}

struct xk_plan_loads xk_dpas_loads_b(const struct xk_operand_job *j,
                                     uint16_t k_len)
{
    if (j->o->access == XK_ACCESS_TURNED)
        return xk_plan_turned_loads(j);
    if (j->o->access == XK_ACCESS_BLOCK)
        return xk_plan_loads_of(j->rows / j->plan->platform->dpas_rows, 1);
    if (j->o->access == XK_ACCESS_ROWS && k_len == j->plan->s.k_step)
        return xk_plan_loads_of(j->rows, 1);
    return staged_rows(j, k_len);
}
