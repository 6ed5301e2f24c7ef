/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL programs made of finished kernels, and launches. */
#include <stdio.h>
#include <string.h>

#include "runtime/driver_kernel.h"
#include "runtime/host_clock.h"
#include "runtime/ocl.h"

struct ocl_module {
    struct xk_module base;
    cl_program program;
    struct xk_driver_kernel *kernels; /* under the device's lock */
};

struct ocl_run {
    cl_event event;
    uint64_t start_ns, groups;
};

static enum xk_status ocl_no_memory(struct xk_error *err)
{
    return xk_runtime_fail(err, XK_ENOMEM, "ocl: out of memory");
}

/* Appends as much of the build log to the sentence as fits. */
static void add_ocl_log(struct xk_ocl_device *d, cl_program program,
                        struct xk_error *err)
{
    const struct xk_alloc *const a = &d->base.alloc;
    const size_t n = strlen(err->message);
    size_t size_b = 0;
    d->cl.clGetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, 0,
                                NULL, &size_b);
    char *const text = size_b > 1 ? xk_runtime_mem(a, NULL, size_b + 1) : NULL;
    if (text &&
        !d->cl.clGetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG,
                                     size_b, text, NULL)) {
        text[size_b] = 0;
        snprintf(err->message + n, sizeof err->message - n,
                 "; the build log: %s", text);
    } else {
        snprintf(err->message + n, sizeof err->message - n,
                 "; the build log is empty");
    }
    xk_runtime_mem(a, text, 0);
}

static enum xk_status build_ocl_program(struct xk_ocl_device *d,
                                        const void *zebin, size_t size_b,
                                        cl_program *out, struct xk_error *err)
{
    const unsigned char *const bytes = zebin;
    cl_int result = CL_SUCCESS, status = CL_SUCCESS;
    *out = d->cl.clCreateProgramWithBinary(d->context, 1, &d->device, &size_b,
                                           (const unsigned char **)&bytes,
                                           &status, &result);
    if (result != CL_SUCCESS)
        return xk_ocl_fail("clCreateProgramWithBinary", NULL, result, err);
    result = d->cl.clBuildProgram(*out, 1, &d->device, "", NULL, NULL);
    if (result == CL_SUCCESS)
        return XK_OK;
    /* Any error here means that the device refuses the finished binary. */
    xk_ocl_fail("clBuildProgram", NULL, result, err);
    err->status = XK_EDEVICE;
    add_ocl_log(d, *out, err);
    d->cl.clReleaseProgram(*out);
    return XK_EDEVICE;
}

enum xk_status xk_ocl_module_create(xk_device *d, const void *zebin,
                                    size_t size_b, xk_module **out,
                                    struct xk_error *err)
{
    struct xk_ocl_device *const o = (struct xk_ocl_device *)d;
    struct ocl_module *const m = xk_runtime_mem(&d->alloc, NULL, sizeof *m);
    if (!m)
        return ocl_no_memory(err);
    memset(m, 0, sizeof *m);
    pthread_mutex_lock(&o->lock);
    const enum xk_status s =
        build_ocl_program(o, zebin, size_b, &m->program, err);
    pthread_mutex_unlock(&o->lock);
    if (s < 0)
        xk_runtime_mem(&d->alloc, m, 0);
    else
        *out = &m->base;
    return s;
}

void xk_ocl_module_destroy(xk_module *m)
{
    struct xk_ocl_device *const d = (struct xk_ocl_device *)m->device;
    struct ocl_module *const o = (struct ocl_module *)m;
    pthread_mutex_lock(&d->lock);
    for (struct xk_driver_kernel *k;
         (k = xk_driver_kernel_take(&o->kernels));) {
        d->cl.clReleaseKernel(k->handle);
        xk_runtime_mem(&d->base.alloc, k, 0);
    }
    d->cl.clReleaseProgram(o->program);
    pthread_mutex_unlock(&d->lock);
    xk_runtime_mem(&d->base.alloc, o, 0);
}

static enum xk_status make_ocl_kernel(xk_module *base,
                                      struct xk_driver_kernel *k,
                                      struct xk_error *err)
{
    struct xk_ocl_device *const d = (struct xk_ocl_device *)base->device;
    const struct ocl_module *const m = (const struct ocl_module *)base;
    cl_int result = CL_SUCCESS;
    k->handle = d->cl.clCreateKernel(m->program, k->name, &result);
    if (result != CL_SUCCESS)
        return xk_ocl_fail("clCreateKernel", k->name, result, err);
    result = d->cl.clGetKernelInfo(k->handle, CL_KERNEL_NUM_ARGS,
                                   sizeof k->n_args, &k->n_args, NULL);
    if (result == CL_SUCCESS)
        return XK_OK;
    d->cl.clReleaseKernel(k->handle);
    return xk_ocl_fail("clGetKernelInfo", k->name, result, err);
}

