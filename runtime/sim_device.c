/* SPDX-License-Identifier: Apache-2.0 */
/* The engine "sim". Its buffers are host memory at device addresses that this
 * file chooses. Each buffer has an 8 GiB slot of its own and straddles the 4
 * GiB line in it. So an overrun hits no other buffer, and a lost carry from bit
 * 31 shows. The lowest free slot is taken first. The last N_GONE freed buffers
 * keep their slots, so a use after free is recognised. */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "container/patch_tokens.h"
#include "runtime/args.h"
#include "runtime/raw_code.h"
#include "sim/watch.h"

#define SLOT_B (UINT64_C(8) << 30)
#define N_SLOTS 4096
#define N_GONE 32
#define JUNK 0xffc0a5a5u /* content of fresh memory: NaN as float */

/* A buffer that was freed. */
struct gone {
    unsigned slot;
    uint64_t va, size_b;
};

struct sim_device {
    struct xk_device base;
    const struct xk_platform *platform;
    unsigned n_threads;
    pthread_mutex_t lock; /* of used and gone */
    uint8_t used[N_SLOTS];
    struct gone gone[N_GONE]; /* the oldest one first */
    unsigned n_gone;
    struct xk_simulate_opts look;
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
    xk_buffer *data[2];        /* constants and variables; NULL: none */
    struct xk_args_places places;
};

static enum xk_status sim_no_memory(struct xk_error *err, const char *what,
                                    uint64_t n_b)
{
    return xk_runtime_fail(err, XK_ENOMEM,
                           "sim: out of memory for %s, %" PRIu64 " bytes", what,
                           n_b);
}

static enum xk_status device_count(uint32_t *n, struct xk_error *err)
{
    (void)err;
    *n = 1;
    return XK_OK;
}

/* It simulates any platform, so it is none. */
static enum xk_status device_query(uint32_t index, struct xk_device_info *info,
                                   struct xk_error *err)
{
    (void)index;
    (void)err;
    strcpy(info->name, "simulator");
    strcpy(info->driver, "xekern");
    info->max_buffer_b = SLOT_B / 4 * 3;
    return XK_OK;
}

static enum xk_status sim_device_create(const struct xk_alloc *alloc,
                                        uint32_t index,
                                        const struct xk_platform *p,
                                        unsigned n_threads, xk_device **out,
                                        struct xk_error *err)
{
    (void)index;
    struct sim_device *d = xk_runtime_mem(alloc, NULL, sizeof(*d));
    if (!d)
        return sim_no_memory(err, "the device", sizeof(*d));
    memset(d, 0, sizeof(*d));
    d->platform = p;
    d->n_threads = n_threads;
    pthread_mutex_init(&d->lock, NULL);
    *out = &d->base;
    return XK_OK;
}

static void sim_device_destroy(xk_device *d)
{
    struct sim_device *s = (struct sim_device *)d;
    const struct xk_alloc a = d->alloc;
    pthread_mutex_destroy(&s->lock);
    xk_runtime_mem(&a, s, 0);
}

/* Frees the slot of the buffer that was freed first. */
static void forget_oldest(struct sim_device *d)
{
    d->used[d->gone[0].slot] = 0;
    d->n_gone--;
    memmove(d->gone, d->gone + 1, d->n_gone * sizeof *d->gone);
}

/* The lowest free slot; N_SLOTS if there is none. Slot 0 stays empty, so no
 * small address is valid. */
