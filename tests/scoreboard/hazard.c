/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/scoreboard/hazard.h"
#include "isa/format.h"

#include <stdlib.h>
#include <string.h>

/* Counts stop here: beyond it no pipe holds anything (the vendor's own limits
 * are 11, 15 and 18 instructions). */
#define FAR 24

/* ---- the program ---- */

static bool has_second(const struct xk_inst *i)
{
    return i->op == XK_OPC_IF || i->op == XK_OPC_ELSE ||
           i->op == XK_OPC_BREAK || i->op == XK_OPC_CONT ||
           i->op == XK_OPC_HALT || i->op == XK_OPC_GOTO || i->op == XK_OPC_BRC;
}

/* The last of an Atomic chain speaks for all of it. */
static void chain_tokens(struct hz_program *g)
{
    for (unsigned k = g->n; k-- > 1;) {
        struct hz_inst *const x = &g->inst[k - 1];
        if (x->t.unit == HZ_DPAS && x->i.atomic && x->token < 0 &&
            x[1].t.unit == HZ_DPAS)
            x->token = x[1].token;
    }
}

bool hz_program_make(struct hz_program *g, const struct xk_platform *p,
                     const struct xk_inst *in, unsigned n)
{
    g->p = p;
    g->n = n;
    g->inst = calloc(n + 1, sizeof *g->inst);
    if (!g->inst)
        return false;
    for (unsigned k = 0; k < n; k++) {
        struct hz_inst *const x = &g->inst[k];
        const bool to_register = in[k].src[0].file == XK_FILE_GRF;
        x->i = in[k];
        hz_touch_of(p, &x->i, &x->t);
        x->token = in[k].swsb.mode == XK_SBID_SET ? in[k].swsb.sbid : -1;
        x->jip = x->uip = -1;
        if (xk_inst_is_branch(&in[k]) && !to_register &&
            in[k].op != XK_OPC_RET && in[k].op != XK_OPC_CALLA)
            x->jip = in[k].jip_b;
        if (has_second(&in[k]) && !to_register)
            x->uip = in[k].uip_b;
        if (in[k].op == XK_OPC_CALL || in[k].op == XK_OPC_CALLA)
            g->inst[k + 1].after_call = true;
    }
    chain_tokens(g);
    return true;
}

void hz_program_free(struct hz_program *g)
{
    free(g->inst);
    g->inst = NULL;
}

static void add(const struct hz_program *g, unsigned *n, unsigned out[4],
                int to)
{
    if (to < 0 || (unsigned)to >= g->n)
        return;
    for (unsigned k = 0; k < *n; k++)
        if (out[k] == (unsigned)to)
            return;
    out[(*n)++] = (unsigned)to;
}

unsigned hz_successors(const struct hz_program *g, unsigned at, bool lanes,
                       unsigned out[4])
{
    const struct hz_inst *const x = &g->inst[at];
    unsigned n = 0;
    bool falls = true;
    switch ((enum xk_opcode)x->i.op) {
    case XK_OPC_SEND:
    case XK_OPC_SENDC:
        falls = !x->i.send.eot;
        break;
    case XK_OPC_ILLEGAL:
    case XK_OPC_RET:
        return 0;
    case XK_OPC_JMPI:
        falls = x->i.pred != XK_PRED_NONE;
        break;
    case XK_OPC_CALL:
    case XK_OPC_CALLA:
        break;        /* the callee, or, once it is back, behind */
    case XK_OPC_ELSE: /* those that ran the first half go to the endif */
        falls = !lanes;
        break;
    case XK_OPC_JOIN:
    case XK_OPC_ENDIF:
        if (!lanes)
            add(g, &n, out, x->jip);
        add(g, &n, out, (int)at + 1);
        return n;
    case XK_OPC_GOTO:
    case XK_OPC_BREAK:
    case XK_OPC_CONT:
    case XK_OPC_HALT:
        /* forward, who has no channel left skips to the next join */
        if (lanes || x->i.branch_ctrl)
            add(g, &n, out, x->uip);
        if (!lanes)
            add(g, &n, out, x->jip);
        if (!lanes || x->i.pred != XK_PRED_NONE)
            add(g, &n, out, (int)at + 1);
        return n;
    case XK_OPC_BRC:
        add(g, &n, out, x->uip);
        break;
    default:
        break;
    }
    add(g, &n, out, x->jip);
    if (falls)
        add(g, &n, out, (int)at + 1);
    return n;
}

/* ---- does a wait cover ---- */

