/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of isa.md 5.3. A pipe completes in order, so waiting for one of its
 * instructions is waiting for all before it, and issue is in order, so what one
 * instruction has waited for none after it needs to wait for again.
 *
 *   read after write     always
 *   write after write    unless both are in the same in-order pipe
 *   write after read     likewise
 *
 * A token set again while outstanding stalls until it is free: its old meaning
 * is complete then. Distances grow without need for waiting; beyond HORIZON
 * instructions of a pipe nothing can be under way any more. */
#include "codegen/sb.h"

#include <string.h>

#define HORIZON 40
#define MAX_DIST 7

void xk_sb_state_clear(struct xk_sb_state *s, const struct xk_sb_caps *caps)
{
    memset(s, 0, sizeof *s);
    s->caps = caps;
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++) {
        for (unsigned r = 0; r < XK_SB_N_RES; r++)
            s->wr[p][r] = s->rd[p][r] = XK_SB_NEVER;
        s->done[p] = XK_SB_NEVER;
    }
}

static void need_pipe(const struct xk_sb_state *s, unsigned p, int32_t stamp,
                      struct xk_sb_need *n)
{
    if (stamp <= s->done[p])
        return;
    const int32_t d = s->count[p] - stamp;
    if (d > HORIZON)
        return;
    const int32_t capped = d < 1 ? 1 : d < MAX_DIST ? d : MAX_DIST;
    if (!(n->pipes >> p & 1) || capped < n->dist[p])
        n->dist[p] = capped;
    n->pipes |= 1u << p;
}

static bool interlocked(const struct xk_sb_state *s, unsigned r)
{
    return s->caps->arf_interlocked && r >= XK_SB_FLAG && r < XK_SB_STATE;
}

/* The youngest stamps that matter, by pipe: a pipe is waited for once. */
struct youngest {
    int32_t stamp[XK_SB_N_PIPES];
};

static void see(int32_t stamp, int32_t *youngest)
{
    if (stamp > *youngest)
        *youngest = stamp;
}

static uint32_t need_for_read(const struct xk_sb_state *s,
                              struct xk_sb_span span, struct youngest *y)
{
    const unsigned pipes = interlocked(s, span.first) ? 0 : ~0u;
    uint32_t dst = 0;
    for (unsigned r = span.first; r < span.end; r++) {
        dst |= s->tok_wr[r];
        for (unsigned m = s->seen[r] & pipes; m; m &= m - 1) {
            const unsigned p = (unsigned)__builtin_ctz(m);
            see(s->wr[p][r], &y->stamp[p]);
        }
    }
    return dst;
}

static void need_for_write(const struct xk_sb_state *s, struct xk_sb_span span,
                           unsigned own, struct youngest *y,
                           struct xk_sb_need *need)
{
    const unsigned pipes = interlocked(s, span.first) ? 0 : ~(1u << own);
    for (unsigned r = span.first; r < span.end; r++) {
        need->dst |= s->tok_wr[r];
        need->src |= s->tok_rd[r];
        for (unsigned m = s->seen[r] & pipes; m; m &= m - 1) {
            const unsigned p = (unsigned)__builtin_ctz(m);
            see(s->wr[p][r], &y->stamp[p]);
            see(s->rd[p][r], &y->stamp[p]);
        }
    }
}

/* What is still in a pipe, however long ago it began. */
static void need_pipes(const struct xk_sb_state *s, struct xk_sb_need *n)
{
    for (unsigned p = 0; p < s->caps->n_pipes; p++)
        need_pipe(s, p, s->count[p] - 1, n);
}

/* An instruction right behind a write of a state register names all pipes, as
 * the write itself does (row state_distance), even if nothing is under way
 * there. */
static void need_after_state(const struct xk_sb_state *s, struct xk_sb_need *n)
{
    const unsigned all = s->caps->n_pipes;
    bool behind = false;
    for (unsigned p = 0; p < all; p++) {
        const int32_t stamp = s->wr[p][XK_SB_STATE];
        behind |= stamp > s->done[p] && s->count[p] - stamp == 1;
    }
    for (unsigned p = 0; behind && p < all; p++)
        n->dist[p] = 1;
    if (behind)
        n->pipes = (1u << all) - 1;
}

