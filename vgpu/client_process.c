/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/client_process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "vgpu/client_maps.h"
#include "vgpu/kernel_name.h"

#define FLIGHT_NS UINT64_C(20000000) /* stored by then */

/* The clock's error is some milliseconds. */
static uint64_t coarse_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct xk_gpu_process *xk_gpu_process_get(struct xk_gpu_device *d, int pid)
{
    pthread_mutex_lock(&d->lock);
    struct xk_gpu_process *p = d->processes;
    while (p && (!pid || p->pid != pid))
        p = p->next;
    if (!p && (p = calloc(1, sizeof *p))) {
        p->device = d;
        p->pid = pid;
        p->store = xk_va_store_create(d->opts.max_memory_b);
        p->kernels = xk_kernel_cache_create(d->platform);
        pthread_mutex_init(&p->flight_lock, NULL);
        p->next = d->processes;
        d->processes = p;
    }
    if (p)
        p->refs++;
    pthread_mutex_unlock(&d->lock);
    if (p && (!p->store || !p->kernels)) {
        xk_gpu_process_put(p);
        return NULL;
    }
    return p;
}

void xk_gpu_process_put(struct xk_gpu_process *p)
{
    if (!p)
        return;
    struct xk_gpu_device *const d = p->device;
    pthread_mutex_lock(&d->lock);
    const bool last = --p->refs == 0;
    struct xk_gpu_process **at = &d->processes;
    while (last && *at != p)
        at = &(*at)->next;
    if (last)
        *at = p->next;
    pthread_mutex_unlock(&d->lock);
    if (!last)
        return;
    xk_va_store_destroy(p->store);
    xk_kernel_cache_destroy(p->kernels);
    pthread_mutex_destroy(&p->flight_lock);
    free(p);
}

/* False: not mapped, or the host's kernel refuses such reads. A refusal is
 * noted in p->refused and reported once. */
static bool read_client(void *user, uint64_t va, void *dst, size_t n_b)
{
    struct xk_gpu_process *const p = user;
    const struct iovec to = {dst, n_b};
    const struct iovec from = {(void *)(uintptr_t)va, n_b};
    if (atomic_load(&p->refused))
        return false;
    const ssize_t got_b = process_vm_readv(p->pid, &to, 1, &from, 1, 0);
    if (got_b >= 0 || errno == EFAULT || errno == ENOMEM || errno == ESRCH)
        return got_b == (ssize_t)n_b;
    if (!atomic_exchange(&p->refused, true))
        xk_gpu_device_say(p->device,
                          "process %d: its memory cannot be read (%s): what "
                          "its CPU writes to host or shared memory after the "
                          "first submission is not seen; start it as a child "
                          "of the server",
                          p->pid, strerror(errno));
    return false;
}

struct xk_gpu_flight *xk_gpu_process_flight(struct xk_gpu_process *p,
                                            const void *by)
{
    struct xk_gpu_flight *f = NULL;
    pthread_mutex_lock(&p->flight_lock);
    for (unsigned k = 0; k < XK_GPU_FLIGHTS && !f; k++)
        if (!p->flight[k].by)
            f = &p->flight[k];
    if (f)
        f->by = by;
    pthread_mutex_unlock(&p->flight_lock);
    return f;
}

void xk_gpu_process_landed(struct xk_gpu_process *p, const void *by)
{
    pthread_mutex_lock(&p->flight_lock);
    for (unsigned k = 0; k < XK_GPU_FLIGHTS; k++)
        if (p->flight[k].by == by) {
            p->flight[k].by = NULL;
            atomic_store(&p->flight[k].va, 0);
        }
    pthread_mutex_unlock(&p->flight_lock);
}

void xk_gpu_process_fly(struct xk_gpu_flight *f, uint64_t va)
{
    if (va)
        atomic_store_explicit(&f->at_ns, coarse_ns(), memory_order_relaxed);
    atomic_store_explicit(&f->va, va, memory_order_release);
}

static bool in_flight(struct xk_gpu_process *p, const void *but, uint64_t va)
{
    bool found = false;
    pthread_mutex_lock(&p->flight_lock);
    for (unsigned k = 0; k < XK_GPU_FLIGHTS; k++) {
        const struct xk_gpu_flight *const f = &p->flight[k];
        const uint64_t flies =
            atomic_load_explicit(&f->va, memory_order_acquire);
        found |= flies && f->by != but && (flies ^ va) < 4096 &&
                 coarse_ns() - atomic_load(&f->at_ns) < FLIGHT_NS;
    }
    pthread_mutex_unlock(&p->flight_lock);
    return found;
}

