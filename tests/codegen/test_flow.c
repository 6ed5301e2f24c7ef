/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, pipelines, conditions, masks and addresses, against the reference
 * interpreter, which knows pipelines by their definition only. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "harness.h"
#include "suites.h"

#define IN_B (64 << 10)
#define OUT_B (8 << 10)

static void run(const char *text, uint32_t gx, uint32_t gy, uint32_t n_threads)
{
    uint32_t *const in = malloc(IN_B);
    uint32_t *const out = calloc(1, OUT_B);
    for (uint32_t i = 0; i < IN_B / 4; i++) {
        const float f = (float)(i * 2654435761u >> 28) - 7;
        memcpy(&in[i], &f, 4);
    }
    const struct cg_case k = {.text = text,
                              .groups = {gx, gy, 1},
                              .n_threads = n_threads,
                              .buffer = {{in, IN_B}, {out, OUT_B}},
                              .value = 5};
    cg_run(&k);
    free(in);
    free(out);
}

/* %d: trip count, slots. Two buffers of `slots` tiles; a gather of d32x2 and a
 * block load; four multiplies. */
static const char pipe2[] =
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, gx: group_x < 2, "
    "tid: thread < 2) {\n"
    "let lin: s32 = gx * 2 + tid\n"
    "let off: s32x16 = ramp.16(lin * 512, 8)\n"
    "let m: boolx16 = ramp.16(0, 1) < bcast.16(13)\n"
    "alloc a: grf[%d]\nalloc b: grf[%d]\nalloc acc: grf[128]\n"
    "store &acc[0] = bcast.16(0.0)\nstore &acc[64] = bcast.16(1.0)\n"
    "%s"
    "pipe i in 0..%d slots %d stages 2 {\n"
    " stage 0 {\n"
    "  send.load.global.a64.d32x2.s16(&src[0], off + bcast.16(i * 128), "
    "&a[(i %% %d) * 128], m)\n"
    "  send.load.global.a64.d32x32.block(&src[0], lin * 256 + i * 1024, "
    "&b[(i %% %d) * 128], true)\n }\n"
    " stage 1 {\n"
    "  mad.f32.s16.b110(&acc[0], &acc[0], &a[(i %% %d) * 128], "
    "&b[(i %% %d) * 128 + 4])\n"
    "  mad.f32.s16.b110(&acc[64], &acc[64], &a[(i %% %d) * 128 + 64], "
    "&b[(i %% %d) * 128 + 124])\n"
    "  mad.f32.s16.b101(&acc[0], &acc[0], &b[(i %% %d) * 128 + 8], "
    "&a[(i %% %d) * 128])\n"
    " }\n}\n"
    "load v: f32x16 = &acc[0]\nload w: f32x16 = &acc[64]\n"
    "store &acc[0] = max(v + w, bcast.16(0.0))\n"
    "send.store.global.a64.d32x1.s16(&dst[0], ramp.16(lin * 64, 4), &acc[0], "
    "m)\n}\n";

START_TEST(pipelines_of_two_stages_run_every_iteration_once)
{
    char text[3000], zero[400] = "";
    const int trip = 1 + _i % 9, s = 1 + _i / 9;
    int n = 0;
    for (int k = 0; k < 2 * s; k++) /* masked lanes of the gathers */
        n += snprintf(zero + n, sizeof zero - (size_t)n,
                      "store &a[%d] = bcast.16(0.0)\n", 64 * k);
    snprintf(text, sizeof text, pipe2, 128 * s, 128 * s, zero, trip, s, s, s, s,
             s, s, s, s, s);
    if (s == 1) /* one slot: the load must not run ahead */
        return;
    run(text, 2, 1, 2);
}
END_TEST

