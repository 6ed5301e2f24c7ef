/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary: results and reads of sources really are late, by latencies
 * drawn from a seed, as far as the annotations allow. A kernel whose results
 * differ between two seeds relies on timing.
 *
 * An instruction is executed when it is issued, but the bytes of general
 * registers that it changed are put back until its result is due; a source that
 * is overwritten before it is due to be read has the instruction executed
 * again, with what is there then. The guarantees that the vendor's compiler
 * relies on (hazard_check.h) hold: flags, accumulators and a0 are never late.
 */
#ifndef XK_SIM_HAZARD_LATE_H
#define XK_SIM_HAZARD_LATE_H

#include "sim/check_hook.h"
#include "sim/hazard_check.h"

#define XK_HZ_LATE_OPS 32
/* The longest: sources of 15 and 31 registers, or a result of 31. */
#define XK_HZ_LATE_SRC_B (46 * XK_SIM_GRF_MAX_B)
#define XK_HZ_LATE_DST_B (32 * XK_SIM_GRF_MAX_B)

/* Register bytes [at_b, at_b + n_b) and where their copy begins. */
struct xk_hz_piece {
    uint32_t at_b, n_b, copy_b;
};

struct xk_hz_late_op {
    bool reads, writes; /* still to do; neither: free */
    bool repeats;       /* may be executed again */
    uint32_t inst, active, mask;
    uint64_t order;               /* of issue, among all */
    int32_t number;               /* in its pipe */
    uint64_t read_due, write_due; /* instructions executed until then */
    uint8_t flags[64], a0[64];
    unsigned n_src;
    struct xk_hz_piece src[3], dst;
    uint8_t src_copy[XK_HZ_LATE_SRC_B];
    uint8_t was[XK_HZ_LATE_DST_B], will[XK_HZ_LATE_DST_B];
};

struct xk_hz_late {
    uint64_t seed, now;
    uint32_t next;
    int32_t issued[XK_HZ_PIPES];
    struct xk_hz_late_op *hand; /* being executed; NULL: not to be late */
    struct xk_hz_late_op op[XK_HZ_LATE_OPS];
};

/* All of *l but this is zero, as at the start of a thread. */
void xk_hz_late_begin(struct xk_hz_late *l, const struct xk_sim_thread *t,
                      uint64_t unit);
/* Around the execution of instruction `at`. */
void xk_hz_late_before(struct xk_hz_late *l, struct xk_sim_thread *t,
                       uint32_t at, uint32_t mask);
void xk_hz_late_after(struct xk_hz_late *l, struct xk_sim_thread *t,
                      uint32_t at);

#endif
