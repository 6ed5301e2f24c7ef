/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a launch on a machine, as the simulator's timing model predicts
 * it: cycles, what they were spent on, and the distance from the machine's
 * limits. docs/timing.md says what is modelled and how well. The header may
 * change until 1.0. */
#ifndef XK_XEKERN_TIMING_H
#define XK_XEKERN_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A machine that is modelled. */
struct xk_timing_machine {
    const char *name;     /* "a770" */
    const char *text;     /* what it is */
    const char *platform; /* "xehpg" */
};
/* In a fixed order; XK_EINVAL behind the last one. */
XK_API enum xk_status xk_timing_machine_at(uint32_t k,
                                           struct xk_timing_machine *out);

/* A property of a machine that the model does not know, with one of its
 * possible values. `NAME=WORD` in the machine's name selects the value. */
struct xk_timing_hypothesis {
    const char *name, *word;    /* "gather", "component" */
    const char *question, *why; /* the evidence for and against the value */
    bool nominal;
};
/* All values of all hypotheses of a machine, in a fixed order; XK_EINVAL behind
 * the last one, or if there is no such machine. */
XK_API enum xk_status xk_timing_hypothesis_at(const char *machine, uint32_t k,
                                              struct xk_timing_hypothesis *out);
/* XK_EINVAL with the word that is not known: "a770:gather=component,port=64",
 * ":all". platform: "xehpg", or NULL for the machine's own. */
XK_API enum xk_status xk_timing_check(const char *text, const char *platform,
                                      struct xk_error *err);

#define XK_TIMING_ALTERNATIVES 64 /* of all hypotheses, at most */

/* The time with another value of one hypothesis. */
struct xk_timing_alternative {
    const char *hypothesis, *value; /* "gather", "component" */
    double time_us, cycles;
};

/* What the cycles of the modelled core were spent on. */
struct xk_timing_share {
    const char *cause; /* "issue", "xmx", "slm", ... */
    double share;      /* of all cycles of its XVEs */
};

/* Waits of one instruction: cycles of its threads for each time it is
 * issued. */
struct xk_timing_inst {
    uint32_t offset_b;
    const char *text;
    uint64_t executed; /* by threads of the groups modelled */
    double waited;     /* a thread's cycles, each time */
    double exposed;    /* of those: its XVE did nothing */
    const char *cause; /* of most of the waiting; "" if there was none */
};

/* The innermost loop with at least 80 % of the multiply-adds, or all of the
 * code if there is none. Each figure is for one multiply-add instruction of the
 * loop. */
struct xk_timing_loop {
    bool whole;            /* there is no such loop */
    uint32_t from_b, to_b; /* first and last instruction */
    uint64_t fmas;         /* instructions executed, groups modelled */
    double instructions, slm_b, global_b, exposed_cyc;
};

/* Strings and arrays live during the call. */
struct xk_timing {
    const char *product, *kernel;
    const char *error;  /* why there is nothing else; NULL: all is there */
    double time_us;     /* predicted */
    double cycles;      /* of the core's clock */
    double clock_mhz;   /* while this kernel runs ... */
    double driver_mhz;  /* ... and without load of the systolic array */
    const char *values; /* other than nominal: "gather=component"; "": none */
    /* The least and the largest time with another value of one hypothesis, and
     * all these times. If ":all" was not asked for, there are none and both are
     * time_us. */
    double best_us, worst_us;
    uint32_t n_alternatives; /* at most XK_TIMING_ALTERNATIVES */
    const struct xk_timing_alternative *alternative;
    /* The launch on the machine. */
    uint64_t groups, groups_modelled; /* the latter in detail, of one core */
    uint32_t cores, cores_busy;
    uint32_t groups_resident, threads_resident; /* on a core at a time */
    double occupancy;                           /* of a core's threads */
    double waves;          /* groups of the busiest core / groups_resident */
    double tail;           /* of the time cores have nothing left to do */
    bool sampled;          /* not all groups of the core were modelled */
    double sampling_error; /* estimate, relative */
    /* Limits. */
    double arithmetic_us, memory_us, efficiency;
    const char *fma;  /* "dpas" */
    uint64_t fmas;    /* multiply-adds, all groups */
    double peak_fmas; /* a second, the whole machine, of that kind */
    double memory_b;  /* distinct lines touched */
    /* The groups modelled, no others. */
    uint64_t instructions, slm_b, global_b, l2_b, dram_b, slm_conflict_cyc;
    double port_busy, l2_busy, dram_busy; /* shares of the cycles */
    double model_s;                       /* host time of the model */
    struct xk_timing_loop loop;
    uint32_t n_shares, n_insts;
    const struct xk_timing_share *share;
    const struct xk_timing_inst *inst; /* in the order of the code */
};
typedef void xk_timing_fn(void *user, const struct xk_timing *t);

#ifdef __cplusplus
}
#endif
#endif