/* Three stages: the number of the iteration goes through two buffers. */
static const char pipe3[] =
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, tid: thread < 2) {\n"
    "alloc a: grf[%d]\nalloc b: grf[%d]\nalloc acc: grf[64]\n"
    "store &acc[0] = bcast.16(0)\n"
    "pipe i in 0..%d slots %d stages 3 {\n"
    " stage 0 { store &a[(i %% %d) * 64] = bcast.16(i * 7 + tid) }\n"
    " stage 2 { load p: s32x16 = &b[(i %% %d) * 64]\n"
    "           load q: s32x16 = &acc[0]\n"
    "           store &acc[0] = q * bcast.16(3) + p }\n"
    " stage 1 { load r: s32x16 = &a[(i %% %d) * 64]\n"
    "           store &b[(i %% %d) * 64] = r + bcast.16(i) }\n"
    "}\n"
    "send.store.global.a64.d32x1.s16(&dst[0], ramp.16(tid * 64, 4), &acc[0], "
    "bcast.16(true))\n}\n";

START_TEST(pipelines_of_three_stages_run_every_iteration_once)
{
    char text[3000];
    const int trip = 1 + _i % 9, s = 1 + _i / 9;
    snprintf(text, sizeof text, pipe3, 64 * s, 64 * s, trip, s, s, s, s, s);
    run(text, 1, 1, 2);
}
END_TEST

/* %d: trip count, slots; %s: what iteration i adds. */
static const char digits[] =
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, tid: thread < 2) {\n"
    "alloc acc: grf[64]\nstore &acc[0] = bcast.16(tid)\n"
    "pipe i in 0..%d slots %d stages 1 {\n"
    " stage 0 { load q: s32x16 = &acc[0]\n"
    "           store &acc[0] = q * bcast.16(3) + bcast.16(%s) }\n"
    "}\n"
    "send.store.global.a64.d32x1.s16(&dst[0], ramp.16(tid * 64, 4), &acc[0], "
    "bcast.16(true))\n}\n";

static const struct {
    const char *known; /* in each of nine copies of a loop */
    const char *is;    /* of as many different numbers */
} digit_cases[] = {
    {"i / 3 % 3 + 1", "i % 3 + 1"},
    {"(i + 4) / 3 % 3 + 1", "i % 3 + 1"},
    {"i / 3 % 3 * 4 + i % 3 + 1", "i % 9 + 1"},
    {"(i * 2 + 5) / 3 % 3 + 1", "i % 3 + 1"},
    {"i % 9 / 3 + 1", "i % 3 + 1"},
    {"(i - 2) % 9 % 3 + 1", "i % 3 + 1"},
};

START_TEST(digits_of_an_iteration_are_those_of_the_interpreter)
{
    char text[1000];
    const int trip = 10 + _i / 12 % 3 * 17, slots = 1 + _i % 12;
    for (unsigned k = 0; k < XK_COUNTOF(digit_cases); k++) {
        snprintf(text, sizeof text, digits, trip, slots, digit_cases[k].known);
        run(text, 1, 1, 2);
    }
}
END_TEST

START_TEST(digits_are_known_in_each_copy)
{
    const char *const summand[] = {digit_cases[_i].known, digit_cases[_i].is};
    size_t code_b[2];
    for (unsigned k = 0; k < 2; k++) {
        xk_ctx *const c = xk_ctx_create(NULL);
        struct cg_code code;
        char text[1000];
        snprintf(text, sizeof text, digits, 90, 9, summand[k]);
        ck_assert_msg(cg_generate(c, text, 0, &code) == XK_OK, "%s",
                      c->error.message);
        code_b[k] = code.code.len;
        cg_code_fini(&code);
        xk_ctx_destroy(c);
    }
    ck_assert_uint_eq(code_b[0], code_b[1]);
}
END_TEST

static const char *const kernels[] = {
    /* nested loops with variable bounds, an if in the inner one */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc acc: grf[64]\nstore &acc[0] = bcast.16(0)\n"
    "for i in 0..gx + 2 { for j in i..n {\n"
    " if ((i + j) % 3 == 0) { load v: s32x16 = &acc[0]\n"
    "   store &acc[0] = v + ramp.16(i * 100 + j, 1) }\n"
    " else { if (j > 2) { load w: s32x16 = &acc[0]\n"
    "   store &acc[0] = w ^ bcast.16(j * 1000) } }\n"
    "} }\n"
    "send.store.global.a64.d32x1.s16(&dst[0], "
    "ramp.16((gy * 3 + gx) * 64, 4), &acc[0], bcast.16(true))\n}\n",
    /* loops that run zero, one and several times, steps other than one */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc acc: grf[64]\nstore &acc[0] = bcast.16(1)\n"
    "for i in n..5 { load v: s32x16 = &acc[0]\n store &acc[0] = v * "
    "bcast.16(3) }\n"
    "for i in gx..2 step 2 { load v: s32x16 = &acc[0]\n store &acc[0] = v + "
    "bcast.16(i + 17) }\n"
    "for i in 3..4 { load v: s32x16 = &acc[0]\n store &acc[0] = v + "
    "bcast.16(i) }\n"
    "for i in 4..4 { store &acc[0] = bcast.16(-1) }\n"
    "for i in 0..10 step 3 { load v: s32x16 = &acc[0]\n store &acc[0] = v * "
    "bcast.16(2) + bcast.16(i) }\n"
    "send.store.global.a64.d32x1.s16(&dst[0], "
    "ramp.16((gy * 3 + gx) * 64, 4), &acc[0], bcast.16(true))\n}\n",
    /* more masks than flags */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "let l: s32x16 = ramp.16(0, 1)\n"
    "let m0: boolx16 = l < bcast.16(3)\nlet m1: boolx16 = l > bcast.16(9)\n"
    "let m2: boolx16 = (l % bcast.16(3)) == bcast.16(gx)\n"
    "let m3: boolx16 = m0 | m2\nlet m4: boolx16 = m1 & not(m2)\n"
    "let m5: boolx16 = m3 ^ m4\nlet up: bool = n > gx * 3\n"
    "alloc d: grf[64]\n"
    "store &d[0] = select(m0, l, bcast.16(100)) + select(m1, l, "
    "bcast.16(200)) + select(m2 & bcast.16(up), l * bcast.16(1000), "
    "bcast.16(300)) + select(m3 & m4, l, bcast.16(7)) + select(m5, "
    "bcast.16(50000), l)\n"
    "let o: s32x16 = ramp.16((gy * 3 + gx) * 64, 4)\n"
    "send.store.global.a64.d32x1.s16(&dst[0], o, &d[0], m3)\n"
    "send.store.global.a64.d32x1.s16(&dst[0], o + bcast.16(1024), &d[0], m5)\n"
    "send.store.global.a64.d32x1.s16(&dst[0], o + bcast.16(2048), &d[0], "
    "bcast.16(false))\n"
    "if (up) { send.store.global.a64.d32x1.s16(&dst[0], o + bcast.16(3072), "
    "&d[0], bcast.16(up)) }\n}\n",
    /* loads that outlive a store to their buffer; shuffles; reorder */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc d: grf[128]\nalloc e: grf[128]\n"
    "send.load.global.a64.d32x32.block(&src[0], (gy * 3 + gx) * 128, &d[0], "
    "true)\n"
    "load v: s32x16 = &d[0]\nload w: s32x16 = &d[64]\n"
    "store &d[64] = v + w\nstore &d[0] = w\n"
    "load u: s32x16 = &d[64]\nstore &d[32] = u ^ v\n"
    "load z: s32x8 = &d[16]\nstore &d[0] = z + bcast.8(1)\n"
    "reorder.s32_s32[4:1:8, 8:4:1](&e[0], &d[0])\n"
    "send.store.global.a64.d32x32.block(&dst[0], (gy * 3 + gx) * 128, &e[0], "
    "true)\n}\n",
    /* a variable that is a lane of a buffer which is then overwritten; floats
     * at other places of their registers */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc d: grf[128]\nalloc e: grf[64]\n"
    "send.load.global.a64.d32x32.block(&src[0], (gy * 3 + gx) * 128, &d[0], "
    "true)\n"
    "load v: f32x16 = &d[0]\nlet q: f32 = shuffle[3](v)\n"
    "let r: f32x16 = v\nstore &d[0] = bcast.16(7.0)\n"
    "load p: f32x4 = &d[84]\nload o: f32x4 = &d[64]\n"
    "store &e[0] = bcast.16(q) + r\n"
    "store &e[16] = p * o\nstore &e[36] = select(p > o, o - p, neg(p))\n"
    "store &e[48] = mad(p, min(o, p), o)\n"
    "send.store.global.a64.d32x16.block(&dst[0], (gy * 3 + gx) * 64, &e[0], "
    "true)\n}\n",
    /* barriers and fences do no harm */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc d: grf[64]\nstore &d[0] = ramp.16(gx, 3)\n"
    "barrier_signal()\nbarrier_wait()\n"
    "send.store.global.a64.d32x16.block(&dst[0], (gy * 3 + gx) * 64, &d[0], "
    "true)\nfence.global()\nbarrier_signal()\nbarrier_wait()\n}\n",
    /* a systolic multiply, its halves made from floats */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc d: grf[512]\nalloc a: grf[256]\nalloc b: grf[256]\n"
    "alloc acc: grf[256]\n"
    "send.load.global.a64.d32x64.block(&src[0], (gy * 3 + gx) * 512, &d[0], "
    "true)\n"
    "send.load.global.a64.d32x64.block(&src[0], gx * 512 + 256, &d[256], "
    "true)\n"
    "send.load.global.a64.d32x64.block(&src[0], gx * 256 + 4096, &acc[0], "
    "true)\n"
    "reorder.f16_f32[2:64:0, 64:1:1](&a[0], &d[0])\n"
    "reorder.f16_f32[128:1:1](&b[0], &d[0])\n"
    "dpas.f32_f32_f16_f16.e8.d8.r8(&acc[0], &acc[0], &b[0], &a[0])\n"
    "send.store.global.a64.d32x64.block(&dst[0], (gy * 3 + gx) * 256, "
    "&acc[0], true)\n}\n",
    /* bf16 of floats in rows, in columns, not at a register's beginning and one
     * by one, of halves and of numbers; packed, spread, at odd places */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc d: grf[256]\nalloc e: grf[256]\n"
    "send.load.global.a64.d32x64.block(&src[0], (gy * 3 + gx) * 256, &d[0], "
    "true)\n"
    "store &e[0] = bcast.64(0)\n"
    "reorder.bf16_f32[32:1:1](&e[0], &d[0])\n"
    "reorder.bf16_f32[4:1:8, 8:4:1](&e[64], &d[64])\n"
    "reorder.bf16_f32[13:2:1](&e[128], &d[12])\n"
    "reorder.bf16_f32[5:1:2](&e[182], &d[4])\n"
    "reorder.bf16_f32[3:9:5](&e[194], &d[8])\n"
    "reorder.bf16_f16[6:1:1](&e[236], &d[34])\n"
    "reorder.bf16_s32[4:1:1](&e[248], &d[20])\n"
    "send.store.global.a64.d32x64.block(&dst[0], (gy * 3 + gx) * 256, &e[0], "
    "true)\n}\n",
    /* words that become halves of dwords in pairs: rows side by side, lanes
     * apart, at an odd place of a register, alone, and to odd words */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "alloc d: grf[256]\nalloc e: grf[512]\n"
    "send.load.global.a64.d32x64.block(&src[0], (gy * 3 + gx) * 256, &d[0], "
    "true)\n"
    "store &e[0] = bcast.64(0)\nstore &e[256] = bcast.64(0)\n"
    "reorder.f16_f16[2:1:64, 4:16:16, 8:2:1](&e[0], &d[0])\n"
    "reorder.bf16_bf16[2:1:64, 4:32:16, 8:2:2, 2:16:1](&e[128], &d[0])\n"
    "reorder.u16_u16[2:1:48, 2:16:16, 8:2:1](&e[384], &d[18])\n"
    "reorder.s16_s16[2:1:32, 8:2:1](&e[448], &d[64])\n"
    "reorder.s16_s16[2:1:32, 3:5:8, 2:2:1](&e[480], &d[0])\n"
    "send.store.global.a64.d32x64.block(&dst[0], (gy * 3 + gx) * 512, &e[0], "
    "true)\nsend.store.global.a64.d32x64.block(&dst[0], (gy * 3 + gx) * 512 "
    "+ 256, &e[256], true)\n}\n",
    /* vectors of 8, 32 and 64 lanes */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 3, gy: group_y < 2) {\n"
    "let l: s32 = gy * 3 + gx\n"
    "alloc d: grf[256]\nalloc e: grf[256]\n"
    "send.load.global.a64.d32x64.block(&src[0], l * 256, &d[0], true)\n"
    "load v: s32x64 = &d[0]\n"
    "store &e[0] = v * bcast.64(3) + ramp.64(l, 5)\n"
    "load x: s32x32 = &e[16]\nload y: s32x8 = &e[128]\n"
    "store &d[0] = x ^ bcast.32(99)\nstore &d[160] = y + ramp.8(n, 2)\n"
    "store &d[192] = cast.s32(cast.u16(shuffle[0, 1, 2, 3, 4, 5, 6, 7](y)))\n"
    "send.store.global.a64.d32x64.block(&dst[0], l * 256, &d[0], true)\n"
    "}\n",
};

START_TEST(kernels_give_the_interpreters_bytes)
{
    run(kernels[_i], 3, 2, 1);
}
END_TEST

/* Arguments beyond the 32 bytes in r1 come from memory. */
START_TEST(arguments_beyond_the_inline_data_arrive)
{
    run("kernel t simd 16 (src: ptr.global, a0: s32, a1: s32, a2: s32, a3: s32,"
        " a4: s32, a5: s32, a6: s32, a7: s32, a8: s32, a9: s32, aa: s32, "
        "ab: s32, ac: s32, dst: ptr.global, z: s32) {\n"
        "alloc d: grf[64]\nstore &d[0] = ramp.16(a0 + a5 * 10 + a6 * 100 + ac "
        "* 1000 + z * 10000, 1)\n"
        "send.store.global.a64.d32x1.s16(&dst[0], ramp.16(0, 4), &d[0], "
        "bcast.16(true))\n}\n",
        1, 1, 1);
}
END_TEST

TCase *cg_flow_tests(void)
{
    TCase *const t = tcase_create("flow");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, pipelines_of_two_stages_run_every_iteration_once, 0,
                        27);
    tcase_add_loop_test(t, digits_of_an_iteration_are_those_of_the_interpreter,
                        0, 36);
    tcase_add_loop_test(t, digits_are_known_in_each_copy, 0,
                        XK_COUNTOF(digit_cases));
    tcase_add_loop_test(t, pipelines_of_three_stages_run_every_iteration_once,
                        9, 36);
    tcase_add_loop_test(t, kernels_give_the_interpreters_bytes, 0,
                        (int)XK_COUNTOF(kernels));
    tcase_add_test(t, arguments_beyond_the_inline_data_arrive);
    return t;
}
