/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that wait for one another (seats.cl), on one host thread and on two:
 * all that the machine has room for come to run, and a launch in which one
 * waits for what never comes ends with a sentence. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/ocl.h"
#include "tests/tap.h"
#include "xekern/simulate.h"

#define N_GROUPS 24u
#define N_ROUNDS 3u
#define N_OUT ((N_ROUNDS + 1) * N_GROUPS)

static const struct {
    const char *name, *device;
} platforms[] = {{"xelp", "tgllp"}, {"xehpg", "acm-g10"}, {"xehpc", "pvc"}};
/* Not race: it does not know this order (docs/simulator.md, "Locks"). */
static const char *const checks[] = {"none", "mem,init,sync,hazard"};
#define N_PLATFORMS (sizeof platforms / sizeof *platforms)
#define N_CHECKS (sizeof checks / sizeof *checks)

static xk_device *device;
static xk_module *module;
static uint32_t out[N_OUT];
static struct xk_error err;

static void set_up(unsigned platform, unsigned n_host_threads)
{
    static uint8_t *file[N_PLATFORMS];
    static size_t n_b[N_PLATFORMS];
    if (!file[platform])
        file[platform] = ocl_compile(XK_SEATS_CL, platforms[platform].device, 0,
                                     &n_b[platform]);
    ck_assert_msg(file[platform], "not compiled for %s",
                  platforms[platform].device);
    ck_assert_msg(xk_device_create("sim", platforms[platform].name,
                                   n_host_threads, &device, &err) == XK_OK &&
                      xk_module_create(device, file[platform], n_b[platform],
                                       &module, &err) == XK_OK,
                  "%s", err.message);
}

static void tear_down(void)
{
    xk_module_unref(module);
    xk_device_unref(device);
}

static xk_buffer *make_buffer(uint32_t n_b)
{
    static const uint8_t zero[N_OUT * 4];
    xk_buffer *b = NULL;
    ck_assert_msg(xk_buffer_create(device, n_b, &b, &err) == XK_OK &&
                      xk_buffer_write(b, 0, zero, n_b, &err) == XK_OK,
                  "%s", err.message);
    return b;
}

static enum xk_status launch_groups(const char *kernel, uint32_t n,
                                    const struct xk_simulate_opts *look)
{
    static const uint32_t local[] = {16, 1, 1};
    const uint32_t groups[] = {n, 1, 1};
    const uint32_t rounds = N_ROUNDS;
    const struct xk_launch_arg arg[3] = {{.buffer = make_buffer(sizeof out)},
                                         {.buffer = make_buffer(64)},
                                         {.value = &rounds, .size_b = 4}};
    ck_assert_int_eq(xk_simulate_configure(device, look, &err), XK_OK);
    err.message[0] = 0;
    const enum xk_status s =
        xk_launch(module,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           kernel, groups, local, 3, arg},
                  NULL, &err);
    struct xk_error other;
    ck_assert_int_eq(xk_buffer_read(arg[0].buffer, 0, out, sizeof out, &other),
                     XK_OK);
    xk_buffer_unref(arg[0].buffer);
    xk_buffer_unref(arg[1].buffer);
    return s;
}

static enum xk_status launch(const char *kernel,
                             const struct xk_simulate_opts *look)
{
    return launch_groups(kernel, N_GROUPS, look);
}

/* i: the platform, the checks, one host thread or two. */
static void expect_to_meet(const char *kernel, unsigned i)
{
    uint32_t want[2][N_GROUPS] = {{0}};
    set_up(i % N_PLATFORMS, 1 + i / N_PLATFORMS % 2);
    const char *const on = checks[i / N_PLATFORMS / 2];
    const enum xk_status s =
        launch(kernel, &(struct xk_simulate_opts){.checks = on});
    ck_assert_msg(s == XK_OK, "%s", err.message);
    for (unsigned r = 1; r <= N_ROUNDS; r++)
        for (unsigned g = 0; g < N_GROUPS; g++) {
            want[r % 2][g] = want[(r - 1) % 2][(g + 1) % N_GROUPS] + g;
            ck_assert_uint_eq(out[r * N_GROUPS + g], want[r % 2][g]);
        }
    tear_down();
}

START_TEST(all_groups_meet)
{
    expect_to_meet("meet", (unsigned)_i);
}
END_TEST

START_TEST(a_change_is_seen_before_the_next_one)
{
    expect_to_meet("meet_in_time", (unsigned)_i);
}
END_TEST

/* The limit is what the one needs, and a little more. _i + 1 host threads. */
START_TEST(others_wait_for_one_that_works_long)
{
    uint32_t x = N_ROUNDS;
    set_up(1, (unsigned)_i + 1);
    const enum xk_status s = launch(
        "long_first", &(struct xk_simulate_opts){.inst_limit = 14000000});
    ck_assert_msg(s == XK_OK, "%s", err.message);
    for (unsigned k = 0; k < 20000000; k++)
        x = x * 1664525u + 1013904223u;
    for (unsigned g = 0; g < N_GROUPS; g++)
        ck_assert_uint_eq(out[g], x);
    tear_down();
}
END_TEST

/* The check for races takes groups in their order, so the host thread of the
 * last one waits until the first one has ended, which is in step still: about
 * one launch in five was caught. */
START_TEST(a_group_that_has_ended_keeps_nobody_in_step)
{
    set_up(1, 2);
    for (unsigned k = 0; k < 20; k++) {
        const enum xk_status s = launch_groups(
            "last_first", 2, &(struct xk_simulate_opts){.checks = "race"});
        ck_assert_msg(s == XK_OK, "%s", err.message);
        ck_assert_uint_eq(out[0], out[1]);
    }
    tear_down();
}
END_TEST

START_TEST(what_never_comes_ends_the_launch)
{
    const struct xk_simulate_opts look = {.inst_limit = 1000000};
    set_up((unsigned)_i, 1);
    ck_assert_int_eq(launch("in_vain", &look), XK_EFAULT);
    ck_assert_msg(strstr(err.message, "instruction limit of 1000000 reached "
                                      "in the loop from"),
                  "'%s'", err.message);
    tear_down();
}
END_TEST

/* The sentence is about the store, not about those that wait. */
START_TEST(a_fault_is_told_though_others_wait)
{
    set_up((unsigned)_i % N_PLATFORMS, 1);
    const char *const on = checks[(unsigned)_i / N_PLATFORMS];
    ck_assert_int_eq(
        launch("left_alone", &(struct xk_simulate_opts){.checks = on}),
        XK_EFAULT);
    ck_assert_msg(strstr(err.message, "group 23,0,0"), "'%s'", err.message);
    ck_assert_msg(!strstr(err.message, "limit"), "'%s'", err.message);
    tear_down();
}
END_TEST

int main(void)
{
    if (!ocl_available()) {
        puts("1..0 # SKIP ocloc or iga64 is not installed");
        return 0;
    }
    Suite *const s = suite_create("seats");
    TCase *const t = tcase_create("seats");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, all_groups_meet, 0, 2 * N_PLATFORMS * N_CHECKS);
    tcase_add_loop_test(t, a_change_is_seen_before_the_next_one, 0,
                        2 * N_PLATFORMS * N_CHECKS);
    tcase_add_loop_test(t, others_wait_for_one_that_works_long, 0, 2);
    tcase_add_test(t, a_group_that_has_ended_keeps_nobody_in_step);
    tcase_add_loop_test(t, what_never_comes_ends_the_launch, 0, N_PLATFORMS);
    tcase_add_loop_test(t, a_fault_is_told_though_others_wait, 0,
                        N_PLATFORMS * N_CHECKS);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
