/* SPDX-License-Identifier: Apache-2.0 */
/* The public device interface: argument checks, reference counts, dispatch to
 * the engine. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/engine.h"
#include "runtime/launch_limits.h"

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

/* lacks: the reason why this build has no such engine. */
static const struct {
    const char *name;
    const struct xk_engine *engine;
    const char *lacks;
} engines[] = {
    {"sim", &xk_engine_sim, NULL},
#ifdef XK_HAVE_ZE
    {"ze", &xk_engine_ze, NULL},
#else
    {"ze", NULL, "Level Zero's headers"},
#endif
#ifdef XK_HAVE_OCL
    {"ocl", &xk_engine_ocl, NULL},
#else
    {"ocl", NULL, "OpenCL's headers"},
#endif
};

const char *xk_device_engine_at(uint32_t k)
{
    return k < XK_COUNTOF(engines) ? engines[k].name : NULL;
}

static enum xk_status no_engine(const char *name, struct xk_error *err)
{
    char words[40] = "";
    for (size_t i = 0, at = 0; i < XK_COUNTOF(engines) && at < sizeof words;
         i++)
        at += (size_t)snprintf(words + at, sizeof words - at, "%s%s",
                               i ? ", " : "", engines[i].name);
    return xk_runtime_fail(err, XK_EINVAL, "engine '%.40s' is none of %s", name,
                           words);
}

/* "ze:1" -> Level Zero, 1 */
static enum xk_status find_engine(const char *name, const struct xk_engine **e,
                                  uint32_t *index, struct xk_error *err)
{
    const size_t n = strcspn(name, ":");
    char *end = NULL;
    *index = 0;
    if (name[n]) {
        const unsigned long k = strtoul(name + n + 1, &end, 10);
        if (name[n + 1] < '0' || name[n + 1] > '9' || *end || k > UINT16_MAX)
            return no_engine(name, err);
        *index = (uint32_t)k;
    }
    for (size_t i = 0; i < XK_COUNTOF(engines); i++) {
        if (strlen(engines[i].name) != n || strncmp(name, engines[i].name, n))
            continue;
        *e = engines[i].engine;
        return *e ? XK_OK
                  : xk_runtime_fail(err, XK_EABSENT,
                                    "engine %s: this xekern was built without "
                                    "%s",
                                    engines[i].name, engines[i].lacks);
    }
    return no_engine(name, err);
}

enum xk_status xk_device_count(const char *engine, uint32_t *n,
                               struct xk_error *err)
{
    const struct xk_engine *e;
    uint32_t index;
    XK_RUNTIME_OR_LOCAL(err);
    if (!engine || !n)
        return xk_runtime_fail(err, XK_EINVAL, "device: %s is NULL",
                               !engine ? "engine" : "n");
    XK_TRY(find_engine(engine, &e, &index, err));
    return e->device_count(n, err);
}

/* Asks the engine about a device; one that does not exist is an error. */
static enum xk_status query_device(const struct xk_engine *e, uint32_t index,
                                   struct xk_device_info *info,
                                   struct xk_error *err)
{
    uint32_t n;
    XK_TRY(e->device_count(&n, err));
    if (index >= n)
        return xk_runtime_fail(err, XK_EABSENT,
                               "engine %s: no device %u, there %s %u", e->name,
                               index, n == 1 ? "is" : "are", n);
    *info = (struct xk_device_info){.size = sizeof *info};
    return e->device_query(index, info, err);
}

#define MAX_INFO_B 65536 /* a larger size field is garbage */

/* Copies as much of *info as the caller's struct has room for, and zeroes the
 * rest of it. */
static enum xk_status give_info(const struct xk_device_info *info,
                                struct xk_device_info *out,
                                struct xk_error *err)
{
    const uint32_t size = out->size;
    if (size < sizeof size || size > MAX_INFO_B)
        return xk_runtime_fail(err, XK_EINVAL, "device info: size is %u", size);
    memset(out, 0, size);
    memcpy(out, info, size < sizeof *info ? size : sizeof *info);
    out->size = size;
    return XK_OK;
}

