/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as one core sees it: its data port, L1 or nothing, and its share of L2
 * and of memory. Requests come in the order of their issue; each resource is
 * taken in that order. Cycles are fractions. */
#ifndef XK_SIM_TIMING_MEMORY_H
#define XK_SIM_TIMING_MEMORY_H

#include "sim/timing/timing_inst.h"
#include "sim/timing/timing_record.h"

/* Bytes, lines and cycles of the groups modelled, of one core. */
struct xk_tm_traffic {
    uint64_t slm_b, global_b; /* asked for by messages */
    uint64_t port_lines, l2_lines, memory_lines;
    uint64_t conflict_cyc;               /* beyond what the bytes need */
    double port_cyc, l2_cyc, memory_cyc; /* that each was taken */
};

struct xk_tm_line_state {
    double ready;   /* when L2 has it */
    uint64_t stamp; /* timing_held.h, of L2 */
    bool written;   /* since L2 has it, and paid for */
};
struct xk_tm_tag {
    uint32_t line; /* and 1; 0: none */
    uint32_t used;
    double ready;
};

struct xk_tm_page { /* of virtual memory */
    uint64_t stamp; /* timing_held.h, of the TLB */
    double ready;
};

struct xk_tm_memory {
    const struct xk_timing_product *m;
    const struct xk_timing_record *r;
    struct xk_alloc alloc;
    struct xk_tm_tag *l1;
    uint32_t l1_sets, clock;
    struct xk_tm_line_state **page; /* of 4096 lines each */
    uint32_t n_pages;
    struct xk_tm_page *tlb; /* of tlb_page_b each; NULL: all are known */
    double tlb_misses;
    double *queue; /* when the last n_queue requests to memory are served */
    uint32_t n_queue, in_queue;
    double l2_fills, fills_each;         /* of all cores for one of ours */
    double l2_lines;                     /* that fit */
    double port, port_out, link, memory; /* free from then on */
    double
        settled; /* when what was written is where the launch's end wants it */
    double link_b, memory_b; /* bytes a cycle, of this core */
    double left_cyc; /* of memory, for what L2 may still have at the end */
    bool no_memory;
    struct xk_tm_traffic traffic;
};

/* Memory as machine m has it, which may be another one than that of the
 * record. */
enum xk_status xk_tm_memory_init(struct xk_tm_memory *x,
                                 const struct xk_timing_record *r,
                                 const struct xk_timing_product *m);
void xk_tm_memory_fini(struct xk_tm_memory *x);

/* A message of a thread issued at cycle `at`, whose payload is there at `in`.
 */
struct xk_tm_request {
    const struct xk_tm_inst *inst;
    const uint32_t *word; /* its extra words in the trace */
    uint32_t n_words, wave;
    double at, in;
};
/* When its answer can be used; a store's: when memory has it. */
double xk_tm_memory_access(struct xk_tm_memory *x,
                           const struct xk_tm_request *q);

#endif
