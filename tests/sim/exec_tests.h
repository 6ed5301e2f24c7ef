/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of test_exec: each adds its cases to the suite. */
#ifndef XK_TESTS_SIM_EXEC_TESTS_H
#define XK_TESTS_SIM_EXEC_TESTS_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void exec_convert_tests(Suite *s);
void exec_dpas_tests(Suite *s);
void exec_macro_tests(Suite *s);
void exec_arith_tests(Suite *s);
void exec_flow_tests(Suite *s);
void exec_float_tests(Suite *s);

/* The host's rounding mode, numbered as in cr0[5:4]. */
void exec_round(unsigned mode);
/* Two floats of 2 (hf), 4 or 8 bytes. */
bool exec_both_nan(const void *a, const void *b, unsigned size_b);

#endif
