/* SPDX-License-Identifier: Apache-2.0 */
/* Assembler text executed on the simulator without a launch: the test puts
 * values into registers, runs the text to its end, and looks at registers. */
#ifndef XK_TESTS_SIM_LAB_H
#define XK_TESTS_SIM_LAB_H

#include "sim/core/kernel.h"

struct lab {
    xk_sim_kernel *k;
    struct xk_sim_group group;
    struct xk_error err;
    struct xk_sim_thread t[2]; /* a pair; the second one if two are asked for */
};

/* The platforms, in turn; NULL behind the last one. */
extern const char *const lab_platforms[];

/* Ends the test if the text is refused. lab_close frees it. */
struct lab *lab_open(const char *platform, const char *text);
struct lab *lab_open_code(const char *platform, const uint8_t *code,
                          size_t code_b);
void lab_close(struct lab *x);
/* Cleared registers, 16 lanes on; n threads, 1 or 2. cr0: 0x4c0 keeps
 * denormals, bits 5:4 round. */
void lab_start(struct lab *x, unsigned n, uint32_t cr0);
/* Runs what has been started. Returns false after a finding, see x->err. */
bool lab_run(struct lab *x);
/* The same, and a finding ends the test. */
void lab_run_ok(struct lab *x);
/* A register of thread 0. */
uint8_t *lab_reg(struct lab *x, unsigned reg);

#endif
