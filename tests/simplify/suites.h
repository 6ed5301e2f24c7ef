/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XK_TESTS_SIMPLIFY_SUITES_H
#define XK_TESTS_SIMPLIFY_SUITES_H

#include <check.h>

TCase *simplify_rule_cases(void);
TCase *simplify_table_cases(void);
TCase *simplify_fuzz_cases(void);

#endif
