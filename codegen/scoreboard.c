/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard pass: forward dataflow over basic blocks to a fixpoint. A
 * block's last visit knows all that may be under way at its entry: joins keep
 * the worst of both sides, so what it notes holds for every path into the
 * block, back edges included. Notes are then written out. Tokens are given
 * once, in program order, a free one if there is one. */
#include "codegen/scoreboard.h"
#include "isa/format.h"

#include <string.h>

#include "codegen/sb.h"
#include "isa/workaround.h"

/* What one instruction waits for: syncs in front of it, for tokens and a
 * distance, and its own annotation. */
struct note {
    uint32_t dst, src;
    struct xk_swsb dist, carry;
};

struct pass {
    bool end_drains; /* the end of the thread waits for all pipes */
    xk_ctx *c;
    const struct xk_platform *p;
    const struct xk_sb_caps *caps;
    const struct xk_inst *in;
    unsigned n;
    struct xk_sb_access *access;
    unsigned *block_at; /* instruction -> block */
    struct xk_sb_block *block;
    struct xk_sb_state *entry; /* per block */
    struct note *note; /* per instruction; behind these, per block, in front of
                          what comes after it */
    unsigned n_blocks;
    unsigned next_token;
    unsigned first, end; /* of the block that is visited */
    bool enters, has_dpas;
    uint32_t load_tokens; /* given to messages */
    int8_t token_of[256]; /* by first GRF of a message's destination */
    struct xk_inst *out;
    unsigned n_out, cap_out;
    unsigned *new_at; /* instruction -> index in out */
    bool failed;
};

/* ---- annotations ---- */

static struct xk_inst *append_inst(struct pass *s)
{
    if (!xk_grow(s->c, &s->out, s->n_out, &s->cap_out, sizeof *s->out)) {
        s->failed = true;
        return NULL;
    }
    return &s->out[s->n_out++];
}

static void emit_sync(struct pass *s, enum xk_sync_fn fn, uint32_t mask,
                      struct xk_swsb swsb)
{
    struct xk_inst *const i = append_inst(s);
    if (!i)
        return;
    *i = (struct xk_inst){
        .op = XK_OPC_SYNC, .exec = 1, .sync_fn = (uint8_t)fn, .swsb = swsb};
    i->src[0] = (struct xk_operand){
        .file = XK_FILE_ARF, .arf = XK_ARF_NULL, .type = XK_RT_UD};
    if (fn != XK_SYNC_NOP)
        i->src[0] = (struct xk_operand){
            .file = XK_FILE_IMM, .type = XK_RT_UD, .imm = mask};
}

static struct xk_swsb token_wait(uint32_t bit, enum xk_sbid_mode mode)
{
    return (struct xk_swsb){.mode = (uint8_t)mode,
                            .sbid = (uint8_t)__builtin_ctz(bit)};
}

/* One distance for several pipes. The pipes that it waits for beyond those
 * asked are noted in *n. */
static struct xk_swsb dist_wait(const struct xk_sb_caps *caps,
                                struct xk_sb_need *n, bool all)
{
    struct xk_swsb w = {0};
    if (!n->pipes)
        return w;
    for (unsigned p = 0; p < caps->n_pipes; p++)
        if (n->pipes >> p & 1) {
            w.pipe = caps->name[p];
            if (w.dist == 0 || n->dist[p] < w.dist)
                w.dist = (uint8_t)n->dist[p];
        }
    if (all || n->pipes & (n->pipes - 1)) {
        w.pipe = caps->all;
        n->pipes = (1u << caps->n_pipes) - 1;
        for (unsigned p = 0; p < caps->n_pipes; p++)
            n->dist[p] = w.dist;
    }
    return w;
}

static bool only_pipe(const struct xk_sb_need *n, unsigned pipe)
{
    return pipe < XK_SB_N_PIPES && !(n->pipes & ~(1u << pipe));
}

static bool single(uint32_t tokens)
{
    return tokens && !(tokens & (tokens - 1));
}

/* The instruction that needs something, and what it needs. */
struct waiter {
    struct xk_sb_need need;
    const struct xk_inst *x;
    const struct xk_sb_access *a;
    bool set;  /* carries a token of its own */
    bool last; /* at the thread's end: carries no token at all */
};

