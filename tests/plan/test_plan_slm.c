/* SPDX-License-Identifier: Apache-2.0 */
/* A through SLM: what of the loop is worked out, and each reason against it.
 * The plan is asked directly, so that schedules come which the rules refuse. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"
#include "tests/tap.h"
#include "tests/set_schedule.h"

static xk_ctx *c;
static struct xk_nest con;
static struct xk_plan p;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    xk_ctx_clear(c);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* The contraction of an f16 problem with these layouts. */
static void problem(const char *text, const char *src, const char *wei)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.src_type = d.wei_type = XK_F16;
    plan_lab_contraction(c, text, &d, src, wei, &con);
}

static enum xk_status make(const char *change)
{
    struct xk_schedule s = {0};
    ck_assert_int_eq(
        test_set_schedule(c, "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=4x2 "
                             "taps=inner slices=1 slots=1,1 slm=3 depth=1 addr=surface grf=256", &s),
        XK_OK);
    ck_assert_int_eq(test_set_schedule(c, change, &s), XK_OK);
    return xk_plan_make(c, xk_platform_get(XK_PLATFORM_XEHPG), &con, &s, &p);
}

/* NHWC: a row of K is 2 * ic bytes. Weights in blocks of 32 x 16. */
#define SRC "acdb"
#define WEI "ABcd32a16b"

static const struct {
    const char *why, *text, *src, *wei, *change;
} refused[] = {
    /* Elements of K apart are packed on their way in, evenly spaced ones. */
    {NULL, "mb1ic64ih8oc64kh3ph1", "abcd", WEI, ""},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", "abcd", WEI,
     "depth=2"},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", "aBcd4b", WEI, ""},
    {"K is no multiple of a step", "mb1ic63ih8oc64kh3ph1", SRC, WEI, ""},
    {"B is not loaded in blocks", "mb1ic64ih8oc64kh3ph1", SRC, "acdb", ""},
    {"K is no multiple of a step", "mb1ic24ih8oc64kh3ph1", SRC, WEI, ""},
    {"A's steps of K are not evenly spaced", "mb1ic64ih8oc64kh3ph1", "aBcd32b",
     WEI, ""},
    /* Fewer than 268435455 bytes: four steps of so many pixels of 32. */
    {"K spans too many bytes", "mb1ic64ih2048iw1024oc32kh1kw1", "aBcd16b", WEI, ""},
    {NULL, "mb1ic64ih2048iw1023oc32kh1kw1", "aBcd16b", WEI, ""},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=1x4"}, /* 2 tiles, 4 threads */
    {"too many filter taps", "mb1ic64ih8oc64kh5ph2", SRC, WEI, ""},
    {"K is no multiple of a step", "mb1ic80ih8oc64kh3ph1", SRC, WEI,
     "depth=2"},
    /* Each tap has a body; two buffers of B make it two, depths are in it. */
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "slots=1,2"},
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "slots=1,2 depth=2"},
    {"too many copies of the loop's body", "mb1ic64ih9iw9oc64kh5kw3ph2", SRC,
     WEI, "slots=1,2"},
    {"too many copies of the loop's body", "mb1ic64ih9iw9oc64kh3kw3ph2", SRC,
     WEI, "depth=4"},
    {"too many copies of the loop's body", "mb1ic64ih9iw4oc64kh3kw3ph2", SRC,
     WEI, "unroll=19"},
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "unroll=18"},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "depth=2 load_a=elements"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "load_a=elements"},
    /* 8 tiles in 4 depths, two of them a unit, for 8 threads and for 32. */
    {NULL, "mb1ic64ih8oc64kh1", SRC, WEI, "depth=4"},
    {NULL, "mb1ic64ih8oc64kh1", SRC, WEI, "tg=4x8 depth=4"},
    /* 4 places of 8 threads * 2 tiles * 256 bytes, or of 32; three times
     * as many take 32 tiles' place each, then 64's: more than 64 KiB. */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=32x2"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=48x2"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=48x2 slm=2"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=64x2"},
    /* Each slice has its own. */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=48x2 slm=2 slices=1"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=24x2 slices=4"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=64x2 slm=0"},
};

START_TEST(each_reason_is_said)
{
    problem(refused[_i].text, refused[_i].src, refused[_i].wei);
    const enum xk_status st = make(refused[_i].change);
    ck_assert_msg(st == (refused[_i].why ? XK_ENOFIT : XK_OK), "%d: %s", st,
                  c->error.message);
    if (!refused[_i].why)
        return;
    char want[100];
    snprintf(want, sizeof(want), "plan: slm=%u: %s", p.s.slm, refused[_i].why);
    ck_assert_str_eq(c->error.message, want);
}
END_TEST

