/* SPDX-License-Identifier: Apache-2.0 */
/* The engine "sim": buffers are host memory at made-up device addresses. Every
 * buffer sits in an 8 GiB slot of its own and straddles the 4 GiB line in it,
 * so that overruns land nowhere and a lost carry from bit 31 shows. Slots are
 * handed out from the lowest. */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "runtime/args.h"
#include "sim/sim.h"

#define SLOT_B (UINT64_C(8) << 30)
#define N_SLOTS 4096
#define JUNK 0xffc0a5a5u /* what fresh memory holds: NaN as float */

struct sim_device {
    struct xk_device base;
    const struct xk_platform *platform;
    unsigned n_threads;
    pthread_mutex_t lock; /* of used */
    uint8_t used[N_SLOTS];
};

struct sim_buffer {
    struct xk_buffer base;
    unsigned slot;
    uint64_t va;
    uint8_t *host;
};

struct sim_kernel {
    xk_sim_kernel *sim;
};

struct sim_module {
    struct xk_module base;
    xk_ctx *c;
    void *file;
    struct xk_zebin zebin;
    struct sim_kernel *kernel; /* zebin.n_kernels of them */
};

static void *get_mem(const struct xk_alloc *a, void *p, size_t n_b)
{
    return a->realloc(a->user, p, n_b);
}

static enum xk_status no_memory(struct xk_error *err, const char *what,
                                uint64_t n_b)
{
    return xk_runtime_fail(err, XK_ENOMEM,
                           "sim: out of memory for %s, %" PRIu64 " bytes", what,
                           n_b);
}

static enum xk_status device_create(const struct xk_alloc *alloc,
                                    const struct xk_platform *p,
                                    unsigned n_threads, xk_device **out,
                                    struct xk_error *err)
{
    if (p->id != XK_PLATFORM_XEHPG)
        return xk_runtime_fail(err, XK_EUNSUPPORTED,
                               "sim: platform %s is not "
                               "simulated yet, only xehpg",
                               p->name);
    struct sim_device *d = get_mem(alloc, NULL, sizeof(*d));
    if (!d)
        return no_memory(err, "the device", sizeof(*d));
    memset(d, 0, sizeof(*d));
    d->platform = p;
    d->n_threads = n_threads;
    pthread_mutex_init(&d->lock, NULL);
    *out = &d->base;
    return XK_OK;
}

static void device_destroy(xk_device *d)
{
    struct sim_device *s = (struct sim_device *)d;
    const struct xk_alloc a = d->alloc;
    pthread_mutex_destroy(&s->lock);
    get_mem(&a, s, 0);
}

/* Slot 0 stays empty: small addresses are nobody's. N_SLOTS if none is free. */
static unsigned take_slot(struct sim_device *d)
{
    unsigned k = 1;
    pthread_mutex_lock(&d->lock);
    while (k < N_SLOTS && d->used[k])
        k++;
    if (k < N_SLOTS)
        d->used[k] = 1;
    pthread_mutex_unlock(&d->lock);
    return k;
}

static void give_slot(struct sim_device *d, unsigned k)
{
    pthread_mutex_lock(&d->lock);
    d->used[k] = 0;
    pthread_mutex_unlock(&d->lock);
}

static void fill(uint8_t *p, uint64_t n_b)
{
    const uint32_t junk = JUNK;
    uint64_t at = 0;
    for (; n_b - at >= 4; at += 4)
        memcpy(p + at, &junk, 4);
    memcpy(p + at, &junk, (size_t)(n_b - at));
}

