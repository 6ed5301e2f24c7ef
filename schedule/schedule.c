/* SPDX-License-Identifier: Apache-2.0 */
/* A thread owns an m_thr x n_thr tile of C and walks K in steps. f32 multiplies
 * by mad with N in the lanes; narrower types by dpas with M in the lanes. M is
 * one merged index, so that short indices fill their lanes. */
#include "schedule/schedule.h"

#include "isa/dispatch_limits.h"
#include "schedule/buffers.h"

/* Each place of the outer K indices has a copy of the loop's body. */
#define MAX_SLM_PLACES 9
#define MAX_SLICES 8
/* What tiles, steps and groups have in any one direction. */
#define MAX_SIDE 1024

/* Tiles are whole along both of the last M indices, so that M has more rows. */
static struct xk_shape lanes_shape(const struct xk_shape *s,
                                   const struct xk_schedule *c)
{
    const struct xk_lanes_shape *const l = &s->lanes;
    const unsigned rows = xk_lanes_rows(l, c->m_thr);
    struct xk_shape r = {.n = l->n,
                         .k_inner = 1,
                         .k_outer = 1,
                         .elem_b = s->elem_b,
                         .sums = s->sums,
                         .totals = s->totals,
                         .epilogue = s->epilogue,
                         .looped = s->looped,
                         .batch = l->parts,
                         .lanes = *l};
    r.m =
        l->outer_m * xk_ceil_div(l->axis[1].places, l->tile_columns) * c->m_thr;
    if (rows)
        r.m *= xk_ceil_div(l->axis[0].places, rows);
    return r;
}

struct xk_shape xk_schedule_shape(const struct xk_shape *s,
                                  const struct xk_schedule *c)
{
    struct xk_shape r = *s;
    if (c->fma == XK_FMA_LANES && s->lanes.n)
        return lanes_shape(s, c);
    if (!xk_schedule_packs(c) || !s->line_places || c->k_step < XK_PACK_FEW)
        return r; /* no step is that short: the rules say so */
    r.k_inner = c->k_step;
    r.k_outer = s->k_outer / s->line_places *
                xk_ceil_div(s->line_places, xk_schedule_gathers(c));
    return r;
}

static unsigned lcm(unsigned a, unsigned b)
{
    unsigned n = a;
    while (n % b)
        n += a;
    return n;
}

static unsigned needed_copies(const struct xk_schedule *c, unsigned places)
{
    if (!xk_schedule_is_one_loop(c))
        return lcm(c->slots_a, c->slots_b);
    const unsigned a = lcm(places, c->slm ? c->slm : c->slots_a);
    return lcm(a, c->slots_b);
}

unsigned xk_schedule_copies(const struct xk_schedule *c, int64_t places)
{
    const unsigned n = needed_copies(c, (unsigned)places);
    return c->unroll > n ? (c->unroll + n - 1) / n * n : n;
}

/* Products of such sizes, which other rules make, fit 32 bits. */
static bool are_small(const struct xk_schedule *c)
{
    return c->m_thr <= MAX_SIDE && c->n_thr <= MAX_SIDE &&
           c->k_step <= MAX_SIDE && c->tg_m <= MAX_SIDE && c->tg_n <= MAX_SIDE;
}

/* What the other rules divide by. */
static bool rule_fields(const struct xk_platform *p, const struct xk_shape *s,
                        const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    return (c->simd == 8 || c->simd == 16) && c->m_thr && c->n_thr &&
           c->n_sub && c->k_step && c->tg_m && c->tg_n && c->slices &&
           c->slots_a && c->slots_b && are_small(c) &&
           (c->grf_count == 128 || c->grf_count == 256);
}

static bool rule_lanes(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    const unsigned most = XK_MAX_WIDTHS * c->simd;
    if (c->fma == XK_FMA_LANES)
        return s->lanes.n && c->m_thr % s->lanes.tile_columns == 0 &&
               c->n_thr == c->simd && c->n_sub == c->n_thr;
    return c->m_thr % c->simd == 0 && c->n_thr % c->simd == 0 &&
           c->m_thr <= most && c->n_thr <= most && c->n_thr % c->n_sub == 0;
}

