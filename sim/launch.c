/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's part of a launch: arguments, surface states, binding table,
 * scratch and private memory, and the payload as the platform has it. Then it
 * is dispatched. */
#include <unistd.h>

#include "sim/watch.h"
#include "base/bytes.h"
#include "base/integer.h"
#include "isa/dispatch_limits.h"

/* Arbitrary, so that a kernel cannot get by with zero. */
#define GENERAL_VA UINT64_C(0x800100000000)
#define HEAP_OFFSET_B 0x01230040u
#define SCRATCH_OFFSET_B 0x10000000u
#define SURFACE_VA UINT64_C(0x800200000000)
#define NULL_STATE_B 0u
#define SCRATCH_STATE_B 64u
#define STATE_B 64u
#define MAX_BOUND 1024
#define MAX_BTI 240
#define FILL 0xa5 /* what memory holds that nobody wrote */

/* Habits of hardware and driver, by platform. */
struct machine {
    uint32_t n_slots; /* threads that scratch memory has numbers for */
    uint32_t sr0_holes;
    bool scratch_surface;
    bool preloads; /* ids and arguments arrive in registers */
};

static const struct machine machines[XK_PLATFORM_XEHPC + 1] = {
    [XK_PLATFORM_XELP] = {1024, 0, false, true},
    [XK_PLATFORM_XEHPG] = {4096, 0x48, true, false},
    [XK_PLATFORM_XEHPC] = {4096, 0xc8, true, false},
};

void xk_sim_dispatch_habits(struct xk_sim_dispatch *d)
{
    const unsigned id = d->kernel->platform->id;
    const struct machine *const m = &machines[id <= XK_PLATFORM_XEHPC ? id : 0];
    d->scratch_surface = m->scratch_surface;
    d->sr0_holes = m->sr0_holes;
    d->n_slots = m->n_slots;
}

/* Memory that the driver makes. */
enum piece { HEAP, STATES, SCRATCH, PRIVATE, IDS, N_PIECES };

struct launch {
    const struct xk_sim_launch *l;
    const struct xk_sim_kernel *k;
    const struct machine *m;
    struct xk_sim_dispatch d;
    uint32_t n_items; /* per group */
    struct {
        uint8_t *host;
        uint64_t va, size_b; /* va 0: not in device memory */
    } piece[N_PIECES];
};

static enum xk_status check_shape(const struct xk_sim_launch *l,
                                  struct xk_error *err)
{
    const struct xk_sim_kernel *k = l->kernel;
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        if (!l->local[d])
            return xk_sim_refuse(err, XK_EINVAL, k->name,
                                 "local size is 0 in dimension", d);
        items *= l->local[d];
        if (items > UINT32_MAX)
            items = UINT32_MAX; /* above every limit */
    }
    const struct xk_dispatch asked = {
        .grf_count = k->grf_count, .items = (uint32_t)items, .simd = k->simd};
    XK_TRY(xk_dispatch_check(k->platform, XK_PRODUCT_ANY, &asked, err));
    if (l->cross_thread_b < k->cross_thread_b)
        return xk_sim_refuse(
            err, XK_EINVAL, k->name,
            "cross-thread data is shorter than the kernel's arguments",
            l->cross_thread_b);
    if (l->n_bound > MAX_BOUND)
        return xk_sim_refuse(err, XK_EUNSUPPORTED, k->name, "surfaces",
                             l->n_bound);
    for (unsigned i = 0; i < l->n_bound; i++)
        if (l->bound[i].bti != UINT32_MAX && l->bound[i].bti > MAX_BTI)
            return xk_sim_refuse(err, XK_EINVAL, k->name, "binding table index",
                                 l->bound[i].bti);
    return XK_OK;
}

