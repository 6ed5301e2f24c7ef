/* SPDX-License-Identifier: Apache-2.0 */
/* List scheduling of one block after the other. Issue is in order, so an
 * instruction that has to wait holds up all that follow. A list of wishes says
 * what should come first. If its first instruction would have to wait, the next
 * one goes that need not wait. There are two such lists. One is the source,
 * whose order is the plan's. The other, in straight code, has messages each
 * behind what it waits for and before everything else, so that they are under
 * way early. A block is left as it is unless its estimate gets better. (The
 * longest way to the block's end as priority gained less in the timing
 * model.) */
#include "codegen/order.h"

#include <string.h>

#include "codegen/order_graph.h"

#define WINDOW 32 /* units behind the first one not yet placed */
#define PLACED UINT32_MAX

struct order {
    struct xk_order_graph g;
    uint32_t *ready; /* per node: earliest cycle */
    uint32_t *left;  /* per unit: edges from units not yet placed; PLACED */
    uint32_t *list;  /* units in an order */
    uint32_t *best;  /* the best so far */
    uint32_t *wish;  /* units in the order in which they are looked at */
    uint32_t *rank;  /* per unit: where it stands there */
    uint64_t *open;  /* bit per rank: waits for nobody, is not placed */
    uint32_t *key;   /* per unit: the first message that waits for it */
    struct xk_inst *copy;
    struct xk_sb_access *copy_access;
    struct xk_order_stats stats;
};

/* When the next instruction could go, and what the ports are doing. */
struct clock {
    uint32_t now, free[XK_ORDER_PORTS];
    uint32_t done;        /* all results are there */
    uint32_t sent, loads; /* of loads: sum of the cycles of issue; how many */
};

/* Cycles. ready: the time when what comes next can go. Then the block's
 * instructions are issued, and its loads are back if the cache had not got the
 * lines yet. */
struct estimate {
    uint32_t issued, done, ready;
};

