/* SPDX-License-Identifier: Apache-2.0 */
/* A small convolution of the generator on the simulator, its code open to
 * changes. */
#ifndef XK_TESTS_SIM_HAZARD_CONV_H
#define XK_TESTS_SIM_HAZARD_CONV_H

#include "isa/isa.h"
#include "xekern/simulate.h"
#include "xekern/xekern.h"

struct conv {
    const char *text;
    uint32_t src, wei, dst; /* enum xk_data_type */
};

struct conv_lab {
    xk_program *program;
    xk_device *device;
    uint8_t *mem[XK_N_CONV_ARGS];
    xk_buffer *buf[XK_N_CONV_ARGS];
    uint8_t *zebin;
    uint8_t *code; /* inside zebin */
    size_t code_b;
    uint64_t dst_b;
    struct xk_error err;
};

/* Ends the test if it fails. */
void conv_open(struct conv_lab *x, const struct conv *c);
void conv_close(struct conv_lab *x);
/* Runs x->zebin as it is now; the result's hash in *sum. */
enum xk_status conv_run(struct conv_lab *x, const struct xk_simulate_opts *o,
                        uint32_t *sum);

#endif
