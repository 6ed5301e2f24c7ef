/* SPDX-License-Identifier: Apache-2.0 */
/* The engine "ocl". It opens OpenCL's loader when a device is asked for. The
 * types are those of the packaged headers, which only declare; no function is
 * linked. */
#ifndef XK_RUNTIME_OCL_H
#define XK_RUNTIME_OCL_H

#include <pthread.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue */
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "runtime/engine.h"

/* clang-format off */
#define XK_OCL_CALLS(X)                                                        \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs)                 \
    X(clGetDeviceInfo) X(clCreateContext) X(clReleaseContext)                  \
    X(clCreateCommandQueue) X(clReleaseCommandQueue) X(clCreateBuffer)         \
    X(clCreateSubBuffer) X(clReleaseMemObject) X(clEnqueueWriteBuffer)         \
    X(clEnqueueReadBuffer) X(clCreateProgramWithBinary) X(clBuildProgram)      \
    X(clGetProgramBuildInfo) X(clReleaseProgram) X(clCreateKernel)             \
    X(clGetKernelInfo) X(clReleaseKernel) X(clSetKernelArg)                    \
    X(clEnqueueNDRangeKernel) X(clFlush) X(clWaitForEvents)                    \
    X(clGetEventProfilingInfo) X(clReleaseEvent)
/* clang-format on */

/* The library's functions. The library stays loaded, since a driver's own
 * threads may still run when the last device goes. */
struct xk_ocl_calls {
#define X(name) __typeof__(&name) name;
    XK_OCL_CALLS(X)
#undef X
};

struct xk_ocl_device {
    struct xk_device base;
    struct xk_ocl_calls cl;
    cl_device_id device;
    cl_context context;
    /* Guards the arguments of kernels and each call that makes the driver talk
     * to the device. A virtual device behind a socket takes only one caller at
     * a time. */
    pthread_mutex_t lock;
    cl_command_queue queue; /* in order, with profiling */
    uint64_t max_buffer_b;  /* larger buffers need a flag */
    uint64_t memory_b;      /* all there is */
};

/* Sets *err to a text such as "ocl: clBuildProgram: CL_INVALID_BINARY (-42)".
 * what (may be NULL) is put behind the function's name. */
enum xk_status xk_ocl_fail(const char *function, const char *what,
                           cl_int result, struct xk_error *err);

#define XK_OCL_TRY(d, err, function, ...)                                      \
    do {                                                                       \
        const cl_int result_ = (d)->cl.function(__VA_ARGS__);                  \
        if (result_ != CL_SUCCESS)                                             \
            return xk_ocl_fail(#function, NULL, result_, err);                 \
    } while (0)

/* An Intel GPU of some platform. */
struct xk_ocl_found {
    struct xk_ocl_calls cl;
    cl_device_id device;
    uint32_t n;          /* how many there are */
    char platforms[200]; /* names of all */
};
/* The device with that index; XK_EABSENT says what is missing. */
enum xk_status xk_ocl_find(uint32_t index, struct xk_ocl_found *out,
                           struct xk_error *err);
enum xk_status xk_ocl_device_count(uint32_t *n, struct xk_error *err);
enum xk_status xk_ocl_device_query(uint32_t index, struct xk_device_info *info,
                                   struct xk_error *err);

cl_mem xk_ocl_buffer_memory(const xk_buffer *b);

/* ocl_module.c: rows of the engine. */
enum xk_status xk_ocl_module_create(xk_device *d, const void *zebin,
                                    size_t size_b, xk_module **out,
                                    struct xk_error *err);
void xk_ocl_module_destroy(xk_module *m);
enum xk_status xk_ocl_launch_start(xk_module *m, const struct xk_launch_desc *a,
                                   void **run, struct xk_error *err);
enum xk_status xk_ocl_launch_wait(xk_module *m, void *run,
                                  struct xk_launch_stats *stats,
                                  struct xk_error *err);
void xk_ocl_launch_end(xk_module *m, void *run);

#endif
