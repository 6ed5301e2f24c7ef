/* SPDX-License-Identifier: Apache-2.0 */
/* A program of several launches through OpenCL's own calls. */
#ifndef XK_TESTS_DRIVER_OCL_PROGRAM_H
#define XK_TESTS_DRIVER_OCL_PROGRAM_H

#include <CL/cl.h>
#include <check.h>

/* On an in-order queue of a device of the platform. */
TCase *ocl_program_tests(const char *platform, cl_context context,
                         cl_command_queue queue);

#endif
