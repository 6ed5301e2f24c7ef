/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about branches and sync. */
#include "isa/validate.h"

#define TARGET_UNIT_B 8

/* Targets are in the instruction, not in a register. */
static bool has_targets(const struct xk_inst *i)
{
    return !(xk_branch_shape(i->op) & XK_BR_NO_IMM) &&
           i->src[0].file != XK_FILE_GRF && i->src[0].file != XK_FILE_ARF;
}

bool xk_broken_branch_align(const struct xk_rule_view *v)
{
    return has_targets(v->i) &&
           (v->i->jip_b % TARGET_UNIT_B || v->i->uip_b % TARGET_UNIT_B);
}

bool xk_broken_branch_ctrl(const struct xk_rule_view *v)
{
    return v->i->branch_ctrl && !(xk_branch_shape(v->i->op) & XK_BR_CTRL);
}

bool xk_broken_branch_forward(const struct xk_rule_view *v)
{
    switch (v->i->op) {
    case XK_OPC_IF:
    case XK_OPC_ELSE:
    case XK_OPC_BREAK:
    case XK_OPC_CONT:
    case XK_OPC_HALT:
        return v->i->jip_b <= 0 || v->i->uip_b <= 0;
    default:
        return false;
    }
}

bool xk_broken_while_back(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_WHILE && v->i->jip_b > 0;
}

bool xk_broken_jmpi_exec(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_JMPI && v->i->exec != 1;
}

bool xk_broken_jmpi_no_mask(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_JMPI && !v->i->no_mask;
}

bool xk_broken_call_grf(const struct xk_rule_view *v)
{
    return xk_branch_shape(v->i->op) & XK_BR_DST &&
           v->i->dst.file != XK_FILE_GRF;
}

bool xk_broken_ret_grf(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_RET && v->i->src[0].file != XK_FILE_GRF;
}

bool xk_broken_sync_imm(const struct xk_rule_view *v)
{
    const unsigned fn = v->i->sync_fn;

    return v->i->src[0].file == XK_FILE_IMM && fn != XK_SYNC_ALLRD &&
           fn != XK_SYNC_ALLWR &&
           !(fn == XK_SYNC_BAR && v->t && v->t->sync_bar_operand);
}
