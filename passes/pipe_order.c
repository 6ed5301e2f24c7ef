/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a step in a pipe. The multiplies stand in the last stage; what
 * loads a buffer stands so many stages before as it is ahead, and what the
 * group stores to SLM, up to the barrier's signal, so many as that is. */
#include <string.h>

#include "base/integer.h"
#include "passes/pipe_loop.h"

#define MOST_STEPS 16 /* that one load serves */

struct order {
    struct xk_piped_loop *p;
    const xk_stmt *loop;
    const xk_stmt *const *s; /* the body */
    unsigned count;
    unsigned published; /* statements up to the first signal, 0: no SLM */
    const char *name;   /* of the loop */
};

struct xk_piped_call xk_piped_call_of(const xk_stmt *s)
{
    struct xk_piped_call r = {.call = s};
    if (xk_op(r.call) == XK_OP_IF) {
        r.branch = r.call;
        r.call = xk_kid(r.call, 1);
    }
    if (xk_op(r.call) == XK_OP_TILING) {
        r.tiling = r.call;
        r.call = xk_tiling_body(r.call);
    }
    r.f = xk_tile_call_of(r.call);
    return r;
}

unsigned xk_piped_every(const xk_stmt *loop, const struct xk_piped_call *x)
{
    if (!x->branch)
        return 1;
    const int64_t n =
        xk_pass_every(xk_kid(x->branch, 0), xk_kid(loop, 0), xk_for_step(loop));
    return n <= MOST_STEPS ? (unsigned)n : 0;
}

struct xk_piped_buffer *xk_piped_find(struct xk_piped_loop *p,
                                      const xk_expr *var)
{
    for (unsigned i = 0; i < p->n_buffers; i++)
        if (p->buffer[i].var && p->buffer[i].var == var)
            return &p->buffer[i];
    return NULL;
}

/* The buffer of a statement's first register. */
static struct xk_piped_buffer *buffer_at(struct xk_piped_loop *p,
                                         const xk_stmt *call)
{
    return xk_piped_find(p, xk_kid(xk_kid(call, 0), 0));
}

static bool is_reader(const struct xk_tile_call *f)
{
    return f && (f->op == XK_TILE_MUL || f->op == XK_TILE_COPY ||
                 f->op == XK_TILE_DOT);
}

static bool is_store(const xk_stmt *s)
{
    const struct xk_piped_call x = xk_piped_call_of(s);
    return x.f && x.f->op == XK_TILE_STORE;
}

static bool is_sync(const xk_stmt *s, enum xk_func_kind kind)
{
    return xk_op(s) == XK_OP_CALL && xk_func_of(s)->kind == kind;
}

/* What stores to SLM up to the signal; not what all wait for at the end. */
static bool is_published(const struct order *o, unsigned i)
{
    return i < o->published &&
           (is_store(o->s[i]) || is_sync(o->s[i], XK_FUNC_FENCE) ||
            is_sync(o->s[i], XK_FUNC_BARRIER_SIGNAL));
}

/* Whether a store goes to a buffer in SLM that is to be piped, of which a place
 * is the view's rows, one behind the other. */
static bool stores_slm(struct xk_piped_loop *p, const xk_stmt *s)
{
    const struct xk_piped_call x = xk_piped_call_of(s);
    if (!x.tiling || xk_tiling_of(x.tiling)->n_views != 1)
        return false;
    const struct xk_layout *const l =
        &xk_tiling_of(x.tiling)->view[0].access.layout;
    p->slm = xk_piped_find(p, xk_tiling_mem(x.tiling, 0));
    return p->slm && xk_piped_is_slm(p->slm) && l->n_blocks &&
           l->block[0].dim == 0 &&
           l->block[0].size * l->block[0].stride * (int64_t)xk_dtype_b(l->dt) ==
               xk_layout_size_b(l);
}

/* Loads and stores to SLM, fence, signal, wait; what is in no need of that; and
 * in the end signal and wait again. Number of statements up to the first
 * signal; 0: it is not so. */