bool xk_gpu_process_peek(struct xk_gpu_process *p, uint64_t va, void *dst,
                         size_t n_b)
{
    return p->pid && read_client(p, va, dst, n_b);
}

struct asker {
    struct xk_gpu_process *p;
    const void *by;
    struct xk_client_maps maps; /* asked for once, if a page cannot be read */
    bool asked;
};

static bool read_for(void *user, uint64_t va, void *dst, size_t n_b)
{
    return read_client(((struct asker *)user)->p, va, dst, n_b);
}

/* Waits for a page that may differ only because the client has not yet stored
 * what it was sent. */
static bool settle_page(void *user, uint64_t va)
{
    const struct asker *const a = user;
    bool waited = false;
    while (in_flight(a->p, a->by, va)) {
        const struct timespec t = {0, 200000};
        nanosleep(&t, NULL);
        waited = true;
    }
    return waited;
}

static uint64_t next_readable(void *user, uint64_t va)
{
    struct asker *const a = user;
    if (!a->asked)
        xk_client_maps_init(&a->maps, a->p->pid);
    a->asked = true;
    return xk_client_maps_next(&a->maps, va);
}

static struct xk_va_client client_of(struct asker *a)
{
    return (struct xk_va_client){.read = read_for,
                                 .settle = settle_page,
                                 .next = next_readable,
                                 .user = a};
}

void xk_gpu_process_refresh(struct xk_gpu_process *p, const void *by)
{
    struct asker a = {.p = p, .by = by};
    const struct xk_va_client client = client_of(&a);
    if (p->pid && !atomic_load(&p->refused))
        xk_va_store_refresh(p->store, &client);
    xk_client_maps_fini(&a.maps);
}

bool xk_gpu_process_download(struct xk_gpu_process *p, const void *by,
                             uint64_t va, uint64_t n_b, uint8_t page[4096])
{
    struct asker a = {.p = p, .by = by};
    const struct xk_va_client client = client_of(&a);
    const bool readable = p->pid && !atomic_load(&p->refused);
    return xk_va_store_download(p->store, readable ? &client : NULL, va, n_b,
                                page);
}

void xk_gpu_process_refresh_page(struct xk_gpu_process *p, const void *by,
                                 uint64_t va)
{
    struct asker a = {.p = p, .by = by};
    const struct xk_va_client client = client_of(&a);
    if (p->pid && !atomic_load(&p->refused))
        xk_va_store_refresh_page(p->store, &client, va);
}

static bool find_name(void *user, const uint8_t *code, size_t n_b,
                      char name[256])
{
    const struct xk_gpu_process *const p = user;
    const struct xk_virtual_device_opts *const o = &p->device->opts;
    const bool wanted = o->begins || o->launched || o->look || o->says;
    return wanted && p->pid && xk_kernel_name_find(p->pid, code, n_b, name);
}

struct launch {
    struct xk_gpu_process *p;
    xk_ctx *c;
    const struct xk_gpu_walker *w;
    struct xk_sim_region *region;
    unsigned n_regions;
    struct xk_cached_kernel kernel;
    struct xk_virtual_launch l;
};

/* The decoder stops so many bytes after the kernel's start. */
#define MAX_CODE_B (1u << 22)

static enum xk_status get_kernel(struct launch *x)
{
    const uint64_t va = xk_gpu_canonical(x->w->start_va);
    for (unsigned i = 0; i < x->n_regions; i++) {
        const struct xk_sim_region *const r = &x->region[i];
        if (va < r->va || va - r->va >= r->size_b)
            continue;
        const uint64_t left_b = r->size_b - (va - r->va);
        const struct xk_kernel_wanted wanted = {
            x->w, r->host + (va - r->va),
            left_b < MAX_CODE_B ? left_b : MAX_CODE_B, find_name, x->p};
        return xk_kernel_cache_get(x->p->kernels, x->c, &wanted, &x->kernel);
    }
    return xk_fail(x->c, XK_EFAULT,
                   "vgpu: walker: no memory at its start, 0x%llx",
                   (unsigned long long)va);
}

static void call(struct xk_gpu_device *d,
                 void (*fn)(void *user, const struct xk_virtual_launch *l),
                 const struct xk_virtual_launch *l)
{
    if (!fn)
        return;
    pthread_mutex_lock(&d->calls);
    fn(d->opts.user, l);
    pthread_mutex_unlock(&d->calls);
}

/* The caller's checks and trace, with the timing model's prediction in
 * addition. */
struct timed_look {
    struct xk_simulate_opts opts;
    const struct xk_simulate_opts *own;
    uint64_t ns; /* 0: not predicted */
};

