/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of dpas whose rows lie side by side in memory, and whose K does not:
 * both of a product of two transposed matrices. They come as memory has them, a
 * cache line at a time, and are put in order in registers (tile.copy):
 *
 * A, of which dpas wants a row of M a lane, as a block for each place of K;
 * B, of which it wants a row of N a register, a lane a place of K. */
#include "plan/operand.h"

static unsigned turned_lanes(const struct xk_operand_job *j)
{
    return j->plan->platform->dpas_exec;
}

static int64_t per_dword(const struct xk_operand_job *j)
{
    return 4 / xk_job_elem_b(j);
}

/* K's places outside, rows inside. */
static void init_rows(const struct xk_operand_job *j, struct xk_layout *l)
{
    const int64_t k = j->plan->s.k_step;
    l->n_blocks = 2;
    l->block[0] = (struct xk_block){1, k, j->rows};
    l->block[1] = (struct xk_block){0, j->rows, 1};
}

/* [k / lanes][row / dword][k % lanes][row % dword] */
static void init_lanes(const struct xk_operand_job *j, struct xk_layout *l)
{
    const int64_t k = j->plan->s.k_step, per_dw = per_dword(j);
    const int64_t lanes = turned_lanes(j);
    l->n_blocks = 4;
    l->block[0] = (struct xk_block){1, k / lanes, lanes * j->rows};
    l->block[1] = (struct xk_block){0, j->rows / per_dw, lanes * per_dw};
    l->block[2] = (struct xk_block){1, lanes, per_dw};
    l->block[3] = (struct xk_block){0, per_dw, 1};
}

/* A dword of both operands has places of K half a step apart: those lie in
 * registers apart as B comes, one in each lane, so that a mad puts both into
 * their dwords. */
static void set_pairs(const struct xk_operand_job *j)
{
    struct xk_layout *const l = &j->o->tile;
    const int64_t k = j->plan->s.k_step, dword = per_dword(j);
    const int64_t lanes = j->row ? 1 : turned_lanes(j);
    l->block[0] = (struct xk_block){0, j->rows / lanes, lanes * k};
    l->block[1] = (struct xk_block){1, dword, 1};
    l->block[2] = (struct xk_block){1, k / dword, lanes * dword};
    l->block[3] = (struct xk_block){0, lanes, dword};
    l->n_blocks = j->row ? 3 : 4;
}

/* A's rows take turns in a smaller tile where there are many: it is full of
 * them only while they are multiplied. */
static void set_turn(const struct xk_operand_job *j)
{
    struct xk_layout *const l = &j->o->tile;
    const unsigned rows = xk_schedule_rows_in_order(&j->plan->s);
    if (j->row)
        return;
    l->dim[0] = l->padded[0] = rows;
    l->block[0].size = rows / turned_lanes(j);
    j->o->tile_b = (uint32_t)xk_layout_size_b(l);
}

bool xk_plan_turn(const struct xk_operand_job *j)
{
    struct xk_plan_operand *const o = j->o;
    struct xk_layout *const l = &o->raw;
    const struct xk_shape *const s = &j->plan->shape;
    const bool a = xk_schedule_turns_a(s, &j->plan->s);
    const bool b = xk_schedule_turns_b(s, &j->plan->s);
    if (j->row ? !b : !a)
        return false;
    *l = o->tile;
    if (j->row)
        init_lanes(j, l);
    else
        init_rows(j, l);
    if (a && b)
        set_pairs(j);
    set_turn(j);
    o->access = XK_ACCESS_TURNED;
    o->raw_b = (uint32_t)xk_layout_size_b(l);
    o->staging_b = 0;
    o->why = "rows lie side by side, K does not: put in order in registers";
    return true;
}

struct xk_plan_loads xk_plan_turned_loads(const struct xk_operand_job *j)
{
    const unsigned k_step = j->plan->s.k_step, lanes = turned_lanes(j);
    const unsigned dwords = j->rows / (unsigned)per_dword(j);
    const unsigned most = j->row ? j->plan->platform->lane_dwords : dwords;
    const unsigned each = (dwords + most - 1) / most;
    const unsigned places = xk_schedule_places_together(
        j->plan->platform, &j->plan->shape, &j->plan->s);
    if (j->row)
        return xk_plan_loads_of((k_step + lanes - 1) / lanes * each, lanes);
    if (places > 1)
        return xk_plan_loads_of(k_step / places,
                                j->plan->platform->message_lanes);
    return xk_plan_loads_of(k_step * each, 1);
}
