/* SPDX-License-Identifier: Apache-2.0 */
/* Checkers: what real hardware would punish silently. A dispatch says which of
 * them are on; each finding is one record, given to a callback after the run,
 * in the order of the units of work, so that neither their number nor their
 * order depends on host threads. One finding a pair of instructions and kind;
 * a finding does not stop the run, a fault (outside every buffer, a barrier
 * that never completes) does and is the last one. A run with findings ends with
 * XK_EFAULT and the first of them as message. */
#ifndef XK_SIM_CHECK_H
#define XK_SIM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Sets of checks. FAULT is no check: what the simulator cannot go on with and
 * that is none of the others (bytes that are no instruction ...). */
enum xk_sim_check {
    XK_CHECK_FAULT = 0,
    XK_CHECK_MEM = 1,     /* outside buffers, misaligned, freed */
    XK_CHECK_RACE = 2,    /* two threads, nothing between them */
    XK_CHECK_INIT = 4,    /* read of what nobody wrote */
    XK_CHECK_SYNC = 8,    /* barriers, fences, fused pairs, end of thread */
    XK_CHECK_HAZARD = 16, /* scoreboard annotation missing */
    XK_CHECK_ALL = 31,
    /* Not in ALL: what compilers do by themselves, and no card minds. Of the
     * other checks that are on, these rows: a load that goes on beyond its
     * buffer within the cache line, a load that nobody waits for before the
     * thread ends, a thread that ends without waiting for a barrier. */
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
    /* The one that noticed, then the one it collided with. */
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

/* In struct xk_sim_dispatch and struct xk_sim_launch. All zero: no checks, and
 * nothing is paid for them. */
struct xk_sim_checks {
    uint32_t on;              /* enum xk_sim_check bits */
    unsigned most;            /* findings to report, 0: XK_SIM_MAX_FINDINGS */
    xk_sim_finding_fn *found; /* NULL: only the status tells */
    void *user;
    /* HAZARD: 0 is the static worst case; else latencies are drawn from this
     * seed. */
    uint64_t hazard_seed;
    bool hazard_strict; /* and SYNC: trust no guarantee that only compilers rely
                           on (hazard_check.h, pair.h) */
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
