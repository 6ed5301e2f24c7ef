/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard pass: forward dataflow over basic blocks to a fixpoint, then
 * one walk that writes the annotations. Joins keep the worst of both sides, so
 * a block's annotations hold for every path into it, back edges included.
 * Tokens are given once, in program order, a free one if there is one. */
#include "codegen/scoreboard.h"

#include <string.h>

#include "codegen/sb.h"

struct block {
    unsigned first, end; /* instructions */
    unsigned succ[3], n_succ;
    bool reached, dirty;
};

struct pass {
    xk_ctx *c;
    const struct xk_platform *p;
    const struct xk_inst *in;
    unsigned n;
    struct xk_sb_access *access;
    unsigned *block_at; /* instruction -> block */
    struct block *block;
    struct xk_sb_state *entry; /* per block */
    unsigned n_blocks;
    unsigned next_token;
    unsigned end;         /* of the block that is visited */
    uint32_t load_tokens; /* given to messages */
    int8_t token_of[256]; /* by first GRF of a message's destination */
    struct xk_inst *out;  /* NULL while only analysing */
    unsigned n_out, cap_out;
    unsigned *new_at; /* instruction -> index in out */
    bool failed;
};

static bool is_branch(const struct xk_inst *i)
{
    return i->op >= XK_OPC_JMPI && i->op <= XK_OPC_JOIN;
}

static bool has_uip(const struct xk_inst *i)
{
    return i->op != XK_OPC_JMPI && i->op != XK_OPC_JOIN &&
           i->op != XK_OPC_ENDIF && i->op != XK_OPC_WHILE &&
           i->op != XK_OPC_BRD;
}

static bool ends_thread(const struct xk_inst *i)
{
    return (i->op == XK_OPC_SEND || i->op == XK_OPC_SENDC) && i->send.eot;
}

/* Synchronisation that this pass writes itself. */
static bool is_ours(const struct xk_inst *i)
{
    return i->op == XK_OPC_SYNC &&
           (i->sync_fn == XK_SYNC_NOP || i->sync_fn == XK_SYNC_ALLRD ||
            i->sync_fn == XK_SYNC_ALLWR);
}

/* ---- control flow ---- */

static enum xk_status check_targets(const struct pass *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        const struct xk_inst *const x = &s->in[i];
        if (!is_branch(x))
            continue;
        if (x->op == XK_OPC_CALL || x->op == XK_OPC_CALLA ||
            x->op == XK_OPC_RET || x->op == XK_OPC_BRC)
            return xk_fail(s->c, XK_EUNSUPPORTED,
                           "scoreboard: %s at "
                           "instruction %u",
                           xk_opcode_name(x->op), i);
        if (x->jip_b < 0 || (unsigned)x->jip_b >= s->n ||
            (has_uip(x) && (x->uip_b < 0 || (unsigned)x->uip_b >= s->n)))
            return xk_fail(s->c, XK_EINVAL,
                           "scoreboard: instruction %u jumps "
                           "to %d, %d of %u",
                           i, x->jip_b, x->uip_b, s->n);
    }
    return XK_OK;
}

static void add_succ(struct block *b, unsigned target)
{
    b->succ[b->n_succ++] = target;
}

static void link_block(struct pass *s, struct block *b)
{
    const struct xk_inst *const x = &s->in[b->end - 1];
    const bool jumps = is_branch(x);
    if (jumps)
        add_succ(b, s->block_at[x->jip_b]);
    if (jumps && has_uip(x))
        add_succ(b, s->block_at[x->uip_b]);
    const bool always = x->op == XK_OPC_JMPI && x->pred == XK_PRED_NONE;
    if (!always && !ends_thread(x) && b->end < s->n)
        add_succ(b, s->block_at[b->end]);
}

/* block_at first marks the leaders, then numbers the blocks. */
static enum xk_status find_blocks(struct pass *s)
{
    s->block_at[0] = 1;
    for (unsigned i = 0; i < s->n; i++) {
        const struct xk_inst *const x = &s->in[i];
        if (is_branch(x)) {
            s->block_at[x->jip_b] = 1;
            if (has_uip(x))
                s->block_at[x->uip_b] = 1;
        }
        if ((is_branch(x) || ends_thread(x)) && i + 1 < s->n)
            s->block_at[i + 1] = 1;
    }
    for (unsigned i = 0; i < s->n; i++)
        s->n_blocks += s->block_at[i];
    s->block = xk_calloc(s->c, s->n_blocks, sizeof *s->block);
    s->entry = xk_malloc(s->c, s->n_blocks * sizeof *s->entry);
    if (!s->block || !s->entry)
        return XK_ENOMEM;
    unsigned b = 0;
    for (unsigned i = 0; i < s->n; i++) {
        if (s->block_at[i])
            s->block[b++].first = i;
        s->block_at[i] = b - 1;
        s->block[b - 1].end = i + 1;
    }
    for (b = 0; b < s->n_blocks; b++) {
        link_block(s, &s->block[b]);
        xk_sb_state_clear(&s->entry[b]);
    }
    return XK_OK;
}