/* Worked out by hand from the head of lower/slm_loop.c. */
static const struct {
    const char *text, *wei, *change;
    unsigned blocks, per_thread, taps, copies, trip;
    int64_t step_b, b_depth_b, b_tap_b; /* 0: there is but one */
} loops[] = {
    /* blocks = 4 * 16 / 8; copies = 9; trip = 9 * 64 / 16; a tile of B has 32
     * rows of 32 bytes: taps inside of K, or outside. */
    {"mb1ic64ih8oc64kh3ph1", WEI, "", 8, 1, 9, 9, 36, 32, 9216, 1024},
    {"mb1ic64ih8oc64kh3ph1", "AcdB32a16b", "", 8, 1, 9, 9, 36, 32, 1024, 4096},
    {"mb1ic64ih8oc64kh3ph1", WEI, "slots=1,2", 8, 1, 9, 18, 36, 32, 9216, 1024},
    {"mb1ic64ih8oc64kh3ph1", WEI, "m=32 slm=2", 16, 2, 9, 9, 36, 32, 9216,
     1024},
    {"mb1ic64ih8oc64kh3ph1", WEI, "slm=1", 8, 1, 9, 9, 36, 32, 9216, 1024},
    /* Two depths: half the steps, twice as long; B's slots need no copy. */
    {"mb1ic64ih8oc64kh3ph1", WEI, "depth=2 slots=1,2", 8, 1, 9, 9, 18, 64, 9216,
     1024},
    {"mb1ic64ih8oc64kh1", WEI, "depth=4 slots=1,2", 8, 2, 1, 1, 1, 128, 1024,
     0},
    /* Two slices have half the steps each. */
    {"mb1ic64ih8oc64kh3ph1", WEI, "slices=2", 8, 1, 9, 9, 18, 32, 9216, 1024},
    {"mb1ic64ih8oc64kh1", WEI, "depth=2 slices=2", 8, 1, 1, 1, 1, 64,
     1024, 0},
    /* One tap: both orders of the weights are the same. */
    {"mb1ic64ih8oc64kh1", WEI, "", 8, 1, 1, 1, 4, 32, 1024, 0},
    {"mb1ic64ih8oc64kh1", "AcdB32a16b", "", 8, 1, 1, 1, 4, 32, 1024, 0},
    /* One step: nothing comes after it. */
    {"mb1ic16ih8iw5oc64kh2kw1", WEI, "tg=8x2", 16, 1, 2, 2, 2, 32, 0, 1024},
    {"mb1ic16ih8iw5oc64kh2kw1", "AcdB32a16b", "tg=8x2", 16, 1, 2, 2, 2, 32, 0,
     1024},
};

START_TEST(the_loop_is_worked_out)
{
    problem(loops[_i].text, SRC, loops[_i].wei);
    ck_assert_msg(make(loops[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_uint_eq(p.slm.blocks, loops[_i].blocks);
    ck_assert_uint_eq(p.slm.per_thread, loops[_i].per_thread);
    ck_assert_uint_eq(p.slm.taps, loops[_i].taps);
    ck_assert_uint_eq(p.slm.copies, loops[_i].copies);
    ck_assert_uint_eq(p.slm.trip, loops[_i].trip);
    ck_assert_uint_eq(p.slm.buffers, p.s.slm);
    ck_assert_uint_eq(p.slm.slot_b, loops[_i].blocks * 256 * p.s.depth);
    ck_assert_int_eq(p.slm.step_b, loops[_i].step_b);
    ck_assert_int_eq(p.slm.b_depth_b, loops[_i].b_depth_b);
    ck_assert_int_eq(p.slm.b_tap_b, loops[_i].b_tap_b);
}
END_TEST

/* 49 rows are 7 blocks of 8, 4 of 16 and 2 of 32: with tiles of 16 rows a group
 * has two or one of them a thread. */
static const struct {
    const char *change;
    unsigned groups, full; /* along M; 0: all are */
} spread[] = {
    {"tg=1x2", 4, 0},          {"tg=1x2 spread=5", 5, 2},
    {"tg=1x2 spread=6", 6, 1}, {"tg=2x2 spread=3", 3, 1},
    {"tg=2x2 spread=3 slm=0 taps=inner", 3, 1},
};

START_TEST(rows_are_spread)
{
    problem("mb1ic64ih7oc64kh1", SRC, WEI);
    ck_assert_msg(make(spread[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_uint_eq(p.groups[1], spread[_i].groups);
    ck_assert_uint_eq(p.full_groups, spread[_i].full);
    ck_assert(p.a.row_masked && p.epi.m_masked);
    struct xk_str s;
    char want[80];
    xk_str_init(&s, NULL);
    xk_plan_print(&p, &s);
    snprintf(want, sizeof(want), "16 in the first %u groups along M, 8 in the",
             spread[_i].full);
    ck_assert_int_eq(strstr(xk_str_get(&s), want) != NULL, spread[_i].full > 0);
    xk_str_fini(&s);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("slm");
    TCase *const t = tcase_create("slm");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_reason_is_said, 0, XK_COUNTOF(refused));
    tcase_add_loop_test(t, the_loop_is_worked_out, 0, XK_COUNTOF(loops));
    tcase_add_loop_test(t, rows_are_spread, 0, XK_COUNTOF(spread));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
