/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's OpenCL driver in AUB capture mode, through the real libOpenCL: as
 * ze.h, with the same jobs and the same setup. */
#ifndef XK_TESTS_DRIVER_CL_H
#define XK_TESTS_DRIVER_CL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "tests/driver/ze.h"

struct cl_driver {
    void *library;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    /* Memory that host and device see at one address: an extension. */
    clSharedMemAllocINTEL_fn alloc;
    clMemFreeINTEL_fn free;
    clSetKernelArgMemPointerINTEL_fn set_pointer;
};

/* NULL or why there is no such driver; sets its environment first. */
const char *cl_open_as(struct cl_driver *d, const struct ze_setup *s);
void cl_close(struct cl_driver *d);
/* clEnqueueNDRangeKernel; the first call that fails, or NULL. All buffers must
 * have data; `times` and `indirect` do not count. */
const char *cl_run(struct cl_driver *d, const struct ze_job *job,
                   cl_int *result);

#endif