/* ---- annotations ---- */

static struct xk_inst *append(struct pass *s)
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
    struct xk_inst *const i = append(s);
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

/* One distance for what several pipes must reach. The pipes it waits for
 * beyond what was asked are noted in *n. */
static struct xk_swsb dist_wait(struct xk_sb_need *n, bool all)
{
    static const uint8_t name[] = {XK_PIPE_FLOAT, XK_PIPE_INT, XK_PIPE_LONG};
    struct xk_swsb w = {0};
    unsigned n_pipes = 0;
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
        if (n->dist[p]) {
            n_pipes++;
            w.pipe = name[p];
            if (w.dist == 0 || n->dist[p] < w.dist)
                w.dist = (uint8_t)n->dist[p];
        }
    if (n_pipes > 1 || (all && n_pipes)) {
        w.pipe = XK_PIPE_ALL;
        for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
            n->dist[p] = w.dist;
    }
    return w;
}

static bool only_own_pipe(const struct xk_sb_need *n, unsigned pipe)
{
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
        if (n->dist[p] && p != pipe)
            return false;
    return pipe < XK_SB_N_PIPES;
}

/* The instruction that needs something, and what it needs. */
struct waiter {
    struct xk_sb_need need;
    unsigned pipe;
    bool set;  /* carries a token of its own (or none, at the thread's end):
                  can wait for no other */
    bool send; /* a distance beside the token is of all pipes */
};

static void emit_waits(struct pass *s, uint32_t dst, uint32_t src,
                       struct xk_swsb dist)
{
    if (dst & (dst - 1))
        emit_sync(s, XK_SYNC_ALLWR, dst, (struct xk_swsb){0});
    else if (dst)
        emit_sync(s, XK_SYNC_NOP, 0, token_wait(dst, XK_SBID_DST));
    if (src & (src - 1))
        emit_sync(s, XK_SYNC_ALLRD, src, (struct xk_swsb){0});
    else if (src)
        emit_sync(s, XK_SYNC_NOP, 0, token_wait(src, XK_SBID_SRC));
    if (dist.dist)
        emit_sync(s, XK_SYNC_NOP, 0, dist);
}

/* Waits in syncs for what the instruction cannot carry; returns what it
 * carries. Where a sync for sources is due, it waits for the sources of all
 * messages: they are read soon, and the next header is then free as well. */
static struct xk_swsb plan(struct pass *s, struct waiter *w,
                           const struct xk_sb_state *st, bool write)
{
    struct xk_sb_need *const n = &w->need;
    const bool any_dist = n->dist[0] || n->dist[1] || n->dist[2];
    const bool one =
        __builtin_popcount(n->dst) + __builtin_popcount(n->src) == 1;
    const bool own = only_own_pipe(n, w->pipe);
    struct xk_swsb dist = dist_wait(n, w->send);
    struct xk_swsb carry = {0};
    if (n->src && (w->set || any_dist || !one))
        n->src = xk_sb_state_reading(st) & ~n->dst;
    uint32_t dst = n->dst, src = n->src;
    if (!w->set && one && dst && (own || !any_dist)) {
        carry = token_wait(dst, XK_SBID_DST);
        carry.dist = dist.dist;
        dst = dist.dist = 0;
    } else if (!w->set && one && src && !any_dist) {
        carry = token_wait(src, XK_SBID_SRC);
        src = 0;
    } else if (!w->set || w->send) {
        carry = dist;
        dist.dist = 0;
    }
    if (write)
        emit_waits(s, dst, src, dist);
    return carry;
}

/* Messages into the same registers must wait for each other anyway, so they
 * share a token: then a loop's copy matches the one before the loop. Else one
 * that nothing waits for, else the one given longest ago. */
static int8_t give_token(struct pass *s, const struct xk_inst *x, uint32_t busy)
{
    if (x->dst.file == XK_FILE_GRF && s->token_of[x->dst.reg & 255] >= 0)
        return s->token_of[x->dst.reg & 255];
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
        struct xk_sb_need n = {0};
        xk_sb_need_of(st, &s->access[i], &n);
        dst |= n.dst;
    }
    return dst & s->load_tokens;
}

