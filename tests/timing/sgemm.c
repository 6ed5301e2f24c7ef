/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm N: CLBlast multiplies two N x N matrices of f32 on the first GPU, by
 * rows. Their contents are whatever the memory has: only its time is wanted
 * (tests/timing/published.py). */
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>
#include <stdio.h>
#include <stdlib.h>

static void sgemm_demand(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "sgemm: %s: %d\n", what, status);
    exit(1);
}

int main(int argc, char **argv)
{
    const size_t n = argc == 2 ? (size_t)atol(argv[1]) : 0;
    const float zero = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_mem matrix[3];
    cl_int status;
    if (n < 1) {
        fprintf(stderr, "usage: sgemm N\n");
        return 2;
    }
    sgemm_demand(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    sgemm_demand(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
                 "clGetDeviceIDs");
    const cl_context context =
        clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    sgemm_demand(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    sgemm_demand(status, "clCreateCommandQueue");
    for (int k = 0; k < 3; k++) {
        matrix[k] = clCreateBuffer(context, CL_MEM_READ_WRITE,
                                   n * n * sizeof(float), NULL, &status);
        sgemm_demand(status, "clCreateBuffer");
        sgemm_demand(clEnqueueFillBuffer(queue, matrix[k], &zero, sizeof zero,
                                         0, n * n * sizeof(float), 0, NULL,
                                         NULL),
                     "clEnqueueFillBuffer");
    }
    sgemm_demand((int)CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo,
                                   CLBlastTransposeNo, n, n, n, 1, matrix[0], 0,
                                   n, matrix[1], 0, n, 0, matrix[2], 0, n,
                                   &queue, NULL),
                 "CLBlastSgemm");
    sgemm_demand(clFinish(queue), "clFinish");
    for (int k = 0; k < 3; k++)
        clReleaseMemObject(matrix[k]);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
