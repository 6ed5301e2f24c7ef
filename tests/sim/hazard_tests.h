/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of test_hazard. */
#ifndef XK_TESTS_SIM_HAZARD_TESTS_H
#define XK_TESTS_SIM_HAZARD_TESTS_H

#include <check.h>

TCase *hazard_rules(void);
TCase *hazard_runs(void);

#endif
