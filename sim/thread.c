/* SPDX-License-Identifier: Apache-2.0 */
/* A hardware thread's life: payload, the interpreter's loop, findings. */
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/kernel.h"

/* Nothing a correct kernel reads: NaN as float, negative as integer. */
#define JUNK 0xffc0a5a5u

static void text_of(const struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    char *out, size_t out_b)
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
    char where[200] = "", what[260];
    va_list ap;
    if (t->state == XK_SIM_FAULT)
        return;
    t->state = XK_SIM_FAULT;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    if (e)
        text_of(t, e, where, sizeof(where));
    t->err->status = XK_EFAULT;
    const uint32_t *id = t->group->id;
    snprintf(t->err->message, sizeof(t->err->message),
             "sim: kernel '%.64s': %s%s (group %u,%u,%u thread %u)",
             t->kernel->name, where, what, id[0], id[1], id[2], t->index);
}

void xk_sim_thread_cr_written(struct xk_sim_thread *t)
{
    static const int mode[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                FE_TOWARDZERO};
    const uint32_t cr = xk_rf_u32(t, XK_RF_CR);
    t->round = cr >> 4 & 3;
    t->ftz = !(cr >> 7 & 1);
    t->ftz_half = !(cr >> 10 & 1);
    fesetround(mode[t->round]);
}

static void fill_registers(struct xk_sim_thread *t)
{
    const uint32_t junk = JUNK;
    const uint32_t end_b = t->kernel->grf_count * XK_SIM_GRF_B;
    memset(t->rf + end_b, 0, sizeof(t->rf) - end_b);
    for (uint32_t b = 0; b < end_b; b += 4)
        memcpy(t->rf + b, &junk, 4);
}

/* vd.md 6: r0, then local ids, then inline data. */
static void set_r0(struct xk_sim_thread *t)
{
    const struct xk_sim_group *g = t->group;
    memset(t->rf, 0, XK_SIM_GRF_B);
    xk_rf_set_u32(t, 0, g->run->heap_off_b);
    xk_rf_set_u32(t, 4, g->id[0]);
    xk_rf_set_u32(t, 8, t->index | g->n_threads << 24);
    xk_rf_set_u32(t, 24, g->id[1]);
    xk_rf_set_u32(t, 28, g->id[2]);
}

/* Bytes of one dimension's ids of one thread. */
static uint32_t channel_b(const struct xk_sim_kernel *k)
{
    return k->simd > 16 ? 64 : 32;
}

/* x runs fastest. Lanes beyond the group's items repeat the pattern. */
static void write_local_ids(const struct xk_sim_run *r, uint32_t thread,
                            uint8_t *out)
{
    const uint32_t *n = r->launch->local, simd = r->kernel->simd;
    for (uint32_t l = 0; l < simd; l++) {
        const uint32_t item = thread * simd + l;
        const uint16_t id[3] = {(uint16_t)(item % n[0]),
                                (uint16_t)(item / n[0] % n[1]),
                                (uint16_t)(item / n[0] / n[1] % n[2])};
        for (unsigned d = 0; d < 3; d++)
            memcpy(out + d * channel_b(r->kernel) + 2 * l, &id[d], 2);
    }
}

void xk_sim_write_thread_ids(const struct xk_sim_run *r, uint32_t thread,
                             uint8_t *out)
{
    uint8_t ids[3 * 64] = {0};
    write_local_ids(r, thread, ids);
    memcpy(out, ids, 3 * channel_b(r->kernel));
}

static void set_payload(struct xk_sim_thread *t)
{
    const struct xk_sim_run *r = t->group->run;
    const struct xk_sim_kernel *k = t->kernel;
    uint32_t at = XK_SIM_GRF_B;
    set_r0(t);
    if (k->local_id_b && !xk_sim_ids_in_memory(r)) {
        xk_sim_write_thread_ids(r, t->index, t->rf + at);
        at += 3 * channel_b(k);
    }
    const uint32_t n_b = k->inline_b < r->launch->cross_thread_b
                             ? k->inline_b
                             : r->launch->cross_thread_b;
    if (n_b)
        memcpy(t->rf + at, r->launch->cross_thread, n_b);
}

void xk_sim_thread_start(struct xk_sim_thread *t, struct xk_sim_group *g,
                         uint32_t index)
{
    const struct xk_sim_run *r = g->run;
    struct xk_error *err = t->err;
    t->kernel = r->kernel;
    fill_registers(t);
    memset(t->acc_hi, 0, sizeof(t->acc_hi));
    memset(&t->group, 0, sizeof(*t) - offsetof(struct xk_sim_thread, group));
    t->err = err;
    t->group = g;
    t->index = index;
    t->dispatch = index + 1 == g->n_threads ? r->last_mask
                  : t->kernel->simd == 32 || t->kernel->simd == 1
                      ? UINT32_MAX
                      : (1u << t->kernel->simd) - 1;
    t->active = t->dispatch;
    t->ip = xk_sim_ids_in_memory(r) ? t->kernel->start : t->kernel->start_skip;
    t->budget =
        r->launch->inst_limit ? r->launch->inst_limit : UINT64_C(1) << 32;
    set_payload(t);
}

void xk_sim_thread_step(struct xk_sim_thread *t, uint64_t n)
{
    const struct xk_sim_inst *const inst = t->kernel->inst;
    const uint64_t most = n < t->budget ? n : t->budget;
    uint64_t done = 0;

    xk_sim_thread_cr_written(t); /* the host's rounding mode is per thread */
    while (done < most && t->state == XK_SIM_RUN) {
        const struct xk_sim_inst *e = &inst[t->ip++];
        t->count[e->stat]++;
        done++;
        e->fn(t, e);
    }
    fesetround(FE_TONEAREST);
    t->budget -= done;
    if (!t->budget && t->state == XK_SIM_RUN)
        xk_sim_fault(t, &inst[t->ip],
                     "instruction limit reached: the thread "
                     "seems not to end");
}
