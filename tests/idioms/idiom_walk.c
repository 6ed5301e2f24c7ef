/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/idioms/idioms.h"

enum xk_msg_class class_of(const struct kernel *k, unsigned at)
{
    return xk_inst_is_send(&k->inst[at]) ? xk_msg_op_class(k->msg[at].op)
                                         : XK_MCLASS_OTHER;
}

bool writes_grf(const struct kernel *k, unsigned at, unsigned reg)
{
    const struct xk_inst *const i = &k->inst[at];
    const struct xk_footprint f = xk_inst_footprint(k->p, i, -1);
    const uint32_t grf_b = k->p->grf_b;

    return i->dst.file == XK_FILE_GRF && f.first_b < (reg + 1) * grf_b &&
           f.end_b > reg * grf_b;
}

static bool reads_grf(const struct kernel *k, unsigned at, unsigned reg)
{
    for (unsigned s = 0; s < 3; s++) {
        const struct xk_operand *const o = &k->inst[at].src[s];
        if (o->file == XK_FILE_GRF && o->reg == reg)
            return true;
    }
    return false;
}

const char *waited_by(const struct kernel *k, unsigned at)
{
    const struct xk_inst *const fence = &k->inst[at];

    if (fence->dst.file != XK_FILE_GRF)
        return "no destination";
    for (unsigned n = at + 1; n < k->n; n++) {
        const struct xk_inst *const i = &k->inst[n];
        const bool token = i->swsb.mode && i->swsb.sbid == fence->swsb.sbid;
        if (token && i->swsb.mode == XK_SBID_SET)
            return "its token taken again";
        if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLWR)
            return "sync.allwr";
        if (token && i->op == XK_OPC_SYNC)
            return "sync.nop {$.dst}";
        if (reads_grf(k, n, fence->dst.reg))
            return "a read of it";
        if (token)
            return "{$.dst} of another instruction";
    }
    return "nothing";
}
