/* SPDX-License-Identifier: Apache-2.0 */
/* planted KERNEL [LAUNCHES [copied]]: an OpenCL program as a user would write
 * it, for the tests of xk vgpu. It launches KERNEL (step: right; clash: all
 * work items write one element; wild: far outside of the buffer), reads back,
 * and prints the event's "start end" of each launch. Ends with 0, with 3 if
 * step's result is wrong, with 77 if there is no device. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_E 4096

static const char source[] =
    "kernel void step(global int *a) {\n"
    "  size_t i = get_global_id(0); a[i] = a[i] * 3 + (int)i;\n"
    "}\n"
    "kernel void clash(global int *a) { a[7] = (int)get_global_id(0); }\n"
    "kernel void wild(global int *a) { a[1u << 20] = 1; }\n";

/* Written by the CPU if blocking, else by a kernel of the driver. */
static int zeros[N_E];

static cl_ulong time_of(cl_event e, cl_profiling_info what)
{
    cl_ulong t = 0;
    clGetEventProfilingInfo(e, what, sizeof t, &t, NULL);
    return t;
}

static int launch(cl_command_queue queue, cl_kernel kernel)
{
    const size_t n = N_E;
    cl_event e;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &e) ||
        clWaitForEvents(1, &e))
        return 1;
    printf("%llu %llu\n",
           (unsigned long long)time_of(e, CL_PROFILING_COMMAND_START),
           (unsigned long long)time_of(e, CL_PROFILING_COMMAND_END));
    clReleaseEvent(e);
    return 0;
}

/* For elements that began as 0, after so many steps. */
static int is_right(const int *a, int n_launches)
{
    for (int i = 0; i < N_E; i++) {
        int want = 0;
        for (int t = 0; t < n_launches; t++)
            want = want * 3 + i;
        if (a[i] != want)
            return 0;
    }
    return 1;
}

static int run(cl_device_id d, const char *name, int n_launches,
               cl_bool blocking)
{
    static int out[N_E];
    const char *text = source;
    cl_int st = 0;
    const cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &st);
    const cl_command_queue q =
        clCreateCommandQueue(c, d, CL_QUEUE_PROFILING_ENABLE, &st);
    const cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &st);
    const cl_mem b =
        clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof out, NULL, &st);
    if (st || clBuildProgram(p, 1, &d, "", NULL, NULL))
        return 1;
    const cl_kernel k = clCreateKernel(p, name, &st);
    if (st || clSetKernelArg(k, 0, sizeof b, &b) ||
        clEnqueueWriteBuffer(q, b, blocking, 0, sizeof zeros, zeros, 0, NULL,
                             NULL))
        return 1;
    for (int t = 0; t < n_launches; t++)
        if (launch(q, k))
            return 1;
    if (clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL))
        return 1;
    return strcmp(name, "step") || is_right(out, n_launches) ? 0 : 3;
}

int main(int argc, char **argv)
{
    cl_platform_id p;
    cl_device_id d;
    if (clGetPlatformIDs(1, &p, NULL) ||
        clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, NULL))
        return 77;
    return run(d, argc > 1 ? argv[1] : "step", argc > 2 ? atoi(argv[2]) : 1,
               argc > 3 ? CL_FALSE : CL_TRUE);
}