/* Whether a distance without a pipe's name says what is needed: all of it is
 * in the pipe that executes the instruction and that its sources' types name.
 */
static bool is_plain_distance(const struct pass *s, const struct waiter *w)
{
    return only_pipe(&w->need, w->a->pipe) &&
           w->a->pipe == xk_sb_pipe_of_sources(s->p, w->x);
}

static void emit_waits(struct pass *s, const struct note *n)
{
    if (n->dst & (n->dst - 1))
        emit_sync(s, XK_SYNC_ALLWR, n->dst, (struct xk_swsb){0});
    else if (n->dst)
        emit_sync(s, XK_SYNC_NOP, 0, token_wait(n->dst, XK_SBID_DST));
    if (n->src & (n->src - 1))
        emit_sync(s, XK_SYNC_ALLRD, n->src, (struct xk_swsb){0});
    else if (n->src)
        emit_sync(s, XK_SYNC_NOP, 0, token_wait(n->src, XK_SBID_SRC));
    if (n->dist.dist)
        emit_sync(s, XK_SYNC_NOP, 0, n->dist);
}

/* The distance beside the token that the instruction sets; none if the sync
 * has to say it. */
static struct xk_swsb beside_set(const struct pass *s, struct waiter *w)
{
    struct xk_swsb dist = {0};
    if (w->a->kind == XK_SB_MATH && w->need.pipes &&
        only_pipe(&w->need, xk_sb_pipe_of_sources(s->p, w->x))) {
        dist = dist_wait(s->caps, &w->need, false);
        dist.pipe = XK_PIPE_NONE;
        return dist;
    }
    if (w->a->kind != XK_SB_SEND)
        return dist;
    dist = dist_wait(s->caps, &w->need, false);
    if (s->caps->send_pipes >> dist.pipe & 1)
        return dist;
    return dist_wait(s->caps, &w->need, true);
}

/* Divides its needs into what the instruction itself can say and what is left
 * to syncs. */
static struct note carried(const struct pass *s, struct waiter *w)
{
    const bool far = w->need.pipes != 0, own = !far || is_plain_distance(s, w);
    const bool dpas = w->a->kind == XK_SB_DPAS; /* its distances are others' */
    struct note n = {.dst = w->need.dst, .src = w->need.src};
    if (w->set) {
        n.carry = beside_set(s, w);
    } else if (!w->last && single(n.dst) &&
               (own || (!dpas && s->caps->all_joins_dst))) {
        const struct xk_swsb dist = dist_wait(s->caps, &w->need, !own);
        n.carry = token_wait(n.dst, XK_SBID_DST);
        n.carry.dist = dist.dist;
        n.carry.pipe = own ? XK_PIPE_NONE : s->caps->all;
        n.dst = 0;
    } else if (!w->last && !n.dst && single(n.src) &&
               (!far || (own && s->caps->src_joins))) {
        const struct xk_swsb dist = dist_wait(s->caps, &w->need, false);
        n.carry = token_wait(n.src, XK_SBID_SRC);
        n.carry.dist = dist.dist;
        n.src = 0;
    } else if (!dpas) {
        n.carry = dist_wait(s->caps, &w->need, w->a->kind == XK_SB_SEND);
    }
    if (!n.carry.dist)
        n.dist = dist_wait(s->caps, &w->need, false);
    return n;
}

/* Where a sync for sources is due, it waits for the sources of all messages:
 * they are read soon, and the next header is then free as well. */
static struct note plan_waits(const struct pass *s, struct waiter *w,
                              const struct xk_sb_state *st)
{
    struct note n = carried(s, w);
    if (n.src) {
        n.src = xk_sb_state_reading(st) & ~w->need.dst;
        w->need.src |= n.src;
    }
    return n;
}

/* Chooses a token. An instruction that has to wait for a token's user takes
 * that token over: setting it is waiting for it, and needs no sync. Messages
 * into the same registers must wait for each other anyway, so they share a
 * token: then a loop's copy matches the one before the loop. Otherwise it is a
 * token that nothing waits for, or else the one given longest ago. */
