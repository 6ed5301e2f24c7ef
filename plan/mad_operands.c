/* SPDX-License-Identifier: Apache-2.0 */
/* f32 operands of mad: a step tile has `rows` rows (lanes of M or N) and k_len
 * elements of the innermost K. It arrives by
 *  - block messages, when neighbouring rows, then neighbouring k, follow each
 *    other in memory without a gap and nothing needs a mask;
 *  - else by scattered messages: a lane a row, each lane taking consecutive k
 *    where memory has them side by side. A scattered load with several elements
 *    a lane also transposes: component k of all rows is one register row. */
#include "plan/operand.h"

/* Register tile of a scattered operand: [row / simd][k][row % simd]. */
static void scattered_tile(const struct xk_operand_job *j)
{
    struct xk_layout *const l = &j->o->tile;
    const int64_t lanes = j->plan->s.simd, k = j->plan->s.k_step;
    l->n_blocks = 3;
    l->block[0] = (struct xk_block){0, j->rows / lanes, lanes * k};
    l->block[1] = (struct xk_block){1, k, lanes};
    l->block[2] = (struct xk_block){0, lanes, 1};
}

/* Register tile of a block operand: [k][row], as in memory. */
static void block_tile(const struct xk_operand_job *j)
{
    struct xk_layout *const l = &j->o->tile;
    l->n_blocks = 2;
    l->block[0] = (struct xk_block){1, j->plan->s.k_step, j->rows};
    l->block[1] = (struct xk_block){0, j->rows, 1};
}

enum xk_status xk_mad_access(xk_ctx *c, const struct xk_operand_job *j)
{
    struct xk_plan_operand *const o = j->o;
    XK_TRY(xk_ctx_status(c));
    o->tile.dt = XK_DT_F32;
    o->tile.n_dims = 2;
    o->tile.dim[0] = o->tile.padded[0] = j->rows;
    o->tile.dim[1] = o->tile.padded[1] = j->plan->s.k_step;
    if (xk_job_is_block(j)) {
        o->access = XK_ACCESS_BLOCK;
        o->why = "rows are contiguous and padded to whole tiles";
        block_tile(j);
    } else {
        o->access = XK_ACCESS_SCATTERED;
        o->row_lanes = true;
        o->why = j->s.k_b == 4 ? "k is contiguous: a lane a row, transposing"
                               : "k is not contiguous: a message a k";
        scattered_tile(j);
    }
    o->rows_padded = j->s.rows_padded;
    o->tile_b = 4u * j->rows * j->plan->s.k_step;
    return XK_OK;
}

struct xk_plan_loads xk_mad_loads(const struct xk_operand_job *j,
                                  uint16_t k_len)
{
    const bool run = j->s.k_run % j->plan->s.k_step == 0 ||
                     j->s.k_run >= xk_plan_k_inner(j->plan)->extent;
    const unsigned dwords = (unsigned)j->rows * k_len;
    /* Without a gap between rows of k, messages may span them. */
    const bool k_follows = j->s.k_b == j->rows * j->s.row_b;
    if (j->o->access == XK_ACCESS_BLOCK)
        return xk_plan_loads_of(
            xk_plan_block_messages(dwords, k_follows ? dwords : j->rows), 1);
    return xk_plan_gathers(j, j->s.k_b == 4 && run ? 1 : k_len,
                           j->plan->s.simd);
}
