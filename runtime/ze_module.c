/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero modules, their kernels, and launches. */
#include <stdio.h>
#include <string.h>

#include "runtime/driver_kernel.h"
#include "runtime/host_clock.h"
#include "runtime/ze_engine.h"

struct ze_module {
    struct xk_module base;
    ze_module_handle_t handle;
    struct xk_driver_kernel *kernels; /* under the device's lock */
};

struct ze_run {
    struct xk_ze_mark *mark;
    uint64_t start_ns, groups;
};

static enum xk_status ze_no_memory(struct xk_error *err)
{
    return xk_runtime_fail(err, XK_ENOMEM, "ze: out of memory");
}

/* Appends as much of the build log to the sentence as fits. */
static void add_ze_log(struct xk_ze_device *d, ze_module_build_log_handle_t log,
                       struct xk_error *err)
{
    const struct xk_alloc *const a = &d->base.alloc;
    const size_t n = strlen(err->message);
    size_t size_b = 0;
    d->ze.zeModuleBuildLogGetString(log, &size_b, NULL);
    char *const text = size_b > 1 ? xk_runtime_mem(a, NULL, size_b + 1) : NULL;
    if (text && !d->ze.zeModuleBuildLogGetString(log, &size_b, text)) {
        text[size_b] = 0;
        snprintf(err->message + n, sizeof err->message - n,
                 "; the build log: %s", text);
    } else {
        snprintf(err->message + n, sizeof err->message - n,
                 "; the build log is empty");
    }
    xk_runtime_mem(a, text, 0);
}

static enum xk_status build_ze_module(struct xk_ze_device *d, const void *zebin,
                                      size_t size_b, ze_module_handle_t *out,
                                      struct xk_error *err)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size_b,
                                   .pInputModule = zebin};
    ze_module_build_log_handle_t log = NULL;
    enum xk_status s = XK_OK;
    const ze_result_t r =
        d->ze.zeModuleCreate(d->context, d->device, &desc, out, &log);
    if (r != ZE_RESULT_SUCCESS) {
        s = xk_ze_fail(&d->ze, d->driver, "zeModuleCreate", NULL, r, err);
        if (log)
            add_ze_log(d, log, err);
    }
    if (log)
        d->ze.zeModuleBuildLogDestroy(log);
    return s;
}

enum xk_status xk_ze_module_create(xk_device *d, const void *zebin,
                                   size_t size_b, xk_module **out,
                                   struct xk_error *err)
{
    struct xk_ze_device *const z = (struct xk_ze_device *)d;
    struct ze_module *const m = xk_runtime_mem(&d->alloc, NULL, sizeof *m);
    if (!m)
        return ze_no_memory(err);
    memset(m, 0, sizeof *m);
    pthread_mutex_lock(&z->lock);
    const enum xk_status s = build_ze_module(z, zebin, size_b, &m->handle, err);
    pthread_mutex_unlock(&z->lock);
    if (s < 0)
        xk_runtime_mem(&d->alloc, m, 0);
    else
        *out = &m->base;
    return s;
}

void xk_ze_module_destroy(xk_module *m)
{
    struct xk_ze_device *const d = (struct xk_ze_device *)m->device;
    struct ze_module *const z = (struct ze_module *)m;
    pthread_mutex_lock(&d->lock);
    for (struct xk_driver_kernel *k;
         (k = xk_driver_kernel_take(&z->kernels));) {
        d->ze.zeKernelDestroy(k->handle);
        xk_runtime_mem(&d->base.alloc, k, 0);
    }
    d->ze.zeModuleDestroy(z->handle);
    pthread_mutex_unlock(&d->lock);
    xk_runtime_mem(&d->base.alloc, z, 0);
}

static enum xk_status make_ze_kernel(xk_module *base,
                                     struct xk_driver_kernel *k,
                                     struct xk_error *err)
{
    struct xk_ze_device *const d = (struct xk_ze_device *)base->device;
    const struct ze_module *const m = (const struct ze_module *)base;
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                   .pKernelName = k->name};
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_kernel_handle_t handle = NULL;
    ze_result_t r = d->ze.zeKernelCreate(m->handle, &desc, &handle);
    if (r != ZE_RESULT_SUCCESS)
        return xk_ze_fail(&d->ze, d->driver, "zeKernelCreate", k->name, r, err);
    k->handle = handle;
    r = d->ze.zeKernelGetProperties(handle, &p);
    if (r == ZE_RESULT_SUCCESS) {
        k->n_args = p.numKernelArgs;
        return XK_OK;
    }
    d->ze.zeKernelDestroy(handle);
    return xk_ze_fail(&d->ze, d->driver, "zeKernelGetProperties", k->name, r,
                      err);
}

