/* SPDX-License-Identifier: Apache-2.0 */
/* A walker's dispatch mask has 32 bits whatever the threads' width is: Intel's
 * driver 22.43 writes all ones where the last thread of a group of 8 or 16
 * channels is full (GpgpuWalkerHelper, setGpgpuWalkerThreadData). Channels that
 * a thread has not take no part: nobody is left for an if that none of the
 * others takes, so that it jumps. */
#include <check.h>

#include "tests/sim/check_lab.h"
#include "tests/tap.h"

static const char *const on[] = {"xelp", "xehpg"};

START_TEST(channels_that_a_thread_has_not_take_no_branch)
{
    struct check_lab x = {
        .platform = on[_i],
        .n_threads = 1,
        .last_mask = UINT32_MAX,
        .text = "(W) mov (1|M0) f0.0<1>:uw 0:uw\n"
                "sync.nop null {A@1}\n"
                "(f0.0) if (8|M0) END END\n"
                "(W) mov (8|M0) r20.0<1>:ud 7:ud\n"
                "END:\nendif (8|M0) OUT\nOUT:\n"
                "(W) add (8|M0) r20.0<1>:ud r20.0<1;1,0>:ud 1:ud {A@1}\n"};

    ck_assert_msg(check_lab_run(&x) == XK_OK, "%s", x.err.message);
    for (unsigned k = 0; k < 8; k++)
        ck_assert_uint_eq(x.out[0][k], 1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("last mask");
    TCase *const t = tcase_create("last mask");
    tcase_add_loop_test(t, channels_that_a_thread_has_not_take_no_branch, 0, 2);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
