/* SPDX-License-Identifier: Apache-2.0 */
/* What the timing model knows of an instruction before it runs: the pipe that
 * executes it, how long that takes, and what it waits for. It depends on
 * nothing but what its SWSB says. The model trusts that, as hardware does. */
#ifndef XK_SIM_TIMING_INST_H
#define XK_SIM_TIMING_INST_H

#include "sim/core/kernel.h"
#include "sim/timing/timing_table.h"

enum xk_tm_kind {
    XK_TM_ALU,
    XK_TM_DPAS,
    XK_TM_MEMORY, /* loads, stores, atomics, prefetches */
    XK_TM_FENCE,
    XK_TM_SIGNAL, /* of a barrier */
    XK_TM_WAIT,   /* sync.bar */
    XK_TM_SYNC,
    XK_TM_BRANCH,
    XK_TM_EOT,
    XK_TM_MESSAGE /* other sends */
};

/* Multiply-adds are of one of these. */
enum xk_tm_fma {
    XK_TM_NO_FMA,
    XK_TM_MAD_F32,
    XK_TM_MAD_F16,
    XK_TM_MAD_F64,
    XK_TM_MAD_INT,
    XK_TM_DP4A,
    XK_TM_XMX_FMA,
    XK_TM_FMAS
};

#define XK_TM_PORTS 8
#define XK_TM_NO_PORT 7 /* never taken */
#define XK_TM_ORDERS XK_PIPE_ORDERS

struct xk_tm_inst {
    uint8_t kind, pipe, port;  /* enum xk_tm_kind, xk_tm_pipe */
    uint8_t order;             /* its in-order pipe; XK_TM_ORDERS: none */
    uint8_t dist, dist_orders; /* waits for the dist-th last of each of these */
    int8_t set;                /* token, -1: none */
    bool joins;                /* a branch that only ends a block */
    bool of_slm;               /* a fence of shared local memory only */
    bool past_l1;              /* a message that is not cached there */
    bool atomic;               /* {Atomic}: the next one is of the same chain */
    uint16_t busy_cyc;         /* the port takes nothing else so long */
    uint16_t lat_cyc;          /* until dependents may issue */
    uint16_t payload, answer;  /* registers of a message */
    uint32_t wait_dst, wait_src; /* tokens */
    uint32_t macs;               /* multiply-adds */
    uint8_t fma;                 /* enum xk_tm_fma */
    uint16_t src1;               /* of a dpas: its first register */
    uint32_t code_line;          /* of code, from the kernel's begin */
};

/* One for each of the kernel's records. XK_ENOMEM, or XK_OK. */
enum xk_status xk_tm_insts_create(const struct xk_timing_product *m,
                                  const struct xk_sim_kernel *k,
                                  struct xk_tm_inst **out);
void xk_tm_insts_destroy(const struct xk_sim_kernel *k, struct xk_tm_inst *i);

/* Multiply-adds that an XVE does in a cycle at best. */
double xk_tm_peak(const struct xk_timing_product *m, const struct xk_inst *i);
const char *xk_tm_fma_name(enum xk_tm_fma f);

#endif
