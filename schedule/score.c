/* SPDX-License-Identifier: Apache-2.0 */
/* The score of a schedule: predicted cycles of the launch. A core works on as
 * many groups at a time as registers and SLM allow, the oldest first, and takes
 * as long as what is busiest (multipliers, issue, the data port, the way from
 * L2), and what the last threads wait for. How long that is is fitted to the
 * timing model of sim/. Integers, so that every compiler picks the same
 * candidate. */
#include "schedule/score.h"

/* Threads of a group. */
static int64_t threads(const struct xk_schedule *c)
{
    return (int64_t)c->tg_m * c->tg_n * xk_schedule_slices(c);
}

/* Through SLM: it, fence and barrier, whose wait follows its signal at once
 * with fewer than three buffers; each part of B that is not loaded ahead. */
static int64_t waits_slm(const struct xk_perf *f, const struct xk_schedule *c,
                         int64_t parts, int64_t cold)
{
    const int64_t barriers = c->slm == 3 ? 1 : c->slm == 2 ? 2 : 3;
    const int64_t barrier = f->barrier + f->barrier_thread * threads(c);
    const int64_t b = c->slots_b > 1 ? 0 : f->late_cyc * parts;
    return f->slm_latency + barrier * barriers + b + cold / 4;
}

/* What is left of a load's time when its buffer's turn comes: with two buffers
 * after a step of the thread's own, with three after two. */
static int64_t left(int64_t late, unsigned slots, int64_t step)
{
    return xk_larger(late - (slots - 1) * step, 0);
}

/* Where A is put in order in registers, its place is free once its last rows
 * are so: the products of these are what a load has more. */
static int64_t last_rows_cyc(const struct xk_schedule *c, int64_t step)
{
    return step * xk_schedule_rows_in_order(c) / c->m_thr;
}

/* What a thread waits for in a step of so many cycles of its own. Loads come
 * ahead if there is room; else rows follow each other, and parts of B wait.
 * What is put in order in registers comes further ahead: its place is
 * free once that is done. So do rows that steps share. cold: what loads take
 * longer than from caches. */
static int64_t waits(const struct xk_perf *f, const struct xk_shape *s,
                     const struct xk_schedule *c, int64_t fma_cyc,
                     int64_t sends, int64_t cold)
{
    const int64_t parts = c->n_thr / c->n_sub;
    const bool turns_a = xk_schedule_turns_a(s, c);
    const unsigned slots_a = c->slots_a + (c->holds != 0);
    const unsigned slots_b = c->slots_b + xk_schedule_turns_b(s, c);
    if (c->slm)
        return waits_slm(f, c, parts, cold);
    const int64_t base = xk_fma_family_of(c->fma)->dpas
                             ? f->exposed_dpas + f->send_cyc * sends
                             : f->exposed;
    const int64_t late = f->latency + cold;
    const int64_t late_a = turns_a ? late - last_rows_cyc(c, fma_cyc) : late;
    const int64_t a = slots_a > 1 || turns_a ? left(late_a, slots_a, fma_cyc)
                                             : f->rows_cyc + cold;
    const int64_t b =
        slots_b > 1 ? left(late, slots_b, fma_cyc) : f->late_cyc * parts;
    return base + xk_larger(a, b) + xk_smaller(a, b) * f->both_pct / 100;
}

static int64_t resident(const struct xk_platform *p, const struct xk_perf *f,
                        const struct xk_schedule *c)
{
    const int64_t tg = threads(c);
    const int64_t per_eu = p->threads_per_eu / (c->grf_count > 128 ? 2 : 1);
    int64_t slm_b = c->slm * c->tg_m * c->m_thr * p->dpas_depth_b;
    if (c->slices > 1) /* half a tile each */
        slm_b = xk_larger(slm_b, tg * c->m_thr * c->n_thr * 2);
    int64_t n = xk_larger(per_eu * f->eu_per_core / tg, 1);
    if (slm_b && f->slm_core_b / slm_b < n)
        n = xk_larger(f->slm_core_b / slm_b, 1);
    return n;
}

int64_t xk_schedule_resident(const struct xk_platform *p,
                             const struct xk_schedule *c)
{
    return resident(p, xk_perf_get(p->id), c);
}

int64_t xk_schedule_groups_ahead(const struct xk_platform *p,
                                 const struct xk_schedule *c, int64_t groups_n,
                                 int64_t groups_m)
{
    const int64_t held =
        xk_schedule_resident(p, c) * xk_perf_cores(xk_perf_get(p->id));
    return held < groups_n || held >= groups_n * groups_m ? 0 : held;
}

