/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero device memory and copies to and from it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/ze_engine.h"

/* The largest size of one copy command. The driver maps the host's side of a
 * copy as a whole, and its own kernels count in 32 bits. */
#define PIECE_B (UINT64_C(256) << 20)
#define ALIGN_B 4096

struct ze_buffer {
    struct xk_buffer base;
    void *at;
};

static struct xk_ze_device *ze_device_of(const xk_buffer *b)
{
    return (struct xk_ze_device *)b->device;
}

void *xk_ze_buffer_at(const xk_buffer *b)
{
    return ((const struct ze_buffer *)b)->at;
}

/* Sets the flag that the driver demands beyond the device's usual limit. Our
 * kernels can use such memory, since they address with 64 bits. */
static enum xk_status allocate(struct xk_ze_device *d, uint64_t size_b,
                               void **at, struct xk_error *err)
{
    const ze_relaxed_allocation_limits_exp_desc_t relaxed = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
        .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    const ze_device_mem_alloc_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
        .pNext = size_b > d->max_buffer_b ? &relaxed : NULL};
    XK_ZE_TRY(d, err, zeMemAllocDevice, d->context, &desc, (size_t)size_b,
              ALIGN_B, d->device, at);
    return XK_OK;
}

enum xk_status xk_ze_buffer_create(xk_device *d, uint64_t size_b,
                                   xk_buffer **out, struct xk_error *err)
{
    struct xk_ze_device *const z = (struct xk_ze_device *)d;
    struct ze_buffer *const b =
        d->alloc.realloc(d->alloc.user, NULL, sizeof *b);
    if (!b)
        return xk_runtime_fail(err, XK_ENOMEM, "ze: out of memory");
    memset(b, 0, sizeof *b);
    pthread_mutex_lock(&z->lock);
    const enum xk_status s = allocate(z, size_b, &b->at, err);
    pthread_mutex_unlock(&z->lock);
    if (s < 0) {
        const size_t n = strlen(err->message);
        snprintf(err->message + n, sizeof err->message - n,
                 "; a buffer of %" PRIu64 " bytes", size_b);
        d->alloc.realloc(d->alloc.user, b, 0);
        return s;
    }
    *out = &b->base;
    return XK_OK;
}

enum xk_status xk_ze_buffer_part(xk_buffer *whole, uint64_t at_b,
                                 uint64_t size_b, xk_buffer **out,
                                 struct xk_error *err)
{
    const struct xk_alloc *const a = &whole->device->alloc;
    struct ze_buffer *const b = a->realloc(a->user, NULL, sizeof *b);
    (void)size_b;
    if (!b)
        return xk_runtime_fail(err, XK_ENOMEM, "ze: out of memory");
    memset(b, 0, sizeof *b);
    b->at = (char *)xk_ze_buffer_at(whole) + at_b;
    *out = &b->base;
    return XK_OK;
}

void xk_ze_buffer_destroy(xk_buffer *b)
{
    struct xk_ze_device *const d = ze_device_of(b);
    if (!b->whole) {
        pthread_mutex_lock(&d->lock);
        d->ze.zeMemFree(d->context, xk_ze_buffer_at(b));
        pthread_mutex_unlock(&d->lock);
    }
    d->base.alloc.realloc(d->base.alloc.user, b, 0);
}

static enum xk_status append_copy(struct xk_ze_device *d, void *dst,
                                  const void *src, size_t n_b,
                                  struct xk_ze_mark **m, struct xk_error *err)
{
    XK_TRY(xk_ze_begin(d, m, err));
    const ze_result_t r = d->ze.zeCommandListAppendMemoryCopy(
        d->list, dst, src, n_b, (*m)->event, 0, NULL);
    if (r == ZE_RESULT_SUCCESS)
        return XK_OK;
    (*m)->busy = false;
    return xk_ze_fail(&d->ze, d->driver, "zeCommandListAppendMemoryCopy", NULL,
                      r, err);
}

static enum xk_status copy_piece(struct xk_ze_device *d, void *dst,
                                 const void *src, size_t n_b,
                                 struct xk_error *err)
{
    struct xk_ze_mark *m = NULL;
    pthread_mutex_lock(&d->lock);
    enum xk_status s = append_copy(d, dst, src, n_b, &m, err);
    pthread_mutex_unlock(&d->lock);
    if (s < 0)
        return s;
    s = xk_ze_wait(d, m, NULL, err);
    xk_ze_end(d, m);
    return s;
}

static enum xk_status copy_pieces(struct xk_ze_device *d, void *dst,
                                  const void *src, uint64_t size_b,
                                  struct xk_error *err)
{
    for (uint64_t at = 0; at < size_b; at += PIECE_B) {
        const uint64_t left_b = size_b - at;
        XK_TRY(copy_piece(d, (char *)dst + at, (const char *)src + at,
                          (size_t)(left_b < PIECE_B ? left_b : PIECE_B), err));
    }
    return XK_OK;
}

enum xk_status xk_ze_buffer_write(xk_buffer *b, uint64_t offset_b,
                                  const void *src, uint64_t size_b,
                                  struct xk_error *err)
{
    return copy_pieces(ze_device_of(b), (char *)xk_ze_buffer_at(b) + offset_b,
                       src, size_b, err);
}

enum xk_status xk_ze_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                 void *dst, uint64_t size_b,
                                 struct xk_error *err)
{
    return copy_pieces(ze_device_of(b), dst,
                       (char *)xk_ze_buffer_at(b) + offset_b, size_b, err);
}
