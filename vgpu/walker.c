/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/walker.h"
#include "isa/format.h"

#include <stdio.h>
#include <string.h>

#define MAX_CODE_B (1u << 22) /* decoded from a kernel's start */

struct page {
    uint64_t va;
    struct xk_gpu_phys at;
};

struct walk {
    xk_ctx *c;
    const struct xk_gpu_space *space;
    const struct xk_gpu_walker *w;
    const struct xk_walker_config *config;
    struct page *page;
    uint32_t n_pages, cap;
    uint8_t *host, *before; /* all pages in order; the same before the launch */
    struct xk_sim_region *region;
    uint32_t n_regions;
    xk_sim_kernel *kernel;
    bool failed;
};

static bool note_page(void *user, uint64_t va, struct xk_gpu_phys at)
{
    struct walk *const k = user;
    if (!xk_grow(k->c, &k->page, k->n_pages, &k->cap, sizeof *k->page)) {
        k->failed = true;
        return false;
    }
    k->page[k->n_pages++] = (struct page){xk_gpu_canonical(va), at};
    return true;
}

/* Runs of pages with consecutive addresses become one region each. */
static void make_page_regions(struct walk *k)
{
    for (uint32_t i = 0; i < k->n_pages; i++) {
        struct xk_sim_region *const last =
            k->n_regions ? &k->region[k->n_regions - 1] : NULL;
        if (last && last->va + last->size_b == k->page[i].va)
            last->size_b += XK_GPU_PAGE_B;
        else
            k->region[k->n_regions++] = (struct xk_sim_region){
                .va = k->page[i].va,
                .size_b = XK_GPU_PAGE_B,
                .host = k->host + (size_t)i * XK_GPU_PAGE_B};
    }
}

static enum xk_status copy_pages(struct walk *k)
{
    const size_t n_b = (size_t)k->n_pages * XK_GPU_PAGE_B;
    if (!k->n_pages)
        return xk_fail(k->c, XK_EFAULT, "vgpu: walker: no page is mapped");
    k->host = xk_malloc(k->c, n_b);
    k->before = xk_malloc(k->c, n_b);
    k->region = xk_malloc(k->c, k->n_pages * sizeof *k->region);
    if (!k->host || !k->before || !k->region)
        return XK_ENOMEM;
    for (uint32_t i = 0; i < k->n_pages; i++)
        xk_gpu_phys_read(k->space->m, k->page[i].at,
                         k->host + (size_t)i * XK_GPU_PAGE_B, XK_GPU_PAGE_B);
    memcpy(k->before, k->host, n_b);
    make_page_regions(k);
    return XK_OK;
}

/* Writes back only what the kernel has changed through this address. A driver
 * leaves old addresses mapped to pages that it uses again elsewhere. */
static enum xk_status write_back(struct walk *k)
{
    for (uint32_t i = 0; i < k->n_pages; i++) {
        const size_t at = (size_t)i * XK_GPU_PAGE_B;
        if (memcmp(k->host + at, k->before + at, XK_GPU_PAGE_B) != 0)
            XK_TRY(xk_gpu_phys_write(k->space->m, k->page[i].at, k->host + at,
                                     XK_GPU_PAGE_B));
    }
    return XK_OK;
}

/* Host memory from va on, to the end of its region, at most n_b bytes. */
static const uint8_t *host_at(const struct walk *k, uint64_t va, uint64_t *n_b)
{
    for (uint32_t i = 0; i < k->n_regions; i++) {
        const struct xk_sim_region *const r = &k->region[i];
        if (va < r->va || va - r->va >= r->size_b)
            continue;
        if (*n_b > r->size_b - (va - r->va))
            *n_b = r->size_b - (va - r->va);
        return r->host + (va - r->va);
    }
    return NULL;
}

/* True if control may go where the instruction does not say. */
static bool goes_anywhere(const struct xk_inst *i)
{
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_JMPI:
    case XK_OPC_BRD:
    case XK_OPC_BRC:
    case XK_OPC_CALL:
    case XK_OPC_CALLA:
        return i->src[0].file == XK_FILE_GRF || i->src[0].file == XK_FILE_ARF;
    default:
        return false;
    }
}

static bool is_last_inst(const struct xk_inst *i)
{
    return i->op == XK_OPC_RET || (xk_inst_is_send(i) && i->send.eot);
}