static struct xk_score_load load_of(const struct xk_score_tile *t,
                                    const struct xk_schedule *c)
{
    const struct xk_shape *const s = t->seen;
    const int64_t along_n = xk_schedule_groups_n(c, s->n);
    const int64_t groups = xk_schedule_groups_m(c, s->m) * along_n;
    const int64_t all = groups * xk_shape_batch(s) * xk_shape_classes(s);
    const int64_t n = xk_ceil_div(all, t->cores);
    const int64_t per_eu = xk_ceil_div(n * threads(c), t->perf->eu_per_core);
    return (struct xk_score_load){.along_n = along_n, .n = n, .per_eu = per_eu};
}

/* How many are there at a time. */
static void set_at_once(const struct xk_platform *p,
                        const struct xk_score_tile *t,
                        const struct xk_schedule *c, struct xk_score_load *l)
{
    const struct xk_perf *const f = t->perf;
    l->most = resident(p, f, c);
    l->at_once = l->n <= l->most
                     ? l->per_eu
                     : xk_ceil_div(l->most * threads(c), f->eu_per_core);
}

/* Two want the same time: the longer, and the more of the shorter the nearer
 * both are. */
static int64_t beside(int64_t a, int64_t b, int64_t pct)
{
    const int64_t less = xk_smaller(a, b), more = xk_larger(a, b);
    const int64_t near = more ? 1024 * less / more : 0;
    return more + less * near / 1024 * near / 1024 * pct / 100;
}

/* Cycles out of 1024 in which all threads of an EU wait: nobody multiplies. */
static int64_t idle_1k(const struct xk_score_work *w,
                       const struct xk_score_load *l)
{
    const int64_t share = 1024 * w->alone_cyc / (w->fma_cyc + w->alone_cyc);
    int64_t idle = share;
    for (int64_t i = 1; i < l->at_once; i++)
        idle = idle * share / 1024;
    return idle;
}

/* Cycles of an EU in a step. The oldest thread has its own pace, which younger
 * ones fill; the youngest has the EU to itself at the end. */
static int64_t eu_cyc(const struct xk_score_tile *t,
                      const struct xk_score_work *w,
                      const struct xk_score_load *l)
{
    const int64_t pace = w->fma_cyc + w->alone_cyc;
    /* What the last thread leaves idle; if it has not been alone all the time.
     */
    const int64_t tail = w->fma_cyc * w->alone_cyc / pace * (l->at_once - 1) /
                         l->at_once * t->perf->tail_pct / 100;
    const int64_t xmx = l->per_eu * xk_larger(w->fma_cyc, w->issue);
    return xmx * 1024 / (1024 - idle_1k(w, l)) + tail;
}

/* Cycles of a core's data port for so many threads. */
static int64_t port_cyc(const struct xk_score_tile *t, int64_t n_threads)
{
    return n_threads * (t->steps * t->work.port_cyc + t->work.port_around);
}

/* What rounds behind the first cost; dpas's overlap, so parts of one count. */
static int64_t rounds_cyc(const struct xk_schedule *c,
                          const struct xk_score_work *w,
                          const struct xk_score_load *l)
{
    if (!xk_fma_family_of(c->fma)->dpas)
        return (xk_ceil_div(l->n, l->most) - 1) * w->round_cyc;
    return xk_larger(l->n - l->most, 0) * w->round_cyc / l->most;
}

/* A thread's step in its group. What is in memory is so at the first filter
 * place, or for the first threads. */
static struct xk_score_work in_group(const struct xk_score_tile *t,
                                     const struct xk_schedule *c,
                                     const struct xk_score_load *l)
{
    const struct xk_perf *const f = t->perf;
    const int64_t cold = t->cold_a + (l->at_once == l->per_eu
                                          ? f->cold_b
                                          : f->cold_b * l->at_once / l->per_eu);
    struct xk_score_work w = t->work;
    w.alone_cyc = w.order_cyc + waits(f, t->seen, c, w.fma_cyc, w.sends, cold);
    /* A dp4a for each two rows of B, two cycles each, in front of the products.
     */
    if (t->seen->sums)
        w.alone_cyc += c->n_thr / xk_fma_family_of(c->fma)->sharers_b;
    return w;
}