enum xk_status xk_device_query(const char *engine, struct xk_device_info *info,
                               struct xk_error *err)
{
    const struct xk_engine *e;
    struct xk_device_info all;
    uint32_t index;
    XK_RUNTIME_OR_LOCAL(err);
    if (!engine || !info)
        return xk_runtime_fail(err, XK_EINVAL, "device: %s is NULL",
                               !engine ? "engine" : "info");
    XK_TRY(find_engine(engine, &e, &index, err));
    XK_TRY(query_device(e, index, &all, err));
    return give_info(&all, info, err);
}

/* The platform to generate for: the device's, or the requested one if the
 * device's is not known. The two must agree. */
static enum xk_status choose_platform(const struct xk_device_info *info,
                                      const char *engine, const char *asked,
                                      const struct xk_platform **out,
                                      struct xk_error *err)
{
    if (asked && *info->platform && strcmp(asked, info->platform))
        return xk_runtime_fail(err, XK_EINVAL,
                               "engine %s: the device '%s' is %s, not %.40s",
                               engine, info->name, info->platform, asked);
    if (!asked && !*info->platform)
        return xk_runtime_fail(err, XK_EINVAL,
                               "engine %s: the device '%s', id 0x%04x, has no "
                               "platform of its own that is known: name one",
                               engine, info->name, info->device_id);
    *out = xk_platform_find(asked ? asked : info->platform);
    return *out ? XK_OK
                : xk_runtime_fail(err, XK_EINVAL,
                                  "platform '%.40s' is not known", asked);
}

enum xk_status xk_device_create(const char *engine, const char *platform,
                                unsigned n_threads, xk_device **out,
                                struct xk_error *err)
{
    const struct xk_engine *e;
    const struct xk_platform *p;
    struct xk_device_info info;
    uint32_t index;
    XK_RUNTIME_OR_LOCAL(err);
    if (!engine || !out)
        return xk_runtime_fail(err, XK_EINVAL, "device: %s is NULL",
                               !engine ? "engine" : "out");
    *out = NULL;
    XK_TRY(find_engine(engine, &e, &index, err));
    XK_TRY(query_device(e, index, &info, err));
    XK_TRY(choose_platform(&info, engine, platform, &p, err));
    XK_TRY(e->device_create(&xk_alloc_default, index, p, n_threads, out, err));
    (*out)->engine = e;
    (*out)->alloc = xk_alloc_default;
    (*out)->info = info;
    strcpy((*out)->info.platform, p->name);
    atomic_init(&(*out)->refs, 1);
    return XK_OK;
}

enum xk_status xk_device_get_info(const xk_device *d,
                                  struct xk_device_info *info,
                                  struct xk_error *err)
{
    XK_RUNTIME_OR_LOCAL(err);
    if (!d || !info)
        return xk_runtime_fail(err, XK_EINVAL, "device: %s is NULL",
                               !d ? "device" : "info");
    return give_info(&d->info, info, err);
}

void xk_device_unref(xk_device *d)
{
    if (d && xk_runtime_unref(&d->refs))
        d->engine->device_destroy(d);
}

enum xk_status xk_buffer_create(xk_device *d, uint64_t size_b, xk_buffer **out,
                                struct xk_error *err)
{
    XK_RUNTIME_OR_LOCAL(err);
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
    xk_runtime_ref(&d->refs);
    return XK_OK;
}

