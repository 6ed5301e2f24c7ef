/* SPDX-License-Identifier: Apache-2.0 */
/* Fused pairs, of the sync checker. On xelp and xehpg threads 2k and 2k + 1 of
 * a group share one instruction pointer. Where their branches differ, both
 * sides are walked in the order of the code, and the thread that is not on the
 * side in hand has no channel there; two bits, the fused mask, keep it from
 * NoMask instructions, too. On xelp a bit cannot be cleared while the other one
 * is clear: who is the last to leave a side stays marked as on it, and executes
 * the NoMask instructions of what its partner then walks alone, until it is
 * really there again. Compilers guard those by a predicate that is false where
 * no channel is on.
 *
 * While the checker is on, pairs run in step: together as long as they are at
 * the same place, else the one that is in the deeper call, or at the lower
 * instruction, alone until it reaches the other one. Findings:
 *   - the pair parts at a jmpi or call;
 *   - one thread executes dpasw while the other one is elsewhere;
 *   - a thread waits for a barrier that its partner, which stands still on
 *     another path, has not reached, and nobody else can go on;
 *   - a NoMask store, atomic, barrier or dpasw runs for the thread that is not
 *     there;
 *   - a NoMask instruction changes registers of the thread that is not there,
 *     and the wrong value gets to where it can be seen: an address, a
 *     descriptor, data stored to memory that others see or used by an atomic, a
 *     predicate of a branch or message. Values that are restored, overwritten,
 *     or die are no finding, and neither is what goes through scratch memory.
 * A branch at which a pair parts is legal by itself.
 *
 * With hazard_strict nothing is taken for granted: each parting at a branch is
 * a finding (the generator's kernels branch only under conditions that are
 * uniform over a pair), and the fused mask keeps nobody from NoMask
 * instructions, on both platforms.
 *
 * Not looked at: with hazard_seed, since values are then late on purpose; pairs
 * of which one thread executes XK_PAIR_PATIENCE instructions alone, as one that
 * spins for the other does: they are then let go, without a finding. */
#ifndef XK_SIM_PAIR_H
#define XK_SIM_PAIR_H

#include "sim/check/check_hook.h"
#include "sim/message/message_shown.h"

#define XK_PAIR_PATIENCE (UINT64_C(1) << 22)
#define XK_PAIR_LOOKED_B XK_SIM_SHOWN_B
#define XK_PAIR_BITS XK_SIM_SHOWN_WORDS
#define XK_PAIR_PLACE_B 32u

struct xk_sim_check_work;

/* Register bytes that hold a wrong value on the machine. */
struct xk_pair_wrong {
    uint32_t n;
    uint64_t bits[XK_PAIR_BITS];
    uint8_t is[XK_PAIR_LOOKED_B]; /* the machine's value where a bit is set */
    uint32_t by[XK_PAIR_LOOKED_B / XK_PAIR_PLACE_B]; /* instruction, of there */
    struct xk_sim_thread twin; /* scratch: the thread as the machine has it */
    struct xk_error err;       /* of the twin, of no meaning */
};

struct xk_pair {
    struct xk_pairs *all;
    struct xk_sim_thread *t[2];
    bool loose;        /* they run as they like */
    uint8_t on;        /* bit per thread: it is at the place in hand */
    uint8_t mask;      /* the fused mask, as the machine has it */
    uint32_t depth[2]; /* of calls */
    uint32_t parted;   /* the instruction at which they did last */
    uint64_t alone;    /* instructions executed since */
    struct xk_pair_wrong *wrong[2]; /* NULL: never was any */
};

/* The fused pairs of the group that one host thread executes. */
struct xk_pairs {
    struct xk_alloc alloc;
    uint32_t n;
    bool strict, sticks;
    bool fine;         /* one instruction at a time, nothing is looked at */
    uint32_t *stretch; /* per instruction: how many up to the next one that
                          branches, waits or ends, with it */
    struct xk_pair *pair;
};

/* Whether pairs of the dispatch run in step: the platform has them, the check
 * is on, and they could part. Then a group must be one unit. */
bool xk_pair_wanted(const struct xk_sim_run *r);
/* Fills w->pairs where they are wanted; false: out of memory. */
bool xk_pairs_create(struct xk_sim_check_work *w);
void xk_pairs_destroy(struct xk_sim_check_work *w);
/* A unit begins. */
void xk_pairs_begin(struct xk_sim_check_work *w);

/* Executes the pair of an even thread for about `most` instructions; false if
 * neither thread could go on. */
bool xk_pair_step(struct xk_sim_thread *even, uint64_t most);
/* No thread of the group can go on. Lets go of the pairs in which one thread
 * waits for a barrier and the other one must stand still, and reports them.
 * False: there are none. */
bool xk_pair_release(const struct xk_sim_group *g);

/* For pair_step.c. Thread `who` has no active channel at e, but executes it. */
void xk_pair_stray(struct xk_pair *p, unsigned who,
                   const struct xk_sim_inst *e);
/* Executes one instruction of a thread in which something is wrong. */
void xk_pair_careful(struct xk_pair *p, unsigned who);

/* What a message writes in the channels of mask is right again. */
void xk_pair_loaded(struct xk_pair_wrong *w, const struct xk_sim_thread *t,
                    const struct xk_sim_inst *e, uint32_t mask);
void xk_pair_right(struct xk_pair_wrong *w, uint32_t at_b, uint32_t n_b);

#endif