static enum xk_status set_ocl_argument(struct xk_ocl_device *d,
                                       const struct xk_driver_kernel *k,
                                       uint32_t i,
                                       const struct xk_launch_arg *a,
                                       struct xk_error *err)
{
    cl_mem const memory = a->buffer ? xk_ocl_buffer_memory(a->buffer) : NULL;
    const cl_int result =
        d->cl.clSetKernelArg(k->handle, i, memory ? sizeof memory : a->size_b,
                             memory ? (const void *)&memory : a->value);
    char what[120];
    if (result == CL_SUCCESS)
        return XK_OK;
    snprintf(what, sizeof what, "%.80s argument %u", k->name, i);
    return xk_ocl_fail("clSetKernelArg", what, result, err);
}

static enum xk_status ocl_append(struct xk_ocl_device *d, struct ocl_module *m,
                                 const struct xk_launch_desc *a,
                                 struct ocl_run *run, struct xk_error *err)
{
    size_t items[3], local[3];
    struct xk_driver_kernel *k = NULL;
    XK_TRY(xk_driver_kernel_find(&m->base, &m->kernels, a->name,
                                 make_ocl_kernel, &k, err));
    XK_TRY(xk_driver_kernel_check(k, a, err));
    for (uint32_t i = 0; i < k->n_args; i++)
        XK_TRY(set_ocl_argument(d, k, i, &a->args[i], err));
    for (unsigned i = 0; i < 3; i++) {
        local[i] = a->local[i];
        items[i] = (size_t)a->groups[i] * a->local[i];
    }
    const cl_int result = d->cl.clEnqueueNDRangeKernel(
        d->queue, k->handle, 3, NULL, items, local, 0, NULL, &run->event);
    if (result != CL_SUCCESS)
        return xk_ocl_fail("clEnqueueNDRangeKernel", k->name, result, err);
    return XK_OK;
}

enum xk_status xk_ocl_launch_start(xk_module *m, const struct xk_launch_desc *a,
                                   void **run, struct xk_error *err)
{
    struct xk_ocl_device *const d = (struct xk_ocl_device *)m->device;
    struct ocl_run *const r = xk_runtime_mem(&d->base.alloc, NULL, sizeof *r);
    if (!r)
        return ocl_no_memory(err);
    memset(r, 0, sizeof *r);
    r->groups = (uint64_t)a->groups[0] * a->groups[1] * a->groups[2];
    r->start_ns = xk_host_clock_ns();
    pthread_mutex_lock(&d->lock);
    const enum xk_status s = ocl_append(d, (struct ocl_module *)m, a, r, err);
    if (s >= 0)
        d->cl.clFlush(d->queue);
    pthread_mutex_unlock(&d->lock);
    if (s < 0)
        xk_runtime_mem(&d->base.alloc, r, 0);
    else
        *run = r;
    return s;
}

static enum xk_status wait_and_read(struct xk_ocl_device *d,
                                    const struct ocl_run *r, uint64_t *ns,
                                    struct xk_error *err)
{
    cl_ulong start = 0, end = 0;
    XK_OCL_TRY(d, err, clWaitForEvents, 1, &r->event);
    XK_OCL_TRY(d, err, clGetEventProfilingInfo, r->event,
               CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    XK_OCL_TRY(d, err, clGetEventProfilingInfo, r->event,
               CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    *ns = end - start;
    return XK_OK;
}

/* The lock is held during the wait, because OpenCL has no wait with a time
 * limit. The device executes one thing at a time anyway. */
enum xk_status xk_ocl_launch_wait(xk_module *m, void *run,
                                  struct xk_launch_stats *stats,
                                  struct xk_error *err)
{
    struct xk_ocl_device *const d = (struct xk_ocl_device *)m->device;
    const struct ocl_run *const r = run;
    pthread_mutex_lock(&d->lock);
    const enum xk_status s = wait_and_read(d, r, &stats->device_ns, err);
    pthread_mutex_unlock(&d->lock);
    stats->groups = r->groups;
    stats->time_ns = xk_host_clock_ns() - r->start_ns;
    return s;
}

void xk_ocl_launch_end(xk_module *m, void *run)
{
    struct xk_ocl_device *const d = (struct xk_ocl_device *)m->device;
    struct ocl_run *const r = run;
    pthread_mutex_lock(&d->lock);
    d->cl.clReleaseEvent(r->event);
    pthread_mutex_unlock(&d->lock);
    xk_runtime_mem(&d->base.alloc, r, 0);
}
