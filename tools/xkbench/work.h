/* SPDX-License-Identifier: Apache-2.0 */
/* One problem while it runs. run.c leads, operands.c has the tensors, judge.c
 * says whether the result is right. A function that returns false has ended the
 * problem with a state and a reason, except is_simulated and time_only. */
#ifndef XK_TOOLS_XKBENCH_WORK_H
#define XK_TOOLS_XKBENCH_WORK_H

#include "tools/xkbench/bench.h"

/* One tensor on the host and on the device. */
struct xk_bench_operand {
    bool present, written;
    struct xk_bench_map map;
    float *plain;
    unsigned char *image;
    uint32_t type;
    bool gaps;       /* strides leave memory between elements */
    uint64_t size_b; /* of the tensor */
    uint64_t guard_b;
    xk_buffer *buffer;
    /* By plain element, where it is written: what it should be, forward before
     * scales and post-ops, and without bias where there are scales; the bits
     * that it is. */
    float *ones; /* what a source of ones gives, if ranges.splits_zero */
    float *expected;
    uint32_t *got;
};

/* By argument number: the convolution's tensors, right-hand sides, scales and
 * zero points. */
enum { XK_BENCH_OPERANDS = XK_N_PROGRAM_ARGS };

struct xk_bench_work {
    struct xk_bench_problem *p;
    struct xk_bench_result *r;
    xk_device *device;
    xk_program *program;
    struct xk_bench_operand op[XK_BENCH_OPERANDS];
    struct xk_bench_ranges ranges;
    struct xk_bench_chain chain;
    struct xk_error err;
};

/* Ends the problem in a state with a reason; always false. */
bool xk_bench_end(struct xk_bench_work *w, enum xk_bench_state state,
                  const char *format, ...) XK_PRINTF(3, 4);
/* With the reason in w->err. */
bool xk_bench_end_status(struct xk_bench_work *w, enum xk_status st);
bool xk_bench_is_simulated(const struct xk_bench_work *w);
/* Nothing is computed, and no host time is measured. */
bool xk_bench_time_only(const struct xk_bench_work *w);

/* operands.c. Host and device each hold every tensor, the host also in plain
 * form, the reference in its own. */
const struct xk_tensor_info *xk_bench_tensor(const struct xk_conv_info *info,
                                             int arg);
bool xk_bench_memory_suffices(struct xk_bench_work *w);
bool xk_bench_make_operand(struct xk_bench_work *w, int arg);
/* Source, weights and bias get data, and so does the destination that a sum
 * reads. */
void xk_bench_fill_operands(struct xk_bench_work *w, uint64_t seed);
bool xk_bench_upload(struct xk_bench_work *w);
bool xk_bench_download(struct xk_bench_work *w);
/* What stands in byte i of a destination that nobody wrote to. */
unsigned char xk_bench_unwritten_byte(uint32_t type, uint64_t i);

/* judge.c. Data and its expected result. */
bool xk_bench_expect(struct xk_bench_work *w);
/* Equality of values; names the first element that differs. */
bool xk_bench_compare(struct xk_bench_work *w);
/* Checks that the memory behind what is written is unchanged and that its
 * padding is zero. */
bool xk_bench_check_outside(struct xk_bench_work *w);

#endif
