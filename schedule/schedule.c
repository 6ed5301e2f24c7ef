/* SPDX-License-Identifier: Apache-2.0 */
/* A thread owns an m_thr x n_thr tile of C and walks K in steps. f32 multiplies
 * by mad with N in the lanes; narrower types by dpas with M in the lanes. M is
 * one merged index, so that small images fill their lanes. */
#include "schedule/schedule.h"

#include <stdlib.h>

/* Registers that are not multiply buffers: r0, arguments, addresses, scalars,
 * coordinates. The plan counts them exactly; here they only prune. */
#define OTHER_GRF 20

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

struct xk_shape xk_shape_of(const struct xk_contraction *p)
{
    struct xk_shape s = {1, 1, 1, 1, xk_dtype_b(p->a.view.layout.dt)};
    for (unsigned i = 0; i < p->n_index; i++) {
        const struct xk_index *const x = &p->index[i];
        if (x->role == XK_ROLE_M) {
            s.m *= x->extent;
        } else if (x->role == XK_ROLE_N) {
            s.n *= x->extent;
        } else if (x->role == XK_ROLE_K) {
            s.k_outer *= s.k_inner;
            s.k_inner = x->extent;
        }
    }
    return s;
}

/* Bytes of a row of A or B in one step: dpas takes 8 dwords (isa.md 7). */
static unsigned step_b(const struct xk_schedule *c)
{
    return c->fma != XK_FMA_MAD ? 32 : c->k_step * 4u;
}

unsigned xk_schedule_buffer_grf(const struct xk_platform *p,
                                const struct xk_schedule *c)
{
    const unsigned acc = c->m_thr * c->n_thr * 4u;
    const unsigned a = c->m_thr * step_b(c) * c->slots_a;
    const unsigned b =
        c->n_sub * step_b(c) * c->slots_b / (c->fma == XK_FMA_DPASW ? 2 : 1);
    return (acc + a + b) / p->grf_b;
}

static bool rule_lanes(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    return c->m_thr % c->simd == 0 && c->n_thr % c->simd == 0 &&
           c->n_sub && c->n_thr % c->n_sub == 0;
}

static bool rule_registers(const struct xk_platform *p,
                           const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    (void)s;
    return xk_schedule_buffer_grf(p, c) + OTHER_GRF <= c->grf_count;
}

static bool rule_step(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    if (c->fma != XK_FMA_MAD)
        return p->dpas_exec == c->simd && c->k_step * s->elem_b == 32;
    return c->k_step <= 4 && (c->k_step <= s->k_inner || c->k_step == 1);
}

/* A second buffer is only of use where a second step exists. */
static bool rule_slots(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    const bool two = c->slots_a > 1 || c->slots_b > 1;
    return !two || s->k_inner / c->k_step >= 2;
}

/* Parts of B that take turns in one buffer cannot be loaded ahead. */
static bool rule_parts(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    return c->slots_b == 1 || c->n_sub == c->n_thr;
}

/* The pair differs along M, in whole messages of half of B. */
static bool rule_pairs(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)s;
    return c->fma != XK_FMA_DPASW ||
           (p->fused_eu && p->has_dpasw && c->tg_m % 2 == 0 && c->n_sub == c->n_thr &&
            c->n_thr % 16 == 0);
}

/* Three buffers: what is written, what is waited for, what is read. */
static bool rule_slm(const struct xk_platform *p, const struct xk_shape *s,
                     const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    return !c->slm ||
           (c->slm == 3 && c->fma != XK_FMA_MAD && c->surfaces &&
            c->slots_a == 1 && c->slots_b == 1 && c->n_sub == c->n_thr &&
            c->tg_n > 1);
}

static bool rule_group(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)s;
    /* All threads of a group run on one core (isa.md 13.3). */
    const unsigned core = xk_perf_get(p->id)->eu_per_core * p->threads_per_eu;
    return c->tg_m * c->tg_n <= core;
}

const struct xk_schedule_rule xk_schedule_rules[] = {
    {"lanes", rule_lanes, "tile sides are multiples of the SIMD width"},
    {"step", rule_step, "a step is at most 4 elements, or one dpas deep"},
    {"slots", rule_slots, "two buffers need at least two steps"},
    {"parts", rule_parts, "two buffers of B hold the whole of it"},
    {"pairs", rule_pairs,
     "dpasw wants fused pairs along M and halves of B in whole messages"},
    {"slm", rule_slm,
     "SLM is for A of dpas, in three buffers, shared by threads along N"},
    {"registers", rule_registers, "tiles and buffers fit the register file"},
    {"group", rule_group, "a thread group fits one core"},
};
const unsigned xk_n_schedule_rules = XK_COUNTOF(xk_schedule_rules);

