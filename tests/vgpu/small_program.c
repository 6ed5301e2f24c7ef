/* SPDX-License-Identifier: Apache-2.0 */
/* A whole small OpenCL program: compile, write, launch, read back, compare. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1024u

static const char *const source =
    "kernel void add_one(global uint *p) { p[get_global_id(0)] += 1; }";

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "small_program: %s: %d\n", what, status);
    exit(1);
}

int main(void)
{
    static cl_uint data[N];
    const size_t n = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_int s;
    must(clGetPlatformIDs(1, &platform, NULL), "no platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
         "no device");
    const cl_context context =
        clCreateContext(NULL, 1, &device, NULL, NULL, &s);
    must(s, "context");
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &s);
    must(s, "queue");
    const cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &s);
    must(s, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    const cl_kernel kernel = clCreateKernel(program, "add_one", &s);
    must(s, "kernel");
    const cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &s);
    must(s, "buffer");
    for (cl_uint k = 0; k < N; k++)
        data[k] = k * k;
    must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0,
                              NULL, NULL),
         "write");
    must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
    must(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL),
        "launch");
    must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0,
                             NULL, NULL),
         "read");
    for (cl_uint k = 0; k < N; k++)
        must(data[k] == k * k + 1 ? CL_SUCCESS : (cl_int)k + 1, "wrong sum");
    must(clReleaseMemObject(buffer) | clReleaseKernel(kernel) |
             clReleaseProgram(program) | clReleaseCommandQueue(queue) |
             clReleaseContext(context),
         "release");
    return 0;
}