static void pass_inst(void *user, const struct xk_simulate_inst *inst)
{
    const struct timed_look *const t = user;
    if (t->own->inst)
        t->own->inst(t->own->user, inst);
}

static void pass_finding(void *user, const struct xk_simulate_finding *f)
{
    const struct timed_look *const t = user;
    if (t->own->found)
        t->own->found(t->own->user, f);
}

static void take_time(void *user, const struct xk_timing *timing)
{
    struct timed_look *const t = user;
    t->ns = timing->error ? 0 : (uint64_t)(timing->time_us * 1000);
    if (t->own->timed)
        t->own->timed(t->own->user, timing);
}

static void make_timed(struct timed_look *t, const struct xk_simulate_opts *own)
{
    *t = (struct timed_look){.opts = *own, .own = own};
    t->opts.user = t;
    t->opts.timed = take_time;
    t->opts.inst = own->inst ? pass_inst : NULL;
    t->opts.found = own->found ? pass_finding : NULL;
}

static enum xk_status dispatch_walker(struct launch *x, uint64_t *ns)
{
    struct xk_gpu_device *const d = x->p->device;
    struct xk_walker_config config = {.platform = d->platform,
                                      .n_host_threads = d->opts.n_host_threads,
                                      .max_threads = d->max_threads,
                                      .look = d->opts.look};
    struct timed_look timed = {.ns = 0};
    if (config.look && config.look->timing) {
        make_timed(&timed, config.look);
        config.look = &timed.opts;
    }
    const struct xk_walker_memory memory = {x->region, x->n_regions};
    const enum xk_status s = xk_walker_dispatch(
        x->c, &config, x->w, x->kernel.kernel, &memory, &x->l.stats);
    *ns = timed.ns ? timed.ns : d->launch_ns(d->launch_ns_user, &x->l);
    return s;
}

static enum xk_status run_launch(struct launch *x)
{
    struct xk_gpu_device *const d = x->p->device;
    uint64_t ns;
    x->l = (struct xk_virtual_launch){.pid = x->p->pid,
                                      .kernel = x->kernel.name,
                                      .start_va = x->w->start_va,
                                      .code_hash = x->kernel.code_hash,
                                      .n_threads = x->w->n_threads,
                                      .simd = x->w->simd};
    memcpy(x->l.groups, x->w->groups, sizeof x->l.groups);
    call(d, d->opts.begins, &x->l);
    const enum xk_status s = dispatch_walker(x, &ns);
    x->l.status = s;
    if (s < 0)
        xk_gpu_device_say(d, "process %d: %s: the launch has failed: %s",
                          x->p->pid, x->kernel.name, x->c->error.message);
    atomic_fetch_add(&d->clock_ns, ns);
    x->l.stats.device_ns = ns;
    call(d, d->opts.launched, &x->l);
    return s;
}

/* Reports a launch that failed before the simulator began. */
static enum xk_status refuse_launch(struct launch *x)
{
    struct xk_gpu_device *const d = x->p->device;
    const enum xk_status s = xk_ctx_status(x->c);
    if (s == XK_ENOMEM)
        return s;
    x->l = (struct xk_virtual_launch){.pid = x->p->pid,
                                      .kernel = "unknown",
                                      .start_va = x->w->start_va,
                                      .n_threads = x->w->n_threads,
                                      .simd = x->w->simd,
                                      .status = s};
    memcpy(x->l.groups, x->w->groups, sizeof x->l.groups);
    xk_gpu_device_say(d, "process %d: the launch at 0x%llx is refused: %s",
                      x->p->pid, (unsigned long long)x->w->start_va,
                      x->c->error.message);
    call(d, d->opts.begins, &x->l);
    call(d, d->opts.launched, &x->l);
    xk_ctx_clear(x->c);
    return XK_OK;
}

enum xk_status xk_gpu_process_launch(struct xk_gpu_process *p, xk_ctx *c,
                                     const struct xk_gpu_walker *w)
{
    struct launch x = {.p = p, .c = c, .w = w};
    struct xk_gpu_device *const d = p->device;
    enum xk_status s =
        xk_va_store_regions(p->store, c, &x.region, &x.n_regions);
    if (s == XK_OK)
        s = get_kernel(&x);
    if (s < 0) {
        s = refuse_launch(&x);
    } else {
        if (d->opts.look)
            pthread_mutex_lock(&d->launches);
        if (run_launch(&x) != XK_ENOMEM)
            xk_ctx_clear(c);
        s = xk_ctx_status(c);
        if (d->opts.look)
            pthread_mutex_unlock(&d->launches);
        xk_kernel_cache_put(p->kernels, &x.kernel);
    }
    xk_free(c, x.region);
    return s;
}