static enum xk_status set_ze_argument(struct xk_ze_device *d,
                                      const struct xk_driver_kernel *k,
                                      uint32_t i, const struct xk_launch_arg *a,
                                      struct xk_error *err)
{
    void *const at = a->buffer ? xk_ze_buffer_at(a->buffer) : NULL;
    const ze_result_t r =
        d->ze.zeKernelSetArgumentValue(k->handle, i, at ? sizeof at : a->size_b,
                                       at ? (const void *)&at : a->value);
    char what[120];
    if (r == ZE_RESULT_SUCCESS)
        return XK_OK;
    snprintf(what, sizeof what, "%.80s argument %u", k->name, i);
    return xk_ze_fail(&d->ze, d->driver, "zeKernelSetArgumentValue", what, r,
                      err);
}

static enum xk_status prepare_kernel(struct xk_ze_device *d,
                                     const struct xk_driver_kernel *k,
                                     const struct xk_launch_desc *a,
                                     struct xk_error *err)
{
    XK_TRY(xk_driver_kernel_check(k, a, err));
    const ze_result_t r = d->ze.zeKernelSetGroupSize(k->handle, a->local[0],
                                                     a->local[1], a->local[2]);
    if (r != ZE_RESULT_SUCCESS)
        return xk_ze_fail(&d->ze, d->driver, "zeKernelSetGroupSize", k->name, r,
                          err);
    for (uint32_t i = 0; i < k->n_args; i++)
        XK_TRY(set_ze_argument(d, k, i, &a->args[i], err));
    return XK_OK;
}

static enum xk_status ze_append(struct xk_ze_device *d, struct ze_module *m,
                                const struct xk_launch_desc *a,
                                struct ze_run *run, struct xk_error *err)
{
    const ze_group_count_t groups = {a->groups[0], a->groups[1], a->groups[2]};
    struct xk_driver_kernel *k = NULL;
    XK_TRY(xk_driver_kernel_find(&m->base, &m->kernels, a->name, make_ze_kernel,
                                 &k, err));
    XK_TRY(prepare_kernel(d, k, a, err));
    XK_TRY(xk_ze_begin(d, &run->mark, err));
    const ze_result_t r = d->ze.zeCommandListAppendLaunchKernel(
        d->list, k->handle, &groups, run->mark->event, 0, NULL);
    if (r == ZE_RESULT_SUCCESS)
        return XK_OK;
    run->mark->busy = false;
    return xk_ze_fail(&d->ze, d->driver, "zeCommandListAppendLaunchKernel",
                      a->name, r, err);
}

enum xk_status xk_ze_launch_start(xk_module *m, const struct xk_launch_desc *a,
                                  void **run, struct xk_error *err)
{
    struct xk_ze_device *const d = (struct xk_ze_device *)m->device;
    struct ze_run *const r = xk_runtime_mem(&d->base.alloc, NULL, sizeof *r);
    if (!r)
        return ze_no_memory(err);
    memset(r, 0, sizeof *r);
    r->groups = (uint64_t)a->groups[0] * a->groups[1] * a->groups[2];
    r->start_ns = xk_host_clock_ns();
    pthread_mutex_lock(&d->lock);
    const enum xk_status s = ze_append(d, (struct ze_module *)m, a, r, err);
    pthread_mutex_unlock(&d->lock);
    if (s < 0)
        xk_runtime_mem(&d->base.alloc, r, 0);
    else
        *run = r;
    return s;
}

enum xk_status xk_ze_launch_wait(xk_module *m, void *run,
                                 struct xk_launch_stats *stats,
                                 struct xk_error *err)
{
    struct xk_ze_device *const d = (struct xk_ze_device *)m->device;
    const struct ze_run *const r = run;
    uint64_t ticks = 0;
    XK_TRY(xk_ze_wait(d, r->mark, &ticks, err));
    stats->groups = r->groups;
    stats->time_ns = xk_host_clock_ns() - r->start_ns;
    stats->device_ns = (uint64_t)((double)ticks * d->tick_ns);
    return XK_OK;
}

void xk_ze_launch_end(xk_module *m, void *run)
{
    struct xk_ze_device *const d = (struct xk_ze_device *)m->device;
    struct ze_run *const r = run;
    xk_ze_end(d, r->mark);
    xk_runtime_mem(&d->base.alloc, r, 0);
}