static int8_t give_token(struct pass *s, const struct xk_inst *x, uint32_t busy,
                         uint32_t awaited)
{
    const int8_t same =
        x->dst.file == XK_FILE_GRF ? s->token_of[x->dst.reg & 255] : -1;
    if (awaited && !(same >= 0 && awaited >> same & 1))
        return (int8_t)__builtin_ctz(awaited);
    if (same >= 0)
        return same;
    const unsigned n = s->p->n_sbid;
    for (unsigned k = 0; k < n; k++) {
        const unsigned t = (s->next_token + k) % n;
        if (!(busy >> t & 1)) {
            s->next_token = t + 1;
            return (int8_t)t;
        }
    }
    return (int8_t)(s->next_token++ % n);
}

/* Loads that the dpas instructions right behind this one still wait for. One
 * sync for all of them instead of one each: the loads were issued together, so
 * the first dpas hardly starts later. */
static uint32_t chain_needs(const struct pass *s, const struct xk_sb_state *st,
                            unsigned at)
{
    uint32_t dst = 0;
    for (unsigned i = at + 1; i < s->end && s->in[i].op == XK_OPC_DPAS; i++) {
        struct xk_sb_need n;
        xk_sb_need_of(st, &s->access[i], &n);
        dst |= n.dst;
    }
    return dst & s->load_tokens;
}

/* Whether the next instruction belongs to the same Atomic chain. */
static bool chained(const struct pass *s, unsigned at)
{
    return s->in[at].atomic && s->access[at].kind == XK_SB_DPAS &&
           at + 1 < s->end && s->access[at + 1].kind == XK_SB_DPAS;
}

static void merge_needs(struct xk_sb_need *n, const struct xk_sb_need *more)
{
    n->dst |= more->dst;
    n->src |= more->src;
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
        if (more->pipes >> p & 1 &&
            (!(n->pipes >> p & 1) || more->dist[p] < n->dist[p]))
            n->dist[p] = more->dist[p];
    n->pipes |= more->pipes;
}

/* A chain waits before its first for what any of it needs. */
static void need_of_chain(const struct pass *s, const struct xk_sb_state *st,
                          unsigned at, struct xk_sb_need *n)
{
    for (; chained(s, at); at++) {
        struct xk_sb_need more;
        xk_sb_need_of(st, &s->access[at + 1], &more);
        merge_needs(n, &more);
    }
    n->src &= ~n->dst;
}

/* Waits for what is still in a pipe when a loop is entered. Otherwise the
 * loop's dpas would wait for it in each round, by syncs: they have no
 * distance. */
static void need_in_front(const struct xk_sb_state *st, struct xk_sb_need *n)
{
    struct xk_sb_need more;
    xk_sb_need_of_loop(st, &more);
    merge_needs(n, &more);
}

static struct note enter_sb_loop(const struct pass *s, struct xk_sb_state *st)
{
    struct xk_sb_need n = {0};
    need_in_front(st, &n);
    const struct note note = {.dist = dist_wait(s->caps, &n, false)};
    xk_sb_state_wait(st, &n);
    return note;
}

/* All pipes, to the last instruction (row eot_distance). */
static void need_distance_1(const struct xk_sb_caps *caps, struct xk_sb_need *n)
{
    for (unsigned p = 0; p < caps->n_pipes; p++)
        n->dist[p] = 1;
    n->pipes = (1u << caps->n_pipes) - 1;
}

/* What instruction `at` has to wait for before it may be issued. */
static void find_need(struct pass *s, const struct xk_sb_state *st, unsigned at,
                      struct waiter *w)
{
    struct xk_sb_access *const a = &s->access[at];
    struct xk_sb_need *const n = &w->need;
    if (a->follows) {
        a->token = s->access[at - 1].token;
        n->dst = n->src = n->pipes = 0;
        return;
    }
    xk_sb_need_of(st, a, n);
    need_of_chain(s, st, at, n);
    if (a->kind == XK_SB_BRANCH && xk_sb_is_call(w->x))
        xk_sb_need_all(st, n);
    else if (a->kind == XK_SB_BRANCH && s->enters)
        need_in_front(st, n);
    if (a->pipe == XK_SB_OOO && !w->last && a->token < 0)
        a->token = give_token(s, w->x, st->busy & ~n->dst, n->dst);
    if (w->set) { /* setting it waits for what it meant before */
        n->dst &= ~(1u << a->token);
        n->src &= ~(1u << a->token);
        if (w->x->dst.file == XK_FILE_GRF)
            s->token_of[w->x->dst.reg & 255] = a->token;
    }
    if (a->kind == XK_SB_SEND && w->set)
        s->load_tokens |= 1u << a->token;
    if (a->kind == XK_SB_DPAS && n->dst)
        n->dst |= chain_needs(s, st, at);
    if (w->last) { /* registers must not be written after the end */
        n->dst |= xk_sb_state_writing(st);
        if (s->end_drains)
            need_distance_1(s->caps, n);
    }
}

