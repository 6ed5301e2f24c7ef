/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL programs on the virtual device, through Intel's driver: from source,
 * buffers, mapped buffers, shared virtual memory, profiling. argv: PLATFORM;
 * "map" is the program that maps a buffer, for a process of its own. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_limits.h"
#include "ocl_program.h"
#include "xekern/virtual_device.h"

#define N_E 5000

static const char source[] =
    "kernel void step(global int *a, int f) {\n"
    "  size_t i = get_global_id(0); a[i] = a[i] * f + (int)i;\n"
    "}\n";

static const char *platform;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

static bool open_device(void)
{
    cl_platform_id p;
    cl_device_id d;
    cl_int st = 0;
    const char *text = source;
    if (clGetPlatformIDs(1, &p, NULL) ||
        clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, NULL))
        return false;
    context = clCreateContext(NULL, 1, &d, NULL, NULL, &st);
    queue = clCreateCommandQueue(context, d, CL_QUEUE_PROFILING_ENABLE, &st);
    const cl_program program =
        clCreateProgramWithSource(context, 1, &text, NULL, &st);
    if (st || clBuildProgram(program, 1, &d, "", NULL, NULL))
        return false;
    kernel = clCreateKernel(program, "step", &st);
    return st == CL_SUCCESS;
}

/* Enqueues a = a * f + i for all elements; NULL if that fails. Also outside of
 * tests. */
static cl_event step(int f)
{
    const size_t n = N_E;
    cl_event e = NULL;
    if (clSetKernelArg(kernel, 1, sizeof f, &f) ||
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &e))
        return NULL;
    return e;
}

static bool step_done(int f)
{
    const cl_event e = step(f);
    return e && clReleaseEvent(e) == CL_SUCCESS;
}

START_TEST(buffers_rewritten_between_launches_are_read)
{
    static int in[N_E], out[N_E];
    cl_mem b =
        clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof in, NULL, NULL);
    ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof b, &b), 0);
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < N_E; i++)
            in[i] = i * 3 + t;
        ck_assert_int_eq(clEnqueueWriteBuffer(queue, b, CL_FALSE, 0, sizeof in,
                                              in, 0, NULL, NULL),
                         0);
        ck_assert(step_done(t + 2));
        ck_assert_int_eq(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out,
                                             out, 0, NULL, NULL),
                         0);
        for (int i = 0; i < N_E; i++)
            ck_assert_int_eq(out[i], (i * 3 + t) * (t + 2) + i);
    }
    clReleaseMemObject(b);
}
END_TEST

/* On xehpc a segmentation fault in the driver while it had 64 KiB pages. */
START_TEST(mapped_buffers_are_written_and_read)
{
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int) * N_E,
                              NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof b, &b);
    for (int t = 0; t < 3; t++) {
        int *m = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 0,
                                    sizeof(int) * N_E, 0, NULL, NULL, NULL);
        for (int i = 0; i < N_E; i++)
            m[i] = i + t;
        clEnqueueUnmapMemObject(queue, b, m, 0, NULL, NULL);
        ck_assert(step_done(5));
        m = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0,
                               sizeof(int) * N_E, 0, NULL, NULL, NULL);
        for (int i = 0; i < N_E; i++)
            ck_assert_int_eq(m[i], (i + t) * 5 + i);
        clEnqueueUnmapMemObject(queue, b, m, 0, NULL, NULL);
        clFinish(queue);
    }
    clReleaseMemObject(b);
}
END_TEST

START_TEST(shared_virtual_memory_is_read)
{
    int *const m = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(int) * N_E, 0);
    ck_assert_ptr_nonnull(m);
    ck_assert_int_eq(clSetKernelArgSVMPointer(kernel, 0, m), 0);
    for (int t = 0; t < 3; t++) {
        clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, m, sizeof(int) * N_E, 0,
                        NULL, NULL);
        for (int i = 0; i < N_E; i++)
            m[i] = i - t;
        clEnqueueSVMUnmap(queue, m, 0, NULL, NULL);
        ck_assert(step_done(7));
        clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, m, sizeof(int) * N_E, 0,
                        NULL, NULL);
        for (int i = 0; i < N_E; i++)
            ck_assert_int_eq(m[i], (i - t) * 7 + i);
        clEnqueueSVMUnmap(queue, m, 0, NULL, NULL);
        clFinish(queue);
    }
    clSVMFree(context, m);
}
END_TEST

static cl_device_id device_of_context(void)
{
    cl_device_id d = NULL;
    ck_assert_int_eq(
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof d, &d, NULL), 0);
    return d;
}

static cl_kernel kernel_of(const char *text, const char *name)
{
    cl_int st = 0;
    const cl_device_id d = device_of_context();
    const cl_program p =
        clCreateProgramWithSource(context, 1, &text, NULL, &st);
    ck_assert_int_eq(clBuildProgram(p, 1, &d, "-cl-std=CL2.0", NULL, NULL), 0);
    const cl_kernel k = clCreateKernel(p, name, &st);
    ck_assert_int_eq(st, 0);
    return k;
}