static enum xk_status make_memory(struct launch *x, enum piece p, uint64_t va,
                                  uint64_t size_b, int value,
                                  struct xk_error *err)
{
    const struct xk_alloc *const a = &x->k->alloc;
    if (!size_b)
        return XK_OK;
    x->piece[p].host = a->realloc(a->user, NULL, (size_t)size_b + 64);
    if (!x->piece[p].host)
        return xk_sim_refuse(err, XK_ENOMEM, x->k->name,
                             "out of memory for a launch", size_b);
    memset(x->piece[p].host, value, (size_t)size_b + 64);
    x->piece[p].va = va;
    x->piece[p].size_b = size_b;
    return XK_OK;
}

/* Whether ids go through memory: a driver passes them so when the hardware
 * cannot make them, and the kernel's prologue loads them. */
static bool ids_in_memory(const struct launch *x)
{
    return x->k->local_id_b && !x->m->preloads &&
           (x->k->simd == 1 || (x->l->memory_local_ids && x->k->skip_b));
}

static uint32_t inline_bytes(const struct launch *x)
{
    const uint32_t most_b = x->l->cross_thread_b;
    if (x->m->preloads)
        return most_b;
    return x->k->inline_b < most_b ? x->k->inline_b : most_b;
}

/* Bytes of one thread's ids: as many dimensions as the kernel takes, each in
 * whole registers; with simd_size 1 all three in one register. */
static uint32_t ids_bytes(const struct launch *x)
{
    return x->k->simd == 1 ? x->k->grf_b : x->k->local_id_b;
}

static void write_ids(const struct launch *x, uint8_t *out)
{
    const uint32_t each_b = ids_bytes(x);
    uint8_t all[3 * XK_SIM_LANES * 2 + 64];
    for (uint32_t t = 0; t < x->d.n_threads; t++, out += each_b) {
        struct xk_sim_dispatch d = x->d;
        if (x->k->simd != 1) {
            xk_sim_write_thread_ids(&d, t, all);
            memcpy(out, all, each_b < sizeof all ? each_b : sizeof all);
            continue;
        }
        const uint32_t *const n = x->d.local;
        const uint16_t id[3] = {(uint16_t)(t % n[0]),
                                (uint16_t)(t / n[0] % n[1]),
                                (uint16_t)(t / n[0] / n[1])};
        memcpy(out, id, sizeof id);
    }
}

/* Data that does not travel in registers, then each thread's ids. */
static enum xk_status make_heap(struct launch *x, struct xk_error *err)
{
    const uint32_t inline_b = inline_bytes(x);
    const uint32_t rest_b = xk_round_up(x->l->cross_thread_b - inline_b, 32);
    const bool ids = ids_in_memory(x);
    const uint64_t ids_b = (uint64_t)x->d.n_threads * ids_bytes(x);
    XK_TRY(make_memory(x, HEAP, GENERAL_VA + HEAP_OFFSET_B,
                       rest_b + (ids ? ids_b : 0), 0, err));
    if (x->l->cross_thread_b > inline_b)
        memcpy(x->piece[HEAP].host, x->l->cross_thread + inline_b,
               x->l->cross_thread_b - inline_b);
    if (ids)
        write_ids(x, x->piece[HEAP].host + rest_b);
    if (ids || !x->m->preloads || (!x->k->local_id_b && !x->k->idless))
        return XK_OK;
    x->d.thread_data_b = x->k->idless ? x->k->grf_b : ids_bytes(x);
    XK_TRY(make_memory(x, IDS, 0, (uint64_t)x->d.n_threads * x->d.thread_data_b,
                       FILL, err));
    if (!x->k->idless)
        write_ids(x, x->piece[IDS].host);
    x->d.thread_data = x->piece[IDS].host;
    return XK_OK;
}

/* A raw buffer (virtual-device.md 6); of no bytes: null. */
static void write_buffer_state(uint8_t *s, const struct xk_sim_bound *b)
{
    const uint64_t last = b->size_b - 1;
    xk_put_u32(s, (b->size_b ? 4u : 7u) << 29 | 0x1ffu << 18);
    xk_put_u32(s + 8, (uint32_t)(last & 127) | (uint32_t)(last >> 7 & 0x3fff)
                                                   << 16);
    xk_put_u32(s + 12, (uint32_t)(last >> 21 & 0x7ff) << 21);
    xk_put_u32(s + 32, (uint32_t)b->va);
    xk_put_u32(s + 36, (uint32_t)(b->va >> 32));
}