static unsigned take_slot(struct sim_device *d)
{
    unsigned k = 1;
    pthread_mutex_lock(&d->lock);
    while (k < N_SLOTS && d->used[k])
        k++;
    if (k == N_SLOTS && d->n_gone) {
        k = d->gone[0].slot;
        forget_oldest(d);
    }
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

/* A freed buffer's slot stays taken for a while. */
static void bury(struct sim_device *d, const struct sim_buffer *b)
{
    pthread_mutex_lock(&d->lock);
    if (d->n_gone == N_GONE)
        forget_oldest(d);
    d->gone[d->n_gone++] = (struct gone){b->slot, b->va, b->base.size_b};
    pthread_mutex_unlock(&d->lock);
}

static void fill_junk(uint8_t *p, uint64_t n_b)
{
    const uint32_t junk = JUNK;
    uint64_t at = 0;
    for (; n_b - at >= 4; at += 4)
        memcpy(p + at, &junk, 4);
    memcpy(p + at, &junk, (size_t)(n_b - at));
}

static enum xk_status sim_buffer_create(xk_device *d, uint64_t size_b,
                                        xk_buffer **out, struct xk_error *err)
{
    struct sim_device *s = (struct sim_device *)d;
    if (size_b > SLOT_B / 4 * 3)
        return xk_runtime_fail(
            err, XK_EUNSUPPORTED,
            "sim: buffer of %" PRIu64 " bytes; at most 6 GiB", size_b);
    struct sim_buffer *b = xk_runtime_mem(&d->alloc, NULL, sizeof(*b));
    uint8_t *host = xk_runtime_mem(&d->alloc, NULL, (size_t)size_b);
    const unsigned slot = take_slot(s);
    if (!b || !host || slot == N_SLOTS) {
        xk_runtime_mem(&d->alloc, b, 0);
        xk_runtime_mem(&d->alloc, host, 0);
        if (slot < N_SLOTS)
            give_slot(s, slot);
        return sim_no_memory(err, "a buffer", size_b);
    }
    memset(b, 0, sizeof(*b));
    b->slot = slot;
    b->host = host;
    b->va = slot * SLOT_B + SLOT_B / 2 - (size_b / 2 + 63) / 64 * 64;
    fill_junk(host, size_b);
    *out = &b->base;
    return XK_OK;
}

static enum xk_status sim_buffer_part(xk_buffer *whole, uint64_t at_b,
                                      uint64_t size_b, xk_buffer **out,
                                      struct xk_error *err)
{
    const struct sim_buffer *const w = (const struct sim_buffer *)whole;
    struct sim_buffer *const b =
        xk_runtime_mem(&whole->device->alloc, NULL, sizeof(*b));
    if (!b)
        return sim_no_memory(err, "a part of a buffer", size_b);
    memset(b, 0, sizeof(*b));
    b->va = w->va + at_b;
    b->host = w->host + at_b;
    *out = &b->base;
    return XK_OK;
}

static void sim_buffer_destroy(xk_buffer *b)
{
    struct sim_buffer *s = (struct sim_buffer *)b;
    const struct xk_alloc *a = &b->device->alloc;
    if (!b->whole) {
        bury((struct sim_device *)b->device, s);
        xk_runtime_mem(a, s->host, 0);
    }
    xk_runtime_mem(a, s, 0);
}

static enum xk_status sim_buffer_write(xk_buffer *b, uint64_t offset_b,
                                       const void *src, uint64_t size_b,
                                       struct xk_error *err)
{
    (void)err;
    if (size_b)
        memcpy(((struct sim_buffer *)b)->host + offset_b, src, (size_t)size_b);
    return XK_OK;
}

static enum xk_status sim_buffer_read(const xk_buffer *b, uint64_t offset_b,
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
    xk_runtime_mem(a, m->kernel, 0);
    for (unsigned k = 0; k < 2; k++)
        if (m->data[k])
            sim_buffer_destroy(m->data[k]);
    if (m->c)
        xk_zebin_fini(m->c, &m->zebin);
    xk_ctx_destroy(m->c);
    xk_runtime_mem(a, m->file, 0);
    xk_runtime_mem(a, m, 0);
}

static enum xk_status decode_kernels(struct sim_device *d, struct sim_module *m,
                                     struct xk_error *err)
{
    const size_t n_b = m->zebin.n_kernels * sizeof(*m->kernel);
    m->kernel = xk_runtime_mem(&d->base.alloc, NULL, n_b);
    if (!m->kernel)
        return sim_no_memory(err, "kernels", n_b);
    memset(m->kernel, 0, n_b);
    for (uint32_t i = 0; i < m->zebin.n_kernels; i++)
        XK_TRY(xk_sim_kernel_create(&d->base.alloc, d->platform,
                                    &m->zebin.kernels[i], &m->kernel[i].sim,
                                    err));
    return XK_OK;
}

static uint64_t va_of(const xk_buffer *b)
{
    return ((const struct sim_buffer *)b)->va;
}

/* The module's constants and variables become buffers of their own. */
static enum xk_status load_data(struct sim_device *d, struct sim_module *m,
                                struct xk_error *err)
{
    m->places.va_of = va_of;
    for (unsigned k = 0; k < 2; k++) {
        if (!m->zebin.data_b[k])
            continue;
        XK_TRY(
            sim_buffer_create(&d->base, m->zebin.data_b[k], &m->data[k], err));
        m->data[k]->device = &d->base;
        m->data[k]->size_b = m->zebin.data_b[k];
        XK_TRY(sim_buffer_write(m->data[k], 0, m->zebin.data[k],
                                m->zebin.data_b[k], err));
        m->places.data_va[k] = va_of(m->data[k]);
        m->places.data_b[k] = m->zebin.data_b[k];
    }
    return XK_OK;
}

/* Addresses go into the module's copy of the code. */
static void relocate(struct sim_module *m, const struct xk_zkernel *k)
{
    uint8_t *const code = (uint8_t *)m->file + (k->code - (uint8_t *)m->file);
    for (uint32_t i = 0; i < k->n_relocs; i++) {
        const struct xk_zreloc *const z = &k->relocs[i];
        uint64_t v = z->value;
        if (z->section != XK_ZSECTION_NONE)
            v += m->places.data_va[z->section];
        if (z->type == XK_ZRELOC_PER_THREAD)
            v = k->cross_thread_b - k->inline_b;
        if (z->type == XK_ZRELOC_ADDR_HIGH)
            v >>= 32;
        memcpy(code + z->offset_b, &v, z->type == XK_ZRELOC_ADDR ? 8 : 4);
    }
}

/* The older container gives the number of local ids but not their size. */
static void set_id_bytes(const struct sim_device *d, struct xk_zkernel *k)
{
    if (!k->local_id_b && k->n_local_ids && k->simd > 1)
        k->local_id_b = k->n_local_ids * xk_sim_id_bytes(d->platform, k->simd);
}

/* facts describe raw code; NULL: the file is a container. */
static enum xk_status read_file(struct sim_module *m, size_t size_b,
                                const struct xk_simulate_code *facts,
                                uint32_t *gfx_core)
{
    *gfx_core = 0;
    if (facts)
        return xk_raw_code_read(m->c, m->file, size_b, facts, &m->zebin);
    if (xk_patch_tokens_recognise(m->file, size_b))
        return xk_patch_tokens_read(m->c, m->file, size_b, &m->zebin, gfx_core);
    return xk_zebin_read(m->c, m->file, size_b, &m->zebin);
}

static enum xk_status module_load(struct sim_device *d, struct sim_module *m,
                                  const void *zebin, size_t size_b,
                                  const struct xk_simulate_code *facts,
                                  struct xk_error *err)
{
    m->c = xk_ctx_create(&d->base.alloc);
    m->file = xk_runtime_mem(&d->base.alloc, NULL, size_b ? size_b : 1);
    if (!m->c || !m->file)
        return sim_no_memory(err, "the module", size_b);
    memcpy(m->file, zebin, size_b);
    uint32_t core;
    const enum xk_status s = read_file(m, size_b, facts, &core);
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
    if (core && core != d->platform->gfx_core)
        return xk_runtime_fail(err, XK_EINVAL,
                               "patch tokens: core %u, but %s is %u", core,
                               d->platform->name, d->platform->gfx_core);
    XK_TRY(load_data(d, m, err));
    for (uint32_t i = 0; i < m->zebin.n_kernels; i++) {
        relocate(m, &m->zebin.kernels[i]);
        set_id_bytes(d, &m->zebin.kernels[i]);
    }
    return decode_kernels(d, m, err);
}

static enum xk_status make_module(xk_device *d, const void *zebin,
                                  size_t size_b,
                                  const struct xk_simulate_code *facts,
                                  xk_module **out, struct xk_error *err)
{
    struct sim_module *m = xk_runtime_mem(&d->alloc, NULL, sizeof(*m));
    if (!m)
        return sim_no_memory(err, "the module", sizeof(*m));
    memset(m, 0, sizeof(*m));
    const enum xk_status s =
        module_load((struct sim_device *)d, m, zebin, size_b, facts, err);
    if (s < 0)
        module_free(&d->alloc, m);
    else
        *out = &m->base;
    return s;
}

static enum xk_status module_create(xk_device *d, const void *zebin,
                                    size_t size_b, xk_module **out,
                                    struct xk_error *err)
{
    return make_module(d, zebin, size_b, NULL, out, err);
}

static void module_destroy(xk_module *m)
{
    module_free(&m->device->alloc, (struct sim_module *)m);
}

/* One region for two that lie in the same buffer. */
static struct xk_sim_region joined(const struct xk_sim_region *x,
                                   const struct xk_sim_region *y)
{
    const uint64_t x_end = x->va + x->size_b, y_end = y->va + y->size_b;
    struct xk_sim_region r = x->va < y->va ? *x : *y;
    r.size_b = (x_end > y_end ? x_end : y_end) - r.va;
    return r;
}

/* Adds a buffer's region. Parts of a buffer may overlap, regions may not. */
static void bind_one(const xk_buffer *buffer, struct xk_sim_region *r,
                     unsigned *n)
{
    const struct sim_buffer *const b = (const struct sim_buffer *)buffer;
    if (!b)
        return;
    struct xk_sim_region x = {
        .va = b->va, .size_b = b->base.size_b, .host = b->host};
    for (unsigned k = 0; k < *n;) {
        if (r[k].va <= x.va && x.va + x.size_b <= r[k].va + r[k].size_b)
            return;
        if (r[k].va >= x.va + x.size_b || x.va >= r[k].va + r[k].size_b) {
            k++;
            continue;
        }
        x = joined(&r[k], &x);
        r[k] = r[--*n];
        k = 0;
    }
    r[(*n)++] = x;
}

static unsigned bind_gone(struct sim_device *d, struct xk_sim_region *r)
{
    unsigned n = 0;
    pthread_mutex_lock(&d->lock);
    for (unsigned k = 0; k < d->n_gone; k++)
        if (d->gone[k].size_b)
            r[n++] = (struct xk_sim_region){.va = d->gone[k].va,
                                            .size_b = d->gone[k].size_b,
                                            .kind = XK_SIM_FREED};
    pthread_mutex_unlock(&d->lock);
    return n;
}

/* A launch can access only its own buffers and the module's data. A buffer that
 * is passed twice counts once. */
static unsigned bind_buffers(const struct sim_module *m,
                             const struct xk_launch_desc *a,
                             struct xk_sim_region *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < a->n_args; i++)
        bind_one(a->args[i].buffer, r, &n);
    for (unsigned k = 0; k < 2; k++)
        bind_one(m->data[k], r, &n);
    return n + bind_gone((struct sim_device *)m->base.device, r + n);
}

