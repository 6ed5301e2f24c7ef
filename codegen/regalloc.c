/* SPDX-License-Identifier: Apache-2.0 */
/* Linear scan over tiles. A tile lives from its first to its last touch; one
 * that was made outside of a loop and is touched inside lives through all of
 * that loop. Buffers are placed from the top and before all others, so that
 * what is gone when one comes may lie there; everything else from the bottom,
 * slots below a GRF where other slots already are. GRFs that became free only
 * just now are avoided if others are free, so that fewer instructions wait for
 * messages that still read them. Nothing is ever spilled.
 *
 * Dependencies are waited for by whole GRFs. So a slot that lives shortly has a
 * GRF to itself where fewer are in use than at the most, each time another one.
 *
 * Where several places are free, operands' banks decide (banks.h). That changes
 * where a tile lies and never how many registers are in use. Should the pieces
 * that are left by all that be too small for a tile, it is done again without.
 */
#include "isa/format.h"
#include "codegen/banks.h"
#include "codegen/cg.h"
#include "codegen/codegen.h"

#include <string.h>

#define MAX_GRF 256
#define N_EOT_GRF 16
#define COOLING_INSTS 32 /* a GRF counts as just freed for so long */
#define SHORT_INSTS 128  /* values that live longer lie close together */

struct alloc {
    struct xk_cg *g;
    unsigned n_grf, n_used, n_whole;
    unsigned grf_dw;            /* dwords in a GRF */
    uint16_t used[MAX_GRF];     /* a bit per dword */
    uint32_t freed_at[MAX_GRF]; /* instruction, 0: never */
    uint32_t *by_first, *by_last, *next_first, *next_last; /* bucket lists */
    struct xk_banks banks;
    bool wishes;                  /* of the tile that is placed */
    uint32_t *planned, n_planned; /* tiles, by their first instructions */
    uint32_t n_begun;             /* of these */
    uint32_t until[MAX_GRF];      /* instruction at which a planned one comes */
    uint32_t *after, n_after;     /* of the GRFs of planned tiles, one after the
                                     other: when the next one comes there */
    uint16_t *whole; /* per instruction: GRFs of tiles of whole ones; or NULL */
    unsigned limit;  /* the most of them */
    unsigned turn;   /* where a GRF for the next slot alone is looked for */
    unsigned sunk_lo, sunk_hi; /* GRFs of a sunk buffer */
    bool lone[MAX_GRF];        /* given to a slot alone */
};

static void touch_tile(struct xk_cg *g, struct xk_cg_tile *t, uint32_t at,
                       uint32_t loop)
{
    uint32_t first = at, last = at;
    if (loop != t->loop && loop != XK_CG_NO_LOOP) {
        while (g->loop[loop].parent != t->loop &&
               g->loop[loop].parent != XK_CG_NO_LOOP)
            loop = g->loop[loop].parent;
        first = g->loop[loop].first;
        last = g->loop[loop].last;
    }
    if (first < t->first)
        t->first = first;
    if (last > t->last)
        t->last = last;
}

static bool is_label(const struct xk_cg *g, uint32_t at)
{
    for (uint32_t k = 0; k < g->n_labels; k++)
        if (g->label[k] == at)
            return true;
    return false;
}

/* No tile may have a dummy's registers in a block with dpas, because its
 * instructions get another order later. */
static void touch_room(struct xk_cg *g, struct xk_cg_tile *room, uint32_t at,
                       uint32_t loop)
{
    uint32_t first = at, end = at + 1;
    while (first > 0 && !is_label(g, first) &&
           g->inst[first - 1].op != XK_OPC_JMPI)
        first--;
    while (end < g->n_inst && !is_label(g, end) &&
           g->inst[end - 1].op != XK_OPC_JMPI)
        end++;
    touch_tile(g, room, first, loop);
    touch_tile(g, room, end - 1, loop);
}

