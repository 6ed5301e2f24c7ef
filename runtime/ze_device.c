/* SPDX-License-Identifier: Apache-2.0 */
/* A Level Zero device: one immediate list that executes everything in order,
 * and events that tell when something has run and how long it took. */
#include <sched.h>
#include <string.h>

#include "runtime/ze_engine.h"

/* How long one call waits. The time doubles after each call that was in vain,
 * so that other threads get the lock in between. The longest wait lets the
 * driver check whether the device hangs, which it does every half second. */
#define WAIT_FIRST_NS 20000u
#define WAIT_MOST_NS 1000000000u
#define GROUPS_MAX 16

/* The first group of queues that runs kernels. */
static enum xk_status find_ordinal(struct xk_ze_device *d, uint32_t *ordinal,
                                   struct xk_error *err)
{
    ze_command_queue_group_properties_t p[GROUPS_MAX];
    uint32_t n = 0;
    memset(p, 0, sizeof p);
    for (unsigned i = 0; i < GROUPS_MAX; i++)
        p[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    XK_ZE_TRY(d, err, zeDeviceGetCommandQueueGroupProperties, d->device, &n,
              NULL);
    n = n < GROUPS_MAX ? n : GROUPS_MAX;
    XK_ZE_TRY(d, err, zeDeviceGetCommandQueueGroupProperties, d->device, &n, p);
    for (uint32_t i = 0; i < n; i++)
        if (p[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
            *ordinal = i;
            return XK_OK;
        }
    return xk_runtime_fail(err, XK_EABSENT,
                           "ze: none of %u queue groups runs kernels", n);
}

static uint64_t low_bits(uint32_t n)
{
    return n && n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Since specification 1.2 the clock is given in ticks a second, which is more
 * exact. An older driver gives nanoseconds a tick. */
static enum xk_status read_properties(struct xk_ze_device *d,
                                      struct xk_error *err)
{
    ze_device_properties_t p = {.stype =
                                    ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    XK_ZE_TRY(d, err, zeDeviceGetProperties, d->device, &p);
    const double v = (double)p.timerResolution;
    d->tick_ns = v > 100000 ? 1e9 / v : v;
    d->tick_mask = low_bits(p.kernelTimestampValidBits);
    d->max_buffer_b = p.maxMemAllocSize;
    return XK_OK;
}

static enum xk_status open_ze_device(struct xk_ze_device *d, uint32_t index,
                                     struct xk_error *err)
{
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    struct xk_ze_found f;
    XK_TRY(xk_ze_find(index, &f, err));
    d->ze = f.ze;
    d->driver = f.driver;
    d->device = f.device;
    XK_TRY(read_properties(d, err));
    XK_TRY(find_ordinal(d, &queue.ordinal, err));
    XK_ZE_TRY(d, err, zeContextCreate, d->driver, &context, &d->context);
    XK_ZE_TRY(d, err, zeCommandListCreateImmediate, d->context, d->device,
              &queue, &d->list);
    return XK_OK;
}

/* Closes a device, also one whose creation failed halfway. */
static void close_ze_device(const struct xk_alloc *a, struct xk_ze_device *d)
{
    if (d->list)
        d->ze.zeCommandListDestroy(d->list);
    while (d->marks) {
        struct xk_ze_mark *const m = d->marks;
        d->marks = m->next;
        if (m->event)
            d->ze.zeEventDestroy(m->event);
        if (m->pool)
            d->ze.zeEventPoolDestroy(m->pool);
        a->realloc(a->user, m, 0);
    }
    if (d->context)
        d->ze.zeContextDestroy(d->context);
    pthread_mutex_destroy(&d->lock);
    a->realloc(a->user, d, 0);
}

static enum xk_status ze_device_create(const struct xk_alloc *alloc,
                                       uint32_t index,
                                       const struct xk_platform *p,
                                       unsigned n_threads, xk_device **out,
                                       struct xk_error *err)
{
    (void)p;
    (void)n_threads;
    struct xk_ze_device *const d = alloc->realloc(alloc->user, NULL, sizeof *d);
    if (!d)
        return xk_runtime_fail(err, XK_ENOMEM, "ze: out of memory");
    memset(d, 0, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    const enum xk_status s = open_ze_device(d, index, err);
    if (s < 0)
        close_ze_device(alloc, d);
    else
        *out = &d->base;
    return s;
}

static void ze_device_destroy(xk_device *d)
{
    const struct xk_alloc a = d->alloc;
    close_ze_device(&a, (struct xk_ze_device *)d);
}

/* Fills a mark that is already in the list, so that any failure frees it with
 * the list. */
static enum xk_status fill_mark(struct xk_ze_device *d, struct xk_ze_mark *m,
                                struct xk_error *err)
{
    const ze_event_pool_desc_t pool = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
        .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                 ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
        .count = 1};
    const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                   .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    XK_ZE_TRY(d, err, zeEventPoolCreate, d->context, &pool, 1, &d->device,
              &m->pool);
    XK_ZE_TRY(d, err, zeEventCreate, m->pool, &event, &m->event);
    return XK_OK;
}

static enum xk_status add_mark(struct xk_ze_device *d, struct xk_error *err)
{
    const struct xk_alloc *const a = &d->base.alloc;
    struct xk_ze_mark *const m = a->realloc(a->user, NULL, sizeof *m);
    if (!m)
        return xk_runtime_fail(err, XK_ENOMEM, "ze: out of memory");
    memset(m, 0, sizeof *m);
    m->busy = true; /* until it is whole */
    m->next = d->marks;
    d->marks = m;
    XK_TRY(fill_mark(d, m, err));
    m->busy = false;
    return XK_OK;
}

static enum xk_status take_mark(struct xk_ze_device *d, struct xk_ze_mark **out,
                                struct xk_error *err)
{
    struct xk_ze_mark *m = d->marks;
    while (m && m->busy)
        m = m->next;
    if (!m) {
        XK_TRY(add_mark(d, err));
        m = d->marks;
    }
    XK_ZE_TRY(d, err, zeEventHostReset, m->event);
    m->busy = true;
    *out = m;
    return XK_OK;
}

enum xk_status xk_ze_begin(struct xk_ze_device *d, struct xk_ze_mark **out,
                           struct xk_error *err)
{
    XK_ZE_TRY(d, err, zeCommandListAppendBarrier, d->list, NULL, 0, NULL);
    return take_mark(d, out, err);
}

/* 0 for a driver in capture mode, which executes nothing and has no time. */
static enum xk_status read_ticks(struct xk_ze_device *d,
                                 const struct xk_ze_mark *m, uint64_t *ticks,
                                 struct xk_error *err)
{
    ze_kernel_timestamp_result_t t;
    const ze_result_t r = d->ze.zeEventQueryKernelTimestamp(m->event, &t);
    *ticks = 0;
    if (r == ZE_RESULT_NOT_READY)
        return XK_OK;
    if (r != ZE_RESULT_SUCCESS)
        return xk_ze_fail(&d->ze, d->driver, "zeEventQueryKernelTimestamp",
                          NULL, r, err);
    *ticks = (t.global.kernelEnd - t.global.kernelStart) & d->tick_mask;
    return XK_OK;
}

/* One call to the driver; ZE_RESULT_NOT_READY: not finished yet. */
static enum xk_status wait_for(struct xk_ze_device *d,
                               const struct xk_ze_mark *m, uint64_t wait_ns,
                               bool *done, uint64_t *ticks,
                               struct xk_error *err)
{
    const ze_result_t r = d->ze.zeEventHostSynchronize(m->event, wait_ns);
    *done = r != ZE_RESULT_NOT_READY;
    if (*done && r != ZE_RESULT_SUCCESS)
        return xk_ze_fail(&d->ze, d->driver, "zeEventHostSynchronize", NULL, r,
                          err);
    return *done && ticks ? read_ticks(d, m, ticks, err) : XK_OK;
}

enum xk_status xk_ze_wait(struct xk_ze_device *d, const struct xk_ze_mark *m,
                          uint64_t *ticks, struct xk_error *err)
{
    enum xk_status s = XK_OK;
    bool done = false;
    for (uint64_t ns = WAIT_FIRST_NS; s >= 0 && !done;
         ns = 2 * ns < WAIT_MOST_NS ? 2 * ns : WAIT_MOST_NS) {
        pthread_mutex_lock(&d->lock);
        s = wait_for(d, m, ns, &done, ticks, err);
        pthread_mutex_unlock(&d->lock);
        if (s >= 0 && !done)
            sched_yield();
    }
    return s;
}

void xk_ze_end(struct xk_ze_device *d, struct xk_ze_mark *m)
{
    pthread_mutex_lock(&d->lock);
    m->busy = false;
    pthread_mutex_unlock(&d->lock);
}

const struct xk_engine xk_engine_ze = {
    .name = "ze",
    .device_count = xk_ze_device_count,
    .device_query = xk_ze_device_query,
    .device_create = ze_device_create,
    .device_destroy = ze_device_destroy,
    .buffer_create = xk_ze_buffer_create,
    .buffer_part = xk_ze_buffer_part,
    .buffer_destroy = xk_ze_buffer_destroy,
    .buffer_write = xk_ze_buffer_write,
    .buffer_read = xk_ze_buffer_read,
    .module_create = xk_ze_module_create,
    .module_destroy = xk_ze_module_destroy,
    .launch_start = xk_ze_launch_start,
    .launch_wait = xk_ze_launch_wait,
    .launch_end = xk_ze_launch_end,
};
