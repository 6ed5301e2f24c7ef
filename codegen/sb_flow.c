/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow for the scoreboard pass: every way that the hardware may go on,
 * for any lanes. A goto without lanes left jumps to its nearest join, so
 * each target counts, and falling through as well. */
#include "codegen/sb.h"
#include "isa/format.h"

bool xk_sb_is_call(const struct xk_inst *i)
{
    return i->op == XK_OPC_CALL || i->op == XK_OPC_CALLA || i->op == XK_OPC_RET;
}

bool xk_sb_has_jip(const struct xk_inst *i)
{
    return xk_inst_is_branch(i) && i->op != XK_OPC_RET &&
           i->op != XK_OPC_CALLA && i->src[0].file != XK_FILE_GRF;
}

/* if and else have a second target as well, the endif, but go to the first
 * only. */
static bool jumps_to_uip(const struct xk_inst *i)
{
    return xk_sb_has_uip(i) && i->op != XK_OPC_IF && i->op != XK_OPC_ELSE;
}

bool xk_sb_has_uip(const struct xk_inst *i)
{
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_IF:
    case XK_OPC_ELSE:
    case XK_OPC_BREAK:
    case XK_OPC_CONT:
    case XK_OPC_HALT:
    case XK_OPC_GOTO:
        return true;
    case XK_OPC_BRC:
        return xk_sb_has_jip(i);
    default:
        return false;
    }
}

bool xk_sb_ends_thread(const struct xk_inst *i)
{
    return xk_inst_is_send(i) && i->send.eot;
}

static bool never_falls_through(const struct xk_inst *i)
{
    return (i->op == XK_OPC_JMPI && i->pred == XK_PRED_NONE) ||
           i->op == XK_OPC_RET || i->op == XK_OPC_ILLEGAL ||
           xk_sb_ends_thread(i);
}

static enum xk_status check_targets(xk_ctx *c, const struct xk_inst *in,
                                    unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct xk_inst *const x = &in[i];
        if (!xk_inst_is_branch(x))
            continue;
        if (!xk_sb_is_call(x) && !xk_sb_has_jip(x))
            return xk_fail(c, XK_EUNSUPPORTED,
                           "scoreboard: %s to a register at instruction %u",
                           xk_opcode_name(x->op), i);
        if ((xk_sb_has_jip(x) && (x->jip_b < 0 || (unsigned)x->jip_b >= n)) ||
            (xk_sb_has_uip(x) && (x->uip_b < 0 || (unsigned)x->uip_b >= n)))
            return xk_fail(c, XK_EINVAL,
                           "scoreboard: instruction %u jumps to %d, %d of %u",
                           i, x->jip_b, x->uip_b, n);
    }
    return XK_OK;
}

static void mark_leaders(const struct xk_inst *in, unsigned n, unsigned *leader)
{
    leader[0] = 1;
    for (unsigned i = 0; i < n; i++) {
        if (xk_sb_has_jip(&in[i]))
            leader[in[i].jip_b] = 1;
        if (xk_sb_has_uip(&in[i]))
            leader[in[i].uip_b] = 1;
        if ((xk_inst_is_branch(&in[i]) || never_falls_through(&in[i])) &&
            i + 1 < n)
            leader[i + 1] = 1;
    }
}

static void link_block(const struct xk_inst *in, unsigned n,
                       const unsigned *block_at, struct xk_sb_block *all,
                       struct xk_sb_block *b)
{
    const struct xk_inst *const x = &in[b->end - 1];
    const bool falls = !never_falls_through(x) && b->end < n;
    if (xk_sb_is_call(x)) {
        if (xk_sb_has_jip(x))
            all[block_at[x->jip_b]].root = true;
        if (falls)
            all[block_at[b->end]].root = true;
        return;
    }
    if (xk_sb_has_jip(x))
        b->succ[b->n_succ++] = block_at[x->jip_b];
    if (jumps_to_uip(x))
        b->succ[b->n_succ++] = block_at[x->uip_b];
    if (falls)
        b->succ[b->n_succ++] = block_at[b->end];
}

/* A loop is what lies between a block and one that jumps back to it. */
static void find_entries(struct xk_sb_block *all, unsigned n)
{
    unsigned first = n; /* of the loop around b, seen from its end */
    for (unsigned b = n; b-- > 0;) {
        first = b < first ? n : first;
        for (unsigned k = 0; k < all[b].n_succ; k++)
            if (all[b].succ[k] <= b && all[b].succ[k] < first)
                first = all[b].succ[k];
        all[b].outside = first == n;
    }
    for (unsigned b = 0; b < n; b++) {
        bool into = false;
        for (unsigned k = 0; k < all[b].n_succ; k++)
            into |= all[b].succ[k] > b && !all[all[b].succ[k]].outside;
        all[b].enters = all[b].outside && into;
    }
}

enum xk_status xk_sb_find_blocks(xk_ctx *c, const struct xk_inst *in,
                                 unsigned n, unsigned *block_at,
                                 struct xk_sb_block **out, unsigned *n_out)
{
    unsigned n_blocks = 0, b = 0;
    XK_TRY(check_targets(c, in, n));
    mark_leaders(in, n, block_at);
    for (unsigned i = 0; i < n; i++)
        n_blocks += block_at[i];
    struct xk_sb_block *const all = xk_calloc(c, n_blocks, sizeof *all);
    if (!all)
        return XK_ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        if (block_at[i])
            all[b++].first = i;
        block_at[i] = b - 1;
        all[b - 1].end = i + 1;
    }
    all[0].root = true;
    for (b = 0; b < n_blocks; b++)
        link_block(in, n, block_at, all, &all[b]);
    find_entries(all, n_blocks);
    *out = all;
    *n_out = n_blocks;
    return XK_OK;
}
