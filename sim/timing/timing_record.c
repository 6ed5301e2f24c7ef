/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_record.h"

#include <string.h>

#include "isa/format.h"

#define BUDGET (24u << 20) /* words of traces */
#define LEAST_WAVES 6      /* whatever the budget is */
#define MOST_THREADS 65536

static void *resize(const struct xk_timing_record *r, void *p, size_t n_b)
{
    return r->alloc.realloc(r->alloc.user, p, n_b);
}

void xk_timing_record_init(struct xk_timing_record *r,
                           const struct xk_timing_product *m,
                           const struct xk_alloc *alloc)
{
    memset(r, 0, sizeof *r);
    r->m = m;
    r->alloc = alloc ? *alloc : xk_alloc_default;
    atomic_init(&r->no_memory, false);
}

static void free_traces(struct xk_timing_record *r)
{
    const size_t n = (size_t)r->n_room * r->n_threads;
    for (size_t k = 0; r->trace && k < n; k++)
        resize(r, r->trace[k].word, 0);
    for (unsigned k = 0; r->region && k < r->n_regions; k++)
        resize(r, (void *)atomic_load(&r->region[k].owner), 0);
    resize(r, r->trace, 0);
    resize(r, r->region, 0);
    r->trace = NULL;
    r->region = NULL;
    r->n_regions = r->n_lines = r->n_traced = r->n_room = 0;
}

void xk_timing_record_fini(struct xk_timing_record *r)
{
    free_traces(r);
}

/* ---- how the launch lies on the machine ---- */