static void find_ranges(struct xk_cg *g)
{
    struct xk_cg_tile *const room = xk_cg_guard_tile(g);
    uint32_t loop = XK_CG_NO_LOOP, next = 1;
    for (uint32_t i = 0; i < g->n_inst; i++) {
        while (loop != XK_CG_NO_LOOP && i > g->loop[loop].last)
            loop = g->loop[loop].parent;
        while (next < g->n_loops && g->loop[next].first <= i)
            loop = next++;
        const struct xk_inst *const x = &g->inst[i];
        if (x->dst.file == XK_FILE_TILE)
            touch_tile(g, &g->tile[x->dst.reg], i, loop);
        if (room && xk_inst_is_dpas(x) && i > room->last)
            touch_room(g, room, i, loop);
        for (unsigned k = 0; k < 3; k++)
            if (x->src[k].file == XK_FILE_TILE)
                touch_tile(g, &g->tile[x->src[k].reg], i, loop);
    }
}

static bool fill_buckets(struct alloc *a)
{
    struct xk_cg *const g = a->g;
    const uint32_t n = g->n_inst + 1;
    a->by_first = xk_calloc(g->c, n, sizeof *a->by_first);
    a->by_last = xk_calloc(g->c, n, sizeof *a->by_last);
    a->next_first = xk_calloc(g->c, g->n_tiles, sizeof *a->next_first);
    a->next_last = xk_calloc(g->c, g->n_tiles, sizeof *a->next_last);
    if (!a->by_first || !a->by_last || !a->next_first || !a->next_last)
        return false;
    for (uint32_t t = g->n_tiles; t-- > 0;) { /* ids + 1, 0 ends a list */
        const struct xk_cg_tile *const x = &g->tile[t];
        if (x->first > x->last)
            continue;
        a->next_first[t] = a->by_first[x->first];
        a->by_first[x->first] = t + 1;
        a->next_last[t] = a->by_last[x->last];
        a->by_last[x->last] = t + 1;
    }
    return true;
}

/* 0 for slots below a GRF. */
static unsigned grfs_of_tile(const struct alloc *a, const struct xk_cg_tile *t)
{
    const unsigned grf_b = a->g->p->grf_b;
    return t->size_b < grf_b ? 0 : (t->size_b + grf_b - 1) / grf_b;
}

static void mark_grfs(struct alloc *a, const struct xk_cg_tile *t, bool use,
                      uint32_t at)
{
    const uint32_t first = (uint32_t)t->at_b / 4;
    const uint32_t end = first + (t->size_b + 3) / 4;
    const unsigned n = grfs_of_tile(a, t);
    a->n_whole = use ? a->n_whole + n : a->n_whole - n;
    for (uint32_t dw = first; dw < end; dw++) {
        const uint32_t r = dw / a->grf_dw;
        const uint16_t bit = (uint16_t)(1u << dw % a->grf_dw);
        const bool was = a->used[r] != 0;
        a->used[r] = use ? a->used[r] | bit : a->used[r] & (uint16_t)~bit;
        a->n_used += (a->used[r] != 0) - was;
        a->lone[r] &= a->used[r] != 0;
        if (!use)
            a->freed_at[r] = at;
    }
    if (a->n_used > a->g->peak_grf)
        a->g->peak_grf = (uint16_t)a->n_used;
}

static bool grfs_free(const struct alloc *a, const struct xk_cg_tile *t,
                      unsigned r, unsigned n, uint32_t cool_since)
{
    for (unsigned i = r; i < r + n; i++)
        if (a->used[i] || a->freed_at[i] > cool_since || a->until[i] <= t->last)
            return false;
    return true;
}

/* The better of two places, the best one so far and r. */
static int better_grf(const struct alloc *a, int best, int r)
{
    const unsigned n = a->banks.period;
    if (best < 0)
        return r;
    return a->banks.meets[(unsigned)r % n] < a->banks.meets[(unsigned)best % n]
               ? r
               : best;
}

static bool good_enough(const struct alloc *a, int r)
{
    return r >= 0 &&
           (!a->wishes || !a->banks.meets[(unsigned)r % a->banks.period]);
}

