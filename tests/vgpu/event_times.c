/* SPDX-License-Identifier: Apache-2.0 */
/* The times of a write, launches, a marker and a read of OpenCL are in order:
 * queued <= submitted <= started <= ended, each command's behind the one
 * before. Run by xk vgpu. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1024u
#define N_EVENTS 5

static const char *const source =
    "kernel void add_one(global uint *p) { p[get_global_id(0)] += 1; }";

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("event_times: %s: %d\n", what, status);
    exit(1);
}

static cl_kernel kernel_of(cl_context context, cl_device_id device)
{
    cl_int s;
    const cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &s);
    must(s, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    const cl_kernel kernel = clCreateKernel(program, "add_one", &s);
    must(s, "kernel");
    return kernel;
}

static void enqueue_all(cl_context context, cl_kernel kernel,
                        cl_command_queue queue, cl_event e[N_EVENTS])
{
    static cl_uint data[N];
    const size_t n = N;
    cl_int s;
    memset(data, 0, sizeof data);
    const cl_mem b =
        clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &s);
    must(s, "buffer");
    must(clEnqueueWriteBuffer(queue, b, CL_FALSE, 0, sizeof data, data, 0, NULL,
                              &e[0]),
         "write");
    must(clSetKernelArg(kernel, 0, sizeof b, &b), "argument");
    for (unsigned k = 1; k < 3; k++)
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL,
                                    &e[k]),
             "launch");
    must(clEnqueueMarkerWithWaitList(queue, 0, NULL, &e[3]), "marker");
    must(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof data, data, 0, NULL,
                             &e[4]),
         "read");
    must(clFinish(queue), "finish");
    must((cl_int)data[N - 1] - 2, "wrong sum");
}

/* Whether they are in order; says them otherwise. */
static int in_order(const cl_event e[N_EVENTS])
{
    static cl_ulong before;
    int good = 1;
    for (unsigned k = 0; k < N_EVENTS; k++) {
        cl_ulong t[4] = {0};
        for (unsigned q = 0; q < 4; q++)
            must(clGetEventProfilingInfo(e[k], CL_PROFILING_COMMAND_QUEUED + q,
                                         sizeof t[q], &t[q], NULL),
                 "time");
        const int order =
            t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3] && before <= t[2];
        if (!order)
            printf("command %u: %llu %llu %llu %llu, the last one's end %llu\n",
                   k, (unsigned long long)t[0], (unsigned long long)t[1],
                   (unsigned long long)t[2], (unsigned long long)t[3],
                   (unsigned long long)before);
        good &= order;
        before = t[3];
    }
    return good;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int s;
    cl_event e[N_EVENTS];
    int good = 1;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL))
        return 77;
    const cl_context context =
        clCreateContext(NULL, 1, &device, NULL, NULL, &s);
    must(s, "context");
    const cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &s);
    must(s, "queue");
    const cl_kernel kernel = kernel_of(context, device);
    for (unsigned k = 0; k < 4; k++) {
        enqueue_all(context, kernel, queue, e);
        good &= in_order(e);
    }
    return !good;
}
