/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels that were cut or damaged: a status, never a crash. */
#include "opencl_lab.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

#ifndef DAMAGES
#define DAMAGES 100 /* damaged variants of each kernel */
#endif

START_TEST(truncated_compiler_output_is_refused)
{
    xk_ctx *c = xk_ctx_create(NULL);
    for (size_t n = 0; n < opencl_memory_b[_i]; n++) {
        struct xk_zebin z;
        uint8_t *copy = malloc(n ? n : 1); /* ends where ASan looks */
        memcpy(copy, opencl_memory_zebin[_i], n);
        xk_ctx_clear(c);
        ck_assert_int_eq(xk_zebin_read(c, copy, n, &z), XK_EPARSE);
        free(copy);
    }
    xk_ctx_destroy(c);
}
END_TEST

/* Runs a kernel whose code was damaged; anything but a status is a failure. */
static void run_damaged(const struct xk_zkernel *zk)
{
    static uint8_t mem[4096];
    uint8_t cross[1024];
    struct xk_error err = {.message = ""};
    xk_sim_kernel *k;
    for (unsigned i = 0; i < sizeof(cross); i += 8) {
        const uint64_t va = UINT64_C(0x4fffffff00);
        memcpy(cross + i, &va, 8);
    }
    if (xk_sim_kernel_create(NULL, xk_platform_find("xehpg"), zk, &k, &err) !=
        XK_OK)
        return;
    struct xk_sim_region r = {UINT64_C(0x4fffffff00), sizeof(mem), mem};
    const struct xk_sim_launch l = {.kernel = k,
                                    .groups = {2, 1, 1},
                                    .local = {21, 1, 1},
                                    .cross_thread = cross,
                                    .cross_thread_b = sizeof(cross),
                                    .regions = &r,
                                    .n_regions = 1,
                                    .slm_b = 1024,
                                    .n_threads = 1,
                                    .inst_limit = 3000};
    const enum xk_status s = xk_sim_launch(&l, NULL, &err);
    ck_assert(s == XK_OK || s == XK_EUNSUPPORTED ||
              (s == XK_EFAULT && err.message[0]));
    xk_sim_kernel_destroy(k);
}

static void damage_kernel(const struct xk_zkernel *zk)
{
    uint8_t *code = malloc(zk->code_b);
    struct xk_zkernel hurt = *zk;
    hurt.code = code;
    for (unsigned n = 0; n < DAMAGES; n++) {
        memcpy(code, zk->code, zk->code_b);
        for (unsigned k = 0; k < 1 + n % 4; k++)
            code[opencl_rnd() % zk->code_b] ^=
                (uint8_t)(1u << opencl_rnd() % 8);
        run_damaged(&hurt);
    }
    free(code);
}

START_TEST(damaged_code_gives_a_status)
{
    xk_ctx *c = xk_ctx_create(NULL);
    struct xk_zebin z;
    ck_assert_int_eq(
        xk_zebin_read(c, opencl_memory_zebin[_i], opencl_memory_b[_i], &z),
        XK_OK);
    for (unsigned k = 0; k < z.n_kernels; k++)
        damage_kernel(&z.kernels[k]);
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
}
END_TEST

void opencl_damage_tests(TCase *t)
{
    ALL(truncated_compiler_output_is_refused);
    ALL(damaged_code_gives_a_status);
}
