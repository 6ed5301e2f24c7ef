/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tap.h"

#include "suites.h"

int main(void)
{
    Suite *const s = suite_create("codegen");
    suite_add_tcase(s, cg_arith_tests());
    suite_add_tcase(s, cg_divide_tests());
    suite_add_tcase(s, cg_dpas_guard_tests());
    suite_add_tcase(s, cg_flow_tests());
    suite_add_tcase(s, cg_place_tests());
    suite_add_tcase(s, cg_scoreboard_tests());
    suite_add_tcase(s, cg_scoreboard_list_tests());
    suite_add_tcase(s, cg_thread_end_tests());
    suite_add_tcase(s, cg_whole_tests());
    suite_add_tcase(s, cg_wide_tests());
    suite_add_tcase(s, cg_far_tests());
    return xk_tap_run(s);
}