const struct xk_schedule_rule *xk_schedule_check(const struct xk_platform *p,
                                                 const struct xk_shape *s,
                                                 const struct xk_schedule *c)
{
    for (unsigned i = 0; i < xk_n_schedule_rules; i++)
        if (!xk_schedule_rules[i].ok(p, s, c))
            return &xk_schedule_rules[i];
    return NULL;
}

static unsigned pow2_at_most(int64_t v, unsigned most)
{
    unsigned r = 1;
    while (r * 2 <= most && (int64_t)r * 2 <= v)
        r *= 2;
    return r;
}

/* Eight threads where the problem has them, along N first: a fused pair shares
 * M (design.md, fused pairs) and its A lines come from one L1 access. */
static void set_group(const struct xk_shape *s, struct xk_schedule *c)
{
    const int64_t tiles_m = ceil_div(s->m, c->m_thr);
    const int64_t tiles_n = ceil_div(s->n, c->n_thr);
    c->tg_n = (uint16_t)pow2_at_most(tiles_n, 4);
    c->tg_m = (uint16_t)pow2_at_most(tiles_m, 8u / c->tg_n);
}

/* Cycles of one thread's step: mads, and an issue slot for everything else
 * (sends, 64-bit address updates of 4 instructions a gather, 3 a block). */
static int64_t mad_cycles(const struct xk_perf *f, const struct xk_schedule *c)
{
    const int64_t mads = (int64_t)c->m_thr * c->k_step * (c->n_thr / c->simd);
    const int64_t gathers = c->m_thr / c->simd;
    const int64_t blocks = ceil_div(c->n_thr * c->k_step, 64);
    return mads * c->simd / f->mad_lanes + gathers * 6 + blocks * 4;
}

/* The systolic unit works beside the others: the longer of the two. */
static int64_t dpas_cycles(const struct xk_perf *f,
                           const struct xk_schedule *c)
{
    const int64_t dpas = (int64_t)c->m_thr / c->simd * (c->n_thr / 8);
    const int64_t gathers = 2 * c->m_thr / c->simd;
    const int64_t issue = dpas + gathers * 5 + c->n_thr / 8 * 4 + 6;
    const int64_t busy = dpas * 8 * f->dpas_row;
    return busy > issue ? busy : issue;
}

static int64_t step_cycles(const struct xk_perf *f,
                           const struct xk_schedule *c)
{
    return c->fma != XK_FMA_MAD ? dpas_cycles(f, c) : mad_cycles(f, c);
}

/* Predicted cycles of the launch: the busiest EU's threads, one after the
 * other, or the L1's line traffic, or the latency that few threads expose.
 * Integers, so that every compiler picks the same candidate. */
int64_t xk_schedule_score(const struct xk_platform *p,
                          const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const struct xk_perf *const f = xk_perf_get(p->id);
    const int64_t steps = s->k_outer * ceil_div(s->k_inner, c->k_step);
    const int64_t groups_m = ceil_div(s->m, (int64_t)c->m_thr * c->tg_m);
    const int64_t groups_n = ceil_div(s->n, (int64_t)c->n_thr * c->tg_n);
    const int64_t threads = groups_m * groups_n * c->tg_m * c->tg_n;
    const int64_t per_eu = ceil_div(threads, f->n_eu);
    const int64_t cycles = step_cycles(f, c);
    /* A gather touches one line a lane. */
    const int64_t l1 = (int64_t)c->m_thr * f->eu_per_core;
    const int64_t busy = per_eu * (cycles > l1 ? cycles : l1);
    const int64_t wait = 4 * f->latency + (c->slots_a > 1 ? 0 : cycles);
    const int64_t rows = (int64_t)c->m_thr * c->n_thr / c->simd;
    return steps * (busy > wait ? busy : wait) + rows * 4 * per_eu;
}

/* Fewer than four dpas a step: addresses and waits would be most of it. */
static bool is_small(const struct xk_schedule *c)
{
    return c->fma != XK_FMA_MAD && c->m_thr * c->n_thr < 4 * 64;
}

