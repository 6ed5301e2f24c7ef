/* SPDX-License-Identifier: Apache-2.0 */
/* What Intel's driver says of a launch, beside isa/dispatch_limits.def. */
#ifndef XK_TESTS_DRIVER_OCL_LIMITS_H
#define XK_TESTS_DRIVER_OCL_LIMITS_H

#include <CL/cl.h>
#include <check.h>

TCase *ocl_limit_tests(const char *platform, cl_context context);

#endif
