/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the schedules of a family and keeps the best. */
#include "schedule/score.h"

#include <string.h>

#include "schedule/buffers.h"

/* Fewer than four dpas a step: addresses and waits would be most of it. */
static bool is_small(const struct xk_schedule *c)
{
    return xk_fma_family_of(c->fma)->dpas && c->m_thr * c->n_thr < 4 * 64;
}

/* Whether x comes before y: by score; of equals the larger tile, then the
 * smaller register file, the smaller group, which begins and ends for itself,
 * then the simpler one. */
static bool before(const struct xk_schedule *x, const struct xk_schedule *y)
{
    const int area_x = x->m_thr * x->n_thr, area_y = y->m_thr * y->n_thr;
    if (is_small(x) != is_small(y))
        return is_small(y);
    if (x->score != y->score)
        return x->score < y->score;
    if (area_x != area_y)
        return area_x > area_y;
    if (x->grf_count != y->grf_count)
        return x->grf_count < y->grf_count;
    if (x->n_thr != y->n_thr)
        return x->n_thr > y->n_thr;
    if (x->tg_m * x->tg_n != y->tg_m * y->tg_n)
        return x->tg_m * x->tg_n < y->tg_m * y->tg_n;
    if (x->n_sub != y->n_sub)
        return x->n_sub > y->n_sub;
    return x->k_step > y->k_step;
}

/* Each family has its share, so that what one layout or register file refuses
 * leaves another. */
enum family { THROUGH_SLM, FLAT, SYSTOLIC, SMALL, LANES, N_FAMILIES };
#define SHARE (XK_MAX_CANDIDATES / N_FAMILIES)

struct search {
    const struct xk_platform *p;
    const struct xk_shape *s;
    const struct xk_schedule_fixed *fixed; /* NULL: nothing is */
    struct xk_shape packed;  /* as schedules with packed places see it */
    struct xk_schedule *out; /* a share for each family, best first */
    unsigned n[N_FAMILIES];
    bool found;                            /* something; until then: */
    const struct xk_schedule_rule *broken; /* the last in their order */
    struct search *plain; /* takes tiles that are valid only where sums of B
                             are made elsewhere; NULL: nobody does */
    /* The last tile that was looked at: neighbours differ in their slots. */
    struct xk_schedule known; /* what xk_score_tile_slots leaves alone */
    struct xk_score_tile tile;
};

static enum family search_family(const struct xk_schedule *c)
{
    if (is_small(c)) /* what fits whatever the layouts ask for */
        return SMALL;
    if (c->slm)
        return THROUGH_SLM;
    if (!xk_schedule_is_each(c) ||
        xk_schedule_packs(c)) /* of which 64-bit addresses leave none */
        return FLAT;
    return xk_fma_family_of(c->fma)->dpas ? SYSTOLIC : LANES;
}

/* Puts c into n that are in order, behind its equals; the last falls out if
 * there are as many as there may be. */
static unsigned insert(struct xk_schedule *out, unsigned n, unsigned most,
                       const struct xk_schedule *c)
{
    if (n == most && !before(c, &out[n - 1]))
        return n;
    unsigned at = n == most ? n - 1 : n++;
    for (; at && before(c, &out[at - 1]); at--)
        out[at] = out[at - 1];
    out[at] = *c;
    return n;
}

/* Groups that follow each other on a core end together for a few rounds; then
 * they have drifted apart, and asking for rows ahead only costs
 * (docs/kernels.md). */
static bool prefetches(const struct search *g, const struct xk_schedule *c)
{
    const int64_t along_n = xk_schedule_groups_n(c, g->s->n);
    const int64_t along_m = xk_schedule_groups_m(c, g->s->m);
    if (!xk_schedule_is_flat(c) || c->m_first)
        return false;
    const int64_t ahead = xk_schedule_groups_ahead(g->p, c, along_n, along_m);
    return ahead && 2 * along_m * along_n <= 9 * ahead;
}

/* The shape as c sees it. */
static const struct xk_shape *seen_by(const struct search *g,
                                      const struct xk_schedule *c)
{
    return xk_schedule_packs(c) ? &g->packed : g->s;
}

/* c with what is fixed. */
static struct xk_schedule with_fixed(struct search *g,
                                     const struct xk_schedule *c)
{
    struct xk_schedule out = *c;
    if (!g->fixed)
        return out;
    xk_schedule_fix(g->fixed, &out);
    if (xk_schedule_packs(&out))
        g->packed = xk_schedule_shape(g->s, &out);
    return out;
}

/* Who finds nothing is told why; else nobody asks. */
static void note(struct search *g, const struct xk_schedule_rule *broken)
{
    if (broken && broken > g->broken)
        g->broken = broken;
}

static bool tile_ok(struct search *g, const struct xk_schedule *c)
{
    const bool ok = xk_schedule_tile_ok(g->p, seen_by(g, c), c);
    if (!ok && !g->found)
        note(g, xk_schedule_check_tile(g->p, seen_by(g, c), c));
    return ok;
}

