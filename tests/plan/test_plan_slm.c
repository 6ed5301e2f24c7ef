/* SPDX-License-Identifier: Apache-2.0 */
/* A through SLM: what of the loop is worked out, and each reason against it.
 * The plan is asked directly, so that schedules come which the rules refuse. */
#include <string.h>

#include "conv/conv.h"
#include "plan/plan.h"
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
    struct xk_conv_desc d = XK_CONV_DESC_INIT, full;
    struct xk_conv_info info = {.size = sizeof(info)};
    const char *const any[3] = {src, wei, "acdb"};
    d.prop = XK_FWD_D;
    d.src_type = d.wei_type = XK_F16;
    ck_assert_int_eq(xk_conv_parse(c, text, &d, NULL, 0), XK_OK);
    ck_assert_msg(xk_conv_check(c, &d, &full) == XK_OK, "%s", c->error.message);
    ck_assert_int_eq(xk_conv_tensors(c, &full, any, &info), XK_OK);
    ck_assert_msg(xk_conv_contraction(c, &full, &info, &con) == XK_OK, "%s",
                  c->error.message);
}

static enum xk_status make(const char *change)
{
    struct xk_schedule s = {0};
    ck_assert_int_eq(
        xk_schedule_parse(c, "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=4x2 "
                             "slots=1,1 slm=3 addr=surface grf=256", &s),
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
    /* Fewer than 65535 bytes. */
    {"K spans too many bytes", "mb1ic32768ih1oc32kh1", SRC, WEI, ""},
    {NULL, "mb1ic32752ih1oc32kh1", SRC, WEI, ""},
    {"its tile cannot be divided between the threads", "mb1ic64ih8oc64kh3ph1",
     SRC, WEI, "tg=1x4"},
    {"too many filter taps", "mb1ic64ih8oc64kh5ph2", SRC, WEI, ""},
    /* 5 taps, 3 buffers: 15 bodies; two buffers of B make it 30. */
    {NULL, "mb1ic64ih9iw4oc64kh5kw1ph2", SRC, WEI, "slots=1,1"},
    {"too many copies of the loop's body", "mb1ic64ih9iw4oc64kh5kw1ph2", SRC,
     WEI, "slots=1,2"},
    /* 3 buffers of 32 threads * 2 tiles * 256 bytes; twice as many are more
     * than 64 KiB. */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=32x2"},
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
    bool b_in_order;
    unsigned blocks, per_thread, taps, copies, trip;
    int64_t step_b;
} loops[] = {
    /* blocks = 4 * 16 / 8; copies = lcm(9, 3); trip = 9 * 64 / 16 */
    {"mb1ic64ih8oc64kh3ph1", WEI, "", true, 8, 1, 9, 9, 36, 32},
    {"mb1ic64ih8oc64kh3ph1", "AcdB32a16b", "", false, 8, 1, 9, 9, 36, 32},
    {"mb1ic64ih8oc64kh3ph1", WEI, "slots=1,2", true, 8, 1, 9, 18, 36, 32},
    {"mb1ic64ih8oc64kh3ph1", WEI, "m=32 slm=2", true, 16, 2, 9, 18, 36, 32},
    {"mb1ic64ih8oc64kh3ph1", WEI, "slm=1", true, 8, 1, 9, 9, 36, 32},
    /* One tap: both orders of the weights are the same. */
    {"mb1ic64ih8oc64kh1", WEI, "", true, 8, 1, 1, 3, 4, 32},
    {"mb1ic64ih8oc64kh1", "AcdB32a16b", "", true, 8, 1, 1, 3, 4, 32},
    /* One step: nothing comes after it. */
    {"mb1ic16ih8iw5oc64kh2kw1", WEI, "tg=8x2", true, 16, 1, 2, 6, 2, 32},
    {"mb1ic16ih8iw5oc64kh2kw1", "AcdB32a16b", "tg=8x2", true, 16, 1, 2, 6, 2,
     32},
};

START_TEST(the_loop_is_worked_out)
{
    problem(loops[_i].text, SRC, loops[_i].wei);
    ck_assert_msg(make(loops[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_int_eq(p.slm.b_in_order, loops[_i].b_in_order);
    ck_assert_uint_eq(p.slm.blocks, loops[_i].blocks);
    ck_assert_uint_eq(p.slm.per_thread, loops[_i].per_thread);
    ck_assert_uint_eq(p.slm.taps, loops[_i].taps);
    ck_assert_uint_eq(p.slm.copies, loops[_i].copies);
    ck_assert_uint_eq(p.slm.trip, loops[_i].trip);
    ck_assert_uint_eq(p.slm.buffers, p.s.slm);
    ck_assert_uint_eq(p.slm.slot_b, loops[_i].blocks * 256);
    ck_assert_int_eq(p.slm.step_b, loops[_i].step_b);
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
