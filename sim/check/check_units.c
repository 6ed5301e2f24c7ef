/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts between units of work: groups, or threads that never meet. Nothing
 * orders two units, but for locks (check_locks.c). So it is enough to keep, for
 * each piece of memory, the first unit that read it, that wrote it and that
 * changed it atomically. Units are merged in their order, whichever host thread
 * runs them. */
#include <stdio.h>

#include "sim/check/check_state.h"

static struct xk_check_gslot *probe_gline(struct xk_check_gslot *slot, size_t n,
                                          uint64_t key)
{
    size_t i = xk_check_line_hash(key) & (n - 1);
    while (slot[i].key && slot[i].key != key)
        i = (i + 1) & (n - 1);
    return &slot[i];
}

static bool grow_glines(struct xk_sim_check_run *r)
{
    const size_t n = r->n_gslots ? 2 * r->n_gslots : 4096;
    struct xk_check_gslot *const slot =
        r->alloc.realloc(r->alloc.user, NULL, n * sizeof *slot);
    if (!slot)
        return false;
    memset(slot, 0, n * sizeof *slot);
    for (size_t i = 0; i < r->n_gslots; i++)
        if (r->gslot[i].key)
            *probe_gline(slot, n, r->gslot[i].key) = r->gslot[i];
    r->alloc.realloc(r->alloc.user, r->gslot, 0);
    r->gslot = slot;
    r->n_gslots = n;
    return true;
}

static void *gline_alloc(struct xk_sim_check_run *r, size_t n_b)
{
    void *const p = xk_check_arena_get(&r->alloc, &r->arena, n_b);
    r->no_memory |= !p;
    return p;
}

static struct xk_check_gline *line_at(struct xk_sim_check_run *r, uint64_t key)
{
    if (2 * (r->n_g + 1) > r->n_gslots && !grow_glines(r)) {
        r->no_memory = true;
        return NULL;
    }
    struct xk_check_gslot *const s = probe_gline(r->gslot, r->n_gslots, key);
    if (!s->key) {
        struct xk_check_gline *const l = gline_alloc(r, sizeof *l);
        if (!l)
            return NULL;
        *s = (struct xk_check_gslot){key, l};
        r->n_g++;
    }
    return s->line;
}

static void spread_origins(struct xk_check_origin *to,
                           const struct xk_check_origin *from, unsigned part)
{
    for (unsigned i = 0; i < XK_CHECK_PIECES; i++)
        to[i] = from[part * 4 + i / 4];
}

static bool split_gline(struct xk_sim_check_run *r, struct xk_check_gline *l)
{
    struct xk_check_firsts *const f = gline_alloc(r, 4 * sizeof *f);
    if (!f)
        return false;
    for (unsigned part = 0; part < 4; part++) {
        spread_origins(f[part].w, l->firsts->w, part);
        spread_origins(f[part].r, l->firsts->r, part);
        spread_origins(f[part].a, l->firsts->a, part);
    }
    l->firsts = f;
    l->bytes = true;
    return true;
}

struct meeting {
    struct xk_sim_check_work *w;
    uint64_t va;
    uint32_t n_b;
};

/* Whether the two ran one after the other in a slot of the machine. */
static bool in_slot_turn(const struct xk_sim_run *r, uint64_t unit,
                         uint64_t other, bool same_thread)
{
    const uint64_t n = r->d->n_threads;
    if (!r->n_places)
        return false;
    return r->apart ? unit % n == other % n &&
                          unit / n % r->n_places == other / n % r->n_places
                    : same_thread && unit % r->n_places == other % r->n_places;
}

static void report_unit_race(const struct meeting *x, xk_check_key me,
                             const char *mine, struct xk_check_origin o,
                             const char *theirs)
{
    struct xk_sim_place place = {
        .what = "memory", .address = x->va, .n_b = x->n_b};
    const struct xk_sim_who a = {.unit = x->w->unit,
                                 .thread = xk_key_thread(me),
                                 .inst = xk_key_inst(me)};
    const struct xk_sim_who b = {
        .unit = o.unit_1 - 1u, .thread = o.who >> 21, .inst = o.who & 0x1fffff};
    const struct xk_sim_run *const r = x->w->run->run;
    const bool apart = r->apart;
    char why[160];
    if (in_slot_turn(r, a.unit, b.unit, a.thread == b.thread) ||
        xk_check_locked_units(x->w->run, a.inst, b.inst))
        return;
    snprintf(why, sizeof why, "%s what another %s %s, and nothing orders them",
             mine, apart ? "thread" : "group", theirs);
    xk_check_record(x->w, XK_CHECK_RACE, &a, &b, &place, why);
}