static const char turn_source[] =
    "kernel void turn(global int *a, local int *l) {\n"
    "  size_t i = get_local_id(0), n = get_local_size(0);\n"
    "  l[i] = a[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  a[get_global_id(0)] = l[n - 1 - i];\n"
    "}\n";

/* Two groups of as many items as the device takes, which meet at a barrier. */
START_TEST(the_largest_group_meets_at_a_barrier)
{
    static int a[2048];
    size_t n = 0;
    clGetDeviceInfo(device_of_context(), CL_DEVICE_MAX_WORK_GROUP_SIZE,
                    sizeof n, &n, NULL);
    ck_assert_uint_le(2 * n, 2048);
    const size_t all = 2 * n;
    for (size_t i = 0; i < all; i++)
        a[i] = (int)i;
    const cl_mem b = clCreateBuffer(
        context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof a, a, NULL);
    const cl_kernel k = kernel_of(turn_source, "turn");
    clSetKernelArg(k, 0, sizeof b, &b);
    clSetKernelArg(k, 1, n * sizeof(int), NULL);
    ck_assert_int_eq(
        clEnqueueNDRangeKernel(queue, k, 1, NULL, &all, &n, 0, NULL, NULL), 0);
    clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL);
    for (size_t i = 0; i < all; i++)
        ck_assert_int_eq(a[i], (int)(i / n * n + n - 1 - i % n));
    clReleaseKernel(k);
    clReleaseMemObject(b);
}
END_TEST

static const char count_source[] =
    "kernel void count(global int *n, global int *group, uint nx, uint ny) {\n"
    "  size_t i = get_global_id(0) + nx * (get_global_id(1)\n"
    "             + (size_t)ny * get_global_id(2));\n"
    "  atomic_inc(n + i);\n"
    "  atomic_add(group + i, (int)(get_group_id(0) + 100 * get_group_id(1)\n"
    "             + 10000 * get_group_id(2)));\n"
    "}\n";

/* Sizes that are no multiples of the group's: the driver sends a walker for
 * each remainder, whose groups do not begin at 0. */
static const struct {
    cl_uint dims;
    size_t global[3], local[3];
} odd_sizes[] = {
    {1, {340, 1, 1}, {64, 1, 1}}, {2, {10, 10, 1}, {4, 4, 1}},
    {3, {5, 6, 7}, {2, 4, 4}},    {2, {33, 3, 1}, {32, 2, 1}},
    {3, {7, 5, 3}, {4, 2, 2}},    {3, {33, 1, 5}, {16, 1, 2}},
};

START_TEST(every_item_of_odd_sizes_runs_once)
{
    const size_t *const n = odd_sizes[_i].global, *const l =
                                                      odd_sizes[_i].local;
    const size_t items = n[0] * n[1] * n[2];
    static int zero[1024], runs[1024], group[1024];
    const cl_uint nx = (cl_uint)n[0], ny = (cl_uint)n[1];
    const cl_mem_flags copy = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    const cl_mem a = clCreateBuffer(context, copy, sizeof zero, zero, NULL);
    const cl_mem b = clCreateBuffer(context, copy, sizeof zero, zero, NULL);
    const cl_kernel k = kernel_of(count_source, "count");
    clSetKernelArg(k, 0, sizeof a, &a);
    clSetKernelArg(k, 1, sizeof b, &b);
    clSetKernelArg(k, 2, sizeof nx, &nx);
    clSetKernelArg(k, 3, sizeof ny, &ny);
    ck_assert_int_eq(clEnqueueNDRangeKernel(queue, k, odd_sizes[_i].dims, NULL,
                                            n, l, 0, NULL, NULL),
                     0);
    clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof runs, runs, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof group, group, 0, NULL,
                        NULL);
    for (size_t i = 0; i < 1024; i++) {
        const size_t x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
        const int at = (int)(x / l[0] + 100 * (y / l[1]) + 10000 * (z / l[2]));
        ck_assert_msg(runs[i] == (i < items), "item %zu ran %d times", i,
                      runs[i]);
        ck_assert_msg(group[i] == (i < items ? at : 0),
                      "item %zu was in group %d, not %d", i, group[i], at);
    }
    clReleaseKernel(k);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}
END_TEST

/* The driver adds a period of the device's clock where the start lies before
 * the time of queueing, which it takes from its stack (vgpu/tbx_times.c). */
static cl_ulong without_period(cl_ulong ns)
{
    const double ns_a_tick = 83.333;
    const double ticks = strcmp(platform, "xelp") ? 0x1p32 : 0x1p36;
    return ns % (cl_ulong)(ticks * ns_a_tick);
}