/* Whether 8-bit products of rows of a window can be dp4a. */
static bool has_dots(const struct xk_shape *s)
{
    return s->elem_b == 1 && s->lanes.group_k == 1 &&
           s->lanes.k <= XK_LANES_MOST_K;
}

/* Whether a step is whole rows of K, of which there is a whole number. */
static bool has_lanes_steps(const struct xk_shape *s,
                            const struct xk_schedule *c)
{
    enum { MOST_PRODUCTS = 1024 }; /* 16 KB of straight code */
    const struct xk_lanes_shape *const l = &s->lanes;
    return s->elem_b > 1 && l->group_n == 1 && l->group_k == 1 &&
           c->m_thr * c->k_step <= MOST_PRODUCTS &&
           c->k_step % l->k_columns == 0 &&
           l->axis[0].k_places % (c->k_step / l->k_columns) == 0;
}

static bool rule_registers(const struct xk_platform *p,
                           const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    return xk_schedule_fits(p, s, c);
}

static bool rule_step(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    const int64_t dwords = xk_ceil_div(s->k_inner, 4);
    if (c->fma == XK_FMA_LANES && xk_schedule_is_walk(c))
        return s->lanes.n && has_lanes_steps(s, c);
    if (c->fma == XK_FMA_LANES && s->lanes.parts > 1)
        return false;
    if (c->fma == XK_FMA_LANES && c->k_step == XK_LANES_DEEP)
        return s->lanes.n && has_dots(s);
    if (c->fma == XK_FMA_LANES) /* f32 holds sums of so many 8-bit products */
        return s->lanes.n && c->k_step == 1 && !s->lanes.exact &&
               (s->elem_b > 1 || s->lanes.k <= XK_LANES_MOST_K);
    if (xk_fma_family_of(c->fma)->dpas)
        return p->dpas_exec == c->simd &&
               c->k_step * s->elem_b == p->dpas_depth_b && s->elem_b < 4;
    if (c->fma == XK_FMA_DP4A)
        return s->elem_b == 1 && c->k_step % 4 == 0 && c->k_step <= 16 &&
               c->k_step <= 4 * dwords;
    return s->elem_b == 4 && c->k_step <= 4 &&
           (c->k_step <= s->k_inner || c->k_step == 1);
}

/* A loop's: over all places of K, over its last index with the others' places
 * in each step, or over that index alone. */
static int64_t steps_of_loop(const struct xk_shape *s,
                             const struct xk_schedule *c)
{
    if (xk_schedule_is_walk(c))
        return s->k_inner * s->k_outer / c->k_step;
    const int64_t outer = xk_schedule_is_one_loop(c) ? s->k_outer : 1;
    return xk_schedule_last_steps(s, c) * outer;
}

/* A second buffer is only of use where a second step exists; of three, whose
 * loads are two steps ahead, each. */
static bool rule_slots(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    const unsigned most = c->slots_a > c->slots_b ? c->slots_a : c->slots_b;
    const unsigned needed = most > 2 && c->slm ? 2 : most;
    const bool three = xk_schedule_is_flat(c) || xk_schedule_is_walk(c);
    if (most == 1)
        return true;
    if (most > (three ? 3 : 2))
        return false;
    return steps_of_loop(s, c) / xk_schedule_slices(c) >= needed;
}

/* Parts of B that take turns in one buffer cannot be loaded ahead, and are
 * multiplied eight columns at a time; where N is in the lanes there is one
 * part. */
static bool rule_parts(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)s;
    return c->n_sub == c->n_thr ||
           (c->slots_b == 1 && xk_fma_family_of(c->fma)->dpas &&
            c->n_sub % p->dpas_rows == 0);
}

/* The pair differs along M, in whole messages of half of B. */
static bool rule_pairs(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)s;
    return c->fma != XK_FMA_DPASW ||
           (p->fused_eu && p->has_dpasw && c->tg_m % 2 == 0 &&
            c->n_sub == c->n_thr && c->n_thr % (2 * p->dpas_rows) == 0);
}

