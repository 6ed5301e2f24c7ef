/* SPDX-License-Identifier: Apache-2.0 */
/* Several queues, several engines, several processes. */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/driver/l0_host.h"

extern char **environ;

#define N_E 4096
#define LOCAL 64

static const int factor = 3, more = 1;

static ze_kernel_handle_t make_step(int *a)
{
    const struct l0_arg args[] = {L0_POINTER(a), L0_VALUE(factor),
                                  L0_VALUE(more)};
    return l0_kernel(l0_here.module, "step", LOCAL, 3, args);
}

/* Both queues work on buffers of their own, and in turn on a common one. */
START_TEST(two_compute_queues_take_turns)
{
    int *a[3];
    ze_kernel_handle_t k[3];
    struct l0_list l[2];
    for (unsigned j = 0; j < 3; j++) {
        a[j] = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * N_E);
        for (int i = 0; i < N_E; i++)
            a[j][i] = i;
        k[j] = make_step(a[j]);
    }
    for (unsigned j = 0; j < 2; j++)
        l0_begin(&l[j], &l0_here, false, l0_here.compute);
    for (unsigned t = 0; t < 4; t++) {
        for (unsigned j = 0; j < 2; j++) {
            l0_launch(&l[j], k[j], N_E / LOCAL, NULL, 0, NULL);
            if (t % 2 == j)
                l0_launch(&l[j], k[2], N_E / LOCAL, NULL, 0, NULL);
            l0_submit(&l[j], NULL);
        }
        for (unsigned j = 0; j < 2; j++) {
            l0_wait(&l[j]);
            l0_reset(&l[j]);
        }
    }
    for (int i = 0; i < N_E; i++) { /* 3^4 i + 1 + 3 + 9 + 27, everywhere */
        ck_assert_int_eq(a[0][i], 81 * i + 40);
        ck_assert_int_eq(a[1][i], 81 * i + 40);
        ck_assert_int_eq(a[2][i], 81 * i + 40);
    }
    for (unsigned j = 0; j < 3; j++) {
        L0(zeKernelDestroy(k[j]));
        l0_free(&l0_here, a[j]);
    }
    l0_end(&l[0]);
    l0_end(&l[1]);
}
END_TEST

/* Copy engine in, kernel, copy engine out; events between the engines. */
START_TEST(engines_hand_buffers_on_through_events)
{
    static int in[N_E], out[N_E];
    struct l0_events e;
    struct l0_list l[2]; /* compute, copy */
    if (!l0_here.has_copy)
        return;
    int *const a = l0_alloc(&l0_here, L0_DEVICE, sizeof in);
    ze_kernel_handle_t k = make_step(a);
    l0_begin(&l[0], &l0_here, false, l0_here.compute);
    l0_begin(&l[1], &l0_here, false, l0_here.copy);
    for (int t = 0; t < 4; t++) {
        l0_events_make(&e, &l0_here, 3, _i);
        for (int i = 0; i < N_E; i++)
            in[i] = i + 1000 * t;
        L0(zeCommandListAppendMemoryCopy(l[1].list, a, in, sizeof in,
                                         e.event[0], 0, NULL));
        l0_submit(&l[1], NULL);
        l0_launch(&l[0], k, N_E / LOCAL, e.event[1], 1, &e.event[0]);
        l0_submit(&l[0], NULL);
        l0_wait(&l[1]);
        l0_reset(&l[1]);
        L0(zeCommandListAppendMemoryCopy(l[1].list, out, a, sizeof out,
                                         e.event[2], 1, &e.event[1]));
        l0_submit(&l[1], NULL);
        L0(zeEventHostSynchronize(e.event[2], UINT64_MAX));
        for (unsigned j = 0; j < 2; j++) {
            l0_wait(&l[j]);
            l0_reset(&l[j]);
        }
        for (int i = 0; i < N_E; i++)
            ck_assert_msg(out[i] == 3 * (i + 1000 * t) + 1,
                          "iteration %d, element %d: %d", t, i, out[i]);
        l0_events_drop(&e);
    }
    l0_end(&l[0]);
    l0_end(&l[1]);
    L0(zeKernelDestroy(k));
    l0_free(&l0_here, a);
}
END_TEST

int l0_queue_child(void)
{
    int *const a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * N_E);
    ze_kernel_handle_t k = make_step(a);
    struct l0_list l;
    int bad = 0;
    l0_begin(&l, &l0_here, false, l0_here.compute);
    for (int t = 0; t < 8; t++) {
        for (int i = 0; i < N_E; i++)
            a[i] = i * 7 + t + getpid();
        l0_launch(&l, k, N_E / LOCAL, NULL, 0, NULL);
        l0_finish(&l);
        for (int i = 0; i < N_E; i++)
            bad |= a[i] != 3 * (i * 7 + t + getpid()) + 1;
    }
    l0_end(&l);
    return bad;
}

/* This process keeps its own device meanwhile. */
START_TEST(two_processes_run_at_once_on_one_server)
{
    char *const args[] = {(char *)"test_l0", (char *)l0_here.platform,
                          (char *)"child", NULL};
    pid_t child[2];
    int status;
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(
            posix_spawn(&child[k], "/proc/self/exe", NULL, NULL, args, environ),
            0);
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(waitpid(child[k], &status, 0), child[k]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                      "process %d ends with status 0x%x", k, status);
    }
}
END_TEST

/* Last: what was submitted was executed by us, and nothing was wrong. */
START_TEST(the_device_has_executed_without_complaints)
{
    if (!l0_here.device_model)
        return;
    ck_assert_uint_gt(l0_here.n_launches, 20); /* also of this case alone */
    ck_assert_uint_eq(l0_here.n_said, 0);
}
END_TEST

TCase *l0_queue_tests(void)
{
    TCase *const t = tcase_create("queue");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, two_compute_queues_take_turns);
    tcase_add_loop_test(t, engines_hand_buffers_on_through_events, 0, 2);
    tcase_add_test(t, two_processes_run_at_once_on_one_server);
    tcase_add_test(t, the_device_has_executed_without_complaints);
    return t;
}
