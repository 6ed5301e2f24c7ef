/* SPDX-License-Identifier: Apache-2.0 */
/* Node pool: chunked storage by size class, a chained hash table for interned
 * nodes, and the list of nodes that a scope may have to free.
 *
 * Invariant: a node with rc 0 is in the `pending` list exactly once. A node
 * that make() hands out is in it as well, whatever its rc, so that a borrowed
 * result survives the release of its last owner until the scope ends. The list
 * has room for every live node, hence pushing never fails. */
#include "base/pool.h"

#include <string.h>

#include "base/ctx.h"
#include "base/hash.h"

enum {
    UNIT_B = 8,     /* granularity of node sizes */
    N_CLASSES = 64, /* sizes up to 512 bytes come from chunks */
    /* One request to the allocator. glibc raises its thresholds to the largest
     * block that came back, and gives back twice that from the heap's end
     * (mallopt(3)): so it keeps a kernel's 8 MiB for the next one. Else their
     * pages are cleared anew, up to a tenth of a creation. */
    CHUNK_B = 4 * 1024 * 1024,
    FIRST_BUCKETS = 1024,
    FLAG_PENDING = 1,
    FLAG_INTERNED = 2,
};

struct chunk {
    struct chunk *next;
    uint64_t pad;
};

/* Prefix of a node that is too large for the size classes. */
struct big {
    struct big *prev, *next;
};

struct xk_pool {
    struct xk_node **bucket;
    struct xk_node **pending;
    uint32_t n_buckets, n_interned;
    uint32_t n_pending, pending_cap;
    uint32_t n_live, n_held, depth;
    uint32_t next_serial;
    char *bump, *bump_end;
    struct chunk *chunks;
    struct big *bigs;
    struct xk_node *free_list[N_CLASSES + 1]; /* linked by next */
};

struct xk_pool *xk_pool_create(struct xk_ctx *c)
{
    struct xk_pool *p = c->alloc.realloc(c->alloc.user, NULL, sizeof(*p));
    if (!p)
        return NULL;
    memset(p, 0, sizeof(*p));
    p->next_serial = 1;
    const size_t n_b = FIRST_BUCKETS * sizeof(struct xk_node *);
    p->bucket = c->alloc.realloc(c->alloc.user, NULL, n_b);
    if (!p->bucket) {
        c->alloc.realloc(c->alloc.user, p, 0);
        return NULL;
    }
    memset(p->bucket, 0, n_b);
    p->n_buckets = FIRST_BUCKETS;
    return p;
}

unsigned xk_pool_destroy(struct xk_ctx *c, struct xk_pool *p)
{
    if (!p)
        return 0;
    const unsigned n_held = p->n_held;
    while (p->chunks) {
        struct chunk *const next = p->chunks->next;
        xk_free(c, p->chunks);
        p->chunks = next;
    }
    while (p->bigs) {
        struct big *const next = p->bigs->next;
        xk_free(c, p->bigs);
        p->bigs = next;
    }
    xk_free(c, p->bucket);
    xk_free(c, p->pending);
    xk_free(c, p);
    return n_held;
}

static size_t node_b(uint32_t n_kids, uint32_t payload_b)
{
    const size_t n_b =
        sizeof(struct xk_node) + n_kids * sizeof(struct xk_node *) + payload_b;
    return (n_b + UNIT_B - 1) / UNIT_B * UNIT_B;
}

static void *alloc_big(struct xk_ctx *c, size_t n_b)
{
    struct xk_pool *const p = c->pool;
    struct big *const b = xk_malloc(c, sizeof(*b) + n_b);
    if (!b)
        return NULL;
    b->prev = NULL;
    b->next = p->bigs;
    if (p->bigs)
        p->bigs->prev = b;
    p->bigs = b;
    return b + 1;
}

static void free_big(struct xk_ctx *c, struct xk_node *n)
{
    struct big *const b = (struct big *)(void *)n - 1;
    if (b->prev)
        b->prev->next = b->next;
    else
        c->pool->bigs = b->next;
    if (b->next)
        b->next->prev = b->prev;
    xk_free(c, b);
}

/* Starts a new chunk; the rest of the old one is left unused. */
static bool add_chunk(struct xk_ctx *c)
{
    struct xk_pool *const p = c->pool;
    struct chunk *const k = xk_malloc(c, CHUNK_B);
    if (!k)
        return false;
    k->next = p->chunks;
    p->chunks = k;
    p->bump = (char *)(k + 1);
    p->bump_end = (char *)k + CHUNK_B;
    return true;
}

