/* SPDX-License-Identifier: Apache-2.0 */
/* Runs assembler text as a kernel on the simulator. r1 holds two pointers: r1.0
 * (qword 0) to the output, qword 1 to the input, then two dwords of values. */
#ifndef XK_TESTS_SIM_ASM_H
#define XK_TESTS_SIM_ASM_H

#include "sim/sim.h"

#define ASM_OUT_B 256

/* Ends the thread. */
#define ASM_EOT                                                                \
    "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"                             \
    "(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n"
/* Stores r20 to r27 to the output, then ends the thread. */
#define ASM_DUMP "(W) send.ugm (1|M0) null r1 r20:8 0x0 0x0200F584\n" ASM_EOT

struct asm_run {
    const char *text;
    const char *platform;     /* NULL: xehpg */
    uint32_t simd;            /* 0: 16 */
    uint32_t groups, threads; /* 0: 1 */
    uint32_t last_lanes;      /* of the last thread, 0: all */
    uint32_t slm_b, barriers;
    uint64_t inst_limit;
    unsigned host_threads; /* 0: 1 */
    const struct xk_alloc *alloc;
    uint32_t value[2];
    const void *in;
    uint32_t in_b;
    uint8_t *out; /* ASM_OUT_B, or out_b if that is not 0 */
    uint32_t out_b;
    struct xk_launch_stats stats;
    struct xk_error err;
};

#define ASM_OUT_VA UINT64_C(0x2fffffff80) /* straddles a 4 GiB line */
#define ASM_IN_VA UINT64_C(0x8000001000)

enum xk_status asm_run(struct asm_run *r);

#endif