static void write_scratch_state(const struct launch *x, uint8_t *s)
{
    const uint64_t va = GENERAL_VA + SCRATCH_OFFSET_B;
    xk_put_u32(s, 6u << 29);
    xk_put_u32(s + 12, x->d.scratch_slot_b - 1);
    xk_put_u32(s + 32, (uint32_t)va);
    xk_put_u32(s + 36, (uint32_t)(va >> 32));
}

/* Null state, scratch state, states of the buffers, binding table. */
static enum xk_status make_states(struct launch *x, struct xk_error *err)
{
    const struct xk_sim_launch *const l = x->l;
    const uint32_t table_b = XK_SIM_STATE_OFFSET_B(l->n_bound);
    uint32_t n_entries = 0;
    for (unsigned i = 0; i < l->n_bound; i++)
        if (l->bound[i].bti != UINT32_MAX && l->bound[i].bti >= n_entries)
            n_entries = l->bound[i].bti + 1;
    XK_TRY(
        make_memory(x, STATES, SURFACE_VA, table_b + 4u * n_entries, 0, err));
    uint8_t *const s = x->piece[STATES].host;
    xk_put_u32(s + NULL_STATE_B, 7u << 29);
    if (x->d.scratch_slot_b)
        write_scratch_state(x, s + SCRATCH_STATE_B);
    for (uint32_t i = 0; i < n_entries; i++)
        xk_put_u32(s + table_b + 4 * i, NULL_STATE_B);
    for (unsigned i = 0; i < l->n_bound; i++) {
        write_buffer_state(s + XK_SIM_STATE_OFFSET_B(i), &l->bound[i]);
        if (l->bound[i].bti != UINT32_MAX)
            xk_put_u32(s + table_b + 4 * l->bound[i].bti,
                       XK_SIM_STATE_OFFSET_B(i));
    }
    x->d.surface_va = x->d.bindless_va = SURFACE_VA;
    x->d.binding_table_va = SURFACE_VA + table_b;
    return XK_OK;
}

/* simd_size 1: a thread for each work item, with all lanes on
 * (virtual-device.md 5). */
static void set_launch_shape(struct launch *x)
{
    const uint32_t simd = x->k->simd;
    struct xk_sim_dispatch *const d = &x->d;
    d->simd = simd == 1 ? 32 : simd;
    d->n_threads = (x->n_items + simd - 1) / simd;
    const uint32_t rest = simd == 1 ? 0 : x->n_items % simd;
    d->last_mask = UINT32_MAX >> (32 - (rest ? rest : d->simd));
    memcpy(d->groups, x->l->groups, sizeof d->groups);
    memcpy(d->first_group, x->l->first_group, sizeof d->first_group);
    memcpy(d->local, x->l->local, sizeof d->local);
    d->walk_order = x->l->walk_order;
}

static void set_launch_payload(struct launch *x)
{
    struct xk_sim_dispatch *const d = &x->d;
    const bool ids = ids_in_memory(x);
    d->start_b = ids ? 0 : x->k->skip_b;
    d->emit_ids = x->k->local_id_b && !ids && !x->m->preloads;
    d->cross_data_b = inline_bytes(x);
    d->cross_data = d->cross_data_b ? x->l->cross_thread : NULL;
    d->general_va = GENERAL_VA;
    d->indirect_b = HEAP_OFFSET_B;
}

/* As many slots as can be busy at once: those of a group on each host
 * thread. */
static uint32_t count_slots(const struct launch *x)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = x->m->n_slots / x->d.n_threads;
    uint32_t hosts = x->l->n_threads ? x->l->n_threads
                     : cores > 0     ? (uint32_t)cores
                                     : 1;
    if (hosts > most)
        hosts = most;
    if (hosts > 64)
        hosts = 64;
    return (hosts ? hosts : 1) * x->d.n_threads;
}

