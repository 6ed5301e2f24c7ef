/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction cache of a core. The driver has written the kernel's code, so
 * its lines are in L2. Lines that the cache does not hold come from there, with
 * as many lines behind them as the hardware reads ahead. */
#ifndef XK_SIM_TIMING_CODE_H
#define XK_SIM_TIMING_CODE_H

#include "sim/timing/timing_record.h"

struct xk_tm_code_line {
    uint64_t stamp; /* timing_held.h */
    double ready;
};

struct xk_tm_code {
    const struct xk_timing_product *m;
    struct xk_alloc alloc;
    struct xk_tm_code_line *line;
    uint32_t n_lines, n_held; /* of the code; that the cache holds */
    double fills;             /* lines brought in */
    double link;              /* free from then on */
};

enum xk_status xk_tm_code_init(struct xk_tm_code *x,
                               const struct xk_timing_record *r,
                               const struct xk_timing_product *m);
void xk_tm_code_fini(struct xk_tm_code *x);
/* The time when a line of the code is there for a thread that comes to it at
 * `at`. */
double xk_tm_code_fetch(struct xk_tm_code *x, uint32_t line, double at);

#endif