size_t xk_walker_code_bytes(const struct xk_platform *p, const uint8_t *code,
                            size_t n_b)
{
    int64_t far_b = 0; /* the furthest target so far */
    for (size_t at_b = 0; at_b + 8 <= n_b;) {
        struct xk_error ignored = {XK_OK, ""};
        struct xk_inst i;
        size_t used_b = 0;
        if (xk_inst_decode(p, code + at_b, n_b - at_b, &i, &used_b, &ignored) <
            0) {
            at_b += used_b ? used_b : 16;
            continue;
        }
        if (goes_anywhere(&i))
            return n_b;
        const int64_t at = (int64_t)at_b;
        far_b = far_b < at + i.jip_b ? at + i.jip_b : far_b;
        far_b = far_b < at + i.uip_b ? at + i.uip_b : far_b;
        at_b += used_b;
        if (is_last_inst(&i) && far_b < (int64_t)at_b)
            return at_b;
    }
    return n_b;
}

enum xk_status xk_walker_kernel(xk_ctx *c, const struct xk_platform *p,
                                const struct xk_gpu_walker *w,
                                const struct xk_walker_code *code,
                                xk_sim_kernel **out)
{
    struct xk_error err = {XK_OK, ""};
    struct xk_zkernel z = {.code = code->code,
                           .code_b = code->n_b,
                           .simd = w->simd,
                           .grf_count = w->grf_count,
                           .slm_b = w->slm_b,
                           .barriers = w->n_barriers};
    snprintf(z.name, sizeof z.name, "%s", code->name);
    if (xk_sim_kernel_create(NULL, p, &z, out, &err) < 0)
        return xk_fail(c, err.status, "%s", err.message);
    return XK_OK;
}

/* The mapped memory from the start address on. */
static enum xk_status make_walk_kernel(struct walk *k)
{
    uint64_t n_b = MAX_CODE_B;
    char name[32];
    const uint8_t *const code =
        host_at(k, xk_gpu_canonical(k->w->start_va), &n_b);
    if (!code)
        return xk_fail(k->c, XK_EFAULT,
                       "vgpu: walker: no memory at its start, 0x%llx",
                       (unsigned long long)k->w->start_va);
    snprintf(name, sizeof name, "at_0x%llx",
             (unsigned long long)k->w->start_va);
    const struct xk_platform *const p = k->config->platform;
    const struct xk_walker_code mine = {
        name, code, xk_walker_code_bytes(p, code, (size_t)n_b)};
    return xk_walker_kernel(k->c, p, k->w, &mine, &k->kernel);
}

static struct xk_sim_dispatch dispatch_of(const struct xk_gpu_walker *w,
                                          const struct xk_walker_config *config,
                                          const xk_sim_kernel *kernel)
{
    const uint64_t pool =
        w->base.binding_pool ? w->base.binding_pool : w->base.surface;
    struct xk_sim_dispatch d = {
        .kernel = kernel,
        .simd = w->simd,
        .n_threads = w->n_threads,
        .last_mask = w->last_mask,
        .emit_ids = w->generate_ids &&
                    (w->emit_ids[0] || w->emit_ids[1] || w->emit_ids[2]),
        .walk_order = w->walk_order,
        .cross_data = w->emit_inline ? w->inline_data : NULL,
        .cross_data_b = w->emit_inline ? sizeof w->inline_data : 0,
        .indirect_b = w->indirect_b,
        .scratch_field = w->scratch_field,
        .general_va = xk_gpu_canonical(w->base.general),
        .surface_va = xk_gpu_canonical(w->base.surface),
        .bindless_va = xk_gpu_canonical(w->base.bindless_surface),
        .dynamic_va = xk_gpu_canonical(w->base.dynamic),
        .sampler_b = w->sampler_b,
        .binding_table_va = xk_gpu_canonical(pool + w->binding_table_b),
        .slm_b = w->slm_b,
        .n_barriers = w->n_barriers,
        .n_host_threads = config->n_host_threads,
        .inst_limit = config->look ? config->look->inst_limit : 0,
    };
    xk_sim_dispatch_habits(&d);
    memcpy(d.groups, w->groups, sizeof d.groups);
    memcpy(d.first_group, w->first_group, sizeof d.first_group);
    memcpy(d.local, w->local, sizeof d.local);
    return d;
}