static void visit_inst(struct pass *s, struct xk_sb_state *st, unsigned at)
{
    const struct xk_inst *const x = &s->in[at];
    struct xk_sb_access *const a = &s->access[at];
    struct note *const n = &s->note[at];
    *n = (struct note){0};
    if (xk_sb_is_ours(x))
        return;
    const bool last = a->kind == XK_SB_SEND && x->send.eot;
    struct waiter w;
    w.x = x;
    w.a = a;
    w.last = last;
    w.set = a->pipe == XK_SB_OOO && !last && !chained(s, at);
    a->follows = at > s->first && chained(s, at - 1);
    find_need(s, st, at, &w);
    if (w.need.dst || w.need.src || w.need.pipes) {
        *n = plan_waits(s, &w, st);
        xk_sb_state_wait(st, &w.need);
    }
    xk_sb_state_issue(st, a);
    if (w.set) {
        n->carry.mode = XK_SBID_SET;
        n->carry.sbid = (uint8_t)a->token;
    }
}

static void annotate_block(struct pass *s, unsigned b, struct xk_sb_state *st)
{
    *st = s->entry[b];
    s->first = s->block[b].first;
    s->end = s->block[b].end;
    s->enters = s->block[b].enters && s->has_dpas;
    for (unsigned i = s->block[b].first; i < s->block[b].end; i++)
        visit_inst(s, st, i);
    const bool falls = s->enters && !xk_inst_is_branch(&s->in[s->end - 1]);
    s->note[s->n + b] = falls ? enter_sb_loop(s, st) : (struct note){0};
}

static void analyse_blocks(struct pass *s, struct xk_sb_state *st)
{
    for (unsigned b = 0; b < s->n_blocks; b++)
        s->block[b].reached = s->block[b].dirty = s->block[b].root;
    for (bool again = true; again;) {
        again = false;
        for (unsigned b = 0; b < s->n_blocks; b++) {
            if (!s->block[b].dirty)
                continue;
            s->block[b].dirty = false;
            annotate_block(s, b, st);
            xk_sb_state_rebase(st);
            for (unsigned k = 0; k < s->block[b].n_succ; k++) {
                struct xk_sb_block *const to = &s->block[s->block[b].succ[k]];
                const bool changed =
                    xk_sb_state_join(&s->entry[s->block[b].succ[k]], st);
                if (!changed && to->reached)
                    continue;
                to->reached = to->dirty = true;
                again |= s->block[b].succ[k] <= b;
            }
        }
    }
}

/* The notes of blocks that nothing leads to. */
static void annotate_rest(struct pass *s, struct xk_sb_state *st)
{
    for (unsigned b = 0; b < s->n_blocks; b++)
        if (!s->block[b].reached)
            annotate_block(s, b, st);
}

static void write_annotated(struct pass *s, unsigned at)
{
    s->new_at[at] = s->n_out;
    if (xk_sb_is_ours(&s->in[at]))
        return;
    emit_waits(s, &s->note[at]);
    struct xk_inst *const i = append_inst(s);
    if (!i)
        return;
    *i = s->in[at];
    i->swsb = s->note[at].carry;
    i->atomic = chained(s, at);
}

static void write_out(struct pass *s)
{
    for (unsigned b = 0; b < s->n_blocks; b++) {
        s->end = s->block[b].end;
        for (unsigned i = s->block[b].first; i < s->end; i++)
            write_annotated(s, i);
        emit_waits(s, &s->note[s->n + b]);
    }
    if (s->failed)
        return;
    for (unsigned i = 0; i < s->n_out; i++) {
        if (xk_sb_has_jip(&s->out[i]))
            s->out[i].jip_b = (int32_t)s->new_at[s->out[i].jip_b];
        if (xk_sb_has_uip(&s->out[i]))
            s->out[i].uip_b = (int32_t)s->new_at[s->out[i].uip_b];
    }
}