static enum xk_status buffer_create(xk_device *d, uint64_t size_b,
                                    xk_buffer **out, struct xk_error *err)
{
    struct sim_device *s = (struct sim_device *)d;
    if (size_b > SLOT_B / 4 * 3)
        return xk_runtime_fail(
            err, XK_EUNSUPPORTED,
            "sim: buffer of %" PRIu64 " bytes; at most 6 GiB", size_b);
    struct sim_buffer *b = get_mem(&d->alloc, NULL, sizeof(*b));
    uint8_t *host = get_mem(&d->alloc, NULL, (size_t)size_b);
    const unsigned slot = take_slot(s);
    if (!b || !host || slot == N_SLOTS) {
        get_mem(&d->alloc, b, 0);
        get_mem(&d->alloc, host, 0);
        if (slot < N_SLOTS)
            give_slot(s, slot);
        return no_memory(err, "a buffer", size_b);
    }
    memset(b, 0, sizeof(*b));
    b->slot = slot;
    b->host = host;
    b->va = slot * SLOT_B + SLOT_B / 2 - (size_b / 2 + 63) / 64 * 64;
    fill(host, size_b);
    *out = &b->base;
    return XK_OK;
}

static void buffer_destroy(xk_buffer *b)
{
    struct sim_buffer *s = (struct sim_buffer *)b;
    const struct xk_alloc *a = &b->device->alloc;
    give_slot((struct sim_device *)b->device, s->slot);
    get_mem(a, s->host, 0);
    get_mem(a, s, 0);
}

static enum xk_status buffer_write(xk_buffer *b, uint64_t offset_b,
                                   const void *src, uint64_t size_b,
                                   struct xk_error *err)
{
    (void)err;
    if (size_b)
        memcpy(((struct sim_buffer *)b)->host + offset_b, src, (size_t)size_b);
    return XK_OK;
}

static enum xk_status buffer_read(const xk_buffer *b, uint64_t offset_b,
                                  void *dst, uint64_t size_b,
                                  struct xk_error *err)
{
    (void)err;
    if (size_b)
        memcpy(dst, ((const struct sim_buffer *)b)->host + offset_b,
               (size_t)size_b);
    return XK_OK;
}

static void module_free(const struct xk_alloc *a, struct sim_module *m)
{
    for (uint32_t i = 0; m->kernel && i < m->zebin.n_kernels; i++)
        xk_sim_kernel_destroy(m->kernel[i].sim);
    get_mem(a, m->kernel, 0);
    if (m->c)
        xk_zebin_fini(m->c, &m->zebin);
    xk_ctx_destroy(m->c);
    get_mem(a, m->file, 0);
    get_mem(a, m, 0);
}

static enum xk_status decode_kernels(struct sim_device *d, struct sim_module *m,
                                     struct xk_error *err)
{
    const size_t n_b = m->zebin.n_kernels * sizeof(*m->kernel);
    m->kernel = get_mem(&d->base.alloc, NULL, n_b);
    if (!m->kernel)
        return no_memory(err, "kernels", n_b);
    memset(m->kernel, 0, n_b);
    for (uint32_t i = 0; i < m->zebin.n_kernels; i++)
        XK_TRY(xk_sim_kernel_create(&d->base.alloc, d->platform,
                                    &m->zebin.kernels[i], &m->kernel[i].sim,
                                    err));
    return XK_OK;
}

static enum xk_status module_load(struct sim_device *d, struct sim_module *m,
                                  const void *zebin, size_t size_b,
                                  struct xk_error *err)
{
    m->c = xk_ctx_create(&d->base.alloc);
    m->file = get_mem(&d->base.alloc, NULL, size_b ? size_b : 1);
    if (!m->c || !m->file)
        return no_memory(err, "the module", size_b);
    memcpy(m->file, zebin, size_b);
    const enum xk_status s = xk_zebin_read(m->c, m->file, size_b, &m->zebin);
    if (s < 0) {
        *err = m->c->error;
        return s;
    }
    const uint32_t family = m->zebin.product_family;
    if (family && family != d->platform->product_family)
        return xk_runtime_fail(err, XK_EINVAL,
                               "zebin: product family %u, but "
                               "%s is %u",
                               family, d->platform->name,
                               d->platform->product_family);
    return decode_kernels(d, m, err);
}

