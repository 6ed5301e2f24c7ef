/* SPDX-License-Identifier: Apache-2.0 */
/* A state as bytes, such that equal states have equal bytes. Numbers in a pipe
 * count back from the last one issued. What was waited for is left out. Slots
 * that are handed out in turn begin with the next one. */
#include "sim/hazard/hazard_memo.h"

#include <string.h>

#define MOST_NODES 4096u
#define MOST_B (24u << 20) /* of all nodes */
#define MOST_WAYS 64u      /* from one state: a0 is never the same */
#define N_BUCKETS 1024u
#define ISSUED 32 /* what the last number in a pipe is in a kept state */
#define NO_INST UINT32_MAX
#define FIRST_EXTRA 32u

/* A row of instructions and the state it leads to. Where it depends on a0, it
 * belongs to one value of a0. */
struct edge {
    struct edge *more;
    struct xk_hz_node *to; /* NULL: something is found */
    uint32_t at, n, mask;
    bool dynamic;
    uint8_t a0[32];
};

struct xk_hz_node {
    struct xk_hz_node *chain; /* of its bucket */
    struct edge *edges;       /* the one used last first */
    uint64_t hash;
    uint32_t n_b;
    uint64_t bytes[];
};

/* The part that every state has; the lists follow. */
struct head {
    uint64_t live_w, live_r, slm_loads, chain;
    int32_t open[XK_HZ_PIPES]; /* issued and not over */
    uint32_t next;
    uint16_t n_slots, n_tokens, n_functions, n_places;
    uint32_t wrote_state;
};

struct mark {
    uint64_t slots;
    uint64_t which; /* token, function */
};

struct slot {
    uint64_t which;
    struct xk_hz_flight flight;
};

struct place {
    uint64_t which;
    struct xk_hz_place at;
};

#define MOST_STATE_B                                                           \
    (sizeof(struct head) +                                                     \
     XK_HZ_PIPES * XK_HZ_RING * sizeof(struct xk_hz_flight) +                  \
     XK_HZ_SLOTS * sizeof(struct slot) + 96 * sizeof(struct mark) +            \
     XK_HZ_PLACES * sizeof(struct place) + 64)

struct xk_hz_memo {
    const struct xk_hz_table *t;
    bool strict, full;
    uint32_t *row;
    uint32_t n_nodes;
    size_t used_b;
    struct xk_hz_node *begin;
    uint32_t begin_at;
    bool found; /* while a row is tried */
    struct xk_hz_node *bucket[N_BUCKETS];
    uint64_t state[MOST_STATE_B / 8];
};

static void *memo_alloc(struct xk_hz_memo *m, size_t n_b)
{
    const struct xk_alloc *const a = &m->t->alloc;
    void *const p =
        m->used_b + n_b > MOST_B ? NULL : a->realloc(a->user, NULL, n_b);
    if (p)
        m->used_b += n_b;
    else
        m->full = true;
    return p;
}

/* -- Rows -- */

static bool ends_row(const struct xk_hz_inst *e)
{
    const struct xk_inst *const i = e->in;
    return e->is_branch || i->op == XK_OPC_DPASW || i->op == XK_OPC_ILLEGAL ||
           (e->unit == XK_HZ_SEND && i->send.eot) ||
           (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_BAR);
}

static void set_memo_rows(struct xk_hz_memo *m)
{
    const struct xk_hz_table *const t = m->t;
    for (uint32_t k = t->n; k--;) {
        const bool last = k + 1 == t->n || t->inst[k].is_dynamic ||
                          t->inst[k + 1].is_dynamic || ends_row(&t->inst[k]);
        m->row[k] = last ? 1 : m->row[k + 1] + 1;
    }
}

uint32_t xk_hz_memo_row(const struct xk_hz_memo *m, uint32_t at)
{
    return m->row[at];
}

/* -- A state as bytes -- */

struct cursor {
    uint8_t *at;
};

struct reader {
    const uint8_t *at;
};

static void put_memo_bytes(struct cursor *c, const void *p, size_t n_b)
{
    memcpy(c->at, p, n_b);
    c->at += n_b;
}