static bool group_ok(struct search *g, const struct xk_schedule *c)
{
    const bool ok = xk_schedule_group_ok(g->p, seen_by(g, c), c);
    if (!ok && !g->found)
        note(g, xk_schedule_check_group(g->p, seen_by(g, c), c));
    return ok;
}

/* The highest score that is among the best of a family. */
static int64_t most_of(const struct search *g, enum family f)
{
    return g->n[f] < SHARE ? INT64_MAX : g->out[f * SHARE + SHARE - 1].score;
}

/* All that decides a tile's part of a score but its slots. */
static struct xk_schedule without_slots(const struct xk_schedule *c)
{
    struct xk_schedule out = *c;
    out.slots_a = out.slots_b = 0;
    out.n_sub = out.grf_count = 0;
    out.score = 0; /* of a neighbour in its last group */
    return out;
}

/* A valid tile with its buffers, of which all is known but the group. False: it
 * is too slow in any. */
static bool tile_of(struct search *g, const struct xk_schedule *c,
                    struct xk_score_tile *out)
{
    const struct xk_schedule key = without_slots(c);
    if (c->slm || memcmp(&key, &g->known, sizeof(key))) {
        xk_score_tile_set(g->p, g->s, seen_by(g, c), c, &g->tile);
        g->known = key;
    } else
        xk_score_tile_slots(c, &g->tile);
    *out = g->tile;
    return xk_score_tile_least(out, c) <= most_of(g, search_family(c));
}

/* Whether a valid tile is too slow in more slices of K, too. */
static bool is_hopeless(const struct search *g, const struct xk_score_tile *t,
                        const struct xk_schedule *c)
{
    return xk_score_sliced_least(t, c) > most_of(g, search_family(c));
}

/* Where a tile is offered; NULL: it is not valid. */
static struct search *search_of(struct search *g, const struct xk_schedule *c)
{
    if (tile_ok(g, c))
        return g;
    return g->plain && xk_schedule_tile_ok(g->p, seen_by(g->plain, c), c)
               ? g->plain
               : NULL;
}

/* Keeps c with what is fixed, if it is valid and not there. */
static void offer_fixed(struct search *g, const struct xk_schedule *in_group)
{
    struct xk_schedule c = with_fixed(g, in_group);
    const enum family f = search_family(&c);
    const struct xk_schedule_rule *const broken =
        xk_schedule_check(g->p, g->s, &c);
    if (broken || c.fma == XK_FMA_LANES) { /* which with_lanes offers */
        note(g, broken);
        return;
    }
    for (unsigned i = 0; i < g->n[f]; i++)
        if (xk_schedule_same(&g->out[f * SHARE + i], &c))
            return;
    c.score = xk_schedule_score(g->p, g->s, &c);
    g->n[f] = insert(g->out + f * SHARE, g->n[f], SHARE, &c);
    g->found = true;
}

/* Keeps c, which is that tile in a group, if it is among the best of its family
 * and valid: few are the former. */
static void offer_group(struct search *g, const struct xk_score_tile *t,
                        struct xk_schedule *c)
{
    const enum family f = search_family(c);
    struct xk_schedule *const best = g->out + f * SHARE;
    const int64_t most = most_of(g, f);
    if (g->fixed) {
        offer_fixed(g, c);
        return;
    }
    c->score = xk_score_group(g->p, t, c, most);
    if (c->score > most || !group_ok(g, c))
        return;
    g->n[f] = insert(best, g->n[f], SHARE, c);
    g->found = true;
}

static void offer(struct search *g, const struct xk_schedule *tile)
{
    struct xk_schedule c = with_fixed(g, tile);
    struct xk_score_tile t;
    if (tile_ok(g, &c) && tile_of(g, &c, &t))
        offer_group(g, &t, &c);
}

/* One order for all families. Scores leave prefetching alone, so it is decided
 * for those that are left. */
static unsigned in_order(struct search *g)
{
    unsigned n = 0;
    for (unsigned f = 0; f < N_FAMILIES; f++)
        for (unsigned i = 0; i < g->n[f]; i++) {
            struct xk_schedule c = g->out[f * SHARE + i];
            c.prefetch = prefetches(g, &c);
            c = with_fixed(g, &c);
            n = insert(g->out, n, XK_MAX_CANDIDATES, &c);
        }
    return n;
}

/* dpas where there is dpasw: for odd shapes, not for the last per cent. */
static bool is_second(const struct search *g, const struct xk_schedule *c)
{
    return c->fma == XK_FMA_DPAS && g->p->has_dpasw;
}

static unsigned pow2_at_most(int64_t v, unsigned most)
{
    unsigned r = 1;
    while (r * 2 <= most && (int64_t)r * 2 <= v)
        r *= 2;
    return r;
}

/* Eight threads where the problem has them, along N first: their A lines come
 * from one L1 access. dpasw wants two along M at least. */