static enum xk_status make_scratch(struct launch *x, struct xk_error *err)
{
    struct xk_sim_dispatch *const d = &x->d;
    d->sr0_holes = x->m->sr0_holes;
    d->scratch_surface = x->m->scratch_surface;
    if (!x->k->scratch_b && !x->l->private_b)
        return XK_OK;
    d->n_slots = count_slots(x);
    d->scratch_slot_b = xk_round_up(x->k->scratch_b, 1024);
    d->scratch_field =
        x->m->scratch_surface ? SCRATCH_STATE_B << 4 : SCRATCH_OFFSET_B;
    XK_TRY(make_memory(x, SCRATCH, GENERAL_VA + SCRATCH_OFFSET_B,
                       (uint64_t)d->n_slots * d->scratch_slot_b, FILL, err));
    return make_memory(x, PRIVATE, XK_SIM_PRIVATE_VA,
                       (uint64_t)d->n_slots * x->l->private_b, FILL, err);
}

/* The caller's regions and ours. */
static enum xk_status make_launch_regions(struct launch *x,
                                          struct xk_error *err)
{
    const struct xk_alloc *a = &x->k->alloc;
    const unsigned n = x->l->n_regions;
    struct xk_sim_region *const r =
        a->realloc(a->user, NULL, (n + N_PIECES) * sizeof *r);
    if (!r)
        return xk_sim_refuse(err, XK_ENOMEM, x->k->name,
                             "out of memory for regions", n);
    if (n)
        memcpy(r, x->l->regions, n * sizeof *r);
    x->d.regions = r;
    x->d.n_regions = n;
    for (unsigned p = 0; p < N_PIECES; p++) {
        if (!x->piece[p].va)
            continue;
        r[x->d.n_regions++] = (struct xk_sim_region){
            .va = x->piece[p].va,
            .size_b = x->piece[p].size_b,
            .host = x->piece[p].host,
            .kind = p == HEAP || p == STATES ? XK_SIM_STATE : XK_SIM_SCRATCH};
    }
    return XK_OK;
}

static enum xk_status prepare_launch(struct launch *x, struct xk_error *err)
{
    const struct xk_sim_launch *const l = x->l;
    XK_TRY(check_shape(l, err));
    const unsigned id = x->k->platform->id;
    x->m = &machines[id <= XK_PLATFORM_XEHPC ? id : 0];
    if (!x->m->n_slots)
        return xk_sim_refuse(err, XK_EUNSUPPORTED, x->k->name,
                             "platform is not simulated", x->k->platform->id);
    x->n_items = l->local[0] * l->local[1] * l->local[2];
    x->d = (struct xk_sim_dispatch){.kernel = l->kernel,
                                    .slm_b = l->slm_b,
                                    .n_barriers = x->k->barriers,
                                    .n_host_threads = l->n_threads,
                                    .inst_limit = l->inst_limit,
                                    .watch = l->watch,
                                    .check = l->check};
    set_launch_shape(x);
    set_launch_payload(x);
    XK_TRY(make_scratch(x, err));
    XK_TRY(make_heap(x, err));
    XK_TRY(make_states(x, err));
    return make_launch_regions(x, err);
}

uint32_t xk_sim_id_bytes(const struct xk_platform *p, uint32_t simd)
{
    return xk_sim_id_channel_b(p->grf_b, simd);
}

enum xk_status xk_sim_launch(const struct xk_sim_launch *l,
                             struct xk_launch_stats *stats,
                             struct xk_error *err)
{
    struct launch x = {.l = l, .k = l->kernel};
    const struct xk_alloc *const a = &l->kernel->alloc;
    enum xk_status s = prepare_launch(&x, err);
    if (s == XK_OK)
        s = xk_sim_dispatch(&x.d, stats, err);
    a->realloc(a->user, x.d.regions, 0);
    for (unsigned p = 0; p < N_PIECES; p++)
        a->realloc(a->user, x.piece[p].host, 0);
    return s;
}