/* Around the loops, and between them. */
static int64_t around_cyc(const struct xk_score_tile *t,
                          const struct xk_schedule *c,
                          const struct xk_score_load *l)
{
    const struct xk_score_work *const w = &t->work;
    /* A third stage is filled and drained, by nobody else's work. */
    const int64_t drain = c->slm == 3 ? 6 * t->perf->latency : 0;
    const int64_t fill =
        xk_schedule_is_each(c) ? t->seen->k_outer * t->perf->refill : 0;
    const int64_t later = w->later_pct * (l->per_eu - l->at_once);
    return w->around * (w->first_pct * l->at_once + later) / 100 + w->once_cyc +
           rounds_cyc(c, w, l) + drain + fill;
}

/* The same at least, of so many threads an EU. */
static int64_t around_least(const struct xk_score_work *w, int64_t per_eu)
{
    return w->around * w->later_pct * per_eu / 100 + w->once_cyc +
           per_eu * w->epilogue;
}

/* Cycles of an EU for the epilogue's steps. Each waits for the one before it,
 * 11 cycles for 16 lanes; of these a thread fills those of two vectors. */
static int64_t steps_cyc(const struct xk_score_work *w,
                         const struct xk_score_load *l)
{
    enum { LATENCY = 11, FILLED = 4 };
    int64_t idle = 1024; /* of as many cycles: all threads wait */
    if (!w->epilogue)
        return 0;
    for (int64_t i = 0; i < l->at_once; i++)
        idle = idle * (LATENCY - FILLED) / LATENCY;
    return l->per_eu * w->epilogue * 1024 / (1024 - idle);
}

/* Cycles of a core's loops, but for the way from L2. */
static int64_t loops_cyc(const struct xk_score_tile *t,
                         const struct xk_schedule *c,
                         const struct xk_score_load *l, int64_t port)
{
    const struct xk_perf *const f = t->perf;
    const struct xk_score_work w = in_group(t, c, l);
    return beside(t->steps * eu_cyc(t, &w, l), port,
                  xk_fma_family_of(c->fma)->dpas ? f->port_dpas_pct
                                                 : f->port_pct);
}

/* Steps that fill or drain a loop: as many as its loads are ahead. */
static int64_t outside(const struct xk_schedule *c)
{
    if (xk_schedule_is_flat(c))
        return xk_larger(c->slots_a, c->slots_b);
    return c->slm > 2 ? 2 : 1;
}

/* Whether the loop has four fifths of the steps, where K is long enough for one
 * that has: those that fill and drain it are straight code. Outer places of K
 * have a copy of the body each, which is a loop if it comes round. */
static bool loops(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t places = xk_schedule_is_one_loop(c) ? s->k_outer : 1;
    const int64_t whole = xk_schedule_is_walk(c)
                              ? s->k_outer * s->k_inner / c->k_step
                              : places * xk_schedule_last_steps(s, c);
    const int64_t all = whole / xk_schedule_slices(c);
    const int64_t copies = c->slm ? 1 : xk_schedule_copies(c, places);
    if (s->k_outer * (s->k_inner / c->k_step) < 5)
        return true;
    if (places > 1 && !c->slm)
        return all >= 2 * copies;
    return 5 * ((all - outside(c)) / copies * copies) >= 4 * all;
}

/* Thousandths for what is many instructions: straight code, which the timing
 * model fetches for nothing. */
static int64_t instructions_1k(const struct xk_perf *f,
                               const struct xk_shape *s,
                               const struct xk_schedule *c)
{
    const bool straight =
        xk_fma_family_of(c->fma)->dpas && !xk_schedule_packs(c) && !loops(s, c);
    return straight ? f->straight_1k : 0;
}

/* A slice's steps: one that is not whole takes as long. */
static int64_t steps_of(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t all = xk_schedule_is_walk(c)
                            ? xk_ceil_div(s->k_outer * s->k_inner, c->k_step)
                            : s->k_outer * xk_ceil_div(s->k_inner, c->k_step);
    return all / xk_schedule_slices(c);
}

void xk_score_tile_set(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_shape *seen, const struct xk_schedule *c,
                       struct xk_score_tile *out)
{
    const struct xk_perf *const f = xk_perf_get(p->id);
    out->perf = f;
    out->cores = xk_perf_cores(f);
    out->seen = seen;
    out->work = xk_score_work_of(p, f, seen, c);
    out->a = xk_score_lines_a(f, seen, c);
    out->steps = steps_of(seen, c);
    out->cold_a = f->cold_a / out->seen->k_outer;
    out->read_cyc = xk_score_read_cyc(f, s, c);
    out->store_cyc = xk_score_store_cyc(f, s, c);
    xk_score_tile_slots(c, out);
}

void xk_score_tile_slots(const struct xk_schedule *c, struct xk_score_tile *t)
{
    t->extra_1k = instructions_1k(t->perf, t->seen, c);
}