static void note_origin(struct xk_check_origin *o, uint64_t unit,
                        xk_check_key k)
{
    if (!o->unit_1)
        *o = (struct xk_check_origin){(uint32_t)unit + 1,
                                      xk_key_thread(k) << 21 |
                                          (xk_key_inst(k) & 0x1fffff)};
}

static void meet_piece(struct meeting *x, struct xk_check_firsts *f, unsigned i,
                       const struct xk_check_cells *k,
                       const struct xk_check_atoms *a, unsigned j)
{
    const xk_check_key w = k->w[j], r = k->r1[j], at = a ? a->a1[j] : 0;
    if (w && f->w[i].unit_1)
        report_unit_race(x, w, "writes", f->w[i], "writes");
    else if (w && f->r[i].unit_1)
        report_unit_race(x, w, "writes", f->r[i], "reads");
    else if (w && f->a[i].unit_1)
        report_unit_race(x, w, "writes", f->a[i], "changes atomically");
    if (r && f->w[i].unit_1)
        report_unit_race(x, r, "reads", f->w[i], "writes");
    else if (r && f->a[i].unit_1)
        report_unit_race(x, r, "reads", f->a[i], "changes atomically");
    if (at && f->w[i].unit_1)
        report_unit_race(x, at, "changes atomically", f->w[i], "writes");
    else if (at && f->r[i].unit_1)
        report_unit_race(x, at, "changes atomically", f->r[i], "reads");
}

static void keep_firsts(struct xk_check_firsts *f, unsigned i, uint64_t unit,
                        const struct xk_check_cells *k,
                        const struct xk_check_atoms *a, unsigned j)
{
    if (k->w[j])
        note_origin(&f->w[i], unit, k->w[j]);
    if (k->r1[j])
        note_origin(&f->r[i], unit, k->r1[j]);
    if (a && a->a1[j])
        note_origin(&f->a[i], unit, a->a1[j]);
}

/* Gives a line a record for every piece; false: out of memory. */
static bool spread_line(struct xk_sim_check_run *r, struct xk_check_gline *g)
{
    struct xk_check_firsts *const f = gline_alloc(r, sizeof *f);
    if (!f)
        return false;
    for (unsigned i = 0; i < XK_CHECK_PIECES; i++) {
        if (g->r >> 4 * i & 1)
            f->r[i] = g->r_all;
        if (g->w >> 4 * i & 1)
            f->w[i] = g->w_all;
    }
    g->firsts = f;
    return true;
}

/* Piece by piece. */
static void merge_pieces(struct xk_sim_check_work *w,
                         const struct xk_check_line *l,
                         struct xk_check_gline *g)
{
    const unsigned n = g->bytes ? 64 : 16;
    struct meeting x = {.w = w, .n_b = 64 / n};
    for (unsigned p = 0; p < n; p++) {
        const unsigned q = l->bytes == g->bytes ? p : p / 4;
        const uint64_t bits = (g->bytes ? UINT64_C(1) : 15) << p * x.n_b;
        struct xk_check_firsts *const f = &g->firsts[p / XK_CHECK_PIECES];
        const struct xk_check_cells *const k = &l->cells[q / XK_CHECK_PIECES];
        const struct xk_check_atoms *const a =
            l->atoms ? &l->atoms[q / XK_CHECK_PIECES] : NULL;
        const unsigned i = q % XK_CHECK_PIECES;
        x.va = (l->key - 1) * 64 + p * x.n_b;
        meet_piece(&x, f, p % XK_CHECK_PIECES, k, a, i);
        keep_firsts(f, p % XK_CHECK_PIECES, w->unit, k, a, i);
        g->r |= k->r1[i] ? bits : 0;
        g->w |= k->w[i] ? bits : 0;
        g->a |= a && a->a1[i] ? bits : 0;
    }
}

