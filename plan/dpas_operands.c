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

static struct xk_send load_of_lanes(unsigned data_b, unsigned vec,
                                    unsigned lanes)
{
    return (struct xk_send){.op = XK_SEND_LOAD,
                            .space = XK_SPACE_GLOBAL,
                            .data_b = (uint8_t)data_b,
                            .vec = (uint8_t)vec,
                            .lanes = (uint8_t)lanes};
}

static struct xk_plan_item zero_item(uint32_t to_b, uint32_t size_b,
                                     bool staged)
{
    return (struct xk_plan_item){
        .kind = XK_ITEM_ZERO, .to_b = to_b, .size_b = size_b, .staged = staged};
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

/* One row by gathers along K: lanes of a dword each, then packed. */
static enum xk_status row_by_elements(xk_ctx *c, const struct xk_operand_job *j,
                                      unsigned row, uint16_t k_len,
                                      struct xk_plan_list *out)
{
    const unsigned k_step = j->plan->s.k_step;
    const unsigned lanes = j->plan->platform->message_lanes;
    const uint32_t staging_b = row % (BATCH / 2) * 4 * k_step;
    for (unsigned k = 0; k < k_len; k += lanes) {
        struct xk_plan_item it = {.kind = XK_ITEM_LOAD};
        it.msg.send = load_of_lanes(xk_job_elem_b(j), 1, lanes);
        it.msg.lanes_k = it.msg.staged = true;
        it.msg.row = (uint16_t)row;
        it.msg.k = (uint16_t)k;
        it.msg.reg_b = staging_b + 4 * k;
        XK_TRY(xk_plan_add(c, out, it));
    }
    return XK_OK;
}

static struct xk_plan_item pack_b(const struct xk_operand_job *j, unsigned row)
{
    const uint8_t dt = xk_job_elem_b(j) == 2 ? XK_DT_U16 : XK_DT_U8;
    const unsigned k_step = j->plan->s.k_step;
    struct xk_plan_item it = {.kind = XK_ITEM_COPY};
    it.copy = (struct xk_reorder){.dst = dt, .src = dt, .n_dims = 1};
    it.copy.extent[0] = (uint16_t)k_step;
    it.copy.dst_stride[0] = 1;
    it.copy.src_stride[0] = (uint16_t)(4 / xk_job_elem_b(j));
    it.from_b = row % (BATCH / 2) * 4 * k_step;
    it.to_b = depth_b(j) * row;
    return it;
}

/* Half a batch of rows at a time; in a short step the lanes behind k_len stay
 * zero in staging. */
static enum xk_status staged_rows(xk_ctx *c, const struct xk_operand_job *j,
                                  uint16_t k_len, struct xk_plan_list *out)
{
    const unsigned half = BATCH / 2;
    if (k_len < j->plan->s.k_step)
        XK_TRY(xk_plan_add(c, out, zero_item(0, j->o->staging_b, true)));
    for (unsigned r = 0; r < j->rows; r += half) {
        for (unsigned i = r; i < r + half; i++)
            XK_TRY(row_by_elements(c, j, i, k_len, out));
        for (unsigned i = r; i < r + half; i++)
            XK_TRY(xk_plan_add(c, out, pack_b(j, i)));
    }
    return XK_OK;
}

/* Block messages of dwords: of a whole lane block of rows, or of one row. */
static enum xk_status block_rows(xk_ctx *c, const struct xk_operand_job *j,
                                 unsigned rows, struct xk_plan_list *out)
{
    for (unsigned r = 0; r < j->rows; r += rows) {
        struct xk_plan_item it = {.kind = XK_ITEM_LOAD};
        it.msg.send = load_of_lanes(4, rows * depth_b(j) / 4, 1);
        it.msg.send.block = true;
        it.msg.row = (uint16_t)r;
        it.msg.reg_b = depth_b(j) * r;
        XK_TRY(xk_plan_add(c, out, it));
    }
    return XK_OK;
}

enum xk_status xk_dpas_items_b(xk_ctx *c, const struct xk_operand_job *j,
                               uint16_t k_len, struct xk_plan_list *out)
{
    if (j->o->access == XK_ACCESS_TURNED)
        return xk_plan_turned_items(c, j, out);
    if (j->o->access == XK_ACCESS_BLOCK)
        return block_rows(c, j, j->plan->platform->dpas_rows, out);
    if (j->o->access == XK_ACCESS_ROWS && k_len == j->plan->s.k_step)
        return block_rows(c, j, 1, out);
    return staged_rows(c, j, k_len, out);
}