START_TEST(profiling_times_are_in_order)
{
    cl_ulong t[4] = {0}, before = 0;
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int) * N_E,
                              NULL, NULL);
    ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof b, &b), 0);
    for (int n = 0; n < 3; n++) {
        cl_event e = step(3);
        ck_assert_ptr_nonnull(e);
        ck_assert_int_eq(clWaitForEvents(1, &e), 0);
        for (cl_profiling_info k = 0; k < 4; k++)
            ck_assert_int_eq(
                clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + k,
                                        sizeof t[k], &t[k], NULL),
                0);
        t[2] = without_period(t[2]);
        t[3] = without_period(t[3]);
        ck_assert_msg(t[2] < t[3] && t[2] >= before,
                      "start %llu, end %llu, the end before %llu",
                      (unsigned long long)t[2], (unsigned long long)t[3],
                      (unsigned long long)before);
        before = t[3];
        clReleaseEvent(e);
    }
    clReleaseMemObject(b);
}
END_TEST

#define N_READS 8
#define PIECE_E 250 /* 1000 bytes: pages are shared by their neighbours */

/* Reads that nobody waits for one by one, into pieces that lie side by side;
 * the CPU writes between them all the while. By copies of SVM, too. */
START_TEST(reads_without_waiting_lose_nothing)
{
    int *const out = malloc(sizeof(int) * N_READS * PIECE_E * 2);
    int *const in = malloc(sizeof(int) * N_READS * PIECE_E);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE,
                              sizeof(int) * N_READS * PIECE_E, NULL, NULL);
    int *const m = clSVMAlloc(context, CL_MEM_READ_WRITE,
                              sizeof(int) * N_READS * PIECE_E, 0);
    ck_assert(out && in && m);
    for (int t = 0; t < 8; t++) {
        for (int i = 0; i < N_READS * PIECE_E; i++)
            in[i] = i * 5 + t;
        ck_assert(!clEnqueueWriteBuffer(queue, b, CL_TRUE, 0,
                                        sizeof(int) * N_READS * PIECE_E, in, 0,
                                        NULL, NULL) &&
                  !clEnqueueSVMMemcpy(queue, CL_TRUE, m, in,
                                      sizeof(int) * N_READS * PIECE_E, 0, NULL,
                                      NULL));
        for (int k = 0; k < N_READS; k++) {
            int *const to = out + 2 * PIECE_E * k;
            const size_t at = (size_t)k * PIECE_E, n_b = sizeof(int) * PIECE_E;
            ck_assert_int_eq(_i ? clEnqueueSVMMemcpy(queue, CL_FALSE, to,
                                                     m + at, n_b, 0, NULL, NULL)
                                : clEnqueueReadBuffer(queue, b, CL_FALSE,
                                                      at * sizeof(int), n_b, to,
                                                      0, NULL, NULL),
                             0);
            for (int i = 0; i < PIECE_E; i++)
                to[PIECE_E + i] = -1 - i - t; /* beside */
        }
        ck_assert_int_eq(clFinish(queue), 0);
        for (int k = 0; k < N_READS; k++)
            for (int i = 0; i < PIECE_E; i++) {
                const int *const got = out + 2 * PIECE_E * k + i;
                ck_assert_msg(got[0] == (k * PIECE_E + i) * 5 + t &&
                                  got[PIECE_E] == -1 - i - t,
                              "turn %d, piece %d, element %d: %d, %d", t, k, i,
                              got[0], got[PIECE_E]);
            }
    }
    clSVMFree(context, m);
    clReleaseMemObject(b);
    free(in);
    free(out);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("ocl");
    TCase *const t = tcase_create("ocl");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, buffers_rewritten_between_launches_are_read);
    tcase_add_test(t, mapped_buffers_are_written_and_read);
    tcase_add_test(t, shared_virtual_memory_is_read);
    tcase_add_test(t, profiling_times_are_in_order);
    tcase_add_test(t, the_largest_group_meets_at_a_barrier);
    tcase_add_loop_test(t, every_item_of_odd_sizes_runs_once, 0,
                        sizeof odd_sizes / sizeof odd_sizes[0]);
    tcase_add_loop_test(t, reads_without_waiting_lose_nothing, 0, 2);
    suite_add_tcase(s, t);
    suite_add_tcase(s, ocl_program_tests(platform, context, queue));
    suite_add_tcase(s, ocl_limit_tests(platform, context));
    return s;
}

static bool start_device(xk_virtual_device **d)
{
    const struct xk_virtual_device_opts opts = {.platform = platform};
    struct xk_error err;
    const char *name, *value;
    if (getenv("SetCommandStreamReceiver"))
        return true;
    if (xk_virtual_device_start(&opts, d, &err) < 0)
        return false;
    for (unsigned k = 0; xk_virtual_device_variable(*d, k, &name, &value); k++)
        setenv(name, value, 1);
    setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/intel.icd", 0);
    return true;
}

int main(int argc, char **argv)
{
    xk_virtual_device *device = NULL;
    platform = argc > 1 ? argv[1] : "xehpg";
    if (!start_device(&device) || !open_device()) {
        puts("1..0 # SKIP no OpenCL driver of Intel's (intel-opencl-icd)");
        return 0;
    }
    SRunner *const r = srunner_create(suite());
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    xk_virtual_device_stop(device);
    return failed ? 1 : 0;
}