/* Notes an origin for bytes that had none; false: there would be two. */
static bool merge_bits(uint64_t *all, struct xk_check_origin *who,
                       uint64_t more, uint64_t unit, xk_check_key k)
{
    struct xk_check_origin o = {0};
    if (!(more & ~*all))
        return true;
    note_origin(&o, unit, k);
    if (*all && (who->unit_1 != o.unit_1 || who->who != o.who))
        return false;
    *all |= more;
    *who = o;
    return true;
}

static xk_check_key reader(const struct xk_check_line *l, unsigned p)
{
    return l->cells ? l->cells[p / XK_CHECK_PIECES].r1[p % XK_CHECK_PIECES]
                    : l->r_all;
}

static xk_check_key writer(const struct xk_check_line *l, unsigned p)
{
    return l->cells ? l->cells[p / XK_CHECK_PIECES].w[p % XK_CHECK_PIECES]
                    : l->w_all;
}

/* Notes bytes that had no origin, all of them whole dwords. */
static void merge_new(const struct xk_sim_check_work *w,
                      const struct xk_check_line *l, struct xk_check_gline *g)
{
    const uint64_t dwords = UINT64_C(0x1111111111111111);
    for (uint64_t m = l->r & ~g->r & dwords; m; m &= m - 1) {
        const unsigned p = (unsigned)__builtin_ctzll(m) / 4;
        note_origin(&g->firsts->r[p], w->unit, reader(l, p));
    }
    for (uint64_t m = l->w & ~g->w & dwords; m; m &= m - 1) {
        const unsigned p = (unsigned)__builtin_ctzll(m) / 4;
        note_origin(&g->firsts->w[p], w->unit, writer(l, p));
    }
    g->r |= l->r;
    g->w |= l->w;
}

/* Does it without looking at each piece where nothing collides and little is
 * new. */
static bool merge_whole(const struct xk_sim_check_work *w,
                        const struct xk_check_line *l, struct xk_check_gline *g)
{
    if (l->atoms || l->w & (g->r | g->w | g->a) || l->r & (g->w | g->a))
        return false;
    if (!(l->r & ~g->r) && !(l->w & ~g->w))
        return true;
    if (l->odd || g->bytes)
        return false;
    if (!g->firsts && !l->cells &&
        merge_bits(&g->r, &g->r_all, l->r, w->unit, l->r_all) &&
        merge_bits(&g->w, &g->w_all, l->w, w->unit, l->w_all))
        return true;
    if (!g->firsts && !spread_line(w->run, g))
        return true;
    merge_new(w, l, g);
    return true;
}

static void merge_line(struct xk_sim_check_work *w, struct xk_check_line *l)
{
    struct xk_sim_check_run *const r = w->run;
    struct xk_check_gline *const g = line_at(r, l->key);
    if (!g || merge_whole(w, l, g))
        return;
    if ((!l->cells && !xk_check_line_spread(w, l)) ||
        (!g->firsts && !spread_line(r, g)) ||
        (l->bytes && !g->bytes && !split_gline(r, g)))
        return;
    merge_pieces(w, l, g);
}

/* Fetches ahead: most of what is looked for is not in the host's cache. */
#define AHEAD 8

static void ask_for(const struct xk_sim_check_work *w, size_t i)
{
    const struct xk_check_lines *const m = &w->lines;
    const struct xk_sim_check_run *const r = w->run;
    if (i + AHEAD < m->n_all)
        __builtin_prefetch(m->all[i + AHEAD]);
    if (i < m->n_all && r->n_gslots)
        __builtin_prefetch(
            &r->gslot[xk_check_line_hash(m->all[i]->key) & (r->n_gslots - 1)]);
}

void xk_check_merge(struct xk_sim_check_work *w)
{
    for (size_t i = 0; i < w->lines.n_all; i++) {
        struct xk_check_line *const l = w->lines.all[i];
        ask_for(w, i + AHEAD);
        if ((l->cells || l->r | l->w) && !((l->key - 1) >> 63))
            merge_line(w, l);
    }
}