/* n whole GRFs in [lo, hi); -1: none. */
static int find_grfs(const struct alloc *a, const struct xk_cg_tile *t,
                     unsigned lo, unsigned hi, uint32_t cool_since)
{
    const unsigned grf_b = a->g->p->grf_b;
    const unsigned n = (t->size_b + grf_b - 1) / grf_b;
    const unsigned step = t->align_b > grf_b ? t->align_b / grf_b : 1;
    int best = -1;
    if (n > hi - lo)
        return -1;
    if (!t->pinned) {
        for (unsigned r = (lo + step - 1) / step * step;
             r + n <= hi && !good_enough(a, best); r += step)
            if (grfs_free(a, t, r, n, cool_since))
                best = better_grf(a, best, (int)r);
        return best;
    }
    for (int r = (int)((hi - n) / step * step);
         r >= (int)lo && !good_enough(a, best); r -= (int)step)
        if (grfs_free(a, t, (unsigned)r, n, cool_since))
            best = better_grf(a, best, r);
    return best;
}

/* Byte address of a slot of 4, 8 or 16 bytes in a GRF partly used; -1. */
static int find_slot(const struct alloc *a, const struct xk_cg_tile *t,
                     bool lone)
{
    const unsigned n = (t->size_b + 3) / 4;
    const unsigned step = (t->align_b + 3) / 4;
    const unsigned want = (1u << n) - 1;
    for (unsigned r = 0; r < a->n_grf; r++) {
        if (a->used[r] == 0 || a->used[r] == (1u << a->grf_dw) - 1 ||
            a->until[r] <= t->last || a->lone[r] != lone)
            continue;
        for (unsigned dw = 0; dw + n <= a->grf_dw; dw += step)
            if ((a->used[r] >> dw & want) == 0)
                return (int)((r * a->grf_dw + dw) * 4);
    }
    return -1;
}

/* Whether there is a GRF to spare for the slot, all its life long. */
static bool has_spare_grf(const struct alloc *a, const struct xk_cg_tile *t,
                          uint32_t at)
{
    unsigned most = 0;
    if (!a->whole || t->last - at > SHORT_INSTS)
        return false;
    for (uint32_t i = at; i <= t->last; i++)
        most = a->whole[i] > most ? a->whole[i] : most;
    return most + (a->n_used - a->n_whole) < a->limit;
}

/* The next GRF in [lo, hi) that is free, from where the last search ended. */
static int next_free_grf(struct alloc *a, const struct xk_cg_tile *t,
                         unsigned lo, unsigned hi, uint32_t cool_since)
{
    unsigned r = a->turn >= lo && a->turn < hi ? a->turn : lo;
    for (unsigned k = lo; k < hi; k++) {
        if (grfs_free(a, t, r, 1, cool_since)) {
            a->turn = r + 1;
            a->lone[r] = true;
            return (int)(r * a->g->p->grf_b);
        }
        r = r + 1 < hi ? r + 1 : lo;
    }
    return -1;
}

/* A GRF for one slot alone, because dependencies are those of whole GRFs. They
 * are taken in turn, so that one value need not wait for another one's last
 * use. The first choice is where a sunk buffer will be, because no load goes
 * there. */
static int find_lone(struct alloc *a, const struct xk_cg_tile *t, uint32_t at)
{
    const uint32_t cool_since = at > COOLING_INSTS ? at - COOLING_INSTS : 0;
    const int b = next_free_grf(a, t, a->sunk_lo, a->sunk_hi, cool_since);
    return b < 0 ? next_free_grf(a, t, 0, a->n_grf, cool_since) : b;
}

static int find_small(struct alloc *a, const struct xk_cg_tile *t, uint32_t at)
{
    int b = -1;
    if (has_spare_grf(a, t, at))
        b = find_lone(a, t, at);
    if (b < 0)
        b = find_slot(a, t, false);
    return b < 0 ? find_slot(a, t, true) : b;
}

