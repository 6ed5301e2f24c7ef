/* SPDX-License-Identifier: Apache-2.0 */
/* A hardware thread's life: payload, the interpreter's loop, findings. */
#include <fenv.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "isa/format.h"
#include "sim/core/kernel.h"
#include "sim/core/observer.h"

#define ALWAYS inline __attribute__((always_inline))

/* A value for registers that no correct kernel reads: NaN as float, negative as
 * integer. */
#define JUNK 0xffc0a5a5u

static void inst_text(const struct xk_sim_thread *t,
                      const struct xk_sim_inst *e, char *out, size_t out_b)
{
    struct xk_str s;
    xk_str_init(&s, &t->kernel->alloc);
    xk_inst_print(t->kernel->platform, &e->in, &s);
    snprintf(out, out_b, "'%.150s' at offset 0x%x: ", xk_str_get(&s), e->pc_b);
    xk_str_fini(&s);
}

void xk_sim_fault(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *fmt, ...)
{
    char where[180] = "", what[180]; /* both fit into the message */
    va_list ap;
    if (t->state == XK_SIM_FAULT)
        return;
    t->state = XK_SIM_FAULT;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    if (t->hears.any)
        xk_sim_tell_fault(t, e, what);
    if (e)
        inst_text(t, e, where, sizeof(where));
    t->err->status = XK_EFAULT;
    const uint32_t *id = t->group->id;
    snprintf(t->err->message, sizeof(t->err->message),
             "sim: kernel '%.64s': %s%s (group %u,%u,%u thread %u)",
             t->kernel->name, where, what, id[0], id[1], id[2], t->index);
}

bool xk_sim_lacks(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *what, uint64_t value)
{
    xk_sim_fault(t, e, "%s %" PRIu64 " is not simulated", what, value);
    return false;
}

void xk_sim_thread_cr_written(struct xk_sim_thread *t)
{
    static const int mode[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                FE_TOWARDZERO};
    const uint32_t cr = xk_rf_u32(t, XK_RF_CR);
    t->round = cr >> 4 & 3;
    t->ftz = !(cr >> 7 & 1);
    t->ftz_half = !(cr >> 10 & 1);
    t->ftz_double = !(cr >> 6 & 1);
    t->round_int = cr >> 12 & 1;
    fesetround(mode[t->round]);
}

static void fill_registers(struct xk_sim_thread *t)
{
    const uint32_t junk = JUNK;
    const uint32_t end_b = t->kernel->grf_count * t->kernel->grf_b;
    memset(t->rf + XK_RF_ACC, 0, sizeof(t->rf) - XK_RF_ACC);
    memcpy(t->rf, &junk, sizeof(junk));
    for (uint32_t b = sizeof(junk); b < end_b; b *= 2)
        memcpy(t->rf + b, t->rf, b < end_b - b ? b : end_b - b);
}

/* virtual-device.md 6 */
static void set_r0(struct xk_sim_thread *t)
{
    const struct xk_sim_group *g = t->group;
    const struct xk_sim_dispatch *d = g->run->d;
    memset(t->rf, 0, t->kernel->grf_b);
    xk_rf_set_u32(t, 0, d->indirect_b);
    xk_rf_set_u32(t, 4, g->id[0]);
    xk_rf_set_u32(t, 8, t->index | g->n_threads << 24);
    xk_rf_set_u32(t, 12, d->sampler_b);
    xk_rf_set_u32(t, 20,
                  (d->scratch_field +
                   (d->scratch_surface ? 0 : t->slot * d->scratch_slot_b)) |
                      t->slot);
    xk_rf_set_u32(t, 24, g->id[1]);
    xk_rf_set_u32(t, 28, g->id[2]);
}

uint32_t xk_sim_id_channel_b(uint32_t grf_b, uint32_t simd)
{
    return (simd * 2 + grf_b - 1) / grf_b * grf_b;
}

/* Dimensions by walk order, fastest first. */
static const uint8_t walk_orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};

void xk_sim_write_thread_ids(const struct xk_sim_dispatch *d, uint32_t thread,
                             uint8_t *out)
{
    const uint8_t *const order = walk_orders[d->walk_order % 6];
    const uint32_t each_b = xk_sim_id_channel_b(d->kernel->grf_b, d->simd);
    memset(out, 0, 3 * each_b);
    for (uint32_t l = 0; l < d->simd; l++) {
        uint32_t item = thread * d->simd + l;
        for (unsigned k = 0; k < 3; k++) {
            const unsigned dim = order[k];
            const uint16_t id = (uint16_t)(item % d->local[dim]);
            item /= d->local[dim];
            memcpy(out + dim * each_b + 2 * l, &id, 2);
        }
    }
}