static int by_score(const void *a, const void *b)
{
    const struct xk_schedule *const x = a, *const y = b;
    /* Large register files halve the threads: only where nothing else fits. */
    if (x->grf_count != y->grf_count)
        return (int)x->grf_count - (int)y->grf_count;
    if (is_small(x) != is_small(y))
        return is_small(x) - is_small(y);
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    if (x->m_thr * x->n_thr != y->m_thr * y->n_thr)
        return y->m_thr * y->n_thr - x->m_thr * x->n_thr;
    if (x->n_thr != y->n_thr)
        return (int)y->n_thr - (int)x->n_thr;
    if (x->n_sub != y->n_sub)
        return (int)y->n_sub - (int)x->n_sub;
    return (int)y->k_step - (int)x->k_step;
}

/* Shapes of the family, tried in full. Sides in elements. */
static const struct {
    uint8_t fma, simd, m, n, n_sub;
    uint16_t grf;
} tiles[] = {
    {XK_FMA_MAD, 16, 16, 32, 32, 128},  {XK_FMA_MAD, 16, 32, 16, 16, 128},
    {XK_FMA_MAD, 16, 16, 16, 16, 128},  {XK_FMA_DPAS, 8, 16, 32, 16, 128},
    {XK_FMA_DPAS, 8, 16, 32, 8, 128},   {XK_FMA_DPAS, 8, 16, 16, 16, 128},
    {XK_FMA_DPAS, 8, 16, 16, 8, 128},   {XK_FMA_DPAS, 8, 8, 32, 32, 128},
    {XK_FMA_DPAS, 8, 8, 32, 16, 128},
    {XK_FMA_DPAS, 8, 8, 16, 8, 128},    {XK_FMA_DPAS, 8, 16, 8, 8, 128},
    {XK_FMA_DPAS, 8, 8, 8, 8, 128},     {XK_FMA_DPAS, 8, 16, 16, 16, 256},
    {XK_FMA_DPAS, 8, 8, 8, 8, 256},     {XK_FMA_DPAS, 8, 32, 32, 32, 256},
    {XK_FMA_DPAS, 8, 24, 32, 32, 256},  {XK_FMA_DPAS, 8, 32, 16, 16, 256},
    {XK_FMA_DPAS, 8, 16, 32, 32, 256},  {XK_FMA_DPAS, 8, 32, 16, 16, 128},
};
static const struct {
    uint8_t a, b;
} slots[] = {{2, 2}, {2, 1}, {1, 1}};

/* f32 multiplies by mad, narrower types by dpas, which has one step length and
 * in this family one buffer: other threads hide its loads. */
static bool in_family(const struct xk_shape *s, const struct xk_schedule *c,
                      unsigned step)
{
    if (c->fma == XK_FMA_MAD)
        return s->elem_b == 4;
    return s->elem_b < 4 && step == 1 && c->slots_a >= c->slots_b;
}

/* Adds the candidate of tile t, slots b, step k if it is valid. */
static unsigned add(const struct xk_platform *p, const struct xk_shape *s,
                    unsigned t, unsigned b, unsigned k,
                    struct xk_schedule *out, unsigned n)
{
    struct xk_schedule c = {.fma = tiles[t].fma, .simd = tiles[t].simd};
    c.m_thr = tiles[t].m;
    c.n_thr = tiles[t].n;
    c.n_sub = tiles[t].n_sub;
    c.k_step = (uint16_t)(c.fma != XK_FMA_MAD ? 32 / s->elem_b : k);
    c.slots_a = slots[b].a;
    c.slots_b = slots[b].b;
    c.grf_count = tiles[t].grf;
    c.surfaces = true;
    set_group(s, &c);
    if (!in_family(s, &c, k) || xk_schedule_check(p, s, &c) ||
        n == XK_MAX_CANDIDATES)
        return n;
    c.score = xk_schedule_score(p, s, &c);
    out[n] = c;
    return n + 1;
}

unsigned xk_schedule_candidates(const struct xk_platform *p,
                                const struct xk_shape *s,
                                struct xk_schedule out[XK_MAX_CANDIDATES])
{
    unsigned n = 0;
    for (unsigned t = 0; t < XK_COUNTOF(tiles); t++)
        for (unsigned b = 0; b < XK_COUNTOF(slots); b++)
            for (unsigned k = 1; k <= 4; k++)
                n = add(p, s, t, b, k, out, n);
    qsort(out, n, sizeof(out[0]), by_score);
    return n;
}
