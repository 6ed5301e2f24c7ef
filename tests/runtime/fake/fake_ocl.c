/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL loader with a driver that does nothing and fails on demand. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "tests/runtime/fake/fake_answer.h"

char fake_thing;

/* clang-format off */
#define DOES_NOTHING(name, ...)                                                \
    cl_int name(__VA_ARGS__) { return fake_answer(#name); }
#define MAKES(name, type, ...)                                                 \
    type name(__VA_ARGS__, cl_int *result)                                     \
    {                                                                          \
        *result = fake_answer(#name);                                          \
        return *result ? NULL : FAKE_HANDLE;                                   \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
DOES_NOTHING(clGetPlatformInfo, cl_platform_id p, cl_platform_info i, size_t n_b, void *v, size_t *r)
MAKES(clCreateContext, cl_context, const cl_context_properties *p, cl_uint n, const cl_device_id *d, void (CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u)
DOES_NOTHING(clReleaseContext, cl_context c)
MAKES(clCreateCommandQueue, cl_command_queue, cl_context c, cl_device_id d, cl_command_queue_properties p)
DOES_NOTHING(clReleaseCommandQueue, cl_command_queue q)
MAKES(clCreateBuffer, cl_mem, cl_context c, cl_mem_flags f, size_t n_b, void *p)
MAKES(clCreateSubBuffer, cl_mem, cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void *p)
DOES_NOTHING(clReleaseMemObject, cl_mem m)
DOES_NOTHING(clEnqueueWriteBuffer, cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t n_b, const void *p, cl_uint n, const cl_event *w, cl_event *e)
DOES_NOTHING(clEnqueueReadBuffer, cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t n_b, void *p, cl_uint n, const cl_event *w, cl_event *e)
MAKES(clCreateProgramWithBinary, cl_program, cl_context c, cl_uint n, const cl_device_id *d, const size_t *n_b, const unsigned char **p, cl_int *s)
DOES_NOTHING(clBuildProgram, cl_program p, cl_uint n, const cl_device_id *d, const char *o, void (CL_CALLBACK *f)(cl_program, void *), void *u)
DOES_NOTHING(clReleaseProgram, cl_program p)
MAKES(clCreateKernel, cl_kernel, cl_program p, const char *name)
DOES_NOTHING(clReleaseKernel, cl_kernel k)
DOES_NOTHING(clSetKernelArg, cl_kernel k, cl_uint i, size_t n_b, const void *v)
DOES_NOTHING(clFlush, cl_command_queue q)
DOES_NOTHING(clWaitForEvents, cl_uint n, const cl_event *e)
DOES_NOTHING(clReleaseEvent, cl_event e)
/* clang-format on */

cl_int clGetPlatformIDs(cl_uint most, cl_platform_id *out, cl_uint *n)
{
    *n = 1;
    *out = FAKE_HANDLE;
    return fake_answer("clGetPlatformIDs");
}

cl_int clGetDeviceIDs(cl_platform_id p, cl_device_type t, cl_uint most,
                      cl_device_id *out, cl_uint *n)
{
    *n = 1;
    *out = FAKE_HANDLE;
    return fake_answer("clGetDeviceIDs");
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n_b, void *v,
                       size_t *r)
{
    unsigned long long x = 0;
    switch (what) {
    case CL_DEVICE_VENDOR_ID:
        x = 0x8086;
        break;
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        x = 1ull << 34;
        break;
    case CL_DEVICE_ID_INTEL:
        x = fake_number("FAKE_ID", 0x56a0);
        break;
    case CL_DEVICE_IP_VERSION_INTEL:
        x = fake_number("FAKE_IP", 0);
        break;
    }
    if (what == CL_DEVICE_NAME || what == CL_DRIVER_VERSION)
        strcpy(v, "fake");
    else
        memcpy(v, &x, n_b < sizeof x ? n_b : sizeof x);
    return fake_answer("clGetDeviceInfo");
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d,
                             cl_program_build_info what, size_t n_b, void *v,
                             size_t *r)
{
    const char *const log = getenv("FAKE_LOG") ? getenv("FAKE_LOG") : "";
    if (r)
        *r = strlen(log) + 1;
    if (v)
        memcpy(v, log, strlen(log) + 1);
    return CL_SUCCESS;
}

cl_int clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t n_b, void *v,
                       size_t *r)
{
    const cl_uint one = 1;
    memcpy(v, &one, sizeof one);
    return fake_answer("clGetKernelInfo");
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint n,
                              const size_t *offset, const size_t *items,
                              const size_t *local, cl_uint n_wait,
                              const cl_event *w, cl_event *e)
{
    *e = FAKE_HANDLE;
    return fake_answer("clEnqueueNDRangeKernel");
}

cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t n_b,
                               void *v, size_t *r)
{
    const cl_ulong x = what == CL_PROFILING_COMMAND_START
                           ? fake_number("FAKE_START", 0)
                           : fake_number("FAKE_END", 0);
    memcpy(v, &x, sizeof x);
    return fake_answer("clGetEventProfilingInfo");
}