static void plain_group(const struct xk_shape *s, struct xk_schedule *c)
{
    const int64_t tiles_m = xk_ceil_div(s->m, c->m_thr);
    const int64_t tiles_n = xk_ceil_div(s->n, c->n_thr);
    const unsigned m = c->fma == XK_FMA_DPASW ? 2 : 1;
    c->tg_n = (uint16_t)pow2_at_most(tiles_n, 4);
    c->tg_m = (uint16_t)pow2_at_most(tiles_m, 8u / c->tg_n);
    if (c->tg_m < m)
        c->tg_m = (uint16_t)m;
}

/* In that group, and in a pair, which leaves cores the most even shares. */
static void in_groups(struct search *g, struct xk_schedule *c)
{
    struct xk_score_tile t;
    plain_group(g->s, c);
    *c = with_fixed(g, c);
    struct search *const to = search_of(g, c);
    if (!to || !tile_of(to, c, &t))
        return;
    offer_group(to, &t, c);
    if (c->tg_m * c->tg_n > 2) {
        c->tg_m = 2;
        c->tg_n = 1;
        offer_group(to, &t, c);
    }
}

/* Whether a valid tile is so with the smaller register file, too: as good, in
 * any group.
 */
static bool fits_half(const struct search *g, const struct xk_schedule *c)
{
    struct xk_schedule half = *c;
    half.grf_count = 128;
    return c->grf_count > 128 && xk_schedule_fits(g->p, seen_by(g, c), &half);
}

/* Register buffers in a loop over all of K. */
struct buffers {
    uint8_t a, b;
    bool share; /* steps share A's */
};

/* In groups of a few threads; slices make them large. */
static void in_flat_groups(struct search *g, const struct xk_score_tile *t,
                           struct xk_schedule c)
{
    static const uint8_t groups[][2] = {{2, 1}, {2, 2}, {4, 1},
                                        {1, 1}, {2, 4}, {4, 2}};
    const int64_t tiles_n = xk_ceil_div(g->s->n, c.n_thr);
    for (unsigned i = 0; i < (c.slices > 1 ? 4 : XK_COUNTOF(groups)); i++) {
        if (c.fma == XK_FMA_DPASW && groups[i][0] % 2)
            continue;
        c.tg_m = groups[i][0];
        c.tg_n = groups[i][1];
        if (c.tg_n <= tiles_n && c.tg_m * c.tg_n * c.slices >= 2)
            offer_group(g, t, &c);
    }
}

/* False: in more slices, which only break rules, it is of no use either. */
static bool flat_tile(struct search *g, const struct xk_schedule *tile)
{
    struct xk_score_tile t;
    const struct xk_schedule c = with_fixed(g, tile);
    struct search *const to = search_of(g, &c);
    if (!to || fits_half(to, &c))
        return false;
    if (tile_of(to, &c, &t))
        in_flat_groups(to, &t, c);
    return !is_hopeless(to, &t, &c);
}

/* Steps of K that may share A's registers, if the field can say so many. */
static uint8_t shared_steps(const struct xk_shape *s)
{
    return s->shared.steps > UINT8_MAX ? 0 : (uint8_t)s->shared.steps;
}

/* Columns of the widest tile; all others' divide them. */
#define WIDEST 64

void xk_shape_searched(const struct xk_shape *s, struct xk_shape *out)
{
    memcpy(out, s, sizeof(*out));
    out->rows_b = s->rows_b % WIDEST;
}

/* Whether the outer K indices have more places than one loop has copies. */
static bool has_many_places(const struct xk_shape *s)
{
    return s->k_outer > 9;
}

/* Whether no tile of so many columns is loaded in blocks of B. */
static bool lacks_blocks(const struct xk_shape *s, const struct xk_schedule *c)
{
    return s->plain_b || s->rows_b % c->n_thr;
}

/* Whether K's last step is a short one. With one outer place it stands behind
 * the same loop in o:p. */
static bool has_rest(const struct xk_shape *s, const struct xk_schedule *c)
{
    return s->k_inner % c->k_step != 0;
}

/* The outer K indices innermost, in one or more slices of K. */
static void flat(struct search *g, struct xk_schedule c)
{
    static const struct buffers of[] = {
        {1, 3, true}, {1, 2, true}, {1, 1, true}, {3, 3},
        {3, 2},       {2, 2},       {1, 2},       {1, 1}};
    struct xk_schedule with[XK_COUNTOF(of)];
    const unsigned most = xk_fma_family_of(c.fma)->dpas ? 4 : 8;
    unsigned n = 0;
    if (lacks_blocks(g->s, &c) || (g->s->k_outer == 1 && has_rest(g->s, &c)))
        return;
    c.k_walk = (struct xk_k_walk)XK_WALK_INSIDE;
    c.n_sub = c.n_thr;
    c.tg_m = c.tg_n = 1; /* groups come last */
    for (unsigned b = 0; b < XK_COUNTOF(of); b++) {
        with[n] = c;
        with[n].slots_a = of[b].a;
        with[n].slots_b = of[b].b;
        with[n].holds = of[b].share ? shared_steps(g->s) : 0;
        if (of[b].share && (!with[n].holds || !xk_fma_family_of(c.fma)->dpas))
            continue;
        n += !is_second(g, &with[n]) || of[b].a <= 2;
    }
    for (unsigned slices = 1; slices <= most; slices *= 2) {
        const unsigned all = n;
        n = 0;
        for (unsigned i = 0; i < all; i++) {
            with[i].slices = (uint8_t)slices;
            if (flat_tile(g, &with[i]))
                with[n++] = with[i];
        }
    }
}