/* Scratch memory of a launch on the host. */
struct room {
    uint8_t *cross;
    struct xk_sim_region *regions;
    struct xk_sim_bound *bound;
};

/* Runs the launch with the checks and trace that are set for the device. */
static enum xk_status watched(struct xk_sim_launch *l,
                              const struct xk_simulate_opts *look,
                              struct xk_launch_stats *stats,
                              struct xk_error *err)
{
    struct xk_sim_watch watch;
    bool wanted;
    XK_TRY(xk_sim_watch_init(&watch, look, l->kernel, &wanted, err));
    l->watch = wanted ? &watch : NULL;
    l->check = xk_sim_watch_checks(look);
    l->inst_limit = look->inst_limit;
    const enum xk_status s = xk_sim_launch(l, stats, err);
    xk_sim_watch_report(&watch, l->kernel, true);
    xk_sim_watch_fini(&watch);
    return s;
}

static enum xk_status run_sim_kernel(struct sim_module *m, uint32_t index,
                                     const struct xk_launch_desc *a,
                                     const struct room *room,
                                     struct xk_launch_stats *stats,
                                     struct xk_error *err)
{
    const struct xk_zkernel *k = &m->zebin.kernels[index];
    const struct sim_device *d = (const struct sim_device *)m->base.device;
    struct xk_sim_launch l = {
        .kernel = m->kernel[index].sim,
        .cross_thread = room->cross,
        .cross_thread_b = k->cross_thread_b,
        .regions = room->regions,
        .bound = room->bound,
        .n_bound = xk_args_n_bound(k),
        .walk_order = k->walk_order,
        .private_b = k->private_b * (k->private_is_lane ? k->simd : 1),
        .n_threads = d->n_threads,
    };
    memcpy(l.groups, a->groups, sizeof(l.groups));
    memcpy(l.local, a->local, sizeof(l.local));
    XK_TRY(xk_args_marshal(k, a, &m->places, room->cross, &l.slm_b, err));
    xk_args_bind(k, a, &m->places, room->bound);
    l.n_regions = bind_buffers(m, a, room->regions);
    return watched(&l, &d->look, stats, err);
}

