/* SPDX-License-Identifier: Apache-2.0 */
/* Test cases of this folder beside test_tools.c's own. */
#ifndef XK_TESTS_TOOLS_TCASES_H
#define XK_TESTS_TOOLS_TCASES_H

#include <check.h>

TCase *xk_tcase_reference(void);
TCase *xk_tcase_types(void);

#endif
