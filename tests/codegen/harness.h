/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as IR text, run two ways: by the reference interpreter, and as
 * machine code by the simulator. */
#ifndef XK_TESTS_CODEGEN_HARNESS_H
#define XK_TESTS_CODEGEN_HARNESS_H

#include "codegen/codegen.h"

#define CG_MAX_BUFFERS 4

/* One run over groups thread groups of n_threads hardware threads. */
struct cg_case {
    const char *text;
    uint32_t groups[3];
    uint32_t n_threads;
    unsigned grf_count; /* 0: 128 */
    struct {
        void *data; /* in and out, by GLOBAL parameter */
        size_t size_b;
    } buffer[CG_MAX_BUFFERS];
    int32_t value; /* of every VALUE parameter of 32 bits */
    uint64_t wide; /* of those of 64 */
};

struct cg_code {
    struct xk_str code, text;
    struct xk_code_stats stats;
    struct xk_abi abi;
};

void cg_code_fini(struct cg_code *k);

/* Parses, replaces every SEND by a header and a SENDH, and generates. */
enum xk_status cg_generate(xk_ctx *c, const char *text, unsigned grf_count,
                           struct cg_code *out);
/* For a platform other than xehpg. */
enum xk_status cg_generate_on(xk_ctx *c, const struct xk_platform *p,
                              const char *text, unsigned grf_count,
                              struct cg_code *out);

/* The next of a row of random numbers; the low half is as good as the high. */
uint64_t cg_random(uint64_t *state);
static inline uint32_t cg_random32(uint64_t *state)
{
    return (uint32_t)cg_random(state);
}

/* Both ways; aborts the test (ck_abort_msg) if the bytes differ or anything
 * fails. On return the buffers hold the result. */
void cg_run(const struct cg_case *k);
void cg_run_code(const struct cg_case *k, const struct cg_code *code);

#endif