static enum xk_status check_local(const struct xk_zkernel *k,
                                  const struct xk_launch_desc *a,
                                  struct xk_error *err)
{
    if (!k->required[0] || !memcmp(k->required, a->local, sizeof k->required))
        return XK_OK;
    return xk_runtime_fail(
        err, XK_EINVAL,
        "kernel '%.100s': local=%u,%u,%u: required_work_group_size is %u,%u,%u",
        k->name, a->local[0], a->local[1], a->local[2], k->required[0],
        k->required[1], k->required[2]);
}

static enum xk_status launch_kernel(struct sim_module *m, uint32_t index,
                                    const struct xk_launch_desc *a,
                                    struct xk_launch_stats *stats,
                                    struct xk_error *err)
{
    const struct xk_alloc *al = &m->base.device->alloc;
    const struct xk_zkernel *const k = &m->zebin.kernels[index];
    XK_TRY(check_local(k, a, err));
    const size_t n_b = (a->n_args + 3u + N_GONE) * sizeof(struct xk_sim_region);
    const struct room room = {
        .cross = xk_runtime_mem(al, NULL, k->cross_thread_b + 64u),
        .regions = xk_runtime_mem(al, NULL, n_b),
        .bound = xk_runtime_mem(al, NULL,
                                (xk_args_n_bound(k) + 1) * sizeof *room.bound)};
    enum xk_status s = room.cross && room.regions && room.bound
                           ? run_sim_kernel(m, index, a, &room, stats, err)
                           : sim_no_memory(err, "the arguments", n_b);
    xk_runtime_mem(al, room.cross, 0);
    xk_runtime_mem(al, room.regions, 0);
    xk_runtime_mem(al, room.bound, 0);
    return s;
}

