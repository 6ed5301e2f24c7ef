/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels compiled by Intel's compiler on the simulator and compares with
 * the same computation in C. */
#include <stdio.h>

#include "opencl_lab.h"
#include "tests/runtime/ocl.h"
#include "tests/tap.h"

static Suite *suite(void)
{
    Suite *s = suite_create("opencl");
    TCase *t = tcase_create("compiled kernels");
    tcase_set_timeout(t, 120);
    opencl_arith_tests(t);
    opencl_memory_tests(t);
    opencl_damage_tests(t);
    opencl_flow_tests(t);
    opencl_float_tests(t);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    if (!ocl_available()) {
        /* Not exit 77: meson takes that for a crash when the protocol is TAP.
         */
        printf("1..0 # SKIP ocloc or iga64 is not installed\n");
        return 0;
    }
    if (!opencl_load()) {
        printf("1..1\nnot ok 1 - kernels compile and load\n");
        return 1;
    }
    const int r = xk_tap_run(suite());
    opencl_unload();
    return r;
}
