/* SPDX-License-Identifier: Apache-2.0 */
/* What the timing model hears of a dispatch while it runs. For the threads of
 * one core it hears of each instruction executed and of what its message
 * touched. For the groups of the same waves on other cores it hears only which
 * lines of memory they touch, so that lines that cores share are fetched once.
 * Nothing here changes what a kernel does.
 * Groups go to cores in turn: group g is the (g / n)-th group of core g mod n.
 * Or they go by blocks of neighbours (hypothesis dispatch). The core that is
 * recorded is core 0, which has the most. Waves are counted so that the
 * incomplete one is wave 0. Only some waves of long launches are recorded. How
 * many depends on the length of the very first thread, so the number is the
 * same for any number of host threads. */
#ifndef XK_SIM_TIMING_RECORD_H
#define XK_SIM_TIMING_RECORD_H

#include <stdatomic.h>

#include "sim/core/kernel.h"
#include "sim/timing/timing_table.h"

/* ---- a trace: words ----
 * An instruction: its index in bits 19:0, in 31:20 how many words follow.
 * A message to memory: XK_TM_WORD_*, bytes, XK_TM_PARTS_*, then first line and
 * count of each run of lines. A signal: the barrier's id in 7:0, type in 9:8,
 * producers in 23:16, consumers in 31:24. sync.bar: the barrier's id. */
#define XK_TM_INDEX(w) ((w)&0xfffff)
#define XK_TM_EXTRA(w) ((w) >> 20)
#define XK_TM_HEAD 3 /* words of a message before its runs */
#define XK_TM_MAX_EXTRA (XK_TM_HEAD + 1024)
#define XK_TM_WORD_CLASS(w) ((w)&3) /* enum xk_tm_class */
#define XK_TM_WORD_SLM(w) ((w) >> 2 & 1)
#define XK_TM_WORD_LANES(w) ((w) >> 8 & 0xff)
/* of shared local memory: cycles of its banks; of an atomic: elements */
#define XK_TM_WORD_UNITS(w) ((w) >> 16)
/* Components of a lane's access; cycles of the banks if each is served by
 * itself. */
#define XK_TM_PARTS(w) ((w)&0xff)
#define XK_TM_PARTS_UNITS(w) ((w) >> 8)

enum xk_tm_class { XK_TM_LOAD, XK_TM_STORE, XK_TM_ATOMIC, XK_TM_PREFETCH };

struct xk_tm_trace {
    uint32_t *word;
    uint32_t n, room;
};

/* Lines of a region have numbers from first_line on. */
struct xk_tm_region {
    uint64_t va, size_b;
    uint32_t first_line, n_lines;
    /* A line's least key (wave, then a hash of line and core): the core that
     * has it fetches the line. Made when it is first needed. */
    _Atomic(_Atomic uint32_t *) owner;
};

struct xk_timing_record {
    const struct xk_timing_product *m;
    struct xk_alloc alloc;
    uint32_t waves_wanted; /* at most so many in detail; 0: a budget */
    atomic_bool no_memory;
    bool good;  /* the dispatch ended well */
    bool alone; /* only core 0 is heard of: what it loads is in L2 */
    /* What is known of the dispatch. */
    const struct xk_sim_run *run;
    const struct xk_sim_kernel *kernel;
    uint32_t n_threads, slm_b;
    uint32_t l1_b;             /* what shared local memory leaves of it */
    bool systolic;             /* the kernel has dpas */
    uint64_t n_groups, n_seen; /* groups whose lines are heard of: the first */
    uint32_t cores;            /* that have a group */
    uint32_t resident;         /* groups on a core at a time */
    uint32_t slots;            /* threads of a group, a fused pair counts one */
    uint64_t n_mine;           /* groups of core 0 */
    uint32_t odd;              /* of those in wave 0 */
    uint32_t n_traced; /* of those recorded; after the end, those that count */
    uint32_t n_room;   /* groups that trace[] has room for */
    atomic_uint limit; /* lowers n_traced when the first thread has ended */
    uint32_t n_waves;  /* recorded, after the end */
    struct xk_tm_trace *trace; /* n_room x n_threads */
    struct xk_tm_region *region;
    unsigned n_regions;
    uint32_t n_lines;
};

/* What one call of the interpreter needs to record a thread. */
struct xk_tm_tap {
    struct xk_timing_record *r;
    struct xk_tm_trace *trace; /* NULL: only lines */
    bool on;
    uint32_t core, wave;
    unsigned last_region;
    uint32_t n_extra;
    uint32_t extra[XK_TM_MAX_EXTRA];
};

void xk_timing_record_init(struct xk_timing_record *r,
                           const struct xk_timing_product *m,
                           const struct xk_alloc *alloc);
void xk_timing_record_fini(struct xk_timing_record *r);
/* Before threads run; forgets what was recorded. XK_ENOMEM, or XK_EINVAL if a
 * group does not fit on a core of the product. */
enum xk_status xk_timing_record_begin(struct xk_timing_record *r,
                                      const struct xk_sim_run *run,
                                      struct xk_error *err);

/* After threads have run. good: the dispatch ended well. */
void xk_timing_record_end(struct xk_timing_record *r, bool good);

/* MHz while the kernel runs. */
double xk_timing_clock(const struct xk_timing_record *r,
                       const struct xk_timing_product *m);

/* The core of a group, and its number there. */
uint32_t xk_timing_core_of(const struct xk_timing_record *r, uint64_t group,
                           uint64_t *k);
/* The wave of the k-th group of a core. */
uint32_t xk_timing_wave(const struct xk_timing_record *r, uint64_t k);

/* tap->on says whether t is to be recorded. */
void xk_timing_tap(struct xk_timing_record *r, const struct xk_sim_thread *t,
                   struct xk_tm_tap *tap);
/* Around the execution of e; `at` is its index. before: of sends and syncs;
 * after: where there is a trace. */
void xk_timing_before(struct xk_tm_tap *tap, struct xk_sim_thread *t,
                      const struct xk_sim_inst *e);
void xk_timing_after(struct xk_tm_tap *tap, const struct xk_sim_thread *t,
                     uint32_t at);

/* For timing_touch.c: fills tap->extra for a message to memory. */
void xk_timing_touch(struct xk_tm_tap *tap, struct xk_sim_thread *t,
                     const struct xk_sim_inst *e);
/* Whether core 0 fetches a line that nobody has yet, and in which wave it is
 * first touched. */
bool xk_timing_owns(const struct xk_timing_record *r, uint32_t line,
                    uint32_t *wave);
/* How many lines were touched by the groups heard of. */
uint64_t xk_timing_lines(const struct xk_timing_record *r);

#endif