static unsigned published_of(const struct order *o)
{
    unsigned at = 0;
    while (at < o->count && !is_sync(o->s[at], XK_FUNC_FENCE))
        at++;
    const unsigned end = o->count - 2;
    if (at + 4 > end || !is_sync(o->s[at + 1], XK_FUNC_BARRIER_SIGNAL) ||
        !is_sync(o->s[at + 2], XK_FUNC_BARRIER_WAIT) ||
        !is_sync(o->s[end], XK_FUNC_BARRIER_SIGNAL) ||
        !is_sync(o->s[end + 1], XK_FUNC_BARRIER_WAIT))
        return 0;
    return at + 2;
}

/* Whether a load behind a branch serves several steps, in the only place that
 * its buffer has. */
static bool serves(const struct order *o, const struct xk_piped_call *x)
{
    const struct xk_piped_buffer *const b =
        x->f->op == XK_TILE_LOAD ? buffer_at(o->p, x->call) : NULL;
    return b && b->slots == 1 && xk_piped_every(o->loop, x) > 1;
}

/* Whether the body loads, copies and multiplies tiles, shares some through SLM,
 * and does nothing else that loads must not pass: read the buffers in its own
 * way or copy into them, store, wait for others. */
static bool is_plain(struct order *o)
{
    unsigned stores = 0, others = 0;
    for (unsigned i = 0; i < o->count; i++) {
        const struct xk_piped_call x = xk_piped_call_of(o->s[i]);
        if (x.f && x.f->op == XK_TILE_STORE && stores_slm(o->p, o->s[i]))
            stores++;
        else if (!x.f ||
                 (x.branch && x.f->op != XK_TILE_MUL && !serves(o, &x)) ||
                 (x.f->op != XK_TILE_LOAD && !is_reader(x.f)) ||
                 (x.f->op == XK_TILE_COPY && buffer_at(o->p, x.call)))
            others++;
    }
    if (stores + others && o->count > 2)
        o->published = published_of(o);
    /* a fence, two signals and two waits, and stores in front of them */
    bool plain = stores + others == 0 || (o->published && others == 5);
    for (unsigned i = o->published; plain && i < o->count; i++)
        plain = !is_store(o->s[i]);
    if (!plain)
        xk_fail(o->p->c, XK_EUNSUPPORTED,
                "pipe: loop %s has more in it than tile.load, tile.copy and "
                "tile.mul, and buffers through SLM that are piped",
                o->name);
    return plain;
}

/* A tile in registers: where it begins, and what a call means of it. */
struct place {
    const xk_expr *off;
    struct xk_tile_part part;
};

static bool piped_place(const struct xk_piped_loop *p,
                        const struct xk_piped_call *x, unsigned operand,
                        struct place *out)
{
    out->off = xk_kid(xk_kid(x->call, operand), 1);
    return xk_tile_part_of(x->tiling ? xk_tiling_of(x->tiling) : p->t, x->f,
                           operand, &out->part);
}

/* Whether parts of the same tile have other positions. */
static bool are_other_positions(const struct place *a, const struct place *b)
{
    for (unsigned d = 0; d < a->part.tile->layout.n_dims; d++)
        if (a->part.first[d] + a->part.n[d] <= b->part.first[d] ||
            b->part.first[d] + b->part.n[d] <= a->part.first[d])
            return true;
    return false;
}

/* Bytes of the buffer from the part's first element to behind its last, where
 * the loop's variable is `at`; false: not known. */
static bool bytes_of(const struct order *o, const struct place *x, int64_t at,
                     int64_t *begin, int64_t *end)
{
    const struct xk_layout *const l = &x->part.tile->layout;
    const xk_expr *const var = xk_kid(o->loop, 0);
    const xk_expr *const value = xk_s32(o->p->c, (int32_t)at);
    const xk_expr *const off = xk_simplify(
        o->p->c, xk_substitute(o->p->c, x->off, 1, &var, &value), NULL);
    int64_t first[XK_N_ROLES] = {0}, last[XK_N_ROLES] = {0}, off_b;
    for (unsigned d = 0; d < l->n_dims; d++) {
        first[d] = x->part.first[d];
        last[d] = first[d] + x->part.n[d] - 1;
    }
    if (!off || !xk_is_const(off, &off_b))
        return false;
    *begin = off_b + xk_layout_offset_e(l, first) * xk_dtype_b(l->dt);
    *end = off_b + (xk_layout_offset_e(l, last) + 1) * xk_dtype_b(l->dt);
    return true;
}

/* Whether two tiles of a buffer certainly have no register in common, where the
 * loop's variable is `at`. */