static enum xk_status sim_launch(struct sim_module *s,
                                 const struct xk_launch_desc *a,
                                 struct xk_launch_stats *stats,
                                 struct xk_error *err)
{
    for (uint32_t i = 0; i < s->zebin.n_kernels; i++)
        if (strcmp(s->zebin.kernels[i].name, a->name) == 0)
            return launch_kernel(s, i, a, stats, err);
    return xk_runtime_fail(err, XK_EINVAL, "the module has no kernel '%.100s'",
                           a->name);
}

/* The result of a launch, which is over when launch_start returns. */
struct sim_run {
    enum xk_status status;
    struct xk_error err;
    struct xk_launch_stats stats;
};

static void launch_end(xk_module *m, void *run)
{
    xk_runtime_mem(&m->device->alloc, run, 0);
}

/* A kernel's fault while it runs is reported by launch_wait. */
static enum xk_status launch_start(xk_module *m, const struct xk_launch_desc *a,
                                   void **run, struct xk_error *err)
{
    struct sim_run *const r =
        xk_runtime_mem(&m->device->alloc, NULL, sizeof *r);
    if (!r)
        return sim_no_memory(err, "a launch", sizeof *r);
    memset(r, 0, sizeof *r);
    r->status = sim_launch((struct sim_module *)m, a, &r->stats, &r->err);
    if (r->status < 0 && !r->stats.time_ns) {
        const enum xk_status s = r->status;
        *err = r->err;
        launch_end(m, r);
        return s;
    }
    *run = r;
    return XK_OK;
}

static enum xk_status launch_wait(xk_module *m, void *run,
                                  struct xk_launch_stats *stats,
                                  struct xk_error *err)
{
    const struct sim_run *const r = run;
    (void)m;
    *stats = r->stats;
    if (r->status < 0)
        *err = r->err;
    return r->status;
}

const struct xk_engine xk_engine_sim = {
    .name = "sim",
    .device_count = device_count,
    .device_query = device_query,
    .device_create = sim_device_create,
    .device_destroy = sim_device_destroy,
    .buffer_create = sim_buffer_create,
    .buffer_part = sim_buffer_part,
    .buffer_destroy = sim_buffer_destroy,
    .buffer_write = sim_buffer_write,
    .buffer_read = sim_buffer_read,
    .module_create = module_create,
    .module_destroy = module_destroy,
    .launch_start = launch_start,
    .launch_wait = launch_wait,
    .launch_end = launch_end,
};

static enum xk_status must_be_sim(const xk_device *d, struct xk_error *err)
{
    return d && d->engine == &xk_engine_sim
               ? XK_OK
               : xk_runtime_fail(err, XK_EINVAL,
                                 "simulate: the device is %s, not sim",
                                 d ? d->engine->name : "NULL");
}

enum xk_status xk_simulate_configure(xk_device *d,
                                     const struct xk_simulate_opts *o,
                                     struct xk_error *err)
{
    static const struct xk_simulate_opts none = {.checks = NULL};
    struct xk_error local = {XK_OK, ""};
    err = err ? err : &local;
    XK_TRY(must_be_sim(d, err));
    XK_TRY(xk_sim_watch_check_opts(o, err));
    ((struct sim_device *)d)->look = o ? *o : none;
    return XK_OK;
}

enum xk_status xk_simulate_module(xk_device *d, const void *code, size_t code_b,
                                  const struct xk_simulate_code *facts,
                                  xk_module **out, struct xk_error *err)
{
    struct xk_error local = {XK_OK, ""};
    err = err ? err : &local;
    *out = NULL;
    XK_TRY(must_be_sim(d, err));
    if (!code || !code_b || !facts)
        return xk_runtime_fail(err, XK_EINVAL, "module: no code");
    XK_TRY(make_module(d, code, code_b, facts, out, err));
    atomic_init(&(*out)->refs, 1);
    (*out)->device = d;
    atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    return XK_OK;
}