/* Neighbouring steps read a tile's rows a place further on. */
static bool rule_holds(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    if (!c->holds)
        return true;
    return c->holds > 1 && c->holds == s->shared.steps &&
           xk_schedule_is_flat(c) && xk_fma_family_of(c->fma)->dpas &&
           c->slots_a == 1 && s->k_inner % c->k_step == 0 &&
           s->shared.rows % c->simd == 0 && c->m_thr >= s->shared.rows &&
           s->shared.line % c->m_thr == 0;
}

/* Three buffers: what is written, what is waited for, what is read. Fewer cost
 * waits. */
static bool rule_slm(const struct xk_platform *p, const struct xk_shape *s,
                     const struct xk_schedule *c)
{
    (void)p;
    return !c->slm ||
           (c->slm <= 3 && xk_fma_family_of(c->fma)->dpas &&
            xk_schedule_is_one_loop(c) && c->surfaces && c->slots_a == 1 &&
            c->n_sub == c->n_thr && c->slices == 1 && !s->loose_a &&
            s->k_inner % c->k_step == 0 &&
            s->k_inner / c->k_step * s->k_outer > 1 &&
            s->k_outer <= MAX_SLM_PLACES);
}

/* A register of B has eight partial sums, of whole steps. */
static bool rule_sums(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    (void)p;
    return !s->sums || (xk_fma_family_of(c->fma)->dpas &&
                        !xk_schedule_packs(c) && s->k_inner % c->k_step == 0);
}

static bool rule_totals(const struct xk_platform *p, const struct xk_shape *s,
                        const struct xk_schedule *c)
{
    const int64_t slices = xk_schedule_slices(c);
    const int64_t k =
        xk_schedule_is_walk(c) ? s->k_outer * s->k_inner : s->k_inner;
    (void)p;
    if (!s->totals)
        return true;
    if (xk_fma_family_of(c->fma)->dpas)
        return slices != 2 && k % (c->k_step * slices) == 0 &&
               !xk_schedule_packs(c) && !c->slm && c->n_sub == c->n_thr;
    return c->fma == XK_FMA_MAD && s->elem_b == 4 && slices == 1;
}

/* What else is outside comes from beside a surface, as zeros. */
static bool rule_fill(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    (void)p;
    return !s->filled ||
           (!c->slm && !xk_schedule_is_one_loop(c) && !xk_schedule_packs(c));
}

/* With N in the lanes a vector has the lanes; else steps take two columns of
 * eight. */
static unsigned vectors_of(const struct xk_schedule *c)
{
    const unsigned vector = xk_fma_family_of(c->fma)->lanes_m ? 16 : c->simd;
    return (unsigned)c->m_thr * c->n_thr / vector;
}

/* The smallest tile has any. */
bool xk_schedule_is_short(const struct xk_shape *s, const struct xk_schedule *c,
                          unsigned scatter)
{
    enum { SMALL = 64 };
    const unsigned each = s->epilogue - s->looped + scatter * s->moves;
    return (unsigned)c->m_thr * c->n_thr <= SMALL ||
           vectors_of(c) * each <= XK_MOST_EPILOGUE;
}

bool xk_schedule_has_loops(const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    const unsigned each = s->epilogue + s->scatter * s->moves;
    return s->looped && vectors_of(c) * each > XK_MOST_EPILOGUE;
}

static bool rule_epilogue(const struct xk_platform *p, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    (void)p;
    return xk_schedule_is_short(s, c, s->scatter);
}

static bool rule_shared(const struct xk_platform *p, const struct xk_shape *s,
                        const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    return !c->slm || c->tg_n > 1;
}

/* The orders that there are nests of. */
static bool is_known(const struct xk_k_walk *w)
{
    const uint8_t *const d = w->digit;
    if (d[0] == XK_K_LAST)
        return d[1] == XK_K_OUTER && !d[2] && w->loops == 0;
    if (d[0] != XK_K_OUTER || w->loops > 1)
        return false;
    return d[1] == XK_K_LAST
               ? !d[2]
               : d[1] == XK_K_FEW && d[2] == XK_K_LAST && w->loops == 1;
}