static uint32_t later_cycle(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t start_of_node(const struct order *o, const struct clock *t,
                              uint32_t node)
{
    const struct xk_order_unit *const u = xk_order_unit_of(&o->g, node);
    return later_cycle(later_cycle(t->now, o->ready[node]), t->free[u->port]);
}

static void set_open(struct order *o, uint32_t u)
{
    o->open[o->rank[u] / 64] |= 1ull << o->rank[u] % 64;
}

/* Nodes that wait for this one learn when it is done. */
static void issue_node(struct order *o, struct clock *t, uint32_t node)
{
    const struct xk_order_unit *const u = xk_order_unit_of(&o->g, node);
    const uint32_t at = start_of_node(o, t, node);
    t->now = at + u->slots;
    t->free[u->port] = at + u->busy_cyc;
    t->done = later_cycle(t->done, at + u->lat_cyc);
    if (u->port == XK_ORDER_SEND && u->lat_cyc >= o->g.costs->load_cyc) {
        t->sent += at;
        t->loads++;
    }
    for (uint32_t k = o->g.edges[node]; k != XK_ORDER_NONE;
         k = o->g.edge[k].next) {
        const struct xk_order_edge *const e = &o->g.edge[k];
        o->ready[e->to] = later_cycle(o->ready[e->to], at + e->lat_cyc);
        if (e->to < o->g.n_units && --o->left[e->to] == 0)
            set_open(o, e->to);
    }
}

static void start_clock(struct order *o)
{
    const size_t nodes = (size_t)o->g.rounds * o->g.n_units;
    memset(o->ready, 0, nodes * sizeof *o->ready);
    memcpy(o->left, o->g.before, o->g.n_units * sizeof *o->left);
}

/* The next block needs the results of several loads in their order. */
static struct estimate estimate_end(const struct order *o,
                                    const struct clock *t)
{
    const uint32_t back =
        t->loads ? t->sent / t->loads + o->g.costs->far_cyc : 0;
    return (struct estimate){t->now, t->done, later_cycle(t->now, back)};
}

/* list NULL: the source's order. A loop is timed over two rounds. */
static struct estimate judge_order(struct order *o, const uint32_t *list)
{
    struct clock t = {0};
    start_clock(o);
    for (uint32_t r = 0; r < o->g.rounds; r++)
        for (uint32_t i = 0; i < o->g.n_units; i++)
            issue_node(o, &t, r * o->g.n_units + (list ? list[i] : i));
    return estimate_end(o, &t);
}

/* A bit for each unit behind the one of this rank that need not wait. */
static uint64_t open_behind(const struct order *o, uint32_t head)
{
    const uint32_t region = o->g.unit[o->wish[head]].region_end;
    const uint32_t n = region - head < WINDOW ? region - head : WINDOW;
    const uint64_t *const word = &o->open[head / 64];
    uint64_t bits = word[0] >> head % 64;
    if (head % 64)
        bits |= word[1] << (64 - head % 64);
    return bits & ((1ull << n) - 1);
}

/* The first one wished for that need not wait, or else waits least. */
static uint32_t pick_next(const struct order *o, const struct clock *t,
                          uint32_t head)
{
    uint32_t best = o->wish[head], best_at = UINT32_MAX;
    for (uint64_t bits = open_behind(o, head); bits; bits &= bits - 1) {
        const uint32_t u = o->wish[head + (uint32_t)__builtin_ctzll(bits)];
        const uint32_t at = start_of_node(o, t, u);
        if (at == t->now)
            return u;
        if (at < best_at) {
            best = u;
            best_at = at;
        }
    }
    return best;
}

static void mark_placed(struct order *o, uint32_t u)
{
    o->left[u] = PLACED;
    o->open[o->rank[u] / 64] &= ~(1ull << o->rank[u] % 64);
}

static void start_open(struct order *o)
{
    memset(o->open, 0, (o->g.n_units / 64 + 2) * sizeof *o->open);
    for (uint32_t u = 0; u < o->g.n_units; u++)
        if (!o->left[u])
            set_open(o, u);
}

/* Into o->list, with its estimate. */
static struct estimate arrange(struct order *o)
{
    struct clock t = {0};
    uint32_t head = 0;
    start_clock(o);
    start_open(o);
    for (uint32_t i = 0; i < o->g.n_units; i++) {
        while (o->left[o->wish[head]] == PLACED)
            head++;
        const uint32_t u = pick_next(o, &t, head);
        o->list[i] = u;
        mark_placed(o, u);
        issue_node(o, &t, u);
    }
    return o->g.rounds > 1 ? judge_order(o, o->list) : estimate_end(o, &t);
}

static void wish_source(struct order *o)
{
    for (uint32_t u = 0; u < o->g.n_units; u++)
        o->wish[u] = o->rank[u] = u;
}

static bool is_message_unit(const struct order *o, uint32_t u)
{
    return o->g.access[o->g.unit[u].first].kind == XK_SB_SEND;
}

/* Messages come first, each with what it waits for; other units stand back to
 * the end of their region. */
static void find_keys(struct order *o)
{
    for (uint32_t u = o->g.n_units; u-- > 0;) {
        const uint32_t end = o->g.unit[u].region_end;
        o->key[u] = is_message_unit(o, u) ? u : end;
        for (uint32_t k = o->g.edges[u]; k != XK_ORDER_NONE;
             k = o->g.edge[k].next) {
            const uint32_t to = o->g.edge[k].to;
            if (to < end && o->key[to] < o->key[u])
                o->key[u] = o->key[to];
        }
    }
}

/* Orders units by their keys, and equal ones as in the source. No unit comes
 * before one that it waits for, because that one's key is no larger. */
static void wish_messages(struct order *o)
{
    const uint32_t n = o->g.n_units;
    find_keys(o);
    memset(o->list, 0, (n + 1) * sizeof *o->list);
    for (uint32_t u = 0; u < n; u++)
        if (o->key[u] < n)
            o->list[o->key[u] + 1]++;
    for (uint32_t k = 1; k <= n; k++)
        o->list[k] += o->list[k - 1];
    for (uint32_t u = 0; u < n; u++) {
        o->rank[u] = o->list[o->key[u]]++;
        o->wish[o->rank[u]] = u;
    }
}

/* Better is what ends earlier. In a loop only that counts; elsewhere, what is
 * under way then counts as well. */
static bool better(const struct order *o, struct estimate a, struct estimate b)
{
    if (o->g.rounds > 1)
        return a.issued < b.issued;
    if (a.ready != b.ready)
        return a.ready < b.ready;
    return a.issued + a.done < b.issued + b.done;
}

/* Units before the first one that is moved, and behind the last one, stay where
 * they are. */
static void permute(struct order *o, struct xk_inst *in,
                    struct xk_sb_access *access)
{
    uint32_t from = 0, end = o->g.n_units;
    while (from < end && o->best[from] == from)
        from++;
    while (end > from && o->best[end - 1] == end - 1)
        end--;
    const uint32_t first = o->g.unit[from].first;
    unsigned n = 0;
    for (uint32_t i = from; i < end; i++) {
        const struct xk_order_unit *const u = &o->g.unit[o->best[i]];
        memcpy(&o->copy[n], &in[u->first], u->n * sizeof *in);
        memcpy(&o->copy_access[n], &access[u->first], u->n * sizeof *access);
        n += u->n;
    }
    memcpy(&in[first], o->copy, n * sizeof *in);
    memcpy(&access[first], o->copy_access, n * sizeof *access);
}

/* Nothing to win: it never stands still. */
static bool is_smooth(const struct order *o, struct estimate e)
{
    uint32_t slots = 0;
    for (uint32_t u = 0; u < o->g.n_units; u++)
        slots += o->g.unit[u].slots;
    return e.issued == o->g.rounds * slots;
}

/* Tries what the wishes lead to; whether it is the best so far. */
static bool try_wishes(struct order *o, struct estimate *best)
{
    const struct estimate e = arrange(o);
    if (!better(o, e, *best))
        return false;
    uint32_t *const list = o->list;
    o->list = o->best;
    o->best = list;
    *best = e;
    return true;
}

static enum xk_status order_block(struct order *o, struct xk_inst *in,
                                  struct xk_sb_access *access, unsigned n,
                                  bool loops)
{
    XK_TRY(xk_order_graph_build(&o->g, in, access, n, loops));
    wish_source(o);
    const struct estimate source = judge_order(o, NULL);
    struct estimate e = source;
    bool changed = false;
    if (!is_smooth(o, source))
        changed = try_wishes(o, &e);
    if (o->g.rounds == 1 && o->g.sent != XK_ORDER_NONE) {
        wish_messages(o);
        changed |= try_wishes(o, &e);
    }
    o->stats.blocks++;
    o->stats.changed += changed;
    o->stats.before_cyc += source.issued;
    o->stats.after_cyc += e.issued;
    if (changed)
        permute(o, in, access);
    return XK_OK;
}

static bool is_own_successor(const struct xk_sb_block *all, unsigned b)
{
    for (unsigned k = 0; k < all[b].n_succ; k++)
        if (all[b].succ[k] == b)
            return true;
    return false;
}

static enum xk_status order_blocks(struct order *o, struct xk_inst *in,
                                   struct xk_sb_access *access,
                                   const struct xk_sb_block *all, unsigned n)
{
    unsigned most = 1;
    for (unsigned b = 0; b < n; b++)
        most = later_cycle(most, all[b].end - all[b].first);
    XK_TRY(xk_order_graph_init(&o->g, most));
    o->ready = xk_malloc(o->g.c, 2ull * most * sizeof *o->ready);
    o->left = xk_malloc(o->g.c, most * sizeof *o->left);
    o->list = xk_malloc(o->g.c, (most + 1ull) * sizeof *o->list);
    o->best = xk_malloc(o->g.c, (most + 1ull) * sizeof *o->best);
    o->wish = xk_malloc(o->g.c, most * sizeof *o->wish);
    o->rank = xk_malloc(o->g.c, most * sizeof *o->rank);
    o->open = xk_malloc(o->g.c, (most / 64 + 2ull) * sizeof *o->open);
    o->key = xk_malloc(o->g.c, most * sizeof *o->key);
    o->copy = xk_malloc(o->g.c, most * sizeof *o->copy);
    o->copy_access = xk_malloc(o->g.c, most * sizeof *o->copy_access);
    if (!o->ready || !o->left || !o->list || !o->best || !o->wish || !o->rank ||
        !o->open || !o->key || !o->copy || !o->copy_access)
        return XK_ENOMEM;
    for (unsigned b = 0; b < n; b++)
        XK_TRY(order_block(o, in + all[b].first, access + all[b].first,
                           all[b].end - all[b].first,
                           is_own_successor(all, b)));
    return XK_OK;
}

static void free_order(struct order *o)
{
    xk_order_graph_fini(&o->g);
    xk_free(o->g.c, o->ready);
    xk_free(o->g.c, o->left);
    xk_free(o->g.c, o->list);
    xk_free(o->g.c, o->best);
    xk_free(o->g.c, o->wish);
    xk_free(o->g.c, o->rank);
    xk_free(o->g.c, o->open);
    xk_free(o->g.c, o->key);
    xk_free(o->g.c, o->copy);
    xk_free(o->g.c, o->copy_access);
}

enum xk_status xk_order(xk_ctx *c, const struct xk_platform *p,
                        struct xk_inst *in, struct xk_sb_access *access,
                        unsigned n, struct xk_order_stats *stats)
{
    struct order o = {.g = {.c = c, .p = p, .costs = xk_cg_costs_get(p)}};
    struct xk_sb_block *all = NULL;
    unsigned n_blocks = 0;
    if (stats)
        *stats = o.stats;
    if (!o.g.costs || !xk_sb_caps_get(p) || n == 0)
        return XK_OK;
    unsigned *const block_at = xk_calloc(c, n, sizeof *block_at);
    enum xk_status st = block_at ? XK_OK : XK_ENOMEM;
    if (st == XK_OK)
        st = xk_sb_find_blocks(c, in, n, block_at, &all, &n_blocks);
    if (st == XK_OK)
        st = order_blocks(&o, in, access, all, n_blocks);
    free_order(&o);
    xk_free(c, all);
    xk_free(c, block_at);
    if (stats)
        *stats = o.stats;
    return st;
}
