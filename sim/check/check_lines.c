/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/check/check_lines.h"

#define CHUNK_B (64u << 10)

void *xk_check_arena_get(const struct xk_alloc *a, struct xk_check_arena *m,
                         size_t n_b)
{
    n_b = (n_b + 15) & ~(size_t)15;
    while (m->now && m->now->size_b - m->now->used_b < n_b && m->now->next) {
        m->now = m->now->next;
        m->now->used_b = 0;
    }
    if (!m->now || m->now->size_b - m->now->used_b < n_b) {
        const size_t size_b = n_b > CHUNK_B ? n_b : CHUNK_B;
        struct xk_check_chunk *const k =
            a->realloc(a->user, NULL, sizeof *k + size_b);
        if (!k)
            return NULL;
        *k = (struct xk_check_chunk){.size_b = size_b};
        if (m->now)
            m->now->next = k;
        else
            m->first = k;
        m->now = k;
    }
    void *const p = (uint8_t *)m->now->data + m->now->used_b;
    m->now->used_b += n_b;
    return memset(p, 0, n_b);
}

void xk_check_arena_reset(struct xk_check_arena *m)
{
    m->now = m->first;
    if (m->now)
        m->now->used_b = 0;
}

void xk_check_arena_fini(const struct xk_alloc *a, struct xk_check_arena *m)
{
    for (struct xk_check_chunk *k = m->first, *next; k; k = next) {
        next = k->next;
        a->realloc(a->user, k, 0);
    }
    *m = (struct xk_check_arena){.first = NULL};
}

void xk_check_lines_reset(struct xk_check_lines *m)
{
    m->generation++;
    m->n = m->n_all = 0;
    m->last = NULL;
    xk_check_arena_reset(&m->arena);
}

void xk_check_lines_fini(const struct xk_alloc *a, struct xk_check_lines *m)
{
    a->realloc(a->user, m->slot, 0);
    a->realloc(a->user, m->all, 0);
    xk_check_arena_fini(a, &m->arena);
}

static struct xk_check_slot *probe(const struct xk_check_lines *m, uint64_t key)
{
    size_t i = xk_check_line_hash(key) & (m->n_slots - 1);
    while (m->slot[i].generation == m->generation && m->slot[i].key != key)
        i = (i + 1) & (m->n_slots - 1);
    return &m->slot[i];
}

static bool grow_lines(const struct xk_alloc *a, struct xk_check_lines *m)
{
    const size_t n = m->n_slots ? 2 * m->n_slots : 1024;
    struct xk_check_slot *const slot =
        a->realloc(a->user, NULL, n * sizeof *slot);
    struct xk_check_line **const all =
        a->realloc(a->user, m->all, n * sizeof *all);
    if (all)
        m->all = all;
    if (!slot || !all) {
        a->realloc(a->user, slot, 0);
        return false;
    }
    memset(slot, 0, n * sizeof *slot);
    a->realloc(a->user, m->slot, 0);
    m->slot = slot;
    m->n_slots = n;
    m->generation = m->generation ? m->generation : 1;
    for (size_t i = 0; i < m->n_all; i++)
        *probe(m, all[i]->key) =
            (struct xk_check_slot){all[i]->key, m->generation, all[i]};
    return true;
}

struct xk_check_line *xk_check_line_find(struct xk_sim_check_work *w,
                                         uint64_t key)
{
    struct xk_check_lines *const m = &w->lines;
    const struct xk_alloc *const a = &w->run->alloc;
    if (2 * (m->n_all + 1) > m->n_slots && !grow_lines(a, m)) {
        w->no_memory = true;
        return NULL;
    }
    struct xk_check_slot *const s = probe(m, key);
    if (s->generation != m->generation) {
        struct xk_check_line *const l =
            xk_check_arena_get(a, &m->arena, sizeof *l);
        if (!l) {
            w->no_memory = true;
            return NULL;
        }
        l->key = key;
        *s = (struct xk_check_slot){key, m->generation, l};
        m->all[m->n_all++] = l;
    }
    m->last = s->line;
    return s->line;
}

static void *line_alloc(struct xk_sim_check_work *w, size_t n_b)
{
    void *const p = xk_check_arena_get(&w->run->alloc, &w->lines.arena, n_b);
    w->no_memory |= !p;
    return p;
}

/* A record of dwords becomes four of bytes. */
static void spread_keys(xk_check_key *to, const xk_check_key *from,
                        unsigned part)
{
    for (unsigned i = 0; i < XK_CHECK_PIECES; i++)
        to[i] = from[part * 4 + i / 4];
}

static bool split_line(struct xk_sim_check_work *w, struct xk_check_line *l)
{
    struct xk_check_cells *const c = line_alloc(w, 4 * sizeof *c);
    struct xk_check_atoms *const a =
        l->atoms ? line_alloc(w, 4 * sizeof *a) : NULL;
    if (!c || (l->atoms && !a))
        return false;
    for (unsigned part = 0; part < 4; part++) {
        spread_keys(c[part].w, l->cells->w, part);
        spread_keys(c[part].r1, l->cells->r1, part);
        spread_keys(c[part].r2, l->cells->r2, part);
        if (a) {
            spread_keys(a[part].a1, l->atoms->a1, part);
            spread_keys(a[part].a2, l->atoms->a2, part);
        }
    }
    l->cells = c;
    l->atoms = a;
    l->bytes = true;
    return true;
}

bool xk_check_line_spread(struct xk_sim_check_work *w, struct xk_check_line *l)
{
    const unsigned n = l->odd ? 64 : 16, unit_b = 64 / n;
    struct xk_check_cells *const c =
        line_alloc(w, n / XK_CHECK_PIECES * sizeof *l->cells);
    if (!c)
        return false;
    for (unsigned p = 0; p < n; p++) {
        const unsigned part = p / XK_CHECK_PIECES, i = p % XK_CHECK_PIECES;
        c[part].r1[i] = l->r >> p * unit_b & 1 ? l->r_all : 0;
        c[part].w[i] = l->w >> p * unit_b & 1 ? l->w_all : 0;
    }
    l->cells = c;
    l->bytes = l->odd;
    return true;
}

bool xk_check_line_prepare(struct xk_sim_check_work *w, struct xk_check_line *l,
                           bool bytes, bool atomic)
{
    if (!l->cells && !xk_check_line_spread(w, l))
        return false;
    if (bytes && !l->bytes && !split_line(w, l))
        return false;
    if (atomic && !l->atoms)
        l->atoms = line_alloc(w, (l->bytes ? 4 : 1) * sizeof *l->atoms);
    return !atomic || l->atoms;
}