/* One loop over all places of K, where the outer ones cannot be innermost and
 * loops of their own would have a step or two: with more of them these are no
 * slower (docs/schedules.md). Steps may cross the places of an outer index only
 * where operands are put in order: else lanes along M are each at places of
 * their own. */
static void walk(struct search *g, struct xk_schedule c)
{
    static const uint8_t slots[][2] = {{2, 2}, {1, 1}};
    const int64_t k = g->s->k_inner;
    if (g->s->k_outer == 1 || k > 2 * c.k_step ||
        (!has_many_places(g->s) && !g->s->loose_a))
        return;
    c.k_walk = (struct xk_k_walk)XK_WALK_ALL;
    c.n_sub = c.n_thr;
    if (k % c.k_step &&
        !(xk_schedule_turns_a(g->s, &c) && xk_schedule_turns_b(g->s, &c)))
        return;
    c.tg_m = c.tg_n = 1; /* groups come last */
    for (unsigned b = 0; b < XK_COUNTOF(slots); b++)
        for (unsigned slices = 1; slices <= 8; slices *= 2) {
            struct xk_score_tile t;
            c.slots_a = slots[b][0];
            c.slots_b = slots[b][1];
            c.slices = (uint8_t)slices;
            const struct xk_schedule tile = with_fixed(g, &c);
            struct search *const to = search_of(g, &tile);
            if (to && tile_of(to, &tile, &t))
                in_flat_groups(to, &t, tile);
        }
}

/* mad of f32 or dp4a of bytes: N in the lanes, steps of one to four dwords. */
static void mads(struct search *g)
{
    const bool bytes = g->s->elem_b == 1;
    static const struct {
        uint8_t m, n;
    } tiles[] = {{16, 32}, {32, 16}, {16, 16}};
    static const uint8_t slots[][2] = {{2, 2}, {2, 1}, {1, 1}};
    for (unsigned t = 0; t < XK_COUNTOF(tiles); t++)
        for (unsigned b = 0; b < XK_COUNTOF(slots); b++)
            for (unsigned k = 1; k <= 4; k++) {
                struct xk_schedule c = {.fma = bytes ? XK_FMA_DP4A : XK_FMA_MAD,
                                        .simd = 16,
                                        .m_thr = tiles[t].m,
                                        .n_thr = tiles[t].n,
                                        .n_sub = tiles[t].n,
                                        .k_step = (uint16_t)(bytes ? 4 * k : k),
                                        .slots_a = slots[b][0],
                                        .slots_b = slots[b][1],
                                        .slices = 1,
                                        .k_walk = XK_WALK_EACH,
                                        .surfaces = true,
                                        .grf_count = 128};
                c = with_fixed(g, &c);
                c.n_sub = c.n_thr;
                plain_group(g->s, &c);
                offer(g, &c);
                /* Steps of three dwords lie across lines. */
                if (b == 0 && (k != 3 || g->s->k_inner % (bytes ? 16 : 4)))
                    flat(g, c);
            }
}

/* Straight to registers. Parts of B take turns in one buffer, so the first
 * slots are for the whole of it, which a pair of dpasw always has. */
static void direct(struct search *g, struct xk_schedule c)
{
    static const uint8_t slots[][2] = {{2, 2}, {2, 1}, {1, 1}};
    const unsigned fewest = c.fma == XK_FMA_DPASW ? c.n_thr : 8;
    for (unsigned n_sub = fewest; n_sub <= c.n_thr; n_sub *= 2)
        for (unsigned b = n_sub < c.n_thr; b < XK_COUNTOF(slots); b++) {
            c.n_sub = (uint16_t)n_sub;
            c.slots_a = slots[b][0];
            c.slots_b = slots[b][1];
            in_groups(g, &c);
        }
}

/* Whether the registers hold A's units on their way to SLM, and the headers of
 * each outer place, as the plan counts them. No rule has been asked yet, and
 * with a batch in the lanes nothing goes there. */
static bool has_room(const struct search *g, const struct xk_schedule *c)
{
    if (c->fma == XK_FMA_LANES)
        return false;
    const unsigned tiles = c->m_thr / c->simd;
    const unsigned unit = (unsigned)xk_ceil_div(tiles, c->tg_n);
    const unsigned blocks =
        c->n_thr / (c->fma == XK_FMA_DPASW ? 2 : 1) / g->p->dpas_rows;
    const unsigned headers =
        unit * ((unsigned)g->s->k_outer + 2) + tiles + blocks;
    enum { FIXED = 9 }; /* with coordinates */
    struct xk_buffer_table t;
    xk_schedule_buffers(g->p, g->s, c, &t);
    xk_buffer_set_grf(g->p, &t, XK_BUFFER_SHARE,
                      unit * c->simd * g->p->dpas_depth_b / g->p->grf_b);
    xk_buffer_set_grf(g->p, &t, XK_BUFFER_ADDRESSES, headers);
    xk_buffer_set_grf(g->p, &t, XK_BUFFER_FIXED, FIXED);
    return xk_buffers_grf(g->p, &t) <= xk_platform_grf(g->p, c->grf_count);
}