static void get_bytes(struct reader *c, void *p, size_t n_b)
{
    memcpy(p, c->at, n_b);
    c->at += n_b;
}

/* Slots with the next one to be handed out first. */
static uint64_t turned(const struct xk_hz_thread *th, uint64_t slots)
{
    const unsigned by = th->next_extra % 32;
    const uint32_t high = (uint32_t)(slots >> FIRST_EXTRA);
    return (uint32_t)slots | (uint64_t)(high >> by | high << (32 - by) % 32)
                                 << FIRST_EXTRA;
}

/* *out is zero before. */
static void put_flight(const struct xk_hz_table *t,
                       const struct xk_hz_flight *f, struct xk_hz_flight *out)
{
    out->inst = f->inst;
    if (t->inst[f->inst].is_dynamic)
        memcpy(out->at, f->at, sizeof out->at);
}

static void put_rings(const struct xk_hz_memo *m, const struct xk_hz_thread *th,
                      const struct head *h, struct cursor *c)
{
    for (unsigned p = 0; p < XK_HZ_PIPES; p++)
        for (int32_t n = h->open[p]; n > 0; n--) {
            const uint32_t at = (uint32_t)(th->issued[p] + 1 - n);
            struct xk_hz_flight f = {0};
            put_flight(m->t, &th->ring[p][at % XK_HZ_RING], &f);
            put_memo_bytes(c, &f, sizeof f);
        }
}

static void put_slots(const struct xk_hz_memo *m, const struct xk_hz_thread *th,
                      uint64_t live, struct head *h, struct cursor *c)
{
    for (unsigned k = 0; k < XK_HZ_SLOTS; k++) {
        const unsigned from =
            k < FIRST_EXTRA ? k : FIRST_EXTRA + (k + th->next_extra) % 32;
        struct slot s;
        if (!(live >> from & 1))
            continue;
        memset(&s, 0, sizeof s); /* and what lies between its members */
        s.which = k;
        put_flight(m->t, &th->slot[from], &s.flight);
        put_memo_bytes(c, &s, sizeof s);
        h->n_slots++;
    }
}

static uint16_t put_marks(const struct xk_hz_thread *th, const uint64_t *of,
                          unsigned n, uint64_t live, struct cursor *c)
{
    uint16_t count = 0;
    for (unsigned k = 0; k < n; k++) {
        const struct mark x = {turned(th, of[k] & live), k};
        if (!x.slots)
            continue;
        put_memo_bytes(c, &x, sizeof x);
        count++;
    }
    return count;
}

/* Numbers of what is over are zero. */
static xk_hz_pipes back(const struct xk_hz_thread *th, xk_hz_pipes v)
{
    return (v - th->issued + ISSUED) & (v > th->done);
}

static bool is_nothing(const struct xk_hz_place *p)
{
    uint64_t half[4];
    memcpy(half, &p->w, 16);
    memcpy(half + 2, &p->r, 16);
    return !(half[0] | half[1] | half[2] | half[3] | p->ow | p->or_);
}

static void put_places(const struct xk_hz_thread *th, struct head *h,
                       struct cursor *c)
{
    for (unsigned k = 0; k < XK_HZ_PLACES; k++) {
        const struct xk_hz_place *const p = &th->place[k];
        if (is_nothing(p))
            continue;
        struct place x;
        memset(&x, 0, sizeof x);
        x.which = k;
        x.at.w = back(th, p->w);
        x.at.r = back(th, p->r);
        x.at.ow = turned(th, p->ow & th->live_w);
        x.at.or_ = turned(th, p->or_ & th->live_r);
        if (is_nothing(&x.at))
            continue;
        put_memo_bytes(c, &x, sizeof x);
        h->n_places++;
    }
}

