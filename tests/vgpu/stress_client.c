/* SPDX-License-Identifier: Apache-2.0 */
/* stress_client SECONDS: four threads, each with its queue, buffers and kernel,
 * that write, launch, read without waiting, and compare, all at the same time.
 * Prints how many rounds were done; 1: a result was wrong. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_THREADS 4
#define N_PIECES 4
#define PIECE_E 250u /* pieces of threads share pages */
#define N_E (N_PIECES * PIECE_E)

/* a[k] is k, which the compiler does not see: it needs private memory, which
 * groups of a launch use in turn. */
static const char *const source =
    "kernel void step(global uint *p, uint f) {\n"
    "  uint i = get_global_id(0), a[256];\n"
    "  for (uint k = 0; k < 256; k++) a[(k ^ f ^ i) & 255] = (k ^ f ^ i) & "
    "255;\n"
    "  p[i] = p[i] * f + (i & ~255u) + a[i & 255];\n"
    "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;
static time_t end_s;
static atomic_uint rounds, wrong;
static cl_uint results[N_PIECES][N_THREADS][PIECE_E];

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "stress_client: %s: %d\n", what, status);
    exit(2);
}

static time_t now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

struct worker {
    pthread_t thread;
    unsigned k;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem buffer;
};

static void make_worker(struct worker *w)
{
    cl_int s;
    w->queue = clCreateCommandQueue(context, device, 0, &s);
    must(s, "queue");
    w->kernel = clCreateKernel(program, "step", &s);
    must(s, "kernel");
    w->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE,
                               N_E * sizeof(cl_uint), NULL, &s);
    must(s, "buffer");
}

/* in[], stepped by the device, comes back in pieces. */
static void run_round(struct worker *w, cl_uint factor, const cl_uint *in)
{
    const size_t n = N_E, group = N_E / 20, n_b = PIECE_E * sizeof(cl_uint);
    must(clEnqueueWriteBuffer(w->queue, w->buffer, CL_FALSE, 0,
                              N_E * sizeof *in, in, 0, NULL, NULL),
         "write");
    must(clSetKernelArg(w->kernel, 0, sizeof w->buffer, &w->buffer) |
             clSetKernelArg(w->kernel, 1, sizeof factor, &factor),
         "arguments");
    must(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &n, &group, 0,
                                NULL, NULL),
         "launch");
    for (unsigned p = 0; p < N_PIECES; p++)
        must(clEnqueueReadBuffer(w->queue, w->buffer, CL_FALSE, p * n_b, n_b,
                                 results[p][w->k], 0, NULL, NULL),
             "read");
    must(clFinish(w->queue), "finish");
}

static void *work(void *arg)
{
    struct worker *const w = arg;
    static _Thread_local cl_uint in[N_E];
    for (cl_uint r = 1; now_s() < end_s; r++) {
        for (cl_uint i = 0; i < N_E; i++)
            in[i] = i * 17 + r + w->k;
        run_round(w, r, in);
        for (cl_uint i = 0; i < N_E; i++)
            if (results[i / PIECE_E][w->k][i % PIECE_E] != in[i] * r + i)
                atomic_fetch_add(&wrong, 1);
        atomic_fetch_add(&rounds, 1);
    }
    return NULL;
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_int s;
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
         "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &s);
    must(s, "context");
    program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &s);
    must(s, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
}

int main(int argc, char **argv)
{
    struct worker w[N_THREADS];
    open_device();
    end_s = now_s() + (argc > 1 ? atoi(argv[1]) : 60);
    for (unsigned k = 0; k < N_THREADS; k++) {
        w[k].k = k;
        make_worker(&w[k]);
    }
    for (unsigned k = 0; k < N_THREADS; k++)
        must(pthread_create(&w[k].thread, NULL, work, &w[k]), "thread");
    for (unsigned k = 0; k < N_THREADS; k++)
        pthread_join(w[k].thread, NULL);
    printf("%u rounds, %u wrong\n", atomic_load(&rounds), atomic_load(&wrong));
    return atomic_load(&wrong) ? 1 : 0;
}
