/* SPDX-License-Identifier: Apache-2.0 */
/* A through SLM: what of the loop is worked out, and each reason against it.
 * The plan is asked directly, so that schedules come which the rules refuse. */
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"
#include "tests/tap.h"

static xk_ctx *c;
static struct xk_contraction con;
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
        xk_schedule_parse(c, "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=4x2 "
                             "slots=1,1 slm=3 depth=1 addr=surface grf=256", &s),
        XK_OK);
    ck_assert_int_eq(xk_schedule_parse(c, change, &s), XK_OK);
    return xk_plan_make(c, xk_platform_get(XK_PLATFORM_XEHPG), &con, &s, &p);
}

/* NHWC: a row of K is 2 * ic bytes. Weights in blocks of 32 x 16. */
#define SRC "acdb"
#define WEI "ABcd32a16b"

static const struct {
    const char *why, *text, *src, *wei, *change;
} refused[] = {
    {"its rows are no dwords of K", "mb1ic64ih8oc64kh3ph1", "abcd", WEI, ""},
    {"its rows are no dwords of K", "mb1ic63ih8oc64kh3ph1", SRC, WEI, ""},
    {"B is not loaded in blocks", "mb1ic64ih8oc64kh3ph1", SRC, "acdb", ""},
    {"K is no multiple of a step", "mb1ic24ih8oc64kh3ph1", SRC, WEI, ""},
    {"its steps of K are not evenly spaced", "mb1ic64ih8oc64kh3ph1", "aBcd32b",
     WEI, ""},
    /* Fewer than 16777215 bytes. */
    {"K spans too many bytes", "mb1ic8388608ih1oc32kh1", SRC, WEI, ""},
    {NULL, "mb1ic8388592ih1oc32kh1", SRC, WEI, ""},
    {"its tile cannot be divided between the threads", "mb1ic64ih8oc64kh3ph1",
     SRC, WEI, "tg=1x4"},
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
    /* 8 tiles in 4 depths, two of them a unit, for 8 threads and for 32. */
    {NULL, "mb1ic64ih8oc64kh1", SRC, WEI, "depth=4"},
    {"its tile cannot be divided between the threads", "mb1ic64ih8oc64kh1",
     SRC, WEI, "tg=4x8 depth=4"},
    /* 4 places of 8 threads * 2 tiles * 256 bytes, or of 32; three times
     * as many take 32 tiles' place each, then 64's: more than 64 KiB. */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=32x2"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=48x2"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=48x2 slm=2"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=64x2"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=64x2 slm=0"},
};

START_TEST(each_reason_is_said)
{
    problem(refused[_i].text, refused[_i].src, refused[_i].wei);
    const enum xk_status st = make(refused[_i].change);
    ck_assert_msg(st == (refused[_i].why ? XK_ENOFIT : XK_OK), "%d: %s", st,
                  c->error.message);
    if (refused[_i].why)
        ck_assert_msg(strstr(c->error.message, refused[_i].why) &&
                          strstr(c->error.message, "plan: A through SLM: "),
                      "%s", c->error.message);
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

int main(void)
{
    Suite *const s = suite_create("slm");
    TCase *const t = tcase_create("slm");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_reason_is_said, 0, XK_COUNTOF(refused));
    tcase_add_loop_test(t, the_loop_is_worked_out, 0, XK_COUNTOF(loops));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
