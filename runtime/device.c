/* SPDX-License-Identifier: Apache-2.0 */
/* The public device interface: argument checks, reference counts, dispatch to
 * the engine. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/engine.h"

enum xk_status xk_runtime_fail(struct xk_error *err, enum xk_status status,
                               const char *fmt, ...)
{
    va_list ap;
    err->status = status;
    va_start(ap, fmt);
    vsnprintf(err->message, sizeof(err->message), fmt, ap);
    va_end(ap);
    return status;
}

/* Callers may pass no error record. */
#define OR_LOCAL(err)                                                          \
    struct xk_error local_err_;                                                \
    if (!(err))                                                                \
    (err) = &local_err_

static void ref(atomic_uint *refs)
{
    atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}

static bool unref(atomic_uint *refs)
{
    return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

static const struct xk_engine *find_engine(const char *name)
{
    return strcmp(name, xk_engine_sim.name) == 0 ? &xk_engine_sim : NULL;
}

static enum xk_status no_engine(const char *name, struct xk_error *err)
{
    if (strcmp(name, "ze") == 0 || strcmp(name, "ocl") == 0)
        return xk_runtime_fail(
            err, XK_EABSENT, "engine %s: not implemented yet (issue 6)", name);
    return xk_runtime_fail(err, XK_EINVAL,
                           "engine '%.40s' is none of sim, ze, ocl", name);
}

enum xk_status xk_device_create(const char *engine, const char *platform,
                                unsigned n_threads, xk_device **out,
                                struct xk_error *err)
{
    OR_LOCAL(err);
    if (!engine || !platform || !out)
        return xk_runtime_fail(err, XK_EINVAL, "device: %s is NULL",
                               !engine     ? "engine"
                               : !platform ? "platform"
                                           : "out");
    *out = NULL;
    const struct xk_engine *e = find_engine(engine);
    if (!e)
        return no_engine(engine, err);
    const struct xk_platform *p = xk_platform_find(platform);
    if (!p)
        return xk_runtime_fail(err, XK_EINVAL, "platform '%.40s' is not known",
                               platform);
    XK_TRY(e->device_create(&xk_alloc_default, p, n_threads, out, err));
    (*out)->engine = e;
    (*out)->alloc = xk_alloc_default;
    atomic_init(&(*out)->refs, 1);
    return XK_OK;
}

void xk_device_unref(xk_device *d)
{
    if (d && unref(&d->refs))
        d->engine->device_destroy(d);
}

enum xk_status xk_buffer_create(xk_device *d, uint64_t size_b, xk_buffer **out,
                                struct xk_error *err)
{
    OR_LOCAL(err);
    if (!d || !out)
        return xk_runtime_fail(err, XK_EINVAL, "buffer: %s is NULL",
                               !d ? "device" : "out");
    *out = NULL;
    if (!size_b)
        return xk_runtime_fail(err, XK_EINVAL, "buffer: size is 0");
    XK_TRY(d->engine->buffer_create(d, size_b, out, err));
    atomic_init(&(*out)->refs, 1);
    (*out)->device = d;
    (*out)->size_b = size_b;
    ref(&d->refs);
    return XK_OK;
}

void xk_buffer_unref(xk_buffer *b)
{
    if (!b || !unref(&b->refs))
        return;
    xk_device *d = b->device;
    d->engine->buffer_destroy(b);
    xk_device_unref(d);
}

static enum xk_status check_range(const xk_buffer *b, const char *what,
                                  uint64_t offset_b, const void *p,
                                  uint64_t size_b, struct xk_error *err)
{
    if (!b || (!p && size_b))
        return xk_runtime_fail(err, XK_EINVAL, "buffer %s: %s is NULL", what,
                               !b ? "buffer" : "host pointer");
    if (offset_b > b->size_b || size_b > b->size_b - offset_b)
        return xk_runtime_fail(err, XK_EINVAL,
                               "buffer %s: [%" PRIu64 ", +%" PRIu64 ") is "
                               "outside of %" PRIu64 " bytes",
                               what, offset_b, size_b, b->size_b);
    return XK_OK;
}

enum xk_status xk_buffer_write(xk_buffer *b, uint64_t offset_b, const void *src,
                               uint64_t size_b, struct xk_error *err)
{
    OR_LOCAL(err);
    XK_TRY(check_range(b, "write", offset_b, src, size_b, err));
    return b->device->engine->buffer_write(b, offset_b, src, size_b, err);
}

enum xk_status xk_buffer_read(const xk_buffer *b, uint64_t offset_b, void *dst,
                              uint64_t size_b, struct xk_error *err)
{
    OR_LOCAL(err);
    XK_TRY(check_range(b, "read", offset_b, dst, size_b, err));
    return b->device->engine->buffer_read(b, offset_b, dst, size_b, err);
}

enum xk_status xk_module_create(xk_device *d, const void *zebin, size_t size_b,
                                xk_module **out, struct xk_error *err)
{
    OR_LOCAL(err);
    if (!d || !zebin || !out)
        return xk_runtime_fail(err, XK_EINVAL, "module: %s is NULL",
                               !d       ? "device"
                               : !zebin ? "zebin"
                                        : "out");
    *out = NULL;
    XK_TRY(d->engine->module_create(d, zebin, size_b, out, err));
    atomic_init(&(*out)->refs, 1);
    (*out)->device = d;
    ref(&d->refs);
    return XK_OK;
}

void xk_module_unref(xk_module *m)
{
    if (!m || !unref(&m->refs))
        return;
    xk_device *d = m->device;
    d->engine->module_destroy(m);
    xk_device_unref(d);
}

enum xk_status xk_launch(xk_module *m, const char *name,
                         const uint32_t groups[3], const uint32_t local[3],
                         unsigned n_args, const struct xk_launch_arg *args,
                         struct xk_launch_stats *stats, struct xk_error *err)
{
    OR_LOCAL(err);
    if (!m || !name || !groups || !local || (n_args && !args))
        return xk_runtime_fail(err, XK_EINVAL, "launch: %s is NULL",
                               !m        ? "module"
                               : !name   ? "name"
                               : !groups ? "groups"
                               : !local  ? "local"
                                         : "args");
    for (unsigned i = 0; i < n_args; i++)
        if (args[i].buffer && args[i].buffer->device != m->device)
            return xk_runtime_fail(err, XK_EINVAL,
                                   "launch: argument %u is a "
                                   "buffer of another device",
                                   i);
    const struct xk_launch_args a = {name, groups, local, n_args, args};
    return m->device->engine->launch(m, &a, stats, err);
}
