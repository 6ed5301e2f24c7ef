/* SPDX-License-Identifier: Apache-2.0 */
/* Work items of a group: what the driver takes for a kernel of each SIMD width
 * and register mode (CL_KERNEL_WORK_GROUP_SIZE). Bytes of SLM:
 * CL_DEVICE_LOCAL_MEM_SIZE. */
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

TCase *ocl_limit_tests(const char *platform, cl_context context)
{
    TCase *const t = tcase_create("limits");

    here.p = xk_platform_find(platform);
    here.context = context;
    tcase_add_test(t, a_group_has_the_drivers_work_items);
    tcase_add_test(t, a_group_has_the_drivers_shared_memory);
    return t;
}
