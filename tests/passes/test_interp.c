/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter that judges passes and lowering, judged itself: results
 * worked out by hand from the definitions, and illegal acts it must report. */
#include <stdio.h>
#include <string.h>

#include "tests/ir_interp.h"
#include "tests/passes/tcases.h"

#define HEAD "kernel k simd 16 (src: ptr.global, dst: ptr.global) {\n"
#define STORE "send.store.global.a64.d32x16.block(&dst[0], "

struct world {
    int32_t src[64], dst[64];
    struct xk_interp_report report;
};

/* src[i] = 100 + i, dst[i] = -1. */
static enum xk_status run(const char *text, struct world *w, bool zero_extend)
{
    struct xk_interp_args a = {.zero_extend = zero_extend};
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    for (int i = 0; i < 64; i++) {
        w->src[i] = 100 + i;
        w->dst[i] = -1;
    }
    a.buffer[0].data = w->src;
    a.buffer[1].data = w->dst;
    a.buffer[0].size_b = a.buffer[1].size_b = sizeof(w->src);
    if (xk_kernel_parse(c, text, &k) < 0)
        ck_abort_msg("%s", c->error.message);
    const enum xk_status st = xk_interp_run(c, &k, &a, &w->report);
    xk_ctx_destroy(c);
    return st;
}

/* Scalar expressions; the values of i run through 0, 1, 2 ... by lane. */
static const struct {
    const char *e;
    int32_t first, second; /* lanes 0 and 1 */
} values[] = {
    {"(i - bcast.16(7)) / bcast.16(4)", -2, -2}, /* floor(-7/4), floor(-6/4) */
    {"(i - bcast.16(7)) % bcast.16(4)", 1, 2},
    {"i / bcast.16(-2)", 0, -1},
    {"i % bcast.16(-2)", 0, -1},
    {"(i - bcast.16(8)) >> bcast.16(1)", -4, -4}, /* arithmetic */
    {"cast.s32(cast.u8(i - bcast.16(1)))", 255, 0},
    {"cast.s32(cast.s8(i + bcast.16(127)))", 127, -128},
    {"select(i == bcast.16(1), bcast.16(5), i + bcast.16(9))", 9, 5},
    {"mad(i, bcast.16(3), bcast.16(4))", 12, 13},
    {"add3(i, i, bcast.16(4))", 4, 6},
    {"shuffle[3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0](i)", 3, 1},
    {"min(i, bcast.16(0)) + max(i, bcast.16(7))", 7, 7},
    {"cast.s32(cast.f32(i) * bcast.16(2.5))", 0, 2},
};

START_TEST(an_expression_has_the_value_worked_out_by_hand)
{
    struct world w;
    char text[1024];
    snprintf(text, sizeof(text),
             HEAD "alloc r: grf[64] align 32\n"
                  "let i: s32x16 = ramp.16(0, 1)\n"
                  "store &r[0] = %s\n" STORE "0, &r[0], true)\n}",
             values[_i].e);
    ck_assert_msg(run(text, &w, false) == XK_OK, "%s", w.report.message);
    ck_assert_msg(w.dst[0] == values[_i].first && w.dst[1] == values[_i].second,
                  "%s: %d, %d", values[_i].e, w.dst[0], w.dst[1]);
}
END_TEST

START_TEST(a_gather_puts_each_component_into_registers_of_its_own)
{
    struct world w;
    /* Lane n reads elements 2n and 2n + 1; component 1 begins 64 bytes on. */
    ck_assert_int_eq(
        run(HEAD "alloc r: grf[128] align 32\n"
                 "send.load.global.a64.d32x2.s16(&src[0], ramp.16(0, 8), "
                 "&r[0], bcast.16(true))\n" STORE "0, &r[0], true)\n" STORE
                 "64, &r[64], true)\n}",
            &w, false),
        XK_OK);
    ck_assert_int_eq(w.dst[0], 100);
    ck_assert_int_eq(w.dst[5], 110);
    ck_assert_int_eq(w.dst[16], 101);
    ck_assert_int_eq(w.dst[21], 111);
    ck_assert_int_eq(w.dst[32], -1);
    ck_assert_uint_eq(w.report.load_b, 128);
}
END_TEST

START_TEST(a_lane_that_is_off_leaves_registers_and_memory_alone)
{
    struct world w;
    ck_assert_int_eq(
        run(HEAD "alloc r: grf[64] align 32\n"
                 "let i: s32x16 = ramp.16(0, 1)\n"
                 "store &r[0] = bcast.16(7)\n"
                 "send.load.global.a64.d32x1.s16(&src[0], i * bcast.16(1000), "
                 "&r[0], i == bcast.16(0))\n"
                 "send.store.global.a64.d32x1.s16(&dst[0], i * bcast.16(4), "
                 "&r[0], i < bcast.16(2))\n}",
            &w, false),
        XK_OK);
    ck_assert_int_eq(w.dst[0], 100);
    ck_assert_int_eq(w.dst[1], 7);
    ck_assert_int_eq(w.dst[2], -1);
}
END_TEST

