/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of instructions that touch registers only and always succeed: they are
 * executed without a look at the thread's state between them, and the checkers
 * judge them together. */
#include "isa/format.h"
#include "sim/core/known.h"
#include "sim/exec/select.h"

#define FLAG_BITS 128u

/* An indirect operand may be outside of the register file. The time counts
 * instructions, which a row does all at once. */
static bool is_direct(const struct xk_sim_opnd *o)
{
    return o->kind != XK_SO_INDIRECT && o->kind != XK_SO_VXH &&
           o->special != XK_SS_TM;
}

unsigned xk_sim_pred_bits(const struct xk_sim_inst *e)
{
    switch (e->in.pred) {
    case XK_PRED_NONE:
    case XK_PRED_ANYV:
    case XK_PRED_ALLV:
        return 0;
    case XK_PRED_NORMAL:
    case XK_PRED_ANY:
    case XK_PRED_ALL:
        return e->exec;
    default:
        return e->exec < XK_SIM_LANES ? XK_SIM_LANES : e->exec;
    }
}

static bool has_function(const struct xk_sim_inst *e)
{
    return e->fn != xk_sim_exec_unsupported &&
           e->fn != xk_sim_exec_undecodable && e->fn != xk_sim_exec_not_known;
}

static bool is_in_row(const struct xk_sim_inst *e)
{
    bool direct = is_direct(&e->dst);
    for (unsigned k = 0; k < e->n_srcs; k++)
        direct &= is_direct(&e->src[k]);
    if (!direct || !has_function(e) ||
        e->flag_bit + xk_sim_pred_bits(e) > FLAG_BITS)
        return false;
    switch (xk_opcode_format((enum xk_opcode)e->in.op)) {
    case XK_FMT_NULLARY:
        return e->in.op == XK_OPC_NOP;
    case XK_FMT_SYNC:
        return e->in.sync_fn != XK_SYNC_BAR;
    case XK_FMT_DPAS:
        return e->in.op == XK_OPC_DPAS;
    case XK_FMT_BASIC:
    case XK_FMT_TERNARY:
        return e->exec && e->n_srcs && e->in.op != XK_OPC_MOVI;
    default:
        return false;
    }
}

void xk_sim_find_rows(struct xk_sim_kernel *k)
{
    for (uint32_t n = k->n - 1; n--;) { /* the last record is a guard */
        struct xk_sim_inst *const e = &k->inst[n];
        if (!is_in_row(e))
            continue;
        e->row = e[1].row + 1;
        e->row_fma = e[1].row_fma + (e->stat == XK_STAT_FMA);
        e->row_sync = e[1].row_sync + (e->stat == XK_STAT_SYNC);
    }
}
