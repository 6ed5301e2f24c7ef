/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of all kinds, and the ids of work items. */
#include "opencl_lab.h"

#include <string.h>

#include "runtime/args.h"
#include "sim/sim.h"

START_TEST(reduction_through_local_memory_and_barriers)
{
    enum { ITEMS = 512, LOCAL_N = 128, LEN = 3001 };
    int32_t in[LEN], want[ITEMS / LOCAL_N] = {0}, got[ITEMS / LOCAL_N];
    const int32_t n = LEN;
    for (int i = 0; i < LEN; i++) {
        in[i] = (int32_t)opencl_rnd() >> 8;
        want[i % ITEMS / LOCAL_N] += in[i];
    }
    RUN(MEMORY, "reduce", ITEMS, LOCAL_N, OUT(got), IN(in), LOCAL(LOCAL_N * 4),
        VAL(n));
    SAME("reduce", got, want);
}
END_TEST

START_TEST(transposition_of_tiles)
{
    enum { W = 48, H = 32 };
    const uint32_t groups[3] = {W / 16, H / 16, 1}, local[3] = {16, 16, 1};
    int32_t in[W * H], want[W * H], got[W * H];
    for (int i = 0; i < W * H; i++) {
        in[i] = (int32_t)opencl_rnd();
        want[i % W * H + i / W] = in[i];
    }
    RUN_3D(MEMORY, "transpose", groups, local, OUT(got), IN(in));
    SAME("transpose", got, want);
}
END_TEST

START_TEST(bytes_and_words)
{
    int8_t c[N + 1];
    uint8_t wb[N], gb[N];
    int16_t ww[N], gw[N];
    for (int i = 0; i <= N; i++)
        c[i] = (int8_t)opencl_rnd();
    for (int i = 0; i < N; i++) {
        const int v = c[i] * 3 - c[i + 1];
        wb[i] = (uint8_t)v;
        ww[i] = (int16_t)(v * 100 + wb[i]);
    }
    RUN(MEMORY, "bytes", N, 25, OUT(gb), OUT(gw), IN(c));
    SAME("bytes", gb, wb);
    SAME("words", gw, ww);
}
END_TEST

START_TEST(vectors_at_64_bit_offsets)
{
    float in[4 * N], want[4 * N], got[4 * N];
    uint64_t at[N];
    for (int i = 0; i < 4 * N; i++)
        in[i] = (float)(opencl_rnd() % 1000);
    for (int i = 0; i < N; i++) {
        at[i] = opencl_rnd() % N;
        for (int k = 0; k < 4; k++)
            want[4 * i + k] = in[4 * at[i] + 3 - k] * 2.0f + in[4 * at[i] + k];
    }
    RUN(MEMORY, "vectors", N, 10, OUT(got), IN(in), IN(at));
    SAME("vectors", got, want);
}
END_TEST

START_TEST(atomics_in_global_memory)
{
    int32_t v[N], sum[1] = {0}, stat[6] = {INT32_MIN, INT32_MAX, 0, 0, 0, 0};
    int32_t want[6], got[6], slot[N];
    uint8_t seen[N] = {0};
    memcpy(want, stat, sizeof(want));
    for (int i = 0; i < N; i++) {
        v[i] = (int32_t)opencl_rnd() >> 8;
        want[0] = v[i] > want[0] ? v[i] : want[0];
        want[1] = v[i] < want[1] ? v[i] : want[1];
        want[2] |= (int32_t)(1u << (v[i] & 31));
        want[3] ^= v[i];
        want[4] -= v[i];
        want[5] += v[i];
    }
    RUN(MEMORY, "atomics", N, 50, FROM_TO(sum, sum), OUT(slot),
        FROM_TO(stat, got), IN(v));
    ck_assert_int_eq(sum[0], N);
    for (int i = 0; i < N; i++) {
        ck_assert(slot[i] >= 0 && slot[i] < N);
        ck_assert_int_eq(seen[slot[i]]++, 0);
    }
    SAME("atomics", got, want);
}
END_TEST