static bool lie_apart(const struct order *o, const struct place *a,
                      const struct place *b, int64_t at)
{
    int64_t begin[2], end[2];
    if (a->off == b->off && a->part.tile == b->part.tile)
        return are_other_positions(a, b);
    return bytes_of(o, a, at, &begin[0], &end[0]) &&
           bytes_of(o, b, at, &begin[1], &end[1]) &&
           (end[0] <= begin[1] || end[1] <= begin[0]);
}

/* Whether a multiply, a copy or a store reads what a load of the same buffer
 * goes over, where the loop's variable is `at`. */
static bool reads_loaded(const struct order *o, const xk_stmt *s,
                         const xk_stmt *load, int64_t at)
{
    const struct xk_piped_call x = xk_piped_call_of(s);
    const struct xk_piped_call l = xk_piped_call_of(load);
    const xk_expr *const buffer = xk_kid(xk_kid(l.call, 0), 0);
    struct place a, b;
    if (x.f && x.f->op == XK_TILE_STORE)
        return xk_kid(xk_kid(x.call, 0), 0) == buffer;
    for (unsigned i = 1; is_reader(x.f) && i < xk_tile_call_tiles(x.f); i++)
        if (xk_kid(xk_kid(x.call, i), 0) == buffer &&
            (!piped_place(o->p, &x, i, &a) || !piped_place(o->p, &l, 0, &b) ||
             !lie_apart(o, &a, &b, at)))
            return true;
    return false;
}

/* Where a load goes: behind the last that reads what it goes over, and behind
 * the signal for what is stored. */
static unsigned behind_readers(const struct order *o,
                               const struct xk_piped_part *part, unsigned n,
                               const xk_stmt *load, int64_t var)
{
    unsigned at = 0;
    for (unsigned i = 0; i < n; i++)
        if (reads_loaded(o, part[i].s, load, var))
            at = i + 1;
    const bool stored = at && is_store(part[at - 1].s);
    while (stored && at < n && !is_sync(part[at - 1].s, XK_FUNC_BARRIER_SIGNAL))
        at++;
    return at;
}

static void insert_part(struct xk_piped_part *part, unsigned *n, unsigned at,
                        struct xk_piped_part x)
{
    memmove(part + at + 1, part + at, (*n - at) * sizeof(*part));
    part[at] = x;
    ++*n;
}

static struct xk_piped_buffer *piped_load(const struct order *o, unsigned i)
{
    const struct xk_piped_call x = xk_piped_call_of(o->s[i]);
    const bool load = x.f && x.f->op == XK_TILE_LOAD &&
                      (!x.tiling || x.branch); /* from memory */
    struct xk_piped_buffer *const b = load ? buffer_at(o->p, x.call) : NULL;
    return b && b->ahead ? b : NULL; /* else it stays where it is */
}

/* All but loads; what is published behind them, or, where SLM has a place more,
 * behind the wait. With two places nobody waits at the end. */
static void put_all_but_loads(const struct order *o, struct xk_piped_part *out,
                              unsigned *n)
{
    const struct xk_piped_loop *const p = o->p;
    const unsigned ahead = p->slm ? p->slm->ahead : 0;
    const bool meets = p->slm && p->slm->slots == 1;
    unsigned behind_wait = 0;
    *n = 0;
    for (unsigned i = 0; i < o->count; i++) {
        const bool release = o->published && i + 2 >= o->count;
        if (piped_load(o, i) || (release && !meets) ||
            (ahead && is_published(o, i)))
            continue;
        if (is_sync(o->s[i], XK_FUNC_BARRIER_WAIT) && !release)
            behind_wait = *n + 1;
        out[(*n)++] = (struct xk_piped_part){.s = o->s[i], .stage = p->last};
    }
    unsigned at = p->slm && p->slm->slots > ahead + 1 ? behind_wait : *n;
    for (unsigned i = 0; ahead && i < o->count; i++)
        if (is_published(o, i))
            insert_part(
                out, n, at++,
                (struct xk_piped_part){.s = o->s[i], .stage = p->last - ahead});
}