/* One group with three buffers and two. All threads have as much to load. */
static void in_buffers(struct search *g, struct xk_schedule c)
{
    if (c.m_thr / c.simd % c.tg_n)
        return;
    for (unsigned slm = 3; slm >= 2; slm--) {
        c.slm = (uint8_t)slm;
        struct xk_schedule tile = with_fixed(g, &c);
        struct xk_score_tile t;
        if (has_room(g, &c) && tile_ok(g, &tile) && tile_of(g, &tile, &t))
            offer_group(g, &t, &tile);
    }
}

/* Larger groups share more; no larger than the problem. B is loaded ahead if
 * there is room. */
static void through_slm(struct search *g, struct xk_schedule c)
{
    const int64_t tiles_m = xk_ceil_div(g->s->m, c.m_thr);
    const int64_t tiles_n = xk_ceil_div(g->s->n, c.n_thr);
    const unsigned grf = xk_platform_grf(g->p, c.grf_count);
    c.k_walk = (struct xk_k_walk)XK_WALK_INSIDE;
    c.slots_a = 1;
    c.n_sub = c.n_thr;
    c.slots_b = g->s->k_inner / c.k_step >= 2 ? 2 : 1;
    if (lacks_blocks(g->s, &c) || is_small(&c) || c.n_thr < 16 ||
        g->s->loose_a || g->s->k_inner % c.k_step)
        return;
    if (xk_schedule_buffer_grf(g->p, &c) + c.m_thr / c.simd > grf)
        c.slots_b = 1;
    if (xk_schedule_buffer_grf(g->p, &c) > grf)
        return;
    for (unsigned n = 2; n <= 4 && n < 2 * tiles_n; n *= 2)
        for (unsigned m = 1; m <= 4 && m < 2 * tiles_m; m *= 2) {
            c.tg_n = (uint16_t)n;
            c.tg_m = (uint16_t)m;
            in_buffers(g, c);
        }
}

/* Places packed: each one's address waits for a mask. That wins with many of
 * them; and where each byte of a place is a message, with few rows for the
 * columns. */
static void packed(struct search *g, struct xk_schedule c)
{
    const bool whole = g->s->used_e == XK_PACK_FEW;
    c.k_walk = (struct xk_k_walk)XK_WALK_FEW;
    g->packed = xk_schedule_shape(g->s, &c);
    if (g->plain)
        g->plain->packed = xk_schedule_shape(g->plain->s, &c);
    if ((g->s->together && whole) ||
        (has_many_places(g->s) &&
         (whole || g->s->elem_b == 2 || c.n_thr >= 4 * c.m_thr)))
        direct(g, c);
}

static void systolic(struct search *g)
{
    static const uint8_t sides_n[] = {WIDEST, 32, 16, 8};
    for (unsigned fma = XK_FMA_DPASW; fma >= XK_FMA_DPAS; fma--)
        for (unsigned m = 32; m >= 8; m -= 8)
            for (unsigned n = 0; n < XK_COUNTOF(sides_n); n++)
                for (unsigned grf = 128; grf <= 256; grf += 128) {
                    if (sides_n[n] == WIDEST && (m != 16 || grf == 128))
                        continue;
                    /* A pair of dpasw's threads has squares of columns each. */
                    if (fma == XK_FMA_DPASW &&
                        sides_n[n] % (2 * g->p->dpas_rows))
                        continue;
                    struct xk_schedule c = {
                        .fma = (uint8_t)fma,
                        .simd = g->p->dpas_exec,
                        .m_thr = (uint16_t)m,
                        .n_thr = sides_n[n],
                        .k_step = (uint16_t)(g->p->dpas_depth_b / g->s->elem_b),
                        .slices = 1,
                        .k_walk = XK_WALK_EACH,
                        .surfaces = true,
                        .grf_count = (uint16_t)grf};
                    c = with_fixed(g, &c);
                    if (sides_n[n] < WIDEST ||
                        (has_many_places(g->s) && !g->s->loose_a))
                        direct(g, c);
                    flat(g, c);
                    walk(g, c);
                    if (!is_second(g, &c))
                        through_slm(g, c);
                    if (g->s->line_places && !is_second(g, &c) &&
                        sides_n[n] >= XK_PACK_COLUMNS)
                        packed(g, c);
                }
}