/* Whether the last step of the last K index may have fewer places than others:
 * of a dpas, whose rows of A are dwords there, too. */
static bool may_be_short(const struct xk_shape *s, const struct xk_schedule *c)
{
    return s->k_inner % c->k_step == 0 ||
           (xk_fma_family_of(c->fma)->dpas &&
            (!s->plain_a || s->k_inner * s->elem_b % 4 == 0));
}

static bool rule_walk(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    (void)p;
    if (!is_known(&c->k_walk))
        return false;
    if (c->fma == XK_FMA_LANES)
        return !xk_schedule_is_one_loop(c) && !xk_schedule_packs(c);
    if (xk_schedule_is_walk(c))
        return !c->slm && c->n_sub == c->n_thr;
    return !xk_schedule_is_flat(c) ||
           (c->surfaces && c->n_sub == c->n_thr && !s->loose_a &&
            may_be_short(s, c) && s->k_outer <= MAX_SLM_PLACES);
}

/* B has a layout with outer places inside: tiles of 16 columns and more. */
static bool rule_few(const struct xk_platform *p, const struct xk_shape *s,
                     const struct xk_schedule *c)
{
    (void)p;
    return !xk_schedule_packs(c) ||
           (s->line_places && xk_fma_family_of(c->fma)->dpas && !c->slm &&
            c->surfaces && c->n_thr >= XK_PACK_COLUMNS);
}

/* Whether K has n slices of whole steps: of its last index, or of all its
 * places. */
static bool has_slices(const struct xk_shape *s, const struct xk_schedule *c,
                       unsigned n)
{
    if (xk_schedule_is_walk(c))
        return s->k_outer * s->k_inner % ((int64_t)c->k_step * n) == 0;
    return xk_schedule_is_flat(c) && s->k_inner % ((int64_t)c->k_step * n) == 0;
}

/* Each slice ends with whole squares of columns, or rows. */
static bool rule_slices(const struct xk_platform *p, const struct xk_shape *s,
                        const struct xk_schedule *c)
{
    const unsigned n = xk_schedule_slices(c);
    if (n == 1)
        return true;
    if (c->fma == XK_FMA_LANES)
        return n <= MAX_SLICES && (n & (n - 1)) == 0 &&
               xk_schedule_is_walk(c) && s->m == c->m_thr &&
               xk_lanes_steps(&s->lanes, c) % n == 0;
    const unsigned rows =
        c->m_thr / n; /* lanes, put in order by an exclusive or */
    const bool parts = xk_fma_family_of(c->fma)->lanes_m
                           ? c->n_thr % (p->dpas_rows * n) == 0
                           : c->m_thr % n == 0 && (rows & (rows - 1)) == 0;
    return n <= MAX_SLICES && (n & (n - 1)) == 0 && has_slices(s, c, n) &&
           parts;
}

/* Behind a loop over all of K, where groups that follow each other read the
 * same rows. */
static bool rule_prefetch(const struct xk_platform *p, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    return !c->prefetch || (xk_schedule_is_flat(c) && !c->m_first);
}

/* A whole loop's. */
static int64_t loop_steps(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t of_place =
        xk_schedule_last_steps(s, c) / xk_schedule_slices(c);
    if (xk_schedule_is_walk(c))
        return steps_of_loop(s, c);
    return xk_schedule_is_one_loop(c) ? of_place * s->k_outer : of_place;
}

/* Each copy is code of all multiplies of a step. No more are asked for than
 * there are steps. */
static bool rule_unroll(const struct xk_platform *p, const struct xk_shape *s,
                        const struct xk_schedule *c)
{
    (void)p;
    return xk_schedule_copies(c, s->k_outer) <= XK_MAX_COPIES &&
           (!c->unroll || c->unroll <= loop_steps(s, c));
}

static bool rule_store(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)p;
    (void)s;
    if (xk_fma_family_of(c->fma)->lanes_m)
        return c->store != XK_PUT_BLOCK && c->store != XK_PUT_SCATTERED;
    return c->store != XK_PUT_PACKED && c->store != XK_PUT_COLUMNS;
}

