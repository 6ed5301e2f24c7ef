/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of one core: its XVEs (or fused pairs of them), the threads
 * that are resident, the pipes, and what they share. It replays the traces of a
 * record; it computes no values. docs/timing.md says what is modelled.
 *
 * Event driven: every unit knows when it can issue next; the unit with the
 * least time issues. All that a unit needs from others is known by then but the
 * end of a barrier, which wakes the threads that wait for it. */
#ifndef XK_SIM_TIMING_CORE_H
#define XK_SIM_TIMING_CORE_H

#include "sim/timing/timing_memory.h"

enum xk_tm_cause {
#define XK_TM_CAUSE(id, word, text) XK_TM_AT_##id,
#include "sim/timing/timing_cause.def"
#undef XK_TM_CAUSE
    XK_TM_CAUSES
};
const char *xk_tm_cause_name(enum xk_tm_cause c);

/* Counts of one instruction, over the threads modelled; a fused pair counts
 * once. */
struct xk_tm_line {
    uint64_t executed; /* by hardware threads */
    uint64_t issued;   /* issue slots taken */
    uint64_t exposed;  /* cycles in which its unit did nothing until this
                          instruction came */
    uint64_t slm_b, global_b;
    uint64_t waited[XK_TM_CAUSES]; /* cycles of its threads */
};

struct xk_tm_result {
    uint64_t cycles; /* until the last thread modelled has ended and its writes
                        are where others find them */
    uint64_t units;  /* XVEs, or pairs, of the core */
    uint64_t at[XK_TM_CAUSES]; /* of all units: sums to cycles x units */
    uint64_t *group_end;       /* n_traced, ascending */
    uint64_t *group_work;      /* and the instructions executed until then */
    struct xk_tm_line *line;   /* one a record of the kernel */
    struct xk_tm_inst *inst;
    uint64_t instructions; /* modelled, of hardware threads */
    struct xk_tm_traffic traffic;
};

/* Replays what was recorded, on machine m. That is the machine for which it was
 * recorded, or one that differs only in what does not change a record:
 * everything except the sizes of the machine and `dispatch`. *out must be given
 * to xk_tm_result_fini. */
enum xk_status xk_timing_core_run(const struct xk_timing_record *r,
                                  const struct xk_timing_product *m,
                                  struct xk_tm_result *out,
                                  struct xk_error *err);
void xk_tm_result_fini(const struct xk_timing_record *r,
                       struct xk_tm_result *out);

#endif