struct xk_schedule xk_schedule_last_resort(const struct xk_shape *s)
{
    const bool systolic = s->elem_b == 2 || s->sums;
    struct xk_schedule c = {.fma = (uint8_t)(systolic         ? XK_FMA_DPAS
                                             : s->elem_b == 1 ? XK_FMA_DP4A
                                                              : XK_FMA_MAD),
                            .k_step = (uint16_t)(systolic ? 32 / s->elem_b
                                                 : s->elem_b == 1 ? 4
                                                                  : 1),
                            .tg_m = 1,
                            .tg_n = 1,
                            .slots_a = 1,
                            .slots_b = 1,
                            .slices = 1,
                            .k_walk = XK_WALK_EACH,
                            .surfaces = true,
                            .grf_count = 256};
    for (uint16_t side = systolic ? 8 : 16; side >= 8; side /= 2) {
        c.simd = c.m_thr = c.n_thr = c.n_sub = side;
        if (xk_schedule_is_short(s, &c, XK_MOST_SCATTER))
            break;
    }
    return c;
}

struct xk_schedule xk_schedule_without_loop(const struct xk_schedule *c)
{
    struct xk_schedule x = *c;
    x.k_walk = (struct xk_k_walk)XK_WALK_EACH;
    x.slots_a = x.slots_b = 1;
    x.tg_m = (uint16_t)(x.tg_m * xk_schedule_slices(c));
    x.slices = 1;
    x.holds = x.slm = x.unroll = 0;
    x.prefetch = false;
    return x;
}

/* Behind the others, whatever its score is. */
static unsigned with_last_resort(struct search *g, unsigned n)
{
    struct xk_schedule last = xk_schedule_last_resort(g->s);
    last = with_fixed(g, &last);
    const struct xk_schedule_rule *const broken =
        xk_schedule_check(g->p, g->s, &last);
    if (broken || last.fma == XK_FMA_LANES) {
        note(g, broken);
        return n;
    }
    last.score = xk_schedule_score(g->p, g->s, &last);
    g->out[n] = last;
    return n + 1;
}

/* Elements of a window that are met. */
static int64_t met(const struct xk_lanes_axis *x, int64_t places)
{
    int64_t n = 0;
    for (int64_t at = -1; (at = xk_lanes_next(x, places, at)) >= 0;)
        n++;
    return n;
}

/* Cycles of an EU about, memory apart: of a tile its products, the elements of
 * its window, its vectors of B and its sums, each with what belongs to it; of a
 * machine that is not full the same. */
static int64_t lanes_score(const struct search *g, const struct xk_schedule *c)
{
    enum { MAD = 4, ELEMENT = 8, DOT = 2, BYTE = 5 };
    enum { SUM = 12, THREAD = 200, LARGE_PCT = 115 };
    const struct xk_lanes_shape *const l = &g->s->lanes;
    const struct xk_shape seen = xk_schedule_shape(g->s, c);
    const int64_t n_eu = xk_perf_get(g->p->id)->n_eu;
    const int64_t window = met(&l->axis[0], xk_lanes_rows(l, c->m_thr)) *
                           met(&l->axis[1], l->tile_columns) * l->outer_k *
                           l->group_k;
    const int64_t products =
        c->k_step == 1 ? MAD * c->m_thr * l->k + ELEMENT * (window + l->k)
                       : DOT * l->tile_columns * xk_lanes_b_vectors(l, c) +
                             BYTE * (window + l->k);
    const int64_t tile = products + SUM * c->m_thr + THREAD;
    const int64_t threads = seen.m / c->m_thr * xk_ceil_div(seen.n, c->n_thr);
    const int64_t each = xk_ceil_div(threads, n_eu);
    return tile * each * (c->grf_count > 128 ? LARGE_PCT : 100) / 100;
}

/* Cycles of an EU with K in steps. Its threads share its pipes, and each waits
 * for itself: for a row's loads, which are a row ahead, or for each of those
 * that are converted where they come. */
static int64_t lane_steps_cyc(const struct search *g,
                              const struct xk_schedule *c)
{
    enum { MAD = 4, ELEMENT = 8, SUM = 12, THREAD = 200 };
    const struct xk_perf *const f = xk_perf_get(g->p->id);
    const struct xk_lanes_shape *const l = &g->s->lanes;
    const struct xk_shape seen = xk_schedule_shape(g->s, c);
    const int64_t steps = xk_lanes_steps(l, c) / c->slices;
    const int64_t meet = c->slices > 1 ? f->barrier + 2 * f->slm_latency : 0;
    struct xk_lanes_axis y = l->axis[0], x = l->axis[1];
    y.k_places = c->k_step / l->k_columns;
    x.k_places = l->k_columns;
    const int64_t rows = met(&y, xk_lanes_rows(l, c->m_thr));
    const int64_t window = rows * met(&x, l->tile_columns);
    const int64_t step =
        MAD * c->m_thr * c->k_step + ELEMENT * (window + c->k_step);
    const int64_t busy = steps * step + SUM * c->m_thr + THREAD;
    const int64_t loads = g->s->elem_b < 4 ? window + c->k_step : rows + 1;
    const int64_t waits = steps * loads * f->latency + meet;
    const int64_t threads = seen.m / c->m_thr * xk_ceil_div(seen.n, c->n_thr) *
                            xk_shape_batch(&seen) * c->slices;
    const int64_t each = xk_ceil_div(threads, f->n_eu);
    const int64_t at_once =
        xk_smaller(each, g->p->threads_per_eu / (c->grf_count > 128 ? 2 : 1));
    return f->launch +
           xk_larger(each * busy, xk_ceil_div(each, at_once) * (busy + waits));
}