static enum xk_status place_tile(struct alloc *a, struct xk_cg_tile *t,
                                 uint32_t at)
{
    const unsigned grf_b = a->g->p->grf_b;
    const unsigned end = a->g->abi->grf_count; /* of the mode, never limited */
    const unsigned lo = t->eot ? end - N_EOT_GRF : 0;
    const unsigned hi = t->eot ? end : a->n_grf;
    int r = -1;
    a->wishes = t->at_b < 0 &&
                xk_banks_ask(&a->banks, a->g, (uint32_t)(t - a->g->tile));
    if (t->at_b < 0 && t->size_b < grf_b)
        t->at_b = find_small(a, t, at);
    if (t->at_b < 0 && at > COOLING_INSTS)
        r = find_grfs(a, t, lo, hi, at - COOLING_INSTS);
    if (t->at_b < 0 && r < 0)
        r = find_grfs(a, t, lo, hi, UINT32_MAX);
    if (t->at_b < 0 && r < 0)
        return xk_fail(a->g->c, XK_ENOFIT,
                       "codegen: at instruction %u of %u "
                       "%u of %u registers are in use and %u bytes more are "
                       "needed%s",
                       at, a->g->n_inst, a->n_used, a->n_grf, t->size_b,
                       t->pinned ? " for a buffer" : "");
    if (t->at_b < 0)
        t->at_b = r * (int)grf_b;
    mark_grfs(a, t, true, at);
    return XK_OK;
}

/* For each GRF when the first planned tile comes there, and for those of each
 * planned tile when the next one does. */
static enum xk_status find_until(struct alloc *a)
{
    const unsigned grf_b = a->g->p->grf_b;
    uint32_t n = 0;
    for (uint32_t k = 0; k < a->n_planned; k++)
        n += grfs_of_tile(a, &a->g->tile[a->planned[k]]);
    a->after = xk_malloc(a->g->c, (n + 1ull) * sizeof *a->after);
    if (!a->after)
        return XK_ENOMEM;
    for (uint32_t k = a->n_planned; k-- > 0;) {
        const struct xk_cg_tile *const t = &a->g->tile[a->planned[k]];
        uint32_t *const until = a->until + (unsigned)t->at_b / grf_b;
        for (unsigned r = grfs_of_tile(a, t); r-- > 0;) {
            a->g->plan_steps++;
            a->after[--n] = until[r];
            until[r] = t->first;
        }
    }
    return XK_OK;
}

/* The next planned tile begins: its GRFs wait for the ones after it. */
static void begin_planned(struct alloc *a)
{
    const struct xk_cg_tile *const t = &a->g->tile[a->planned[a->n_begun++]];
    const unsigned n = grfs_of_tile(a, t);
    memcpy(a->until + (unsigned)t->at_b / a->g->p->grf_b, a->after + a->n_after,
           n * sizeof *a->after);
    a->n_after += n;
    a->g->plan_steps += n;
}

static bool is_planned(const struct xk_cg_tile *t, uint32_t grf_b)
{
    return (t->pinned || t->at_b >= 0) && t->size_b >= grf_b;
}

/* Whether a buffer that is no smaller has ended when a sunk one begins. */
static bool begins_late(const struct alloc *a, const struct xk_cg_tile *t)
{
    for (uint32_t k = 0; k < a->n_planned; k++) {
        const struct xk_cg_tile *const o = &a->g->tile[a->planned[k]];
        a->g->plan_steps++;
        if (o->last < t->first && o->size_b >= t->size_b)
            return true;
    }
    return false;
}

static bool comes_first(const struct alloc *a, const struct xk_cg_tile *t)
{
    return t->at_b >= 0 || (t->sunk && !begins_late(a, t));
}

static void find_planned(struct alloc *a)
{
    const struct xk_cg *const g = a->g;
    for (uint32_t i = 0; i < g->n_inst; i++)
        for (uint32_t t = a->by_first[i]; t; t = a->next_first[t - 1])
            if (is_planned(&g->tile[t - 1], g->p->grf_b))
                a->planned[a->n_planned++] = t - 1;
}

