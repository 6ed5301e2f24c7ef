/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL device: one queue that takes everything in order, and buffers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/ocl.h"

/* A flag of Intel's driver for buffers above its usual limit. No header has it.
 * Source: compute-runtime,
 * programmers-guide/ALLOCATIONS_GREATER_THAN_4GB.md. */
#define MEM_ALLOW_UNRESTRICTED_SIZE ((cl_mem_flags)1 << 23)
/* The largest size of one copy, since the driver maps the host's side of it. */
#define PIECE_B (UINT64_C(256) << 20)

struct ocl_buffer {
    struct xk_buffer base;
    cl_mem memory;
};

static struct xk_ocl_device *ocl_device_of(const xk_buffer *b)
{
    return (struct xk_ocl_device *)b->device;
}

cl_mem xk_ocl_buffer_memory(const xk_buffer *b)
{
    return ((const struct ocl_buffer *)b)->memory;
}

static enum xk_status open_ocl_device(struct xk_ocl_device *d, uint32_t index,
                                      struct xk_error *err)
{
    struct xk_ocl_found f;
    cl_int result = CL_SUCCESS;
    cl_ulong most_b = 0, all_b = 0;
    XK_TRY(xk_ocl_find(index, &f, err));
    d->cl = f.cl;
    d->device = f.device;
    XK_OCL_TRY(d, err, clGetDeviceInfo, d->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
               sizeof most_b, &most_b, NULL);
    XK_OCL_TRY(d, err, clGetDeviceInfo, d->device, CL_DEVICE_GLOBAL_MEM_SIZE,
               sizeof all_b, &all_b, NULL);
    d->max_buffer_b = most_b;
    d->memory_b = all_b;
    d->context =
        d->cl.clCreateContext(NULL, 1, &d->device, NULL, NULL, &result);
    if (result != CL_SUCCESS)
        return xk_ocl_fail("clCreateContext", NULL, result, err);
    d->queue = d->cl.clCreateCommandQueue(d->context, d->device,
                                          CL_QUEUE_PROFILING_ENABLE, &result);
    return result == CL_SUCCESS
               ? XK_OK
               : xk_ocl_fail("clCreateCommandQueue", NULL, result, err);
}

/* Closes a device, also one whose creation failed halfway. */
static void close_ocl_device(const struct xk_alloc *a, struct xk_ocl_device *d)
{
    if (d->queue)
        d->cl.clReleaseCommandQueue(d->queue);
    if (d->context)
        d->cl.clReleaseContext(d->context);
    pthread_mutex_destroy(&d->lock);
    a->realloc(a->user, d, 0);
}

