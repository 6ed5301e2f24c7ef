/* SPDX-License-Identifier: Apache-2.0 */
/* B of dp4a: N in the lanes, a dword of four K in each. Weights that lie so
 * ([k / 4][n][k % 4], n within one tile) come by block messages; others by
 * gathers, like A (gather_operand.c). */
#include "plan/operand.h"

/* Bytes from a dword of K to the next one in memory, of the same row: the
 * stride of what is around the innermost four; 0 where that is unknown. */
static int64_t next_dword_b(const struct xk_operand_job *j)
{
    const struct xk_layout *const l = &j->view->layout;
    const int dim = xk_view_tensor_dim(j->view, xk_plan_k_inner(j->plan)->name);
    bool inner = false;
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        if ((int)b->dim != dim || b->size == 1)
            continue;
        if (inner)
            return b->stride;
        if (b->size != 4 || b->stride != 1)
            return 0;
        inner = true;
    }
    return 0;
}

/* The same where an element is a byte and a dword four of K. */
static bool is_block_of_bytes(const struct xk_operand_job *j)
{
    return xk_job_is_block(j) && j->s.k_b == 1 && j->s.k_run % 4 == 0 &&
           j->s.dwords;
}

enum xk_status xk_dp4a_access_b(xk_ctx *c, const struct xk_operand_job *j)
{
    struct xk_plan_operand *const o = j->o;
    struct xk_layout *const l = &o->tile;
    XK_TRY(xk_gather_access(c, j));
    if (!is_block_of_bytes(j))
        return XK_OK;
    o->access = XK_ACCESS_BLOCK;
    o->why = "dwords of K follow each other along N, padded to whole tiles";
    o->row_lanes = false;
    o->staging_b = 0;
    l->n_blocks = 3;
    l->block[0] = (struct xk_block){1, j->plan->s.k_step / 4, 4 * j->rows};
    l->block[1] = (struct xk_block){0, j->rows, 4};
    l->block[2] = (struct xk_block){1, 4, 1};
    return XK_OK;
}

struct xk_plan_loads xk_dp4a_loads_b(const struct xk_operand_job *j,
                                     uint16_t k_len)
{
    /* Without a gap between dwords of K, messages may span them. */
    const bool follows = next_dword_b(j) == 4 * (int64_t)j->rows;
    const unsigned dwords = j->rows * ((k_len + 3u) / 4);
    if (j->o->access != XK_ACCESS_BLOCK)
        return xk_gather_loads(j, k_len);
    return xk_plan_loads_of(
        xk_plan_block_messages(dwords, follows ? dwords : j->rows), 1);
}