/* Beside memory, which gives A and B once. */
static int64_t lane_steps_score(const struct search *g,
                                const struct xk_schedule *c, int64_t cyc)
{
    const struct xk_perf *const f = xk_perf_get(g->p->id);
    const struct xk_lanes_shape *const l = &g->s->lanes;
    const int64_t of_b = l->n * l->parts * xk_lanes_steps(l, c) * c->k_step;
    const int64_t all_e = of_b * (1 + l->axis[0].apart * l->axis[1].apart);
    const int64_t memory = all_e * g->s->elem_b / f->memory_b_cyc;
    return xk_larger(cyc, memory) +
           xk_smaller(cyc, memory) * f->overlap_pct / 100;
}

/* Lanes in a group of threads that have no more than N where that can be. */
static void lanes_group(const struct search *g, struct xk_schedule *c)
{
    const struct xk_shape seen = xk_schedule_shape(g->s, c);
    plain_group(&seen, c);
    while (seen.n % ((int64_t)c->n_thr * c->tg_n) && c->tg_n > 1) {
        c->tg_n /= 2;
        if (!xk_schedule_is_walk(c)) /* slices have one tile */
            c->tg_m *= 2;
    }
}

/* All rows of the axis, or as even parts of them as can be; so many rows of K
 * a step. */
static struct xk_schedule lane_steps_tile(const struct xk_lanes_shape *l,
                                          unsigned k_rows, unsigned slices,
                                          unsigned grf)
{
    enum { MOST_ROWS_OF_C = 8 };
    const int64_t tiles = xk_ceil_div(l->axis[0].places, MOST_ROWS_OF_C);
    const int64_t rows = xk_ceil_div(l->axis[0].places, tiles);
    return (struct xk_schedule){.fma = XK_FMA_LANES,
                                .simd = 16,
                                .m_thr = (uint16_t)(rows * l->tile_columns),
                                .n_thr = 16,
                                .n_sub = 16,
                                .k_step = (uint16_t)(k_rows * l->k_columns),
                                .slots_a = 1,
                                .slots_b = 1,
                                .slices = (uint8_t)slices,
                                .k_walk = XK_WALK_ALL,
                                .surfaces = true,
                                .grf_count = (uint16_t)grf};
}

/* The tile in its group, with what is fixed, and its cycles beside memory's.
 * False: it is not valid. */
static bool lane_steps_ok(struct search *g, const struct xk_schedule *tile,
                          struct xk_schedule *c, int64_t *cyc)
{
    *c = *tile;
    lanes_group(g, c);
    *c = with_fixed(g, c);
    const struct xk_schedule_rule *const broken =
        xk_schedule_check(g->p, g->s, c);
    if (broken && !g->found)
        note(g, broken);
    if (broken || c->fma != XK_FMA_LANES || !xk_schedule_is_walk(c))
        return false;
    *cyc = lane_steps_cyc(g, c);
    c->score = lane_steps_score(g, c, *cyc);
    return true;
}

/* The best of K in steps in each register file, where registers do not hold all
 * of it and C has fewer places than K, in front of the n candidates of *g. All
 * read the same from memory. Others' scores count that for one place of the
 * batch, so it is left out on both sides. */
static unsigned with_lane_steps(struct search *g, unsigned n)
{
    enum { MOST_K_ROWS = 4, SLICINGS = 4, FILES = 2 };
    const struct xk_lanes_shape *const l = &g->s->lanes;
    const int64_t most = n && !g->fixed ? g->out[0].score : INT64_MAX;
    const bool is_deep =
        l->k > l->outer_m * l->axis[0].places * l->axis[1].places;
    struct xk_schedule best[FILES];
    unsigned found = 0;
    if (!l->n || (!is_deep && !g->fixed))
        return n;
    for (unsigned file = 0; file < FILES; file++) {
        struct xk_schedule of_file[1];
        unsigned is_there = 0;
        for (unsigned i = 0; i < SLICINGS * MOST_K_ROWS; i++) {
            const struct xk_schedule tile = lane_steps_tile(
                l, 1 + i / SLICINGS, 1u << i % SLICINGS, file ? 256 : 128);
            struct xk_schedule c;
            int64_t cyc;
            if (lane_steps_ok(g, &tile, &c, &cyc) && cyc < most)
                is_there = insert(of_file, is_there, 1, &c);
        }
        if (is_there && (!found || !xk_schedule_same(best, of_file)))
            found = insert(best, found, FILES, of_file);
    }
    memmove(&g->out[found], &g->out[0], n * sizeof(*g->out));
    memcpy(g->out, best, found * sizeof(*g->out));
    return n + found;
}

