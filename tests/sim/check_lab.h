/* SPDX-License-Identifier: Apache-2.0 */
/* Assembler text as a kernel of one group under checks. Before the text r2.0:ud
 * is the thread's number, and r3 the address where CHECK_LAB_END stores r20 for
 * it; r4 to r99 are zero. The text's own sends must use other SBIDs than $14
 * and $15. */
#ifndef XK_TESTS_SIM_CHECK_LAB_H
#define XK_TESTS_SIM_CHECK_LAB_H

#include "sim/sim.h"

#define CHECK_LAB_THREADS 8
#define CHECK_LAB_FINDINGS 8

struct check_lab {
    const char *platform, *text;
    uint32_t n_threads, slm_b, barriers;
    uint32_t last_mask; /* 0: its 8 channels */
    struct xk_sim_checks check;
    unsigned n; /* findings */
    struct {
        uint32_t check;
        char line[900];
    } f[CHECK_LAB_FINDINGS];
    uint32_t out[CHECK_LAB_THREADS][8]; /* r20 */
    struct xk_error err;
};

/* Ends the test if the text is refused. Fills n, f, out, err. */
enum xk_status check_lab_run(struct check_lab *x);

#endif
