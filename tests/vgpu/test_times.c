/* SPDX-License-Identifier: Apache-2.0 */
/* vgpu/tbx_times.c with a driver whose answers are chosen here: queued and
 * submitted are the start, what is a period of the clock late comes back by it,
 * and what the driver refuses is refused. */
#include <string.h>

#include "tests/tap.h"
#include "tests/vgpu/fake_profiling.h"

enum { QUEUED, SUBMIT, START, END, COMPLETE };
#define NOT_AVAILABLE (-7)
#define PERIOD_NS ((uint64_t)((double)(UINT64_C(1) << 32) * 83.333))

int32_t clGetEventProfilingInfo(void *event, uint32_t name, size_t size_b,
                                void *value, size_t *value_b);

static int32_t ask(unsigned which, uint64_t *time)
{
    *time = 1;
    return clGetEventProfilingInfo(NULL, FAKE_QUEUED + which, sizeof *time,
                                   time, NULL);
}

static void fresh(void)
{
    memset(&fake, 0, sizeof fake);
    fake.time[START] = 500 + 2 * PERIOD_NS;
    fake.time[END] = fake.time[COMPLETE] = 700 + 2 * PERIOD_NS;
    fake.time[QUEUED] = UINT64_MAX;
    fake.time[SUBMIT] = UINT64_MAX - 1;
}

START_TEST(all_times_are_the_device_s)
{
    static const uint64_t want[] = {500, 500, 500, 700, 700};
    for (unsigned k = 0; k < FAKE_N; k++) {
        uint64_t t;
        ck_assert_int_eq(ask(k, &t), 0);
        ck_assert_uint_eq(t, want[k]);
    }
}
END_TEST

/* A start is one answer, not the difference of two. */
START_TEST(a_start_is_asked_for_once)
{
    uint64_t t;
    fake.step = 40;
    ck_assert_int_eq(ask(START, &t), 0);
    ck_assert_uint_eq(t, 500);
    ck_assert_uint_eq(fake.n_asked[START], 1);
}
END_TEST

START_TEST(what_the_driver_refuses_is_refused)
{
    uint64_t t;
    fake.status[START] = NOT_AVAILABLE;
    for (unsigned k = 0; k < FAKE_N; k++)
        ck_assert_int_eq(ask(k, &t), NOT_AVAILABLE);
    fake.status[START] = 0;
    fake.status[END] = NOT_AVAILABLE;
    ck_assert_int_eq(ask(END, &t), NOT_AVAILABLE);
    ck_assert_int_eq(ask(START, &t), 0);
}
END_TEST

/* Only a size is asked for, or there is no room for the time. */
START_TEST(other_questions_are_the_driver_s)
{
    size_t n_b = 0;
    uint32_t small = 0;
    ck_assert_int_eq(
        clGetEventProfilingInfo(NULL, FAKE_QUEUED + END, 0, NULL, &n_b), 0);
    ck_assert_uint_eq(n_b, 8);
    ck_assert_int_eq(clGetEventProfilingInfo(NULL, FAKE_QUEUED + END,
                                             sizeof small, &small, NULL),
                     -30);
    ck_assert_int_eq(
        clGetEventProfilingInfo(NULL, FAKE_QUEUED + 9, 0, NULL, NULL), -30);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("times");
    TCase *const t = tcase_create("times");
    tcase_add_checked_fixture(t, fresh, NULL);
    tcase_add_test(t, all_times_are_the_device_s);
    tcase_add_test(t, a_start_is_asked_for_once);
    tcase_add_test(t, what_the_driver_refuses_is_refused);
    tcase_add_test(t, other_questions_are_the_driver_s);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