/* The best of some tiles, in front of the n candidates of *g. */
static unsigned with_lanes(struct search *g, unsigned n)
{
    enum { MOST_ROWS = 4, SHARE_OF_LANES = 3 };
    const struct xk_lanes_shape *const l = &g->s->lanes;
    const unsigned n_tiles = 2 * MOST_ROWS * (g->s->elem_b == 1 ? 2 : 1);
    struct xk_schedule best[SHARE_OF_LANES];
    unsigned found = 0;
    for (unsigned i = 0; i < n_tiles && l->n; i++) {
        const int64_t rows = 1 + i / 2 % MOST_ROWS;
        struct xk_schedule c = {.fma = XK_FMA_LANES,
                                .simd = 16,
                                .m_thr = (uint16_t)(rows * l->tile_columns),
                                .n_thr = 16,
                                .n_sub = 16,
                                .k_step = i < 2 * MOST_ROWS ? 1 : XK_LANES_DEEP,
                                .slots_a = 1,
                                .slots_b = 1,
                                .slices = 1,
                                .k_walk = XK_WALK_EACH,
                                .surfaces = true,
                                .grf_count = i % 2 ? 256 : 128};
        lanes_group(g, &c);
        c = with_fixed(g, &c);
        const struct xk_schedule_rule *const broken =
            xk_schedule_check(g->p, g->s, &c);
        if (broken && !g->found)
            note(g, broken);
        if (rows > l->axis[0].places || broken || c.fma != XK_FMA_LANES ||
            (!g->fixed && fits_half(g, &c)) || xk_schedule_is_walk(&c) ||
            (found && xk_schedule_same(&best[found - 1], &c)))
            continue;
        c.score = lanes_score(g, &c);
        found = insert(best, found, SHARE_OF_LANES, &c);
    }
    memmove(&g->out[found], &g->out[0], n * sizeof(*g->out));
    memcpy(g->out, best, found * sizeof(*g->out));
    return found ? n + found : with_lane_steps(g, n);
}

/* Whether there is something to search for: not if all fields are fixed, which
 * is the only candidate then, nor if they are no sizes that a search may divide
 * by. */
static bool is_open(struct search *g, unsigned *n)
{
    struct xk_schedule c = xk_schedule_last_resort(g->s);
    const struct xk_schedule_rule *broken;
    if (!g->fixed)
        return true;
    c = with_fixed(g, &c);
    broken = xk_schedule_check(g->p, g->s, &c);
    const bool whole = g->fixed->named + 1 == UINT64_C(1)
                                                  << xk_n_schedule_fields;
    if (!whole && broken != &xk_schedule_rules[0])
        return true;
    g->broken = broken;
    if (broken)
        return false;
    c.score = c.fma != XK_FMA_LANES ? xk_schedule_score(g->p, g->s, &c)
              : xk_schedule_is_walk(&c)
                  ? lane_steps_score(g, &c, lane_steps_cyc(g, &c))
                  : lanes_score(g, &c);
    g->out[(*n)++] = c;
    return false;
}

/* All families. */
static unsigned search_all(struct search *g)
{
    struct search *const others = g->s->sums ? g->plain : g;
    if (g->s->elem_b != 4 && g->p->dpas_exec)
        systolic(g);
    if (g->s->elem_b != 2 && others)
        mads(others);
    return with_last_resort(g, with_lanes(g, in_order(g)));
}

static void set_splits(struct xk_schedule *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!out[i].splits)
            out[i].splits = 1;
}

unsigned xk_schedule_candidates(const struct xk_platform *p,
                                const struct xk_shape *s,
                                const struct xk_schedule_fixed *fixed,
                                struct xk_schedule out[XK_MAX_CANDIDATES],
                                const struct xk_schedule_rule **broken)
{
    struct search g = {.p = p,
                       .s = s,
                       .fixed = fixed && fixed->named ? fixed : NULL,
                       .out = out};
    unsigned n = 0;
    if (is_open(&g, &n))
        n = search_all(&g);
    set_splits(out, n);
    if (broken)
        *broken = g.broken;
    return n;
}

unsigned xk_schedule_with_sums(const struct xk_platform *p,
                               const struct xk_shape *s,
                               const struct xk_shape *plain,
                               struct xk_schedule out[2 * XK_MAX_CANDIDATES],
                               int64_t *least)
{
    struct search other = {.p = p, .s = plain, .out = out + XK_MAX_CANDIDATES};
    struct search g = {.p = p, .s = s, .out = out, .plain = &other};
    const unsigned n = search_all(&g);
    set_splits(out, n);
    *least = INT64_MAX;
    for (unsigned f = 0; f < N_FAMILIES; f++)
        if (other.n[f])
            *least = xk_smaller(*least, other.out[f * SHARE].score);
    for (unsigned i = 0; i < n && is_small(&out[i]) == is_small(&out[0]); i++)
        *least = xk_smaller(*least, xk_schedule_score(p, plain, &out[i]));
    return n;
}
