/* SPDX-License-Identifier: Apache-2.0 */
/* Who touched which byte, inside one unit of work. Between two threads of a
 * group only barriers make an order: thread B is behind what A did before its
 * s-th signal once B has waited for a barrier that this signal went into
 * (known[A] >= s). Of readers the two of different threads that signalled most
 * are enough: if any reader of another thread is not over, one of these is. An
 * earlier writer need not be kept: a later one came behind it, or was reported.
 * A byte that was written is over with its earlier readers in the same way.
 * A store of what another thread has just stored there is none.
 * A plain load beside atomic operations is excused if its thread then changes
 * the same piece atomically: that is how loops of compare and exchange begin.
 */
#include <inttypes.h>
#include <stdio.h>

#include "sim/check_state.h"

#define CHUNK_B (64u << 10)
#define LINE_B 64

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

static bool grow(const struct xk_alloc *a, struct xk_check_lines *m)
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

/* The line of an address; NULL: out of memory. */
static struct xk_check_line *line_at(struct xk_sim_check_work *w, uint8_t space,
                                     uint64_t addr)
{
    struct xk_check_lines *const m = &w->lines;
    const struct xk_alloc *const a = &w->run->alloc;
    const uint64_t key =
        (addr / LINE_B | (uint64_t)(space == XK_CS_SLM) << 63) + 1;
    if (m->last && m->last->key == key)
        return m->last;
    if (2 * (m->n_all + 1) > m->n_slots && !grow(a, m)) {
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

static void *get(struct xk_sim_check_work *w, size_t n_b)
{
    void *const p = xk_check_arena_get(&w->run->alloc, &w->lines.arena, n_b);
    w->no_memory |= !p;
    return p;
}

/* A record of dwords becomes four of bytes. */
static void spread(xk_check_key *to, const xk_check_key *from, unsigned part)
{
    for (unsigned i = 0; i < XK_CHECK_PIECES; i++)
        to[i] = from[part * 4 + i / 4];
}

static bool split(struct xk_sim_check_work *w, struct xk_check_line *l)
{
    struct xk_check_cells *const c = get(w, 4 * sizeof *c);
    struct xk_check_atoms *const a = l->atoms ? get(w, 4 * sizeof *a) : NULL;
    if (!c || (l->atoms && !a))
        return false;
    for (unsigned part = 0; part < 4; part++) {
        spread(c[part].w, l->cells->w, part);
        spread(c[part].r1, l->cells->r1, part);
        spread(c[part].r2, l->cells->r2, part);
        if (a) {
            spread(a[part].a1, l->atoms->a1, part);
            spread(a[part].a2, l->atoms->a2, part);
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
        get(w, n / XK_CHECK_PIECES * sizeof *l->cells);
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

static bool prepare(struct xk_sim_check_work *w, struct xk_check_line *l,
                    bool bytes, bool atomic)
{
    if (!l->cells && !xk_check_line_spread(w, l))
        return false;
    if (bytes && !l->bytes && !split(w, l))
        return false;
    if (atomic && !l->atoms)
        l->atoms = get(w, (l->bytes ? 4 : 1) * sizeof *l->atoms);
    return !atomic || l->atoms;
}

/* An access in progress. */
struct access {
    struct xk_sim_check_thread *c;
    const struct xk_sim_inst *e;
    xk_check_key me;
    uint8_t space;
    bool write, atomic;
    const struct xk_check_note *note;
    uint64_t addr; /* of the piece */
    uint32_t n_b;
};

static const char *doing(bool write, bool atomic)
{
    return atomic ? "changes atomically" : write ? "writes" : "reads";
}

static void report(const struct access *x, uint32_t check, xk_check_key other,
                   const char *why)
{
    struct xk_sim_place place = {.address = x->addr, .n_b = x->n_b};
    if (!xk_check_on(x->c, check))
        return;
    const struct xk_sim_who who = {.unit = x->c->work->unit,
                                   .thread = xk_key_thread(other),
                                   .inst = xk_key_inst(other)};
    snprintf(place.what, sizeof place.what, "%s",
             x->space == XK_CS_SLM ? "SLM" : "memory");
    xk_sim_check_report(x->c->thread, x->e, check, &who, &place, "%s", why);
}

static void race(const struct access *x, xk_check_key other, bool write,
                 bool atomic)
{
    char why[160];
    snprintf(why, sizeof why,
             "%s what another thread of the group %s, with no barrier between",
             doing(x->write, x->atomic), doing(write, atomic));
    report(x, XK_CHECK_RACE, other, why);
}

/* A store that leaves the piece as it is: compilers let one lane of every
 * thread write what they all computed. */
static bool changes(const struct access *x)
{
    const struct xk_check_note *const n = x->note;
    const uint64_t off_b = x->addr - n->addr;
    return n->n_b > XK_CHECK_OLD_B || off_b + x->n_b > n->n_b ||
           memcmp(n->old + off_b, n->host + off_b, x->n_b);
}

/* Not over for this thread. */
static inline bool meets(const struct access *x, xk_check_key k)
{
    const uint32_t t = xk_key_thread(k);
    return k && t != xk_key_thread(x->me) &&
           x->c->known[t] <= xk_key_signals(k);
}

static inline bool same_user(xk_check_key a, xk_check_key b)
{
    return ((a ^ b) & ~XK_KEY_DIRTY) >> 26 == 0;
}

/* One more reader, or user of atomics. */
static inline void add_user(xk_check_key *k1, xk_check_key *k2, xk_check_key me)
{
    if (!*k1 || xk_key_thread(*k1) == xk_key_thread(me)) {
        *k1 = me;
    } else if (xk_key_signals(me) >= xk_key_signals(*k1)) {
        *k2 = *k1;
        *k1 = me;
    } else if (!*k2 || xk_key_thread(*k2) == xk_key_thread(me) ||
               xk_key_signals(me) > xk_key_signals(*k2)) {
        *k2 = me;
    }
}

/* One of them is this access. */
static void add_beside(const struct access *x, xk_check_key reader,
                       xk_check_key changer)
{
    struct xk_sim_check_work *const w = x->c->work;
    for (unsigned i = 0; i < w->n_beside; i++)
        if (!((w->beside[i].reader ^ reader) << 6) &&
            !((w->beside[i].changer ^ changer) << 38))
            return;
    if (w->n_beside < XK_CHECK_UNIT_MOST)
        w->beside[w->n_beside++] = (struct xk_check_beside){
            x->addr, x->n_b, x->space, reader, changer};
}

/* The thread changes what it read before: it notices. */
static void excuse(const struct access *x, xk_check_key *k1, xk_check_key *k2)
{
    struct xk_sim_check_work *const w = x->c->work;
    const uint32_t me = xk_key_thread(x->me);
    unsigned n = 0;
    for (unsigned i = 0; i < w->n_beside; i++) {
        const struct xk_check_beside *const b = &w->beside[i];
        if (xk_key_thread(b->reader) != me || b->space != x->space ||
            b->addr / 4 != x->addr / 4)
            w->beside[n++] = *b;
    }
    w->n_beside = n;
    if (*k2 && xk_key_thread(*k2) == me)
        *k2 = 0;
    if (*k1 && xk_key_thread(*k1) == me) {
        *k1 = *k2;
        *k2 = 0;
    }
}

static void unfenced(const struct access *x, xk_check_key w)
{
    if (xk_check_is_fenced(x->c, xk_key_thread(w), (uint32_t)x->addr))
        return;
    report(x, XK_CHECK_SYNC, w,
           "uses SLM that another thread wrote, with no completed fence "
           "between the write and that thread's barrier");
}

static void behind_writer(const struct access *x, xk_check_key w)
{
    if (meets(x, w)) {
        if (!x->write || changes(x))
            race(x, w, true, false);
    } else if (w & XK_KEY_DIRTY && xk_key_thread(w) != xk_key_thread(x->me)) {
        unfenced(x, w);
    }
}

static void behind_atoms(const struct access *x, xk_check_key k1,
                         xk_check_key k2)
{
    if (meets(x, k1))
        add_beside(x, x->me, k1);
    else if (meets(x, k2))
        add_beside(x, x->me, k2);
    else if (k1 & XK_KEY_DIRTY && xk_key_thread(k1) != xk_key_thread(x->me))
        unfenced(x, k1);
}

static void behind_users(const struct access *x, xk_check_key k1,
                         xk_check_key k2, bool atomic)
{
    if (meets(x, k1))
        race(x, k1, atomic, atomic);
    else if (meets(x, k2))
        race(x, k2, atomic, atomic);
}

static void piece(const struct access *x, struct xk_check_line *l, unsigned p)
{
    struct xk_check_cells *const k = &l->cells[p / XK_CHECK_PIECES];
    struct xk_check_atoms *const a =
        l->atoms ? &l->atoms[p / XK_CHECK_PIECES] : NULL;
    const unsigned i = p % XK_CHECK_PIECES;
    if (k->w[i] && !same_user(k->w[i], x->me))
        behind_writer(x, k->w[i]);
    if (x->write) {
        if (a)
            behind_users(x, a->a1[i], a->a2[i], true);
        behind_users(x, k->r1[i], k->r2[i], false);
    } else if (x->atomic) {
        excuse(x, &k->r1[i], &k->r2[i]);
        if (meets(x, k->r1[i]))
            add_beside(x, k->r1[i], x->me);
    } else if (a) {
        behind_atoms(x, a->a1[i], a->a2[i]);
    }
    if (x->atomic) {
        add_user(&a->a1[i], &a->a2[i], x->me);
    } else if (!x->write) {
        add_user(&k->r1[i], &k->r2[i], x->me);
    } else {
        k->w[i] = x->me;
        k->r1[i] = k->r2[i] = 0;
        if (a)
            a->a1[i] = a->a2[i] = 0;
    }
}

/* The most frequent: dwords that nobody has written. */
static void read_dwords(struct xk_check_cells *k, xk_check_key me, unsigned p,
                        unsigned end)
{
    for (; p < end; p++)
        if (!same_user(k->r1[p], me))
            add_user(&k->r1[p], &k->r2[p], me);
}

static void touch_line(struct access *x, struct xk_check_line *l,
                       uint32_t off_b, uint32_t n_b)
{
    const unsigned unit_b = l->bytes ? 1 : 4;
    const uint64_t line_va = x->addr & ~(uint64_t)(LINE_B - 1);
    if (!l->written && !l->bytes && !l->atoms && !x->write && !x->atomic) {
        read_dwords(l->cells, x->me, off_b / 4, (off_b + n_b) / 4);
        return;
    }
    l->written |= x->write;
    x->n_b = unit_b;
    for (uint32_t b = off_b; b < off_b + n_b; b += unit_b) {
        x->addr = line_va + b;
        piece(x, l, b / unit_b);
    }
}

static uint64_t low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* False where what is known of the line would no longer be one instruction. */
static bool read_whole(const struct access *x, struct xk_check_line *l,
                       uint64_t bits)
{
    if (l->w & bits && xk_key_thread(l->w_all) != xk_key_thread(x->me))
        return false;
    if (l->r && !same_user(l->r_all, x->me))
        return false;
    const bool last = l->written || l->odd; /* reader counts; else the first */
    if (!l->r || (last && !(l->r & ~bits)))
        l->r_all = x->me;
    else if (l->r_all != x->me && (bits & ~l->r || last))
        return false;
    l->r |= bits;
    return true;
}

static bool write_whole(const struct access *x, struct xk_check_line *l,
                        uint64_t bits)
{
    const uint32_t me = xk_key_thread(x->me);
    if ((l->r & bits && xk_key_thread(l->r_all) != me) ||
        (l->w & bits && xk_key_thread(l->w_all) != me) ||
        (l->w & ~bits && l->w_all != x->me))
        return false;
    l->w |= bits;
    l->w_all = x->me;
    l->r &= ~bits;
    l->written = true;
    return true;
}

static void note_bits(struct xk_check_line *l, uint64_t bits, bool write)
{
    l->r = write ? l->r & ~bits : l->r | bits;
    l->w |= write ? bits : 0;
}

static bool touch_whole(const struct access *x, struct xk_check_line *l,
                        uint64_t bits)
{
    if (l->cells || x->atomic)
        return false;
    return x->write ? write_whole(x, l, bits) : read_whole(x, l, bits);
}

static void touch(struct access *x, uint64_t addr, uint32_t n_b)
{
    struct xk_sim_check_work *const w = x->c->work;
    for (uint64_t at = addr, end = addr + n_b; at < end;) {
        const uint32_t off_b = at % LINE_B;
        const uint32_t room_b = LINE_B - off_b;
        const uint32_t m_b = end - at < room_b ? (uint32_t)(end - at) : room_b;
        struct xk_check_line *const l = line_at(w, x->space, at);
        at += m_b;
        if (!l)
            return;
        l->odd |= ((off_b | m_b) & 3) != 0;
        if (touch_whole(x, l, low_bits(m_b) << off_b))
            continue;
        if (!prepare(w, l, (off_b | m_b) & 3, x->atomic))
            return;
        x->addr = at - m_b;
        touch_line(x, l, off_b, m_b);
        note_bits(l, low_bits(m_b) << off_b, x->write);
    }
}

/* Notes behind note i of dwords right behind its own, which *n_b then covers
 * too: lanes often read a row. */
static unsigned following(const struct xk_sim_check_work *w, unsigned i,
                          uint32_t *n_b)
{
    const struct xk_check_note *const first = &w->note[i];
    unsigned k = i + 1;
    if ((first->addr | first->n_b) & 3)
        return 0;
    for (; k < w->n_notes; k++) {
        const struct xk_check_note *const n = &w->note[k];
        if (n->space != first->space || n->addr != first->addr + *n_b ||
            n->n_b & 3)
            break;
        *n_b += n->n_b;
    }
    return k - i - 1;
}

void xk_check_accesses(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e)
{
    const struct xk_sim_check_work *const w = c->work;
    const enum xk_msg_class k = xk_msg_op_class(xk_check_msg(c, e)->op);
    struct access x = {.c = c,
                       .e = e,
                       .write = k == XK_MCLASS_STORE,
                       .atomic = k == XK_MCLASS_ATOMIC};
    x.me = UINT64_C(1) << 63 | (uint64_t)(c->signals & 0x1ffffff) << 37 |
           (uint64_t)c->thread->index << 26 |
           (uint64_t)(e - c->thread->kernel->inst);
    for (unsigned i = 0; i < w->n_notes; i++) {
        const struct xk_check_note *const n = &w->note[i];
        if (n->space != XK_CS_SLM &&
            (n->space != XK_CS_GLOBAL || !xk_check_on(c, XK_CHECK_RACE)))
            continue;
        uint32_t n_b = n->n_b;
        if (k == XK_MCLASS_LOAD)
            i += following(w, i, &n_b);
        x.space = n->space;
        x.note = n;
        touch(&x, n->addr, n_b);
    }
}

void xk_check_accesses_end(struct xk_sim_check_work *w)
{
    for (unsigned i = 0; i < w->n_beside; i++) {
        const struct xk_check_beside *const b = &w->beside[i];
        struct xk_sim_place place = {.address = b->addr, .n_b = b->n_b};
        const struct xk_sim_who reader = {w->unit, xk_key_thread(b->reader),
                                          xk_key_inst(b->reader)};
        const struct xk_sim_who changer = {w->unit, xk_key_thread(b->changer),
                                           xk_key_inst(b->changer)};
        snprintf(place.what, sizeof place.what, "%s",
                 b->space == XK_CS_SLM ? "SLM" : "memory");
        xk_check_record(w, XK_CHECK_RACE, &reader, &changer, &place,
                        "reads what another thread of the group changes "
                        "atomically, with no barrier between");
    }
}

/* A scratch line that another thread used is nobody's. */
static void own(const struct xk_sim_check_thread *c, uint8_t space,
                struct xk_check_line *l)
{
    if (space != XK_CS_SCRATCH || l->owner == c->thread->index + 1)
        return;
    l->owner = c->thread->index + 1;
    l->def = 0;
}

uint64_t xk_check_get_def(struct xk_sim_check_thread *c, uint8_t space,
                          uint64_t addr, uint32_t n_b)
{
    uint64_t bits = 0;
    for (uint32_t got = 0; got < n_b;) {
        const uint32_t off_b = (addr + got) % LINE_B;
        const uint32_t m_b =
            n_b - got < LINE_B - off_b ? n_b - got : LINE_B - off_b;
        struct xk_check_line *const l = line_at(c->work, space, addr + got);
        if (!l)
            return UINT64_MAX;
        own(c, space, l);
        bits |= (l->def >> off_b & low_bits(m_b)) << got;
        got += m_b;
    }
    return bits;
}

void xk_check_set_def(struct xk_sim_check_thread *c, uint8_t space,
                      uint64_t addr, uint32_t n_b, uint64_t def)
{
    for (uint32_t got = 0; got < n_b;) {
        const uint32_t off_b = (addr + got) % LINE_B;
        const uint32_t m_b =
            n_b - got < LINE_B - off_b ? n_b - got : LINE_B - off_b;
        struct xk_check_line *const l = line_at(c->work, space, addr + got);
        if (!l)
            return;
        own(c, space, l);
        l->def &= ~(low_bits(m_b) << off_b);
        l->def |= (def >> got & low_bits(m_b)) << off_b;
        got += m_b;
    }
}

static void mark(const struct xk_sim_check_thread *c, xk_check_key *k,
                 bool dirty)
{
    if (*k && xk_key_thread(*k) == c->thread->index)
        *k = (*k & ~XK_KEY_DIRTY) | (dirty ? XK_KEY_DIRTY : 0);
}

/* Bytes [from_b, end_b) of the line. */
static void mark_line(struct xk_sim_check_thread *c, struct xk_check_line *l,
                      uint32_t from_b, uint32_t end_b, bool dirty)
{
    const uint64_t bits = low_bits(end_b - from_b) << from_b;
    if (!l->cells && !(l->w & bits))
        return;
    if (!l->cells && !(l->w & ~bits)) {
        mark(c, &l->w_all, dirty);
        return;
    }
    if (!l->cells && !xk_check_line_spread(c->work, l))
        return;
    for (uint32_t b = from_b; b < end_b; b++) {
        const unsigned p = l->bytes ? b : b / 4;
        const unsigned part = p / XK_CHECK_PIECES, i = p % XK_CHECK_PIECES;
        mark(c, &l->cells[part].w[i], dirty);
        if (l->atoms)
            mark(c, &l->atoms[part].a1[i], dirty);
    }
}

void xk_check_set_dirty(struct xk_sim_check_thread *c,
                        const struct xk_check_store *s, bool dirty)
{
    const uint32_t end_b = s->at_b + s->n_b;
    for (uint32_t b = s->at_b, m_b; b < end_b; b += m_b) {
        struct xk_check_line *const l = line_at(c->work, XK_CS_SLM, b);
        const uint32_t off_b = b % LINE_B;
        m_b = end_b - b < LINE_B - off_b ? end_b - b : LINE_B - off_b;
        if (!l)
            return;
        mark_line(c, l, off_b, off_b + m_b, dirty);
    }
}
