/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the executable test_conv. */
#ifndef XK_TESTS_CONV_SUITES_H
#define XK_TESTS_CONV_SUITES_H

#include <check.h>

#include "conv/conv.h"

/* A context per test; teardown demands that nothing is left in it. */
extern xk_ctx *test_ctx;
void test_setup(void);
void test_teardown(void);

/* The problem string over XK_CONV_DESC_INIT; fails the test if it is bad. */
struct xk_conv_desc test_parse(const char *text);

Suite *suite_problem(void);
Suite *suite_check(void);
Suite *suite_attr(void);
Suite *suite_tensors(void);
Suite *suite_forward(void);
Suite *suite_post_ops(void);
Suite *suite_sums_inside(void);
Suite *suite_dnnl(void); /* only with XK_HAVE_DNNL */

#endif
