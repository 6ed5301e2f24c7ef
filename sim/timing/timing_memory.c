/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_memory.h"

#include <string.h>

#include "sim/timing/timing_held.h"

#define PAGE_LINES 4096

/* Counts the lines that the recorded core touches: those of its traces. */
static uint64_t own_lines(const struct xk_timing_record *r, uint8_t *seen)
{
    uint64_t n = 0;
    for (size_t k = 0; k < (size_t)r->n_traced * r->n_threads; k++) {
        const struct xk_tm_trace *const s = &r->trace[k];
        for (uint32_t at = 0; at < s->n; at += 1 + XK_TM_EXTRA(s->word[at])) {
            const uint32_t *const w = &s->word[at];
            for (uint32_t e = 1 + XK_TM_HEAD; e < 1 + XK_TM_EXTRA(w[0]); e += 2)
                for (uint32_t l = w[e]; l < w[e] + w[e + 1]; l++) {
                    n += !(seen[l / 8] >> (l % 8) & 1);
                    seen[l / 8] |= (uint8_t)(1u << (l % 8));
                }
        }
    }
    return n;
}

/* Every core brings its own lines into the L2 that all share. */
static enum xk_status set_shares(struct xk_tm_memory *x)
{
    const struct xk_timing_record *const r = x->r;
    const struct xk_timing_product *const m = x->m;
    uint8_t *const seen = xk_alloc_zeroed(&x->alloc, r->n_lines / 8 + 1);
    if (!seen)
        return XK_ENOMEM;
    const double own = (double)own_lines(r, seen);
    x->alloc.realloc(x->alloc.user, seen, 0);
    x->fills_each = own > 0 ? (double)xk_timing_lines(r) / own : 1;
    if (x->fills_each < 1)
        x->fills_each = 1;
    x->l2_lines = (double)m->l2_b / m->line_b;
    const double cores = r->cores;
    x->link_b = m->l2_total_b / cores;
    if (x->link_b > m->l2_core_b)
        x->link_b = m->l2_core_b;
    x->link_b *= m->l2_percent / 100.0;
    x->memory_b = (double)m->memory_mbps * m->memory_percent / 100 /
                  xk_timing_clock(r, m) / cores;
    if (x->memory_b > x->link_b)
        x->memory_b = x->link_b;
    x->left_cyc = m->flush_end ? 0 : (double)m->l2_b / cores / x->memory_b;
    return XK_OK;
}

/* A core's share of the requests that may be under way to memory, and its
 * pages. */
static bool take_queues(struct xk_tm_memory *x)
{
    const struct xk_timing_product *const m = x->m;
    const size_t pages = (size_t)x->r->n_lines / (m->tlb_page_b / m->line_b);
    x->n_queue = m->miss_b / m->line_b / x->r->cores;
    if (m->miss_b)
        x->n_queue += !x->n_queue;
    if (x->n_queue)
        x->queue = xk_alloc_zeroed(&x->alloc, x->n_queue * sizeof *x->queue);
    if (m->tlb_pages)
        x->tlb = xk_alloc_zeroed(&x->alloc, (pages + 1) * sizeof *x->tlb);
    return (!x->n_queue || x->queue) && (!m->tlb_pages || x->tlb);
}

enum xk_status xk_tm_memory_init(struct xk_tm_memory *x,
                                 const struct xk_timing_record *r,
                                 const struct xk_timing_product *m)
{
    *x = (struct xk_tm_memory){.m = m, .r = r, .alloc = r->alloc};
    x->l1_sets = m->l1_ways ? r->l1_b / m->line_b / m->l1_ways : 0;
    if (x->l1_sets)
        x->l1 = xk_alloc_zeroed(&x->alloc, (size_t)x->l1_sets * m->l1_ways *
                                               sizeof *x->l1);
    x->n_pages = r->n_lines / PAGE_LINES + 1;
    x->page = xk_alloc_zeroed(&x->alloc,
                              x->n_pages * sizeof(struct xk_tm_line_state *));
    if ((x->l1_sets && !x->l1) || !x->page || !take_queues(x) ||
        set_shares(x) < 0) {
        xk_tm_memory_fini(x);
        return XK_ENOMEM;
    }
    return XK_OK;
}

void xk_tm_memory_fini(struct xk_tm_memory *x)
{
    if (!x->alloc.realloc)
        return; /* never was there */
    for (uint32_t k = 0; x->page && k < x->n_pages; k++)
        x->alloc.realloc(x->alloc.user, x->page[k], 0);
    x->alloc.realloc(x->alloc.user, x->page, 0);
    x->alloc.realloc(x->alloc.user, x->l1, 0);
    x->alloc.realloc(x->alloc.user, x->queue, 0);
    x->alloc.realloc(x->alloc.user, x->tlb, 0);
    x->page = NULL;
    x->l1 = NULL;
    x->queue = NULL;
    x->tlb = NULL;
}

/* ---- resources ---- */

static double later_of(double a, double b)
{
    return a > b ? a : b;
}

/* Takes a resource for `cycles`, from `at` on or from when it is free. Returns
 * when it is done. */