/* Pipes that a distance at w speaks of, as a set. */
static unsigned pipes_of(const struct hz_program *g, const struct hz_inst *w)
{
    switch (w->i.swsb.pipe) {
    case XK_PIPE_ALL:
        return 15;
    case XK_PIPE_FLOAT:
        return 1;
    case XK_PIPE_INT:
        return 2;
    case XK_PIPE_LONG:
        return 4;
    case XK_PIPE_MATH:
        return 8;
    default:
        break;
    }
    if (g->p->id == XK_PLATFORM_XELP)
        return 1;
    if (w->t.unit == HZ_INORDER)
        return 1u << w->t.pipe;
    if (w->t.unit == HZ_SEND || w->i.op == XK_OPC_SYNC)
        return 15;
    /* math, dpas: the pipe of its sources' types */
    const unsigned type = w->i.src[w->t.unit == HZ_DPAS ? 1 : 0].type;
    return type == XK_RT_F || type == XK_RT_HF || type == XK_RT_BF ? 1 : 2;
}

static bool covers_distance(const struct hz_program *g, const struct hz_inst *w,
                            unsigned pipe, unsigned count)
{
    return w->i.swsb.dist && w->i.swsb.dist <= count &&
           pipes_of(g, w) >> pipe & 1;
}

bool hz_covers_token(const struct hz_inst *w, int token, bool only_read)
{
    const struct xk_swsb *const s = &w->i.swsb;
    if (token < 0)
        return false;
    if ((s->mode == XK_SBID_DST || s->mode == XK_SBID_SET ||
         (s->mode == XK_SBID_SRC && only_read)) &&
        s->sbid == token)
        return true; /* setting a token waits for its last user */
    if (w->i.op != XK_OPC_SYNC ||
        !(w->i.sync_fn == XK_SYNC_ALLWR ||
          (w->i.sync_fn == XK_SYNC_ALLRD && only_read)))
        return false;
    return w->i.src[0].file != XK_FILE_IMM || (w->i.src[0].imm >> token & 1);
}

/* ---- the search ---- */

struct search {
    const struct hz_program *g;
    struct hz_result *r;
    unsigned a;
    bool reads;        /* a's reads are under way, not its writes */
    bool lanes;        /* along the ways of channels */
    bool silent;       /* only mark what is a gap */
    uint64_t *seen_at; /* bit per count, FAR + 1: covered; again after jumps */
    uint8_t *gap;      /* seconds that were found */
    struct state {
        uint32_t at;
        uint8_t count;
        bool covered, back;
    } * stack;
    unsigned n_stack;
};

static bool in_file(const struct hz_set *x)
{
    return x->indirect || x->mask[0] || x->mask[1] || x->mask[2] || x->mask[3];
}

/* Through an address register, somewhere. */
static bool may_meet(const struct hz_set *a, const struct hz_set *b)
{
    return (a->indirect && in_file(b)) || (b->indirect && in_file(a));
}

static bool orders_slm(const struct hz_program *g, const struct hz_inst *a,
                       const struct hz_inst *b)
{
    const bool fence =
        b->i.send.sfid == XK_SFID_SLM && (b->i.send.desc & 0x3f) == 0x1f;
    return g->p->id != XK_PLATFORM_XELP && a->t.unit == HZ_SEND &&
           b->t.unit == HZ_SEND && hz_is_slm(&a->i) && hz_is_slm(&b->i) &&
           a->i.dst.file == XK_FILE_GRF &&
           (fence || b->i.dst.file != XK_FILE_GRF);
}

/* How b depends on a by what is searched for; HZ_N_KINDS: not at all. */
static enum hz_kind depends(const struct search *s, const struct hz_inst *a,
                            const struct hz_inst *b, bool *unknown)
{
    *unknown = false;
    if (s->reads) {
        if (hz_meet(&a->t.rd, &b->t.wr))
            return HZ_WAR;
        *unknown = may_meet(&a->t.rd, &b->t.wr);
        return *unknown ? HZ_WAR : HZ_N_KINDS;
    }
    if (hz_meet(&a->t.wr, &b->t.rd))
        return HZ_RAW;
    if (hz_meet(&a->t.wr, &b->t.wr))
        return HZ_WAW;
    if (orders_slm(s->g, a, b))
        return HZ_SLM;
    *unknown = true;
    if (may_meet(&a->t.wr, &b->t.rd))
        return HZ_RAW;
    return may_meet(&a->t.wr, &b->t.wr) ? HZ_WAW : HZ_N_KINDS;
}

/* b merges bytes into a register that a writes, or may write. */
static bool merges(const struct search *s, const struct hz_inst *a,
                   const struct hz_inst *b, bool unknown)
{
    return s->g->p->id == XK_PLATFORM_XEHPC && b->t.bytes &&
           (unknown || hz_meet_in(&a->t.wr, &b->t.wr, 0, HZ_FLAG));
}