/* Into m->state; how many bytes. */
static uint32_t pack_thread(struct xk_hz_memo *m, const struct xk_hz_thread *th)
{
    const uint64_t live = th->live_w | th->live_r;
    struct cursor c = {(uint8_t *)m->state + sizeof(struct head)};
    struct head h = {.live_w = turned(th, th->live_w),
                     .live_r = turned(th, th->live_r),
                     .slm_loads = turned(th, th->slm_loads & live),
                     .chain = turned(th, th->chain & live),
                     .next = th->next,
                     .wrote_state = th->wrote_state};
    for (unsigned p = 0; p < XK_HZ_PIPES; p++)
        h.open[p] = th->issued[p] - th->done[p];
    put_rings(m, th, &h, &c);
    put_slots(m, th, live, &h, &c);
    h.n_tokens = put_marks(th, th->of_token, 32, live, &c);
    h.n_functions = put_marks(th, th->of_function, 64, live, &c);
    put_places(th, &h, &c);
    memcpy(m->state, &h, sizeof h);
    const size_t n_b = (size_t)(c.at - (uint8_t *)m->state);
    memset(c.at, 0, 8 - n_b % 8);
    return (uint32_t)(n_b + 8 - n_b % 8);
}

static void get_flights(struct reader *c, const struct head *h,
                        struct xk_hz_thread *th)
{
    for (unsigned p = 0; p < XK_HZ_PIPES; p++)
        for (int32_t n = h->open[p]; n > 0; n--)
            get_bytes(c, &th->ring[p][(uint32_t)(ISSUED + 1 - n) % XK_HZ_RING],
                      sizeof(struct xk_hz_flight));
    for (unsigned n = 0; n < h->n_slots; n++) {
        struct slot s;
        get_bytes(c, &s, sizeof s);
        th->slot[s.which] = s.flight;
    }
}

static void clear_thread(struct xk_hz_thread *th)
{
    memset(th->place, 0, sizeof th->place);
    memset(th->of_token, 0, sizeof th->of_token);
    memset(th->of_function, 0, sizeof th->of_function);
    for (unsigned k = 0; k < XK_HZ_SLOTS; k++)
        th->slot[k].inst = NO_INST;
    th->next_extra = 0;
}

void xk_hz_memo_restore(const struct xk_hz_node *n, struct xk_hz_thread *th)
{
    struct reader c = {(const uint8_t *)n->bytes};
    struct head h;
    struct mark x;
    struct place p;
    clear_thread(th);
    get_bytes(&c, &h, sizeof h);
    th->live_w = h.live_w;
    th->live_r = h.live_r;
    th->slm_loads = h.slm_loads;
    th->chain = h.chain;
    th->next = h.next;
    th->wrote_state = h.wrote_state;
    for (unsigned k = 0; k < XK_HZ_PIPES; k++) {
        th->issued[k] = ISSUED;
        th->done[k] = ISSUED - h.open[k];
    }
    get_flights(&c, &h, th);
    for (unsigned k = 0; k < h.n_tokens; k++) {
        get_bytes(&c, &x, sizeof x);
        th->of_token[x.which] = x.slots;
    }
    for (unsigned k = 0; k < h.n_functions; k++) {
        get_bytes(&c, &x, sizeof x);
        th->of_function[x.which] = x.slots;
    }
    for (unsigned k = 0; k < h.n_places; k++) {
        get_bytes(&c, &p, sizeof p);
        th->place[p.which] = p.at;
    }
}

/* -- States and ways -- */