static enum xk_status ocl_device_create(const struct xk_alloc *alloc,
                                        uint32_t index,
                                        const struct xk_platform *p,
                                        unsigned n_threads, xk_device **out,
                                        struct xk_error *err)
{
    (void)p;
    (void)n_threads;
    struct xk_ocl_device *const d =
        alloc->realloc(alloc->user, NULL, sizeof *d);
    if (!d)
        return xk_runtime_fail(err, XK_ENOMEM, "ocl: out of memory");
    memset(d, 0, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    const enum xk_status s = open_ocl_device(d, index, err);
    if (s < 0)
        close_ocl_device(alloc, d);
    else
        *out = &d->base;
    return s;
}

static void ocl_device_destroy(xk_device *d)
{
    const struct xk_alloc a = d->alloc;
    close_ocl_device(&a, (struct xk_ocl_device *)d);
}

static enum xk_status ocl_buffer_create(xk_device *d, uint64_t size_b,
                                        xk_buffer **out, struct xk_error *err)
{
    struct xk_ocl_device *const o = (struct xk_ocl_device *)d;
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE |
        (size_b > o->max_buffer_b ? MEM_ALLOW_UNRESTRICTED_SIZE : 0);
    cl_int result = CL_SUCCESS;
    char what[64];
    /* The driver itself would refuse only when the buffer is used. */
    if (size_b > o->memory_b)
        return xk_runtime_fail(err, XK_ENOMEM,
                               "ocl: a buffer of %" PRIu64 " bytes, the device "
                               "has CL_DEVICE_GLOBAL_MEM_SIZE %" PRIu64,
                               size_b, o->memory_b);
    struct ocl_buffer *const b =
        d->alloc.realloc(d->alloc.user, NULL, sizeof *b);
    if (!b)
        return xk_runtime_fail(err, XK_ENOMEM, "ocl: out of memory");
    memset(b, 0, sizeof *b);
    pthread_mutex_lock(&o->lock);
    b->memory =
        o->cl.clCreateBuffer(o->context, flags, (size_t)size_b, NULL, &result);
    pthread_mutex_unlock(&o->lock);
    if (result == CL_SUCCESS) {
        *out = &b->base;
        return XK_OK;
    }
    d->alloc.realloc(d->alloc.user, b, 0);
    snprintf(what, sizeof what, "of %" PRIu64 " bytes", size_b);
    return xk_ocl_fail("clCreateBuffer", what, result, err);
}

static enum xk_status ocl_buffer_part(xk_buffer *whole, uint64_t at_b,
                                      uint64_t size_b, xk_buffer **out,
                                      struct xk_error *err)
{
    struct xk_ocl_device *const d = ocl_device_of(whole);
    const cl_buffer_region region = {(size_t)at_b, (size_t)size_b};
    cl_int result = CL_SUCCESS;
    struct ocl_buffer *const b =
        d->base.alloc.realloc(d->base.alloc.user, NULL, sizeof *b);
    if (!b)
        return xk_runtime_fail(err, XK_ENOMEM, "ocl: out of memory");
    memset(b, 0, sizeof *b);
    pthread_mutex_lock(&d->lock);
    b->memory =
        d->cl.clCreateSubBuffer(xk_ocl_buffer_memory(whole), 0,
                                CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    pthread_mutex_unlock(&d->lock);
    if (result == CL_SUCCESS) {
        *out = &b->base;
        return XK_OK;
    }
    d->base.alloc.realloc(d->base.alloc.user, b, 0);
    return xk_ocl_fail("clCreateSubBuffer", NULL, result, err);
}

static void ocl_buffer_destroy(xk_buffer *b)
{
    struct xk_ocl_device *const d = ocl_device_of(b);
    pthread_mutex_lock(&d->lock);
    d->cl.clReleaseMemObject(xk_ocl_buffer_memory(b));
    pthread_mutex_unlock(&d->lock);
    d->base.alloc.realloc(d->base.alloc.user, b, 0);
}

static enum xk_status write_pieces(const xk_buffer *b, uint64_t offset_b,
                                   const void *src, uint64_t size_b,
                                   struct xk_error *err)
{
    const struct xk_ocl_device *const d = ocl_device_of(b);
    for (uint64_t at = 0; at < size_b; at += PIECE_B) {
        const uint64_t left_b = size_b - at;
        XK_OCL_TRY(d, err, clEnqueueWriteBuffer, d->queue,
                   xk_ocl_buffer_memory(b), CL_TRUE, (size_t)(offset_b + at),
                   (size_t)(left_b < PIECE_B ? left_b : PIECE_B),
                   (const char *)src + at, 0, NULL, NULL);
    }
    return XK_OK;
}

static enum xk_status read_pieces(const xk_buffer *b, uint64_t offset_b,
                                  void *dst, uint64_t size_b,
                                  struct xk_error *err)
{
    const struct xk_ocl_device *const d = ocl_device_of(b);
    for (uint64_t at = 0; at < size_b; at += PIECE_B) {
        const uint64_t left_b = size_b - at;
        XK_OCL_TRY(d, err, clEnqueueReadBuffer, d->queue,
                   xk_ocl_buffer_memory(b), CL_TRUE, (size_t)(offset_b + at),
                   (size_t)(left_b < PIECE_B ? left_b : PIECE_B),
                   (char *)dst + at, 0, NULL, NULL);
    }
    return XK_OK;
}

static enum xk_status ocl_buffer_write(xk_buffer *b, uint64_t offset_b,
                                       const void *src, uint64_t size_b,
                                       struct xk_error *err)
{
    struct xk_ocl_device *const d = ocl_device_of(b);
    pthread_mutex_lock(&d->lock);
    const enum xk_status s = write_pieces(b, offset_b, src, size_b, err);
    pthread_mutex_unlock(&d->lock);
    return s;
}

static enum xk_status ocl_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                      void *dst, uint64_t size_b,
                                      struct xk_error *err)
{
    struct xk_ocl_device *const d = ocl_device_of(b);
    pthread_mutex_lock(&d->lock);
    const enum xk_status s = read_pieces(b, offset_b, dst, size_b, err);
    pthread_mutex_unlock(&d->lock);
    return s;
}

const struct xk_engine xk_engine_ocl = {
    .name = "ocl",
    .device_count = xk_ocl_device_count,
    .device_query = xk_ocl_device_query,
    .device_create = ocl_device_create,
    .device_destroy = ocl_device_destroy,
    .buffer_create = ocl_buffer_create,
    .buffer_part = ocl_buffer_part,
    .buffer_destroy = ocl_buffer_destroy,
    .buffer_write = ocl_buffer_write,
    .buffer_read = ocl_buffer_read,
    .module_create = xk_ocl_module_create,
    .module_destroy = xk_ocl_module_destroy,
    .launch_start = xk_ocl_launch_start,
    .launch_wait = xk_ocl_launch_wait,
    .launch_end = xk_ocl_launch_end,
};