/* Frees what ended before planned tile k begins, of the *n before it that have
 * not been freed. */
static void free_ended(struct alloc *a, uint32_t k, uint32_t *open, uint32_t *n)
{
    const struct xk_cg_tile *const tile = a->g->tile;
    uint32_t left = 0;
    for (uint32_t j = 0; j < *n; j++) {
        const struct xk_cg_tile *const t = &tile[open[j]];
        a->g->plan_steps++;
        if (t->last < tile[a->planned[k]].first)
            mark_grfs(a, t, false, t->last);
        else
            open[left++] = open[j];
    }
    *n = left;
}

/* The places of those that have none, in the order of their beginnings. */
static enum xk_status place_planned(struct alloc *a)
{
    uint32_t n = 0;
    uint32_t *const open =
        xk_malloc(a->g->c, (a->n_planned + 1ull) * sizeof *open);
    enum xk_status st = open ? XK_OK : XK_ENOMEM;
    for (uint32_t k = 0; st == XK_OK && k < a->n_planned; k++) {
        struct xk_cg_tile *const t = &a->g->tile[a->planned[k]];
        free_ended(a, k, open, &n);
        if (t->at_b < 0)
            st = place_tile(a, t, t->first);
        open[n++] = a->planned[k];
    }
    xk_free(a->g->c, open);
    return st;
}

/* Gives buffers their places, and then forgets that they are there. Sunk ones
 * keep theirs free of other buffers, as if they came first, because they are
 * the largest: unless a larger one has ended by then, whose place they take. */
static enum xk_status plan_buffers(struct alloc *a)
{
    struct xk_cg *const g = a->g;
    a->planned = xk_malloc(g->c, g->n_tiles * sizeof *a->planned);
    if (!a->planned)
        return XK_ENOMEM;
    find_planned(a);
    for (uint32_t k = 0; k < a->n_planned; k++) {
        struct xk_cg_tile *const t = &g->tile[a->planned[k]];
        if (!comes_first(a, t))
            continue;
        XK_TRY(place_tile(a, t, 0));
        if (t->sunk) {
            a->sunk_lo = (unsigned)t->at_b / g->p->grf_b;
            a->sunk_hi = a->sunk_lo + grfs_of_tile(a, t);
        }
    }
    XK_TRY(place_planned(a));
    XK_TRY(find_until(a));
    memset(a->used, 0, sizeof a->used);
    memset(a->freed_at, 0, sizeof a->freed_at);
    a->n_used = a->n_whole = 0;
    return XK_OK;
}

/* How many GRFs tiles of whole ones take at each instruction. */
static enum xk_status count_whole(struct alloc *a)
{
    struct xk_cg *const g = a->g;
    int n = 0;
    a->whole = xk_malloc(g->c, (g->n_inst + 1ull) * sizeof *a->whole);
    if (!a->whole)
        return XK_ENOMEM;
    for (uint32_t i = 0; i < g->n_inst; i++) {
        for (uint32_t t = a->by_first[i]; t; t = a->next_first[t - 1])
            n += (int)grfs_of_tile(a, &g->tile[t - 1]);
        a->whole[i] = (uint16_t)n;
        a->limit = (unsigned)n > a->limit ? (unsigned)n : a->limit;
        for (uint32_t t = a->by_last[i]; t; t = a->next_last[t - 1])
            n -= (int)grfs_of_tile(a, &g->tile[t - 1]);
    }
    return XK_OK;
}

static enum xk_status scan_insts(struct alloc *a)
{
    for (uint32_t i = 0; i < a->g->n_inst; i++) {
        for (uint32_t t = a->by_first[i]; t; t = a->next_first[t - 1]) {
            XK_TRY(place_tile(a, &a->g->tile[t - 1], i));
            if (a->n_begun < a->n_planned && a->planned[a->n_begun] == t - 1)
                begin_planned(a);
        }
        for (uint32_t t = a->by_last[i]; t; t = a->next_last[t - 1])
            mark_grfs(a, &a->g->tile[t - 1], false, i);
    }
    return XK_OK;
}