/* r0, then ids, then data of the thread, then data of all threads. */
static void fill_payload(struct xk_sim_thread *t)
{
    const struct xk_sim_dispatch *d = t->group->run->d;
    const uint32_t grf_b = t->kernel->grf_b;
    uint32_t at = grf_b;
    set_r0(t);
    if (d->emit_ids) {
        xk_sim_write_thread_ids(d, t->index, t->rf + at);
        at += 3 * xk_sim_id_channel_b(grf_b, d->simd);
    }
    if (d->thread_data)
        memcpy(t->rf + at, d->thread_data + t->index * d->thread_data_b,
               d->thread_data_b);
    at += d->thread_data ? d->thread_data_b : 0;
    if (d->cross_data)
        memcpy(t->rf + at, d->cross_data, d->cross_data_b);
}

/* sr0.0: the thread's number, spread over the bits that have a meaning. */
static uint32_t slot_bits(uint32_t slot, uint32_t holes)
{
    uint32_t out = 0;
    for (uint32_t bit = 1; slot; bit <<= 1) {
        if (holes & bit)
            continue;
        out |= slot & 1 ? bit : 0;
        slot >>= 1;
    }
    return out;
}

static uint64_t limit_of(const struct xk_sim_run *r)
{
    return r->d->inst_limit ? r->d->inst_limit : XK_SIM_INST_LIMIT;
}

void xk_sim_thread_start(struct xk_sim_thread *t, struct xk_sim_group *g,
                         uint32_t index)
{
    const struct xk_sim_run *r = g->run;
    struct xk_error *err = t->err;
    struct xk_sim_observer *const outer = t->observer[XK_SIM_OUTER];
    struct xk_sim_observer *const inner = t->observer[XK_SIM_INNER];
    t->kernel = r->kernel;
    fill_registers(t);
    memset(t->acc_hi, 0, sizeof(t->acc_hi));
    memset(t->mme, 0, sizeof(t->mme));
    memset(&t->group, 0, sizeof(*t) - offsetof(struct xk_sim_thread, group));
    t->err = err;
    xk_sim_observe(t, XK_SIM_OUTER, outer);
    xk_sim_observe(t, XK_SIM_INNER, inner);
    t->group = g;
    t->index = index;
    t->slot = g->slot_base + index;
    t->dispatch = r->d->simd == 32 ? UINT32_MAX : (1u << r->d->simd) - 1;
    if (index + 1 == g->n_threads) /* a walker's is of 32 channels, always */
        t->dispatch &= r->d->last_mask;
    t->active = t->dispatch;
    t->ip = r->start;
    t->budget = limit_of(r);
    fill_payload(t);
    xk_rf_set_u32(t, XK_RF_SR, slot_bits(t->slot, r->d->sr0_holes));
    if (t->hears.any)
        xk_sim_tell_start(t);
}

/* Finds the innermost loop around ip: the nearest branch from there on that
 * leads to ip or before it. Targets in registers are not looked at. */
static bool find_loop(const struct xk_sim_kernel *k, uint32_t ip,
                      uint32_t *begin, uint32_t *end)
{
    for (*end = ip; *end < k->n; ++*end) {
        const struct xk_sim_inst *const e = &k->inst[*end];
        if (!xk_inst_is_branch(&e->in) || e->in.src[0].file != XK_FILE_NONE)
            continue;
        *begin = e->in.uip_b < 0 && e->uip < e->jip ? e->uip : e->jip;
        if (*begin <= ip)
            return true;
    }
    return false;
}

static void limit_reached(struct xk_sim_thread *t)
{
    const struct xk_sim_kernel *const k = t->kernel;
    char loop[64] = "";
    uint32_t begin, end;
    if (find_loop(k, t->ip, &begin, &end))
        snprintf(loop, sizeof loop, " in the loop from offset 0x%x to 0x%x",
                 k->inst[begin].pc_b, k->inst[end].pc_b);
    xk_sim_fault(t, &k->inst[t->ip],
                 "instruction limit of %llu reached%s: the thread seems not to "
                 "end",
                 (unsigned long long)limit_of(t->group->run), loop);
}

/* Counts n instructions of a row from e on: ip and state change by nothing
 * else. */
static void count_row(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint64_t n)
{
    const struct xk_sim_inst *const end = e + n;
    const uint32_t fma = e->row_fma - end->row_fma;
    const uint32_t sync = e->row_sync - end->row_sync;
    t->ip += (uint32_t)n;
    t->count[XK_STAT_FMA] += fma;
    t->count[XK_STAT_SYNC] += sync;
    t->count[XK_STAT_OTHER] += n - fma - sync;
}