static enum xk_status check_part(const xk_buffer *b, uint64_t offset_b,
                                 uint64_t size_b, struct xk_error *err)
{
    if (offset_b % XK_PART_ALIGN_B)
        return xk_runtime_fail(err, XK_EINVAL,
                               "buffer part: offset %" PRIu64 " is no multiple "
                               "of %d",
                               offset_b, XK_PART_ALIGN_B);
    if (!size_b || offset_b > b->size_b || size_b > b->size_b - offset_b)
        return xk_runtime_fail(err, XK_EINVAL,
                               "buffer part: [%" PRIu64 ", +%" PRIu64 ") is "
                               "empty or outside of %" PRIu64 " bytes",
                               offset_b, size_b, b->size_b);
    return XK_OK;
}

enum xk_status xk_buffer_part(xk_buffer *b, uint64_t offset_b, uint64_t size_b,
                              xk_buffer **out, struct xk_error *err)
{
    XK_RUNTIME_OR_LOCAL(err);
    if (!b || !out)
        return xk_runtime_fail(err, XK_EINVAL, "buffer part: %s is NULL",
                               !b ? "buffer" : "out");
    *out = NULL;
    XK_TRY(check_part(b, offset_b, size_b, err));
    xk_buffer *const whole = b->whole ? b->whole : b;
    const uint64_t at_b = b->at_b + offset_b;
    XK_TRY(b->device->engine->buffer_part(whole, at_b, size_b, out, err));
    atomic_init(&(*out)->refs, 1);
    (*out)->device = b->device;
    (*out)->size_b = size_b;
    (*out)->whole = whole;
    (*out)->at_b = at_b;
    xk_runtime_ref(&b->device->refs);
    xk_runtime_ref(&whole->refs);
    return XK_OK;
}

void xk_buffer_unref(xk_buffer *b)
{
    if (!b || !xk_runtime_unref(&b->refs))
        return;
    xk_device *d = b->device;
    xk_buffer *const whole = b->whole;
    d->engine->buffer_destroy(b);
    xk_buffer_unref(whole);
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
    XK_RUNTIME_OR_LOCAL(err);
    XK_TRY(check_range(b, "write", offset_b, src, size_b, err));
    return b->device->engine->buffer_write(b, offset_b, src, size_b, err);
}

enum xk_status xk_buffer_read(const xk_buffer *b, uint64_t offset_b, void *dst,
                              uint64_t size_b, struct xk_error *err)
{
    XK_RUNTIME_OR_LOCAL(err);
    XK_TRY(check_range(b, "read", offset_b, dst, size_b, err));
    return b->device->engine->buffer_read(b, offset_b, dst, size_b, err);
}

enum xk_status xk_module_create(xk_device *d, const void *zebin, size_t size_b,
                                xk_module **out, struct xk_error *err)
{
    XK_RUNTIME_OR_LOCAL(err);
    if (!d || !zebin || !out)
        return xk_runtime_fail(err, XK_EINVAL, "module: %s is NULL",
                               !d       ? "device"
                               : !zebin ? "zebin"
                                        : "out");
    *out = NULL;
    struct xk_launch_limits *limits;
    struct xk_launch_list *launches;
    XK_TRY(xk_launch_limits_read(&d->alloc, zebin, size_b, &limits, &launches,
                                 err));
    const enum xk_status s =
        d->engine->module_create(d, zebin, size_b, out, err);
    if (s < 0) {
        xk_launch_limits_free(&d->alloc, limits);
        if (launches)
            xk_runtime_mem(&d->alloc, launches, 0);
        return s;
    }
    (*out)->limits = limits;
    (*out)->launches = launches;
    atomic_init(&(*out)->refs, 1);
    (*out)->device = d;
    xk_runtime_ref(&d->refs);
    return XK_OK;
}

void xk_module_unref(xk_module *m)
{
    if (!m || !xk_runtime_unref(&m->refs))
        return;
    xk_device *d = m->device;
    xk_launch_limits_free(&d->alloc, m->limits);
    if (m->launches)
        xk_runtime_mem(&d->alloc, m->launches, 0);
    d->engine->module_destroy(m);
    xk_device_unref(d);
}
