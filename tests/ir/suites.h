/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of the ir folder; one program runs them all. */
#ifndef XK_TESTS_IR_SUITES_H
#define XK_TESTS_IR_SUITES_H

#include <check.h>

TCase *ir_expr_cases(void);
TCase *ir_text_cases(void);
TCase *ir_tiling_cases(void);
TCase *ir_verify_cases(void);

#endif