static struct xk_node *alloc_node(struct xk_ctx *c, size_t n_b)
{
    struct xk_pool *const p = c->pool;
    const size_t class = n_b / UNIT_B;
    if (class > N_CLASSES)
        return alloc_big(c, n_b);
    struct xk_node *const n = p->free_list[class];
    if (n) {
        p->free_list[class] = n->next;
        return n;
    }
    if ((size_t)(p->bump_end - p->bump) < n_b && !add_chunk(c))
        return NULL;
    char *const at = p->bump;
    p->bump += n_b;
    return (struct xk_node *)(void *)at;
}

static void free_node(struct xk_ctx *c, struct xk_node *n)
{
    const size_t class = node_b(n->n_kids, n->payload_b) / UNIT_B;
    if (class > N_CLASSES) {
        free_big(c, n);
        return;
    }
    n->next = c->pool->free_list[class];
    c->pool->free_list[class] = n;
}

static bool grow_buckets(struct xk_ctx *c)
{
    struct xk_pool *const p = c->pool;
    const uint32_t n_new = p->n_buckets * 2;
    struct xk_node **const b = xk_calloc(c, n_new, sizeof(*b));
    if (!b)
        return false;
    for (uint32_t i = 0; i < p->n_buckets; i++) {
        for (struct xk_node *n = p->bucket[i], *next; n; n = next) {
            next = n->next;
            n->next = b[n->hash & (n_new - 1)];
            b[n->hash & (n_new - 1)] = n;
        }
    }
    xk_free(c, p->bucket);
    p->bucket = b;
    p->n_buckets = n_new;
    return true;
}

/* Room in tables for one more node, so that nothing later can fail. */
static bool reserve_node(struct xk_ctx *c)
{
    struct xk_pool *const p = c->pool;
    if (p->n_live >= p->pending_cap) {
        const uint32_t cap = p->pending_cap ? p->pending_cap * 2 : 512;
        struct xk_node **const q =
            xk_realloc(c, p->pending, cap * sizeof(struct xk_node *));
        if (!q)
            return false;
        p->pending = q;
        p->pending_cap = cap;
    }
    return p->n_interned < p->n_buckets || grow_buckets(c);
}

static void push_pending(struct xk_pool *p, struct xk_node *n)
{
    if (n->flags & FLAG_PENDING)
        return;
    XK_ASSERT(p->n_pending < p->pending_cap);
    n->flags |= FLAG_PENDING;
    p->pending[p->n_pending++] = n;
}

static uint64_t hash_payload(uint64_t h, const void *payload, size_t n_b)
{
    const char *s = payload;
    uint64_t v;
    for (; n_b >= sizeof(v); n_b -= sizeof(v), s += sizeof(v)) {
        memcpy(&v, s, sizeof(v)); /* of constant size: a load */
        h = xk_hash_mix(h, v);
    }
    if (!n_b)
        return h;
    v = 0;
    memcpy(&v, s, n_b);
    return xk_hash_mix(h, v);
}

/* Hashes kids by serial, not address: the same run gives the same chains. */
static uint32_t hash_desc(const struct xk_node_desc *d)
{
    uint64_t h = xk_hash_mix(d->op, d->type);
    for (uint32_t i = 0; i < d->n_kids; i++)
        h = xk_hash_mix(h, d->kids[i]->serial);
    h = hash_payload(h, d->payload, d->payload_b);
    return (uint32_t)(h ^ (h >> 32));
}

static bool same_payload(const void *a, const void *b, size_t n_b)
{
    uint64_t x, y;
    if (n_b != sizeof(x))
        return !n_b || !memcmp(a, b, n_b);
    memcpy(&x, a, sizeof(x)); /* a constant: two loads, no call */
    memcpy(&y, b, sizeof(y));
    return x == y;
}

static bool matches_desc(const struct xk_node *n, const struct xk_node_desc *d)
{
    if (n->op != d->op || n->type != d->type || n->n_kids != d->n_kids ||
        n->payload_b != d->payload_b)
        return false;
    for (uint32_t i = 0; i < d->n_kids; i++) {
        if (n->kid[i] != d->kids[i])
            return false;
    }
    return same_payload(xk_pool_payload(n), d->payload, d->payload_b);
}

static struct xk_node *find_node(const struct xk_pool *p,
                                 const struct xk_node_desc *d, uint32_t hash)
{
    struct xk_node *n = p->bucket[hash & (p->n_buckets - 1)];
    while (n && !(n->hash == hash && matches_desc(n, d)))
        n = n->next;
    return n;
}

/* Returns the kids' traits that count for n. */
static uint32_t link_kids(struct xk_node *n, const struct xk_node_desc *d)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < d->n_kids; i++) {
        struct xk_node *const k = (struct xk_node *)d->kids[i];
        n->kid[i] = k;
        below |= k->traits;
        k->rc++;
    }
    return d->opaque ? 0 : below;
}

