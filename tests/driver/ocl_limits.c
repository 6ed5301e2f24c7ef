/* SPDX-License-Identifier: Apache-2.0 */
/* Work items of a group: what the driver takes for a kernel of each SIMD width
 * and register mode (CL_KERNEL_WORK_GROUP_SIZE). Bytes of SLM:
 * CL_DEVICE_LOCAL_MEM_SIZE. What the device says it is: the table of
 * docs/vgpu.md, "The products". */
#define CL_TARGET_OPENCL_VERSION 200
#include "ocl_limits.h"

#include <stdio.h>

#include "isa/dispatch_limits.h"

static struct {
    const struct xk_platform *p;
    cl_context context;
} here;

static cl_device_id device(void)
{
    cl_device_id d = NULL;
    ck_assert_int_eq(clGetContextInfo(here.context, CL_CONTEXT_DEVICES,
                                      sizeof(cl_device_id), &d, NULL),
                     0);
    return d;
}

/* 0: the driver's compiler refuses such a kernel. */
static size_t items_of_driver(unsigned simd, unsigned grf_count)
{
    char text[160];
    const char *source = text;
    const char *const options =
        grf_count == 256 ? "-cl-intel-256-GRF-per-thread" : "";
    const cl_device_id d = device();
    cl_int st = 0;
    size_t n = 0;

    snprintf(text, sizeof text,
             "__attribute__((intel_reqd_sub_group_size(%u)))\n"
             "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n",
             simd);
    const cl_program program =
        clCreateProgramWithSource(here.context, 1, &source, NULL, &st);
    ck_assert_int_eq(st, 0);
    if (clBuildProgram(program, 1, &d, options, NULL, NULL) == CL_SUCCESS) {
        const cl_kernel k = clCreateKernel(program, "k", &st);
        ck_assert_int_eq(st, 0);
        ck_assert_int_eq(clGetKernelWorkGroupInfo(k, d,
                                                  CL_KERNEL_WORK_GROUP_SIZE,
                                                  sizeof n, &n, NULL),
                         0);
        clReleaseKernel(k);
    }
    clReleaseProgram(program);
    return n;
}

START_TEST(a_group_has_the_drivers_work_items)
{
    /* xelp has no mode of 256 registers, and its driver ignores the option. */
    const unsigned modes = here.p->id == XK_PLATFORM_XELP ? 1 : 2;
    unsigned n_kernels = 0;

    for (unsigned simd = 8; simd <= 32; simd *= 2) {
        for (unsigned mode = 1; mode <= modes; mode++) {
            const size_t n = items_of_driver(simd, 128 * mode);
            n_kernels += n > 0;
            if (n)
                ck_assert_uint_eq(xk_dispatch_items(here.p, 128 * mode, simd),
                                  n);
        }
    }
    ck_assert_uint_ge(n_kernels, 3);
}
END_TEST

START_TEST(a_group_has_the_drivers_shared_memory)
{
    struct xk_dispatch asked = {.grf_count = 128};
    struct xk_error err = {0};
    cl_ulong n_b = 0;

    ck_assert_int_eq(clGetDeviceInfo(device(), CL_DEVICE_LOCAL_MEM_SIZE,
                                     sizeof n_b, &n_b, NULL),
                     0);
    asked.slm_b = (uint32_t)n_b;
    ck_assert_int_eq(xk_dispatch_check(here.p, XK_PRODUCT_ANY, &asked, &err),
                     XK_OK);
    asked.slm_b++;
    ck_assert_int_eq(xk_dispatch_check(here.p, XK_PRODUCT_ANY, &asked, &err),
                     XK_EINVAL);
}
END_TEST

/* cl_intel_device_attribute_query, cl_intel_required_subgroup_size. */
#define DEVICE_ID 0x4251
#define NUM_SLICES 0x4252
#define NUM_SUB_SLICES_PER_SLICE 0x4253
#define NUM_EUS_PER_SUB_SLICE 0x4254
#define NUM_THREADS_PER_EU 0x4255
#define SUB_GROUP_SIZES 0x4108
#define MAX_NUM_SUB_GROUPS 0x105c

/* xelp, xehpg, xehpc; where a value is not the product's, the table says whose
 * it is. */
static const struct {
    cl_device_info what;
    const char *name;
    cl_ulong value[3];
} answers[] = {
    {DEVICE_ID, "id", {0x9a49, 0x56a0, 0x0bd5}},
    {NUM_SLICES, "slices", {1, 8, 8}},
    {NUM_SUB_SLICES_PER_SLICE, "sub-slices", {6, 4, 8}},
    {NUM_EUS_PER_SUB_SLICE, "EUs", {16, 16, 8}},
    {NUM_THREADS_PER_EU, "threads per EU", {7, 8, 8}},
    {CL_DEVICE_MAX_COMPUTE_UNITS, "compute units", {96, 512, 512}},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "largest group", {512, 1024, 1024}},
    {MAX_NUM_SUB_GROUPS, "sub-groups in it", {64, 128, 64}},
    {CL_DEVICE_LOCAL_MEM_SIZE, "local memory", {65536, 65536, 131072}},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, "clock", {0, 0, 0}},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "cache", {3840 * 1024, 0, 0}},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, "one memory", {1, 0, 0}},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, "timer", {83, 83, 83}},
};

START_TEST(the_device_answers_what_the_table_says)
{
    const cl_device_id d = device();
    const unsigned at = here.p->id == XK_PLATFORM_XELP    ? 0
                        : here.p->id == XK_PLATFORM_XEHPG ? 1
                                                          : 2;
    for (unsigned k = 0; k < sizeof answers / sizeof answers[0]; k++) {
        cl_ulong v = 0;
        ck_assert_int_eq(
            clGetDeviceInfo(d, answers[k].what, sizeof v, &v, NULL), 0);
        ck_assert_msg(v == answers[k].value[at], "%s is %llu, not %llu",
                      answers[k].name, (unsigned long long)v,
                      (unsigned long long)answers[k].value[at]);
    }
}
END_TEST

START_TEST(sub_groups_have_the_widths_of_the_product)
{
    const bool hpc = here.p->id == XK_PLATFORM_XEHPC;
    size_t sizes[4] = {0}, n_b = 0;
    ck_assert_int_eq(
        clGetDeviceInfo(device(), SUB_GROUP_SIZES, sizeof sizes, sizes, &n_b),
        0);
    ck_assert_uint_eq(n_b / sizeof sizes[0], hpc ? 2 : 3);
    for (unsigned k = 0; k < n_b / sizeof sizes[0]; k++)
        ck_assert_uint_eq(sizes[k], (hpc ? 16u : 8u) << k);
}
END_TEST

TCase *ocl_limit_tests(const char *platform, cl_context context)
{
    TCase *const t = tcase_create("limits");

    here.p = xk_platform_find(platform);
    here.context = context;
    tcase_add_test(t, a_group_has_the_drivers_work_items);
    tcase_add_test(t, a_group_has_the_drivers_shared_memory);
    tcase_add_test(t, the_device_answers_what_the_table_says);
    tcase_add_test(t, sub_groups_have_the_widths_of_the_product);
    return t;
}
