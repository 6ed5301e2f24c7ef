/* SPDX-License-Identifier: Apache-2.0 */
/* Assembler text on the timing model: groups of threads of a made-up kernel, on
 * a product or a changed copy of one. */
#ifndef XK_TESTS_SIM_TIMING_LAB_H
#define XK_TESTS_SIM_TIMING_LAB_H

#include "sim/timing/timing_report.h"

struct timing_job {
    const char *platform, *text;             /* without the end of the thread */
    const struct xk_timing_product *product; /* NULL: the platform's first */
    uint32_t simd;                           /* 0: 16 */
    uint32_t threads, groups;                /* 0: 1 */
    uint32_t slm_b, barriers, grf;
    uint32_t waves;  /* 0: the default */
    uint8_t *memory; /* r1.0: its address, qword; r1.1: its bytes */
    uint64_t memory_b;
    bool plain;                   /* without the model */
    bool fetches;                 /* code has to be fetched, else it is there */
    const struct xk_alloc *alloc; /* of record and model; may fail */
};

#define TIMING_ENDS 4

struct timing_answer {
    enum xk_status status;
    uint64_t cycles; /* of the groups modelled */
    uint64_t at[XK_TM_CAUSES];
    uint64_t end[TIMING_ENDS]; /* of groups, ascending, as many as there are */
    uint64_t units, instructions;
    struct xk_tm_traffic traffic;
    double all_cycles; /* of the launch */
    double efficiency, model_s, time_us, sampling_error;
    struct xk_timing_loop loop;
};

/* Ends the test if anything refuses; but with alloc XK_ENOMEM is an answer. */
struct timing_answer timing_run(const struct timing_job *j);

/* Text made of repetitions, %u in `line` becomes first, first + step, ... up to
 * n of them, modulo; freed by the caller. */
char *timing_repeat(const char *line, unsigned n, unsigned first, unsigned step,
                    unsigned modulo);

/* All thread slots of a core of the platform. */
uint32_t timing_slots(const char *platform);

#define TIMING_MEMORY_VA UINT64_C(0x200000000)

#endif
