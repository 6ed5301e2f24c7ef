/* SPDX-License-Identifier: Apache-2.0 */
/* Who asks for which rows ahead, so that together they ask for all of them. */
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"

static xk_ctx *c;
static struct xk_nest con;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

static struct xk_plan plan_of(const char *problem, const char *src,
                              const char *text)
{
    static struct xk_plan p;
    ck_assert_msg(plan_lab_flat(c, problem, src, text, &con, &p) == XK_OK,
                  "%s: %s", text, c->error.message);
    return p;
}

/* The machine holds 512 XVEs of 4 threads. */
static const struct {
    const char *text, *src, *schedule;
    unsigned ahead, unit, sharers, each, lanes;
} asks[] = {
    /* 64 x 64: two threads a group, 1024 groups held, one along N */
    {"mb64ic64ih56oc64oh56kh1ph0", "Bcda16b",
     "fma=dpasw m=16 n=64 nsub=64 slots=2,2", 1024, 16, 1, 4, 16},
    {"mb64ic64ih56oc64oh56kh1ph0", "axb",
     "fma=dpasw m=16 n=64 nsub=64 slots=2,2", 1024, 32, 1, 2, 16},
    {"mb64ic64ih56oc64oh56kh1ph0", "axb",
     "fma=dpasw m=24 n=32 nsub=32 slots=2,2 slices=2", 512, 32, 4, 1, 8},
    {"mb64ic64ih28oc256oh28kh1ph0", "axb",
     "fma=dpasw m=32 n=32 nsub=32 slots=2,2", 1024, 32, 8, 1, 16},
    /* 3 along N: their parts of K are two units */
    {"mb64ic64ih28oc192oh28kh1ph0", "axb",
     "fma=dpasw m=32 n=64 nsub=64 grf=256 m=16 slots=2,2", 1024, 32, 3, 1, 16},
    /* all are there at a time */
    {"mb1ic64ih28oc64oh28kh1ph0", "axb",
     "fma=dpasw m=16 n=64 nsub=64 slots=2,2", 0},
    /* 64 lines of each row */
    {"mb64ic2048ih56oc64oh56kh1ph0", "axb",
     "fma=dpasw m=16 n=64 nsub=64 slots=2,2", 0},
};

START_TEST(groups_ask_for_all_of_the_rows_of_later_ones)
{
    char text[128];
    snprintf(text, sizeof text, "%s prefetch=1", asks[_i].schedule);
    const struct xk_plan p = plan_of(asks[_i].text, asks[_i].src, text);
    const struct xk_plan_ahead *const a = &p.flat.ahead;
    ck_assert_uint_eq(a->groups, asks[_i].ahead);
    if (!a->groups) {
        ck_assert_ptr_nonnull(a->why);
        return;
    }
    ck_assert_uint_eq(a->unit, asks[_i].unit);
    ck_assert_uint_eq(a->sharers, asks[_i].sharers);
    ck_assert_uint_eq(a->each, asks[_i].each);
    ck_assert_uint_eq(a->lanes, asks[_i].lanes);
    bool asked[256] = {false};
    for (unsigned who = 0; who < a->sharers; who++)
        for (unsigned n = 0; n < a->each; n++)
            asked[(who + n * a->sharers) % a->units] = true;
    ck_assert_uint_eq(a->units * a->unit, 64);
    for (unsigned u = 0; u < a->units; u++)
        ck_assert(asked[u]);
    ck_assert_uint_eq(p.s.m_thr % a->lanes, 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan_turns");
    TCase *const t = tcase_create("turns");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, groups_ask_for_all_of_the_rows_of_later_ones, 0,
                        XK_COUNTOF(asks));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