static enum xk_status check_threads(xk_ctx *c,
                                    const struct xk_walker_config *config,
                                    const struct xk_gpu_walker *w)
{
    const uint32_t *const g = w->groups;
    const double n = (double)g[0] * g[1] * g[2] * w->n_threads;
    if (!config->max_threads || n <= (double)config->max_threads)
        return XK_OK;
    return xk_fail(c, XK_EFAULT,
                   "vgpu: walker: %u x %u x %u groups of %u threads, at most "
                   "%llu threads",
                   g[0], g[1], g[2], w->n_threads,
                   (unsigned long long)config->max_threads);
}

/* The n_b bytes at va; NULL: they do not lie in one region. */
static const uint8_t *host_in_region(const struct xk_sim_region *r, unsigned n,
                                     uint64_t va, uint64_t n_b)
{
    for (unsigned i = 0; i < n; i++)
        if (va >= r[i].va && va - r[i].va < r[i].size_b &&
            r[i].size_b - (va - r[i].va) >= n_b)
            return r[i].host + (va - r[i].va);
    return NULL;
}

/* The registers that the hardware fills before a thread starts. */
static enum xk_status preload_registers(xk_ctx *c,
                                        const struct xk_gpu_walker *w,
                                        struct xk_sim_dispatch *d)
{
    const uint64_t va = xk_gpu_canonical(w->base.indirect + w->indirect_b);
    const uint64_t n_b =
        w->cross_data_b + (uint64_t)w->n_threads * w->thread_data_b;
    d->scratch_slot_b = w->scratch_slot_b;
    if (!n_b)
        return XK_OK;
    const uint8_t *const data =
        host_in_region(d->regions, d->n_regions, va, n_b);
    if (!data)
        return xk_fail(c, XK_EFAULT,
                       "vgpu: walker: its %llu bytes of indirect data at "
                       "0x%llx are not mapped",
                       (unsigned long long)n_b, (unsigned long long)va);
    d->cross_data = w->cross_data_b ? data : NULL;
    d->cross_data_b = w->cross_data_b;
    d->thread_data = w->thread_data_b ? data + w->cross_data_b : NULL;
    d->thread_data_b = w->thread_data_b;
    return XK_OK;
}

/* Runs with the checks and trace of the options, if there are any. */
enum xk_status xk_walker_dispatch(xk_ctx *c,
                                  const struct xk_walker_config *config,
                                  const struct xk_gpu_walker *w,
                                  const xk_sim_kernel *kernel,
                                  const struct xk_walker_memory *memory,
                                  struct xk_launch_stats *stats)
{
    struct xk_sim_dispatch d = dispatch_of(w, config, kernel);
    struct xk_sim_watch watch;
    struct xk_error err = {XK_OK, ""};
    bool wanted;
    XK_TRY(check_threads(c, config, w));
    d.regions = memory->region;
    d.n_regions = memory->n_regions;
    if (w->preloads)
        XK_TRY(preload_registers(c, w, &d));
    enum xk_status s =
        xk_sim_watch_init(&watch, config->look, kernel, &wanted, &err);
    if (s == XK_OK) {
        d.watch = wanted ? &watch : NULL;
        d.check = xk_sim_watch_checks(config->look);
        s = xk_sim_dispatch(&d, stats, &err);
        xk_sim_watch_report(&watch, kernel, false);
        xk_sim_watch_fini(&watch);
    }
    return s < 0 ? xk_fail(c, err.status, "%s", err.message) : XK_OK;
}

static enum xk_status run_walk(struct walk *k, struct xk_launch_stats *stats)
{
    XK_TRY(check_threads(k->c, k->config, k->w));
    if (!xk_gpu_each_page(k->space, note_page, k) && !k->failed)
        return xk_fail(k->c, XK_EFAULT,
                       "vgpu: walker: the page tables refer to each other");
    if (k->failed)
        return XK_ENOMEM;
    XK_TRY(copy_pages(k));
    XK_TRY(make_walk_kernel(k));
    const struct xk_walker_memory memory = {k->region, k->n_regions};
    XK_TRY(
        xk_walker_dispatch(k->c, k->config, k->w, k->kernel, &memory, stats));
    return write_back(k);
}

enum xk_status xk_walker_run(xk_ctx *c, const struct xk_walker_config *config,
                             const struct xk_gpu_space *space,
                             const struct xk_gpu_walker *w,
                             struct xk_launch_stats *stats)
{
    struct walk k = {.c = c, .space = space, .w = w, .config = config};
    const enum xk_status s = run_walk(&k, stats);
    xk_sim_kernel_destroy(k.kernel);
    xk_free(c, k.page);
    xk_free(c, k.host);
    xk_free(c, k.before);
    xk_free(c, k.region);
    return s;
}