/* Shorter rows are not worth the counting. */
#define ROW_LEAST 8

/* Executes a row from e on, or its first `most` instructions; returns how many.
 */
static uint64_t step_row(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint64_t most)
{
    const uint64_t n = e->row < most ? e->row : most;
    count_row(t, e, n);
    for (const struct xk_sim_inst *const end = e + n; e < end; e++)
        e->fn(t, e);
    return n;
}

/* Executes instructions that nobody looks at. */
static ALWAYS uint64_t step_unseen(struct xk_sim_thread *t, uint64_t most)
{
    const struct xk_sim_inst *const inst = t->kernel->inst;
    uint64_t done = 0;
    while (done < most && t->state == XK_SIM_RUN) {
        const struct xk_sim_inst *const e = &inst[t->ip];
        if (e->row >= ROW_LEAST) {
            done += step_row(t, e, most - done);
            continue;
        }
        t->ip++;
        t->count[e->stat]++;
        done++;
        e->fn(t, e);
    }
    return done;
}

/* Those who look at a thread, while it is stepped; NULL: nobody. */
struct looking {
    const struct xk_sim_observer_ops *outer, *inner;
};

/* Executes n instructions of a row, each after the inner observer's `before`.
 */
static ALWAYS uint64_t step_row_seen(struct xk_sim_thread *t, uint64_t n,
                                     struct looking by)
{
    const struct xk_sim_inst *const e = &t->kernel->inst[t->ip];
    count_row(t, e, n);
    for (uint64_t k = 0; k < n; k++) {
        by.inner->before(t, &e[k]);
        e[k].fn(t, &e[k]);
    }
    return n;
}

/* Executes e between before and after of the inner observer, if there is one.
 */
static ALWAYS void exec_seen(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, struct looking by)
{
    if (!by.inner || by.inner->before(t, e))
        e->fn(t, e);
    if (by.inner)
        by.inner->after(t, e);
}

/* Executes instructions between before and after of the observers. */
static ALWAYS uint64_t step_seen(struct xk_sim_thread *t, uint64_t n,
                                 struct looking by)
{
    uint64_t done = 0;
    while (done < n && t->state == XK_SIM_RUN) {
        const struct xk_sim_inst *const e = &t->kernel->inst[t->ip++];
        t->count[e->stat]++;
        done++;
        if (!by.outer || by.outer->before(t, e))
            exec_seen(t, e, by);
        if (by.outer)
            by.outer->after(t, e);
    }
    return done;
}

static ALWAYS uint64_t step_looking(struct xk_sim_thread *t, uint64_t most,
                                    struct looking by)
{
    uint64_t done = 0;
    if (by.outer && by.outer->begin)
        by.outer->begin(t);
    if (by.inner && by.inner->begin)
        by.inner->begin(t);
    while (done < most && t->state == XK_SIM_RUN) {
        struct xk_sim_ahead a = {.n = most - done};
        if (by.outer)
            by.outer->ahead(t, a.n, &a);
        if (by.inner && a.sight == XK_SIM_UNSEEN)
            by.inner->ahead(t, a.n, &a);
        done += a.passed;
        done += a.sight == XK_SIM_SEEN          ? step_seen(t, a.n, by)
                : a.sight == XK_SIM_SEEN_BEFORE ? step_row_seen(t, a.n, by)
                                                : step_unseen(t, a.n);
    }
    return done;
}

/* Compiled once with an outer observer and once without: checks alone are the
 * frequent case. */
static uint64_t step_observed(struct xk_sim_thread *t, uint64_t most)
{
    const struct xk_sim_observer *const outer = t->observer[XK_SIM_OUTER];
    const struct xk_sim_observer *const inner = t->observer[XK_SIM_INNER];
    const struct looking by = {outer ? outer->ops : NULL,
                               inner ? inner->ops : NULL};
    return by.outer ? step_looking(t, most, by)
                    : step_looking(t, most, (struct looking){NULL, by.inner});
}

void xk_sim_thread_step(struct xk_sim_thread *t, uint64_t n)
{
    const uint64_t most = n < t->budget ? n : t->budget;
    uint64_t done;

    xk_sim_thread_cr_written(t); /* the host's rounding mode is per thread */
    done = t->hears.any ? step_observed(t, most) : step_unseen(t, most);
    if (t->round)
        fesetround(FE_TONEAREST);
    t->budget -= done;
    if (!t->budget && t->state == XK_SIM_RUN)
        limit_reached(t);
}
