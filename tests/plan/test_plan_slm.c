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
        test_set_schedule(
            c,
            "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=4x2 "
            "walk=:po slices=1 slots=1,1 slm=3 addr=surface grf=256",
            &s),
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
    {"walk=:po: rows of A are no dwords of K", "mb1ic64ih8oc64kh3ph1", "aBcd4b",
     WEI, ""},
    {"walk=:po: K is no multiple of a step", "mb1ic24ih8oc64kh3ph1", SRC, WEI,
     ""},
    {"walk=:po: B is not loaded in blocks", "mb1ic64ih8oc64kh3ph1", SRC, "acdb",
     ""},
    {"walk=:po: A's steps of K are not evenly spaced", "mb1ic64ih8oc64kh3ph1",
     "aBcd32b", WEI, ""},
    /* Fewer than 268435455 bytes: four steps of so many pixels of 32, and one.
     */
    {"walk=:po: K spans too many bytes", "mb1ic64ih2048iw820oc32kh1kw1",
     "aBcd16b", WEI, ""},
    {NULL, "mb1ic64ih2048iw819oc32kh1kw1", "aBcd16b", WEI, ""},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=1x4"}, /* 2 tiles, 4 threads */
    /* Each tap has a body; three buffers make it three, two of B six. */
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "slots=1,2"},
    {"walk=:po: too many copies of the loop's body",
     "mb1ic64ih9iw9oc64kh5kw2ph2", SRC, WEI, "slots=1,2"},
    {"walk=:po: too many copies of the loop's body",
     "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "unroll=19"},
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "unroll=18"},
    /* 3 places of 32 * 16 rows of 32 bytes; 48 * 16; 2 of these; 3 of 64 * 16.
     */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=32x2"},
    {"slm=3: its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=48x2"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=48x2 slm=2"},
    {"slm=3: its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=64x2"},
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
    snprintf(want, sizeof(want), "plan: %s", refused[_i].why);
    ck_assert_str_eq(c->error.message, want);
}
END_TEST

/* By hand: 4 * 16 rows are 8 units of 8, of 256 bytes each. */
static const struct {
    const char *change;
    unsigned share_b, place_b;
    const char *calls;
} loops[] = {
    {"", 256, 2048,
     "stage(ra) pipe(ra_u ahead=2 slots=1; ra_s ahead=1 slots=3; rb ahead=1 "
     "slots=1; "
     "copies=9)"},
    {"slots=1,2", 256, 2048,
     "stage(ra) pipe(ra_u ahead=2 slots=1; ra_s ahead=1 slots=3; rb ahead=1 "
     "slots=2; "
     "copies=18)"},
    {"m=32 slm=2", 512, 4096,
     "stage(ra) pipe(ra_u ahead=1 slots=1; ra_s ahead=1 slots=2; rb ahead=1 "
     "slots=1; "
     "copies=18)"},
    {"slm=1", 256, 2048,
     "stage(ra) pipe(ra_u ahead=1 slots=1; ra_s ahead=0 slots=1; rb ahead=1 "
     "slots=1; "
     "copies=9)"},
    /* 6 units for 12 threads: half of them bring the last one once more. */
    {"m=16 tg=3x4", 256, 3072,
     "stage(ra) pipe(ra_u ahead=2 slots=1; ra_s ahead=1 slots=3; rb ahead=1 "
     "slots=1; "
     "copies=9)"},
};

START_TEST(shares_and_calls)
{
    struct xk_str s;
    problem("mb1ic64ih8oc64kh3ph1", SRC, WEI);
    ck_assert_msg(make(loops[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_uint_eq(p.slm.share_b, loops[_i].share_b);
    ck_assert_uint_eq(p.slm.place_b, loops[_i].place_b);
    xk_str_init(&s, NULL);
    xk_plan_print_calls(&p, &s);
    ck_assert_str_eq(xk_str_get(&s), loops[_i].calls);
    xk_str_fini(&s);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("slm");
    TCase *const t = tcase_create("slm");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_reason_is_said, 0, XK_COUNTOF(refused));
    tcase_add_loop_test(t, shares_and_calls, 0, XK_COUNTOF(loops));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