/* How many stages a buffer is ahead of what reads it first. */
static unsigned ahead_of_reader(const struct order *o,
                                const struct xk_piped_buffer *b)
{
    const struct xk_piped_loop *const p = o->p;
    for (unsigned i = 0; i < o->published; i++)
        if (is_store(o->s[i]) &&
            buffer_at(o->p, xk_piped_call_of(o->s[i]).call) == b)
            return b->ahead < p->slm->ahead ? UINT8_MAX
                                            : b->ahead - p->slm->ahead;
    return b->ahead;
}

/* Where a load goes that serves several steps: behind the last of them that
 * reads what it goes over. It is as many steps ahead of the next ones. */
static unsigned behind_steps(const struct order *o,
                             const struct xk_piped_part *part, unsigned n,
                             struct xk_piped_part *x, unsigned every)
{
    unsigned at = 0, step = every;
    int64_t lo = 0;
    xk_is_const(xk_kid(o->loop, 1), &lo);
    while (step && !at)
        at = behind_readers(o, part, n, x->s,
                            lo + --step * (int64_t)xk_for_step(o->loop));
    x->stage = o->p->last + step - x->loads->ahead * every;
    return at;
}

/* The last stage: as many steps as something is ahead; and after how many steps
 * loads are alike. */
static void set_last(const struct order *o)
{
    struct xk_piped_loop *const p = o->p;
    p->every = 1;
    for (unsigned i = 0; i < o->count; i++) {
        const struct xk_piped_buffer *const b = piped_load(o, i);
        const struct xk_piped_call x = xk_piped_call_of(o->s[i]);
        const unsigned every = x.branch ? xk_piped_every(o->loop, &x) : 1;
        p->every = every > 1 ? (unsigned)xk_lcm(p->every, every) : p->every;
        p->last = b && b->ahead * every > p->last ? b->ahead * every : p->last;
    }
}

static void put_loads_ahead(const struct order *o, struct xk_piped_part *out,
                            unsigned *n)
{
    struct xk_piped_loop *const p = o->p;
    unsigned first = 0; /* loads in front of all multiplies */
    for (unsigned i = 0; i < o->count; i++) {
        struct xk_piped_part x = {.s = o->s[i], .loads = piped_load(o, i)};
        if (!x.loads)
            continue;
        const struct xk_piped_call call = xk_piped_call_of(x.s);
        const unsigned every = xk_piped_every(o->loop, &call);
        if (every > 1) {
            const unsigned at = behind_steps(o, out, *n, &x, every);
            insert_part(out, n, at, x);
            continue;
        }
        x.stage = p->last - x.loads->ahead;
        x.front = x.loads->slots > ahead_of_reader(o, x.loads);
        insert_part(out, n,
                    x.front ? first++ : behind_readers(o, out, *n, x.s, 0), x);
    }
}

/* Loads that are further ahead stand first among those in front. */
static void order_front(struct xk_piped_part *part, unsigned n)
{
    unsigned front = 0;
    while (front < n && part[front].front)
        front++;
    for (unsigned i = 1; i < front; i++)
        for (unsigned k = i; k > 0 && part[k].stage < part[k - 1].stage; k--) {
            const struct xk_piped_part x = part[k];
            part[k] = part[k - 1];
            part[k - 1] = x;
        }
}

/* Whether two loads of a buffer certainly go to different places of it. */
static bool go_apart(const struct order *o, const xk_stmt *one,
                     const xk_stmt *other)
{
    const struct xk_piped_call x = xk_piped_call_of(one);
    const struct xk_piped_call y = xk_piped_call_of(other);
    struct place a, b;
    return piped_place(o->p, &x, 0, &a) && piped_place(o->p, &y, 0, &b) &&
           lie_apart(o, &a, &b, 0);
}

/* Whether two loads of a step go to the same places of a buffer that is ahead:
 * the second would stand in front of the first one's multiply. */
static bool loads_twice(const struct order *o, const struct xk_piped_part *part,
                        unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k < n; k++)
            if (part[i].loads && part[i].loads == part[k].loads &&
                !go_apart(o, part[i].s, part[k].s)) {
                xk_fail(o->p->c, XK_EUNSUPPORTED,
                        "pipe: loop %s loads a buffer twice, which is ahead",
                        o->name);
                return true;
            }
    return false;
}

/* Whether each buffer has places for what is under way: in SLM also for who is
 * a barrier behind. */
