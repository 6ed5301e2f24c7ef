/* SPDX-License-Identifier: Apache-2.0 */
/* Checkers: they report what real hardware would punish silently. A dispatch
 * says which of them are on. Each finding is one record, which a callback gets
 * after the run. Findings come in the order of the units of work, so neither
 * their number nor their order depends on host threads. A pair of instructions
 * gives one finding of each kind. The run goes on after a finding. A fault (an
 * access outside every buffer, a barrier that never completes) ends the run and
 * is the last finding. A run with findings ends with XK_EFAULT, and the first
 * finding is its message. */
#ifndef XK_SIM_CHECK_H
#define XK_SIM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Sets of checks. FAULT is no check: it is what the simulator cannot go on with
 * and what belongs to no other check, such as bytes that are no instruction. */
enum xk_sim_check {
    XK_CHECK_FAULT = 0,
    XK_CHECK_MEM = 1,     /* outside buffers, misaligned, freed */
    XK_CHECK_RACE = 2,    /* two threads, nothing between them */
    XK_CHECK_INIT = 4,    /* read of what nobody wrote */
    XK_CHECK_SYNC = 8,    /* barriers, fences, fused pairs, end of thread */
    XK_CHECK_HAZARD = 16, /* scoreboard annotation missing */
    XK_CHECK_ALL = 31,
    /* This check is not in ALL: compilers do these things by themselves, and no
     * card minds. It adds rows to the other checks that are on: a load that
     * goes on beyond its buffer within the cache line, a load that nobody waits
     * for before the thread ends, and a thread that ends without waiting for a
     * barrier. */
    XK_CHECK_PEDANTIC = 32,
};

#define XK_SIM_MAX_FINDINGS 20 /* where `most` is 0 */

/* Who did it. */
struct xk_sim_party {
    uint32_t group[3], thread;
    uint32_t offset_b; /* of the instruction in the code; UINT32_MAX: none */
    char text[160];    /* the instruction; "" if there is none */
};

struct xk_sim_finding {
    uint32_t check;     /* enum xk_sim_check, one */
    const char *kernel; /* its name; lives as long as the kernel */
    unsigned n_parties; /* 1 or 2 */
    /* First the one that noticed, then the one that it collided with. */
    struct xk_sim_party party[2];
    /* "memory", "SLM", "scratch" with address and n_b, or a register with its
     * name, "r12.4:ud", "f0.1", "acc0", "a0.2"; "" if neither. */
    char what[32];
    uint64_t address;
    uint32_t n_b;
    char why[256]; /* a sentence without full stop */
};

/* *f lives during the call only. */
typedef void xk_sim_finding_fn(void *user, const struct xk_sim_finding *f);

/* Part of struct xk_sim_dispatch and struct xk_sim_launch. All zero means no
 * checks, which cost nothing then. */
struct xk_sim_checks {
    uint32_t on;              /* enum xk_sim_check bits */
    unsigned most;            /* findings to report, 0: XK_SIM_MAX_FINDINGS */
    xk_sim_finding_fn *found; /* NULL: only the status tells */
    void *user;
    /* For HAZARD: 0 asks for the static worst case; any other value is the seed
     * from which latencies are drawn. */
    uint64_t hazard_seed;
    /* Whether or not anything is checked: 0: groups start in the order of their
     * numbers, the first dimension fastest; else in another order. */
    uint64_t group_seed;
    bool hazard_strict; /* also for SYNC: trust no guarantee that only compilers
                           rely on (hazard_check.h, pair.h) */
};

/* "mem", "race" ...; "fault" for XK_CHECK_FAULT. */
const char *xk_sim_check_name(uint32_t check);
/* "mem,race", "all", "none", "pedantic" (alone: with all others); false if a
 * word is unknown. */
bool xk_sim_checks_parse(const char *words, uint32_t *on);
/* The finding as one line of text: kernel, parties, place and reason. out has
 * room for out_b bytes. */
void xk_sim_finding_print(const struct xk_sim_finding *f, char *out,
                          uint64_t out_b);

#endif
