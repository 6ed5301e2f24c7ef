/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a step of the loop over all of K: every row of the tile is multiplied
 * once, every message of A sent once, and none over registers that a later multiply
 * of the step reads: a message brings eight rows (isa.md 7: lanes of src1). And who
 * asks for which rows ahead, so that together they ask for all of them. */
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"

#define ONE_TAP "mb16ic64ih16oc64oh16kh1ph0"
#define NINE_TAPS "mb16ic64ih16oc64oh16kh3ph1"

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

static bool uses_a(const struct xk_plan_msg *a, unsigned row)
{
    return row >= a->row && row < a->row + 8u;
}

/* Loads a .. a_end - 1 of A, behind turn u. */
static void check_turn(const struct xk_plan *p, unsigned u, unsigned a)
{
    for (unsigned later = u + 1; later < p->flat.n_turns; later++) {
        const struct xk_plan_turn *const t = &p->flat.turn[later];
        for (unsigned k = a; k < p->flat.turn[u].a_end; k++)
            for (unsigned row = t->row; row < t->row + t->rows; row++)
                ck_assert(!uses_a(&p->seg[0].a.item[k].msg, row));
    }
}

static void check_turns(const struct xk_plan *p)
{
    unsigned hits[64] = {0}, a = 0;
    for (unsigned u = 0; u < p->flat.n_turns; u++) {
        const struct xk_plan_turn *const t = &p->flat.turn[u];
        for (unsigned row = t->row; row < t->row + t->rows; row++)
            hits[row]++;
        ck_assert_uint_gt(t->a_end, a);
        check_turn(p, u, a);
        a = t->a_end;
    }
    ck_assert_uint_eq(a, p->seg[0].a.n);
    for (unsigned row = 0; row < 64; row++)
        ck_assert_uint_eq(hits[row], row < p->s.m_thr);
}

/* turns: how many there are. */
static const struct {
    const char *schedule;
    unsigned turns;
} rows[] = {
    {"fma=dpasw m=32 n=32 nsub=32 slots=2,2", 4},
    {"fma=dpasw m=16 n=64 nsub=64 slots=2,2", 2},
    {"fma=dpasw m=24 n=32 nsub=32 slots=3,3", 3},
    {"fma=dpas m=16 n=32 nsub=32 slots=1,2", 2},
    {"fma=dpas m=8 n=8 nsub=8 slots=1,1", 1},
    {"fma=dpasw m=24 n=32 nsub=32 slots=2,2 spread=88", 3},
};

START_TEST(a_step_multiplies_once_and_loads_over_what_it_used)
{
    const struct xk_plan p =
        plan_of("mb16ic64ih16oc64oh16kh3ph1", "Bcda16b",
                rows[_i].schedule);
    check_turns(&p);
    ck_assert_uint_eq(p.flat.n_turns, rows[_i].turns);
    ck_assert_uint_eq(p.a.stage, p.flat.stage - p.a.slots);
    ck_assert_uint_eq(p.b.stage, p.flat.stage - p.b.slots);
}
END_TEST

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
    tcase_add_loop_test(t, a_step_multiplies_once_and_loads_over_what_it_used, 0,
                        XK_COUNTOF(rows));
    tcase_add_loop_test(t, groups_ask_for_all_of_the_rows_of_later_ones, 0,
                        XK_COUNTOF(asks));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