static bool places_suffice(const struct order *o)
{
    const struct xk_piped_loop *const p = o->p;
    for (unsigned i = 0; i < p->n_buffers; i++) {
        const struct xk_piped_buffer *const b = &p->buffer[i];
        const bool slm = xk_piped_is_slm(b);
        const unsigned n = slm ? b->ahead + 1 : ahead_of_reader(o, b);
        const unsigned most = slm ? b->ahead + 2 : n + 1;
        if (!b->var ||
            (b->slots >= n && b->slots <= most && n < UINT8_MAX &&
             (!slm || (b->ahead < 2 && p->slm && b->ahead == p->slm->ahead &&
                       b->slots == p->slm->slots))))
            continue;
        xk_fail(p->c, XK_EINVAL,
                slm ? "pipe: %s ahead=%u slots=%u: in SLM a buffer is at most "
                      "one step ahead, as all others there, and has one place "
                      "or two more"
                    : "pipe: %s ahead=%u slots=%u: a buffer has as many places "
                      "as it is ahead of what reads it, or one more",
                b->name, b->ahead, b->slots);
        return false;
    }
    return true;
}

static unsigned statements_in(const xk_stmt *s)
{
    return xk_op(s) == XK_OP_SEQ ? xk_n_kids(s) : 1;
}

static const xk_stmt *statement_in(const xk_stmt *s, unsigned i)
{
    return xk_op(s) == XK_OP_SEQ ? xk_kid(s, i) : s;
}

/* What stands in a tiling of its own, or behind a branch without another side.
 */
static const xk_stmt *inside_of(const xk_stmt *s)
{
    if (xk_op(s) == XK_OP_TILING && xk_tiling_of(s)->n_views == 1)
        return xk_tiling_body(s);
    const bool branch = xk_op(s) == XK_OP_IF && xk_pass_is_empty(xk_kid(s, 2));
    if (branch && xk_op(xk_kid(s, 1)) == XK_OP_TILING)
        return inside_of(xk_kid(s, 1));
    return branch ? xk_kid(s, 1) : NULL;
}

static const xk_stmt *again_around(struct xk_piped_loop *p, const xk_stmt *s,
                                   const xk_stmt *call)
{
    if (xk_op(s) == XK_OP_IF) {
        const xk_stmt *const in = xk_kid(s, 1);
        const bool tiling = xk_op(in) == XK_OP_TILING;
        return xk_if(p->c, xk_kid(s, 0),
                     tiling ? again_around(p, in, call) : call, NULL);
    }
    const xk_expr *const mem = xk_tiling_mem(s, 0);
    return xk_tiling_stmt(p->c, xk_tiling_of(s), &mem, call);
}

/* The body's statements; those in a tiling of their own, or behind a branch,
 * get one each. */
static unsigned list_body(struct xk_piped_loop *p, const xk_stmt *body,
                          const xk_stmt *s[XK_PIPED_CALLS])
{
    unsigned n = 0;
    for (unsigned i = 0; i < statements_in(body); i++) {
        const xk_stmt *const at = statement_in(body, i);
        const xk_stmt *const in = inside_of(at);
        if (n + statements_in(in ? in : at) > XK_PIPED_CALLS)
            return XK_PIPED_CALLS + 1;
        for (unsigned k = 0; k < (in ? statements_in(in) : 1); k++)
            s[n++] = in ? again_around(p, at, statement_in(in, k)) : at;
    }
    return n;
}

bool xk_piped_order(struct xk_piped_loop *p, const xk_stmt *loop,
                    struct xk_piped_part out[XK_PIPED_CALLS], unsigned *n)
{
    const xk_stmt *s[XK_PIPED_CALLS];
    struct order o = {
        .p = p, .loop = loop, .s = s, .name = xk_var_name(xk_kid(loop, 0))};
    o.count = list_body(p, xk_kid(loop, 3), s);
    p->slm = NULL;
    if (o.count > XK_PIPED_CALLS) {
        xk_fail(p->c, XK_EUNSUPPORTED, "pipe: loop %s has too many statements",
                o.name);
        return false;
    }
    if (xk_ctx_status(p->c) != XK_OK || !is_plain(&o) || !places_suffice(&o))
        return false;
    set_last(&o);
    put_all_but_loads(&o, out, n);
    put_loads_ahead(&o, out, n);
    order_front(out, *n);
    return !loads_twice(&o, out, *n);
}
