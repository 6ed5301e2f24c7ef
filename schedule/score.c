/* SPDX-License-Identifier: Apache-2.0 */
/* The score of a schedule: predicted cycles of the launch. A core works on as
 * many groups at a time as registers and SLM allow; a step of all of them takes
 * as long as what is busiest (multipliers, issue, the data port, the way from
 * L2) and what is waited for, the less the more threads there are. The last is
 * fitted to the timing model of sim/. Integers, so that every compiler picks
 * the same candidate. */
#include "schedule/schedule.h"

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What one thread does in one step. */
struct work {
    int64_t fma_cyc, issue; /* cycles of multipliers; instructions */
    int64_t port_cyc;       /* of the core's data port: lines, SLM */
    int64_t alone_cyc; /* what a thread waits for that has its EU to itself */
};

/* Addresses move two registers an instruction; waits come with the sends. */
static int64_t issue_of(int64_t fma, int64_t sends, int64_t headers)
{
    return fma + sends + xk_ceil_div(headers, 2) + sends / 4 + 2;
}

/* SLM, fence and barrier; each part of B that is not loaded ahead. Twice the
 * latency, since the loads of a core's threads come together. */
static int64_t alone(const struct xk_perf *f, const struct xk_schedule *c,
                     int64_t parts)
{
    int64_t base = c->slm ? f->slm_latency + f->barrier : f->exposed;
    if (c->slm && c->slm < 3) /* reads come back before the fence */
        base += 2 * f->slm_latency + (c->slm == 1 ? f->barrier : 0);
    return base + (c->slots_b > 1 ? 0 : 2 * f->latency * parts);
}

static struct work mad_work(const struct xk_perf *f,
                            const struct xk_schedule *c)
{
    const int64_t mads = (int64_t)c->m_thr * c->k_step * (c->n_thr / c->simd);
    const int64_t gathers = c->m_thr / c->simd;
    const int64_t blocks = xk_ceil_div(c->n_thr * c->k_step, 64);
    struct work w;
    w.fma_cyc = mads * c->simd / f->mad_lanes;
    w.issue = issue_of(mads, gathers + blocks, 2 * gathers + blocks);
    w.port_cyc = xk_ceil_div(c->m_thr + blocks * 4, f->lines_cyc);
    w.alone_cyc = alone(f, c, 1);
    return w;
}

static struct work dpas_work(const struct xk_perf *f,
                             const struct xk_schedule *c)
{
    const int64_t dpas = (int64_t)c->m_thr / 8 * (c->n_thr / 8);
    const int64_t share = c->fma == XK_FMA_DPASW ? 2 : 1;
    const int64_t blocks = xk_ceil_div(c->n_thr, 8 * share);
    const int64_t gathers = c->m_thr / 8 / (c->slm ? c->tg_n : 1);
    struct work w;
    int64_t lines = gathers * 8 + blocks * 4, sends = gathers + blocks;
    w.fma_cyc = dpas * 8 * f->dpas_row;
    w.port_cyc = 0;
    if (c->slm) { /* write a share, read one's rows; fence and barrier */
        sends += gathers + c->m_thr / 8 + 2;
        w.port_cyc = (gathers * 256 + c->m_thr * 32) / f->slm_b_cyc;
    }
    w.issue = issue_of(dpas, sends, gathers + blocks);
    w.port_cyc += xk_ceil_div(lines, f->lines_cyc);
    w.alone_cyc = alone(f, c, c->n_thr / c->n_sub);
    return w;
}

/* Bytes that a group's step brings from L2: its tiles of A and B, once. Filter
 * taps read nearly the same rows of A. */
static int64_t l2_bytes(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t row_b = c->fma == XK_FMA_MAD ? 4 * c->k_step : 32;
    const int64_t a = (int64_t)c->m_thr * c->tg_m * row_b;
    const int64_t b = (int64_t)c->n_thr * c->tg_n * row_b;
    return a / (s->k_outer > 2 && c->slm ? 3 : 1) + b;
}

/* Instructions before and after the loop: coordinates and addresses; C is
 * converted and stored. */
static int64_t around(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t rows = (int64_t)c->m_thr * c->n_thr / 8;
    const int64_t taps = c->slm ? s->k_outer * (c->m_thr / 8 / c->tg_n) : 1;
    return 120 + 12 * taps + rows * 5 / 2;
}

/* Most groups that a core holds. */
static int64_t resident(const struct xk_platform *p, const struct xk_perf *f,
                        const struct xk_schedule *c)
{
    const int64_t tg = (int64_t)c->tg_m * c->tg_n;
    const int64_t per_eu = p->threads_per_eu / (c->grf_count > 128 ? 2 : 1);
    const int64_t slm_b = (int64_t)c->slm * c->tg_m * c->m_thr * 32;
    int64_t n = max(per_eu * f->eu_per_core / tg, 1);
    if (slm_b && f->slm_core_b / slm_b < n)
        n = max(f->slm_core_b / slm_b, 1);
    return n;
}

/* Cycles for n groups at a time on one core. */
static int64_t round_cyc(const struct xk_perf *f, const struct xk_shape *s,
                         const struct xk_schedule *c, const struct work *w,
                         int64_t n)
{
    const int64_t tg = (int64_t)c->tg_m * c->tg_n;
    const int64_t per_eu = xk_ceil_div(n * tg, f->eu_per_core);
    const int64_t steps = s->k_outer * xk_ceil_div(s->k_inner, c->k_step);
    int64_t step = max(per_eu * w->fma_cyc, per_eu * w->issue);
    if (!n)
        return 0;
    step = max(step, n * tg * w->port_cyc);
    step = max(step, n * l2_bytes(s, c) / f->l2_b_cyc);
    step += w->alone_cyc * 2 / (per_eu + 1); /* the other threads work then */
    return steps * step + per_eu * around(s, c) + f->launch;
}

int64_t xk_schedule_score(const struct xk_platform *p, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const struct xk_perf *const f = xk_perf_get(p->id);
    const int64_t groups = xk_ceil_div(s->m, (int64_t)c->m_thr * c->tg_m) *
                           xk_ceil_div(s->n, (int64_t)c->n_thr * c->tg_n);
    const int64_t per_core = xk_ceil_div(groups, f->n_eu / f->eu_per_core);
    const int64_t most = resident(p, f, c);
    const struct work w =
        c->fma == XK_FMA_MAD ? mad_work(f, c) : dpas_work(f, c);
    return per_core / most * round_cyc(f, s, c, &w, most) +
           round_cyc(f, s, c, &w, per_core % most);
}