static double take_resource(double *free_at, double at, double cycles,
                            double *taken)
{
    const double end = later_of(*free_at, at) + cycles;
    *free_at = end;
    *taken += cycles;
    return end;
}

/* ---- caches ---- */

static struct xk_tm_line_state *line_state(struct xk_tm_memory *x,
                                           uint32_t line)
{
    struct xk_tm_line_state **const p = &x->page[line / PAGE_LINES];
    if (!*p)
        *p = xk_alloc_zeroed(&x->alloc, PAGE_LINES * sizeof **p);
    if (!*p) {
        x->no_memory = true;
        return NULL;
    }
    return &(*p)[line % PAGE_LINES];
}

/* The entry of the set that has the line, or else the least recently used
 * one. */
static struct xk_tm_tag *l1_at(struct xk_tm_memory *x, uint32_t line, bool *hit)
{
    const uint32_t ways = x->m->l1_ways;
    struct xk_tm_tag *const set = x->l1 + (line % x->l1_sets) * (size_t)ways;
    struct xk_tm_tag *old = set;
    *hit = true;
    for (uint32_t k = 0; k < ways; k++) {
        if (set[k].line == line + 1)
            return &set[k];
        if (set[k].used < old->used)
            old = &set[k];
    }
    *hit = false;
    return old;
}

/* Whether L2 still holds the line, counting the lines that other cores load. */
static bool in_l2(const struct xk_tm_memory *x,
                  const struct xk_tm_line_state *s)
{
    return xk_tm_holds(s->stamp, x->l2_fills, x->l2_lines);
}

/* The time when memory takes a request that comes at `at`: as soon as there is
 * room for it. */
static double enter_queue(const struct xk_tm_memory *x, double at)
{
    return x->n_queue ? later_of(at, x->queue[x->in_queue]) : at;
}

static void leave_queue(struct xk_tm_memory *x, double served)
{
    if (!x->n_queue)
        return;
    x->queue[x->in_queue] = served;
    x->in_queue = (x->in_queue + 1) % x->n_queue;
}

/* The time when memory has loaded, or taken, a line that is asked for at `at`;
 * far: cycles of its latency. */
static double through_memory(struct xk_tm_memory *x, double at, double far)
{
    const double line = x->m->line_b / x->memory_b;
    const double served = take_resource(&x->memory, enter_queue(x, at), line,
                                        &x->traffic.memory_cyc);
    leave_queue(x, served + far);
    return served;
}

/* The time when the line's address is known, for a message at `at`. */
static double translate(struct xk_tm_memory *x, uint32_t line, double at)
{
    const struct xk_timing_product *const m = x->m;
    if (!x->tlb)
        return at;
    struct xk_tm_page *const p = &x->tlb[line / (m->tlb_page_b / m->line_b)];
    if (!xk_tm_holds(p->stamp, x->tlb_misses, m->tlb_pages)) {
        p->ready = at + m->lat_tlb;
        x->tlb_misses++;
    }
    p->stamp = xk_tm_stamp(x->tlb_misses);
    return later_of(at, p->ready);
}

/* The time when a line is there that L1 does not have. lat_l1, lat_l2 ... count
 * from issue, so their differences are the way between the levels. */
static double fetch_line(struct xk_tm_memory *x, const struct xk_tm_request *q,
                         uint32_t line, double at)
{
    const struct xk_timing_product *const m = x->m;
    struct xk_tm_line_state *const s = line_state(x, line);
    const double l2_way = (double)m->lat_l2 - (m->l1_total_b ? m->lat_l1 : 0);
    const double far = (double)m->lat_memory - m->lat_l2;
    double ready =
        take_resource(&x->link, at, m->line_b / x->link_b, &x->traffic.l2_cyc) +
        l2_way;
    uint32_t wave;
    x->traffic.l2_lines++;
    if (!s)
        return ready;
    if (!in_l2(x, s) && !x->r->alone) {
        x->l2_fills += x->fills_each;
        if (xk_timing_owns(x->r, line, &wave)) {
            x->traffic.memory_lines++;
            ready = later_of(ready, through_memory(x, at, far) + l2_way) + far;
        } else if (wave >= q->wave) {
            ready += far; /* another core's request is on its way */
        }
        s->ready = ready;
        s->written = false;
    }
    s->stamp = xk_tm_stamp(x->l2_fills);
    return later_of(ready, s->ready);
}

static double load_line(struct xk_tm_memory *x, const struct xk_tm_request *q,
                        uint32_t line, double at)
{
    bool hit;
    if (!x->l1 || q->inst->past_l1)
        return fetch_line(x, q, line, at);
    struct xk_tm_tag *const tag = l1_at(x, line, &hit);
    tag->used = ++x->clock;
    if (hit)
        return later_of(at, tag->ready);
    tag->line = line + 1;
    tag->ready = fetch_line(x, q, line, at);
    return tag->ready;
}

/* Written through to L2, which writes back: a line costs memory once for all
 * stores until L2 gives it up. It costs at the first of them, since L2 has to
 * give up another line then, or its own at the launch's end. */
