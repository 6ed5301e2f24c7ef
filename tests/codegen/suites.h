/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XK_TESTS_CODEGEN_SUITES_H
#define XK_TESTS_CODEGEN_SUITES_H

#include <check.h>

TCase *cg_arith_tests(void);
TCase *cg_divide_tests(void);
TCase *cg_dpas_guard_tests(void);
TCase *cg_far_tests(void); /* tag far: slow */
TCase *cg_flow_tests(void);
TCase *cg_place_tests(void);
TCase *cg_scoreboard_tests(void);
TCase *cg_scoreboard_list_tests(void);
TCase *cg_thread_end_tests(void);
TCase *cg_whole_tests(void);
TCase *cg_wide_tests(void);

#endif