static int64_t longer(int64_t cyc, int64_t by_1k)
{
    return cyc + cyc * by_1k / 1000;
}

/* Cycles of what memory does beside the cores, and of the youngest threads'
 * part of C, which nobody multiplies beside. */
struct memory {
    int64_t beside, bare;
};

static struct memory memory_of(const struct xk_score_tile *t, bool mad,
                               int64_t per_eu)
{
    const int64_t pct = mad ? t->perf->bare_pct : t->perf->bare_dpas_pct;
    const int64_t bare = t->store_cyc * pct / 100 / per_eu;
    return (struct memory){t->read_cyc + xk_larger(t->store_cyc - bare, 0),
                           bare};
}

/* No score of cores that take so long is less. */
static int64_t score_least(const struct memory *m, int64_t core,
                           int64_t extra_1k)
{
    return longer(xk_larger(core, m->beside) + m->bare, extra_1k);
}

/* Some core has its share of all threads, at least, however they are grouped;
 * here its threads wait for nothing. */
int64_t xk_score_tile_least(const struct xk_score_tile *t,
                            const struct xk_schedule *c)
{
    const struct xk_score_work *const w = &t->work;
    const int64_t eu_per_core = t->perf->eu_per_core;
    const int64_t along_n =
        xk_ceil_div(t->seen->n, c->n_thr) * xk_schedule_slices(c);
    const int64_t tiles = xk_ceil_div(t->seen->m, c->m_thr) * along_n;
    const int64_t n_threads = xk_ceil_div(tiles, t->cores);
    const int64_t per_eu = xk_ceil_div(n_threads, eu_per_core);
    const int64_t step = per_eu * xk_larger(w->fma_cyc, w->issue);
    const int64_t loops = xk_larger(t->steps * step, port_cyc(t, n_threads));
    const struct memory all = {t->read_cyc + t->store_cyc, 0};
    return score_least(&all, loops + around_least(w, per_eu), t->extra_1k);
}

/* Slices divide the steps and multiply the threads, and rounding only adds: the
 * data ports of all cores have as much to do in any. */
int64_t xk_score_sliced_least(const struct xk_score_tile *t,
                              const struct xk_schedule *c)
{
    const int64_t steps = t->steps * xk_schedule_slices(c);
    const int64_t along_n = xk_ceil_div(t->seen->n, c->n_thr);
    const int64_t tiles = xk_ceil_div(t->seen->m, c->m_thr) * along_n;
    const int64_t port = steps * tiles * t->work.port_cyc / t->cores;
    return xk_larger(port + t->work.once_cyc, t->read_cyc + t->store_cyc);
}

/* Hundredths of the shorter of the core's and memory's times. */
static int64_t overlap_pct(const struct xk_perf *f, bool mad,
                           const struct xk_score_load *l)
{
    if (!mad)
        return f->overlap_dpas_pct;
    return f->overlap_pct + f->single_pct * l->most / xk_larger(l->n, l->most);
}

/* What is cheap to know comes first: most are too slow, many by what the data
 * port and memory have to do. */
int64_t xk_score_group(const struct xk_platform *p,
                       const struct xk_score_tile *t,
                       const struct xk_schedule *c, int64_t most)
{
    const struct xk_perf *const f = t->perf;
    const bool mad = !xk_fma_family_of(c->fma)->dpas;
    const int64_t extra_1k = t->extra_1k;
    struct xk_score_load l = load_of(t, c);
    const struct memory m = memory_of(t, mad, l.per_eu);
    const int64_t port = port_cyc(t, l.n * threads(c));
    int64_t least =
        score_least(&m, port + around_least(&t->work, l.per_eu), extra_1k);
    if (least > most)
        return least;
    set_at_once(p, t, c, &l);
    const int64_t around = around_cyc(t, c, &l) + steps_cyc(&t->work, &l);
    const int64_t loops = loops_cyc(t, c, &l, port);
    least = score_least(&m, loops + around, extra_1k);
    if (least > most)
        return least;
    const int64_t l2 = t->steps * xk_score_l2_cyc(t, c, &l);
    const int64_t core = beside(loops, l2, mad ? 0 : f->l2_pct) + around;
    const int64_t all =
        beside(core, m.beside, overlap_pct(f, mad, &l)) + m.bare;
    return longer(all, extra_1k);
}

int64_t xk_schedule_score(const struct xk_platform *p, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const struct xk_shape seen = xk_schedule_shape(s, c);
    struct xk_score_tile t;
    xk_score_tile_set(p, s, &seen, c, &t);
    return xk_score_group(p, &t, c, INT64_MAX);
}