static enum xk_status annotate(struct pass *s, struct xk_sb_state *st)
{
    XK_TRY(xk_sb_find_blocks(s->c, s->in, s->n, s->block_at, &s->block,
                             &s->n_blocks));
    s->entry = xk_malloc(s->c, s->n_blocks * sizeof *s->entry);
    s->note = xk_malloc(s->c, (s->n + s->n_blocks) * sizeof *s->note);
    if (!s->entry || !s->note)
        return XK_ENOMEM;
    for (unsigned b = 0; b < s->n_blocks; b++)
        xk_sb_state_clear(&s->entry[b], s->caps);
    for (unsigned i = 0; i < s->n; i++)
        s->has_dpas |= s->access[i].kind == XK_SB_DPAS;
    analyse_blocks(s, st);
    annotate_rest(s, st);
    s->cap_out = s->n + s->n / 4 + 16; /* with most syncs */
    s->out = xk_malloc(s->c, s->cap_out * sizeof *s->out);
    if (!s->out)
        return XK_ENOMEM;
    write_out(s);
    return s->failed ? XK_ENOMEM : XK_OK;
}

struct xk_sb_access *xk_sb_accesses(xk_ctx *c, const struct xk_platform *p,
                                    const struct xk_inst *in, unsigned n)
{
    struct xk_sb_access *const a = xk_malloc(c, n * sizeof *a);
    for (unsigned i = 0; a && i < n; i++)
        xk_sb_access_of(p, &in[i], &a[i]);
    return a;
}

static enum xk_status refuse_platform(xk_ctx *c, const struct xk_platform *p)
{
    return xk_fail(c, XK_EUNSUPPORTED,
                   "scoreboard: platform %s is not implemented", p->name);
}

enum xk_status xk_scoreboard(xk_ctx *c, const struct xk_platform *p,
                             const struct xk_inst *in, unsigned n,
                             struct xk_inst **out, unsigned *n_out)
{
    *out = NULL;
    *n_out = 0;
    if (!xk_sb_caps_get(p))
        return refuse_platform(c, p);
    if (n == 0)
        return XK_OK;
    const struct xk_sb_list list = {in, xk_sb_accesses(c, p, in, n), n};
    struct xk_wa_device all;
    xk_product_find(p, "", &all);
    const enum xk_status st =
        list.access ? xk_sb_annotate(c, &all, &list, out, n_out) : XK_ENOMEM;
    xk_free(c, list.access);
    return st;
}

enum xk_status xk_sb_annotate(xk_ctx *c, const struct xk_wa_device *d,
                              const struct xk_sb_list *in, struct xk_inst **out,
                              unsigned *n_out)
{
    const struct xk_platform *const p = xk_platform_get(d->platform);
    struct pass s = {.c = c,
                     .p = p,
                     .caps = xk_sb_caps_get(p),
                     .in = in->inst,
                     .end_drains = xk_wa_applies(XK_WA_eot_distance, d),
                     .access = in->access,
                     .n = in->n};
    enum xk_status st = XK_ENOMEM;
    *out = NULL;
    *n_out = 0;
    if (in->n == 0)
        return XK_OK;
    memset(s.token_of, -1, sizeof s.token_of);
    s.block_at = xk_calloc(c, in->n, sizeof *s.block_at);
    s.new_at = xk_calloc(c, in->n, sizeof *s.new_at);
    struct xk_sb_state *const scratch = xk_malloc(c, sizeof *scratch);
    if (s.block_at && s.new_at && scratch)
        st = annotate(&s, scratch);
    xk_free(c, s.block_at);
    xk_free(c, s.new_at);
    xk_free(c, s.block);
    xk_free(c, s.entry);
    xk_free(c, s.note);
    xk_free(c, scratch);
    if (st < 0) {
        xk_free(c, s.out);
        return st;
    }
    *out = s.out;
    *n_out = s.n_out;
    return XK_OK;
}