START_TEST(a_pipe_runs_its_stages_one_iteration_apart)
{
    struct world w;
    /* At time t stage 0 runs for i = t, then stage 1 for i = t - 1: what stage
     * 1 sees in r is what stage 0 wrote last, one iteration further. */
    ck_assert_int_eq(
        run(HEAD "alloc r: grf[4] align 32\nalloc o: grf[64] align 32\n"
                 "store &o[0] = bcast.16(0)\n"
                 "pipe i in 0..4 slots 2 stages 2 {\n"
                 "stage 0 { store &r[0] = i * 10 }\n"
                 "stage 1 { load x: s32 = &r[0]\n store &o[i * 4] = x + i }\n"
                 "}\n" STORE "0, &o[0], true)\n}",
            &w, false),
        XK_OK);
    ck_assert_int_eq(w.dst[0], 10);
    ck_assert_int_eq(w.dst[1], 21);
    ck_assert_int_eq(w.dst[2], 32);
    ck_assert_int_eq(w.dst[3], 33); /* the drain: stage 0 has ended */
}
END_TEST

START_TEST(a_mad_broadcasts_the_sources_of_stride_0)
{
    struct world w;
    float f[16];
    ck_assert_int_eq(
        run(HEAD "alloc a: grf[64] align 32\nalloc b: grf[64] align 32\n"
                 "store &a[0] = bcast.16(1.5)\n"
                 "store &b[0] = cast.f32(ramp.16(2, 1))\n"
                 "mad.f32.s16.b110(&a[0], &a[0], &b[0], &b[4])\n" STORE
                 "0, &a[0], true)\n}",
            &w, false),
        XK_OK);
    memcpy(f, w.dst, sizeof(f));
    ck_assert_float_eq(f[0], 7.5f);   /* 1.5 + 2 * 3 */
    ck_assert_float_eq(f[15], 52.5f); /* 1.5 + 17 * 3 */
    ck_assert_uint_eq(w.report.n_mads, 1);
}
END_TEST

static const struct {
    const char *body, *message;
} faults[] = {
    {"alloc r: grf[64] align 32\nsend.load.global.a64.d32x16.block(&src[0], "
     "196, &r[0], true)",
     "of src, which has 256"},
    {"alloc r: grf[64] align 32\nsend.load.global.a64.d32x16.block(&src[0], "
     "0 - 4, &r[0], true)",
     "bytes [-4, 0) of src"},
    {"alloc r: grf[32] align 32\nstore &r[0] = bcast.16(1)",
     "bytes [32, 36) of r, which has 32"},
    {"alloc r: grf[64] align 32\nload x: s32 = &r[8]\nstore &r[0] = x",
     "byte 8 of r was never written"},
    {"alloc r: grf[64] align 32\nsend.store.global.a64.d32x16.block(&dst[0], "
     "0, &r[0], true)",
     "byte 0 of r was never written"},
    {"alloc r: grf[64] align 32\nstore &r[0] = 3\nload x: s32 = &r[0]\n"
     "store &r[0] = 7 / (x - 3)",
     "division by zero"},
    {"alloc h: grf[32] align 32\nalloc r: grf[64] align 32\n"
     "store &h[0] = 5:u64\n"
     "sendh.load.global.a64.d32x16.block(&h[0], &r[0], true)",
     "address 0x5 belongs to no buffer"},
};

START_TEST(an_illegal_act_is_reported)
{
    struct world w;
    char text[1024];
    snprintf(text, sizeof(text), HEAD "%s\n}", faults[_i].body);
    ck_assert_int_eq(run(text, &w, false), XK_EFAULT);
    ck_assert_msg(strstr(w.report.message, faults[_i].message) != NULL, "%s",
                  w.report.message);
}
END_TEST

START_TEST(zero_extension_can_be_told_from_sign_extension)
{
    static const char text[] =
        HEAD "alloc r: grf[64] align 32\nstore &r[0] = bcast.16(0)\n"
             "store &r[0] = cast.u64(0 - 1)\n" STORE "0, &r[0], true)\n}";
    struct world w;
    ck_assert_int_eq(run(text, &w, false), XK_OK);
    ck_assert_int_eq(w.dst[1], -1);
    ck_assert_int_eq(run(text, &w, true), XK_OK);
    ck_assert_int_eq(w.dst[1], 0);
}
END_TEST

TCase *xk_test_interp(void)
{
    TCase *const t = tcase_create("interp");
    tcase_add_loop_test(t, an_expression_has_the_value_worked_out_by_hand, 0,
                        (int)XK_COUNTOF(values));
    tcase_add_test(t, a_gather_puts_each_component_into_registers_of_its_own);
    tcase_add_test(t, a_lane_that_is_off_leaves_registers_and_memory_alone);
    tcase_add_test(t, a_pipe_runs_its_stages_one_iteration_apart);
    tcase_add_test(t, a_mad_broadcasts_the_sources_of_stride_0);
    tcase_add_loop_test(t, an_illegal_act_is_reported, 0,
                        (int)XK_COUNTOF(faults));
    tcase_add_test(t, zero_extension_can_be_told_from_sign_extension);
    return t;
}
