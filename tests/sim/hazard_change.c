/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/hazard_change.h"

const char *hazard_change_name(unsigned how)
{
    static const char *const names[N_CHANGES] = {
        "distance_gone", "token_wait_gone",   "sync_gone",
        "distance_more", "wait_for_src_only", "other_token",
        "token_dropped", "other_pipe",        "atomic_gone"};
    return how < N_CHANGES ? names[how] : "";
}

bool hazard_change(struct xk_inst *i, unsigned how)
{
    const bool mask = i->op == XK_OPC_SYNC && (i->sync_fn == XK_SYNC_ALLRD ||
                                               i->sync_fn == XK_SYNC_ALLWR);
    const bool waits =
        i->swsb.mode == XK_SBID_DST || i->swsb.mode == XK_SBID_SRC;
    switch (how) {
    case 0:
        if (!i->swsb.dist)
            return false;
        i->swsb.dist = 0;
        return true;
    case 1:
        if (!waits)
            return false;
        i->swsb.mode = XK_SBID_NONE;
        return true;
    case 2:
        if (!mask)
            return false;
        i->sync_fn = XK_SYNC_NOP;
        return true;
    case 3:
        if (!i->swsb.dist || i->swsb.dist == 7)
            return false;
        i->swsb.dist++;
        return true;
    case 4:
        if (i->swsb.mode != XK_SBID_DST)
            return false;
        i->swsb.mode = XK_SBID_SRC;
        return true;
    case 5:
        if (!i->swsb.mode)
            return false;
        i->swsb.sbid ^= 1;
        return true;
    case 6:
        if (!mask || i->src[0].file != XK_FILE_IMM)
            return false;
        i->src[0].imm &= i->src[0].imm - 1;
        return true;
    case 7:
        if (!i->swsb.dist || i->swsb.pipe == XK_PIPE_NONE)
            return false;
        i->swsb.pipe =
            i->swsb.pipe == XK_PIPE_INT ? XK_PIPE_FLOAT : XK_PIPE_INT;
        return true;
    case 8:
        if (!i->atomic)
            return false;
        i->atomic = false;
        return true;
    default:
        return false;
    }
}
