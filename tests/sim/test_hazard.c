/* SPDX-License-Identifier: Apache-2.0 */
/* The hazard checker: its rules on a few instructions each, and whole launches
 * with it on. */
#include "tests/sim/hazard_tests.h"
#include "tests/tap.h"

int main(void)
{
    Suite *const s = suite_create("hazard");
    suite_add_tcase(s, hazard_rules());
    suite_add_tcase(s, hazard_runs());
    return xk_tap_run(s);
}