static void forget_plan(struct alloc *a)
{
    xk_free(a->g->c, a->planned);
    xk_free(a->g->c, a->whole);
    xk_free(a->g->c, a->after);
    a->planned = a->after = NULL;
    a->whole = NULL;
    a->n_planned = a->n_begun = a->n_after = 0;
    memset(a->until, 0xff, sizeof a->until);
}

static void release_buckets(struct alloc *a)
{
    xk_free(a->g->c, a->by_first);
    xk_free(a->g->c, a->by_last);
    xk_free(a->g->c, a->next_first);
    xk_free(a->g->c, a->next_last);
}

/* Resets to the state before the first scan, without wishes and plans, and with
 * room for sunk fills where they were. */
static bool start_again(struct alloc *a, const int32_t *at_b, uint16_t peak_grf)
{
    struct xk_cg *const g = a->g;
    for (uint32_t t = 0; t < g->n_tiles; t++) {
        g->tile[t].at_b = at_b[t];
        if (g->tile[t].sunk)
            g->tile[t].first = 0;
    }
    memset(a->used, 0, sizeof a->used);
    memset(a->freed_at, 0, sizeof a->freed_at);
    memset(a->lone, 0, sizeof a->lone);
    forget_plan(a);
    a->n_used = a->n_whole = 0;
    a->banks.costs = NULL;
    g->peak_grf = peak_grf;
    xk_ctx_clear(g->c);
    release_buckets(a);
    return fill_buckets(a);
}

static enum xk_status scan_with_plan(struct alloc *a)
{
    XK_TRY(plan_buffers(a));
    XK_TRY(count_whole(a));
    return scan_insts(a);
}

static enum xk_status scan_twice(struct alloc *a)
{
    struct xk_cg *const g = a->g;
    const uint16_t peak_grf = g->peak_grf;
    int32_t *const at_b = xk_malloc(g->c, g->n_tiles * sizeof *at_b);
    if (!at_b)
        return XK_ENOMEM;
    for (uint32_t t = 0; t < g->n_tiles; t++)
        at_b[t] = g->tile[t].at_b;
    enum xk_status st = scan_with_plan(a);
    if (st == XK_ENOFIT)
        st = start_again(a, at_b, peak_grf) ? scan_insts(a) : XK_ENOMEM;
    xk_free(g->c, at_b);
    return st;
}

static enum xk_status place_all(struct alloc *a)
{
    struct xk_cg *const g = a->g;
    if (!fill_buckets(a))
        return XK_ENOMEM;
    if (!(g->c->code_off & XK_CODE_BANKS))
        XK_TRY(xk_banks_init(&a->banks, g));
    return scan_twice(a);
}

static void resolve_operand(const struct xk_cg *g, struct xk_operand *o)
{
    if (o->file != XK_FILE_TILE)
        return;
    const uint32_t at_b = (uint32_t)g->tile[o->reg].at_b + o->sub_b;
    o->file = XK_FILE_GRF;
    o->reg = (uint16_t)(at_b / g->p->grf_b);
    o->sub_b = (uint16_t)(at_b % g->p->grf_b);
}

enum xk_status xk_cg_allocate(struct xk_cg *g)
{
    struct alloc a = {.g = g,
                      .grf_dw = g->p->grf_b / 4u,
                      .n_grf = xk_platform_grf(g->p, g->abi->grf_count)};
    find_ranges(g);
    memset(a.until, 0xff, sizeof a.until);
    const enum xk_status st = place_all(&a);
    forget_plan(&a);
    xk_banks_fini(&a.banks, g);
    release_buckets(&a);
    XK_TRY(st);
    for (uint32_t i = 0; i < g->n_inst; i++) {
        resolve_operand(g, &g->inst[i].dst);
        for (unsigned k = 0; k < 3; k++)
            resolve_operand(g, &g->inst[i].src[k]);
    }
    return XK_OK;
}
