/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts between units of work: groups, or threads that never meet. Nothing
 * orders two units, so it is enough to know of each piece of memory who was the
 * first to read it, to write it and to change it atomically. Units are merged
 * in their order, whichever host thread runs them. */
#include <stdio.h>

#include "sim/check_state.h"

static struct xk_check_gslot *probe(struct xk_check_gslot *slot, size_t n,
                                    uint64_t key)
{
    size_t i =
        (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (n - 1);
    while (slot[i].key && slot[i].key != key)
        i = (i + 1) & (n - 1);
    return &slot[i];
}

static bool grow(struct xk_sim_check_run *r)
{
    const size_t n = r->n_gslots ? 2 * r->n_gslots : 4096;
    struct xk_check_gslot *const slot =
        r->alloc.realloc(r->alloc.user, NULL, n * sizeof *slot);
    if (!slot)
        return false;
    memset(slot, 0, n * sizeof *slot);
    for (size_t i = 0; i < r->n_gslots; i++)
        if (r->gslot[i].key)
            *probe(slot, n, r->gslot[i].key) = r->gslot[i];
    r->alloc.realloc(r->alloc.user, r->gslot, 0);
    r->gslot = slot;
    r->n_gslots = n;
    return true;
}

static void *get(struct xk_sim_check_run *r, size_t n_b)
{
    void *const p = xk_check_arena_get(&r->alloc, &r->arena, n_b);
    r->no_memory |= !p;
    return p;
}

static struct xk_check_gline *line_at(struct xk_sim_check_run *r, uint64_t key)
{
    if (2 * (r->n_g + 1) > r->n_gslots && !grow(r)) {
        r->no_memory = true;
        return NULL;
    }
    struct xk_check_gslot *const s = probe(r->gslot, r->n_gslots, key);
    if (!s->key) {
        struct xk_check_gline *const l = get(r, sizeof *l);
        struct xk_check_firsts *const f = get(r, sizeof *f);
        if (!l || !f)
            return NULL;
        l->firsts = f;
        *s = (struct xk_check_gslot){key, l};
        r->n_g++;
    }
    return s->line;
}

static void spread(struct xk_check_origin *to,
                   const struct xk_check_origin *from, unsigned part)
{
    for (unsigned i = 0; i < XK_CHECK_PIECES; i++)
        to[i] = from[part * 4 + i / 4];
}

static bool split(struct xk_sim_check_run *r, struct xk_check_gline *l)
{
    struct xk_check_firsts *const f = get(r, 4 * sizeof *f);
    if (!f)
        return false;
    for (unsigned part = 0; part < 4; part++) {
        spread(f[part].w, l->firsts->w, part);
        spread(f[part].r, l->firsts->r, part);
        spread(f[part].a, l->firsts->a, part);
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

static void race(const struct meeting *x, xk_check_key me, const char *mine,
                 struct xk_check_origin o, const char *theirs)
{
    struct xk_sim_place place = {
        .what = "memory", .address = x->va, .n_b = x->n_b};
    const struct xk_sim_who a = {.unit = x->w->unit,
                                 .thread = xk_key_thread(me),
                                 .inst = xk_key_inst(me)};
    const struct xk_sim_who b = {.unit = o.unit_1 - 1u,
                                 .thread = o.who >> 21,
                                 .inst = o.who & 0x1fffff};
    const bool apart = x->w->run->run->apart;
    char why[160];
    snprintf(why, sizeof why, "%s what another %s %s, and nothing orders them",
             mine, apart ? "thread" : "group", theirs);
    xk_check_record(x->w, XK_CHECK_RACE, &a, &b, &place, why);
}

static void note(struct xk_check_origin *o, uint64_t unit, xk_check_key k)
{
    if (!o->unit_1)
        *o = (struct xk_check_origin){
            (uint32_t)unit + 1,
            xk_key_thread(k) << 21 | (xk_key_inst(k) & 0x1fffff)};
}

static void piece(struct meeting *x, struct xk_check_firsts *f, unsigned i,
                  const struct xk_check_cells *k,
                  const struct xk_check_atoms *a, unsigned j)
{
    const xk_check_key w = k->w[j], r = k->r1[j], at = a ? a->a1[j] : 0;
    if (w && f->w[i].unit_1)
        race(x, w, "writes", f->w[i], "writes");
    else if (w && f->r[i].unit_1)
        race(x, w, "writes", f->r[i], "reads");
    else if (w && f->a[i].unit_1)
        race(x, w, "writes", f->a[i], "changes atomically");
    if (r && f->w[i].unit_1)
        race(x, r, "reads", f->w[i], "writes");
    else if (r && f->a[i].unit_1)
        race(x, r, "reads", f->a[i], "changes atomically");
    if (at && f->w[i].unit_1)
        race(x, at, "changes atomically", f->w[i], "writes");
    else if (at && f->r[i].unit_1)
        race(x, at, "changes atomically", f->r[i], "reads");
}

static void keep(struct xk_check_firsts *f, unsigned i, uint64_t unit,
                 const struct xk_check_cells *k, const struct xk_check_atoms *a,
                 unsigned j)
{
    if (k->w[j])
        note(&f->w[i], unit, k->w[j]);
    if (k->r1[j])
        note(&f->r[i], unit, k->r1[j]);
    if (a && a->a1[j])
        note(&f->a[i], unit, a->a1[j]);
}

static void merge_line(struct xk_sim_check_work *w,
                       const struct xk_check_line *l)
{
    struct xk_sim_check_run *const r = w->run;
    struct xk_check_gline *const g = line_at(r, l->key);
    if (!g || (l->bytes && !g->bytes && !split(r, g)))
        return;
    const unsigned n = g->bytes ? 64 : 16;
    struct meeting x = {.w = w, .n_b = 64 / n};
    for (unsigned p = 0; p < n; p++) {
        const unsigned q = l->bytes == g->bytes ? p : p / 4;
        struct xk_check_firsts *const f = &g->firsts[p / XK_CHECK_PIECES];
        const struct xk_check_cells *const k = &l->cells[q / XK_CHECK_PIECES];
        const struct xk_check_atoms *const a =
            l->atoms ? &l->atoms[q / XK_CHECK_PIECES] : NULL;
        x.va = (l->key - 1) * 64 + p * x.n_b;
        piece(&x, f, p % XK_CHECK_PIECES, k, a, q % XK_CHECK_PIECES);
        keep(f, p % XK_CHECK_PIECES, w->unit, k, a, q % XK_CHECK_PIECES);
    }
}

void xk_check_merge(struct xk_sim_check_work *w)
{
    for (size_t i = 0; i < w->lines.n_all; i++) {
        const struct xk_check_line *const l = w->lines.all[i];
        if (l->cells && !((l->key - 1) >> 63))
            merge_line(w, l);
    }
}