static enum xk_status module_create(xk_device *d, const void *zebin,
                                    size_t size_b, xk_module **out,
                                    struct xk_error *err)
{
    struct sim_module *m = get_mem(&d->alloc, NULL, sizeof(*m));
    if (!m)
        return no_memory(err, "the module", sizeof(*m));
    memset(m, 0, sizeof(*m));
    const enum xk_status s =
        module_load((struct sim_device *)d, m, zebin, size_b, err);
    if (s < 0)
        module_free(&d->alloc, m);
    else
        *out = &m->base;
    return s;
}

static void module_destroy(xk_module *m)
{
    module_free(&m->device->alloc, (struct sim_module *)m);
}

static uint64_t va_of(const xk_buffer *b)
{
    return ((const struct sim_buffer *)b)->va;
}

/* Only what is passed to the launch exists for it; a buffer passed twice counts
 * once. */
static unsigned bind(const struct xk_launch_args *a, struct xk_sim_region *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < a->n_args; i++) {
        const struct sim_buffer *b =
            (const struct sim_buffer *)a->args[i].buffer;
        bool seen = !b;
        for (unsigned k = 0; k < n && !seen; k++)
            seen = r[k].va == b->va;
        if (!seen)
            r[n++] = (struct xk_sim_region){b->va, b->base.size_b, b->host};
    }
    return n;
}

static enum xk_status run(struct sim_module *m, uint32_t index,
                          const struct xk_launch_args *a, uint8_t *cross,
                          struct xk_sim_region *regions,
                          struct xk_launch_stats *stats, struct xk_error *err)
{
    const struct xk_zkernel *k = &m->zebin.kernels[index];
    const struct sim_device *d = (const struct sim_device *)m->base.device;
    struct xk_sim_launch l = {
        .kernel = m->kernel[index].sim,
        .cross_thread = cross,
        .cross_thread_b = k->cross_thread_b,
        .regions = regions,
        .n_threads = d->n_threads,
    };
    memcpy(l.groups, a->groups, sizeof(l.groups));
    memcpy(l.local, a->local, sizeof(l.local));
    XK_TRY(xk_args_marshal(k, a, va_of, cross, &l.slm_b, err));
    l.n_regions = bind(a, regions);
    return xk_sim_launch(&l, stats, err);
}

static enum xk_status launch_kernel(struct sim_module *m, uint32_t index,
                                    const struct xk_launch_args *a,
                                    struct xk_launch_stats *stats,
                                    struct xk_error *err)
{
    const struct xk_alloc *al = &m->base.device->alloc;
    const size_t n_b = (a->n_args + 1u) * sizeof(struct xk_sim_region);
    uint8_t *cross =
        get_mem(al, NULL, m->zebin.kernels[index].cross_thread_b + 64u);
    struct xk_sim_region *regions = get_mem(al, NULL, n_b);
    enum xk_status s = cross && regions
                           ? run(m, index, a, cross, regions, stats, err)
                           : no_memory(err, "the arguments", n_b);
    get_mem(al, cross, 0);
    get_mem(al, regions, 0);
    return s;
}

static enum xk_status launch(xk_module *m, const struct xk_launch_args *a,
                             struct xk_launch_stats *stats,
                             struct xk_error *err)
{
    struct sim_module *s = (struct sim_module *)m;
    for (uint32_t i = 0; i < s->zebin.n_kernels; i++)
        if (strcmp(s->zebin.kernels[i].name, a->name) == 0)
            return launch_kernel(s, i, a, stats, err);
    return xk_runtime_fail(err, XK_EINVAL, "the module has no kernel '%.100s'",
                           a->name);
}

const struct xk_engine xk_engine_sim = {
    .name = "sim",
    .device_create = device_create,
    .device_destroy = device_destroy,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .buffer_write = buffer_write,
    .buffer_read = buffer_read,
    .module_create = module_create,
    .module_destroy = module_destroy,
    .launch = launch,
};