static double store_line(struct xk_tm_memory *x, uint32_t line, double n_b,
                         double at)
{
    const struct xk_timing_product *const m = x->m;
    struct xk_tm_line_state *const s = line_state(x, line);
    uint32_t wave;
    const double done =
        take_resource(&x->link, at, n_b / x->link_b, &x->traffic.l2_cyc);
    x->traffic.l2_lines++;
    x->settled = later_of(x->settled, done + m->lat_l2);
    if (s && !in_l2(x, s)) {
        x->l2_fills += x->fills_each;
        s->ready = 0;
        s->written = false;
    }
    if (s && !s->written) {
        s->written = true;
        if (xk_timing_owns(x->r, line, &wave)) {
            x->traffic.memory_lines++;
            const double there = through_memory(x, at, 0);
            x->settled = later_of(x->settled, there - x->left_cyc);
        }
    }
    if (s)
        s->stamp = xk_tm_stamp(x->l2_fills);
    return later_of(done, x->memory - m->lat_memory) + m->lat_l2;
}

/* ---- messages ---- */

/* Bytes that cross between registers and the data port. */
static double register_bytes(const struct xk_tm_memory *x,
                             const struct xk_tm_inst *i)
{
    const unsigned n = i->answer > i->payload ? i->answer : i->payload;
    return (double)n * x->r->kernel->grf_b;
}

static uint32_t n_lines(const struct xk_tm_request *q)
{
    uint32_t n = 0;
    for (uint32_t k = XK_TM_HEAD; k < q->n_words; k += 2)
        n += q->word[k + 1];
    return n;
}

/* Cycles that the message takes the port at least. */
static double least_cycles(const struct xk_tm_memory *x, uint32_t parts)
{
    return x->m->gather_comp && XK_TM_PARTS(parts) ? XK_TM_PARTS(parts) : 1;
}

/* The part of the port through which a message goes. */
static double *port_way(struct xk_tm_memory *x, uint32_t w)
{
    return x->m->port_writes && XK_TM_WORD_CLASS(w) == XK_TM_STORE
               ? &x->port_out
               : &x->port;
}

static double slm(struct xk_tm_memory *x, const struct xk_tm_request *q)
{
    const struct xk_timing_product *const m = x->m;
    const uint32_t w = q->word[0], n_b = q->word[1];
    const double plain = register_bytes(x, q->inst) / m->port_b;
    const double least = later_of(plain, least_cycles(x, q->word[2]));
    const double cycles =
        later_of(least, m->slm_comp ? XK_TM_PARTS_UNITS(q->word[2])
                                    : XK_TM_WORD_UNITS(w));
    const double lat = XK_TM_WORD_LANES(w) > 16 ? m->lat_slm32 : m->lat_slm;
    x->traffic.slm_b += n_b;
    x->traffic.conflict_cyc += (uint64_t)(cycles - least);
    return take_resource(port_way(x, w), q->in, cycles, &x->traffic.port_cyc) -
           1 + lat;
}

/* The port first, then line by line. */
static double memory(struct xk_tm_memory *x, const struct xk_tm_request *q)
{
    const struct xk_timing_product *const m = x->m;
    const uint32_t w = q->word[0], lines = n_lines(q);
    const enum xk_tm_class class = XK_TM_WORD_CLASS(w);
    const double each_b = lines ? (double)q->word[1] / lines : 0;
    const double cycles = later_of(
        later_of((double)lines / m->l1_lines_cyc, least_cycles(x, q->word[2])),
        class == XK_TM_PREFETCH ? 0 : register_bytes(x, q->inst) / m->port_b);
    const double start =
        take_resource(port_way(x, w), q->in, cycles, &x->traffic.port_cyc) - 1;
    double done = start;
    x->traffic.global_b += q->word[1];
    x->traffic.port_lines += lines;
    for (uint32_t k = XK_TM_HEAD; k < q->n_words; k += 2)
        for (uint32_t l = 0; l < q->word[k + 1]; l++) {
            const uint32_t line = q->word[k] + l;
            const double at = translate(x, line, start);
            done = later_of(done, class == XK_TM_STORE || class == XK_TM_ATOMIC
                                      ? store_line(x, line, each_b, at)
                                      : load_line(x, q, line, at));
        }
    if (class == XK_TM_ATOMIC)
        done = later_of(
            done, take_resource(&x->link, start,
                                (double)m->atomic_cyc * XK_TM_WORD_UNITS(w),
                                &x->traffic.l2_cyc) +
                      m->lat_l2);
    return done + (class == XK_TM_STORE || !m->l1_total_b ? 0 : m->lat_l1);
}

double xk_tm_memory_access(struct xk_tm_memory *x,
                           const struct xk_tm_request *q)
{
    const struct xk_timing_product *const m = x->m;
    if (q->n_words < XK_TM_HEAD)
        return q->in;
    /* the table's latencies hold the way of one payload register */
    const double way = (double)m->lat_payload + m->payload_cyc;
    const double done = XK_TM_WORD_SLM(q->word[0]) ? slm(x, q) : memory(x, q);
    const unsigned n = q->inst->answer;
    return done - way + (n > 1 ? (double)(n - 1) * m->answer_cyc : 0);
}
