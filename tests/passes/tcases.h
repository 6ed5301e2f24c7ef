/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XK_TESTS_PASSES_TCASES_H
#define XK_TESTS_PASSES_TCASES_H

#include <check.h>

TCase *xk_test_interp(void);

#endif
