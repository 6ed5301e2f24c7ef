/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero programs on the virtual device, through Intel's driver.
 * argv: PLATFORM [large]; "child" is the second process of a test. */
#include <stdio.h>
#include <string.h>

#include "tests/driver/l0_host.h"

static Suite *suite(bool large)
{
    Suite *const s = suite_create("l0");
    if (large) {
        suite_add_tcase(s, l0_large_tests());
        return s;
    }
    suite_add_tcase(s, l0_memory_tests());
    suite_add_tcase(s, l0_copy_tests());
    suite_add_tcase(s, l0_event_tests());
    suite_add_tcase(s, l0_kernel_tests());
    suite_add_tcase(s, l0_program_tests());
    suite_add_tcase(s, l0_queue_tests());
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: test_l0 PLATFORM [large|child]\n", stderr);
        return 2;
    }
    const char *const absent = l0_open(&l0_here, argv[1]);
    if (absent) {
        printf("1..0 # SKIP %s\n", absent);
        return 0;
    }
    if (argc > 2 && !strcmp(argv[2], "child"))
        return l0_queue_child();
    l0_here.testing = true;
    SRunner *const r =
        srunner_create(suite(argc > 2 && !strcmp(argv[2], "large")));
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    l0_here.testing = false;
    l0_close(&l0_here);
    return failed ? 1 : 0;
}
