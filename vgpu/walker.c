/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/walker.h"

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
    uint8_t *host, *before; /* of all pages, in order; as they were */
    struct xk_sim_region *region;
    uint32_t n_regions;
    xk_sim_kernel *kernel;
    bool failed;
};

/* As kernels see addresses of 48 bits: bit 47 is repeated above. */
static uint64_t canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static bool note_page(void *user, uint64_t va, struct xk_gpu_phys at)
{
    struct walk *const k = user;
    if (!xk_grow(k->c, &k->page, k->n_pages, &k->cap, sizeof *k->page)) {
        k->failed = true;
        return false;
    }
    k->page[k->n_pages++] = (struct page){canonical(va), at};
    return true;
}

/* Runs of pages with consecutive addresses become one region each. */
static void make_regions(struct walk *k)
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
    make_regions(k);
    return XK_OK;
}

/* Only what the kernel changed through this address: a driver leaves old
 * addresses mapped to pages that it gives away again. */
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

/* Host memory from va to the end of its region, at most n_b. */
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

/* What lies from the start address on; where the kernel ends is not told, and
 * does not matter: it ends its threads. */
static enum xk_status make_kernel(struct walk *k)
{
    uint64_t n_b = MAX_CODE_B;
    struct xk_error err = {XK_OK, ""};
    const uint8_t *const code = host_at(k, canonical(k->w->start_va), &n_b);
    struct xk_zkernel z = {.code = code,
                           .code_b = (size_t)n_b,
                           .simd = k->w->simd,
                           .grf_count = k->w->grf_count,
                           .slm_b = k->w->slm_b,
                           .barriers = k->w->n_barriers};
    if (!code)
        return xk_fail(k->c, XK_EFAULT,
                       "vgpu: walker: no memory at its start, 0x%llx",
                       (unsigned long long)k->w->start_va);
    snprintf(z.name, sizeof z.name, "at_0x%llx",
             (unsigned long long)k->w->start_va);
    if (xk_sim_kernel_create(NULL, k->config->platform, &z, &k->kernel, &err) <
        0)
        return xk_fail(k->c, err.status, "%s", err.message);
    return XK_OK;
}

static struct xk_sim_dispatch dispatch_of(const struct walk *k)
{
    const struct xk_gpu_walker *const w = k->w;
    const uint64_t pool =
        w->base.binding_pool ? w->base.binding_pool : w->base.surface;
    struct xk_sim_dispatch d = {
        .kernel = k->kernel,
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
        .general_va = canonical(w->base.general),
        .surface_va = canonical(w->base.surface),
        .bindless_va = canonical(w->base.bindless_surface),
        .binding_table_va = canonical(pool + w->binding_table_b),
        .slm_b = w->slm_b,
        .n_barriers = w->n_barriers,
        .regions = k->region,
        .n_regions = k->n_regions,
        .n_host_threads = k->config->n_host_threads,
        .inst_limit = k->config->look ? k->config->look->inst_limit : 0,
    };
    xk_sim_dispatch_habits(&d);
    memcpy(d.groups, w->groups, sizeof d.groups);
    memcpy(d.local, w->local, sizeof d.local);
    return d;
}

/* Looked at by opts, if they ask for anything. */
static enum xk_status dispatch(struct walk *k, struct xk_launch_stats *stats,
                               struct xk_error *err)
{
    struct xk_sim_dispatch d = dispatch_of(k);
    struct xk_sim_watch watch;
    bool wanted;
    XK_TRY(xk_sim_watch_init(&watch, k->config->look, k->kernel, &wanted, err));
    d.watch = wanted ? &watch : NULL;
    d.check = xk_sim_watch_checks(k->config->look);
    const enum xk_status s = xk_sim_dispatch(&d, stats, err);
    xk_sim_watch_report(&watch, k->kernel, false);
    xk_sim_watch_fini(&watch);
    return s;
}

static enum xk_status check_threads(const struct walk *k)
{
    const uint32_t *const g = k->w->groups;
    const double n = (double)g[0] * g[1] * g[2] * k->w->n_threads;
    if (!k->config->max_threads || n <= (double)k->config->max_threads)
        return XK_OK;
    return xk_fail(k->c, XK_EFAULT,
                   "vgpu: walker: %u x %u x %u groups of %u threads, at most "
                   "%llu threads",
                   g[0], g[1], g[2], k->w->n_threads,
                   (unsigned long long)k->config->max_threads);
}

static enum xk_status run(struct walk *k, struct xk_launch_stats *stats)
{
    struct xk_error err = {XK_OK, ""};
    XK_TRY(check_threads(k));
    if (!xk_gpu_each_page(k->space, note_page, k) && !k->failed)
        return xk_fail(k->c, XK_EFAULT,
                       "vgpu: walker: the page tables refer to each other");
    if (k->failed)
        return XK_ENOMEM;
    XK_TRY(copy_pages(k));
    XK_TRY(make_kernel(k));
    if (dispatch(k, stats, &err) < 0)
        return xk_fail(k->c, err.status, "%s", err.message);
    return write_back(k);
}

enum xk_status xk_walker_run(xk_ctx *c, const struct xk_walker_config *config,
                             const struct xk_gpu_space *space,
                             const struct xk_gpu_walker *w,
                             struct xk_launch_stats *stats)
{
    struct walk k = {.c = c, .space = space, .w = w, .config = config};
    const enum xk_status s = run(&k, stats);
    xk_sim_kernel_destroy(k.kernel);
    xk_free(c, k.page);
    xk_free(c, k.host);
    xk_free(c, k.before);
    xk_free(c, k.region);
    return s;
}