static struct xk_node *new_node(struct xk_ctx *c, const struct xk_node_desc *d,
                                uint32_t hash)
{
    struct xk_pool *const p = c->pool;
    if (!reserve_node(c))
        return NULL;
    struct xk_node *const n = alloc_node(c, node_b(d->n_kids, d->payload_b));
    if (!n)
        return NULL;
    *n = (struct xk_node){.serial = p->next_serial++,
                          .hash = hash,
                          .type = d->type,
                          .n_kids = d->n_kids,
                          .payload_b = d->payload_b,
                          .op = d->op};
    n->traits = d->traits | link_kids(n, d);
    if (d->payload_b)
        memcpy((void *)(n->kid + n->n_kids), d->payload, d->payload_b);
    p->n_live++;
    return n;
}

static void intern(struct xk_pool *p, struct xk_node *n)
{
    struct xk_node **const b = &p->bucket[n->hash & (p->n_buckets - 1)];
    n->flags |= FLAG_INTERNED;
    n->next = *b;
    *b = n;
    p->n_interned++;
}

const struct xk_node *xk_pool_make(struct xk_ctx *c,
                                   const struct xk_node_desc *d)
{
    struct xk_pool *const p = c->pool;
    for (uint32_t i = 0; i < d->n_kids; i++) {
        if (!d->kids[i])
            return NULL;
    }
    const uint32_t hash = d->intern ? hash_desc(d) : 0;
    struct xk_node *n = d->intern ? find_node(p, d, hash) : NULL;
    if (!n) {
        n = new_node(c, d, hash);
        if (!n)
            return NULL;
        if (d->intern)
            intern(p, n);
    }
    push_pending(p, n);
    return n;
}

const struct xk_node *xk_pool_ref(struct xk_ctx *c, const struct xk_node *n)
{
    struct xk_node *const w = (struct xk_node *)n;
    if (!w)
        return NULL;
    w->rc++;
    if (w->held++ == 0)
        c->pool->n_held++;
    return n;
}

void xk_pool_unref(struct xk_ctx *c, const struct xk_node *n)
{
    struct xk_node *const w = (struct xk_node *)n;
    if (!w)
        return;
    XK_ASSERT(w->held && w->rc >= w->held);
    if (!w->held)
        return;
    if (--w->held == 0)
        c->pool->n_held--;
    if (--w->rc == 0)
        push_pending(c->pool, w);
}

static void unlink_node(struct xk_pool *p, struct xk_node *n)
{
    p->n_live--;
    if (!(n->flags & FLAG_INTERNED))
        return;
    struct xk_node **at = &p->bucket[n->hash & (p->n_buckets - 1)];
    while (*at != n)
        at = &(*at)->next;
    *at = n->next;
    p->n_interned--;
}

/* Frees a node with rc 0 and what only it referenced. No recursion: the dead
 * are chained through next. */
static void free_dead(struct xk_ctx *c, struct xk_node *n)
{
    struct xk_pool *const p = c->pool;
    unlink_node(p, n);
    n->next = NULL;
    while (n) {
        struct xk_node *const dead = n;
        n = n->next;
        for (uint32_t i = 0; i < dead->n_kids; i++) {
            struct xk_node *const k = (struct xk_node *)dead->kid[i];
            if (--k->rc || (k->flags & FLAG_PENDING))
                continue;
            unlink_node(p, k);
            k->next = n;
            n = k;
        }
        free_node(c, dead);
    }
}

xk_scope xk_pool_begin(struct xk_ctx *c)
{
    const xk_scope s = {c->pool->n_pending, ++c->pool->depth};
    return s;
}

const struct xk_node *xk_pool_end(struct xk_ctx *c, xk_scope s,
                                  const struct xk_node *keep)
{
    struct xk_pool *const p = c->pool;
    XK_ASSERT(s.depth && s.depth <= p->depth && s.mark <= p->n_pending);
    if (!s.depth || s.depth > p->depth || s.mark > p->n_pending)
        return keep;
    /* Held over the sweep; not counted as an explicit holder. */
    if (keep)
        ((struct xk_node *)keep)->rc++;
    /* Backwards: parents are mostly younger than their kids. */
    while (p->n_pending > s.mark) {
        struct xk_node *const n = p->pending[--p->n_pending];
        n->flags &= (uint8_t)~FLAG_PENDING;
        if (n->rc == 0)
            free_dead(c, n);
    }
    p->depth = s.depth - 1;
    if (keep) {
        ((struct xk_node *)keep)->rc--;
        push_pending(p, (struct xk_node *)keep);
    }
    return keep;
}

uint32_t xk_pool_live(const struct xk_ctx *c)
{
    return c->pool->n_live;
}

uint32_t xk_pool_next_serial(const struct xk_ctx *c)
{
    return c->pool->next_serial;
}
