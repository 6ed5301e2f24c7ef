/* SPDX-License-Identifier: Apache-2.0 */
/* Who touched which byte, inside one unit of work.
 * Only barriers order two threads of a group, and locks (check_locks.c). Thread
 * B is behind what A did before A's s-th signal once B has waited for a barrier
 * that this signal went into (known[A] >= s). Two readers are kept: those of
 * different threads that signalled the most barriers. If a reader of another
 * thread is not over, one of these two is not over. Only the last writer is
 * kept: a later writer came behind an earlier one, or was reported. When a
 * byte's writer is over, its earlier readers are over as well. A store does not
 * count if another thread has just stored the same value there. A plain load
 * beside atomic operations is excused if its thread then changes the same piece
 * atomically: loops of compare and exchange begin that way. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/check/check_lines.h"

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

static void report_access(const struct access *x, uint32_t check,
                          xk_check_key other, const char *why)
{
    struct xk_sim_place place = {.address = x->addr, .n_b = x->n_b};
    if (!xk_check_on(x->c, check))
        return;
    const struct xk_sim_who who = {.unit = x->c->work->unit,
                                   .thread = xk_key_thread(other),
                                   .inst = xk_key_inst(other)};
    snprintf(place.what, sizeof place.what, "%s",
             x->space == XK_CS_SLM ? "SLM" : "memory");
    xk_sim_check_report(x->c->thread, x->e,
                        &(struct xk_check_about){check, &who, &place}, "%s",
                        why);
}

static void report_race(const struct access *x, xk_check_key other, bool write,
                        bool atomic)
{
    char why[160];
    if (xk_check_locked_in_unit(x->c->work, xk_key_inst(x->me),
                                xk_key_inst(other)))
        return;
    snprintf(why, sizeof why,
             "%s what another thread of the group %s, with no barrier between",
             doing(x->write, x->atomic), doing(write, atomic));
    report_access(x, XK_CHECK_RACE, other, why);
}

/* A store that leaves the piece as it is: compilers let one lane of every
 * thread write a value that all of them computed. */
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
    report_access(x, XK_CHECK_SYNC, w,
                  "uses SLM that another thread wrote, with no completed fence "
                  "between the write and that thread's barrier");
}

static void behind_writer(const struct access *x, xk_check_key w)
{
    if (meets(x, w)) {
        if (!x->write || changes(x))
            report_race(x, w, true, false);
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
        report_race(x, k1, atomic, atomic);
    else if (meets(x, k2))
        report_race(x, k2, atomic, atomic);
}

static void check_piece(const struct access *x, struct xk_check_line *l,
                        unsigned p)
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

/* The most frequent case: dwords that nobody changes atomically. Neighbours
 * with the same users are judged once, unless they are to be reported. */
static void read_dwords(struct access *x, struct xk_check_cells *k,
                        uint64_t line_va, unsigned p, unsigned end)
{
    while (p < end) {
        const xk_check_key w = k->w[p], r1 = k->r1[p], r2 = k->r2[p];
        const bool bad =
            w && !same_user(w, x->me) && (meets(x, w) || w & XK_KEY_DIRTY);
        xk_check_key now1 = r1, now2 = r2;
        if (!same_user(r1, x->me))
            add_user(&now1, &now2, x->me);
        do {
            x->addr = line_va + 4 * p;
            if (bad)
                behind_writer(x, w);
            k->r1[p] = now1;
            k->r2[p] = now2;
            p++;
        } while (p < end && k->w[p] == w && k->r1[p] == r1 && k->r2[p] == r2);
    }
}

static void touch_line(struct access *x, struct xk_check_line *l,
                       uint32_t off_b, uint32_t n_b)
{
    const unsigned unit_b = l->bytes ? 1 : 4;
    const uint64_t line_va = x->addr & ~(uint64_t)(XK_CHECK_LINE_B - 1);
    l->written |= x->write;
    x->n_b = unit_b;
    if (!l->bytes && !l->atoms && !x->write && !x->atomic) {
        read_dwords(x, l->cells, line_va, off_b / 4, (off_b + n_b) / 4);
        return;
    }
    for (uint32_t b = off_b; b < off_b + n_b; b += unit_b) {
        x->addr = line_va + b;
        check_piece(x, l, b / unit_b);
    }
}

/* False where one instruction would no longer describe what is known of the
 * line. */
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

static void touch_lines(struct access *x, uint64_t addr, uint32_t n_b)
{
    struct xk_sim_check_work *const w = x->c->work;
    for (uint64_t at = addr, end = addr + n_b; at < end;) {
        const uint32_t off_b = at % XK_CHECK_LINE_B;
        const uint32_t room_b = XK_CHECK_LINE_B - off_b;
        const uint32_t m_b = end - at < room_b ? (uint32_t)(end - at) : room_b;
        struct xk_check_line *const l = xk_check_line_at(w, x->space, at);
        at += m_b;
        if (!l)
            return;
        l->odd |= ((off_b | m_b) & 3) != 0;
        if (touch_whole(x, l, xk_check_low_bits(m_b) << off_b))
            continue;
        if (!xk_check_line_prepare(w, l, (off_b | m_b) & 3, x->atomic))
            return;
        x->addr = at - m_b;
        touch_line(x, l, off_b, m_b);
        note_bits(l, xk_check_low_bits(m_b) << off_b, x->write);
    }
}

/* The notes of a span: together where dwords are read, else one by one. */
static void touch_span(struct access *x, const struct xk_check_span *s,
                       const struct xk_check_note *first)
{
    x->space = s->space;
    if (!s->odd && !x->write && !x->atomic) {
        x->note = first;
        touch_lines(x, s->addr, s->n_b);
        return;
    }
    for (unsigned i = 0; i < s->n_notes; i++) {
        x->note = &first[i];
        touch_lines(x, first[i].addr, first[i].n_b);
    }
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
    const struct xk_check_note *first = w->note;
    xk_check_locks(c, e);
    for (unsigned i = 0; i < w->n_spans; i++) {
        const struct xk_check_span *const s = &w->span[i];
        if (s->space == XK_CS_SLM ||
            (s->space == XK_CS_GLOBAL && xk_check_on(c, XK_CHECK_RACE)))
            touch_span(&x, s, first);
        first += s->n_notes;
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
