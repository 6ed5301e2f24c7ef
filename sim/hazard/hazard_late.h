/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary: results and reads of sources really are late, by latencies
 * drawn from a seed, as far as the annotations allow. A kernel whose results
 * differ between two seeds relies on timing.
 *
 * An instruction is executed when it is issued, but the bytes of registers that
 * it changed are put back until its result is due; a source that is overwritten
 * before it is due to be read has the instruction executed again, with what is
 * there then. What is late:
 *   - results in general registers, of all but branches;
 *   - results in flags, accumulators and a0, by the strict rules (the vendor's
 *     compiler relies on these to interlock, hazard_check.h), where there is
 *     more than one pipe; of what is out of order always;
 *   - sources in general registers, of messages and dpas, too; predicates,
 *     accumulators and, by the strict rules, a0 of in-order instructions. What
 *     is out of order takes flags, a0 and channels along when it is issued;
 *   - both threads' part of src2 of a dpasw: whoever overwrites it before both
 *     have read it changes the results of both;
 *   - the memory that a load reads: as it is when the result is due, with the
 *     addresses that were read. Messages of one thread keep their order in
 *     memory, so a later store, atomic or fence has earlier loads read first;
 *     only a load from shared local memory may be overtaken, where
 *     hazard_pipe.def says so.
 * Stores and atomics act when they are issued, and again where the payload is
 * overwritten too early. */
#ifndef XK_SIM_HAZARD_LATE_H
#define XK_SIM_HAZARD_LATE_H

#include "sim/core/kernel.h"
#include "sim/hazard/hazard_check.h"

#define XK_HZ_LATE_OPS 32
#define XK_HZ_LATE_SRCS 8
#define XK_HZ_LATE_DSTS 4
/* The longest: sources of 15 and 31 registers, or a result of 31; and what is
 * implied. */
#define XK_HZ_LATE_SRC_B (52 * XK_SIM_GRF_MAX_B)
#define XK_HZ_LATE_DST_B (40 * XK_SIM_GRF_MAX_B)

/* Register bytes [at_b, at_b + n_b) and where their copy begins. */
struct xk_hz_piece {
    uint32_t at_b, n_b, copy_b;
    uint8_t file;   /* enum xk_hz_file */
    bool partner_s; /* of the other thread of the pair */
};

struct xk_hz_late_op {
    bool reads, writes; /* still to do; neither: free */
    bool loads;         /* memory, still to be read */
    bool repeats;       /* may be executed again */
    bool acts;          /* on memory: only what the message shows matters */
    uint32_t inst, active, mask;
    uint64_t order;               /* of issue, among all */
    int32_t number;               /* in its pipe */
    uint64_t read_due, write_due; /* instructions executed until then */
    uint8_t flags[64], a0[64];    /* of its issue */
    unsigned n_src, n_dst;
    struct xk_hz_piece src[XK_HZ_LATE_SRCS], dst[XK_HZ_LATE_DSTS];
    uint8_t src_copy[XK_HZ_LATE_SRC_B];
    uint8_t was[XK_HZ_LATE_DST_B], will[XK_HZ_LATE_DST_B];
    /* dpasw: the partner's part of it; over where its order is another one. */
    struct xk_hz_late *mate_late;
    struct xk_hz_late_op *mate;
    uint64_t mate_order;
};

struct xk_hz_late {
    struct xk_sim_thread *t;
    bool strict;
    uint64_t seed, now;
    uint32_t next;
    int32_t issued[XK_HZ_PIPES];
    struct xk_hz_late_op *hand; /* being executed; NULL: not to be late */
    struct xk_hz_late_op op[XK_HZ_LATE_OPS];
};

/* All of *l but this is zero, as at the start of a thread. */
void xk_hz_late_begin(struct xk_hz_late *l, struct xk_sim_thread *t,
                      uint64_t unit);
/* Around the execution of instruction `at`. */
void xk_hz_late_before(struct xk_hz_late *l, uint32_t at, uint32_t mask);
void xk_hz_late_after(struct xk_hz_late *l, uint32_t at);
/* The same for a dpasw that was executed for both threads of a pair. */
void xk_hz_late_after_both(struct xk_hz_late *l, struct xk_hz_late *other,
                           uint32_t at);

/* ---- for hazard_late.c (hazard_op.c) ---- */

static inline const struct xk_hz_inst *
xk_hz_late_inst(const struct xk_hz_late *l, const struct xk_hz_late_op *op)
{
    return &xk_hz_table_of(l->t->kernel)->inst[op->inst];
}

/* Fills what *op is about before it is executed: inst, active, mask, copies. */
void xk_hz_op_begin(struct xk_hz_late *l, struct xk_hz_late_op *op, uint32_t at,
                    uint32_t mask);
/* What a dpasw reads of the other thread is a source, too. */
void xk_hz_op_share(struct xk_hz_late *l, struct xk_hz_late_op *op,
                    struct xk_hz_late *other, struct xk_hz_late_op *its);
/* It was executed: its results are put back. */
void xk_hz_op_hide(struct xk_hz_late *l, struct xk_hz_late_op *op);
/* Reads its sources now, and for a dpasw the partner's. */
void xk_hz_op_read(struct xk_hz_late *l, struct xk_hz_late_op *op);
/* A load reads memory now. */
void xk_hz_op_load(struct xk_hz_late *l, struct xk_hz_late_op *op);
void xk_hz_op_write(struct xk_hz_late *l, struct xk_hz_late_op *op);
/* Whether both write a byte. */
bool xk_hz_op_meet(const struct xk_hz_late_op *a,
                   const struct xk_hz_late_op *b);
/* Whether results in the file are late. */
bool xk_hz_op_is_late(const struct xk_hz_late *l, const struct xk_hz_inst *e,
                      unsigned file);

#endif
