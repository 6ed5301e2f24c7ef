/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/asm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/ocl.h"

static enum xk_status launch(struct asm_run *r, const xk_sim_kernel *k,
                             uint32_t simd)
{
    struct {
        uint64_t out, in;
        uint32_t value[2], pad[2];
    } args = {ASM_OUT_VA, ASM_IN_VA, {r->value[0], r->value[1]}, {0}};
    struct xk_sim_region regions[2] = {
        {ASM_IN_VA, r->in_b, (uint8_t *)(uintptr_t)r->in},
        {ASM_OUT_VA, r->out_b ? r->out_b : ASM_OUT_B, r->out}};
    const uint32_t threads = r->threads ? r->threads : 1;
    const struct xk_sim_launch l = {
        .kernel = k,
        .groups = {r->groups ? r->groups : 1, 1, 1},
        .local = {r->last_lanes ? (threads - 1) * simd + r->last_lanes
                                : threads * simd,
                  1, 1},
        .cross_thread = (const uint8_t *)&args,
        .cross_thread_b = sizeof(args),
        .regions = regions + (r->in_b == 0),
        .n_regions = 1 + (r->in_b != 0),
        .slm_b = r->slm_b,
        .n_threads = r->host_threads ? r->host_threads : 1,
        .inst_limit = r->inst_limit,
    };
    return xk_sim_launch(&l, &r->stats, &r->err);
}

enum xk_status asm_run(struct asm_run *r)
{
    xk_sim_kernel *k;
    struct xk_zkernel z = {.name = "snippet",
                           .simd = r->simd ? r->simd : 16,
                           .grf_count = 128,
                           .slm_b = r->slm_b,
                           .barriers = r->barriers,
                           .inline_b = 32,
                           .cross_thread_b = 32};
    const struct xk_platform *const p =
        xk_platform_find(r->platform ? r->platform : "xehpg");
    uint8_t *code = ocl_assemble_as(p->iga_name, r->text, &z.code_b);
    if (!code) {
        printf("# iga64 refuses:\n%s\n", r->text);
        return XK_EPARSE;
    }
    z.code = code;
    enum xk_status s = xk_sim_kernel_create(r->alloc, p, &z, &k, &r->err);
    free(code);
    if (s == XK_OK) {
        s = launch(r, k, z.simd);
        xk_sim_kernel_destroy(k);
    }
    return s;
}