static uint64_t memo_hash(const uint64_t *p, uint32_t n_b)
{
    uint64_t h = n_b;
    for (uint32_t k = 0; k < n_b / 8; k++) {
        h = (h ^ p[k]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

struct xk_hz_node *xk_hz_memo_find(struct xk_hz_memo *m,
                                   const struct xk_hz_thread *th)
{
    if (m->full)
        return NULL;
    const uint32_t n_b = pack_thread(m, th);
    const uint64_t h = memo_hash(m->state, n_b);
    struct xk_hz_node **const bucket = &m->bucket[h % N_BUCKETS];
    struct xk_hz_node *n = *bucket;
    for (; n; n = n->chain)
        if (n->hash == h && n->n_b == n_b && !memcmp(n->bytes, m->state, n_b))
            return n;
    if (m->n_nodes == MOST_NODES)
        m->full = true;
    if (m->full || !(n = memo_alloc(m, sizeof *n + n_b)))
        return NULL;
    *n = (struct xk_hz_node){.chain = *bucket, .hash = h, .n_b = n_b};
    memcpy(n->bytes, m->state, n_b);
    *bucket = n;
    m->n_nodes++;
    return n;
}

struct xk_hz_node *xk_hz_memo_begin(struct xk_hz_memo *m, uint32_t start)
{
    struct xk_hz_thread *th;
    const struct xk_alloc *const a = &m->t->alloc;
    if (m->begin && m->begin_at == start)
        return m->begin;
    th = a->realloc(a->user, NULL, sizeof *th);
    if (!th)
        return NULL;
    memset(th, 0, sizeof *th);
    xk_hz_thread_begin(th, start, m->strict);
    m->begin = xk_hz_memo_find(m, th);
    m->begin_at = start;
    a->realloc(a->user, th, 0);
    return m->begin;
}

static bool is_same(const struct edge *e, const struct xk_hz_row *r)
{
    return e->at == r->at && e->n == r->n &&
           (!e->dynamic ||
            (e->mask == r->mask && !memcmp(e->a0, r->a0, sizeof e->a0)));
}

static void note_found(void *user, const struct xk_hz_finding *f)
{
    struct xk_hz_memo *const m = user;
    (void)f;
    m->found = true;
}

/* What the row leads to, by trying. */
static struct xk_hz_node *follow(struct xk_hz_memo *m, struct edge *e,
                                 struct xk_hz_node *n, struct xk_hz_thread *th)
{
    xk_hz_report_fn *const report = th->report;
    void *const user = th->user;
    xk_hz_memo_restore(n, th);
    th->report = note_found;
    th->user = m;
    m->found = false;
    for (uint32_t k = 0; k < e->n && !m->found; k++)
        xk_hz_step(m->t, th, e->at + k, e->mask, e->a0);
    th->report = report;
    th->user = user;
    return m->found ? NULL : xk_hz_memo_find(m, th);
}

struct xk_hz_node *xk_hz_memo_next(struct xk_hz_memo *m, struct xk_hz_node *n,
                                   const struct xk_hz_row *row,
                                   struct xk_hz_thread *scratch)
{
    struct edge **link = &n->edges, *e;
    unsigned n_ways = 0;
    for (e = *link; e && !is_same(e, row); e = *link, n_ways++)
        link = &e->more;
    if (!e) {
        m->full |= n_ways > MOST_WAYS;
        if (m->full || !(e = memo_alloc(m, sizeof *e)))
            return NULL;
        *e = (struct edge){.at = row->at,
                           .n = row->n,
                           .mask = row->mask,
                           .dynamic = m->t->inst[row->at].is_dynamic};
        memcpy(e->a0, row->a0, sizeof e->a0);
        e->to = follow(m, e, n, scratch);
    } else {
        *link = e->more;
    }
    e->more = n->edges;
    n->edges = e;
    return e->to;
}

/* -- The whole -- */

struct xk_hz_memo *xk_hz_memo_create(const struct xk_hz_table *t, bool strict)
{
    const struct xk_alloc *const a = &t->alloc;
    struct xk_hz_memo *const m = a->realloc(a->user, NULL, sizeof *m);
    if (!m)
        return NULL;
    memset(m, 0, sizeof *m);
    m->t = t;
    m->strict = strict;
    m->row = a->realloc(a->user, NULL, (t->n + 1) * sizeof *m->row);
    if (!m->row) {
        xk_hz_memo_destroy(m);
        return NULL;
    }
    set_memo_rows(m);
    return m;
}

void xk_hz_memo_destroy(struct xk_hz_memo *m)
{
    if (!m)
        return;
    const struct xk_alloc a = m->t->alloc;
    for (unsigned k = 0; k < N_BUCKETS; k++)
        for (struct xk_hz_node *n = m->bucket[k], *next; n; n = next) {
            next = n->chain;
            for (struct edge *e = n->edges, *more; e; e = more) {
                more = e->more;
                a.realloc(a.user, e, 0);
            }
            a.realloc(a.user, n, 0);
        }
    a.realloc(a.user, m->row, 0);
    a.realloc(a.user, m, 0);
}