/* Order that needs no wait by the rules themselves: writes after reads and
 * writes within one in-order pipe, but for merged bytes; reads of what a
 * message, in-order instructions, take at issue. */
static bool by_order(const struct search *s, const struct hz_inst *a,
                     const struct hz_inst *b, enum hz_kind k, bool unknown)
{
    if (a->t.unit != HZ_INORDER || b->t.unit != HZ_INORDER ||
        a->t.pipe != b->t.pipe)
        return false;
    return k != HZ_RAW && !(k == HZ_WAW && merges(s, a, b, unknown));
}

static void judge(struct search *s, const struct state *st, enum hz_kind k,
                  bool unknown)
{
    struct hz_pair q = {.g = s->g,
                        .a = s->a,
                        .b = st->at,
                        .count = st->count,
                        .kind = k,
                        .unknown = unknown,
                        .back = st->back};
    if (s->silent) {
        s->gap[st->at] |= 2;
        return;
    }
    if (st->covered) {
        s->r->pairs[k]++;
        return;
    }
    q.by_lanes = s->gap[st->at] & 2;
    const enum hz_excuse e = hz_excuse_of(&q);
    if (e != HZ_N_EXCUSES) {
        s->r->excused[e]++;
        return;
    }
    s->r->pairs[k]++;
    if (s->gap[st->at] & 1)
        return;
    s->gap[st->at] |= 1;
    if (!s->r->gaps++) {
        s->r->first = s->a;
        s->r->second = st->at;
        s->r->kind = k;
    }
    if (s->r->on_gap)
        s->r->on_gap(s->g, s->a, st->at, k);
}

static void push(struct search *s, uint32_t at, uint8_t count, bool covered,
                 bool back)
{
    const unsigned bit = (covered ? FAR + 1u : count) + (back ? FAR + 2u : 0);
    if (s->seen_at[at] >> bit & 1)
        return;
    s->seen_at[at] |= 1ull << bit;
    s->stack[s->n_stack++] = (struct state){
        .at = at, .count = count, .covered = covered, .back = back};
}

static void go_on(struct search *s, const struct state *st)
{
    unsigned to[4];
    const unsigned n = hz_successors(s->g, st->at, s->lanes, to);
    for (unsigned k = 0; k < n; k++)
        push(s, to[k], st->count, st->covered, st->back || to[k] != st->at + 1);
}

/* Arrives at an instruction: its wait, then what it depends on. */
static void arrive(struct search *s, struct state st)
{
    const struct hz_inst *const a = &s->g->inst[s->a];
    const struct hz_inst *const b = &s->g->inst[st.at];
    const bool in_order = a->t.unit == HZ_INORDER;
    bool unknown;
    if (!st.covered)
        st.covered = in_order ? covers_distance(s->g, b, a->t.pipe, st.count)
                              : hz_covers_token(b, a->token, s->reads);
    if (s->silent && st.covered)
        return;
    const enum hz_kind k = depends(s, a, b, &unknown);
    if (k != HZ_N_KINDS && !by_order(s, a, b, k, unknown)) {
        judge(s, &st, k, unknown);
        if (st.covered)
            return;
    }
    if (in_order && b->t.unit == HZ_INORDER && b->t.pipe == a->t.pipe &&
        !(b->t.is_branch && s->g->is_ours) && st.count < FAR)
        st.count++;
    go_on(s, &st);
}

static void walk(struct search *s)
{
    const struct state start = {.at = s->a, .count = 1};
    memset(s->seen_at, 0, s->g->n * sizeof *s->seen_at);
    s->n_stack = 0;
    go_on(s, &start);
    while (s->n_stack)
        arrive(s, s->stack[--s->n_stack]);
}

static void search_from(struct search *s)
{
    memset(s->gap, 0, s->g->n);
    if (!s->g->is_ours) { /* which gaps are the channels' own? */
        s->lanes = s->silent = true;
        walk(s);
        s->lanes = s->silent = false;
    }
    walk(s);
}

void hz_enumerate(const struct hz_program *g, struct hz_result *r)
{
    struct search s = {.g = g, .r = r};
    s.seen_at = calloc(g->n, sizeof *s.seen_at);
    s.gap = calloc(g->n, 1);
    s.stack = calloc((size_t)g->n * (FAR + 2) * 2, sizeof *s.stack);
    if (!s.seen_at || !s.gap || !s.stack)
        abort();
    for (s.a = 0; s.a < g->n; s.a++) {
        const struct hz_inst *const a = &g->inst[s.a];
        if (a->t.unit == HZ_NONE || (a->i.op == XK_OPC_RET))
            continue;
        for (unsigned reads = 0; reads < 2; reads++) {
            s.reads = reads;
            search_from(&s);
        }
    }
    free(s.seen_at);
    free(s.gap);
    free(s.stack);
}