static bool rule_group(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c)
{
    (void)s;
    /* All threads of a group run on one core, which holds half as many of 256
     * registers (isa.md 13.3). */
    const unsigned core = xk_perf_get(p->id)->eu_per_core * p->threads_per_eu /
                          (c->grf_count > 128 ? 2 : 1);
    const unsigned threads = c->tg_m * c->tg_n * xk_schedule_slices(c);
    return threads <= core &&
           threads * c->simd <= xk_dispatch_items(p, c->grf_count, c->simd);
}

/* Rows and columns are counted in s32, those of tiles that end beyond M and N,
 * too. Offsets of C have as many bits as they need (passes/overflow.c). */
static bool rule_offsets(const struct xk_platform *p, const struct xk_shape *s,
                         const struct xk_schedule *c)
{
    const int64_t most = INT32_MAX - MAX_SIDE; /* padding of layouts */
    const int64_t rows =
        xk_schedule_groups_m(c, s->m) * c->tg_m * (int64_t)c->m_thr;
    const int64_t columns =
        xk_schedule_groups_n(c, s->n) * c->tg_n * (int64_t)c->n_thr;
    const int64_t steps = xk_ceil_div(s->k_inner, c->k_step);
    int64_t k;
    (void)p;
    return rows <= most && columns <= most &&
           !__builtin_mul_overflow(steps * c->k_step, s->k_outer, &k) &&
           k <= most;
}

const struct xk_schedule_rule xk_schedule_rules[] = {
#define XK_TILE_RULE(name, why) {#name, rule_##name, why, .of_group = false},
#define XK_GROUP_RULE(name, why) {#name, rule_##name, why, .of_group = true},
#include "schedule/rules.def"
#undef XK_TILE_RULE
#undef XK_GROUP_RULE
};
const unsigned xk_n_schedule_rules = XK_COUNTOF(xk_schedule_rules);

/* The first broken one of those that groups decide, of the others, or of both.
 */
static const struct xk_schedule_rule *first_broken(const struct xk_platform *p,
                                                   const struct xk_shape *seen,
                                                   const struct xk_schedule *c,
                                                   bool of_tile, bool of_group)
{
    for (unsigned i = 0; i < xk_n_schedule_rules; i++) {
        const struct xk_schedule_rule *const r = &xk_schedule_rules[i];
        if ((r->of_group ? of_group : of_tile) && !r->ok(p, seen, c))
            return r;
    }
    return NULL;
}

const struct xk_schedule_rule *xk_schedule_check(const struct xk_platform *p,
                                                 const struct xk_shape *s,
                                                 const struct xk_schedule *c)
{
    const struct xk_shape seen = xk_schedule_shape(s, c);
    return first_broken(p, &seen, c, true, true);
}

/* A quarter of a search's instructions were rules called one by one. As one
 * expression they are inlined. */
bool xk_schedule_tile_ok(const struct xk_platform *p,
                         const struct xk_shape *seen,
                         const struct xk_schedule *c)
{
    return true
#define XK_TILE_RULE(name, why) &&rule_##name(p, seen, c)
#define XK_GROUP_RULE(name, why)
#include "schedule/rules.def"
#undef XK_TILE_RULE
#undef XK_GROUP_RULE
        ;
}

bool xk_schedule_group_ok(const struct xk_platform *p,
                          const struct xk_shape *seen,
                          const struct xk_schedule *c)
{
    return true
#define XK_TILE_RULE(name, why)
#define XK_GROUP_RULE(name, why) &&rule_##name(p, seen, c)
#include "schedule/rules.def"
#undef XK_TILE_RULE
#undef XK_GROUP_RULE
        ;
}

const struct xk_schedule_rule *
xk_schedule_check_tile(const struct xk_platform *p, const struct xk_shape *seen,
                       const struct xk_schedule *c)
{
    return first_broken(p, seen, c, true, false);
}

const struct xk_schedule_rule *
xk_schedule_check_group(const struct xk_platform *p,
                        const struct xk_shape *seen,
                        const struct xk_schedule *c)
{
    return first_broken(p, seen, c, false, true);
}