/* A state register changes for everything that is under way. a0 changes for its
 * readers, because of a fault of some platforms. */
static void need_for_special(const struct xk_sb_state *s, unsigned r,
                             struct xk_sb_need *n)
{
    if (r == XK_SB_STATE) {
        need_pipes(s, n);
        n->dst |= s->busy & ~s->send;
    } else if (r == XK_SB_A0 && s->caps->a0_drains) {
        need_pipes(s, n);
    }
}

void xk_sb_need_of(const struct xk_sb_state *s, const struct xk_sb_access *a,
                   struct xk_sb_need *n)
{
    struct youngest y = {{XK_SB_NEVER, XK_SB_NEVER, XK_SB_NEVER, XK_SB_NEVER}};
    n->dst = n->src = n->pipes = 0;
    for (unsigned i = 0; i < a->n_rd; i++)
        n->dst |= need_for_read(s, a->rd[i], &y);
    for (unsigned i = 0; i < a->n_wr; i++) {
        need_for_write(s, a->wr[i], a->pipe, &y, n);
        if (a->wr[i].first >= XK_SB_A0)
            need_for_special(s, a->wr[i].first, n);
    }
    for (unsigned p = 0; p < s->caps->n_pipes; p++)
        need_pipe(s, p, y.stamp[p], n);
    need_after_state(s, n);
    if (a->slm_order && s->caps->slm_read_drains)
        n->dst |= s->slm;
    if (s->caps->payload_by_dst)
        n->dst |= n->src & s->send;
    n->src &= ~n->dst;
}

void xk_sb_need_all(const struct xk_sb_state *s, struct xk_sb_need *n)
{
    n->dst = s->busy;
    n->src = n->pipes = 0;
    need_pipes(s, n);
}

void xk_sb_need_of_loop(const struct xk_sb_state *s, struct xk_sb_need *n)
{
    n->dst = n->src = n->pipes = 0;
    for (unsigned p = 0; p < s->caps->n_pipes; p++)
        if (p != XK_SB_I && s->caps->n_pipes > 1)
            need_pipe(s, p, s->count[p] - 1, n);
}

uint32_t xk_sb_state_reading(const struct xk_sb_state *s)
{
    uint32_t all = 0;
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        all |= s->tok_rd[r];
    return all;
}

uint32_t xk_sb_state_writing(const struct xk_sb_state *s)
{
    uint32_t all = 0;
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        all |= s->tok_wr[r];
    return all;
}

static void drop_tokens(struct xk_sb_state *s, uint32_t keep_wr,
                        uint32_t keep_rd)
{
    for (unsigned r = 0; r < XK_SB_N_RES; r++) {
        s->tok_wr[r] &= keep_wr;
        s->tok_rd[r] &= keep_rd;
    }
    s->busy &= keep_wr;
    s->send &= keep_wr;
    s->slm &= keep_wr;
}

void xk_sb_state_wait(struct xk_sb_state *s, const struct xk_sb_need *n)
{
    for (unsigned p = 0; p < s->caps->n_pipes; p++) {
        const int32_t upto = s->count[p] - n->dist[p];
        if (n->pipes >> p & 1 && upto > s->done[p])
            s->done[p] = upto;
    }
    if (n->dst | n->src)
        drop_tokens(s, ~n->dst, ~(n->dst | n->src));
}

/* Whether a resource is read after issue: registers are, and accumulators by
 * math; flags, a0 and state go along with the instruction. */
static bool read_late(unsigned r)
{
    return r < XK_SB_FLAG || (r >= XK_SB_ACC && r < XK_SB_A0);
}

