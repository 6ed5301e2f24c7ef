/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's part of a launch: arguments and surface states into memory, the
 * payload by the platform's habits, then a dispatch. */
#include <stdio.h>

#include "sim/kernel.h"

/* Arbitrary, so that a kernel cannot get by with zero. */
#define GENERAL_VA UINT64_C(0x800100000000)
#define HEAP_OFFSET_B 0x01230040u
#define MAX_GROUP_ITEMS 1024

struct launch {
    const struct xk_sim_launch *l;
    const struct xk_sim_kernel *k;
    struct xk_sim_dispatch d;
    uint32_t n_items; /* per group */
    uint8_t *heap;    /* indirect data: arguments, then ids of threads */
    uint32_t heap_b;
};

static enum xk_status fail(struct xk_error *err, enum xk_status status,
                           const struct xk_sim_kernel *k, const char *what,
                           uint64_t value)
{
    err->status = status;
    snprintf(err->message, sizeof(err->message),
             "sim: kernel '%.100s': %s (%llu)", k->name, what,
             (unsigned long long)value);
    return status;
}

static enum xk_status check_shape(const struct xk_sim_launch *l,
                                  struct xk_error *err)
{
    const struct xk_sim_kernel *k = l->kernel;
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        if (!l->local[d])
            return fail(err, XK_EINVAL, k, "local size is 0 in dimension", d);
        items *= l->local[d];
        if (items > MAX_GROUP_ITEMS)
            return fail(err, XK_EINVAL, k,
                        "more than 1024 work items in a group", items);
    }
    if (l->cross_thread_b < k->cross_thread_b)
        return fail(err, XK_EINVAL, k,
                    "cross-thread data is shorter than the kernel's arguments",
                    l->cross_thread_b);
    if (k->scratch_b)
        return fail(err, XK_EUNSUPPORTED, k, "scratch space is not simulated",
                    k->scratch_b);
    if (k->simd == 1 && k->local_id_b)
        return fail(err, XK_EUNSUPPORTED, k, "local ids with simd_size 1",
                    k->local_id_b);
    return XK_OK;
}

static uint32_t round_up(uint32_t v, uint32_t to)
{
    return (v + to - 1) / to * to;
}

/* Ids through memory, as a driver passes them when the hardware cannot make
 * them; the kernel's prologue then loads them. */
static bool ids_in_memory(const struct launch *x)
{
    return x->l->memory_local_ids && x->k->skip_b;
}

static uint32_t inline_bytes(const struct launch *x)
{
    const uint32_t most_b = x->l->cross_thread_b;
    return x->k->inline_b < most_b ? x->k->inline_b : most_b;
}

/* What does not travel inline, then each thread's ids. */
static enum xk_status make_heap(struct launch *x, struct xk_error *err)
{
    const struct xk_alloc *a = &x->k->alloc;
    const uint32_t inline_b = inline_bytes(x);
    const uint32_t rest_b = round_up(x->l->cross_thread_b - inline_b, 32);
    const uint32_t ids_b = 3 * xk_sim_id_channel_b(x->k->grf_b, x->d.simd);
    const bool ids = ids_in_memory(x);
    x->heap_b = rest_b + (ids ? x->d.n_threads * ids_b : 0);
    x->heap = a->realloc(a->user, NULL, x->heap_b + 64);
    if (!x->heap)
        return fail(err, XK_ENOMEM, x->k, "out of memory for arguments",
                    x->heap_b);
    memset(x->heap, 0, x->heap_b + 64);
    if (x->l->cross_thread_b > inline_b)
        memcpy(x->heap, x->l->cross_thread + inline_b,
               x->l->cross_thread_b - inline_b);
    for (uint32_t t = 0; ids && t < x->d.n_threads; t++)
        xk_sim_write_thread_ids(&x->d, t, x->heap + rest_b + t * ids_b);
    return XK_OK;
}

/* simd_size 1: a thread a work item, all lanes on (virtual-device.md 5). */
static void set_shape(struct launch *x)
{
    const uint32_t simd = x->k->simd;
    struct xk_sim_dispatch *const d = &x->d;
    d->simd = simd == 1 ? 32 : simd;
    d->n_threads = (x->n_items + simd - 1) / simd;
    d->last_mask = simd == 1 || (simd == 32 && !(x->n_items % simd))
                       ? UINT32_MAX
                       : (1u << simd) - 1;
    if (simd > 1 && x->n_items % simd)
        d->last_mask = (1u << x->n_items % simd) - 1;
    memcpy(d->groups, x->l->groups, sizeof d->groups);
    memcpy(d->local, x->l->local, sizeof d->local);
}

static void set_payload(struct launch *x)
{
    struct xk_sim_dispatch *const d = &x->d;
    const bool ids = ids_in_memory(x);
    d->start_b = ids ? 0 : x->k->skip_b;
    d->emit_ids = x->k->local_id_b && !ids;
    d->cross_data_b = inline_bytes(x);
    d->cross_data = d->cross_data_b ? x->l->cross_thread : NULL;
    d->general_va = GENERAL_VA;
    d->indirect_b = HEAP_OFFSET_B;
}

/* The caller's regions and ours. */
static enum xk_status make_regions(struct launch *x, struct xk_error *err)
{
    const struct xk_alloc *a = &x->k->alloc;
    const unsigned n = x->l->n_regions;
    struct xk_sim_region *const r =
        a->realloc(a->user, NULL, (n + 1) * sizeof *r);
    if (!r)
        return fail(err, XK_ENOMEM, x->k, "out of memory for regions", n);
    if (n)
        memcpy(r, x->l->regions, n * sizeof *r);
    x->d.regions = r;
    x->d.n_regions = n;
    if (x->heap_b)
        r[x->d.n_regions++] =
            (struct xk_sim_region){.va = GENERAL_VA + HEAP_OFFSET_B,
                                   .size_b = x->heap_b,
                                   .host = x->heap,
                                   .kind = XK_SIM_STATE};
    return XK_OK;
}

static enum xk_status prepare(struct launch *x, struct xk_error *err)
{
    const struct xk_sim_launch *const l = x->l;
    XK_TRY(check_shape(l, err));
    x->n_items = l->local[0] * l->local[1] * l->local[2];
    x->d = (struct xk_sim_dispatch){.kernel = l->kernel,
                                    .slm_b = l->slm_b,
                                    .n_barriers = x->k->barriers,
                                    .n_host_threads = l->n_threads,
                                    .inst_limit = l->inst_limit};
    set_shape(x);
    set_payload(x);
    XK_TRY(make_heap(x, err));
    return make_regions(x, err);
}

enum xk_status xk_sim_launch(const struct xk_sim_launch *l,
                             struct xk_launch_stats *stats,
                             struct xk_error *err)
{
    struct launch x = {.l = l, .k = l->kernel};
    const struct xk_alloc *const a = &l->kernel->alloc;
    enum xk_status s = prepare(&x, err);
    if (s == XK_OK)
        s = xk_sim_dispatch(&x.d, stats, err);
    a->realloc(a->user, x.d.regions, 0);
    a->realloc(a->user, x.heap, 0);
    return s;
}