START_TEST(atomics_in_local_memory)
{
    int32_t v[N], want[16] = {0}, got[16];
    for (int i = 0; i < N; i++) {
        v[i] = (int32_t)opencl_rnd();
        want[i / 100 * 8 + (v[i] & 7)]++;
    }
    RUN(MEMORY, "local_atomics", N, 100, OUT(got), IN(v));
    SAME("local_atomics", got, want);
}
END_TEST

START_TEST(sub_group_block_reads_and_writes)
{
    enum { ITEMS = 128, LEN = ITEMS * 4 };
    uint32_t in[LEN], want[LEN], got[LEN];
    for (uint32_t i = 0; i < LEN; i++) {
        in[i] = opencl_rnd();
        want[i] = in[i] * 3 + i % 16;
    }
    RUN(MEMORY, "blocks", ITEMS, 32, OUT(got), IN(in));
    SAME("blocks", got, want);
}
END_TEST

START_TEST(ids_in_three_dimensions)
{
    const uint32_t groups[3] = {2, 3, 2}, local[3] = {5, 3, 4};
    enum { W = 10, H = 9, D = 8 };
    int32_t want[W * H * D], got[W * H * D];
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                want[(z * H + y) * W + x] =
                    x % 5 + 100 * (y % 3) + 10000 * (z % 4) +
                    1000000 * (x / 5 + 4 * (y / 3) + 16 * (z / 4)) + 3;
    RUN_3D(MEMORY, "ids", groups, local, OUT(got));
    SAME("ids", got, want);
}
END_TEST

static uint64_t fixed_va(const xk_buffer *b)
{
    (void)b;
    return UINT64_C(0x4fffffff00);
}

/* As above, but the ids come from memory by the kernel's prologue, which a
 * driver chooses when the hardware cannot make them. */
START_TEST(ids_loaded_by_the_prologue)
{
    const uint32_t groups[3] = {2, 1, 1}, local[3] = {7, 3, 2};
    int32_t got[84], want[84];
    uint8_t cross[1024];
    struct xk_error err = {.message = ""};
    struct xk_zebin z;
    uint32_t slm_b;
    xk_sim_kernel *k;
    for (int i = 0; i < 84; i++)
        want[i] = i % 14 % 7 + 100 * (i / 14 % 3) + 10000 * (i / 42) +
                  1000000 * (i % 14 / 7) + 1;
    xk_ctx *c = xk_ctx_create(NULL);
    ck_assert_int_eq(
        xk_zebin_read(c, opencl_memory_zebin[_i], opencl_memory_b[_i], &z),
        XK_OK);
    const struct xk_zkernel *zk = z.kernels;
    while (strcmp(zk->name, "ids") != 0)
        zk++;
    xk_buffer *b = opencl_buffer(NULL, 4);
    const struct xk_launch_arg arg = {.buffer = b};
    ck_assert_int_eq(
        xk_args_marshal(zk,
                        &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                                 "ids", groups, local, 1, &arg},
                        &(struct xk_args_places){.va_of = fixed_va}, cross,
                        &slm_b, &err),
        XK_OK);
    ck_assert_int_eq(
        xk_sim_kernel_create(NULL, xk_platform_find("xehpg"), zk, &k, &err),
        XK_OK);
    struct xk_sim_region r = {fixed_va(b), sizeof(got), (uint8_t *)got};
    const struct xk_sim_launch l = {.kernel = k,
                                    .groups = {2, 1, 1},
                                    .local = {7, 3, 2},
                                    .cross_thread = cross,
                                    .cross_thread_b = zk->cross_thread_b,
                                    .regions = &r,
                                    .n_regions = 1,
                                    .memory_local_ids = true};
    ck_assert_msg(xk_sim_launch(&l, NULL, &err) == XK_OK, "%s", err.message);
    SAME("ids", got, want);
    xk_sim_kernel_destroy(k);
    xk_buffer_unref(b);
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
}
END_TEST

void opencl_memory_tests(TCase *t)
{
    ALL(reduction_through_local_memory_and_barriers);
    ALL(transposition_of_tiles);
    ALL(bytes_and_words);
    ALL(vectors_at_64_bit_offsets);
    ALL(atomics_in_global_memory);
    ALL(atomics_in_local_memory);
    UNFORCED(sub_group_block_reads_and_writes);
    ALL(ids_in_three_dimensions);
    ALL(ids_loaded_by_the_prologue);
}
