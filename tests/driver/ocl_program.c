/* SPDX-License-Identifier: Apache-2.0 */
/* One program object with all kernels, scratch as sub-buffers of one buffer, a
 * queue that is in order. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "ocl_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "chain.h"

static struct {
    const char *platform;
    cl_context context;
    cl_command_queue queue;
} here;

struct memory {
    cl_mem arg[CHAIN_ARGS], block, scratch[XK_MAX_SCRATCH];
};

static cl_program load(const xk_program *p)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    const unsigned char *const bytes = l->zebin;
    cl_device_id d = NULL;
    cl_int st = 0;
    ck_assert_int_eq(clGetCommandQueueInfo(here.queue, CL_QUEUE_DEVICE,
                                           sizeof(cl_device_id), &d, NULL),
                     0);
    const cl_program program =
        clCreateProgramWithBinary(here.context, 1, &d, &l->zebin_b,
                                  (const unsigned char **)&bytes, NULL, &st);
    ck_assert_int_eq(st, 0);
    ck_assert_int_eq(clBuildProgram(program, 1, &d, "", NULL, NULL), 0);
    return program;
}

static void fill(const xk_program *p, struct memory *m)
{
    const struct xk_launch_list *const l = xk_program_launches(p);
    cl_int st = 0;
    for (uint32_t i = 0; i < CHAIN_ARGS; i++) {
        float *const data = chain_data(p, i);
        m->arg[i] = clCreateBuffer(here.context, CL_MEM_COPY_HOST_PTR,
                                   l->args[i].size_b, data, &st);
        ck_assert_int_eq(st, 0);
        free(data);
    }
    m->block = clCreateBuffer(here.context, CL_MEM_READ_WRITE, l->scratch_b,
                              NULL, &st);
    for (uint32_t i = 0; i < l->n_scratch; i++) {
        const cl_buffer_region region = {l->scratch[i].offset_b,
                                         l->scratch[i].size_b};
        ck_assert_int_eq(st, 0);
        m->scratch[i] = clCreateSubBuffer(
            m->block, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &st);
    }
    ck_assert_int_eq(st, 0);
}

static void launch(cl_program program, const struct xk_launch_step *s,
                   const struct memory *m)
{
    size_t items[3], local[3];
    cl_int st = 0;
    const cl_kernel k = clCreateKernel(program, s->kernel, &st);
    ck_assert_int_eq(st, 0);
    for (uint32_t i = 0; i < s->n_args; i++) {
        const struct xk_launch_arg_info *const a = &s->args[i];
        ck_assert_uint_le(a->binding, XK_BIND_SCRATCH);
        const cl_mem *const at = a->binding == XK_BIND_TENSOR
                                     ? &m->arg[a->number]
                                     : &m->scratch[a->number];
        ck_assert_int_eq(clSetKernelArg(k, i, sizeof(cl_mem), at), 0);
    }
    for (int d = 0; d < 3; d++) {
        local[d] = s->local[d];
        items[d] = (size_t)s->groups[d] * s->local[d];
    }
    ck_assert_int_eq(clEnqueueNDRangeKernel(here.queue, k, 3, NULL, items,
                                            local, 0, NULL, NULL),
                     0);
    clReleaseKernel(k);
}

static void drop(const struct xk_launch_list *l, struct memory *m)
{
    for (uint32_t i = 0; i < CHAIN_ARGS; i++)
        clReleaseMemObject(m->arg[i]);
    for (uint32_t i = 0; i < l->n_scratch; i++)
        clReleaseMemObject(m->scratch[i]);
    clReleaseMemObject(m->block);
}

START_TEST(a_program_of_several_launches_computes)
{
    struct xk_error err = {0};
    struct memory m;
    xk_program *p = NULL;
    const enum xk_status st = chain_make(here.platform, &p, &err);
    if (st == XK_EUNSUPPORTED) {
        printf("# no kernels for %s: %s\n", here.platform, err.message);
        return;
    }
    ck_assert_msg(st >= 0, "%s", err.message);
    const struct xk_launch_list *const l = xk_program_launches(p);
    const cl_program program = load(p);
    float *const got = malloc(l->args[CHAIN_R].size_b);
    fill(p, &m);
    for (uint32_t i = 0; i < l->n_launches; i++)
        launch(program, &l->launches[i], &m);
    ck_assert_int_eq(clEnqueueReadBuffer(here.queue, m.arg[CHAIN_R], CL_TRUE, 0,
                                         l->args[CHAIN_R].size_b, got, 0, NULL,
                                         NULL),
                     0);
    ck_assert_int_eq(chain_wrong(got), 0);
    free(got);
    clReleaseProgram(program);
    drop(l, &m);
    xk_program_unref(p);
}
END_TEST

TCase *ocl_program_tests(const char *platform, cl_context context,
                         cl_command_queue queue)
{
    TCase *const t = tcase_create("program");
    here.platform = platform;
    here.context = context;
    here.queue = queue;
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_program_of_several_launches_computes);
    return t;
}