static void visit(struct pass *s, struct xk_sb_state *st, unsigned at,
                  bool write)
{
    const struct xk_inst *const x = &s->in[at];
    struct xk_sb_access *const a = &s->access[at];
    if (write)
        s->new_at[at] = s->n_out;
    if (is_ours(x))
        return;
    const bool sends = x->op == XK_OPC_SEND || x->op == XK_OPC_SENDC;
    const bool set = a->pipe == XK_SB_OOO && !ends_thread(x);
    struct waiter w = {
        .pipe = a->pipe, .set = set || ends_thread(x), .send = sends};
    xk_sb_need_of(st, a, &w.need);
    if (set && a->token < 0)
        a->token = give_token(s, x, st->busy & ~w.need.dst);
    if (sends && set)
        s->load_tokens |= 1u << a->token;
    if (set && x->dst.file == XK_FILE_GRF)
        s->token_of[x->dst.reg & 255] = a->token;
    if (set) { /* setting it waits for what it meant before */
        w.need.dst &= ~(1u << a->token);
        w.need.src &= ~(1u << a->token);
    }
    if (x->op == XK_OPC_DPAS && w.need.dst)
        w.need.dst |= chain_needs(s, st, at);
    if (ends_thread(x)) /* registers must not be written after the end */
        w.need.dst |= xk_sb_state_writing(st);
    const struct xk_swsb carry = plan(s, &w, st, write);
    xk_sb_state_wait(st, &w.need);
    xk_sb_state_issue(st, a);
    if (!write)
        return;
    struct xk_inst *const i = append(s);
    if (!i)
        return;
    *i = *x;
    i->swsb = carry;
    if (set) {
        i->swsb.mode = XK_SBID_SET;
        i->swsb.sbid = (uint8_t)a->token;
    }
}

static void run_block(struct pass *s, unsigned b, struct xk_sb_state *st,
                      bool write)
{
    *st = s->entry[b];
    s->end = s->block[b].end;
    for (unsigned i = s->block[b].first; i < s->block[b].end; i++)
        visit(s, st, i, write);
}

static void analyse(struct pass *s, struct xk_sb_state *st)
{
    s->block[0].reached = s->block[0].dirty = true;
    for (bool again = true; again;) {
        again = false;
        for (unsigned b = 0; b < s->n_blocks; b++) {
            if (!s->block[b].dirty)
                continue;
            s->block[b].dirty = false;
            run_block(s, b, st, false);
            xk_sb_state_rebase(st);
            for (unsigned k = 0; k < s->block[b].n_succ; k++) {
                struct block *const to = &s->block[s->block[b].succ[k]];
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

static void write_out(struct pass *s, struct xk_sb_state *st)
{
    for (unsigned b = 0; b < s->n_blocks; b++)
        run_block(s, b, st, true);
    if (s->failed)
        return;
    for (unsigned i = 0; i < s->n_out; i++)
        if (is_branch(&s->out[i])) {
            s->out[i].jip_b = (int32_t)s->new_at[s->out[i].jip_b];
            if (has_uip(&s->out[i]))
                s->out[i].uip_b = (int32_t)s->new_at[s->out[i].uip_b];
        }
}

static enum xk_status run(struct pass *s, struct xk_sb_state *st)
{
    XK_TRY(check_targets(s));
    XK_TRY(find_blocks(s));
    for (unsigned i = 0; i < s->n; i++)
        xk_sb_access_of(s->p, &s->in[i], &s->access[i]);
    analyse(s, st);
    write_out(s, st);
    return s->failed ? XK_ENOMEM : XK_OK;
}

enum xk_status xk_scoreboard(xk_ctx *c, const struct xk_platform *p,
                             const struct xk_inst *in, unsigned n,
                             struct xk_inst **out, unsigned *n_out)
{
    struct pass s = {.c = c, .p = p, .in = in, .n = n};
    enum xk_status st = XK_ENOMEM;
    *out = NULL;
    *n_out = 0;
    if (p->id != XK_PLATFORM_XEHPG)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "scoreboard: platform %s is not "
                       "implemented",
                       p->name);
    if (n == 0)
        return XK_OK;
    memset(s.token_of, -1, sizeof s.token_of);
    s.access = xk_malloc(c, n * sizeof *s.access);
    s.block_at = xk_calloc(c, n, sizeof *s.block_at);
    s.new_at = xk_calloc(c, n, sizeof *s.new_at);
    struct xk_sb_state *const scratch = xk_malloc(c, sizeof *scratch);
    if (s.access && s.block_at && s.new_at && scratch)
        st = run(&s, scratch);
    xk_free(c, s.access);
    xk_free(c, s.block_at);
    xk_free(c, s.new_at);
    xk_free(c, s.block);
    xk_free(c, s.entry);
    xk_free(c, scratch);
    if (st < 0) {
        xk_free(c, s.out);
        return st;
    }
    *out = s.out;
    *n_out = s.n_out;
    return XK_OK;
}