static void set_token(struct xk_sb_state *s, const struct xk_sb_access *a)
{
    const uint32_t bit = 1u << a->token;
    if (!a->follows)
        drop_tokens(s, ~bit, ~bit);
    for (unsigned i = 0; i < a->n_rd; i++)
        for (unsigned r = a->rd[i].first; r < a->rd[i].end; r++)
            if (read_late(r))
                s->tok_rd[r] |= bit;
    for (unsigned i = 0; i < a->n_wr; i++)
        for (unsigned r = a->wr[i].first; r < a->wr[i].end; r++)
            s->tok_wr[r] |= bit;
    s->busy |= bit;
    if (a->kind == XK_SB_SEND)
        s->send |= bit;
    if (a->slm_load)
        s->slm |= bit;
}

static void mark_spans(struct xk_sb_state *s, const struct xk_sb_span *span,
                       unsigned n, unsigned p, int16_t *list, int16_t now)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned r = span[i].first; r < span[i].end; r++) {
            list[r] = now;
            s->seen[r] |= (uint8_t)(1u << p);
        }
}

/* A branch leaves no distance behind: whether the hardware counts it is not
 * known, and too small a distance is safe. Its flags are still read. */
static void issue_branch(struct xk_sb_state *s, const struct xk_sb_access *a)
{
    const unsigned p = s->caps->n_pipes > 1 ? XK_SB_I : 0;
    mark_spans(s, a->rd, a->n_rd, p, s->rd[p], (int16_t)s->count[p]);
}

void xk_sb_state_issue(struct xk_sb_state *s, const struct xk_sb_access *a)
{
    if (a->pipe == XK_SB_OOO && a->token >= 0)
        set_token(s, a);
    if (a->kind == XK_SB_BRANCH)
        issue_branch(s, a);
    if (a->pipe >= XK_SB_N_PIPES)
        return;
    if (s->count[a->pipe] == XK_SB_MAX_COUNT)
        xk_sb_state_rebase(s);
    const int16_t now = (int16_t)s->count[a->pipe]++;
    mark_spans(s, a->rd, a->n_rd, a->pipe, s->rd[a->pipe], now);
    mark_spans(s, a->wr, a->n_wr, a->pipe, s->wr[a->pipe], now);
}

static void rebase_list(int16_t *list, int32_t count, int32_t done)
{
    const int32_t oldest = count - HORIZON > done ? count - HORIZON : done + 1;
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        list[r] = list[r] < oldest ? XK_SB_NEVER : (int16_t)(list[r] - count);
}

void xk_sb_state_rebase(struct xk_sb_state *s)
{
    for (unsigned p = 0; p < s->caps->n_pipes; p++) {
        rebase_list(s->wr[p], s->count[p], s->done[p]);
        rebase_list(s->rd[p], s->count[p], s->done[p]);
        s->count[p] = 0;
        s->done[p] = XK_SB_NEVER;
    }
}

static bool join_stamps(int16_t *into, const int16_t *from)
{
    int16_t changed = 0;
    for (unsigned r = 0; r < XK_SB_N_RES; r++) {
        changed |= from[r] > into[r];
        into[r] = from[r] > into[r] ? from[r] : into[r];
    }
    return changed;
}

static bool join_tokens(uint32_t *into, const uint32_t *from, unsigned n)
{
    uint32_t changed = 0;
    for (unsigned r = 0; r < n; r++) {
        changed |= from[r] & ~into[r];
        into[r] |= from[r];
    }
    return changed;
}

bool xk_sb_state_join(struct xk_sb_state *into, const struct xk_sb_state *s)
{
    bool changed = false;
    for (unsigned p = 0; p < s->caps->n_pipes; p++) {
        changed |= join_stamps(into->wr[p], s->wr[p]);
        changed |= join_stamps(into->rd[p], s->rd[p]);
    }
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        into->seen[r] |= s->seen[r];
    changed |= join_tokens(into->tok_wr, s->tok_wr, XK_SB_N_RES);
    changed |= join_tokens(into->tok_rd, s->tok_rd, XK_SB_N_RES);
    changed |= join_tokens(&into->busy, &s->busy, 1);
    changed |= join_tokens(&into->send, &s->send, 1);
    return changed | join_tokens(&into->slm, &s->slm, 1);
}