static uint32_t least_u32(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The number of threads that a core holds; half as many with the large register
 * file. */
static uint32_t core_slots(const struct xk_timing_record *r)
{
    const struct xk_timing_product *const m = r->m;
    const uint32_t threads =
        r->kernel->grf_count > 128 ? m->threads / 2 : m->threads;
    return threads * (m->xves / m->fused);
}

/* The shared local memory that a group takes. */
static uint32_t slm_taken_b(const struct xk_timing_record *r)
{
    static const uint32_t kib[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128};
    for (unsigned k = 0; k < sizeof kib / sizeof kib[0]; k++) {
        const bool power = !(kib[k] & (kib[k] - 1)) && kib[k] <= 64;
        if ((power || r->m->slm_sizes) && r->slm_b <= kib[k] * 1024)
            return kib[k] * 1024;
    }
    return UINT32_MAX;
}

/* L1 and shared local memory are one memory. L1 lacks what the latter gets for
 * so many groups, in the driver's steps. */
static uint32_t l1_rest_b(const struct xk_timing_product *m, uint64_t slm_b)
{
    static const uint32_t kib[] = {0, 16, 32, 64, 96, 128};
    unsigned k = 0;
    while (k + 1 < sizeof kib / sizeof kib[0] && kib[k] * 1024u < slm_b)
        k++;
    return m->l1_total_b ? m->l1_total_b - kib[k] * 1024 : 0;
}

static uint64_t later_time(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void set_traced(struct xk_timing_record *r, uint32_t n)
{
    r->n_traced = n;
    r->n_waves = n ? xk_timing_wave(r, n - 1) + 1 : 0;
    atomic_store(&r->limit, n);
    r->n_seen = (uint64_t)n * (r->m->dispatch ? r->cores : r->m->cores);
    if (r->n_seen > r->n_groups)
        r->n_seen = r->n_groups;
}

uint32_t xk_timing_core_of(const struct xk_timing_record *r, uint64_t group,
                           uint64_t *k)
{
    if (r->m->dispatch) {
        *k = group % r->n_mine;
        return (uint32_t)(group / r->n_mine);
    }
    *k = group / r->m->cores;
    return (uint32_t)(group % r->m->cores);
}

double xk_timing_clock(const struct xk_timing_record *r,
                       const struct xk_timing_product *m)
{
    return (double)m->clock_mhz *
           (r->systolic ? m->xmx_clock_percent / 100.0 : 1);
}

uint32_t xk_timing_wave(const struct xk_timing_record *r, uint64_t k)
{
    return k < r->odd ? 0
                      : (uint32_t)((k - r->odd) / r->resident) + (r->odd != 0);
}

static enum xk_status place_groups(struct xk_timing_record *r,
                                   struct xk_error *err)
{
    const struct xk_timing_product *const m = r->m;
    uint32_t n;
    r->slots = (r->n_threads + m->fused - 1) / m->fused;
    n = core_slots(r) / r->slots;
    if (r->slm_b)
        n = least_u32(n, m->slm_b / slm_taken_b(r));
    if (!n)
        return xk_sim_refuse(err, XK_EINVAL, r->kernel->name,
                             "timing: a group does not fit on a core, threads",
                             r->n_threads);
    r->resident = n;
    r->l1_b = l1_rest_b(m, r->slm_b ? (uint64_t)n * slm_taken_b(r) : 0);
    r->n_mine = (r->n_groups + m->cores - 1) / m->cores;
    r->cores =
        m->dispatch
            ? least_u32((r->n_groups + r->n_mine - 1) / r->n_mine, m->cores)
            : least_u32(r->n_groups, m->cores);
    r->odd = (uint32_t)(r->n_mine % n);
    const uint64_t waves =
        r->waves_wanted ? r->waves_wanted : MOST_THREADS / r->n_threads / n;
    r->n_room = least_u32(r->n_mine, r->odd + later_time(waves, 1) * n);
    set_traced(r, r->n_room);
    return XK_OK;
}

static enum xk_status make_line_regions(struct xk_timing_record *r)
{
    const struct xk_sim_space *const s = &r->run->space;
    const uint32_t line_b = r->m->line_b;
    r->region = resize(r, NULL, (s->n + 1) * sizeof *r->region);
    if (!r->region)
        return XK_ENOMEM;
    r->n_regions = s->n;
    for (unsigned k = 0; k < s->n; k++) {
        const struct xk_sim_region *const g = &s->region[k];
        struct xk_tm_region *const out = &r->region[k];
        out->va = g->va;
        out->size_b = g->size_b;
        out->first_line = r->n_lines;
        out->n_lines =
            g->kind == XK_SIM_FREED
                ? 0 /* which would move the lines behind it */
                : (uint32_t)((g->va % line_b + g->size_b + line_b - 1) /
                             line_b);
        atomic_init(&out->owner, NULL);
        r->n_lines += out->n_lines;
    }
    return XK_OK;
}

static bool has_dpas(const struct xk_sim_kernel *k)
{
    bool any = false;
    for (uint32_t n = 0; n < k->n && !any; n++)
        any = xk_inst_is_dpas(&k->inst[n].in);
    return any;
}

enum xk_status xk_timing_record_begin(struct xk_timing_record *r,
                                      const struct xk_sim_run *run,
                                      struct xk_error *err)
{
    free_traces(r);
    r->good = false;
    r->run = run;
    r->kernel = run->kernel;
    r->n_threads = run->d->n_threads;
    r->slm_b = run->d->slm_b;
    r->n_groups = run->n_groups;
    atomic_store(&r->no_memory, false);
    if (r->m->platform != (uint32_t)r->kernel->platform->id)
        return xk_sim_refuse(err, XK_EINVAL, r->kernel->name,
                             "timing: the product is of another platform",
                             r->m->platform);
    XK_TRY(place_groups(r, err));
    r->systolic = has_dpas(r->kernel);
    const size_t n = (size_t)r->n_room * r->n_threads;
    r->trace = resize(r, NULL, n * sizeof *r->trace);
    if (r->trace)
        memset(r->trace, 0, n * sizeof *r->trace);
    if (!r->trace || make_line_regions(r) < 0)
        return xk_sim_refuse(err, XK_ENOMEM, r->kernel->name,
                             "timing: out of memory for traces", n);
    return XK_OK;
}

void xk_timing_record_end(struct xk_timing_record *r, bool good)
{
    r->good = good;
    r->run = NULL;
    set_traced(r, atomic_load(&r->limit));
}

/* ---- threads ---- */

/* As many groups as the budget has room for, in whole waves, if all threads are
 * like this one. */
static void set_limit(struct xk_timing_record *r, uint32_t n_words)
{
    const uint64_t group = (uint64_t)(n_words + 1) * r->n_threads;
    const uint64_t waves =
        later_time(BUDGET / group / r->resident, LEAST_WAVES);
    if (!r->waves_wanted)
        atomic_store(&r->limit,
                     least_u32(r->n_room, r->odd + waves * r->resident));
}

void xk_timing_tap(struct xk_timing_record *r, const struct xk_sim_thread *t,
                   struct xk_tm_tap *tap)
{
    uint64_t k;
    const uint32_t core = xk_timing_core_of(r, t->group->index, &k);
    tap->on = k < atomic_load(&r->limit) && !atomic_load(&r->no_memory);
    if (!tap->on)
        return;
    tap->r = r;
    tap->core = core;
    tap->wave = xk_timing_wave(r, k);
    tap->last_region = 0;
    tap->n_extra = 0;
    tap->trace = NULL;
    if (tap->core == 0)
        tap->trace = &r->trace[k * r->n_threads + t->index];
}

static uint32_t signalled_barrier(const struct xk_sim_thread *t,
                                  const struct xk_sim_inst *e)
{
    struct xk_barrier w = {.id = 0};
    struct xk_error err = {.message = ""};
    const uint32_t n = t->group->n_threads & 0xff;
    if (e->src[0].kind == XK_SO_REG)
        xk_barrier_unpack(t->kernel->platform,
                          xk_rf_u32(t, e->src[0].off_b + 8), &w, &err);
    if (!w.producers && !w.consumers)
        w = (struct xk_barrier){.producers = (uint8_t)n,
                                .consumers = (uint8_t)n};
    return w.id % XK_SIM_BARRIERS | (uint32_t)w.type << 8 |
           (uint32_t)w.producers << 16 | (uint32_t)w.consumers << 24;
}

void xk_timing_before(struct xk_tm_tap *tap, struct xk_sim_thread *t,
                      const struct xk_sim_inst *e)
{
    const struct xk_inst *const i = &e->in;
    tap->n_extra = 0;
    if (xk_inst_is_send(i)) {
        if (e->msg.op == XK_MOP_BARRIER)
            tap->extra[tap->n_extra++] = signalled_barrier(t, e);
        else if (!i->send.eot)
            xk_timing_touch(tap, t, e);
    } else if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_BAR) {
        tap->extra[tap->n_extra++] = xk_sim_barrier_awaited(t, e);
    }
}

static bool grow_trace(struct xk_tm_tap *tap)
{
    struct xk_tm_trace *const s = tap->trace;
    const uint32_t room = s->room ? 2 * s->room : 4096;
    uint32_t *const w = resize(tap->r, s->word, room * sizeof *w);
    if (!w) {
        atomic_store(&tap->r->no_memory, true);
        tap->on = false;
        return false;
    }
    s->word = w;
    s->room = room;
    return true;
}

/* A thread that waits in a barrier comes to its sync.bar again. One that waits
 * in a dpasw does not: its partner executes it. */
void xk_timing_after(struct xk_tm_tap *tap, const struct xk_sim_thread *t,
                     uint32_t at)
{
    struct xk_tm_trace *const s = tap->trace;
    const uint32_t n = tap->n_extra;
    if (!s || t->state == XK_SIM_BARRIER)
        return;
    if (s->room - s->n < n + 1 && !grow_trace(tap))
        return;
    s->word[s->n++] = (at & 0xfffff) | n << 20;
    memcpy(s->word + s->n, tap->extra, n * sizeof *s->word);
    s->n += n;
    tap->n_extra = 0;
    if (t->state == XK_SIM_DONE && s == tap->r->trace)
        set_limit(tap->r, s->n);
}
